#include "contract/gates/certificate.h"

#include "contract/gates/gate.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using pm::certify::Verdict;

std::vector<Launch> launches(const std::vector<std::string>& symbols) {
    std::vector<Launch> made;
    for (const std::string& symbol : symbols) made.emplace_back().symbol = symbol;
    return made;
}

const std::vector<Certificate> kAll{
    {"a", Verdict::kCertified, {}},
    {"b", Verdict::kOpen, {{"register read before its wait: +0x40 v_add (b.hip:7)", "b.hip:7"}}},
    {"c", Verdict::kUnchecked, {{"waves of 64 lanes are not analysed"}}}};

TEST(Certificate, ARegistrationHasThoseOfTheKernelsThatItLaunches) {
    EXPECT_EQ(certificates_of(kAll, launches({"c", "a", "c"})), (std::vector<Certificate>{kAll[2], kAll[0]}));
    EXPECT_EQ(certificates_of(kAll, launches({"d"})),
              (std::vector<Certificate>{{"d", Verdict::kUnchecked, {{"no such kernel in the object"}}}}));
    EXPECT_EQ(certificates_of(pm::Error{"no object"}, launches({"a"})),
              (std::vector<Certificate>{{"a", Verdict::kUnchecked, {{"no object"}}}}));
    EXPECT_TRUE(certificates_of(kAll, {}).empty());
}

TEST(Certificate, OpenIsWorseThanUncheckedAndNothingIsUnchecked) {
    EXPECT_EQ(worst_verdict({kAll[0]}), Verdict::kCertified);
    EXPECT_EQ(worst_verdict({kAll[0], kAll[2]}), Verdict::kUnchecked);
    EXPECT_EQ(worst_verdict({kAll[2], kAll[1], kAll[0]}), Verdict::kOpen);
    EXPECT_EQ(worst_verdict({}), Verdict::kUnchecked);
}

TEST(Certificate, WhatCannotBeReadIsAnError) {
    const Certificates none = certify_object(pm::Error{"no code object"});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text, "no code object");
    EXPECT_FALSE(certify_object(pm::CodeObject{})) << "of no known chip";
}

GateResult judged(const std::vector<Certificate>& certificates) {
    Subject subject;
    subject.name = "tile";
    subject.chip = *pm::find_chip("gfx1151");
    subject.certificates = certificates;
    GateResult result;
    result.gate = 1;
    check_certificates(subject, result);
    finish(result);
    return result;
}

TEST(Certificate, OnlyCertifiedPassesWhereItIsDemanded) {
    EXPECT_EQ(judged({kAll[0]}).status, Status::kPass);
    EXPECT_EQ(judged({}).status, Status::kUnchecked) << "nothing was looked at";
    const GateResult open = judged({kAll[0], kAll[1]});
    EXPECT_EQ(open.status, Status::kFail);
    ASSERT_EQ(open.findings.size(), 1U);
    EXPECT_EQ(open.findings[0].kind, kind::kNotCertified);
    EXPECT_EQ(open.findings[0].text,
              "tile on gfx1151: b is open: register read before its wait: +0x40 v_add (b.hip:7)");
    EXPECT_EQ(open.findings[0].source, "b.hip:7");
    const GateResult unchecked = judged({kAll[2]});
    EXPECT_EQ(unchecked.status, Status::kFail) << "nobody knows is not certified";
    EXPECT_EQ(unchecked.findings.at(0).text, "tile on gfx1151: c is unchecked: waves of 64 lanes are not analysed");
    EXPECT_EQ(unchecked.findings.at(0).source, "");
}

TEST(Certificate, AVerdictWithoutAReasonIsNoPassEither) {
    EXPECT_EQ(judged({{"d", Verdict::kUnchecked, {}}}).status, Status::kFail);
}

} // namespace
} // namespace hkc
