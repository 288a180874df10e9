// Outcomes as JSON: what a child tells its parent line by line, and the report that --json writes.
#pragma once

#include "contract/runner/judge.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// The version of the --json report. It changes whenever a field changes its meaning or goes.
inline constexpr int kReportSchema = 1;

/// A child's lines: a gate starts, a gate has ended, all is done.
std::string line_of_start(std::uint32_t gate);
std::string line_of_result(const GateResult& result);
std::string line_of_end(const DeviceReport& totals);

/// What the lines say.
struct ChildLines {
    std::vector<GateResult> gates;
    std::optional<std::uint32_t> unfinished; // a gate that started and did not end
    std::optional<DeviceReport> totals;      // there once all is done
};
/// Error: a line that is none of the three. A last line without its newline was cut off by a crash, and is left out.
pm::Result<ChildLines> read_child_lines(std::string_view text);

/// What the report says of the run besides its outcomes.
struct RunDescription {
    std::string device;    // "rocm" or "embedded"
    std::string library;   // the HIP library, without its folder
    std::string toolchain; // its id
    std::string filter;
    std::uint64_t seed = 0;
    bool thorough = false;
    bool allow_unchecked = false;
};

/// The --json report. docs/kernel-contract.md describes its fields.
std::string report_json(const RunOutcome& run, const RunDescription& description);

} // namespace hkc
