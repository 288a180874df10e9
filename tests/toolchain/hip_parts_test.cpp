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

/// Whether `name` is linked for the chip and the family's flags.
bool links(const hkc::HipParts& parts, const char* chip, const std::vector<std::string>& flags, const char* name) {
    const auto added = hkc::hip_flags(parts, chip, flags);
    return std::find(added.begin(), added.end(), (parts.bitcode / name).string()) != added.end();
}

TEST(HipParts, LinkTheChipsOwnPartWhereItIsThere) {
    const ScratchFolder scratch;
    scratch.write("ockl.bc", "");
    scratch.write("oclc_isa_version_1030.bc", "");
    const hkc::HipParts parts{scratch.path(), scratch.path()};
    EXPECT_TRUE(hkc::has_isa_version(parts, "gfx1030"));
    EXPECT_FALSE(hkc::has_isa_version(parts, "gfx1151"));
    EXPECT_TRUE(links(parts, "gfx1030", {}, "ockl.bc"));
    EXPECT_TRUE(links(parts, "gfx1030", {}, "oclc_isa_version_1030.bc"));
    EXPECT_FALSE(links(parts, "gfx1151", {}, "oclc_isa_version_1030.bc"));
    EXPECT_FALSE(links(parts, "gfx1030", {}, "hip.bc")) << "it is not there";
}

// What `clang++-19 -x hip --rocm-device-lib-path=.. -###` links for the same flags; clang 22 does but for daz_opt,
// which later device libraries do not have.
TEST(HipParts, LinkThePartsThatTheFlagsAskFor) {
    const ScratchFolder scratch;
    for (const std::string name :
         {"daz_opt", "unsafe_math", "finite_only", "correctly_rounded_sqrt", "wavefrontsize64"})
        for (const std::string on : {"on", "off"}) scratch.write("oclc_" + name + "_" + on + ".bc", "");
    const hkc::HipParts parts{scratch.path(), scratch.path()};
    struct Case {
        std::vector<std::string> flags;
        bool daz, unsafe, finite, sqrt, wave64;
    };
    for (const Case& c :
         {Case{{}, false, false, false, true, false}, Case{{"-mwavefrontsize64"}, false, false, false, true, true},
          Case{{"-mwavefrontsize64", "-mno-wavefrontsize64"}, false, false, false, true, false},
          Case{{"-ffast-math"}, false, true, true, true, false},
          Case{{"-ffast-math", "-fno-fast-math"}, false, false, false, true, false},
          Case{{"-ffinite-math-only"}, false, false, true, true, false},
          Case{{"-funsafe-math-optimizations"}, false, true, false, true, false},
          Case{{"-fgpu-flush-denormals-to-zero"}, true, false, false, true, false},
          Case{{"-fno-hip-fp32-correctly-rounded-divide-sqrt"}, false, false, false, false, false}}) {
        const std::string flags = testing::PrintToString(c.flags);
        for (const auto& [name, on] : {std::pair{"daz_opt", c.daz},
                                       {"unsafe_math", c.unsafe},
                                       {"finite_only", c.finite},
                                       {"correctly_rounded_sqrt", c.sqrt},
                                       {"wavefrontsize64", c.wave64}}) {
            const std::string file = std::string("oclc_") + name;
            EXPECT_EQ(links(parts, "gfx1030", c.flags, (file + "_on.bc").c_str()), on) << flags << name;
            EXPECT_EQ(links(parts, "gfx1030", c.flags, (file + "_off.bc").c_str()), !on) << flags << name;
        }
    }
}

} // namespace
