// Hazards that a chip leaves to the program. What must be found follows from the rows of chips.toml: each body says how
// much lies between, counted by hand.
#include "peacemaker/chip/hazards.h"
#include "peacemaker/isa/units.h"
#include "peacemaker/lift/listing.h"
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace pm::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kHazard = "hazard not kept off: ";

const Chip& chip_of(const char* name) { return **find_chip(name); }
Texts faults(const char* chip, const std::string& body) { return faults_of(certified(chip_of(chip), body)); }

std::string times(int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
}

TEST(TranscendentalUse, ResultIsUsedTooSoon) {
    const std::string exp = "v_exp_f32 v2, v1\n", use = "v_add_f32 v3, v2, v2\n";
    const std::string other = "v_mov_b32 v4, v5\n", trans = "v_log_f32 v6, v7\n";
    const Texts soon{std::string(kHazard) + "v_add_f32_e32 v3, v2, v2"};
    EXPECT_EQ(faults("gfx1100", exp + use), soon);
    EXPECT_EQ(faults("gfx1100", exp + times(5, other) + use), soon);
    EXPECT_EQ(faults("gfx1100", exp + times(6, other) + use), Texts{});
    EXPECT_EQ(faults("gfx1100", exp + trans + use), soon);
    EXPECT_EQ(faults("gfx1100", exp + trans + trans + use), Texts{});
    EXPECT_EQ(faults("gfx1100", exp + times(9, "s_nop 0\n") + use), soon) << "no VALU instructions";
    EXPECT_EQ(faults("gfx1100", exp + "s_waitcnt_depctr 0xfff\n" + use), Texts{});
    EXPECT_EQ(faults("gfx1100", exp + "s_waitcnt_depctr 0x1fff\n" + use), soon) << "one may be left";
    EXPECT_EQ(faults("gfx1100", exp + "global_store_b32 v1, v0, s[4:5]\n" + use), Texts{});
    EXPECT_EQ(faults("gfx1100", exp + "global_store_b32 v1, v2, s[4:5]\n"), Texts{}) << "no VALU instruction";
    EXPECT_EQ(faults("gfx1100", exp + "v_add_f32 v3, v4, v4\n"), Texts{}) << "another register";
    for (const char* chip : {"gfx1030", "gfx1151", "gfx1201"}) EXPECT_EQ(faults(chip, exp + use), Texts{}) << chip;
}

TEST(TranscendentalUse, EveryPathCounts) {
    const std::string exp = "v_exp_f32 v2, v1\n", use = "v_add_f32 v3, v2, v2\n";
    const std::string six = times(6, "v_mov_b32 v4, v5\n");
    // The short way round has the hazard.
    EXPECT_EQ(faults("gfx1100", exp + "s_cbranch_scc0 1f\n" + six + "1:\n" + use).size(), 1U);
    EXPECT_EQ(faults("gfx1100", exp + "s_cbranch_scc0 1f\n" + six + "s_branch 2f\n1:\n" + six + "2:\n" + use), Texts{});
    // Round the loop: used at the head, computed at its end.
    EXPECT_EQ(faults("gfx1100", "1:\n" + use + exp + "s_cbranch_scc0 1b\n").size(), 1U);
    EXPECT_EQ(faults("gfx1100", "1:\n" + use + exp + six + "s_cbranch_scc0 1b\n"), Texts{});
}

TEST(TranscendentalUse, TellsItsPathAndWhatIsAskedFor) {
    const auto certificate =
        certified(chip_of("gfx1100"), "v_exp_f32 v2, v1\ns_cbranch_scc0 1f\ns_nop 0\n1:\nv_add_f32 v3, v2, v2\n");
    ASSERT_EQ(certificate.open.size(), 1U);
    const certify::Open& open = certificate.open[0];
    EXPECT_TRUE(open.fault);
    ASSERT_FALSE(open.path.empty());
    EXPECT_NE(open.path[0].find("v_exp_f32"), std::string::npos) << open.path[0];
    EXPECT_NE(open.detail.find(hazard_of(chip_of("gfx1100"), Hazard::kTranscendentalUse)->must), std::string::npos);
    EXPECT_EQ(certificate.verdict, certify::Verdict::kOpen);
}

