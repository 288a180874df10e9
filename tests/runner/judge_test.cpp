#include "contract/runner/judge.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

GateResult passed(std::uint32_t gate) {
    GateResult result;
    result.gate = gate;
    result.status = Status::kPass;
    result.checks = 1;
    result.launches = 2;
    return result;
}

GateResult failed(std::uint32_t gate, const std::vector<std::string>& kinds) {
    GateResult result = passed(gate);
    result.status = Status::kFail;
    for (const std::string& kind : kinds) result.findings.push_back({kind, "there"});
    return result;
}

GateResult unchecked(std::uint32_t gate) {
    GateResult result = passed(gate);
    result.status = Status::kUnchecked;
    result.unchecked = {"unsupported instruction v_foo"};
    return result;
}

Control control_at(std::uint32_t gate, std::vector<std::string> kinds) {
    Control control;
    control.name = "a fault";
    control.of = "tile";
    control.red_at = gate;
    control.findings = std::move(kinds);
    return control;
}

struct ControlCase {
    const char* what;
    std::vector<GateResult> gates;
    ControlVerdict expected;
};

TEST(JudgeControl, IsRedOnlyWhereTheFirstFailingGateAndItsFirstFindingAreThePlantedOnes) {
    const Control control = control_at(3, {"outside the oracle", "NaN lost"});
    const Kernel twin;
    const ControlCase cases[] = {
        {"the planted gate and kind",
         {passed(1), passed(2), failed(3, {"outside the oracle"})},
         ControlVerdict::kRedAsPlanted},
        {"another kind it names",
         {passed(1), passed(2), failed(3, {"NaN lost", "crash"})},
         ControlVerdict::kRedAsPlanted},
        {"the kind is there, but not first",
         {passed(1), passed(2), failed(3, {"crash", "NaN lost"})},
         ControlVerdict::kMissed},
        {"an earlier gate", {passed(1), failed(2, {"outside the oracle"})}, ControlVerdict::kMissed},
        {"a good kernel", {passed(1), passed(2), passed(3)}, ControlVerdict::kMissed},
        {"a later gate", {passed(1), passed(2), passed(3), failed(4, {"NaN lost"})}, ControlVerdict::kMissed},
        {"nothing ran", {}, ControlVerdict::kMissed},
        {"a time-out that it does not name", {passed(1), failed(2, {"time-out"})}, ControlVerdict::kMissed},
        {"an earlier gate could not ask",
         {passed(1), unchecked(2), failed(3, {"outside the oracle"})},
         ControlVerdict::kUnchecked},
        {"its own gate could not ask", {passed(1), passed(2), unchecked(3)}, ControlVerdict::kUnchecked},
    };
    for (const ControlCase& c : cases) {
        ControlOutcome outcome;
        outcome.chip = "gfx1151";
        outcome.gates = c.gates;
        judge_control(control, twin, outcome);
        EXPECT_EQ(verdict_name(outcome.verdict), verdict_name(c.expected)) << c.what;
        EXPECT_EQ(outcome.why.empty(), c.expected == ControlVerdict::kRedAsPlanted) << c.what;
    }
}

TEST(JudgeControl, ACrashIsRedForAControlThatNamesIt) {
    ControlOutcome outcome;
    outcome.gates = {failed(1, {"crash"})};
    judge_control(control_at(1, {"crash"}), Kernel{}, outcome);
    EXPECT_EQ(outcome.verdict, ControlVerdict::kRedAsPlanted);
}

TEST(DoubtControl, AFaultProvesNothingWhereItsRegistrationIsAsRedWithoutIt) {
    const auto verdict_beside = [](const std::string& name, const std::string& chip, GateResult gate) {
        RunOutcome run;
        run.kernels.emplace_back().name = name;
        run.kernels[0].chip = chip;
        run.kernels[0].gates = {passed(1), std::move(gate)};
        ControlOutcome outcome;
        outcome.of = "tile";
        outcome.chip = "gfx1151";
        outcome.verdict = ControlVerdict::kRedAsPlanted;
        outcome.gates = {passed(1), failed(4, {"NaN lost"})};
        doubt_control(run, outcome);
        EXPECT_EQ(outcome.why.empty(), outcome.verdict == ControlVerdict::kRedAsPlanted);
        return verdict_name(outcome.verdict);
    };
    EXPECT_EQ(verdict_beside("tile", "gfx1151", failed(4, {"outside the oracle", "NaN lost"})), "unchecked");
    EXPECT_EQ(verdict_beside("tile", "gfx1151", passed(4)), "red as planted");
    EXPECT_EQ(verdict_beside("tile", "gfx1151", failed(4, {"outside the oracle"})), "red as planted") << "another kind";
    EXPECT_EQ(verdict_beside("tile", "gfx1151", failed(3, {"NaN lost"})), "red as planted") << "another gate";
    EXPECT_EQ(verdict_beside("tile", "gfx1030", failed(4, {"NaN lost"})), "red as planted") << "another chip";
    EXPECT_EQ(verdict_beside("twin", "gfx1151", failed(4, {"NaN lost"})), "red as planted") << "another registration";
}

