#include "contract/runner/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace hkc {
namespace {

using Lines = std::vector<std::string>;

constexpr std::uint64_t kWaveLanes = 32;

bool is_lower_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void evidence_faults(const std::string& who, const Evidence& evidence, bool built, Lines& faults) {
    if (!is_sha256(evidence.entry))
        faults.push_back(fmt::format("{}: its declaration's hash is \"{}\"; expected a SHA-256", who, evidence.entry));
    if (!built) {
        if (!evidence.object.empty() || !evidence.fingerprint.empty())
            faults.push_back(who + ": not asked, yet it names an object");
        return;
    }
    if (!is_sha256(evidence.object))
        faults.push_back(fmt::format("{}: its object's hash is \"{}\"; expected a SHA-256", who, evidence.object));
    if (evidence.fingerprint.empty()) faults.push_back(who + ": its fingerprint is empty");
}

/// Findings that end a child before it tells all of its counts.
bool cut_off(const std::vector<GateResult>& gates) {
    return std::any_of(gates.begin(), gates.end(), [](const GateResult& result) {
        return !result.unchecked.empty() ||
               std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
                   return finding.kind == kind::kCrash || finding.kind == kind::kTimeOut ||
                          finding.kind == kind::kHipError;
               });
    });
}

void gate_faults(const std::string& who, const std::vector<GateResult>& gates, Lines& faults) {
    const std::vector<std::string>& kinds = finding_kinds();
    for (const GateResult& result : gates) {
        for (const Finding& finding : result.findings) {
            if (std::find(kinds.begin(), kinds.end(), finding.kind) == kinds.end())
                faults.push_back(fmt::format("{} gate {}: no gate finds \"{}\"", who, result.gate, finding.kind));
            if (finding.text.find_first_not_of(" \t\n") == std::string::npos)
                faults.push_back(fmt::format("{} gate {}: a finding without a text", who, result.gate));
        }
        const bool passed = result.status == Status::kPass;
        const bool made =
            passed ? result.findings.empty() && result.unchecked.empty() && result.checks > 0
                   : !(result.status == Status::kUnchecked ? result.unchecked.empty() : result.findings.empty());
        if (!made)
            faults.push_back(fmt::format("{} gate {}: {} with {} findings, {} reasons and {} checks", who, result.gate,
                                         status_name(result.status), result.findings.size(), result.unchecked.size(),
                                         result.checks));
        if (result.gate == kLimitsGate && result.launches != 0)
            faults.push_back(fmt::format("{} gate 5: launches {} times; expected none", who, result.launches));
        if (passed && result.gate < kLimitsGate && result.launches == 0)
            faults.push_back(fmt::format("{} gate {}: passes without a launch", who, result.gate));
    }
}

void device_faults(const std::string& who, const std::vector<GateResult>& gates, const DeviceReport& device,
                   Lines& faults) {
    if (cut_off(gates)) return;
    std::uint64_t launches = 0;
    for (const GateResult& result : gates) launches += result.launches;
    if (device.launches != launches)
        faults.push_back(
            fmt::format("{}: the device counts {} launches, the gates {}", who, device.launches, launches));
    if (!device.unsupported.empty()) faults.push_back(who + ": an unsupported instruction, and nothing unchecked");
    if (device.exact + device.approximate != device.instructions)
        faults.push_back(fmt::format("{}: {} instructions are not {} exact and {} approximate ones", who,
                                     device.instructions, device.exact, device.approximate));
    if (device.lane_operations > device.instructions * kWaveLanes)
        faults.push_back(fmt::format("{}: {} operations of lanes, {} instructions of {} lanes", who,
                                     device.lane_operations, device.instructions, kWaveLanes));
    if ((device.approximate == 0) != device.notes.empty())
        faults.push_back(who + ": approximate instructions and their notes do not agree");
}

/// A control's gates are the first ones, each once, in order.
void order_faults(const std::string& who, const ControlOutcome& control, Lines& faults) {
    for (std::size_t i = 0; i < control.gates.size(); ++i)
        if (control.gates[i].gate != i + 1)
            faults.push_back(fmt::format("{}: gate {} at place {}", who, control.gates[i].gate, i + 1));
}

