#include "contract/runner/base.h"

#include "tests/runner/outcomes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hkc {
namespace {

RunOutcome run_of(std::vector<GateResult> gates, std::vector<ControlOutcome> controls = {}) {
    RunOutcome run;
    run.chips = {"gfx1151"};
    run.gates = {1, 2, 3, 4, 5};
    run.kernels.push_back({"tile", "family", "gfx1151", std::move(gates), {}, {}, {}, {}});
    run.controls = std::move(controls);
    return run;
}

Registry registry_of(std::vector<KnownFinding> known = {}) {
    Registry registry;
    Kernel kernel;
    kernel.name = "tile";
    kernel.known_findings = std::move(known);
    registry.kernels.push_back(std::move(kernel));
    return registry;
}

std::vector<std::string> lines_of(const std::vector<Problem>& problems) {
    std::vector<std::string> lines;
    for (const Problem& problem : problems) lines.push_back(problem.line);
    return lines;
}

std::vector<Problem> problems(const RunOutcome& run) { return problems_of(run, registry_of(), "/root"); }

using Lines = std::vector<std::string>;

TEST(Base, AProblemIsWhatKeepsARunFromZero) {
    const RunOutcome run =
        run_of({gate_result(1, Status::kPass, {}),
                gate_result(3, Status::kFail, {{"outside the oracle", "out[1]"}, {"NaN lost", "out[2]"}}),
                gate_result(4, Status::kUnchecked, {}, {"unsupported instruction v_foo"}),
                gate_result(5, Status::kFail, {{"uses scratch", "16 bytes"}, {"crash", "there"}})},
               {{"red", "tile", "gfx1151", ControlVerdict::kRedAsPlanted, "", {}, {}, {}},
                {"green", "tile", "gfx1151", ControlVerdict::kMissed, "no gate failed", {}, {}, {}},
                {"elsewhere", "tile", "gfx1151", ControlVerdict::kNotAsked, "", {}, {}, {}},
                {"unknown", "tile", "gfx1151", ControlVerdict::kUnchecked, "gate 3", {}, {}, {}}});
    const Registry registry = registry_of({{5, "gfx1151", "uses scratch", "it is big", {}}});
    EXPECT_EQ(lines_of(problems_of(run, registry, "/root")),
              (Lines{"fail gfx1151 tile gate 3 shapes: outside the oracle: out[1]",
                     "fail gfx1151 tile gate 3 shapes: NaN lost: out[2]",
                     "unchecked gfx1151 tile gate 4 edges: unsupported instruction v_foo",
                     "fail gfx1151 tile gate 5 limits: crash: there",
                     "missed gfx1151 control \"green\" of tile: no gate failed",
                     "unchecked gfx1151 control \"unknown\" of tile: gate 3"}));
}

TEST(Base, AKnownFindingIsNoProblem) {
    EXPECT_TRUE(problems(run_of({gate_result(5, Status::kKnownFinding, {{"uses scratch", "16 bytes"}})})).empty());
}

TEST(Base, NewGoneAndUnchanged) {
    const auto head = problems(run_of({gate_result(2, Status::kFail, {{"guard overwritten", "x"}}),
                                       gate_result(3, Status::kFail, {{"NaN lost", "x"}})}));
    const auto base = problems(
        run_of({gate_result(3, Status::kFail, {{"NaN lost", "x"}}), gate_result(4, Status::kFail, {{"crash", "x"}})}));
    const BaseComparison comparison = compare_problems(head, base);
    EXPECT_EQ(comparison.added, (Lines{"fail gfx1151 tile gate 2 memory: guard overwritten: x"}));
    EXPECT_EQ(comparison.gone, (Lines{"fail gfx1151 tile gate 4 edges: crash: x"}));
    EXPECT_EQ(comparison.unchanged, (Lines{"fail gfx1151 tile gate 3 shapes: NaN lost: x"}));
}

TEST(Base, AddressesAreNoNewProblemAndNumbersOfGate5Are) {
    const auto compared = [](std::uint32_t gate, const char* kind, const char* head, const char* base) {
        return compare_problems(
            problems(run_of({gate_result(gate, Status::kFail, {{kind, head}})})),
            problems_of(run_of({gate_result(gate, Status::kFail, {{kind, base}})}), registry_of(), "/elsewhere"));
    };
    EXPECT_EQ(compared(2, "LDS race", "at 0x1000", "at 0x2000").unchanged.size(), 1U);
    const BaseComparison limits =
        compared(5, "differs from the record", "vgpr: record 40, compiled 48", "vgpr: record 40, compiled 44");
    EXPECT_EQ(limits.added.size(), 1U);
    EXPECT_EQ(limits.gone.size(), 1U);
    EXPECT_TRUE(limits.unchanged.empty());
    EXPECT_EQ(compared(5, "stale known finding", "declared at /root/registry/a.toml:7, gone",
                       "declared at /elsewhere/registry/a.toml:9, gone")
                  .unchanged,
              (Lines{"fail gfx1151 tile gate 5 limits: stale known finding: declared at registry/a.toml:7, gone"}));
}

TEST(Base, TheLinesAndTheReport) {
    BaseComparison comparison;
    comparison.revision = "main";
    comparison.commit = "0123456789abcdef0123456789abcdef01234567";
    comparison.added = {"a"};
    comparison.gone = {"b", "c"};
    comparison.unchanged = {"d"};
    EXPECT_EQ(base_lines(comparison), "problems: 1 new, 2 gone, 1 unchanged since main (0123456789ab)\n"
                                      "new: a\ngone: b\ngone: c\n");
    auto report = nlohmann::json::parse(report_with_base(R"({"schema":1,"exit_status":0})", comparison, 0));
    EXPECT_EQ(report.at("sha256").get<std::string>().size(), 64U);
    report.erase("sha256");
    EXPECT_EQ(report, nlohmann::json::parse(R"({"schema":1,"exit_status":0,"base":{"revision":"main",
        "commit":"0123456789abcdef0123456789abcdef01234567","new":["a"],"gone":["b","c"],"unchanged":["d"]}})"));
}

TEST(Base, WhatCouldNotBeComparedIsNeverIdentical) {
    BaseComparison comparison;
    comparison.revision = "main";
    comparison.commit = "0123456789abcdef";
    EXPECT_EQ(exit_status_with_base(0, comparison, false), 0);
    EXPECT_EQ(exit_status_with_base(1, comparison, false), 1);
    comparison.not_compared = "it does not compile";
    EXPECT_EQ(base_lines(comparison), "problems: not compared with main (0123456789ab): it does not compile\n");
    EXPECT_EQ(exit_status_with_base(0, comparison, false), 1);
    EXPECT_EQ(exit_status_with_base(0, comparison, true), 0);
    EXPECT_EQ(exit_status_with_base(1, comparison, true), 1);
    const auto report = nlohmann::json::parse(report_with_base(R"({"exit_status":0})", comparison, 1));
    EXPECT_EQ(report.at("exit_status"), 1);
    EXPECT_EQ(report.at("base").at("not_compared"), "it does not compile");
    EXPECT_FALSE(report.at("base").contains("new"));
}

} // namespace
} // namespace hkc
