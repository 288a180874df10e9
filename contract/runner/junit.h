// A run as JUnit XML, for CI services that show test results.
#pragma once

#include "contract/runner/judge.h"

#include <string>

namespace hkc {

/// One <testsuite> a chip, one <testcase> a registration, chip and gate, and one a control and chip. A fail or a missed
/// control is a <failure>. What is unchecked is an <error>, or, where that is allowed and something was judged, a
/// <skipped> with its reason; a known finding and a control that is not asked here are <skipped>. So there is a
/// <failure> or an <error> exactly where exit_status(run, allow_unchecked) is 1. Holds no times: a report is the same
/// each time.
std::string junit_xml(const RunOutcome& run, bool allow_unchecked);

} // namespace hkc
