// Which mutants an instruction gives, by hand from what it does, and that nothing else changes.
#include "peacemaker/mutate/weaken.h"

#include "peacemaker/lift/listing.h"
#include "tests/certify/certify_rig.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace pm::testing {
namespace {

using mutate::Mutant;
using Texts = std::vector<std::string>;

const Chip& chip(const char* name) { return **find_chip(name); }

/// "KIND: BEFORE -> AFTER" of each mutant of a kernel with that body. The prologue has none.
Texts mutants(const char* name, const std::string& body) {
    KernelText kernel;
    kernel.name = std::string("k");
    kernel.body = body;
    const CodeObject object = object_of(chip(name), kernel);
    if (object.chip == nullptr) return {};
    const auto found = mutate::mutants_of(object);
    EXPECT_TRUE(found) << found.error().text;
    Texts texts;
    for (const Mutant& mutant : *found) {
        texts.push_back(std::string(target_name(mutant.target)) + ": " + mutant.instruction + " -> " + mutant.becomes);
        EXPECT_NE(mutant.patch.before, mutant.patch.after);
        EXPECT_EQ(object.bytes.substr(mutant.patch.offset, mutant.patch.before.size()), mutant.patch.before);
        EXPECT_EQ(mutant.patch.before.size(), mutant.patch.after.size());
        // The mutant reads as it says: decoded again, exactly the instructions that were named are others.
        auto copy = parse_code_object(mutate::patched(object.bytes, mutant.patch), "a mutant");
        EXPECT_TRUE(copy);
        const auto before = lift::instructions_of(object, object.kernels[0]);
        const auto after = lift::instructions_of(*copy, copy->kernels[0]);
        EXPECT_TRUE(before && after);
        std::set<std::string> old_texts;
        for (const lift::Instruction& one : *before) old_texts.insert(one.text + std::to_string(one.at));
        std::size_t changed = 0;
        for (const lift::Instruction& one : *after) {
            if (old_texts.contains(one.text + std::to_string(one.at))) continue;
            EXPECT_NE(mutant.becomes.find(one.text), std::string::npos) << one.text << " of " << mutant.becomes;
            ++changed;
        }
        EXPECT_GE(changed, 1U) << mutant.patch.what;
    }
    return texts;
}

TEST(Weaken, WaitsOfSeveralCountersLoseEachOne) {
    EXPECT_EQ(mutants("gfx1100", "s_waitcnt vmcnt(2) lgkmcnt(0)\n"),
              (Texts{"wait: s_waitcnt vmcnt(2) lgkmcnt(0) -> s_nop 0",
                     "wait: s_waitcnt vmcnt(2) lgkmcnt(0) -> s_waitcnt vmcnt(3) lgkmcnt(0)",
                     "wait: s_waitcnt vmcnt(2) lgkmcnt(0) -> s_waitcnt lgkmcnt(0)",
                     "wait: s_waitcnt vmcnt(2) lgkmcnt(0) -> s_waitcnt vmcnt(2) lgkmcnt(1)",
                     "wait: s_waitcnt vmcnt(2) lgkmcnt(0) -> s_waitcnt vmcnt(2)"}));
    EXPECT_EQ(mutants("gfx1030", "s_waitcnt lgkmcnt(3)\n"),
              (Texts{"wait: s_waitcnt lgkmcnt(3) -> s_nop 0", "wait: s_waitcnt lgkmcnt(3) -> s_waitcnt lgkmcnt(4)"}));
    EXPECT_EQ(mutants("gfx1030", "s_waitcnt_vscnt null, 0x0\n"),
              (Texts{"store wait: s_waitcnt_vscnt null, 0x0 -> s_nop 0",
                     "store wait: s_waitcnt_vscnt null, 0x0 -> s_waitcnt_vscnt null, 0x1"}));
    EXPECT_EQ(mutants("gfx1201", "s_wait_loadcnt_dscnt 0x301\n"),
              (Texts{"wait: s_wait_loadcnt_dscnt 0x301 -> s_nop 0",
                     "wait: s_wait_loadcnt_dscnt 0x301 -> s_wait_loadcnt_dscnt 0x401",
                     "wait: s_wait_loadcnt_dscnt 0x301 -> s_wait_loadcnt_dscnt 0x3f01",
                     "wait: s_wait_loadcnt_dscnt 0x301 -> s_wait_loadcnt_dscnt 0x302",
                     "wait: s_wait_loadcnt_dscnt 0x301 -> s_wait_loadcnt_dscnt 0x33f"}));
    EXPECT_EQ(mutants("gfx1201", "s_wait_storecnt_dscnt 0x0\n").size(), 5U);
    EXPECT_EQ(mutants("gfx1201", "s_wait_storecnt_dscnt 0x0\n")[1],
              "store wait: s_wait_storecnt_dscnt 0x0 -> s_wait_storecnt_dscnt 0x100");
}

TEST(Weaken, AWaitForNothingHasNothingToLose) {
    EXPECT_EQ(mutants("gfx1201", "s_wait_loadcnt 0x3f\ns_wait_kmcnt 0x1f\n"), Texts{});
    EXPECT_EQ(mutants("gfx1201", "s_wait_kmcnt 0x1e\n"), Texts{"wait: s_wait_kmcnt 0x1e -> s_nop 0"}) << "31 is none";
}

TEST(Weaken, BarriersGoOnGfx12InPartsAndAsAPair) {
    EXPECT_EQ(mutants("gfx1100", "s_barrier\n"), Texts{"barrier: s_barrier -> s_nop 0"});
    const Texts both = mutants("gfx1201", "s_barrier_signal -1\nv_mov_b32 v1, 0\ns_barrier_wait -1\n");
    EXPECT_EQ(both, (Texts{"barrier: s_barrier_signal -1 -> s_nop 0",
                           "barrier: s_barrier_signal -1 and s_barrier_wait 0xffff -> s_nop 0 and s_nop 0",
                           "barrier: s_barrier_wait 0xffff -> s_nop 0"}));
    // A branch between them: which wait belongs to it is not in a row.
    EXPECT_EQ(mutants("gfx1201", "s_barrier_signal -1\ns_cbranch_scc1 1f\n1:\ns_barrier_wait -1\n").size(), 2U);
}

TEST(Weaken, MasksAreKeptFromNarrowing) {
    const auto one = [](const char* chip_name, const std::string& text) {
        const Texts found = mutants(chip_name, text + "\n");
        EXPECT_LE(found.size(), 1U);
        return found.empty() ? std::string("none") : found[0].substr(found[0].find("-> ") + 3);
    };
    EXPECT_EQ(one("gfx1100", "s_and_saveexec_b32 s6, vcc_lo"), "s_or_saveexec_b32 s6, exec_lo");
    EXPECT_EQ(one("gfx1100", "s_and_not1_saveexec_b32 s6, s7"), "s_or_saveexec_b32 s6, exec_lo");
    EXPECT_EQ(one("gfx1030", "s_andn2_saveexec_b32 s6, s7"), "s_or_saveexec_b32 s6, exec_lo");
    EXPECT_EQ(one("gfx1030", "s_andn2_b32 exec_lo, exec_lo, s7"), "s_or_b32 exec_lo, exec_lo, exec_lo");
    EXPECT_EQ(one("gfx1201", "s_and_b32 exec_lo, exec_lo, s7"), "s_or_b32 exec_lo, exec_lo, exec_lo");
    EXPECT_EQ(one("gfx1201", "s_xor_b32 exec_lo, exec_lo, s7"), "s_or_b32 exec_lo, exec_lo, s7");
    EXPECT_EQ(one("gfx1201", "s_mov_b32 exec_lo, s7"), "s_or_b32 exec_lo, exec_lo, s7");
    EXPECT_EQ(one("gfx1100", "v_cmpx_lt_u32 v0, v1"), "s_nop 0");
    // Those that only widen it, and those that write something else.
    EXPECT_EQ(one("gfx1100", "s_or_b32 exec_lo, exec_lo, s7"), "none");
    EXPECT_EQ(one("gfx1100", "s_or_saveexec_b32 s6, s7"), "none");
    EXPECT_EQ(one("gfx1100", "s_mov_b32 exec_lo, -1"), "none");
    EXPECT_EQ(one("gfx1100", "s_and_b32 s6, exec_lo, s7"), "none");
}

TEST(Weaken, ClausesAndHazardWaitsBecomeNops) {
    EXPECT_EQ(mutants("gfx1100", "s_clause 0x1\ns_waitcnt_depctr 0xfffe\n"),
              (Texts{"clause: s_clause 0x1 -> s_nop 0", "hazard wait: s_waitcnt_depctr 0xfffe -> s_nop 0"}));
}

TEST(Weaken, EveryKernelOfTheGlobAndNoOther) {
    KernelText kernel;
    kernel.name = "k";
    kernel.body = "s_barrier\n";
    const CodeObject object = object_of(chip("gfx1100"), kernel);
    ASSERT_NE(object.chip, nullptr);
    EXPECT_EQ(mutate::mutants_of(object, "k*")->size(), 1U);
    const auto none = mutate::mutants_of(object, "kk");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text.find("none of its 1 kernels is kk"), std::string::npos) << none.error().text;
}

TEST(Weaken, TheIndexNamesInstructionOffsetAndFile) {
    KernelText kernel;
    kernel.name = "k";
    kernel.body = "s_barrier\n";
    const CodeObject object = object_of(chip("gfx1100"), kernel);
    ASSERT_NE(object.chip, nullptr);
    const auto found = mutate::mutants_of(object);
    const auto index = nlohmann::json::parse(mutate::index_json("k.co", object, *found, {"00000.co"}));
    EXPECT_EQ(index["chip"], "gfx1100");
    EXPECT_EQ(index["mutants"][0]["file"], "00000.co");
    EXPECT_EQ(index["mutants"][0]["instruction"], "s_barrier");
    EXPECT_EQ(index["mutants"][0]["target"], "barrier");
    EXPECT_EQ(index["mutants"][0]["file_offset"], found->front().patch.offset);
}

} // namespace
} // namespace pm::testing
