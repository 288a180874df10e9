// The run's result as lines for a person or a log: what is not a pass, then a chip's counts.
#pragma once

#include "contract/runner/choose.h"
#include "contract/runner/judge.h"

#include <string>
#include <string_view>

namespace hkc {

/// One line a registration and gate that is not a pass, and how to record what differs from the records of `toolchain`
/// where anything does; one a control that is not red as planted; then, a chip: the launches of each gate, the fidelity
/// of the device where it tells, and the SUMMARY line. With `colour`, verdicts are coloured for a terminal.
std::string run_lines(const RunOutcome& run, std::string_view toolchain, bool colour);

/// What --list prints: each registration and control of the tasks once, expanded, with the chips that it is selected
/// on; registrations first, both in the order of the registry.
std::string list_lines(const Registry& registry, const std::vector<Task>& tasks);

} // namespace hkc
