// Races in device memory: kernels as a compiler builds them, each race beside its clean twin.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

constexpr u32 kGroups = 4, kItems = 64;

/// Chip and optimisation.
using Build = std::tuple<unsigned, std::string>;

class GlobalRace : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        const auto& [chip, level] = GetParam();
        const auto& object = compiled_hip("clang++-22", chips()[chip].name,
                                          std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/races.hip",
                                          {"-std=c++20", "-gline-tables-only", level});
        ASSERT_TRUE(object) << object.error().text;
        rig_ = std::make_unique<Rig>(*object);
        ASSERT_TRUE(rig_->ok());
    }

    emu::Report run(const std::string& kernel, u32 threads) {
        std::vector<u32> in(kGroups * kItems);
        std::iota(in.begin(), in.end(), 0U);
        std::vector<u32> work(kGroups * kItems + 1, 0);
        std::iota(work.begin() + 1, work.end(), 7U); // all different; the first counts from 0
        work_ = rig_->buffer(work);
        out_ = rig_->buffer(std::vector<u32>(kGroups * kItems, 0));
        return rig_->launch(kernel, Rig::pack(rig_->buffer(in), work_, out_), {kGroups, 1, 1}, {kItems, 1, 1}, threads);
    }

    std::unique_ptr<Rig> rig_;
    emu::Allocation* work_ = nullptr;
    emu::Allocation* out_ = nullptr;
};

TEST_P(GlobalRace, IsFoundAndItsCleanTwinHasNoFinding) {
    for (const char* name :
         {"workspace", "left", "right", "waves", "last", "flag", "histogram", "reset", "counter", "answer", "halves"}) {
        const std::string kernel = name;
        const emu::Report race = run(kernel + "_race", 1);
        ASSERT_FALSE(race.findings.empty()) << kernel;
        for (const emu::Finding& finding : race.findings) {
            EXPECT_EQ(finding.kind, emu::FindingKind::kGlobalRace) << text_of(race);
            EXPECT_NE(finding.source.find("races.hip:"), std::string::npos) << text_of(race);
        }
        EXPECT_EQ(race.unsupported, std::vector<std::string>{});
        EXPECT_EQ(text_of(run(kernel + "_clean", 1)), "") << kernel;
    }
}

// Not those where workgroups meet at a plain store, a flag or a value that they agree on: it is a plain store of the
// host, too.
TEST_P(GlobalRace, CleanKernelsHaveNoFindingOnTwoThreads) {
    for (const char* name : {"workspace", "left", "right", "waves", "last", "histogram", "reset", "counter", "halves"})
        for (int repeat = 0; repeat < 8; ++repeat) {
            const std::string kernel = std::string(name) + "_clean";
            EXPECT_EQ(text_of(run(kernel, 2)), "") << kernel;
        }
}

TEST_P(GlobalRace, SaysWhoElseWasThere) {
    const std::string between_groups = text_of(run("workspace_race", 1));
    EXPECT_NE(between_groups.find("workgroup 0 of the grid by \""), std::string::npos) << between_groups;
    EXPECT_NE(between_groups.find("nothing that orders workgroups"), std::string::npos) << between_groups;
    const std::string between_waves = text_of(run("waves_race", 1));
    EXPECT_NE(between_waves.find("wave 0 of the workgroup by \""), std::string::npos) << between_waves;
    EXPECT_NE(between_waves.find("no barrier between"), std::string::npos) << between_waves;
}

