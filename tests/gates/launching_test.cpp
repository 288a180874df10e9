#include "contract/gates/launching.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

TEST(Launching, AlignmentStepsReachEveryMultipleBelowTheWidestAccess) {
    EXPECT_EQ(alignment_steps(1), 15U);
    EXPECT_EQ(alignment_steps(2), 7U);
    EXPECT_EQ(alignment_steps(4), 3U);
    EXPECT_EQ(alignment_steps(8), 1U);
    EXPECT_EQ(alignment_steps(16), 1U);
    EXPECT_EQ(alignment_steps(4096), 1U);
}

} // namespace
} // namespace hkc