TEST(VcmpxPermlane, NeedsAVectorInstructionBetween) {
    const std::string cmpx = "v_cmpx_lt_u32 v0, v1\n", permlane = "v_permlane16_b32 v2, v3, s4, s5\n";
    const Texts none;
    for (const char* chip : {"gfx1100", "gfx1151", "gfx1201"}) {
        EXPECT_EQ(faults(chip, cmpx + permlane), Texts{std::string(kHazard) + "v_permlane16_b32 v2, v3, s4, s5"});
        EXPECT_EQ(faults(chip, cmpx + "s_nop 0\n" + permlane).size(), 1U);
        EXPECT_EQ(faults(chip, cmpx + "v_mov_b32 v2, v2\n" + permlane), none);
        // Sources do not agree on v_nop.
        EXPECT_EQ(faults(chip, cmpx + "v_nop\n" + permlane),
                  Texts{std::string("open ") + kHazard + "v_permlane16_b32 v2, v3, s4, s5"});
        EXPECT_EQ(faults(chip, "v_cmp_lt_u32 vcc_lo, v0, v1\n" + permlane), none) << "leaves EXEC alone";
    }
    EXPECT_EQ(faults("gfx1030", cmpx + permlane), none);
}

TEST(MatrixOperand, NeedsAVectorInstructionBetween) {
    struct One {
        const char* chip;
        std::string makes, as_a, as_b, as_c;
    };
    const auto wmma = [](const char* d, const char* a, const char* b, const char* c) {
        return fmt::format("v_wmma_f32_16x16x16_f16 {}, {}, {}, {}\n", d, a, b, c);
    };
    const std::vector<One> all = {
        {"gfx1100", wmma("v[0:7]", "v[8:15]", "v[16:23]", "v[0:7]"), wmma("v[24:31]", "v[0:7]", "v[8:15]", "v[24:31]"),
         wmma("v[24:31]", "v[8:15]", "v[0:7]", "v[24:31]"), wmma("v[0:7]", "v[8:15]", "v[16:23]", "v[0:7]")},
        {"gfx1201", wmma("v[0:7]", "v[8:11]", "v[12:15]", "v[0:7]"), wmma("v[16:23]", "v[4:7]", "v[8:11]", "v[16:23]"),
         wmma("v[16:23]", "v[8:11]", "v[4:7]", "v[16:23]"), wmma("v[0:7]", "v[8:11]", "v[12:15]", "v[0:7]")},
    };
    for (const One& one : all) {
        EXPECT_EQ(faults(one.chip, one.makes + one.as_a).size(), 1U) << one.chip;
        EXPECT_EQ(faults(one.chip, one.makes + one.as_b).size(), 1U) << one.chip;
        EXPECT_EQ(faults(one.chip, one.makes + one.as_c), Texts{}) << one.chip;
        EXPECT_EQ(faults(one.chip, one.makes + "v_nop\n" + one.as_a), Texts{}) << one.chip;
        EXPECT_EQ(faults(one.chip, one.makes + "s_nop 7\n" + one.as_a).size(), 1U) << one.chip;
    }
    const std::string sparse = "v_swmmac_f32_16x16x32_f16 v[16:23], v[8:11], v[24:31], v7\n";
    EXPECT_EQ(faults("gfx1201", all[1].makes + sparse).size(), 1U) << "the index";
    EXPECT_EQ(faults("gfx1201", all[1].makes + "v_nop\n" + sparse), Texts{});
}

TEST(SgprRead, WritesOfWhatVectorInstructionsHaveReadAreWaitedFor) {
    const char* const chip = "gfx1201";
    const std::string seen = "v_mov_b32 v1, s4\n", write = "s_mov_b32 s4, 1\n", read = "s_add_co_i32 s6, s4, 1\n";
    const Texts late{std::string(kHazard) + "s_add_co_i32 s6, s4, 1"};
    EXPECT_EQ(faults(chip, seen + write + read), late);
    EXPECT_EQ(faults(chip, write + read), Texts{}) << "no VALU instruction has read it";
    EXPECT_EQ(faults(chip, "v_mov_b32 v1, s5\n" + write + read), late) << "the other of the pair";
    EXPECT_EQ(faults(chip, "v_mov_b32 v1, s3\n" + write + read), Texts{});
    EXPECT_EQ(faults(chip, seen + write + "s_wait_alu depctr_sa_sdst(0)\n" + read), Texts{});
    EXPECT_EQ(faults(chip, seen + write + "s_wait_alu depctr_va_sdst(0)\n" + read), late) << "another wait";
    EXPECT_EQ(faults(chip, seen + write + "v_mov_b32 v2, s4\n").size(), 1U);
    EXPECT_EQ(faults(chip, seen + write + "s_load_b32 s10, s[8:9], 0x0\nwait_km 0\n" + read), Texts{});
    EXPECT_EQ(faults(chip, seen + write + "global_load_b32 v9, v8, s[8:9]\nwait_load 0\n" + read), late);
    EXPECT_EQ(faults(chip, seen + "s_mov_b32 m0, 1\ns_mov_b32 s6, m0\n"), Texts{}) << "M0 is kept otherwise";
    // Ten SALU instructions later, by one source it is safe.
    EXPECT_EQ(faults(chip, seen + write + times(9, "s_mov_b32 s20, 0\n") + read), late);
    EXPECT_EQ(faults(chip, seen + write + times(10, "s_mov_b32 s20, 0\n") + read),
              Texts{"open " + std::string(kHazard) + "s_add_co_i32 s6, s4, 1"});
    for (const char* other : {"gfx1030", "gfx1100", "gfx1151"})
        EXPECT_EQ(faults(other, seen + write + "s_add_i32 s6, s4, 1\n"), Texts{}) << other;
}

