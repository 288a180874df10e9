// Instructions of a wave64 that know of all its lanes: lane masks in pairs of registers, branches on them, lane counts,
// and what moves values between lanes.
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <random>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum : unsigned { kGen10 = 1, kGen11And12 = 6, kAllGens = 7 };

constexpr std::uint64_t kSeed = 20261130;
constexpr unsigned kWave = 64;

/// Lane values before: v5 = a, v6 = b, v2 and v3 = old; v0 the lane, `exec` holds during the body.
struct Lanes {
    std::array<u32, kWave> a, b;
    std::array<std::array<u32, kWave>, 2> old;
    u64 exec = 0;
    unsigned generation = 0;
    bool active(unsigned lane) const { return (exec >> lane & 1u) != 0; }
    /// The active lanes in which `f` holds.
    template <typename F>
    u64 where(F f) const {
        u64 mask = 0;
        for (unsigned lane = 0; lane < kWave; ++lane)
            if (active(lane) && f(lane)) mask |= u64{1} << lane;
        return mask;
    }
    u64 wide_a(unsigned lane) const { return u64{b[lane]} << 32 | a[lane]; }
    u64 wide_b(unsigned lane) const { return u64{a[lane]} << 32 | b[lane]; }
};

/// v2 and v3 of an active lane afterwards.
using Two = std::array<u32, 2>;
using Expected = std::function<Two(const Lanes&, unsigned lane)>;

struct Case {
    const char* name;
    unsigned generations;
    std::string body;
    Expected expected;
    bool inactive_too = false; // the body makes more lanes active than EXEC says
};

u32 low(u64 v) { return static_cast<u32>(v); }
u32 high(u64 v) { return static_cast<u32>(v >> 32); }
Two both(u64 v) { return {low(v), high(v)}; }

// Stores a pair of scalar registers in each lane.
std::string shown(const char* first, const char* second) {
    return fmt::format("\n v_mov_b32_e32 v2, {}\n v_mov_b32_e32 v3, {}", first, second);
}