TEST(DoubtControl, WhatIsRedWhereItsRegistrationIsWasNotAskedForItsFault) {
    const auto verdict_beside = [](GateResult registration, GateResult red) {
        const Control control = control_at(4, {"NaN lost"});
        RunOutcome run;
        run.kernels.emplace_back().name = "tile";
        run.kernels[0].chip = "gfx1151";
        run.kernels[0].gates = {passed(1), std::move(registration)};
        ControlOutcome outcome;
        outcome.of = "tile";
        outcome.chip = "gfx1151";
        outcome.gates = {passed(1), std::move(red)};
        judge_control(control, Kernel{}, outcome);
        EXPECT_EQ(outcome.verdict, ControlVerdict::kMissed);
        doubt_control(run, outcome);
        EXPECT_EQ(outcome.why.find("the registration itself fails gate") != std::string::npos,
                  outcome.verdict == ControlVerdict::kUnchecked)
            << outcome.why;
        return verdict_name(outcome.verdict);
    };
    EXPECT_EQ(verdict_beside(failed(3, {"outside the oracle"}), failed(3, {"outside the oracle"})), "unchecked");
    EXPECT_EQ(verdict_beside(failed(3, {"input changed"}), failed(3, {"outside the oracle"})), "unchecked");
    EXPECT_EQ(verdict_beside(failed(4, {"input changed"}), failed(4, {"input changed"})), "unchecked");
    EXPECT_EQ(verdict_beside(passed(3), failed(3, {"outside the oracle"})), "missed");
    EXPECT_EQ(verdict_beside(failed(2, {"input changed"}), failed(3, {"outside the oracle"})), "missed");
    EXPECT_EQ(verdict_beside(failed(3, {"outside the oracle"}), passed(4)), "missed") << "red nowhere";
}

Kernel with_known(std::uint32_t gate, const std::string& chip, const std::string& finding) {
    Kernel kernel;
    kernel.name = "tile";
    kernel.known_findings.push_back({gate, chip, finding, "issue 7", {"f.toml", 12}});
    return kernel;
}

TEST(JudgeControl, WhatItsRegistrationIsKnownForDoesNotMakeItRed) {
    ControlOutcome outcome;
    outcome.chip = "gfx1151";
    outcome.gates = {failed(1, {"HIP error"}), failed(2, {"input changed"})};
    judge_control(control_at(2, {"input changed"}), with_known(1, "gfx1151", "HIP error"), outcome);
    EXPECT_EQ(outcome.verdict, ControlVerdict::kRedAsPlanted);
    judge_control(control_at(1, {"HIP error"}), with_known(1, "gfx1151", "HIP error"), outcome);
    EXPECT_EQ(outcome.verdict, ControlVerdict::kMissed);
}

TEST(KnownFindings, AGateWhoseFindingsAreAllKnownIsAKnownFinding) {
    const Kernel kernel = with_known(5, "gfx1030", "uses scratch");
    std::vector<GateResult> gates{passed(1), failed(5, {"uses scratch"})};
    const auto occurred = apply_known_findings(kernel, "gfx1030", gates);
    EXPECT_EQ(gates[1].status, Status::kKnownFinding);
    ASSERT_EQ(occurred.size(), 1U);
    EXPECT_NE(occurred[0].find("issue 7"), std::string::npos);
}

TEST(KnownFindings, AnotherFindingBesideItStillFails) {
    const Kernel kernel = with_known(5, "gfx1030", "uses scratch");
    std::vector<GateResult> gates{failed(5, {"uses scratch", "differs from the record"})};
    (void)apply_known_findings(kernel, "gfx1030", gates);
    EXPECT_EQ(gates[0].status, Status::kFail);
}

TEST(KnownFindings, OneThatNoLongerOccursIsStaleAndFails) {
    const Kernel kernel = with_known(5, "gfx1030", "uses scratch");
    std::vector<GateResult> gates{passed(5)};
    EXPECT_TRUE(apply_known_findings(kernel, "gfx1030", gates).empty());
    EXPECT_EQ(gates[0].status, Status::kFail);
    ASSERT_EQ(gates[0].findings.size(), 1U);
    EXPECT_EQ(gates[0].findings[0].kind, kind::kStaleKnownFinding);
    EXPECT_NE(gates[0].findings[0].text.find("f.toml:12"), std::string::npos);
}

TEST(KnownFindings, OneOfAnotherChipOrOfAGateThatCouldNotAskIsNotStale) {
    const Kernel kernel = with_known(5, "gfx1030", "uses scratch");
    std::vector<GateResult> other_chip{passed(5)};
    (void)apply_known_findings(kernel, "gfx1151", other_chip);
    EXPECT_EQ(other_chip[0].status, Status::kPass);
    std::vector<GateResult> not_asked{unchecked(5)};
    (void)apply_known_findings(kernel, "gfx1030", not_asked);
    EXPECT_EQ(not_asked[0].status, Status::kUnchecked);
}

