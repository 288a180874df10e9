#include "contract/toolchain/hip_parts.h"

#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

// Names of ROCm's device libraries and their values, as `llvm-dis oclc_isa_version_*.bc` shows those that are
// installed.
TEST(HipParts, AnIsaVersionIsThatOfTheDeviceLibraries) {
    for (const auto& [chip, version] : {std::pair{"gfx1030", "10300"},
                                        {"gfx1036", "10306"},
                                        {"gfx90a", "9010"},
                                        {"gfx906", "9006"},
                                        {"gfx1100", "11000"},
                                        {"gfx1151", "11501"},
                                        {"gfx1201", "12001"}})
        EXPECT_NE(hkc::isa_version_ir(chip).find(std::string("addrspace(4) constant i32 ") + version + "\n"),
                  std::string::npos)
            << hkc::isa_version_ir(chip);
}

TEST(HipParts, AreTheFirstFoldersThatHaveThem) {
    const ScratchFolder scratch;
    scratch.write("b/include/hip/hip_runtime.h", "");
    scratch.write("c/include/hip/hip_runtime.h", "");
    scratch.write("c/bitcode/ockl.bc", "");
    const auto at = [&](const char* name) { return scratch.path() / name; };
    const auto parts =
        hkc::find_hip_parts({{at("a/include"), at("b/include"), at("c/include")}, {at("b/bitcode"), at("c/bitcode")}});
    ASSERT_TRUE(parts) << parts.error().text;
    EXPECT_EQ(parts->headers, at("b/include"));
    EXPECT_EQ(parts->bitcode, at("c/bitcode"));

    for (const auto& [places, said] : {std::pair{hkc::HipPlaces{{at("a/include")}, {at("c/bitcode")}},
                                                 "hip/hip_runtime.h is in none of " + at("a/include").string()},
                                       {hkc::HipPlaces{{at("b/include")}, {at("a"), at("b")}},
                                        "ockl.bc is in none of " + at("a").string() + ", " + at("b").string()}}) {
        const auto missing = hkc::find_hip_parts(places);
        ASSERT_FALSE(missing);
        EXPECT_NE(missing.error().text.find(said), std::string::npos) << missing.error().text;
        EXPECT_NE(missing.error().text.find("Debian: "), std::string::npos) << missing.error().text;
    }
}

TEST(HipParts, LinkTheChipsOwnPartWhereItIsThere) {
    const ScratchFolder scratch;
    scratch.write("ockl.bc", "");
    scratch.write("oclc_isa_version_1030.bc", "");
    scratch.write("oclc_wavefrontsize64_off.bc", "");
    scratch.write("oclc_wavefrontsize64_on.bc", "");
    const hkc::HipParts parts{scratch.path(), scratch.path()};
    EXPECT_TRUE(hkc::has_isa_version(parts, "gfx1030"));
    EXPECT_FALSE(hkc::has_isa_version(parts, "gfx1151"));
    const auto linked = [&](const char* chip, const std::string& name, bool wave64 = false) {
        const auto flags = hkc::hip_flags(parts, chip, wave64);
        return std::find(flags.begin(), flags.end(), (scratch.path() / name).string()) != flags.end();
    };
    EXPECT_TRUE(linked("gfx1030", "ockl.bc"));
    EXPECT_TRUE(linked("gfx1030", "oclc_isa_version_1030.bc"));
    EXPECT_FALSE(linked("gfx1151", "oclc_isa_version_1030.bc"));
    EXPECT_FALSE(linked("gfx1030", "hip.bc")) << "it is not there";
    EXPECT_TRUE(linked("gfx1030", "oclc_wavefrontsize64_off.bc"));
    EXPECT_FALSE(linked("gfx1030", "oclc_wavefrontsize64_off.bc", true));
    EXPECT_TRUE(linked("gfx1030", "oclc_wavefrontsize64_on.bc", true));
}

} // namespace