std::vector<Case> mask_cases() {
    const Expected less = [](const Lanes& l, unsigned) {
        return both(l.where([&](unsigned i) { return l.a[i] < l.b[i]; }));
    };
    return {
        {"compare_vcc", kAllGens, "v_cmp_lt_u32_e32 vcc, v5, v6" + shown("vcc_lo", "vcc_hi"), less},
        {"compare_pair", kAllGens, "v_cmp_lt_u32_e64 s[20:21], v5, v6" + shown("s20", "s21"), less},
        {"compare_null_half", kAllGens, "v_cmp_lt_u32_e64 s[20:21], v5, 0" + shown("s20", "s21"),
         [](const Lanes&, unsigned) {
             return Two{0, 0};
         }},
        {"compare_sdwa", kGen10,
         "v_cmp_gt_u32_sdwa s[20:21], v5, v6 src0_sel:BYTE_0 src1_sel:BYTE_1" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return both(l.where([&](unsigned i) { return (l.a[i] & 0xffu) > (l.b[i] >> 8 & 0xffu); }));
         }},
        {"compare_exec", kAllGens, "v_cmpx_lt_u32_e32 v5, v6" + shown("exec_lo", "exec_hi"),
         [=](const Lanes& l, unsigned lane) {
             return l.a[lane] < l.b[lane] ? less(l, lane) : Two{l.old[0][lane], l.old[1][lane]};
         }},
        {"compare_exec_vop3", kAllGens, "v_cmpx_lt_u32_e64 v5, v6" + shown("exec_lo", "exec_hi"),
         [=](const Lanes& l, unsigned lane) {
             return l.a[lane] < l.b[lane] ? less(l, lane) : Two{l.old[0][lane], l.old[1][lane]};
         }},
        // The scalar source is read before either half of the mask is written.
        {"compare_overlapping_low", kAllGens,
         "s_mov_b32 s20, 0x70000000\n v_cmp_lt_u32_e64 s[20:21], s20, v5" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) { return both(l.where([&](unsigned i) { return l.a[i] > 0x70000000u; })); }},
        {"compare_overlapping_high", kAllGens,
         "s_mov_b32 s21, 0x70000000\n v_cmp_lt_u32_e64 s[20:21], s21, v5" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) { return both(l.where([&](unsigned i) { return l.a[i] > 0x70000000u; })); }},
        {"select_pair", kAllGens,
         "s_mov_b32 s20, 0xf0f01234\n s_mov_b32 s21, 0x0ff05a5a\n v_cndmask_b32_e64 v2, v5, v6, s[20:21]",
         [](const Lanes& l, unsigned lane) {
             return Two{(0x0ff05a5af0f01234u >> lane & 1u) != 0 ? l.b[lane] : l.a[lane], l.old[1][lane]};
         }},
        {"select_vcc", kAllGens,
         "s_mov_b32 vcc_lo, 0xf0f01234\n s_mov_b32 vcc_hi, 0x0ff05a5a\n v_cndmask_b32_e32 v2, v5, v6, vcc",
         [](const Lanes& l, unsigned lane) {
             return Two{(0x0ff05a5af0f01234u >> lane & 1u) != 0 ? l.b[lane] : l.a[lane], l.old[1][lane]};
         }},
        {"select_exec", kAllGens, "v_cndmask_b32_e64 v2, v5, v6, exec",
         [](const Lanes& l, unsigned lane) {
             return Two{l.b[lane], l.old[1][lane]};
         }},
        {"carry_vcc", kAllGens, "v_add_co_u32 v2, vcc, v5, v6\n v_add_co_ci_u32_e32 v3, vcc, v6, v5, vcc",
         [](const Lanes& l, unsigned lane) { return both(l.wide_a(lane) + l.wide_b(lane)); }},
        {"carry_pairs", kAllGens,
         "v_sub_co_u32 v2, s[20:21], v5, v6\n v_sub_co_ci_u32_e64 v3, s[22:23], v6, v5, s[20:21]",
         [](const Lanes& l, unsigned lane) { return both(l.wide_a(lane) - l.wide_b(lane)); }},
        {"carry_out", kAllGens, "v_add_co_u32 v9, s[20:21], v5, v6" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return both(l.where([&](unsigned i) { return u64{l.a[i]} + l.b[i] > 0xffffffffu; }));
         }},
        {"carry_of_product", kAllGens,
         "v_mov_b32_e32 v8, v5\n v_mov_b32_e32 v9, -1\n v_mad_u64_u32 v[10:11], s[20:21], v5, v6, v[8:9]" +
             shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return both(l.where([&](unsigned i) {
                 const u64 product = u64{l.a[i]} * l.b[i], sum = product + (0xffffffff00000000u | l.a[i]);
                 return sum < product;
             }));
         }},
        {"exec_operands", kAllGens, "" + shown("exec_lo", "exec_hi"),
         [](const Lanes& l, unsigned) { return both(l.exec); }},
        {"count_lanes", kAllGens,
         "v_mbcnt_lo_u32_b32 v2, exec_lo, 0\n v_mbcnt_hi_u32_b32 v2, exec_hi, v2\n"
         "v_mbcnt_lo_u32_b32 v3, -1, 7\n v_mbcnt_hi_u32_b32 v3, -1, v3",
         [](const Lanes& l, unsigned lane) {
             const u64 below = (u64{1} << lane) - 1;
             return Two{static_cast<u32>(std::popcount(l.exec & below)), 7 + lane};
         }},
        {"mask_arithmetic", kAllGens, "s_bcnt1_i32_b64 s20, exec\n s_ff1_i32_b64 s21, exec" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return Two{static_cast<u32>(std::popcount(l.exec)), static_cast<u32>(std::countr_zero(l.exec))};
         }},
    };
}