TEST_P(GlobalRace, ALaunchKnowsNothingOfTheLaunchesBefore) {
    for (int launch = 0; launch < 2; ++launch) {
        EXPECT_EQ(text_of(run("workspace_clean", 1)), "");
        // The same buffers again, written by other workgroups.
        const std::vector<std::byte> arguments = Rig::pack(work_, out_, work_);
        EXPECT_EQ(text_of(rig_->launch("workspace_clean", arguments, {1, 1, 1}, {kItems, 1, 1})), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Builds, GlobalRace,
                         ::testing::Combine(::testing::Values(0U, 1U, 2U, 3U), ::testing::Values("-O0", "-O3")),
                         [](const auto& info) {
                             return chips()[std::get<0>(info.param)].name + std::get<1>(info.param).substr(1);
                         });

// --- the scope of buffer accesses
// -------------------------------------------------------------------------------------------------------------------

/// `access` of the second workgroup, with the policy that gives it device scope on gfx10 and gfx11, and on gfx12.
struct Scoped {
    const char* name;
    const char* access; // {P}: the policy
    bool loads;
    bool before_gfx12; // whether the policy counts there
};

constexpr Scoped kScoped[] = {
    {"global", "global_load_dword v5, v1, s[4:5] {P}", true, true},
    {"buffer", "buffer_load_dword v5, v1, s[20:23], {Z} offen {P}", true, true},
    {"wide", "buffer_load_dwordx2 v[5:6], v1, s[20:23], {Z} offen {P}", true, true},
    {"format", "buffer_load_format_x v5, v1, s[20:23], {Z} offen {P}", true, true},
    {"typed", "tbuffer_load_format_x v5, v1, s[20:23], {Z} format:20 offen {P}", true, true},
    {"buffer_store", "buffer_store_dword v4, v1, s[20:23], {Z} offen {P}", false, false},
    {"format_store", "buffer_store_format_x v4, v1, s[20:23], {Z} offen {P}", false, false},
    {"typed_store", "tbuffer_store_format_x v4, v1, s[20:23], {Z} format:20 offen {P}", false, false},
};

std::string scoped(const Scoped& s, const Chip& chip, bool with_policy) {
    std::string text = s.access;
    const std::string policy = !with_policy ? "" : chip.generation >= 12 ? "scope:SCOPE_DEV" : "glc";
    text.replace(text.find("{P}"), 3, policy);
    if (const std::size_t zero = text.find("{Z}"); zero != std::string::npos)
        text.replace(zero, 3, chip.generation >= 12 ? "null" : "0");
    return text;
}

// s[4:5] a flag and a word that its owner has finished when the flag is up. The first workgroup stores the word and
// adds to the flag; the second one looks at the flag, then at the word, or stores to the flag as well. v4 = the
// workgroup.
KernelText scope_kernel(const Scoped& s, const Chip& chip, bool with_policy) {
    const std::string access = scoped(s, chip, with_policy);
    KernelText k;
    k.name = std::string(s.name) + (with_policy ? "_device" : "_plain");
    k.pointers = 1;
    k.body = R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  wait_scalar
  s_mov_b32 exec_lo, 1
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_mov_b32 s22, 32
  s_mov_b32 s23, 0x30014fac
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v4, s10
  v_add_nc_u32_e32 v4, 7, v4
)";
    if (s.loads)
        k.body += "  s_cmp_eq_u32 s10, 0\n  s_cbranch_scc0 1f\n  global_store_dword v1, v4, s[4:5] offset:16\n"
                  "  global_atomic_add v1, v4, s[4:5]\n  s_branch 2f\n1:\n  " +
                  access + "\n  wait_all\n  global_load_dword v7, v1, s[4:5] offset:16\n  wait_all\n2:\n";
    else
        k.body += "  " + access + "\n";
    return k;
}

TEST(GlobalRaceScope, OfABufferAccessCountsAsThatOfAGlobalOne) {
    for (const Chip& chip : chips()) {
        std::vector<KernelText> kernels;
        for (const Scoped& s : kScoped)
            for (const bool with_policy : {false, true}) kernels.push_back(scope_kernel(s, chip, with_policy));
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        std::size_t n = 0;
        for (const Scoped& s : kScoped)
            for (const bool with_policy : {false, true}) {
                SCOPED_TRACE(chip.name + ": " + kernels[n].name);
                emu::Allocation* const memory = rig.buffer(std::vector<u32>(8, 1000));
                const emu::Report report = rig.launch(kernels[n++].name, Rig::pack(memory), {2, 1, 1}, {32, 1, 1});
                EXPECT_TRUE(report.unsupported.empty()) << text_of(report);
                const bool ordered = with_policy && (s.before_gfx12 || chip.generation >= 12);
                EXPECT_EQ(report.findings.empty(), ordered) << text_of(report);
                for (const emu::Finding& finding : report.findings)
                    EXPECT_EQ(finding.kind, emu::FindingKind::kGlobalRace) << text_of(report);
            }
    }
}

} // namespace
} // namespace pm::testing
