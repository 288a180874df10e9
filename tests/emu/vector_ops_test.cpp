#include "peacemaker/chip/chip.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <cstdlib>

// The SIMD targets that the vector code is built for.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include "hwy/highway.h"

namespace pm::testing {
namespace {

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all = integer_cases();
    for (const auto& more : {float_cases(), compare_cases()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryInstructionGivesTheBitsOfTheIsa) { expect_vector_cases(chips()[GetParam()], all_cases()); }

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(VectorRows, EachHasATest) { expect_rows_covered(emu::vector_rows(), all_cases()); }

// The same program again, told to use one target of Highway alone.
constexpr const char* kTargetVariable = "HKC_TEST_SIMD_TARGET";

TEST(SimdTargets, AllGiveTheSameBits) {
    if (std::getenv(kTargetVariable) != nullptr) GTEST_SKIP() << "this run is for one target";
    const auto targets = hwy::SupportedAndGeneratedTargets();
    EXPECT_GE(targets.size(), 2u);
    for (const std::int64_t target : targets) {
        SCOPED_TRACE(hwy::TargetName(target));
        ASSERT_EQ(setenv(kTargetVariable, std::to_string(target).c_str(), 1), 0);
        const auto ran = run_program("/proc/self/exe", {"--gtest_filter=Chips/OnChip.*:SimdTargets.IsTheOneAskedFor"});
        EXPECT_TRUE(ran) << ran.error().text;
        if (ran) {
            EXPECT_NE(ran->find("PASSED"), std::string::npos);
        }
    }
    unsetenv(kTargetVariable);
}

TEST(SimdTargets, IsTheOneAskedFor) {
    const char* const asked = std::getenv(kTargetVariable);
    if (asked == nullptr) GTEST_SKIP() << "any target will do";
    EXPECT_EQ(hwy::SupportedTargets(), std::strtoll(asked, nullptr, 10));
}

} // namespace
} // namespace pm::testing

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    // Before anything chooses: the tables keep what they chose first.
    if (const char* target = std::getenv(pm::testing::kTargetVariable))
        hwy::SetSupportedTargetsForTest(std::strtoll(target, nullptr, 10));
    return RUN_ALL_TESTS();
}