std::vector<Case> control_cases() {
    return {
        {"if_else", kAllGens,
         "v_cmp_lt_u32_e32 vcc, v5, v6\n s_and_saveexec_b64 s[20:21], vcc\n v_mov_b32_e32 v2, 1\n"
         "s_xor_b64 exec, exec, s[20:21]\n v_mov_b32_e32 v2, 2\n s_mov_b64 exec, s[20:21]",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane] < l.b[lane] ? 1u : 2u, l.old[1][lane]};
         }},
        {"inverted", kAllGens, "s_not_b64 exec, exec\n v_mov_b32_e32 v2, 3\n v_mov_b32_e32 v3, 4",
         [](const Lanes& l, unsigned lane) {
             return l.active(lane) ? Two{l.old[0][lane], l.old[1][lane]} : Two{3, 4};
         },
         true},
        {"vccnz_of_the_upper_half", kAllGens,
         "s_mov_b32 vcc_lo, 0\n s_mov_b32 vcc_hi, 0x40000\n s_cbranch_vccnz .Lvccnz@\n v_mov_b32_e32 v2, 1\n.Lvccnz@:",
         [](const Lanes& l, unsigned lane) {
             return Two{l.old[0][lane], l.old[1][lane]};
         }},
        {"vccz_of_both", kAllGens, "s_mov_b64 vcc, 0\n s_cbranch_vccz .Lvccz@\n v_mov_b32_e32 v2, 1\n.Lvccz@:",
         [](const Lanes& l, unsigned lane) {
             return Two{l.old[0][lane], l.old[1][lane]};
         }},
        {"execz_with_an_upper_half", kAllGens,
         "s_mov_b32 exec_lo, 0\n s_cbranch_execz .Lexecz@\n v_mov_b32_e32 v2, 1\n.Lexecz@:",
         [](const Lanes& l, unsigned lane) {
             return Two{lane >= 32 && high(l.exec) != 0 ? 1u : l.old[0][lane], l.old[1][lane]};
         }},
        {"execnz_of_neither", kAllGens,
         "s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 0\n s_cbranch_execnz .Lexecnz@\n s_mov_b64 exec, s[20:21]\n"
         "v_mov_b32_e32 v2, 1\n.Lexecnz@:",
         [](const Lanes& l, unsigned lane) {
             return Two{1, l.old[1][lane]};
         }},
    };
}

// The lane that the permutations below read or fill: 63 - lane, on gfx12 across the halves.
unsigned mirrored(const Lanes& l, unsigned lane) {
    return l.generation >= 12 ? 63 - lane : (lane & 32u) | (31 - lane % 32);
}

