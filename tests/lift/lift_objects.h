// Code objects that the tests of lifting share: real compilers' output of small sources.
#pragma once

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace pm::testing {

/// A loop, LDS behind a barrier, a device function that is called, and constant data.
inline constexpr const char* kLiftSource = R"(
typedef unsigned u32;
__attribute__((constant)) u32 weights[5] = {3, 1, 4, 1, 5};
static __attribute__((device, noinline)) u32 mix(u32 a, u32 b) { return a * 2654435761u ^ (b >> 3); }
extern "C" __attribute__((global)) void sum(const u32 *in, u32 *out, u32 n) {
    static __attribute__((shared)) u32 tile[64];
    const u32 lane = __builtin_amdgcn_workitem_id_x();
    u32 total = 0;
    for (u32 i = lane; i < n; i += 64) total += mix(in[i], weights[i % 5]);
    tile[lane] = total;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[lane] = tile[63 - lane];
}
extern "C" __attribute__((global)) void zero(u32 *out) { *out = 0; }
)";

/// kLiftSource compiled once for each set of arguments; empty, and the test fails, where it cannot be.
inline const std::string& lift_object(const std::string& compiler, const std::string& chip,
                                      const std::vector<std::string>& flags) {
    static std::map<std::string, std::string> made;
    std::string key = compiler + chip;
    for (const std::string& flag : flags) key += flag;
    const auto [at, first] = made.try_emplace(key);
    if (!first) return at->second;
    const Folder folder;
    std::ofstream(folder.path("k.hip")) << kLiftSource;
    const auto object = compile_hip(compiler, chip, folder.path("k.hip"), flags);
    EXPECT_TRUE(object) << object.error().text;
    if (object) at->second = *object;
    return at->second;
}

} // namespace pm::testing
