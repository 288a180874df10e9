// LDS: bounds and order. Each body's verdict follows from its addresses by hand: v0 is the work-item, LDS has 4 bytes
// for each of 64 of them unless said otherwise, and a wave is 32.
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include "peacemaker/lift/listing.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace pm::testing {
namespace {

using certify::Options;
using certify::Verdict;
namespace kind = certify::kind;

/// "certified", else "fault KIND" or "open KIND" of each, sorted, each once.
using Texts = std::vector<std::string>;

Texts verdict_of(const certify::KernelCertificate& certificate) {
    Texts out;
    for (const auto& open : certificate.open)
        out.push_back(fmt::format("{} {}", open.fault ? "fault" : "open", open.kind));
    for (const std::string& why : certificate.unchecked) out.push_back("unchecked " + why);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (certificate.verdict == Verdict::kCertified) out.push_back("certified");
    return out;
}

const Texts kCertified{"certified"};
const Texts kRace{fmt::format("fault {}", kind::kLdsRace)};
const Texts kOrder{fmt::format("open {}", kind::kLdsOrder)};
const Texts kOutside{fmt::format("fault {}", kind::kLdsOutside)};
const Texts kBounds{fmt::format("open {}", kind::kLdsBounds)};

class Lds : public ::testing::TestWithParam<const char*> {
protected:
    const Chip& chip() const { return **find_chip(GetParam()); }
    static KernelText kernel(const std::string& body, std::uint32_t lds = 256, std::uint32_t block = 64) {
        KernelText text;
        text.body = body;
        text.lds = lds;
        text.max_block = block;
        return text;
    }
    Texts of(const std::string& body, std::uint32_t lds = 256, std::uint32_t block = 64) const {
        return verdict_of(certified(chip(), kernel(body, lds, block)));
    }
    Texts of(const KernelText& text, const Options& options) const {
        return verdict_of(certified(chip(), text, options));
    }
    std::string two(const char* gfx10, const char* later) const { return chip().generation == 10 ? gfx10 : later; }