TEST(SgprRead, BetweenVectorInstructions) {
    const char* const chip = "gfx1201";
    const std::string seen = "v_mov_b32 v1, s4\n", write = "v_readfirstlane_b32 s4, v2\n";
    EXPECT_EQ(faults(chip, seen + write + "v_mov_b32 v3, s4\n").size(), 1U);
    EXPECT_EQ(faults(chip, seen + write + "s_wait_alu depctr_va_sdst(0)\nv_mov_b32 v3, s4\n"), Texts{});
    EXPECT_EQ(faults(chip, seen + write + "s_wait_alu depctr_va_vcc(0)\nv_mov_b32 v3, s4\n").size(), 1U);
    EXPECT_EQ(faults(chip, seen + write + "s_mov_b32 s6, s4\n"), Texts{}) << "SALU waits by itself";
    EXPECT_EQ(faults(chip, seen + write + "s_mov_b32 s6, s4\nv_mov_b32 v3, s4\n"), Texts{}) << "and then all may";
    const std::string mask = "v_cndmask_b32 v5, v6, v7, vcc_lo\n", compare = "v_cmp_lt_u32 vcc_lo, v8, v9\n";
    EXPECT_EQ(faults(chip, mask + compare + mask).size(), 1U);
    EXPECT_EQ(faults(chip, compare + mask), Texts{});
    EXPECT_EQ(faults(chip, mask + compare + "s_wait_alu depctr_va_vcc(0)\n" + mask), Texts{});
    EXPECT_EQ(faults(chip, mask + compare + "s_wait_alu depctr_va_sdst(0)\n" + mask).size(), 1U);
}

TEST(SgprRead, BackEdgesCount) {
    // The first round reads what nobody has read before; the second does not.
    const std::string loop = "1:\n{}v_mov_b32 v1, s4\ns_add_co_i32 s4, s6, 1\ns_cbranch_scc0 1b\n";
    EXPECT_EQ(faults("gfx1201", fmt::format(fmt::runtime(loop), "")),
              Texts{std::string(kHazard) + "v_mov_b32_e32 v1, s4"});
    EXPECT_EQ(faults("gfx1201", fmt::format(fmt::runtime(loop), "s_wait_alu depctr_sa_sdst(0)\n")), Texts{});
}

TEST(MadOverlap, IsNotShownToBeRight) {
    const std::string over = "v_mad_u64_u32 v[2:3], null, v2, v5, v[6:7]\n";
    EXPECT_EQ(faults("gfx1100", over),
              Texts{"open " + std::string(kHazard) + "v_mad_u64_u32 v[2:3], null, v2, v5, v[6:7]"});
    EXPECT_EQ(faults("gfx1100", "v_mad_u64_u32 v[2:3], null, v4, v5, v[6:7]\n"), Texts{});
    EXPECT_EQ(faults("gfx1151", over), Texts{});
}

TEST(FpAtomicDenorm, NeedsThreeWaitStates) {
    const std::string atomic = "global_atomic_fmin v1, v2, s[4:5]\n", mode = "s_denorm_mode 3\n";
    EXPECT_EQ(faults("gfx1030", atomic + mode).size(), 1U);
    EXPECT_EQ(faults("gfx1030", atomic + "s_nop 1\n" + mode).size(), 1U);
    EXPECT_EQ(faults("gfx1030", atomic + "s_nop 2\n" + mode), Texts{});
    EXPECT_EQ(faults("gfx1030", atomic + "v_nop\n" + mode), Texts{});
    EXPECT_EQ(faults("gfx1030", atomic + "s_waitcnt vmcnt(0)\n" + mode), Texts{});
    EXPECT_EQ(faults("gfx1030", "global_atomic_add v1, v2, s[4:5]\n" + mode), Texts{}) << "of integers";
    EXPECT_EQ(faults("gfx1100", "global_atomic_min_f32 v1, v2, s[4:5]\n" + mode), Texts{});
}

