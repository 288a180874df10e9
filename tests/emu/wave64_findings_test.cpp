// Pairs of kernels of a wave64, one faulty and one right, for what the checks know of its upper half.
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

namespace pm::testing {
namespace {

using K = emu::FindingKind;
using u32 = std::uint32_t;

/// s[4:5] is `in` (128 words, 0..127), s[6:7] `out` (40 words), v1 the item's byte offset into either; v20 was never
/// written.
struct Pair {
    const char* name;
    std::string faulty, right;
    K kind;
    u32 lane = 0;
    std::uint64_t count = 0; // 0: not looked at
    u32 items = 64;
};

constexpr const char* kUpper = "s_mov_b32 exec_lo, 0\n s_mov_b32 exec_hi, 0xffffff00\n "; // lanes 40 to 63
constexpr const char* kLower = "s_mov_b32 exec_lo, 0xff\n s_mov_b32 exec_hi, 0\n ";       // lanes 0 to 7
constexpr const char* kAll = "s_mov_b64 exec, -1\n ";

std::vector<Pair> pairs() {
    const std::string load = "global_load_dword v2, v1, s[4:5]\n ", load3 = "global_load_dword v3, v1, s[4:5]\n ";
    const std::string upper = kUpper, lower = kLower, all = kAll;
    const std::string use2 = "v_mov_b32_e32 v6, v2\n ", use3 = "v_mov_b32_e32 v6, v3\n ";
    const std::string some_undefined = lower + "s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v20, 0\n " + all;
    const std::string zero = some_undefined + "v_min_u32_e32 v20, 0, v20\n "; // undefined all the same
    const std::string own = "v_lshlrev_b32_e32 v7, 2, v0\n ", first = "v_mov_b32_e32 v7, 0\n ";
    return {
        {"used_before_its_wait", upper + load + use2 + "wait_all", upper + load + "wait_all\n " + use2,
         K::kUsedBeforeWait, 40, 1},
        {"used_in_another_half", load + lower + use2 + "wait_all",
         upper + load + lower + "v_mov_b32_e32 v2, 0\n " + use2 + "wait_all", K::kUsedBeforeWait, 0, 1},
        {"overwritten_before_its_wait", upper + load + "v_mov_b32_e32 v2, 0\n wait_all",
         upper + load + lower + "v_mov_b32_e32 v2, 0\n wait_all", K::kOverwrittenBeforeWait, 40, 1},
        // A load of one half is one load: of two, the wait leaves the younger one outstanding.
        {"counts_a_load_of_the_upper_half", load + upper + load3 + "wait_vm 1\n " + use3 + "wait_all",
         load + upper + load3 + all + "wait_vm 1\n " + use2 + "wait_all", K::kUsedBeforeWait, 40, 1},
        {"counts_a_load_of_the_lower_half", load + lower + load3 + "wait_vm 1\n " + use3 + "wait_all",
         load + lower + load3 + all + "wait_vm 1\n " + use2 + "wait_all", K::kUsedBeforeWait, 0, 1},
        {"loads_into_what_is_in_flight", upper + load + "ds_read_b32 v2, v1\n wait_all",
         upper + load + lower + "ds_read_b32 v2, v1\n wait_all", K::kOverwrittenBeforeWait, 40},
        {"lds_load_of_the_upper_half", own + upper + "ds_read_b32 v2, v7\n " + use2 + "wait_all",
         own + upper + "ds_read_b32 v2, v7\n wait_lgkm 0\n " + use2, K::kUsedBeforeWait, 40},
        {"read_by_another_lane", upper + load + all + "v_readlane_b32 s20, v2, 3\n wait_all",
         upper + load + all + "wait_all\n v_readlane_b32 s20, v2, 3", K::kUsedBeforeWait, 40},
        {"lane_mask_in_flight",
         "s_load_dwordx2 s[20:21], s[8:9], 0x0\n v_cndmask_b32_e64 v2, v0, v1, s[20:21]\n wait_scalar",
         "s_load_dwordx2 s[20:21], s[8:9], 0x0\n wait_scalar\n v_cndmask_b32_e64 v2, v0, v1, s[20:21]",
         K::kUsedBeforeWait, 0},
        {"stores_out_of_bounds", "global_store_dword v1, v0, s[6:7]",
         "s_mov_b32 exec_hi, 0xff\n global_store_dword v1, v0, s[6:7]", K::kWriteOutOfBounds, 40, 24},
        {"loads_out_of_bounds", "global_load_dword v2, v1, s[6:7] offset:-4\n wait_all",
         "s_mov_b32 exec_lo, -2\n s_mov_b32 exec_hi, 0x1ff\n global_load_dword v2, v1, s[6:7] offset:-4\n wait_all",
         K::kReadOutOfBounds, 0, 24},
        {"lds_out_of_bounds", own + "ds_write_b32 v7, v0 offset:352", own + "ds_write_b32 v7, v0 offset:256",
         K::kLdsOutOfBounds, 40, 24},
        {"lds_race_of_two_waves", own + "v_and_b32_e32 v7, 0xff, v7\n ds_write_b32 v7, v0\n wait_all",
         own + "ds_write_b32 v7, v0\n wait_all", K::kLdsRace, 0, 0, 128},
        {"lds_race_with_an_upper_half",
         upper + first + "ds_write_b32 v7, v0\n wait_all", // of both waves
         upper + own + "ds_write_b32 v7, v0\n wait_all", K::kLdsRace, 40, 0, 128},
        {"a_branch_on_undefined_lanes",
         some_undefined + "v_cmp_ne_u32_e32 vcc, 0, v20\n s_cbranch_vccnz .Lundefined@\n.Lundefined@:",
         some_undefined + "v_cmp_eq_u32_e32 vcc, 0, v20\n s_cbranch_vccnz .Lundefined@\n.Lundefined@:",
         K::kUndefinedDecides, 0, 1},
        {"exec_from_undefined_lanes",
         some_undefined + "v_cmp_ne_u32_e32 vcc, 0, v20\n s_and_saveexec_b64 s[20:21], vcc",
         "v_mov_b32_e32 v20, 0\n v_cmp_ne_u32_e32 vcc, 0, v20\n s_and_saveexec_b64 s[20:21], vcc", K::kUndefinedDecides,
         32, 1},
        {"exec_of_one_comparison", some_undefined + "v_cmpx_ne_u32_e32 0, v20",
         "v_mov_b32_e32 v20, 0\n v_cmpx_ne_u32_e32 0, v20", K::kUndefinedDecides, 32, 1},
        {"an_undefined_address", zero + "global_load_dword v2, v20, s[4:5]\n wait_all",
         zero + "s_mov_b32 exec_hi, 0\n global_load_dword v2, v20, s[4:5]\n wait_all", K::kUndefinedDecides, 32, 1},
        {"undefined_by_readlane",
         some_undefined + "v_readlane_b32 s20, v20, 33\n s_cmp_eq_u32 s20, 0\n s_cbranch_scc1 .Llane@\n.Llane@:",
         some_undefined + "v_readlane_b32 s20, v20, 31\n s_cmp_eq_u32 s20, 0\n s_cbranch_scc1 .Llane@\n.Llane@:",
         K::kUndefinedDecides, 0, 1},
        // Registers come in fours: 23 of them are 24.
        {"a_register_too_many", "v_mov_b32_e32 v24, 0", "v_mov_b32_e32 v23, 0", K::kRegisterOutsideAllocation, 0},
    };
}

KernelText kernel_of(const Pair& pair, const std::string& text, std::size_t number) {
    KernelText k;
    k.name = fmt::format("kernel{}", number);
    k.wave64 = true;
    k.lds = 512;
    k.vgprs = pair.kind == K::kRegisterOutsideAllocation ? 23 : 32;
    std::string body = text;
    for (std::size_t at = body.find('@'); at != std::string::npos; at = body.find('@'))
        body.replace(at, 1, std::to_string(number));
    k.body = R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  s_load_dwordx2 s[6:7], s[8:9], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  wait_scalar
  )" + body;
    return k;
}

class Wave64Findings : public ::testing::TestWithParam<unsigned> {};

TEST_P(Wave64Findings, AreThoseOfTheFaultyKernelAlone) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Pair> there;
    std::vector<KernelText> kernels;
    for (const Pair& pair : pairs()) {
        kernels.push_back(kernel_of(pair, pair.faulty, kernels.size()));
        kernels.push_back(kernel_of(pair, pair.right, kernels.size()));
        there.push_back(pair);
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    std::vector<u32> in(128);
    std::iota(in.begin(), in.end(), 0u);
    emu::Allocation* const words = rig.buffer(in);
    for (std::size_t n = 0; n < there.size(); ++n) {
        const Pair& pair = there[n];
        SCOPED_TRACE(chip.name + ": " + pair.name);
        const auto launched = [&](std::size_t kernel) {
            emu::Allocation* const out = rig.buffer(std::vector<u32>(40));
            return rig.launch(kernels[kernel].name, Rig::pack(words, out), {1, 1, 1}, {pair.items, 1, 1});
        };
        const emu::Report faulty = launched(2 * n);
        ASSERT_EQ(kinds_of(faulty), std::vector<K>{pair.kind}) << text_of(faulty);
        EXPECT_EQ(faulty.findings[0].lane, pair.lane) << text_of(faulty);
        if (pair.count != 0) {
            EXPECT_EQ(faulty.findings[0].count, pair.count);
        }
        EXPECT_EQ(text_of(launched(2 * n + 1)), "");
    }
}

// Two halves of one wave are in step: no race between them.
TEST_P(Wave64Findings, LanesOfOneWaveDoNotRace) {
    KernelText k;
    k.name = "in_step";
    k.wave64 = true;
    k.lds = 256;
    k.body = R"(
  s_load_dwordx2 s[6:7], s[8:9], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_nc_u32_e32 v2, 0xfc, v1
  ds_write_b32 v1, v0
  wait_all
  ds_read_b32 v3, v2
  wait_all
  global_store_dword v1, v3, s[6:7]
  global_store_dword v2, v3, s[6:7]
)";
    Rig rig(chips()[GetParam()], {k});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(256);
    EXPECT_EQ(text_of(rig.launch("in_step", Rig::pack(out, out), {1, 1, 1}, {64, 1, 1})), "");
    std::vector<u32> want(64);
    std::iota(want.begin(), want.end(), 0u);
    EXPECT_EQ(words_of<u32>(out), want);
}

INSTANTIATE_TEST_SUITE_P(Chips, Wave64Findings, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

} // namespace
} // namespace pm::testing