    /// v1: the byte of this work-item's word; v2: that of the same lane in the other wave.
    static constexpr const char* kOwnAndOther = "v_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x80, v1\n";
    /// s20: how often, from a kernel argument.
    static constexpr const char* kRounds = "sload s20, s[8:9]\nwait_km 0\n";
    static constexpr const char* kNextRound = "s_add_i32 s20, s20, -1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 1b\n";
};

TEST_P(Lds, EveryLaneIsWithinBounds) {
    const std::string store = "v_lshlrev_b32 v1, 2, v0\ndsstore v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of(store, 256), kCertified);
    EXPECT_EQ(of(store, 252), kOutside) << "the last work-item's word";
    EXPECT_EQ(of(store, 255), kOutside) << "its last byte";
    const std::string far =
        "v_lshlrev_b32 v1, 2, v0\n" + two("ds_read_b32", "ds_load_b32") + " v3, v1 offset:64\nwait_ds 0\n";
    EXPECT_EQ(of(far, 320), kCertified);
    EXPECT_EQ(of(far, 316), kOutside);
}

TEST_P(Lds, BothAddressesOfAPairCount) {
    const std::string load =
        "v_lshlrev_b32 v1, 2, v0\n" + two("ds_read2_b32", "ds_load_2addr_b32") + " v[4:5], v1 offset1:16\nwait_ds 0\n";
    EXPECT_EQ(of(load, 256 + 64), kCertified) << "16 words further";
    EXPECT_EQ(of(load, 256 + 60), kOutside);
    const std::string stride = "v_lshlrev_b32 v1, 2, v0\n" + two("ds_read2st64_b32", "ds_load_2addr_stride64_b32") +
                               " v[4:5], v1 offset1:1\nwait_ds 0\n";
    EXPECT_EQ(of(stride, 512), kCertified) << "64 words further";
    EXPECT_EQ(of(stride, 508), kOutside);
}

TEST_P(Lds, OnlyActiveLanesCount) {
    const std::string guarded = "v_lshlrev_b32 v1, 2, v0\nv_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s20, vcc_lo\n"
                                "dsstore v1, v0\ns_or_b32 exec_lo, exec_lo, s20\nwait_ds 0\n";
    EXPECT_EQ(of(guarded, 128), kCertified);
    EXPECT_EQ(of(guarded, 124), kOutside);
    EXPECT_EQ(of(guarded + "dsload v3, v1\nwait_ds 0\n", 128), kOutside) << "all lanes again";
    const std::string branch = "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 s20, exec_lo\nv_cmpx_gt_u32 32, v0\n"
                               "s_cbranch_execz 1f\ndsstore v1, v0\n1:\ns_or_b32 exec_lo, exec_lo, s20\nwait_ds 0\n";
    EXPECT_EQ(of(branch, 128), kCertified);
    // Which lanes a loaded value leaves active is not known; all are within bounds, and then some may not be.
    const std::string loaded =
        "v_lshlrev_b32 v1, 2, v0\ngload v3, v1\nwait_load 0\nv_cmp_gt_u32 vcc_lo, 32, v3\n"
        "s_and_saveexec_b32 s20, vcc_lo\ndsstore v1, v0\ns_or_b32 exec_lo, exec_lo, s20\nwait_ds 0\n";
    EXPECT_EQ(of(loaded, 256), kCertified);
    EXPECT_EQ(of(loaded, 252), kBounds);
}

// Which lanes are active is not known; what those that are have written is.
TEST_P(Lds, AnActiveLaneHoldsWhatItWroteItself) {
    const std::string loaded = "v_lshlrev_b32 v1, 2, v0\ngload v3, v1\nwait_load 0\n";
    const std::string guard = "v_cmp_gt_u32 vcc_lo, 32, v3\ns_and_saveexec_b32 s20, vcc_lo\n";
    const std::string all_again = "s_or_b32 exec_lo, exec_lo, s20\n";
    const std::string load = "dsload v5, v4\nwait_ds 0\n", zero = "v_mov_b32 v4, 0\n", far = "v_mov_b32 v4, 0x1000\n";
    EXPECT_EQ(of(loaded + guard + zero + load), kCertified);
    EXPECT_EQ(of(loaded + "v_cmpx_gt_u32 32, v3\n" + zero + load), kCertified);
    const std::string narrower = "v_cmp_gt_u32 vcc_lo, 16, v3\ns_and_b32 exec_lo, exec_lo, vcc_lo\n";
    EXPECT_EQ(of(loaded + guard + zero + narrower + load), kCertified) << "fewer lanes, all of them among those before";
    EXPECT_EQ(of(loaded + guard + zero + all_again + load), kBounds) << "the others hold what nobody knows";
    EXPECT_EQ(of(loaded + guard + zero + "s_mov_b32 exec_lo, s20\n" + load), kBounds);
    EXPECT_EQ(of(loaded + guard + zero + "s_xor_b32 exec_lo, exec_lo, s20\n" + load), kBounds) << "the others alone";
    EXPECT_EQ(of(loaded + guard + zero + "s_andn2_saveexec_b32 s21, s20\n" + load), kBounds);
    EXPECT_EQ(of(loaded + zero + guard + far + all_again + load), kBounds) << "some lanes may hold either";
    EXPECT_EQ(of(loaded + far + guard + zero + all_again + load), kBounds);
    // Where none is active, nothing was written.
    const std::string skipped = far + "s_cbranch_execz 1f\n" + zero + "1:\n";
    EXPECT_EQ(of(loaded + zero + guard + skipped + all_again + load), kCertified);
    EXPECT_EQ(of(loaded + guard + skipped + all_again + load), kBounds);
}

// With no lane active, the first lane is read as it was before.
TEST_P(Lds, TheFirstLaneMayBeAnInactiveOne) {
    const std::string guard = "v_lshlrev_b32 v1, 2, v0\ngload v3, v1\nwait_load 0\nv_cmp_gt_u32 vcc_lo, 32, v3\n"
                              "s_and_saveexec_b32 s20, vcc_lo\n";
    const std::string zero = "v_mov_b32 v4, 0\n";
    const std::string read = "v_readfirstlane_b32 s22, v4\ns_or_b32 exec_lo, exec_lo, s20\nv_mov_b32 v6, s22\n"
                             "dsload v5, v6\nwait_ds 0\n";
    EXPECT_EQ(of(zero + guard + zero + read), kCertified);
    EXPECT_EQ(of(guard + zero + read), kBounds);
    EXPECT_EQ(of("v_mov_b32 v4, 0x1000\n" + guard + zero + read), kBounds);
}

TEST_P(Lds, LastWavesMayBePartlyEmpty) {
    EXPECT_EQ(of("v_lshlrev_b32 v1, 2, v0\ndsstore v1, v0\nwait_ds 0\n", 160, 40), kCertified);
    EXPECT_EQ(of("v_lshlrev_b32 v1, 2, v0\ndsstore v1, v0\nwait_ds 0\n", 156, 40), kOutside);
}

TEST_P(Lds, WhatIsNotKnownIsOpenUnlessItsBitsBoundIt) {
    const std::string load = "v_lshlrev_b32 v1, 2, v0\ngload v3, v1\nwait_load 0\n";
    EXPECT_EQ(of(load + "dsload v4, v3\nwait_ds 0\n", 256, 32), kBounds);
    EXPECT_EQ(of(load + "v_and_b32 v3, 0xfc, v3\ndsload v4, v3\nwait_ds 0\n", 256, 32), kCertified);
    EXPECT_EQ(of(load + "v_and_b32 v3, 0x1fc, v3\ndsload v4, v3\nwait_ds 0\n", 256, 32), kBounds);
    EXPECT_EQ(of(load + "v_and_b32 v3, 0xfc, v3\ndsstore v3, v0\nwait_ds 0\n"), kOrder) << "of another wave, too";
    EXPECT_EQ(of(load + "v_lshrrev_b32 v3, 26, v3\nv_lshlrev_b32 v3, 2, v3\ndsload v4, v3\nwait_ds 0\n", 256, 32),
              kCertified)
        << "six bits";
}

TEST_P(Lds, ConstantLoopsAreFollowed) {
    const std::string loop = "v_mov_b32 v1, 0\ns_mov_b32 s20, 0\n1:\ndsload v3, v1\nwait_ds 0\nv_add_nc_u32 v1, 4, v1\n"
                             "s_add_i32 s20, s20, 1\ns_cmp_lt_u32 s20, 200\ns_cbranch_scc1 1b\n";
    EXPECT_EQ(of(loop, 800), kCertified);
    EXPECT_EQ(of(loop, 796), kOutside);
}

TEST_P(Lds, LdsThatTheLaunchAddsCounts) {
    const KernelText text = kernel("v_lshlrev_b32 v1, 2, v0\ndsstore v1, v0\nwait_ds 0\n", 0);
    EXPECT_EQ(of(text, {}), kBounds) << "how much is not known";
    EXPECT_EQ(of(text, {std::nullopt, 256}), kCertified);
    EXPECT_EQ(of(text, {std::nullopt, 252}), kOutside);
}

TEST_P(Lds, AVerdictIsAboutAWorkgroup) {
    const std::string store = "v_lshlrev_b32 v1, 2, v0\ndsstore v1, v0\nwait_ds 0\n";
    const KernelText text = kernel(store, 256, 128);
    EXPECT_EQ(of(text, {}), kOutside) << "as many as it allows";
    EXPECT_EQ(of(text, {{{64, 1, 1}}, std::nullopt}), kCertified);
    EXPECT_TRUE(certified(chip(), text).assumptions.size() == 1);
    EXPECT_TRUE(certified(chip(), text, {{{64, 1, 1}}, std::nullopt}).assumptions.empty());
    for (const std::array<std::uint32_t, 3> block : {std::array{256U, 1U, 1U}, {0U, 1U, 1U}, {65536U, 65536U, 1U}})
        EXPECT_EQ(certified(chip(), text, {block, std::nullopt}).verdict, Verdict::kUnchecked) << block[0];
    // Nobody said that it is launched with as many as there can be.
    EXPECT_EQ(of(store, 256, 1024), kBounds);
    EXPECT_EQ(of(kernel(store, 256, 1024), {{{1024, 1, 1}}, std::nullopt}), kOutside);
}

TEST_P(Lds, IdsOfMoreDimensions) {
    // The word of (x, y) in rows of 8.
    const std::string ids = chip().generation >= 11 ? "v_bfe_u32 v3, v0, 10, 10\nv_and_b32 v2, 0x3ff, v0\n"
                                                    : "v_mov_b32 v3, v1\nv_mov_b32 v2, v0\n";
    KernelText text = kernel(ids + "v_lshlrev_b32 v3, 5, v3\nv_lshlrev_b32 v2, 2, v2\nv_add_nc_u32 v2, v3, v2\n"
                                   "dsstore v2, v0\nwait_ds 0\n");
    text.ids = 1;
    EXPECT_EQ(of(text, {{{8, 8, 1}}, std::nullopt}), kCertified);
    EXPECT_EQ(of(text, {{{8, 4, 1}}, std::nullopt}), kCertified);
    EXPECT_EQ(of(text, {{{4, 16, 1}}, std::nullopt}), kOutside);
    const Texts unknown = of(text, {});
    EXPECT_NE(std::find(unknown.begin(), unknown.end(), kBounds[0]), unknown.end()) << "its shape is not known";
}

TEST_P(Lds, ABarrierOrdersWaves) {
    const std::string store = std::string(kOwnAndOther) + "dsstore v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of(store + "barrier\ndsload v3, v2\nwait_ds 0\n"), kCertified);
    EXPECT_EQ(of(store + "dsload v3, v2\nwait_ds 0\n"), kRace);
    EXPECT_EQ(of(store + "v_xor_b32 v2, 4, v1\ndsload v3, v2\nwait_ds 0\n"), kCertified) << "the same wave's";
    EXPECT_EQ(of("v_mov_b32 v1, 0\ndsstore v1, v0\nwait_ds 0\n"), kRace) << "two writes";
    EXPECT_EQ(of("v_mov_b32 v1, 0\ndsload v3, v1\nwait_ds 0\n"), kCertified) << "two reads";
    EXPECT_EQ(of("v_mov_b32 v1, 0\ndsstore v1, v0\nwait_ds 0\n", 256, 32), kCertified) << "one wave";
}

TEST_P(Lds, AtomicsAreOrderedAmongThemselves) {
    const std::string add = "v_mov_b32 v1, 0\nds_add_u32 v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of(add), kCertified);
    EXPECT_EQ(of(add + "dsload v3, v1\nwait_ds 0\n"), kRace);
    EXPECT_EQ(of(add + "barrier\ndsload v3, v1\nwait_ds 0\n"), kCertified);
    // What comes back may tell a wave who was first.
    const std::string ticket = "ds_add_rtn_u32 v4, v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of("v_mov_b32 v1, 0\n" + ticket + "dsload v3, v1\nwait_ds 0\n"), kOrder);
}

TEST_P(Lds, AMailboxIsNotReusedBeforeItWasRead) {
    const std::string round =
        std::string(kOwnAndOther) + kRounds + "1:\ndsstore v1, v0\nwait_ds 0\nbarrier\ndsload v3, v2\nwait_ds 0\n";
    EXPECT_EQ(of(round + "barrier\n" + kNextRound), kCertified);
    EXPECT_EQ(of(round + kNextRound), kRace) << "the next round's store";
}

TEST_P(Lds, TwoMailboxesInTurnNeedOneBarrier) {
    const std::string round = "dsstore v1, v0\nwait_ds 0\nbarrier\ndsload v3, v2\nwait_ds 0\n";
    const std::string turn = "v_xor_b32 v1, 0x100, v1\nv_xor_b32 v2, 0x100, v2\n";
    EXPECT_EQ(of(std::string(kOwnAndOther) + kRounds + "1:\n" + round + turn + kNextRound, 512), kCertified);
    EXPECT_EQ(of(std::string(kOwnAndOther) + kRounds + "1:\n" + round + kNextRound, 512), kRace);
    // The same by a scalar counter's lowest bit.
    const std::string count =
        "v_lshlrev_b32 v5, 2, v0\ns_mov_b32 s21, 0\n" + std::string(kRounds) +
        "1:\ns_and_b32 s22, s21, 1\nwait_salu\ns_lshl_b32 s22, s22, 8\nwait_salu\nv_add_nc_u32 v1, s22, v5\n"
        "v_xor_b32 v2, 0x80, v1\n" +
        round + "s_add_i32 s21, s21, 1\n" + kNextRound;
    EXPECT_EQ(of(count, 512), kCertified);
}

TEST_P(Lds, ABranchThatAllTakeAlikeKeepsItsSidesApart) {
    const std::string sides =
        std::string(kOwnAndOther) + kRounds + "s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 1f\ndsstore v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of(sides + "s_branch 2f\n1:\ndsload v3, v2\nwait_ds 0\n2:\n"), kCertified);
    EXPECT_EQ(of(sides + "1:\ndsload v3, v2\nwait_ds 0\n"), kRace) << "behind both";
    // Two branches that may hang together prove nothing.
    EXPECT_EQ(of(sides + "1:\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 2f\ndsload v3, v2\nwait_ds 0\n2:\n"), kOrder);
    // A branch of each wave's own does not.
    EXPECT_EQ(of(std::string(kOwnAndOther) +
                 "gload v4, v1\nwait_load 0\nv_readfirstlane_b32 s20, v4\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 1f\n"
                 "dsstore v1, v0\nwait_ds 0\ns_branch 2f\n1:\ndsload v3, v2\nwait_ds 0\n2:\n"),
              kOrder);
}

TEST_P(Lds, AWaveThatKnowsItsNumberIsFollowed) {
    // Wave 0 stores, wave 1 reads another word.
    const std::string split = "v_lshlrev_b32 v1, 2, v0\nv_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\n"
                              "s_cbranch_scc0 1f\ndsstore v1, v0\nwait_ds 0\ns_branch 2f\n1:\n";
    EXPECT_EQ(of(split + "dsload v3, v1\nwait_ds 0\n2:\n"), kCertified);
    EXPECT_EQ(of(split + "v_xor_b32 v1, 0x80, v1\ndsload v3, v1\nwait_ds 0\n2:\n"), kRace);
}

TEST_P(Lds, ALoadOutstandingAtTheBarrierMayComeAfterIt) {
    const std::string drained =
        std::string(kOwnAndOther) + "dsload v3, v2\nwait_ds 0\nbarrier\ndsstore v1, v0\nwait_ds 0\n";
    EXPECT_EQ(of(drained), kCertified);
    EXPECT_EQ(of(std::string(kOwnAndOther) + "dsload v3, v2\nbarrier\nwait_ds 0\ndsstore v1, v0\nwait_ds 0\n"), kOrder);
}

TEST_P(Lds, FlatAccessesCountWhereTheApertureIsRead) {
    const std::string load = "fload v2, v[4:5]\nwait_load 0\nwait_ds 0\n";
    const auto plain = certified(chip(), kernel(load, 0));
    EXPECT_EQ(plain.verdict, Verdict::kCertified);
    EXPECT_FALSE(plain.assumptions.empty());
    EXPECT_EQ(of("s_mov_b64 s[20:21], src_shared_base\n" + load), kBounds);
}

TEST_P(Lds, ReadingOfScalarsThatLanesHoldAlikeIsKnown) {
    EXPECT_EQ(of("v_lshrrev_b32 v1, 5, v0\nv_readfirstlane_b32 s20, v1\ns_lshl_b32 s20, s20, 2\nv_mov_b32 v1, s20\n"
                 "dsstore v1, v0\nwait_ds 0\n",
                 8),
              kCertified);
}

TEST(LdsSplitBarrier, BetweenSignalAndWaitIsBeforeAndBehind) {
    const Chip& chip = **find_chip("gfx1201");
    const auto of = [&](const std::string& body) {
        KernelText text;
        text.body = "v_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x80, v1\n" + body;
        text.lds = 256;
        text.max_block = 64;
        return verdict_of(certified(chip, text));
    };
    EXPECT_EQ(of("dsstore v1, v0\nwait_ds 0\ns_barrier_signal -1\ns_barrier_wait -1\ndsload v3, v2\nwait_ds 0\n"),
              kCertified);
    EXPECT_EQ(of("s_barrier_signal -1\ndsstore v1, v0\nwait_ds 0\ns_barrier_wait -1\ndsload v3, v2\nwait_ds 0\n"),
              kOrder);
    EXPECT_EQ(of("s_barrier_signal -1\ndsstore v1, v0\nwait_ds 0\ndsload v3, v2\nwait_ds 0\ns_barrier_wait -1\n"),
              kRace);
}

INSTANTIATE_TEST_SUITE_P(Chips, Lds, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"));

// --- what compilers make of it ---------------------------------------------------------------------------------------

constexpr const char* kSource = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
static inline __device__ void block_sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// A sum over the workgroup by halves; how many, the runtime tells.
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(256, 256)))
sum(float* out, const float* in) {
    __shared__ float part[256];
    const int t = __builtin_amdgcn_workitem_id_x();
    part[t] = in[t];
    block_sync();
    for (int s = __builtin_amdgcn_workgroup_size_x() / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        block_sync();
    }
    if (t == 0) out[0] = part[0];
}
// A tile of 16 by 16, turned.
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(256, 256)))
turn(float* out, const float* in, int n) {
    __shared__ float tile[16][17];
    const int x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
    for (int i = 0; i < n; ++i) {
        tile[y][x] = in[i * 256 + y * 16 + x];
        block_sync();
        out[i * 256 + y * 16 + x] = tile[x][y];
        block_sync();
    }
}
// A row divided by its sum: behind the last barrier lanes go on as far as the row does, which the launch alone knows.
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(256, 256)))
divide(float* out, const float* in, int n) {
    __shared__ float part[256];
    const int t = __builtin_amdgcn_workitem_id_x();
    float own = 0.0f;
    for (int i = t; i < n; i += 256) own += in[i];
    part[t] = own;
    block_sync();
#pragma clang loop unroll(disable)
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        block_sync();
    }
    const float scale = part[0];
    for (int i = t; i < n; i += 256) out[i] = in[i] / scale;
}
)";

