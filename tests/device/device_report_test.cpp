#include "contract/device/device_report.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

// The format is that of peacemaker/emu/report.h, written out by hand.
constexpr const char* kReport = R"({
  "findings": [{"kind": "out-of-bounds write", "kernel": "tile", "instruction": "global_store_b16 v0, v1, s[4:5]",
                "offset": 416, "source": "tile.hip:12", "workgroup": [3, 1, 0], "wave": 2, "lane": 31,
                "address": 4096, "detail": "2 bytes behind the end", "count": 7}],
  "unsupported": ["unsupported instruction v_foo at tile+0x40"],
  "refused": ["block of 2048 work-items"],
  "fidelity": {"exact": 90, "approximate": 10, "notes": {"v_rcp_f32": "within 1 ulp"}},
  "instructions": 100, "lane_operations": 3000, "launches": 1, "a_later_key": true })";

TEST(DeviceReport, ReadsEveryField) {
    const auto report = parse_device_report(kReport);
    ASSERT_TRUE(report) << report.error().text;
    ASSERT_EQ(report->findings.size(), 1U);
    EXPECT_EQ(report->findings[0].kind, "out-of-bounds write");
    EXPECT_EQ(report->findings[0].text,
              "tile+0x1a0: global_store_b16 v0, v1, s[4:5] (tile.hip:12); workgroup (3,1,0), wave 2, lane 31, "
              "address 0x1000: 2 bytes behind the end (7 times)");
    EXPECT_EQ(report->findings[0].source, "tile.hip:12");
    EXPECT_EQ(report->unsupported, std::vector<std::string>{"unsupported instruction v_foo at tile+0x40"});
    EXPECT_EQ(report->refused, std::vector<std::string>{"block of 2048 work-items"});
    EXPECT_EQ(report->exact, 90U);
    EXPECT_EQ(report->approximate, 10U);
    EXPECT_EQ(report->notes.at("v_rcp_f32"), "within 1 ulp");
    EXPECT_EQ(report->instructions, 100U);
    EXPECT_EQ(report->lane_operations, 3000U);
    EXPECT_EQ(report->launches, 1U);
}

TEST(DeviceReport, WhatHappenedAtNoInstructionNamesNone) {
    const auto report = parse_device_report(R"({"findings": [
        {"kind": "undefined output", "kernel": "", "address": 4096, "detail": "2 of 60 bytes", "count": 1},
        {"kind": "undefined output", "kernel": "tile", "address": 0, "detail": "byte 3", "count": 2}]})");
    ASSERT_TRUE(report) << report.error().text;
    ASSERT_EQ(report->findings.size(), 2U);
    EXPECT_EQ(report->findings[0].text, "address 0x1000: 2 of 60 bytes");
    EXPECT_EQ(report->findings[1].text, "tile: byte 3 (2 times)");
}

TEST(DeviceReport, MergingAddsCountsAndKeepsEachReasonOnce) {
    const auto report = parse_device_report(kReport);
    ASSERT_TRUE(report);
    DeviceReport sum;
    sum.merge(*report);
    sum.merge(*report);
    EXPECT_EQ(sum.exact, 180U);
    EXPECT_EQ(sum.launches, 2U);
    EXPECT_EQ(sum.findings.size(), 2U);
    EXPECT_EQ(sum.unsupported.size(), 1U);
}

TEST(DeviceReport, WhatIsNoReportIsAnError) {
    for (const char* text : {"", "{", "[]", R"({"findings": 3})", R"({"findings": [{"kernel": "x"}]})",
                             R"({"launches": "many"})", R"({"fidelity": {"notes": 4}})"})
        EXPECT_FALSE(parse_device_report(text)) << text;
}

} // namespace
} // namespace hkc