std::vector<Case> lane_cases() {
    const std::string mirror = "v_sub_nc_u32_e32 v7, 63, v0\n v_lshlrev_b32_e32 v7, 2, v7\n ";
    const Expected mirrors = [](const Lanes& l, unsigned lane) {
        const unsigned from = mirrored(l, lane);
        return Two{l.active(from) ? l.a[from] : 0u, l.old[1][lane]};
    };
    return {
        {"readlane", kAllGens,
         "s_movk_i32 s22, 0x7f\n v_readlane_b32 s20, v5, 40\n v_readlane_b32 s21, v6, s22" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return Two{l.a[40], l.b[63]};
         }},
        {"readfirstlane", kAllGens, "v_readfirstlane_b32 s20, v5\n s_mov_b32 s21, 0" + shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return Two{l.a[static_cast<unsigned>(std::countr_zero(l.exec))], 0};
         }},
        {"readfirstlane_of_none", kAllGens,
         "s_mov_b64 s[22:23], exec\n s_mov_b64 exec, 0\n v_readfirstlane_b32 s20, v5\n s_mov_b64 exec, s[22:23]\n"
         "s_mov_b32 s21, 0" +
             shown("s20", "s21"),
         [](const Lanes& l, unsigned) {
             return Two{l.a[0], 0};
         }},
        {"writelane", kAllGens, "s_mov_b32 s20, 77\n v_writelane_b32 v2, s20, 45\n v_writelane_b32 v3, s20, 13",
         [](const Lanes& l, unsigned lane) {
             return Two{lane == 45 ? 77 : l.old[0][lane], lane == 13 ? 77 : l.old[1][lane]};
         },
         true},
        {"permlane64", kGen11And12, "v_permlane64_b32 v2, v5\n v_permlane64_b32 v6, v6\n v_mov_b32_e32 v3, v6",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane ^ 32u], l.b[lane ^ 32u]};
         }},
        {"permlanex16", kAllGens,
         "s_mov_b32 s20, 0x76543210\n s_mov_b32 s21, 0xfedcba98\n v_permlanex16_b32 v2, v5, s20, s21 op_sel:[1,1]",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane ^ 16u], l.old[1][lane]};
         }},
        {"dpp_rows_0_and_3", kAllGens, "v_mov_b32_dpp v2, v5 row_shr:1 row_mask:0x9 bank_mask:0xf fi:1",
         [](const Lanes& l, unsigned lane) {
             const bool row = lane / 16 == 0 || lane / 16 == 3;
             return Two{row && lane % 16 != 0 ? l.a[lane - 1] : l.old[0][lane], l.old[1][lane]};
         }},
        {"dpp_rows_1_and_2", kAllGens, "v_mov_b32_dpp v2, v5 row_mirror row_mask:0x6 bank_mask:0xf bound_ctrl:1",
         [](const Lanes& l, unsigned lane) {
             const bool row = lane / 16 == 1 || lane / 16 == 2;
             const unsigned from = lane / 16 * 16 + 15 - lane % 16;
             return Two{!row ? l.old[0][lane] : l.active(from) ? l.a[from] : 0u, l.old[1][lane]};
         }},
        {"dpp8", kAllGens, "v_mov_b32_dpp v2, v5 dpp8:[7,6,5,4,3,2,1,0] fi:1",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane ^ 7u], l.old[1][lane]};
         }},
        {"bpermute", kAllGens, mirror + "ds_bpermute_b32 v2, v7, v5\n wait_all", mirrors},
        {"permute", kAllGens, mirror + "ds_permute_b32 v2, v7, v5\n wait_all", mirrors},
        {"permute_two_to_one", kAllGens,
         "v_lshrrev_b32_e32 v7, 1, v0\n v_lshlrev_b32_e32 v7, 2, v7\n ds_permute_b32 v2, v7, v5\n wait_all",
         [](const Lanes& l, unsigned lane) {
             // Lanes 2k and 2k + 1 write lane k, before gfx12 that of their own half.
             u32 value = 0;
             for (unsigned from = 0; from < kWave; ++from) {
                 const unsigned to = l.generation >= 12 ? from / 2 : (from & 32u) | from / 2 % 32;
                 if (to == lane && l.active(from)) value = l.a[from];
             }
             return Two{value, l.old[1][lane]};
         }},
        {"swizzle", kAllGens, "ds_swizzle_b32 v2, v5 offset:swizzle(SWAP,16)\n wait_all",
         [](const Lanes& l, unsigned lane) {
             return Two{l.active(lane ^ 16u) ? l.a[lane ^ 16u] : 0u, l.old[1][lane]};
         }},
        {"append", kAllGens,
         "s_mov_b32 m0, 0\n v_mov_b32_e32 v7, 0\n v_mov_b32_e32 v8, 5\n ds_write_b32 v7, v8\n ds_append v2\n"
         "ds_read_b32 v3, v7\n wait_all",
         [](const Lanes& l, unsigned) {
             return Two{5, 5 + static_cast<u32>(std::popcount(l.exec))};
         }},
        {"consume", kAllGens,
         "s_mov_b32 m0, 0\n v_mov_b32_e32 v7, 0\n v_mov_b32_e32 v8, 99\n ds_write_b32 v7, v8\n ds_consume v2\n"
         "ds_read_b32 v3, v7\n wait_all",
         [](const Lanes& l, unsigned) {
             return Two{99, 99 - static_cast<u32>(std::popcount(l.exec))};
         }},
        {"lds_by_lane", kAllGens,
         "s_mov_b32 m0, 0\n v_lshlrev_b32_e32 v7, 2, v0\n ds_write_addtid_b32 v5\n ds_read_b32 v2, v7\n wait_all\n"
         "ds_write_b32 v7, v6\n ds_read_addtid_b32 v3\n wait_all",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane], l.b[lane]};
         }},
        {"memory_by_lane", kAllGens, "global_load_dword_addtid v2, s[4:5] offset:256\n wait_all",
         [](const Lanes& l, unsigned lane) {
             return Two{l.b[lane], l.old[1][lane]};
         }},
        {"swap", kAllGens, "v_swap_b32 v2, v5\n v_mov_b32_e32 v3, v5",
         [](const Lanes& l, unsigned lane) {
             return Two{l.a[lane], l.old[0][lane]};
         }},
        {"register_from_m0", kAllGens, "s_mov_b32 m0, 1\n v_movrels_b32_e32 v2, v5",
         [](const Lanes& l, unsigned lane) {
             return Two{l.b[lane], l.old[1][lane]};
         }},
    };
}

