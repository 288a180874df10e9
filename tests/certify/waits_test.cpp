// Waits along paths. What must be found follows from the ISA documents' rules of the counters alone: each body says
// which instruction uses a register that some path leaves in flight.
#include "tests/certify/certify_rig.h"

#include <gtest/gtest.h>

namespace pm::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kRead = "register read before its wait: ";
constexpr const char* kWritten = "register overwritten before its wait: ";

class EveryChip : public ::testing::TestWithParam<const char*> {
protected:
    const Chip& chip() const { return **find_chip(GetParam()); }
    Texts faults(const std::string& body) const { return faults_of(certified(chip(), body)); }
    /// A move as this chip's disassembler prints it.
    static std::string mov(const char* d, const char* s) { return std::string("v_mov_b32_e32 ") + d + ", " + s; }
    Texts read(const char* d, const char* s) const { return {kRead + mov(d, s)}; }
};

TEST_P(EveryChip, AVectorLoadIsWaitedFor) {
    EXPECT_EQ(faults("gload v2, v1\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
    EXPECT_EQ(faults("gload v2, v1\nwait_load 1\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
    EXPECT_EQ(faults("gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults("gload v2, v1\nwait_ds 0\nv_mov_b32 v3, v2\n"), read("v3", "v2")) << "another counter";
    EXPECT_EQ(faults("gload v2, v1\nv_mov_b32 v3, v4\n"), Texts{}) << "another register";
}

TEST_P(EveryChip, YoungerLoadsMayStayOutstanding) {
    const std::string two = "gload v2, v1\ngload v4, v1\n";
    EXPECT_EQ(faults(two + "wait_load 1\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults(two + "wait_load 1\nv_mov_b32 v3, v4\n"), read("v3", "v4"));
    EXPECT_EQ(faults(two + "wait_load 2\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
}

TEST_P(EveryChip, LdsReturnsInOrderAndScalarLoadsDoNot) {
    EXPECT_EQ(faults("dsload v2, v1\ndsload v4, v1\nwait_ds 1\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults("dsload v2, v1\ndsstore v1, v0\nwait_ds 1\nv_mov_b32 v3, v2\n"), Texts{}) << "a store counts, too";
    const Texts late{std::string(kRead) + mov("v3", "s8")};
    EXPECT_EQ(faults("sload s8, s[6:7]\nsload s9, s[6:7]\nwait_km 1\nv_mov_b32 v3, s8\n"), late);
    EXPECT_EQ(faults("sload s8, s[6:7]\nsload s9, s[6:7]\nwait_km 0\nv_mov_b32 v3, s8\n"), Texts{});
}

TEST_P(EveryChip, AnOperationMixedWithTheOtherClassOfItsCounter) {
    if (chip().generation == 12) GTEST_SKIP() << "a counter for each";
    // Of one LDS load and one scalar load, "at most 1" may mean either.
    EXPECT_EQ(faults("dsload v2, v1\nsload s8, s[6:7]\nwait_ds 1\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
    // A younger LDS operation behind it makes sure, whatever the scalar load does.
    EXPECT_EQ(faults("dsload v2, v1\ndsload v4, v1\nsload s8, s[6:7]\nwait_ds 1\nv_mov_b32 v3, v2\n"), Texts{});
}

TEST_P(EveryChip, AFlatLoadIsWaitedForInBothCounters) {
    EXPECT_EQ(faults("fload v2, v[4:5]\nwait_load 0\nwait_ds 0\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults("fload v2, v[4:5]\nwait_load 0\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
    EXPECT_EQ(faults("fload v2, v[4:5]\nwait_ds 0\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
}

TEST_P(EveryChip, ARegisterInFlightIsNotOverwritten) {
    EXPECT_EQ(faults("gload v2, v1\nv_mov_b32 v2, 0\n"), Texts{kWritten + mov("v2", "0")});
    EXPECT_EQ(faults("gload v2, v1\nwait_load 0\nv_mov_b32 v2, 0\n"), Texts{});
    EXPECT_EQ(faults("dsload v2, v1\ndsload v2, v3\nwait_ds 0\nv_mov_b32 v3, v2\n"), Texts{}) << "LDS writes in order";
    const Texts again = faults("gload v2, v1\ngload v2, v3\nwait_load 0\nv_mov_b32 v3, v2\n");
    EXPECT_EQ(again.size(), chip().vmem_loads_in_order ? 0U : 1U);
    EXPECT_EQ(faults("gload v2, v1\ndsload v2, v3\nwait_load 0\nwait_ds 0\n").size(), 1U) << "two classes";
    EXPECT_EQ(faults("sload s8, s[6:7]\nsload s8, s[6:7]\nwait_km 0\n").size(), 1U) << "no order";
}

TEST_P(EveryChip, HalvesOfARegisterAreApart) {
    EXPECT_EQ(faults("gload_lo v2, v1\ngload_hi v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults("gload_lo v2, v1\ngload_hi v2, v1\nwait_load 1\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
}

TEST_P(EveryChip, EveryPathCounts) {
    // Only the fall-through waits.
    EXPECT_EQ(faults("gload v2, v1\ns_cbranch_scc0 1f\nwait_load 0\n1:\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
    EXPECT_EQ(
        faults("gload v2, v1\ns_cbranch_scc0 1f\nwait_load 0\ns_branch 2f\n1:\nwait_load 0\n2:\nv_mov_b32 v3, v2\n"),
        Texts{});
    // On one side two younger loads are behind it, on the other one.
    const std::string sides = "gload v2, v1\ns_cbranch_scc0 1f\ngload v4, v1\n1:\ngload v6, v1\n";
    EXPECT_EQ(faults(sides + "wait_load 1\nv_mov_b32 v3, v2\n"), Texts{});
    EXPECT_EQ(faults(sides + "wait_load 2\nv_mov_b32 v3, v2\n"), read("v3", "v2"));
}

TEST_P(EveryChip, BackEdgesCount) {
    // The load at the end of a round is used at the head of the next.
    Texts late = read("v3", "v2");
    // Where loads do not write back in order, the next round's overtakes as well.
    if (!chip().vmem_loads_in_order) late.push_back(std::string(kWritten) + "global_load_b32 v2, v1, s[4:5]");
    EXPECT_EQ(faults("v_mov_b32 v2, 0\n1:\nv_mov_b32 v3, v2\ngload v2, v1\ns_cbranch_scc0 1b\nwait_load 0\n"), late);
    EXPECT_EQ(
        faults("v_mov_b32 v2, 0\n1:\nwait_load 0\nv_mov_b32 v3, v2\ngload v2, v1\ns_cbranch_scc0 1b\nwait_load 0\n"),
        Texts{});
    // The load of the round before has one behind it; that of this round none.
    EXPECT_EQ(faults("1:\ngload v2, v1\nwait_load 1\nv_mov_b32 v3, v2\nwait_load 0\ns_cbranch_scc0 1b\n"),
              read("v3", "v2"));
}

TEST_P(EveryChip, AFullCounterHoldsTheNextOperationBack) {
    std::string many = "gload v2, v1\n";
    for (int i = 0; i < 62; ++i) many += "gload v4, v1\nv_nop\n";
    // 63 are counted; a 64th waits for the first.
    if (!chip().vmem_loads_in_order) GTEST_SKIP() << "the loads would overwrite one another";
    EXPECT_EQ(faults(many + "v_mov_b32 v3, v2\n"), read("v3", "v2"));
    EXPECT_EQ(faults(many + "gload v4, v1\nv_mov_b32 v3, v2\n"), Texts{});
}

TEST_P(EveryChip, AddressAndStoredDataAreReads) {
    EXPECT_EQ(faults("gload v2, v1\ngload v3, v2\nwait_load 0\n").size(), 1U);
    EXPECT_EQ(faults("gload v2, v1\ndsstore v1, v2\nwait_load 0\n").size(), 1U);
    EXPECT_EQ(faults("sload s4, s[6:7]\ngload v3, v1\nwait_km 0\n").size(), 1U) << "the scalar base";
    EXPECT_EQ(faults("sload vcc_lo, s[6:7]\ns_cbranch_vccz 1f\n1:\nwait_km 0\n").size(), 1U) << "an implicit read";
}

TEST_P(EveryChip, VccIsAPairWhereItIsNamed) {
    const std::string pair =
        chip().generation == 10 ? "s_load_dwordx2 vcc, s[6:7], 0x0\n" : "s_load_b64 vcc, s[6:7], 0x0\n";
    EXPECT_EQ(faults(pair + "s_mov_b32 s8, vcc_hi\nwait_km 0\n").size(), 1U);
    EXPECT_EQ(faults(pair + "s_mov_b32 vcc_hi, 0\nwait_km 0\n").size(), 1U);
    EXPECT_EQ(faults("sload vcc_hi, s[6:7]\ns_mov_b64 s[8:9], vcc\nwait_km 0\n").size(), 1U);
    EXPECT_EQ(faults("sload vcc_hi, s[6:7]\nv_cndmask_b32 v1, v2, v3, vcc_lo\nwait_km 0\n").size(), 0U);
}

TEST_P(EveryChip, APathIsTold) {
    const auto certificate = certified(chip(), "gload v2, v1\ns_cbranch_scc0 1f\nwait_load 0\n1:\nv_mov_b32 v3, v2\n");
    ASSERT_EQ(certificate.verdict, certify::Verdict::kOpen);
    ASSERT_EQ(certificate.open.size(), 1U);
    EXPECT_TRUE(certificate.open[0].fault);
    ASSERT_FALSE(certificate.open[0].path.empty());
    EXPECT_NE(certificate.open[0].path[0].find("global_load"), std::string::npos) << certificate.open[0].path[0];
    EXPECT_EQ(certificate.open[0].detail, "v2 is read while it is in flight");
}

INSTANTIATE_TEST_SUITE_P(Waits, EveryChip, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"));

} // namespace
} // namespace pm::testing
