#include "contract/runner/outcome_json.h"

#include "contract/gates/gate.h"
#include "contract/records/records.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace hkc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kVerdicts = {ControlVerdict::kRedAsPlanted, ControlVerdict::kMissed, ControlVerdict::kUnchecked,
                                  ControlVerdict::kNotAsked};
constexpr std::array kStatuses = {Status::kPass, Status::kFail, Status::kKnownFinding, Status::kUnchecked};

// Texts may quote names from damaged objects; a report is written whatever bytes they hold.
std::string dump(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
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
    for (const GateResult& result : gates) json.push_back(gate_json(result));
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

Evidence evidence_of(const Json& json) {
    return {json.at("entry").get<std::string>(), json.at("object").get<std::string>(),
            json.at("fingerprint").get<std::string>()};
}

std::string source_of(const Json& json) { return json.value("source", std::string()); }

/// What a person reads, and its source line where there is one.
Json with_source(Json json, const std::string& source) {
    if (!source.empty()) json["source"] = source;
    return json;
}

std::vector<Certificate> certificates_of(const Json& json) {
    std::vector<Certificate> certificates;
    for (const Json& one : json) {
        Certificate certificate{one.at("kernel").get<std::string>(), pm::certify::Verdict::kUnchecked, {}};
        for (const Json& reason : one.at("reasons"))
            certificate.reasons.push_back({reason.at("text").get<std::string>(), source_of(reason)});
        for (const pm::certify::Verdict candidate : {pm::certify::Verdict::kCertified, pm::certify::Verdict::kOpen})
            if (one.at("verdict") == pm::certify::verdict_name(candidate)) certificate.verdict = candidate;
        certificates.push_back(std::move(certificate));
    }
    return certificates;
}

std::vector<GateResult> gates_of(const Json& json) {
    std::vector<GateResult> gates;
    for (const Json& result : json.at("gates")) gates.push_back(gate_from_json(result));
    return gates;
}

Json to_json(const std::vector<Cost>& costs) {
    Json json = Json::array();
    for (const Cost& cost : costs) {
        Json one = {{"kernel", cost.kernel}};
        for (const records::Field& field : records::fields()) one[field.name] = cost.resources.*field.value;
        one["waves_simd"] = cost.waves;
        json.push_back(std::move(one));
    }
    return json;
}

std::vector<Cost> costs_of(const Json& json) {
    std::vector<Cost> costs;
    for (const Json& one : json) {
        Cost cost;
        one.at("kernel").get_to(cost.kernel);
        for (const records::Field& field : records::fields()) one.at(field.name).get_to(cost.resources.*field.value);
        one.at("waves_simd").get_to(cost.waves);
        costs.push_back(std::move(cost));
    }
    return costs;
}

KernelOutcome kernel_of(const Json& json) {
    return {json.at("name").get<std::string>(),
            json.at("family").get<std::string>(),
            json.at("chip").get<std::string>(),
            gates_of(json),
            json.at("known_findings").get<std::vector<std::string>>(),
            device_of(json.at("fidelity")),
            evidence_of(json),
            certificates_of(json.at("certificates")),
            json.contains("resources") ? costs_of(json.at("resources")) : std::vector<Cost>{}};
}

ControlOutcome control_of(const Json& json) {
    ControlOutcome control{json.at("name").get<std::string>(), json.at("of").get<std::string>(),
                           json.at("chip").get<std::string>(), ControlVerdict::kUnchecked,
                           json.at("why").get<std::string>(),  gates_of(json),
                           device_of(json.at("fidelity")),     evidence_of(json)};
    const auto verdict = json.at("verdict").get<std::string>();
    for (const ControlVerdict candidate : kVerdicts)
        if (verdict_name(candidate) == verdict) control.verdict = candidate;
    return control;
}

RunDescription description_of(const Json& json) {
    RunDescription description;
    json.at("commit").get_to(description.commit);
    json.at("dirty").get_to(description.dirty);
    json.at("inputs").get_to(description.inputs);
    json.at("device").get_to(description.device);
    json.at("library").get_to(description.library);
    if (json.contains("oracles"))
        for (const Json& library : json.at("oracles"))
            description.oracles.push_back(
                {library.at("name").get<std::string>(), library.at("sha256").get<std::string>()});
    json.at("toolchain").get_to(description.toolchain);
    json.at("compiler").get_to(description.compiler);
    json.at("filter").get_to(description.filter);
    json.at("seed").get_to(description.seed);
    json.at("thorough").get_to(description.thorough);
    json.at("allow_unchecked").get_to(description.allow_unchecked);
    json.at("registered_chips").get_to(description.registered);
    json.at("tasks").get_to(description.tasks);
    if (const auto shard = parse_shard(json.at("shard").get<std::string>())) description.shard = *shard;
    return description;
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

Json gate_json(const GateResult& result) {
    Json findings = Json::array();
    for (const Finding& finding : result.findings)
        findings.push_back(with_source({{"kind", finding.kind}, {"text", finding.text}}, finding.source));
    const Gate* gate = find_gate(result.gate);
    return {{"gate", result.gate},
            {"name", gate != nullptr ? gate->name : ""},
            {"status", status_name(result.status)},
            {"checks", result.checks},
            {"launches", result.launches},
            {"findings", findings},
            {"unchecked", result.unchecked}};
}

GateResult gate_from_json(const Json& json) {
    GateResult result;
    json.at("gate").get_to(result.gate);
    json.at("checks").get_to(result.checks);
    json.at("launches").get_to(result.launches);
    json.at("unchecked").get_to(result.unchecked);
    for (const Json& finding : json.at("findings"))
        result.findings.push_back(
            {finding.at("kind").get<std::string>(), finding.at("text").get<std::string>(), source_of(finding)});
    const auto status = json.at("status").get<std::string>();
    for (const Status candidate : kStatuses)
        if (status_name(candidate) == status) result.status = candidate;
    return result;
}

Json certificates_json(const std::vector<Certificate>& certificates) {
    Json json = Json::array();
    for (const Certificate& one : certificates) {
        Json reasons = Json::array();
        for (const Certificate::Reason& reason : one.reasons)
            reasons.push_back(with_source({{"text", reason.text}}, reason.source));
        json.push_back(
            {{"kernel", one.kernel}, {"verdict", pm::certify::verdict_name(one.verdict)}, {"reasons", reasons}});
    }
    return json;
}

std::optional<std::vector<Certificate>> read_certificates(std::string_view text) {
    try {
        return certificates_of(Json::parse(text));
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::string line_of_start(std::uint32_t gate) { return dump({{"start", gate}}) + '\n'; }
std::string line_of_result(const GateResult& result) { return dump({{"result", gate_json(result)}}) + '\n'; }
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
                lines.gates.push_back(gate_from_json(json.at("result")));
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

std::string sealed_report(Json report) {
    report.erase("sha256");
    report["sha256"] = pm::sha256_hex(dump(report, 1));
    return dump(report, 1) + '\n';
}

std::string report_json(const RunOutcome& run, const RunDescription& description) {
    Json kernels = Json::array();
    for (const KernelOutcome& kernel : run.kernels) {
        kernels.push_back({{"name", kernel.name},
                           {"family", kernel.family},
                           {"chip", kernel.chip},
                           {"entry", kernel.evidence.entry},
                           {"object", kernel.evidence.object},
                           {"fingerprint", kernel.evidence.fingerprint},
                           {"status", status_name(worst(kernel.gates))},
                           {"known_findings", kernel.known},
                           {"certificates", certificates_json(kernel.certificates)},
                           {"gates", to_json(kernel.gates)},
                           {"fidelity", to_json(kernel.device)}});
        // No field where there is none: reports from before there were any stay the same bytes.
        if (!kernel.costs.empty()) kernels.back()["resources"] = to_json(kernel.costs);
    }
    Json controls = Json::array();
    for (const ControlOutcome& control : run.controls)
        controls.push_back({{"name", control.name},
                            {"of", control.of},
                            {"chip", control.chip},
                            {"entry", control.evidence.entry},
                            {"object", control.evidence.object},
                            {"fingerprint", control.evidence.fingerprint},
                            {"verdict", verdict_name(control.verdict)},
                            {"why", control.why},
                            {"gates", to_json(control.gates)},
                            {"fidelity", to_json(control.device)}});
    Json summary = Json::object();
    for (const std::string& chip : run.chips) summary[chip] = to_json(summarise(run, chip));
    Json report = {{"schema", kReportSchema},
                   {"tool", "hip-kernel-contract"},
                   {"commit", description.commit},
                   {"dirty", description.dirty},
                   {"inputs", description.inputs},
                   {"device", description.device},
                   {"library", description.library},
                   {"toolchain", description.toolchain},
                   {"compiler", description.compiler},
                   {"filter", description.filter},
                   {"seed", description.seed},
                   {"thorough", description.thorough},
                   {"allow_unchecked", description.allow_unchecked},
                   {"registered_chips", description.registered},
                   {"chips", run.chips},
                   {"gates", run.gates},
                   {"shard", shard_text(description.shard)},
                   {"tasks", description.tasks},
                   {"kernels", kernels},
                   {"controls", controls},
                   {"summary", summary},
                   {"exit_status", exit_status(run, description.allow_unchecked)}};
    for (const OracleLibrary& library : description.oracles)
        report["oracles"].push_back({{"name", library.name}, {"sha256", library.sha256}});
    return sealed_report(std::move(report));
}

pm::Result<ReadReport> read_report(std::string_view text) {
    ReadReport read;
    try {
        const Json json = Json::parse(text);
        if (!json.is_object() || json.value("tool", "") != "hip-kernel-contract")
            return pm::Error{"no report of hip-kernel-contract"};
        const Json schema = json.value("schema", Json());
        if (schema != kReportSchema)
            return pm::Error{fmt::format("a report of schema {}; expected {}", schema.dump(), kReportSchema)};
        if (json.contains("base"))
            return pm::Error{"the report holds a comparison with a base; expected one that was made without --base"};
        Json unsealed = json;
        unsealed.erase("sha256");
        if (pm::sha256_hex(dump(unsealed, 1)) != json.at("sha256").get<std::string>())
            return pm::Error{"the report was altered: its sha256 is not that of its text"};
        read.description = description_of(json);
        json.at("chips").get_to(read.outcome.chips);
        json.at("gates").get_to(read.outcome.gates);
        for (const Json& kernel : json.at("kernels")) read.outcome.kernels.push_back(kernel_of(kernel));
        for (const Json& control : json.at("controls")) read.outcome.controls.push_back(control_of(control));
    } catch (const Json::exception& e) {
        return pm::Error{fmt::format("a report that is cut off or damaged: {}", e.what())};
    }
    const std::string again = report_json(read.outcome, read.description);
    if (again == text) return read;
    const auto differs = std::mismatch(text.begin(), text.end(), again.begin(), again.end()).first;
    const auto line = 1 + std::count(text.begin(), differs, '\n');
    return pm::Error{fmt::format("line {}: the report was altered, or written by another version: its outcomes do not "
                                 "make what it says there",
                                 line)};
}

} // namespace hkc
