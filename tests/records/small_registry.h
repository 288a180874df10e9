// A small registry and its toolchains for tests of records: two kernels of family "fam" on gfx1030 and gfx1151, one of
// "other" on gfx1151.
#pragma once

#include "contract/records/records.h"
#include "contract/registry/registry.h"
#include "contract/toolchain/toolchain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

inline hkc::Kernel small_kernel(const std::string& name, const std::string& family, std::vector<std::string> chips) {
    hkc::Kernel kernel;
    kernel.name = "the " + name;
    kernel.family = family;
    kernel.chips = std::move(chips);
    hkc::Launch launch;
    launch.symbol = name;
    kernel.launches.push_back(launch);
    return kernel;
}

inline hkc::Registry small_registry() {
    hkc::Registry registry;
    registry.kernels = {small_kernel("one", "fam", {"gfx1030", "gfx1151"}),
                        small_kernel("two", "fam", {"gfx1030", "gfx1151"}),
                        small_kernel("three", "other", {"gfx1151"})};
    return registry;
}

inline std::vector<hkc::ToolchainSpec> small_toolchains() {
    const auto specs = hkc::parse_toolchains(R"(
[[toolchain]]
name = "clang-9.8.7"
kind = "clang"
version = "9.8.7"
pinned = true
compilers = ["clang"]
[[toolchain]]
name = "hip"
kind = "hipcc"
version = "5.2"
compilers = ["hipcc"]
chips = ["gfx1030"]
)",
                                             "t.toml");
    EXPECT_TRUE(specs);
    return *specs;
}

/// What a compiler of that version gives with -O3.
inline hkc::Fingerprint small_fingerprint(const std::string& version) {
    return {{"clang version " + version}, {"-O3"}, {"Linker: LLD 9"}};
}

/// Figures that differ from field to field.
inline pm::Resources small_resources(std::uint32_t vgpr) { return {vgpr, 20, 30, 0, 0, 0, 32, 128, 52}; }

/// Records of both kernels of "fam" on both chips.
inline hkc::records::RecordFile small_records() {
    hkc::records::RecordFile file{"clang-9.8.7", "fam", {}};
    for (const char* chip : {"gfx1030", "gfx1151"})
        file.chips[chip] = {small_fingerprint("9.8.7"), {{"one", small_resources(11)}, {"two", small_resources(12)}}};
    return file;
}
