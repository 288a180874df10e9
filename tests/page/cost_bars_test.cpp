#include "contract/page/cost_bars.h"

#include "tests/page/reports.h"

#include <gtest/gtest.h>

namespace hkc::page {
namespace {

TEST(CostRows, AreAKernelOfAChipOnceBesideWhatTheChipHas) {
    ReadReport report = two_chips();
    report.outcome.kernels.push_back(report.outcome.kernels[2]); // another registration of the same kernel
    const auto rows = cost_rows(report.outcome, nullptr);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].chip + ' ' + rows[0].kernel, "gfx1030 tile");
    EXPECT_EQ(rows[2].chip + ' ' + rows[2].kernel, "gfx1151 wide");
    ASSERT_EQ(rows[2].bars.size(), 5U);
    EXPECT_EQ(rows[2].bars[0].name, "VGPR");
    EXPECT_EQ(rows[2].bars[0].value, 128U);
    EXPECT_EQ(rows[2].bars[0].most, 256U) << "a wave of the ISA addresses 256";
    EXPECT_EQ(rows[2].bars[2].most, 65536U);
    EXPECT_EQ(rows[2].bars[4].name, "waves");
    EXPECT_EQ(rows[2].bars[4].value, 8U);
    EXPECT_EQ(rows[2].bars[4].most, 16U);
    EXPECT_FALSE(rows[2].in_base);
    for (const Bar& bar : rows[2].bars) EXPECT_EQ(bar.change, 0);
}

TEST(CostRows, TellTheChangeAgainstTheBaseByChipAndSymbol) {
    const ReadReport report = two_chips();
    ReadReport base = two_chips();
    base.outcome.kernels.pop_back();
    base.outcome.kernels[1].costs = {cost_of("tile", 72, 14)};
    const auto rows = cost_rows(report.outcome, &base.outcome);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].bars[0].change, 0);
    EXPECT_EQ(rows[1].bars[0].change, -8);
    EXPECT_EQ(rows[1].bars[4].change, 2);
    EXPECT_TRUE(rows[1].bars[4].fewer_is_worse);
    EXPECT_TRUE(rows[1].in_base);
    EXPECT_FALSE(rows[2].in_base);
    EXPECT_EQ(rows[2].bars[0].change, 0);
}

TEST(CostRows, OfAChipThatIsNotKnownAreStillBars) {
    ReadReport report = two_chips();
    for (KernelOutcome& kernel : report.outcome.kernels) kernel.chip = "gfx9999";
    const auto rows = cost_rows(report.outcome, nullptr);
    ASSERT_EQ(rows.size(), 2U);
    for (const CostRow& row : rows)
        for (const Bar& bar : row.bars) {
            EXPECT_GE(bar.most, 1U);
            EXPECT_GE(bar.most, bar.value);
        }
}

} // namespace
} // namespace hkc::page
