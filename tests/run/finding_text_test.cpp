#include "peacemaker/run/finding_text.h"

#include <gtest/gtest.h>

namespace {

TEST(FindingText, OfWhatTheHostReadHasNoKernelToName) {
    pm::emu::Finding finding;
    finding.kind = pm::emu::FindingKind::kUndefinedOutput;
    finding.address = 0x10;
    finding.detail = "hipMemcpy: 2 of 60 bytes";
    EXPECT_EQ(pm::finding_text(finding), "finding: undefined output\n  hipMemcpy: 2 of 60 bytes\n  address 0x10\n");
    finding.kernel = "scale";
    EXPECT_EQ(pm::finding_text(finding),
              "finding: undefined output: scale\n  hipMemcpy: 2 of 60 bytes\n  address 0x10\n");
}

} // namespace
