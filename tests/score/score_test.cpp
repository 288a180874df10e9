// Which mutants are noticed, which are proved to change nothing, and that nothing else is called equivalent.
#include "peacemaker/score/score.h"

#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

namespace pm::testing {
namespace {

using mutate::Target;
using score::Fate;
using score::Scored;
using Fates = std::map<std::string, Fate>;

const Chip& chip(const char* name) { return **find_chip(name); }

CodeObject object_with(const char* name, const std::string& body, std::uint32_t max_block = 64) {
    KernelText kernel;
    kernel.name = std::string("k");
    kernel.body = body;
    kernel.max_block = max_block;
    kernel.lds = 1024;
    return object_of(chip(name), kernel);
}

score::Report scored(const CodeObject& object, unsigned jobs = 1) {
    const auto report = score::score(object, "k.co", {"*", {}, jobs});
    EXPECT_TRUE(report) << report.error().text;
    return report ? *report : score::Report{};
}

/// By "BEFORE -> AFTER".
Fates fates(const char* name, const std::string& body, std::uint32_t max_block = 64) {
    Fates out;
    for (const Scored& one : scored(object_with(name, body, max_block)).mutants)
        out[one.mutant.instruction + " -> " + one.mutant.becomes] = one.fate;
    return out;
}

TEST(Score, AWaitThatIsNeededIsNoticedInEveryForm) {
    EXPECT_EQ(fates("gfx1100", "gload v2, v1\ngload v3, v1\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2\ns_waitcnt vmcnt(0)\n"
                               "v_mov_b32 v5, v3\n"),
              (Fates{{"s_waitcnt vmcnt(1) -> s_nop 0", Fate::kKilled},
                     {"s_waitcnt vmcnt(1) -> s_waitcnt vmcnt(2)", Fate::kKilled},
                     {"s_waitcnt vmcnt(0) -> s_nop 0", Fate::kKilled},
                     {"s_waitcnt vmcnt(0) -> s_waitcnt vmcnt(1)", Fate::kKilled}}));
}

TEST(Score, AWaitThatAnotherHasMadeNeedlessIsEquivalent) {
    const Fates found = fates("gfx1100", "gload v2, v1\ns_waitcnt vmcnt(0)\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                         "v_mov_b32 v4, v2\n");
    EXPECT_EQ(found.at("s_waitcnt vmcnt(0) lgkmcnt(0) -> s_nop 0"), Fate::kEquivalent);
    EXPECT_EQ(found.at("s_waitcnt vmcnt(0) lgkmcnt(0) -> s_waitcnt lgkmcnt(0)"), Fate::kEquivalent);
    // The first is needless, too, for the second follows; but no proof here looks ahead.
    EXPECT_EQ(found.at("s_waitcnt vmcnt(0) -> s_nop 0"), Fate::kMissed);
}

TEST(Score, WhatOnlyOnePathLeavesOutstandingIsNotEquivalent) {
    const Fates found = fates("gfx1100", "s_cbranch_scc1 1f\ngload v2, v1\n1:\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v2\n");
    EXPECT_EQ(found.at("s_waitcnt vmcnt(0) -> s_nop 0"), Fate::kKilled);
    // Round a loop, what the last round left is outstanding at its head.
    const Fates loop =
        fates("gfx1100", "1:\ns_waitcnt vmcnt(0)\ngload v2, v1\ns_cbranch_scc1 1b\ns_waitcnt vmcnt(0)\n");
    EXPECT_NE(loop.at("s_waitcnt vmcnt(0) -> s_nop 0"), Fate::kEquivalent);
}

TEST(Score, AWaitForResultsThatNobodyReadsIsMissedNotEquivalent) {
    // certify has nothing against the mutant; that is no proof.
    const Fates found = fates("gfx1201", "gload v2, v1\ns_wait_loadcnt 0x0\n");
    EXPECT_EQ(found.at("s_wait_loadcnt 0x0 -> s_nop 0"), Fate::kMissed);
    const Fates stores = fates("gfx1201", "global_store_b32 v1, v1, s[4:5]\ns_wait_storecnt 0x0\n");
    EXPECT_EQ(stores.at("s_wait_storecnt 0x0 -> s_nop 0"), Fate::kMissed);
    const Fates none = fates("gfx1201", "s_wait_storecnt 0x0\n");
    EXPECT_EQ(none.at("s_wait_storecnt 0x0 -> s_nop 0"), Fate::kEquivalent);
}

TEST(Score, ScalarLoadsAndCacheOperationsAreCountedGenerously) {
    // A load of several words may count as two: a wait for one is no wait for nothing.
    const Fates found =
        fates("gfx1100", "s_load_b64 s[6:7], s[4:5], 0x0\ns_waitcnt lgkmcnt(1)\ns_waitcnt lgkmcnt(0)\n");
    EXPECT_NE(found.at("s_waitcnt lgkmcnt(1) -> s_nop 0"), Fate::kEquivalent);
    const Fates writes = fates("gfx1201", "global_wb scope:SCOPE_SYS\ns_wait_storecnt 0x0\n");
    EXPECT_NE(writes.at("s_wait_storecnt 0x0 -> s_nop 0"), Fate::kEquivalent);
}

TEST(Score, NothingWaitsForACacheInvalidation) {
    const std::string inv = "global_inv scope:SCOPE_DEV\n", wait = "s_wait_loadcnt 0x0\n";
    EXPECT_EQ(fates("gfx1201", inv + wait).at("s_wait_loadcnt 0x0 -> s_nop 0"), Fate::kEquivalent);
    const std::string load = "gload v2, v1\n", use = "v_mov_b32 v3, v2\n";
    EXPECT_EQ(fates("gfx1201", load + inv + wait + use).at("s_wait_loadcnt 0x0 -> s_nop 0"), Fate::kKilled);
    EXPECT_EQ(fates("gfx1201", load + inv + wait).at("s_wait_loadcnt 0x0 -> s_nop 0"), Fate::kMissed);
    // One may be left, and that may be the load or the invalidation.
    EXPECT_EQ(fates("gfx1201", inv + load + "s_wait_loadcnt 0x1\n" + wait + use).at("s_wait_loadcnt 0x1 -> s_nop 0"),
              Fate::kMissed);
    // Round the loop, a load joins it.
    EXPECT_NE(
        fates("gfx1201", "1:\n" + inv + wait + load + "s_cbranch_scc1 1b\n" + wait).at("s_wait_loadcnt 0x0 -> s_nop 0"),
        Fate::kEquivalent);
}

TEST(Score, BarriersOfOneWaveAreEquivalentAndOthersNot) {
    EXPECT_EQ(fates("gfx1100", "s_barrier\n", 32).at("s_barrier -> s_nop 0"), Fate::kEquivalent);
    EXPECT_NE(fates("gfx1100", "s_barrier\n", 64).at("s_barrier -> s_nop 0"), Fate::kEquivalent);
    const Fates pair = fates("gfx1201", "s_barrier_signal -1\ns_barrier_wait -1\n");
    EXPECT_EQ(pair.at("s_barrier_signal -1 -> s_nop 0"), Fate::kKilled);
    EXPECT_EQ(pair.at("s_barrier_wait 0xffff -> s_nop 0"), Fate::kKilled);
}

TEST(Score, TheWorkgroupDecidesWhatABarrierIsFor) {
    // Two waves write one word: the barrier between is needed by two waves, and by one it is not.
    const CodeObject object =
        object_with("gfx1100",
                    "v_mov_b32 v1, 0\nds_store_b32 v1, v0\nwait_ds 0\ns_barrier\nds_store_b32 v1, v0\n"
                    "wait_ds 0\n",
                    256);
    const auto fate = [&](std::array<std::uint32_t, 3> workgroup) {
        const auto report = score::score(object, "k.co", {"*", {Target::kBarrier}, 1, {workgroup, 0}});
        EXPECT_TRUE(report && report->mutants.size() == 1) << (report ? "" : report.error().text);
        return report && !report->mutants.empty() ? report->mutants[0].fate : Fate::kUnchecked;
    };
    EXPECT_EQ(fate({32, 1, 1}), Fate::kEquivalent);
    EXPECT_EQ(fate({4, 4, 2}), Fate::kEquivalent);
    EXPECT_NE(fate({64, 1, 1}), Fate::kEquivalent);
    EXPECT_EQ(fate({512, 1, 1}), Fate::kUnchecked) << "the kernel allows 256";
}

TEST(Score, AKernelThatIsNotFollowedIsUnchecked) {
    for (const Scored& one : scored(object_with("gfx1100", "s_waitcnt vmcnt(0)\ns_setpc_b64 s[4:5]\n")).mutants)
        EXPECT_EQ(one.fate, Fate::kUnchecked);
}

TEST(Score, SaysTheSameWithAnyNumberOfThreadsAndLeavesTheObjectAlone) {
    const CodeObject object = object_with("gfx1030", "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\ns_clause 0x1\n");
    const std::string bytes = object.bytes;
    const std::vector<score::Report> one = {scored(object, 1)}, many = {scored(object, 4)};
    EXPECT_EQ(score::report_json(one), score::report_json(many));
    EXPECT_EQ(object.bytes, bytes);
    const std::string text = score::report_text(one);
    EXPECT_NE(text.find("SCORE k.co gfx1030 wait: 2 mutants: 2 killed, 0 equivalent, 0 missed: 100 %\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("SCORE k.co gfx1030 clause: 1 mutants: 0 killed, 1 equivalent, 0 missed\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("SCORE 1 objects: 3 mutants: 2 killed, 1 equivalent, 0 missed: 100 %\n"), std::string::npos)
        << text;
}

TEST(Score, TargetsChooseWhatIsWeakened) {
    const CodeObject object = object_with("gfx1030", "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\ns_clause 0x1\n");
    const auto report = score::score(object, "k.co", {"*", {Target::kClause}, 1});
    ASSERT_TRUE(report);
    ASSERT_EQ(report->mutants.size(), 1U);
    EXPECT_EQ(report->mutants[0].mutant.instruction, "s_clause 0x1");
}

// Of what a compiler made, every wait for a load that is not proved needless is noticed; tree_score_test has all of it.
TEST(Score, WaitsOfACompiledKernelAreAllNoticed) {
    const auto bytes =
        compile_hip("clang++-22", "gfx1201", HKC_SOURCE_DIR "/kernels/affine_stream.hip",
                    {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64", "-DKERNELS=TILE(4, 1, 1)"});
    ASSERT_TRUE(bytes) << bytes.error().text;
    const auto object = parse_code_object(*bytes, "affine_stream.hip");
    ASSERT_TRUE(object) << object.error().text;
    const auto report = score::score(*object, "affine_stream.hip", {"affine_stream_w4_r1x1", {}, 2});
    ASSERT_TRUE(report) << report.error().text;
    const score::Counts waits = score::count(*report, Target::kWait);
    EXPECT_GT(waits[static_cast<std::size_t>(Fate::kKilled)], 10U);
    EXPECT_EQ(waits[static_cast<std::size_t>(Fate::kMissed)], 0U) << score::report_text(std::vector{*report});
}

} // namespace
} // namespace pm::testing
