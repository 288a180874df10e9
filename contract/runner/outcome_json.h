// Outcomes as JSON: what a child tells its parent line by line, and the report that --json writes.
#pragma once

#include "contract/oracle/plugin.h"
#include "contract/runner/choose.h"
#include "contract/runner/judge.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// The version of the --json report. It changes whenever a field changes its meaning or goes.
inline constexpr int kReportSchema = 4;

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

/// One gate's result as an element of `gates[]`, and back. The latter throws nlohmann::json::exception where the JSON
/// is none.
nlohmann::ordered_json gate_json(const GateResult& result);
GateResult gate_from_json(const nlohmann::ordered_json& json);

/// `certificates[]`, and back. Nothing where the text is none.
nlohmann::ordered_json certificates_json(const std::vector<Certificate>& certificates);
std::optional<std::vector<Certificate>> read_certificates(std::string_view text);

/// What the report says of the run besides its outcomes.
struct RunDescription {
    std::string commit;                 // of the root's checkout; empty where there is none
    bool dirty = false;                 // the checkout differs from it
    std::string inputs;                 // hash_of_files(input_files())
    std::string device;                 // "rocm" or "embedded"
    std::string library;                // the HIP library, without its folder
    std::vector<OracleLibrary> oracles; // loaded_oracle_libraries()
    std::string toolchain;              // its id
    std::string compiler;               // the first line of what its --version printed
    std::string filter;
    std::uint64_t seed = 0;
    bool thorough = false;
    bool allow_unchecked = false;
    std::vector<std::string> registered; // every chip that a registration names
    Shard shard;
    std::size_t tasks = 0; // registrations and controls, a chip each, that all shards together run
};

/// The text of a report with, as its last field, the SHA-256 of the text without it.
std::string sealed_report(nlohmann::ordered_json report);

/// The --json report. docs/kernel-contract.md describes its fields.
std::string report_json(const RunOutcome& run, const RunDescription& description);

struct ReadReport {
    RunOutcome outcome;
    RunDescription description;
};
/// The report that report_json() wrote; what it says twice (counts, statuses) must agree. Error: what it is instead.
pm::Result<ReadReport> read_report(std::string_view text);

} // namespace hkc