std::vector<Case> all_cases() {
    std::vector<Case> all;
    for (const auto& some : {mask_cases(), control_cases(), lane_cases()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

// Stores v2 and v3 of all lanes, whatever EXEC was.
KernelText kernel_of(const Case& c, u64 exec, std::size_t number) {
    KernelText k;
    k.name = fmt::format("case{}", number);
    k.wave64 = true;
    k.lds = 256;
    std::string body = c.body;
    for (std::size_t at = body.find('@'); at != std::string::npos; at = body.find('@'))
        body.replace(at, 1, std::to_string(number));
    k.body = fmt::format(R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  s_load_dwordx2 s[6:7], s[8:9], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  wait_scalar
  global_load_dword v5, v1, s[4:5]
  global_load_dword v6, v1, s[4:5] offset:256
  global_load_dword v2, v1, s[4:5] offset:512
  global_load_dword v3, v1, s[4:5] offset:768
  wait_all
  s_mov_b32 exec_lo, 0x{:x}
  s_mov_b32 exec_hi, 0x{:x}
  {}
  s_mov_b64 exec, -1
  global_store_dword v1, v2, s[6:7]
  global_store_dword v1, v3, s[6:7] offset:256
)",
                         low(exec), high(exec), body);
    return k;
}

class Wave64 : public ::testing::TestWithParam<unsigned> {};

TEST_P(Wave64, ComputesOnAllLanes) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Case> cases;
    std::vector<u64> execs;
    std::vector<KernelText> kernels;
    for (const Case& c : all_cases()) {
        if ((c.generations >> (chip.generation - 10) & 1u) == 0) continue;
        for (const u64 exec : {~u64{0}, u64{0x9e3779b97f4a7c15}, u64{0xfff07e0000000000}, u64{0x00000000f00ff1e0}}) {
            kernels.push_back(kernel_of(c, exec, cases.size()));
            cases.push_back(c);
            execs.push_back(exec);
        }
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    std::mt19937_64 random(kSeed);
    Lanes lanes{};
    lanes.generation = chip.generation;
    std::vector<u32> words;
    for (auto* values : {&lanes.a, &lanes.b, &lanes.old[0], &lanes.old[1]})
        for (u32& v : *values) words.push_back(v = static_cast<u32>(random()));
    emu::Allocation* const in = rig.buffer(words);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}, exec {:x}, seed {}", chip.name, cases[n].name, execs[n], kSeed));
        emu::Allocation* const out = rig.fresh(8 * kWave);
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out), {1, 1, 1}, {kWave, 1, 1})), "");
        lanes.exec = execs[n];
        std::vector<u32> want(2 * kWave);
        for (unsigned lane = 0; lane < kWave; ++lane) {
            const bool written = lanes.active(lane) || cases[n].inactive_too;
            const Two two = written ? cases[n].expected(lanes, lane) : Two{lanes.old[0][lane], lanes.old[1][lane]};
            want[lane] = two[0];
            want[kWave + lane] = two[1];
        }
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