TEST(KnownFindings, AKnownFindingDoesNotHideWhatWasNotAsked) {
    const Kernel kernel = with_known(5, "gfx1030", "uses scratch");
    std::vector<GateResult> gates{failed(5, {"uses scratch"})};
    gates[0].unchecked = {"not comparable"};
    (void)apply_known_findings(kernel, "gfx1030", gates);
    EXPECT_EQ(gates[0].status, Status::kUnchecked);
}

KernelOutcome kernel_outcome(std::vector<GateResult> gates) {
    return {"tile", "f", "gfx1151", std::move(gates), {}, {}, {}, {}};
}

ControlOutcome control_outcome(ControlVerdict verdict) {
    return {"c", "tile", "gfx1151", verdict, "", {passed(1)}, {}, {}};
}

RunOutcome run_of(std::vector<KernelOutcome> kernels, std::vector<ControlOutcome> controls) {
    return {{"gfx1151"}, {1, 2, 3, 4, 5}, std::move(kernels), std::move(controls)};
}

TEST(Summary, IsTheLineOfTheDesign) {
    RunOutcome run = run_of({}, {});
    for (int i = 0; i < 162; ++i)
        run.kernels.push_back(kernel_outcome({passed(1), passed(2), passed(3), passed(4), passed(5)}));
    run.kernels[3].known = {"a", "b"};
    run.kernels[4].gates[4] = failed(5, {"differs from the record", "differs from the record", "uses scratch"});
    for (int i = 0; i < 44; ++i) run.controls.push_back(control_outcome(ControlVerdict::kRedAsPlanted));
    EXPECT_EQ(summary_line(summarise(run, "gfx1151"), "gfx1151", run.gates),
              "SUMMARY gfx1151 162 kernels: 162 pass gates 1-4, 0 fail, 2 known findings; 44 controls: 44 red as "
              "planted, 0 missed; 3 limit problems");
    EXPECT_EQ(summarise(run, "gfx1151").launches.at(1), (162U + 44) * 2);
    EXPECT_EQ(summarise(run, "gfx1030").kernels, 0U);
}

TEST(Summary, SaysWhatWasNotAsked) {
    RunOutcome run = run_of({kernel_outcome({passed(1), unchecked(2)}),
                             kernel_outcome({passed(1), failed(2, {"crash"})}), kernel_outcome({passed(1), passed(2)})},
                            {control_outcome(ControlVerdict::kNotAsked), control_outcome(ControlVerdict::kMissed),
                             control_outcome(ControlVerdict::kUnchecked)});
    run.gates = {1, 2};
    EXPECT_EQ(summary_line(summarise(run, "gfx1151"), "gfx1151", run.gates),
              "SUMMARY gfx1151 3 kernels: 1 pass gates 1-2, 1 fail, 0 known findings, 1 unchecked; 2 controls: 0 red "
              "as planted, 1 missed, 1 unchecked, 1 not asked here; limits not asked");
}

TEST(GatesText, JoinsRanges) {
    EXPECT_EQ(gates_text({1, 2, 3, 4}), "1-4");
    EXPECT_EQ(gates_text({2}), "2");
    EXPECT_EQ(gates_text({1, 2, 4}), "1-2,4");
}

struct ExitCase {
    const char* what;
    RunOutcome run;
    int status, with_allow_unchecked;
};

TEST(ExitStatus, IsZeroOnlyWhereAllIsAsContracted) {
    const auto good = kernel_outcome({passed(1), passed(2)});
    RunOutcome known = run_of({good}, {});
    known.kernels[0].gates[1].status = Status::kKnownFinding;
    const ExitCase cases[] = {
        {"all pass", run_of({good}, {control_outcome(ControlVerdict::kRedAsPlanted)}), 0, 0},
        {"a known finding", known, 0, 0},
        {"a fail", run_of({good, kernel_outcome({failed(1, {"crash"})})}, {}), 1, 1},
        {"a missed control", run_of({good}, {control_outcome(ControlVerdict::kMissed)}), 1, 1},
        {"unchecked", run_of({good, kernel_outcome({unchecked(1)})}, {}), 1, 0},
        {"an unchecked control", run_of({good}, {control_outcome(ControlVerdict::kUnchecked)}), 1, 0},
        {"nothing but unchecked", run_of({kernel_outcome({unchecked(1)})}, {}), 1, 1},
        {"not asked here does not fail", run_of({good}, {control_outcome(ControlVerdict::kNotAsked)}), 0, 0},
        {"nothing but not asked here", run_of({}, {control_outcome(ControlVerdict::kNotAsked)}), 1, 1},
        {"a registration without a gate", run_of({good, kernel_outcome({})}, {}), 1, 1},
        {"nothing", run_of({}, {}), 1, 1},
    };
    for (const ExitCase& c : cases) {
        EXPECT_EQ(exit_status(c.run, false), c.status) << c.what;
        EXPECT_EQ(exit_status(c.run, true), c.with_allow_unchecked) << c.what;
    }
}

} // namespace
} // namespace hkc
