#include "contract/runner/junit.h"

#include "tests/runner/outcomes.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

void add_control(RunOutcome& run, const std::string& name, ControlVerdict verdict) {
    ControlOutcome control;
    control.name = name;
    control.of = "tile";
    control.chip = "gfx1151";
    control.verdict = verdict;
    control.why = "because";
    run.controls.push_back(std::move(control));
}

bool red(const std::string& xml) {
    return xml.find("<failure") != std::string::npos || xml.find("<error") != std::string::npos;
}

TEST(Junit, EveryGateAndControlIsACaseOfItsOwnKind) {
    RunOutcome run =
        run_of_tile({gate_result(1, Status::kPass),
                     gate_result(2, Status::kFail, {{"guard overwritten", "out: a < b & \"c\"\nline\x01 two \xff"}}),
                     gate_result(3, Status::kKnownFinding, {{"outside the oracle", "out[0]"}}),
                     gate_result(4, Status::kUnchecked, {}, {"unsupported instruction v_foo"})});
    add_control(run, "a fault", ControlVerdict::kRedAsPlanted);
    add_control(run, "another <fault>", ControlVerdict::kMissed);
    add_control(run, "a third", ControlVerdict::kUnchecked);
    add_control(run, "a fourth", ControlVerdict::kNotAsked);
    EXPECT_EQ(junit_xml(run, false), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hip-kernel-contract">
  <testsuite name="gfx1151" tests="8" failures="2" errors="2" skipped="2">
    <testcase classname="gfx1151.tiles" name="tile gate 1 load"/>
    <testcase classname="gfx1151.tiles" name="tile gate 2 memory">
      <failure type="guard overwritten" message="guard overwritten">guard overwritten: out: a &lt; b &amp; &quot;c&quot;&#10;line? two )"
                                     "\xef\xbf\xbd"
                                     R"(&#10;</failure>
    </testcase>
    <testcase classname="gfx1151.tiles" name="tile gate 3 shapes">
      <skipped message="known finding: outside the oracle">outside the oracle: out[0]&#10;</skipped>
    </testcase>
    <testcase classname="gfx1151.tiles" name="tile gate 4 edges">
      <error type="unchecked" message="unchecked: unsupported instruction v_foo">unchecked: unsupported instruction v_foo&#10;</error>
    </testcase>
    <testcase classname="gfx1151.control" name="&quot;a fault&quot; of tile"/>
    <testcase classname="gfx1151.control" name="&quot;another &lt;fault&gt;&quot; of tile">
      <failure type="missed" message="missed: because"/>
    </testcase>
    <testcase classname="gfx1151.control" name="&quot;a third&quot; of tile">
      <error type="unchecked" message="unchecked: because"/>
    </testcase>
    <testcase classname="gfx1151.control" name="&quot;a fourth&quot; of tile">
      <skipped message="not asked here: because"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(Junit, IsRedExactlyWhereTheRunFails) {
    const GateResult pass = gate_result(1, Status::kPass), fail = gate_result(2, Status::kFail, {{"crash", "x"}}),
                     unchecked = gate_result(3, Status::kUnchecked, {}, {"why"}),
                     known = gate_result(4, Status::kKnownFinding, {{"crash", "x"}});
    for (const auto& gates : std::vector<std::vector<GateResult>>{
             {pass}, {fail}, {unchecked}, {known}, {pass, unchecked}, {pass, fail, unchecked}, {known, unchecked}, {}})
        for (const bool allowed : {false, true})
            for (const int verdict : {-1, 0, 1, 2, 3}) {
                RunOutcome run = run_of_tile(gates);
                if (verdict >= 0) add_control(run, "fault", static_cast<ControlVerdict>(verdict));
                EXPECT_EQ(red(junit_xml(run, allowed)), exit_status(run, allowed) != 0)
                    << gates.size() << " gates, allowed " << allowed << ", verdict " << verdict << "\n"
                    << junit_xml(run, allowed);
            }
}

TEST(Junit, NothingJudgedIsRed) {
    RunOutcome run;
    run.chips = {"gfx1151"};
    add_control(run, "a fault", ControlVerdict::kNotAsked);
    EXPECT_EQ(exit_status(run, true), 1);
    EXPECT_TRUE(red(junit_xml(run, true))) << junit_xml(run, true);
}

TEST(Junit, WhatIsAllowedToBeUncheckedIsSkippedAndNoPass) {
    const RunOutcome run =
        run_of_tile({gate_result(1, Status::kPass), gate_result(4, Status::kUnchecked, {}, {"no records"})});
    const std::string xml = junit_xml(run, true);
    EXPECT_NE(xml.find("<skipped message=\"unchecked: no records\""), std::string::npos) << xml;
}

} // namespace
} // namespace hkc