// The last wave of a workgroup has the lanes that are left, in one half or in both.
TEST_P(Wave64, LastWaveHasTheLanesThatAreLeft) {
    const Chip& chip = chips()[GetParam()];
    KernelText k;
    k.name = "items";
    k.wave64 = true;
    k.body = R"(
  s_load_dwordx2 s[6:7], s[8:9], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_bcnt1_i32_b64 s20, exec
  s_lshl_b32 s20, s20, 16
  v_or_b32_e32 v2, s20, v0
  wait_scalar
  global_store_dword v1, v2, s[6:7]
)";
    Rig rig(chip, {k});
    ASSERT_TRUE(rig.ok());
    for (const u32 items : {1u, 32u, 40u, 64u, 70u, 100u, 1024u}) {
        SCOPED_TRACE(items);
        emu::Allocation* const out = rig.fresh(4 * items);
        EXPECT_EQ(text_of(rig.launch("items", Rig::pack(out, out), {1, 1, 1}, {items, 1, 1})), "");
        std::vector<u32> want;
        for (u32 i = 0; i < items; ++i) want.push_back(std::min(items - i / 64 * 64, 64u) << 16 | i);
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

TEST_P(Wave64, OneInstructionOfAllLanesCountsOnce) {
    const Chip& chip = chips()[GetParam()];
    KernelText k;
    k.name = "counted";
    k.wave64 = true;
    k.body = "  v_mov_b32_e32 v2, 1\n  v_add_nc_u32_e32 v2, v2, v2\n";
    const auto report = [&](std::uint32_t items) {
        Rig rig(chip, {k});
        return rig.launch("counted", Rig::pack(rig.fresh(4), rig.fresh(4)), {1, 1, 1}, {items, 1, 1});
    };
    EXPECT_EQ(report(64).lane_operations, 128u);
    EXPECT_EQ(report(40).lane_operations, 80u);
    EXPECT_EQ(report(64).instructions, report(1).instructions);
}

TEST_P(Wave64, WhatIsNotModelledStopsTheLaunchByName) {
    const Chip& chip = chips()[GetParam()];
    struct Stop {
        unsigned generations;
        const char* body;
        const char* message;
    };
    const Stop stops[] = {
        {2, "v_wmma_f32_16x16x16_f16 v[0:3], v[8:15], v[16:23], v[0:3]",
         "unsupported instruction v_wmma_f32_16x16x16_f16 v[0:3], v[8:15], v[16:23], v[0:3] (in a wave64)"},
        {4, "v_wmma_f32_16x16x16_f16 v[0:3], v[8:9], v[16:17], v[0:3]",
         "unsupported instruction v_wmma_f32_16x16x16_f16 v[0:3], v[8:9], v[16:17], v[0:3] (in a wave64)"},
        {4, "v_swmmac_f32_16x16x32_f16 v[0:3], v[8:9], v[16:19], v20",
         "unsupported instruction v_swmmac_f32_16x16x32_f16 v[0:3], v[8:9], v[16:19], v20 (in a wave64)"},
        {kAllGens, "v_lshlrev_b64 v[2:3], 1, exec", "1, exec (in a wave64)"},
        // v_dual_mov_b32 v2, v5 :: v_dual_mov_b32 v3, v6: no instruction of a wave64.
        {kGen11And12, ".long 0xca100105, 0x02020106", "unsupported instruction (no instruction: 0xca100105)"},
    };
    std::vector<KernelText> kernels;
    std::vector<const Stop*> there;
    for (const Stop& stop : stops) {
        if ((stop.generations >> (chip.generation - 10) & 1u) == 0) continue;
        KernelText k;
        k.name = fmt::format("stop{}", kernels.size());
        k.wave64 = true;
        k.body = std::string("  ") + stop.body;
        kernels.push_back(std::move(k));
        there.push_back(&stop);
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    for (std::size_t n = 0; n < kernels.size(); ++n) {
        SCOPED_TRACE(there[n]->body);
        const auto report =
            rig.launch(kernels[n].name, Rig::pack(rig.fresh(4), rig.fresh(4)), {1, 1, 1}, {kWave, 1, 1});
        ASSERT_EQ(report.unsupported.size(), 1u);
        EXPECT_NE(report.unsupported[0].find(there[n]->message), std::string::npos) << report.unsupported[0];
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, Wave64, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

} // namespace
} // namespace pm::testing
