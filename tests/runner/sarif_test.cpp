#include "contract/runner/sarif.h"

#include "tests/runner/outcomes.h"
#include "tests/sarif/sarif_check.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

Registry registry() {
    Registry out;
    Kernel kernel;
    kernel.name = "tile";
    kernel.source = "kernels/tile.hip";
    kernel.chips = {"gfx1151"};
    kernel.known_findings.push_back({});
    kernel.known_findings[0].gate = 5;
    kernel.known_findings[0].chip = "gfx1151";
    kernel.known_findings[0].finding = "uses scratch";
    out.kernels.push_back(kernel);
    Control control;
    control.name = "a fault";
    control.of = "tile";
    control.at = {"registry/tiles.toml", 31};
    out.controls.push_back(control);
    return out;
}

struct Told {
    std::string rule, level, uri;
    int line = 0;
    bool operator==(const Told&) const = default;
};

std::vector<Told> told(const RunOutcome& run) {
    const std::string log = sarif_log(run, registry(), "/r");
    EXPECT_EQ(pm::testing::sarif_faults(log), std::vector<std::string>{}) << log;
    std::vector<Told> out;
    for (const auto& result : pm::testing::sarif_results(log)) {
        const auto& physical = result["locations"][0]["physicalLocation"];
        out.push_back(
            {result["ruleId"], result["level"], physical["artifactLocation"]["uri"], physical["region"]["startLine"]});
    }
    return out;
}

TEST(RunnerSarif, FindingsHaveTheirLineOrTheKernelsSource) {
    EXPECT_EQ(told(run_of_tile({gate_result(1, Status::kPass),
                                gate_result(2, Status::kFail, {{"LDS race", "here", "/r/kernels/tile.hip:12"}}),
                                gate_result(3, Status::kFail, {{"outside the oracle", "out[0]"}}),
                                gate_result(4, Status::kUnchecked, {}, {"unsupported instruction"})})),
              (std::vector<Told>{{"lds-race", "error", "kernels/tile.hip", 12},
                                 {"outside-the-oracle", "error", "kernels/tile.hip", 1},
                                 {"unchecked", "warning", "kernels/tile.hip", 1}}));
    EXPECT_EQ(told(run_of_tile({gate_result(2, Status::kFail, {{"LDS race", "here", "kernels/common.h:3"}})})),
              (std::vector<Told>{{"lds-race", "error", "kernels/common.h", 3}}))
        << "relative to the root, where the compiler ran";
}

TEST(RunnerSarif, KnownFindingsAreNone) {
    EXPECT_EQ(told(run_of_tile({gate_result(5, Status::kKnownFinding, {{"uses scratch", "48 bytes"}})})),
              std::vector<Told>{});
    EXPECT_EQ(told(run_of_tile({gate_result(5, Status::kFail,
                                            {{"uses scratch", "48 bytes"}, {"differs from the record", "vgpr"}})})),
              (std::vector<Told>{{"differs-from-the-record", "error", "kernels/tile.hip", 1}}));
}

TEST(RunnerSarif, WhereNoGateRanOrNoReasonIsGivenItIsUnchecked) {
    EXPECT_EQ(told(run_of_tile({})), (std::vector<Told>{{"unchecked", "warning", "kernels/tile.hip", 1}}));
    EXPECT_EQ(told(run_of_tile({gate_result(1, Status::kUnchecked)})),
              (std::vector<Told>{{"unchecked", "warning", "kernels/tile.hip", 1}}));
}

TEST(RunnerSarif, ControlsThatAreNotRedAreToldWhereTheyAreDeclared) {
    for (const auto& [verdict, wanted] : {std::pair{ControlVerdict::kRedAsPlanted, ""},
                                          {ControlVerdict::kNotAsked, ""},
                                          {ControlVerdict::kMissed, "control-missed"},
                                          {ControlVerdict::kUnchecked, "unchecked"}}) {
        RunOutcome run = run_of_tile({gate_result(1, Status::kPass)});
        run.controls.push_back({"a fault", "tile", "gfx1151", verdict, "because", {}, {}, {}});
        const auto results = told(run);
        if (*wanted == '\0') {
            EXPECT_TRUE(results.empty());
            continue;
        }
        ASSERT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].rule, wanted);
        EXPECT_EQ(results[0].uri, "registry/tiles.toml");
        EXPECT_EQ(results[0].line, 31);
    }
}

} // namespace
} // namespace hkc
