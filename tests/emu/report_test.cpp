#include "peacemaker/emu/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace {

using pm::emu::Finding;
using pm::emu::FindingKind;
using pm::emu::Report;

Finding finding(FindingKind kind, const std::string& kernel, std::uint64_t offset, std::uint64_t address = 0) {
    Finding f;
    f.kind = kind;
    f.kernel = kernel;
    f.offset = offset;
    f.address = address;
    return f;
}

// Controls and known findings in registries name kinds by these texts.
TEST(FindingKinds, HaveTheNamesThatRegistriesUse) {
    using K = FindingKind;
    const std::pair<K, const char*> names[] = {
        {K::kReadOutOfBounds, "out-of-bounds read"},
        {K::kWriteOutOfBounds, "out-of-bounds write"},
        {K::kReadOnlyWritten, "read-only memory written"},
        {K::kUsedBeforeWait, "register used before its wait"},
        {K::kOverwrittenBeforeWait, "register overwritten before its wait"},
        {K::kUndefinedDecides, "undefined value decides"},
        {K::kUndefinedOutput, "undefined output"},
        {K::kKernargNotSupplied, "kernel argument not supplied"},
        {K::kRegisterOutsideAllocation, "register outside the allocation"},
        {K::kLdsOutOfBounds, "LDS out of bounds"},
        {K::kLdsRace, "LDS race"},
        {K::kGlobalRace, "device memory race"},
        {K::kBarrierDivergence, "barrier divergence"},
        {K::kMisaligned, "misaligned access"},
        {K::kTrap, "trap"},
    };
    std::set<std::string> all;
    for (const auto& [kind, name] : names) {
        EXPECT_EQ(pm::emu::finding_kind_name(kind), name);
        all.insert(name);
    }
    const auto listed = pm::emu::finding_kind_names();
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), all);
    EXPECT_EQ(listed.size(), all.size());
}

TEST(Merge, CountsFindingsOfOnePlace) {
    Report a;
    a.findings = {finding(FindingKind::kLdsRace, "k", 8, 100)};
    a.findings[0].count = 2;
    Report b;
    b.findings = {finding(FindingKind::kLdsRace, "k", 8, 200), finding(FindingKind::kLdsRace, "k", 12),
                  finding(FindingKind::kMisaligned, "k", 8), finding(FindingKind::kLdsRace, "l", 8)};
    b.findings[0].count = 5;
    a.merge(b);
    ASSERT_EQ(a.findings.size(), 4U);
    EXPECT_EQ(a.findings[0].count, 7U);
    EXPECT_EQ(a.findings[0].address, 100U);
}

TEST(Merge, KeepsAddressesApartWhereNoKernelIsToBlame) {
    Report a;
    a.add(finding(FindingKind::kUndefinedOutput, "", 0, 100));
    a.add(finding(FindingKind::kUndefinedOutput, "", 0, 200));
    a.add(finding(FindingKind::kUndefinedOutput, "", 0, 100));
    ASSERT_EQ(a.findings.size(), 2U);
    EXPECT_EQ(a.findings[0].count, 2U);
}

TEST(Merge, AddsCountsAndKeepsTexts) {
    Report a{{}, {"x"}, {"r"}, 1, 2, {{"v_rcp_f32", "within 1 ulp"}}, 3, 4, 5};
    const Report b{{}, {"x", "y"}, {"s"}, 10, 20, {{"v_exp_f32", "within 2 ulp"}}, 30, 40, 50};
    a.merge(b);
    EXPECT_EQ(a.unsupported, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(a.refused, (std::vector<std::string>{"r", "s"}));
    EXPECT_EQ(a.exact, 11U);
    EXPECT_EQ(a.approximate, 22U);
    EXPECT_EQ(a.notes.size(), 2U);
    EXPECT_EQ(a.instructions, 33U);
    EXPECT_EQ(a.lane_operations, 44U);
    EXPECT_EQ(a.launches, 55U);
}

TEST(Json, HoldsEveryField) {
    Report report{{}, {"u"}, {"r"}, 1, 2, {{"v_rcp_f32", "within 1 ulp"}}, 3, 4, 5};
    Finding f = finding(FindingKind::kReadOutOfBounds, "k", 0x40, 0xFFFFFFFFFFFFFFFF);
    f.instruction = "global_load_b32 v1, v0, s[0:1]";
    f.source = "a.hip:3";
    f.workgroup = {1, 2, 3};
    f.wave = 4;
    f.lane = 5;
    f.detail = "\"4 bytes\" past\n the end";
    f.count = 6;
    report.findings = {f};
    const auto json = nlohmann::json::parse(pm::emu::to_json(report));
    const auto expected = nlohmann::json::parse(R"({
        "findings": [{"kind": "out-of-bounds read", "kernel": "k", "instruction": "global_load_b32 v1, v0, s[0:1]",
                      "offset": 64, "source": "a.hip:3", "workgroup": [1, 2, 3], "wave": 4, "lane": 5,
                      "address": 18446744073709551615, "detail": "\"4 bytes\" past\n the end", "count": 6}],
        "unsupported": ["u"], "refused": ["r"],
        "fidelity": {"exact": 1, "approximate": 2, "notes": {"v_rcp_f32": "within 1 ulp"}},
        "instructions": 3, "lane_operations": 4, "launches": 5})");
    EXPECT_EQ(json, expected);
}

TEST(Json, WhatHappenedAtNoInstructionHasNoFieldOfOne) {
    Report report;
    report.findings = {finding(FindingKind::kUndefinedOutput, "k", 0, 64)};
    report.findings[0].detail = "byte 3 of 8";
    const auto json = nlohmann::json::parse(pm::emu::to_json(report)).at("findings");
    EXPECT_EQ(json, nlohmann::json::parse(R"([{"kind": "undefined output", "kernel": "k", "address": 64,
                                               "detail": "byte 3 of 8", "count": 1}])"));
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
    Report report;
    report.findings = {finding(FindingKind::kLdsRace, "k\xff", 0)};
    EXPECT_TRUE(nlohmann::json::accept(pm::emu::to_json(report)));
}

} // namespace
