#include "contract/gates/certificate.h"

#include "contract/gates/gate.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using pm::certify::Verdict;

const std::vector<Certificate> kAll{
    {"a", Verdict::kCertified, {}},
    {"b", Verdict::kOpen, {{"register read before its wait: +0x40 v_add (b.hip:7)", "b.hip:7"}}},
    {"c", Verdict::kUnchecked, {{"waves of 64 lanes are not analysed"}}}};

LaunchedKernel launched(const std::string& symbol, std::uint32_t work_items = 1, std::uint32_t dynamic_lds = 0) {
    return {symbol, {work_items, 1, 1}, dynamic_lds};
}

TEST(Certificate, ARegistrationHasThoseOfTheKernelsThatItLaunches) {
    const Certificates all = std::map<LaunchedKernel, Certificate>{
        {launched("a"), kAll[0]}, {launched("b"), kAll[1]}, {launched("c"), kAll[2]}};
    EXPECT_EQ(certificates_of(all, {launched("c"), launched("a")}), (std::vector<Certificate>{kAll[2], kAll[0]}));
    EXPECT_EQ(certificates_of(all, {launched("d")}),
              (std::vector<Certificate>{{"d", Verdict::kUnchecked, {{"no such kernel in the object"}}}}));
    EXPECT_EQ(certificates_of(pm::Error{"no object"}, {launched("a")}),
              (std::vector<Certificate>{{"a", Verdict::kUnchecked, {{"no object"}}}}));
    EXPECT_TRUE(certificates_of(all, {}).empty());
}

TEST(Certificate, AKernelThatIsLaunchedDifferentlyHasTheWorstVerdict) {
    const Certificates all = std::map<LaunchedKernel, Certificate>{
        {launched("a", 32), {"a", Verdict::kCertified, {}}},
        {launched("a", 64), {"a", Verdict::kOpen, {{"a race: +0x8 ds_load", "a.hip:3"}}}},
        {launched("a", 96, 512), {"a", Verdict::kUnchecked, {{"too many states"}}}}};
    EXPECT_EQ(
        certificates_of(all, {launched("a", 32), launched("a", 96, 512), launched("a", 64)}),
        (std::vector<Certificate>{{"a",
                                   Verdict::kOpen,
                                   {{"too many states, in a workgroup of 96 x 1 x 1 with 512 bytes of dynamic LDS"},
                                    {"a race: +0x8 ds_load, in a workgroup of 64 x 1 x 1", "a.hip:3"}}}}));
    EXPECT_EQ(certificates_of(all, {launched("a", 32)}), (std::vector<Certificate>{kAll[0]}));
    EXPECT_EQ(certificates_of(all, {launched("a", 32), launched("a", 128)}).at(0).verdict, Verdict::kUnchecked)
        << "the other launch was not analysed";
}

TEST(Certificate, EveryShapeIsLaunchedAsItSays) {
    const auto registry = parse_registry(R"(
[family]
name = "f"
source = "f.hip"
flags = ["-O3"]
[[kernel]]
name = "k"
chips = ["gfx1151"]
oracle = "o"
[kernel.params]
waves = 2
[[kernel.arg]]
name = "out"
dir = "out"
type = "f32"
dims = ["n"]
[[kernel.launch]]
symbol = "first"
block = ["32*waves", "1", "1"]
grid = ["n", "1", "1"]
args = ["out"]
[[kernel.launch]]
symbol = "second"
block = ["32", "n", "1"]
grid = ["1", "1", "1"]
lds = "4*n"
args = ["out"]
[[kernel.shape]]
n = 1
[[kernel.shape]]
n = 3
)",
                                         "f.toml", {{"o"}, {}});
    ASSERT_TRUE(registry) << registry.error().text;
    EXPECT_EQ(
        launched_kernels(registry->kernels.at(0)),
        (std::vector<LaunchedKernel>{{"first", {64, 1, 1}, 0}, {"second", {32, 1, 1}, 4}, {"second", {32, 3, 1}, 12}}));
}

TEST(Certificate, OpenIsWorseThanUncheckedAndNothingIsUnchecked) {
    EXPECT_EQ(worst_verdict({kAll[0]}), Verdict::kCertified);
    EXPECT_EQ(worst_verdict({kAll[0], kAll[2]}), Verdict::kUnchecked);
    EXPECT_EQ(worst_verdict({kAll[2], kAll[1], kAll[0]}), Verdict::kOpen);
    EXPECT_EQ(worst_verdict({}), Verdict::kUnchecked);
}

TEST(Certificate, WhatCannotBeReadIsAnError) {
    const Certificates none = certify_object(pm::Error{"no code object"}, {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text, "no code object");
    EXPECT_FALSE(certify_object(pm::CodeObject{}, {})) << "of no known chip";
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