/// The features that LLVM gives a chip.
std::set<std::string> features_of(const Chip& chip) {
    (void)isa::Disassembler::create(chip); // registers the target
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string message;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
    EXPECT_NE(target, nullptr) << message;
    const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, chip.name, ""));
    std::set<std::string> names;
    for (const auto& feature : subtarget->getEnabledProcessorFeatures()) names.insert(feature.Key);
    return names;
}

TEST(HazardRows, AreThoseOfLlvmsFeatures) {
    using Names = std::set<std::string>;
    const std::map<Hazard, std::function<bool(const Names&)>> says = {
        {Hazard::kTranscendentalUse, [](const Names& n) { return n.contains("valu-trans-use-hazard"); }},
        {Hazard::kVcmpxPermlane, [](const Names& n) { return n.contains("vcmpx-permlane-hazard"); }},
        {Hazard::kMatrixOperand, [](const Names& n) { return n.contains("gfx11-insts"); }},
        {Hazard::kSgprRead, [](const Names& n) { return n.contains("gfx12-insts") && !n.contains("gfx1250-insts"); }},
        {Hazard::kMadOverlap, [](const Names& n) { return n.contains("mad-intra-fwd-bug"); }},
        {Hazard::kFpAtomicDenorm, [](const Names& n) { return n.contains("gfx10"); }},
        {Hazard::kLongClause, [](const Names& n) { return n.contains("max-hard-clause-length-32"); }},
    };
    ASSERT_EQ(hazards().size(), says.size());
    for (const Chip& chip : chips()) {
        const Names names = features_of(chip);
        ASSERT_GT(names.size(), 20U);
        for (const auto& [hazard, has] : says)
            EXPECT_EQ(hazard_of(chip, hazard) != nullptr, has(names)) << chip.name << " " << static_cast<int>(hazard);
        // A chip with another hazard needs a row, or a reason.
        const Names known = {"valu-trans-use-hazard", "vcmpx-permlane-hazard", "no-data-dep-hazard"};
        for (const std::string& name : names)
            if (name.find("hazard") != std::string::npos) {
                EXPECT_TRUE(known.contains(name)) << chip.name << " " << name;
            }
        EXPECT_TRUE(names.contains("no-data-dep-hazard")) << chip.name;
    }
}

// Of the waits that a compiler put in for hazards, each is needed.
// LLVM waits for the other half of a pair, too, where its own form of an instruction has the whole pair as an operand
// that no encoding holds: one in ten at most.
TEST(Hazards, WaitsThatAreTakenOutOfCompiledCodeAreMissed) {
    const auto bytes =
        compile_hip("clang++-22", "gfx1201", std::string(HKC_SOURCE_DIR) + "/kernels/affine_stream.hip",
                    {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64", "-DKERNELS=TILE(4, 1, 1)"});
    ASSERT_TRUE(bytes) << bytes.error().text;
    const auto object = parse_code_object(*bytes, "k.co");
    ASSERT_TRUE(object) << object.error().text;
    std::size_t taken = 0, missed = 0;
    for (const Kernel& kernel : object->kernels) {
        const auto listing = lift::instructions_of(*object, kernel);
        ASSERT_TRUE(listing);
        for (const auto& one : *listing) {
            if (!one.text.starts_with("s_wait_alu")) continue;
            std::string mutated = object->bytes;
            const std::string_view place = object->at(kernel.entry_address + one.at, one.size);
            mutated.replace(static_cast<std::size_t>(place.data() - object->bytes.data()), one.size,
                            std::string_view("\0\0\x80\xbf", 4));
            const auto mutant = parse_code_object(mutated, "a mutant");
            ASSERT_TRUE(mutant);
            const auto certificate = certify::certify(*mutant, kernel.name);
            ASSERT_TRUE(certificate);
            const auto& open = certificate->kernels.at(0).open;
            if (std::any_of(open.begin(), open.end(),
                            [](const auto& each) { return each.kind == certify::kind::kHazard && each.fault; }))
                ++missed;
            ++taken;
        }
    }
    EXPECT_GT(taken, 20U);
    EXPECT_GE(10 * missed, 9 * taken) << missed << " of " << taken;
}

} // namespace
} // namespace pm::testing
