#include "contract/runner/outcome_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hkc {
namespace {

GateResult result() {
    GateResult result;
    result.gate = 2;
    result.status = Status::kFail;
    result.findings = {
        {"guard overwritten", "out: \"quoted\"\nand a second line, \xff no UTF-8", "kernels/tile.hip:7"}};
    result.unchecked = {"a reason"};
    result.checks = 12;
    result.launches = 34;
    return result;
}

TEST(ChildLines, WhatAGateFoundArrivesAsItWas) {
    DeviceReport totals;
    totals.exact = 5;
    totals.notes["v_rcp_f32"] = "within 1 ulp";
    const auto lines = read_child_lines(line_of_start(2) + line_of_result(result()) + line_of_end(totals));
    ASSERT_TRUE(lines) << lines.error().text;
    ASSERT_EQ(lines->gates.size(), 1U);
    EXPECT_EQ(lines->gates[0].gate, 2U);
    EXPECT_EQ(lines->gates[0].status, Status::kFail);
    EXPECT_EQ(lines->gates[0].findings[0].kind, "guard overwritten");
    EXPECT_EQ(lines->gates[0].findings[0].text.substr(0, 20), "out: \"quoted\"\nand a ");
    EXPECT_EQ(lines->gates[0].findings[0].source, "kernels/tile.hip:7");
    EXPECT_EQ(lines->gates[0].unchecked, std::vector<std::string>{"a reason"});
    EXPECT_EQ(lines->gates[0].checks, 12U);
    EXPECT_EQ(lines->gates[0].launches, 34U);
    EXPECT_FALSE(lines->unfinished);
    ASSERT_TRUE(lines->totals);
    EXPECT_EQ(lines->totals->exact, 5U);
    EXPECT_EQ(lines->totals->notes.at("v_rcp_f32"), "within 1 ulp");
}

TEST(ChildLines, AGateThatStartedAndDidNotEndIsUnfinished) {
    const auto lines =
        read_child_lines(line_of_start(1) + line_of_result(result()) + line_of_start(3) + R"({"result": {"ga)");
    ASSERT_TRUE(lines);
    EXPECT_EQ(lines->unfinished, 3U);
    EXPECT_FALSE(lines->totals);
    EXPECT_EQ(lines->gates.size(), 1U);
}

TEST(ChildLines, AnythingElseIsAnError) {
    for (const char* text : {"hello\n", "{}\n", "{\"start\": \"one\"}\n", "{\"result\": {}}\n"})
        EXPECT_FALSE(read_child_lines(text)) << text;
}

TEST(Report, HoldsEveryOutcomeItsSchemaAndTheExitStatus) {
    RunOutcome run;
    run.chips = {"gfx1151"};
    run.gates = {2};
    run.kernels = {{"tile",
                    "f",
                    "gfx1151",
                    {result()},
                    {},
                    {},
                    {"an entry", "an object", "a compiler"},
                    {{"tile", pm::certify::Verdict::kOpen, {{"an obligation", "tile.hip:3"}}}}}};
    run.controls = {{"a fault", "tile", "gfx1151", ControlVerdict::kMissed, "because", {result()}, {}, {}}};
    run.kernels[0].device.exact = 5;
    RunDescription description;
    description.device = "embedded";
    description.commit = "a commit";
    description.dirty = true;
    description.inputs = "a hash";
    description.compiler = "clang version 22.1.8";
    description.shard = {2, 3};
    description.tasks = 6;
    const auto report = nlohmann::json::parse(report_json(run, description));
    EXPECT_EQ(report.at("schema"), 4);
    EXPECT_EQ(report.at("device"), "embedded");
    EXPECT_EQ(report.at("commit"), "a commit");
    EXPECT_EQ(report.at("dirty"), true);
    EXPECT_EQ(report.at("inputs"), "a hash");
    EXPECT_EQ(report.at("compiler"), "clang version 22.1.8");
    EXPECT_EQ(report.at("shard"), "2/3");
    EXPECT_EQ(report.at("tasks"), 6);
    EXPECT_EQ(report.at("kernels").at(0).at("entry"), "an entry");
    EXPECT_EQ(report.at("kernels").at(0).at("object"), "an object");
    EXPECT_EQ(report.at("kernels").at(0).at("fingerprint"), "a compiler");
    EXPECT_EQ(report.at("kernels").at(0).at("certificates").dump(),
              R"([{"kernel":"tile","reasons":[{"source":"tile.hip:3","text":"an obligation"}],"verdict":"open"}])");
    EXPECT_EQ(report.at("kernels").at(0).at("fidelity").at("exact"), 5);
    EXPECT_EQ(report.at("exit_status"), 1);
    EXPECT_EQ(report.at("kernels").at(0).at("status"), "fail");
    EXPECT_EQ(report.at("kernels").at(0).at("gates").at(0).at("name"), "memory");
    EXPECT_EQ(report.at("kernels").at(0).at("gates").at(0).at("findings").at(0).at("kind"), "guard overwritten");
    EXPECT_EQ(report.at("controls").at(0).at("verdict"), "missed");
    EXPECT_EQ(report.at("summary").at("gfx1151").at("fail"), 1);
    EXPECT_EQ(report.at("summary").at("gfx1151").at("missed"), 1);
    EXPECT_EQ(report.at("summary").at("gfx1151").at("launches").at("2"), 68);
}

TEST(Report, LibrariesOfOraclesComeBackAndAreNoFieldWhereThereAreNone) {
    RunOutcome run;
    RunDescription description;
    EXPECT_FALSE(nlohmann::json::parse(report_json(run, description)).contains("oracles"));
    description.oracles = {{"mine.so", "01"}, {"yours.so", "02"}};
    const std::string text = report_json(run, description);
    EXPECT_EQ(nlohmann::json::parse(text).at("oracles").dump(),
              R"([{"name":"mine.so","sha256":"01"},{"name":"yours.so","sha256":"02"}])");
    const auto read = read_report(text);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(read->description.oracles, description.oracles);
    auto none = nlohmann::ordered_json::parse(text);
    none["oracles"] = nlohmann::ordered_json::array();
    EXPECT_FALSE(read_report(sealed_report(none))) << "an empty list is another text of the same";
}

TEST(Report, ResourcesComeBackAndAreNoFieldWhereThereAreNone) {
    RunOutcome run;
    run.chips = {"gfx1151"};
    run.kernels.resize(1);
    run.kernels[0].chip = "gfx1151";
    EXPECT_FALSE(nlohmann::json::parse(report_json(run, {})).at("kernels").at(0).contains("resources"));
    run.kernels[0].costs = {{"tile", {1, 2, 3, 4, 5, 6, 7, 8, 9}, 10}, {"fold", {}, 16}};
    const std::string text = report_json(run, {});
    EXPECT_EQ(nlohmann::ordered_json::parse(text).at("kernels").at(0).at("resources").at(0).dump(),
              R"({"kernel":"tile","vgpr":1,"sgpr":2,"lds":3,"scratch":4,"vgpr_spill":5,"sgpr_spill":6,"wave":7,)"
              R"("max_block":8,"kernarg":9,"waves_simd":10})");
    const auto read = read_report(text);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(read->outcome.kernels[0].costs, run.kernels[0].costs);
    auto other = nlohmann::ordered_json::parse(text);
    other["kernels"][0]["resources"][0]["vgpr"] = -1;
    EXPECT_FALSE(read_report(sealed_report(other)));
    other["kernels"][0]["resources"] = nlohmann::ordered_json::array();
    EXPECT_FALSE(read_report(sealed_report(other))) << "an empty list is another text of the same";
}

TEST(Report, CertificatesComeBackAsTheyWere) {
    using pm::certify::Verdict;
    const std::vector<Certificate> some{{"a", Verdict::kCertified, {}},
                                        {"b", Verdict::kOpen, {{"an obligation", "b.hip:7"}, {"another"}}},
                                        {"c", Verdict::kUnchecked, {{"it cannot be followed"}}}};
    const auto read = read_certificates(certificates_json(some).dump());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, some);
    for (const char* text : {"", "[", "{\"a\": 1}", "[{\"kernel\": \"a\"}]", "[1]"})
        EXPECT_FALSE(read_certificates(text)) << text;
}

} // namespace
} // namespace hkc
