#include "contract/gates/gate.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

GateResult result(std::uint64_t checks, std::vector<Finding> findings = {}, std::vector<std::string> unchecked = {}) {
    GateResult result;
    result.checks = checks;
    result.findings = std::move(findings);
    result.unchecked = std::move(unchecked);
    finish(result);
    return result;
}

TEST(Gate, APassNeedsACheck) {
    EXPECT_EQ(result(1).status, Status::kPass);
    const GateResult none = result(0);
    EXPECT_EQ(none.status, Status::kUnchecked);
    ASSERT_EQ(none.unchecked.size(), 1U);
    EXPECT_EQ(none.unchecked[0], "the gate made no check");
}

TEST(Gate, WhatWasNotAskedIsUncheckedHoweverMuchElseWas) {
    EXPECT_EQ(result(1000, {}, {"unsupported instruction"}).status, Status::kUnchecked);
}

TEST(Gate, AFindingFailsWhateverElseWasNotAsked) {
    EXPECT_EQ(result(5, {{"crash", "x"}}, {"unsupported instruction"}).status, Status::kFail);
}

TEST(Gate, ManyFindingsOfAKindAreCountedNotListed) {
    const GateResult many = result(1, std::vector<Finding>(50, Finding{"crash", "here"}));
    ASSERT_EQ(many.findings.size(), 4U);
    EXPECT_NE(many.findings.back().text.find("46 further"), std::string::npos) << many.findings.back().text;
}

TEST(Gate, TheTableIsInOrderAndEveryGateSaysWhy) {
    std::uint32_t number = 0;
    for (const Gate& gate : gates()) {
        EXPECT_EQ(gate.number, ++number);
        EXPECT_FALSE(gate.name.empty());
        EXPECT_FALSE(gate.why.empty());
        EXPECT_EQ(find_gate(gate.number), &gate);
    }
    EXPECT_EQ(number, 5U);
    EXPECT_EQ(find_gate(0), nullptr);
    EXPECT_EQ(find_gate(6), nullptr);
}

} // namespace
} // namespace hkc