struct Build {
    const char* compiler;
    const char* chip;
};

class CompiledLds : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        if (!installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is not installed";
        const Folder folder;
        std::ofstream(folder.path("k.hip")) << kSource;
        const auto bytes = compile_hip(GetParam().compiler, GetParam().chip, folder.path("k.hip"),
                                       {"-std=c++20", "-O3", "-mno-wavefrontsize64", "-mcode-object-version=5"});
        ASSERT_TRUE(bytes) << bytes.error().text;
        auto object = parse_code_object(*bytes, "k.co");
        ASSERT_TRUE(object) << object.error().text;
        object_ = std::move(*object);
    }
    CodeObject object_;
};

/// The workgroup that each of them is written for.
Options launch_of(const Kernel& kernel) {
    Options options;
    options.workgroup = {256, 1, 1};
    if (kernel.name == "turn") options.workgroup = {16, 16, 1};
    return options;
}

TEST_P(CompiledLds, IsCertified) {
    EXPECT_EQ(object_.kernels.size(), 3U);
    for (const Kernel& kernel : object_.kernels) {
        const auto certificate = certify::certify(object_, kernel.name, launch_of(kernel));
        ASSERT_TRUE(certificate);
        Texts verdict = verdict_of(certificate->kernels[0]);
        if (lacks_sgpr_waits(GetParam().compiler, GetParam().chip)) {
            std::erase_if(verdict, [](const std::string& text) { return text.ends_with(kind::kHazard); });
            EXPECT_EQ(verdict, Texts{}) << certify::report_text(*certificate, "k.co");
        } else {
            EXPECT_EQ(verdict, kCertified) << certify::report_text(*certificate, "k.co");
        }
    }
}

