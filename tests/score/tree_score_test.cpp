// Every wait of everything that the tree's kernels are compiled to, weakened.
#include "peacemaker/score/score.h"

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

namespace pm::testing {
namespace {

using mutate::Target;
using score::Fate;

struct Build {
    const char* compiler;
    const char* chip;
};

class TreeScore : public ::testing::TestWithParam<Build> {};

TEST_P(TreeScore, EveryWaitThatIsNotProvedNeedlessIsNoticed) {
    if (!installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is not installed";
    for (const char* source : {"/kernels/affine_stream.hip", "/controls/affine_stream_spill.hip"}) {
        const auto bytes = compile_hip(GetParam().compiler, GetParam().chip, std::string(HKC_SOURCE_DIR) + source,
                                       {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64"});
        ASSERT_TRUE(bytes) << bytes.error().text;
        const auto object = parse_code_object(*bytes, source);
        ASSERT_TRUE(object) << object.error().text;
        const auto report = score::score(*object, source, {"*", {Target::kWait, Target::kBarrier}, 2});
        ASSERT_TRUE(report) << report.error().text;
        for (const Target target : {Target::kWait, Target::kBarrier}) {
            const score::Counts counts = score::count(*report, target);
            EXPECT_EQ(counts[static_cast<std::size_t>(Fate::kMissed)], 0U) << target_name(target) << "\n"
                                                                           << score::report_text(std::vector{*report});
            EXPECT_EQ(counts[static_cast<std::size_t>(Fate::kUnchecked)], 0U);
        }
        EXPECT_GT(score::count(*report, Target::kWait)[static_cast<std::size_t>(Fate::kKilled)], 20U);
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, TreeScore,
                         ::testing::Values(Build{"clang++-22", "gfx1030"}, Build{"clang++-22", "gfx1100"},
                                           Build{"clang++-22", "gfx1151"}, Build{"clang++-22", "gfx1201"},
                                           Build{"clang++-19", "gfx1030"}, Build{"clang++-19", "gfx1201"}));

} // namespace
} // namespace pm::testing
