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
         {"workspace", "left", "right", "waves", "last", "flag", "histogram", "reset", "answer", "halves"}) {
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
    for (const char* name : {"workspace", "left", "right", "waves", "last", "histogram", "reset", "halves"})
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

} // namespace
} // namespace pm::testing