// Every barrier of these kernels orders something.
TEST_P(CompiledLds, EveryDroppedBarrierIsFound) {
    constexpr std::string_view kNop("\0\0\x80\xbf", 4);
    std::size_t dropped = 0;
    for (const Kernel& kernel : object_.kernels) {
        const auto listing = lift::instructions_of(object_, kernel);
        ASSERT_TRUE(listing);
        for (std::size_t i = 0; i < listing->size(); ++i) {
            if (!(*listing)[i].text.starts_with("s_barrier")) continue;
            std::string bytes = object_.bytes;
            const auto drop = [&](std::size_t at) {
                const std::string_view place = object_.at(kernel.entry_address + (*listing)[at].at, 4);
                bytes.replace(static_cast<std::size_t>(place.data() - object_.bytes.data()), 4, kNop);
            };
            drop(i);
            // A signal goes with its wait.
            if ((*listing)[i].text.starts_with("s_barrier_signal")) {
                while (i < listing->size() && !(*listing)[i].text.starts_with("s_barrier_wait")) ++i;
                ASSERT_LT(i, listing->size());
                drop(i);
            }
            const auto mutant = parse_code_object(bytes, "a mutant");
            ASSERT_TRUE(mutant);
            const auto certificate = certify::certify(*mutant, kernel.name, launch_of(kernel));
            ASSERT_TRUE(certificate);
            const Texts verdict = verdict_of(certificate->kernels[0]);
            EXPECT_NE(std::find_if(verdict.begin(), verdict.end(),
                                   [](const std::string& text) { return text == kRace[0] || text == kOrder[0]; }),
                      verdict.end())
                << certify::report_text(*certificate, "k.co");
            ++dropped;
        }
    }
    EXPECT_GE(dropped, 6U);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompiledLds,
                         ::testing::Values(Build{"clang++-22", "gfx1030"}, Build{"clang++-22", "gfx1100"},
                                           Build{"clang++-22", "gfx1151"}, Build{"clang++-22", "gfx1201"},
                                           Build{"clang++-19", "gfx1030"}, Build{"clang++-19", "gfx1100"},
                                           Build{"clang++-19", "gfx1151"}, Build{"clang++-19", "gfx1201"}),
                         [](const auto& info) {
                             return fmt::format("{}_{}", std::string_view(info.param.compiler).substr(9),
                                                info.param.chip);
                         });

} // namespace
} // namespace pm::testing