/// What all of a run share, whichever shard they were in.
void shared_faults(const RunOutcome& run, Lines& faults) {
    using Name = std::pair<std::string, std::string>;
    std::map<std::string, std::string> entries;      // of a registration, on every chip
    std::map<std::string, std::string> plants;       // of a control
    std::map<Name, Evidence> builds;                 // of a family on a chip
    std::map<Name, const Certificate*> certificates; // of a kernel of an object
    std::map<Name, const Cost*> costs;               // the same
    std::map<Name, Name> families;                   // of a registration on a chip
    const auto same = [&](auto& map, const auto& key, const auto& value, const std::string& fault) {
        const auto [at, added] = map.emplace(key, value);
        if (!added && at->second != value) faults.push_back(fault);
    };
    for (const KernelOutcome& kernel : run.kernels) {
        const std::string who = fmt::format("{} {}", kernel.chip, kernel.name);
        const Name build{kernel.chip, kernel.family};
        families[{kernel.chip, kernel.name}] = build;
        same(entries, kernel.name, kernel.evidence.entry, who + ": its declaration's hash is not that of other chips");
        Evidence built = kernel.evidence;
        built.entry.clear();
        same(builds, build, built, fmt::format("{}: its object is not that of family {}", who, kernel.family));
        for (const Certificate& one : kernel.certificates) {
            const auto [at, added] = certificates.emplace(Name{kernel.evidence.object, one.kernel}, &one);
            if (!added && *at->second != one)
                faults.push_back(fmt::format("{}: {} of one object has two verdicts", who, one.kernel));
        }
        for (const Cost& one : kernel.costs) {
            const auto [at, added] = costs.emplace(Name{kernel.evidence.object, one.kernel}, &one);
            if (!added && *at->second != one)
                faults.push_back(fmt::format("{}: {} of one object costs two different things", who, one.kernel));
        }
    }
    for (const ControlOutcome& control : run.controls) {
        const std::string who = fmt::format("{} control \"{}\"", control.chip, control.name);
        same(plants, control.name, control.evidence.entry + control.of,
             who + ": its declaration's hash is not that of other chips");
        const auto family = families.find({control.chip, control.of});
        if (family != families.end() && control.verdict != ControlVerdict::kNotAsked &&
            builds[family->second].fingerprint != control.evidence.fingerprint)
            faults.push_back(fmt::format("{}: it and {} name different compilers or flags", who, control.of));
    }
}

} // namespace

bool is_commit_hash(std::string_view text) { return (text.size() == 40 || text.size() == 64) && is_lower_hex(text); }
bool is_sha256(std::string_view text) { return text.size() == 64 && is_lower_hex(text); }

Lines form_faults(const ReadReport& run) {
    Lines faults;
    const bool embedded = run.description.device == "embedded";
    if (!embedded && run.description.device != "rocm")
        faults.push_back(fmt::format("no device is called \"{}\"", run.description.device));
    if (run.description.library.empty() || run.description.library.find('/') != std::string::npos)
        faults.push_back(fmt::format("no HIP library is called \"{}\"", run.description.library));
    for (const KernelOutcome& kernel : run.outcome.kernels) {
        const std::string who = fmt::format("{} {}", kernel.chip, kernel.name);
        evidence_faults(who, kernel.evidence, true, faults);
        gate_faults(who, kernel.gates, faults);
        if (embedded) device_faults(who, kernel.gates, kernel.device, faults);
        for (const Certificate& one : kernel.certificates)
            if ((one.verdict == pm::certify::Verdict::kCertified) != one.reasons.empty())
                faults.push_back(fmt::format("{}: {} is {}, with {} reasons", who, one.kernel,
                                             pm::certify::verdict_name(one.verdict), one.reasons.size()));
    }
    for (const ControlOutcome& control : run.outcome.controls) {
        const std::string who = fmt::format("{} control \"{}\"", control.chip, control.name);
        evidence_faults(who, control.evidence, control.verdict != ControlVerdict::kNotAsked, faults);
        gate_faults(who, control.gates, faults);
        order_faults(who, control, faults);
        if (embedded) device_faults(who, control.gates, control.device, faults);
    }
    shared_faults(run.outcome, faults);
    return faults;
}

} // namespace hkc
