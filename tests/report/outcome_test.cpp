#include "contract/report/outcome.h"

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

namespace {

TEST(Outcome, StatusNamesAreTheFourWords) {
    EXPECT_EQ(hkc::status_name(hkc::Status::kPass), "pass");
    EXPECT_EQ(hkc::status_name(hkc::Status::kFail), "fail");
    EXPECT_EQ(hkc::status_name(hkc::Status::kKnownFinding), "known finding");
    EXPECT_EQ(hkc::status_name(hkc::Status::kUnchecked), "unchecked");
    EXPECT_EQ(hkc::GateResult{}.status, hkc::Status::kUnchecked);
}

// Reads the constants from the header itself, so that a kind that is declared there cannot be left out of the table.
TEST(Outcome, EveryDeclaredKindIsInTheTable) {
    const auto header = pm::read_file(std::string(HKC_SOURCE_DIR) + "/contract/report/outcome.h");
    ASSERT_TRUE(header) << header.error().text;
    const auto& kinds = hkc::finding_kinds();
    const std::regex declaration("std::string_view k[A-Za-z]+ = \"([^\"]+)\";");
    std::size_t declared = 0;
    for (std::sregex_iterator it(header->begin(), header->end(), declaration), end; it != end; ++it) {
        ++declared;
        EXPECT_NE(std::find(kinds.begin(), kinds.end(), (*it)[1].str()), kinds.end()) << (*it)[1].str();
    }
    EXPECT_GE(declared, 20u);
    EXPECT_GT(kinds.size(), declared) << "the embedded device's kinds are missing";
}

TEST(Outcome, KindsAreDistinctAndHoldTheDevices) {
    const auto& kinds = hkc::finding_kinds();
    EXPECT_EQ(std::set<std::string>(kinds.begin(), kinds.end()).size(), kinds.size());
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), "out-of-bounds write"), kinds.end());
}

} // namespace
