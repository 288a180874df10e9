#include "tests/certify/certify_rig.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pm::testing {
namespace {

using Texts = std::vector<std::string>;

class EveryChip : public ::testing::TestWithParam<const char*> {
protected:
    const Chip& chip() const { return **find_chip(GetParam()); }
    Texts faults(const std::string& body) const { return faults_of(certified(chip(), body)); }
    std::string signal() const { return chip().generation == 12 ? "s_barrier_signal -1" : "s_barrier"; }
    Texts undrained() const { return {"LDS store not drained before a barrier: " + signal()}; }
    /// How many of `texts` say that a barrier was not shown to be met by all.
    static std::size_t divergent(const Texts& texts) {
        return static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), [](const std::string& text) {
            return text.starts_with("open barrier not shown to be met by all waves: s_barrier");
        }));
    }
};

TEST_P(EveryChip, AnLdsStoreIsDrainedBeforeTheBarrier) {
    EXPECT_EQ(faults("dsstore v1, v0\nbarrier\n"), undrained());
    EXPECT_EQ(faults("dsstore v1, v0\nwait_ds 0\nbarrier\n"), Texts{});
    EXPECT_EQ(faults("dsstore v1, v0\ndsload v2, v1\nwait_ds 1\nbarrier\nwait_ds 0\n"), Texts{}) << "the load may stay";
    EXPECT_EQ(faults("dsstore v1, v0\nwait_load 0\nbarrier\n"), undrained()) << "another counter";
    EXPECT_EQ(faults("s_cbranch_scc0 1f\ndsstore v1, v0\n1:\nbarrier\n"), undrained()) << "on one path";
    EXPECT_EQ(faults("1:\nbarrier\ndsstore v1, v0\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc0 1b\nwait_ds 0\n"), undrained())
        << "a back edge";
}

TEST_P(EveryChip, OneWavePublishesToNobody) {
    KernelText kernel;
    kernel.body = "dsstore v1, v0\nbarrier\n";
    kernel.max_block = 32;
    kernel.lds = 1024;
    EXPECT_EQ(faults_of(certified(chip(), kernel)), Texts{});
}

TEST_P(EveryChip, ABranchOnWhatAllWavesShareIsUniform) {
    EXPECT_EQ(divergent(faults("s_cmp_eq_u32 s10, 0\ns_cbranch_scc0 1f\nbarrier\n1:\n")), 0U) << "a workgroup id";
    EXPECT_EQ(divergent(faults("sload s8, s[8:9]\nwait_km 0\n1:\nbarrier\ns_add_i32 s8, s8, -1\ns_cmp_lg_u32 s8, 0\n"
                               "s_cbranch_scc1 1b\n")),
              0U)
        << "a loop count from the kernel's arguments";
}

TEST_P(EveryChip, ABranchOnWhatAWaveComputesIsNot) {
    const std::size_t barriers = chip().generation == 12 ? 2 : 1; // a signal and a wait
    EXPECT_EQ(divergent(faults("v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz 1f\nbarrier\n1:\n")), barriers);
    EXPECT_EQ(divergent(faults("v_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s8, vcc_lo\ns_cbranch_execz 1f\n"
                               "barrier\n1:\n")),
              barriers);
    EXPECT_EQ(divergent(faults("v_readfirstlane_b32 s8, v0\n1:\nbarrier\ns_add_i32 s8, s8, -1\ns_cmp_lg_u32 s8, 0\n"
                               "s_cbranch_scc1 1b\n")),
              barriers)
        << "a loop count that differs";
    // The barrier is behind both arms, so the branch decides nothing about it.
    EXPECT_EQ(divergent(faults("v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz 1f\nv_mov_b32 v1, 0\n1:\nbarrier\n")), 0U);
}

TEST_P(EveryChip, WhatIsAWavesOwnOrWasNeverSetIsNot) {
    const std::size_t barriers = chip().generation == 12 ? 2 : 1;
    const std::string tail = "s_cmp_eq_u32 s20, 0\ns_cbranch_scc0 1f\nbarrier\n1:\n";
    EXPECT_EQ(divergent(faults("s_getreg_b32 s20, hwreg(HW_REG_MODE)\n" + tail)), barriers);
    EXPECT_EQ(divergent(faults(tail)), barriers) << "never set";
    // On gfx12 the prologue of the test's kernels sets it.
    const std::size_t at_entry = divergent(faults("s_cbranch_scc0 1f\nbarrier\n1:\n"));
    EXPECT_EQ(at_entry, chip().generation < 12 ? barriers : 0U) << "SCC at the entry";
    EXPECT_EQ(divergent(faults("s_mov_b32 s20, s10\n" + tail)), 0U) << "a workgroup id";
}

TEST_P(EveryChip, ConstantsSetInDivergentArmsDiffer) {
    const std::size_t barriers = chip().generation == 12 ? 2 : 1;
    EXPECT_EQ(divergent(faults("v_cmp_gt_u32 vcc_lo, 32, v0\ns_mov_b32 s8, 0\ns_cbranch_vccz 1f\ns_mov_b32 s8, 1\n1:\n"
                               "s_cmp_eq_u32 s8, 0\ns_cbranch_scc0 2f\nbarrier\n2:\n")),
              barriers);
}

TEST(SplitBarrier, SignalsAndWaitsPair) {
    const Chip& chip = **find_chip("gfx1201");
    const auto faults = [&](const std::string& body) { return faults_of(certified(chip, body)); };
    const std::string pairing = "barrier signal and wait not paired: ";
    EXPECT_EQ(faults("s_barrier_signal -1\ns_barrier_wait -1\n"), Texts{});
    EXPECT_EQ(faults("s_barrier_signal -1\n"), Texts{pairing + "s_endpgm"});
    EXPECT_EQ(faults("s_cmp_eq_u32 s10, 0\ns_barrier_signal -1\ns_cbranch_scc0 1f\ns_barrier_wait -1\n1:\n"),
              Texts{"open " + pairing + "s_endpgm"});
    EXPECT_EQ(faults("s_barrier_wait -1\n"), Texts{pairing + "s_barrier_wait 0xffff"});
    EXPECT_EQ(faults("s_barrier_signal -1\ns_barrier_signal -1\ns_barrier_wait -1\n"),
              Texts{pairing + "s_barrier_signal -1"});
    EXPECT_EQ(faults("s_cmp_eq_u32 s10, 0\ns_cbranch_scc0 1f\ns_barrier_signal -1\n1:\ns_barrier_wait -1\n"),
              Texts{"open " + pairing + "s_barrier_wait 0xffff"});
}

INSTANTIATE_TEST_SUITE_P(Barriers, EveryChip, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"));

} // namespace
} // namespace pm::testing
