#include "contract/runner/outcome_json.h"

#include "contract/gates/gate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace hkc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kStatuses = {Status::kPass, Status::kFail, Status::kKnownFinding, Status::kUnchecked};

// Texts may quote names from damaged objects; a report is written whatever bytes they hold.
std::string dump(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const GateResult& result) {
    Json findings = Json::array();
    for (const Finding& finding : result.findings) findings.push_back({{"kind", finding.kind}, {"text", finding.text}});
    const Gate* gate = find_gate(result.gate);
    return {{"gate", result.gate},
            {"name", gate != nullptr ? gate->name : ""},
            {"status", status_name(result.status)},
            {"checks", result.checks},
            {"launches", result.launches},
            {"findings", findings},
            {"unchecked", result.unchecked}};
}

GateResult result_of(const Json& json) {
    GateResult result;
    json.at("gate").get_to(result.gate);
    json.at("checks").get_to(result.checks);
    json.at("launches").get_to(result.launches);
    json.at("unchecked").get_to(result.unchecked);
    for (const Json& finding : json.at("findings"))
        result.findings.push_back({finding.at("kind").get<std::string>(), finding.at("text").get<std::string>()});
    const auto status = json.at("status").get<std::string>();
    for (const Status candidate : kStatuses)
        if (status_name(candidate) == status) result.status = candidate;
    return result;
}

Json to_json(const DeviceReport& report) {
    return {{"exact", report.exact},
            {"approximate", report.approximate},
            {"notes", report.notes},
            {"unsupported", report.unsupported},
            {"instructions", report.instructions},
            {"lane_operations", report.lane_operations},
            {"launches", report.launches}};
}

DeviceReport device_of(const Json& json) {
    DeviceReport report;
    json.at("exact").get_to(report.exact);
    json.at("approximate").get_to(report.approximate);
    json.at("notes").get_to(report.notes);
    json.at("unsupported").get_to(report.unsupported);
    json.at("instructions").get_to(report.instructions);
    json.at("lane_operations").get_to(report.lane_operations);
    json.at("launches").get_to(report.launches);
    return report;
}

Json to_json(const std::vector<GateResult>& gates) {
    Json json = Json::array();
    for (const GateResult& result : gates) json.push_back(to_json(result));
    return json;
}

/// Of all gates: a fail, else something unchecked, else a known finding, else pass.
Status worst(const std::vector<GateResult>& gates) {
    Status status = gates.empty() ? Status::kUnchecked : Status::kPass;
    for (const Status candidate : {Status::kKnownFinding, Status::kUnchecked, Status::kFail})
        for (const GateResult& result : gates)
            if (result.status == candidate) status = candidate;
    return status;
}

Json to_json(const ChipSummary& s) {
    Json launches = Json::object();
    for (const auto& [gate, count] : s.launches) launches[std::to_string(gate)] = count;
    return {{"kernels", s.kernels},
            {"pass", s.pass},
            {"fail", s.fail},
            {"known_findings", s.known},
            {"unchecked", s.unchecked},
            {"controls", s.controls},
            {"red_as_planted", s.red},
            {"missed", s.missed},
            {"controls_unchecked", s.controls_unchecked},
            {"not_asked_here", s.not_asked},
            {"limit_problems", s.limit_problems},
            {"limits_unchecked", s.limits_unchecked},
            {"launches", launches},
            {"fidelity", to_json(s.device)}};
}

} // namespace

std::string line_of_start(std::uint32_t gate) { return dump({{"start", gate}}) + '\n'; }
std::string line_of_result(const GateResult& result) { return dump({{"result", to_json(result)}}) + '\n'; }
std::string line_of_end(const DeviceReport& totals) { return dump({{"end", to_json(totals)}}) + '\n'; }

pm::Result<ChildLines> read_child_lines(std::string_view text) {
    ChildLines lines;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        try {
            const Json json = Json::parse(line);
            if (json.contains("start")) {
                lines.unfinished = json.at("start").get<std::uint32_t>();
            } else if (json.contains("result")) {
                lines.gates.push_back(result_of(json.at("result")));
                lines.unfinished.reset();
            } else {
                lines.totals = device_of(json.at("end"));
            }
        } catch (const Json::exception& e) {
            return pm::Error{fmt::format("a child's line: {}; read: {}", e.what(), line)};
        }
    }
    return lines;
}

std::string report_json(const RunOutcome& run, const RunDescription& description) {
    Json kernels = Json::array();
    for (const KernelOutcome& kernel : run.kernels)
        kernels.push_back({{"name", kernel.name},
                           {"family", kernel.family},
                           {"chip", kernel.chip},
                           {"status", status_name(worst(kernel.gates))},
                           {"known_findings", kernel.known},
                           {"gates", to_json(kernel.gates)}});
    Json controls = Json::array();
    for (const ControlOutcome& control : run.controls)
        controls.push_back({{"name", control.name},
                            {"of", control.of},
                            {"chip", control.chip},
                            {"verdict", verdict_name(control.verdict)},
                            {"why", control.why},
                            {"gates", to_json(control.gates)}});
    Json summary = Json::object();
    for (const std::string& chip : run.chips) summary[chip] = to_json(summarise(run, chip));
    const Json report = {{"schema", kReportSchema},
                         {"tool", "hip-kernel-contract"},
                         {"device", description.device},
                         {"library", description.library},
                         {"toolchain", description.toolchain},
                         {"filter", description.filter},
                         {"seed", description.seed},
                         {"thorough", description.thorough},
                         {"chips", run.chips},
                         {"gates", run.gates},
                         {"kernels", kernels},
                         {"controls", controls},
                         {"summary", summary},
                         {"exit_status", exit_status(run, description.allow_unchecked)}};
    return dump(report, 1) + '\n';
}

} // namespace hkc
