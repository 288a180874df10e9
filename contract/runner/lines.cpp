#include "contract/runner/lines.h"

#include "contract/gates/gate.h"
#include "contract/records/lines.h"
#include "contract/runner/choose.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc {
namespace {

std::string painted(std::string_view word, bool bad, bool colour) {
    if (!colour) return std::string(word);
    return fmt::format("\x1b[{}m{}\x1b[0m", bad ? 31 : 33, word);
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string gate_line(const std::string& chip, const std::string& name, const GateResult& result, bool colour) {
    const Gate* gate = find_gate(result.gate);
    std::string line = fmt::format(
        "{} {} {} gate {} {}: ", painted(status_name(result.status), result.status == Status::kFail, colour), chip,
        name, result.gate, gate != nullptr ? gate->name : "");
    std::size_t further = result.findings.size() + result.unchecked.size();
    if (!result.findings.empty())
        line += fmt::format("{}: {}", result.findings.front().kind, result.findings.front().text);
    else if (!result.unchecked.empty())
        line += result.unchecked.front();
    if (further > 1) line += fmt::format("; {} more, see --json", further - 1);
    return one_line(std::move(line)) + '\n';
}

/// Whether nothing is known but that the run was interrupted.
bool is_interrupted(const GateResult& result) {
    return result.status == Status::kUnchecked && result.findings.empty() && result.unchecked.size() == 1 &&
           result.unchecked.front() == pm::kInterrupted;
}

/// `unchecked gfx1151 relu2 gates 2-5: interrupted`; nothing where there is none.
std::string interrupted_line(const KernelOutcome& kernel, bool colour) {
    std::vector<std::uint32_t> gates;
    for (const GateResult& result : kernel.gates)
        if (is_interrupted(result)) gates.push_back(result.gate);
    if (gates.empty()) return "";
    return fmt::format("{} {} {} gate{} {}: {}\n", painted(status_name(Status::kUnchecked), false, colour), kernel.chip,
                       kernel.name, gates.size() == 1 ? "" : "s", gates_text(gates), pm::kInterrupted);
}

std::string launches_line(const ChipSummary& summary, const std::string& chip) {
    std::string line = fmt::format("launches {}:", chip);
    for (const auto& [gate, count] : summary.launches)
        line += fmt::format("{} gate {} {}", line.back() == ':' ? "" : ",", gate, count);
    return line + '\n';
}

std::string fidelity_line(const ChipSummary& summary, const std::string& chip) {
    const DeviceReport& device = summary.device;
    if (device.launches == 0 && device.instructions == 0) return "";
    std::string line = fmt::format("fidelity {}: {} instructions exact, {} approximate, {} unsupported", chip,
                                   device.exact, device.approximate, device.unsupported.size());
    for (const auto& [instruction, note] : device.notes) line += fmt::format("; {}: {}", instruction, note);
    for (const std::string& reason : device.unsupported) line += fmt::format("; {}", reason);
    return one_line(std::move(line)) + '\n';
}

bool has_finding(const GateResult& result, std::string_view kind) {
    return std::any_of(result.findings.begin(), result.findings.end(),
                       [kind](const Finding& finding) { return finding.kind == kind; });
}

/// What is not certified and need not be: a note, no finding.
std::string certificate_notes(const KernelOutcome& kernel) {
    const bool demanded = std::any_of(kernel.gates.begin(), kernel.gates.end(), [](const GateResult& result) {
        return has_finding(result, kind::kNotCertified);
    });
    if (kernel.certificates.empty() || demanded) return "";
    std::string text;
    for (const Certificate& one : kernel.certificates) {
        if (one.reasons.empty()) continue;
        text += one_line(
            fmt::format("note {} {}: {} is {}: {}{}", kernel.chip, kernel.name, one.kernel,
                        pm::certify::verdict_name(one.verdict), one.reasons.front().text,
                        one.reasons.size() == 1 ? "" : fmt::format("; {} more, see --json", one.reasons.size() - 1)));
        text += '\n';
    }
    return text;
}

bool differs_from_record(const KernelOutcome& kernel) {
    return std::any_of(kernel.gates.begin(), kernel.gates.end(), [](const GateResult& result) {
        return result.status == Status::kFail && has_finding(result, kind::kRecordDiffers);
    });
}

/// `certify gfx1151: 65 certified, 0 open, 0 unchecked`; nothing where it was not asked.
std::string certify_line(const RunOutcome& run, const std::string& chip) {
    std::map<pm::certify::Verdict, std::size_t> counts;
    for (const KernelOutcome& kernel : run.kernels)
        if (kernel.chip == chip && !kernel.certificates.empty()) ++counts[worst_verdict(kernel.certificates)];
    if (counts.empty()) return "";
    using pm::certify::Verdict;
    return fmt::format("certify {}: {} certified, {} open, {} unchecked\n", chip, counts[Verdict::kCertified],
                       counts[Verdict::kOpen], counts[Verdict::kUnchecked]);
}

} // namespace

std::string run_lines(const RunOutcome& run, std::string_view toolchain, bool colour) {
    std::string text;
    for (const KernelOutcome& kernel : run.kernels) {
        for (const GateResult& result : kernel.gates)
            if (result.status != Status::kPass && !is_interrupted(result))
                text += gate_line(kernel.chip, kernel.name, result, colour);
        text += interrupted_line(kernel, colour);
        text += certificate_notes(kernel);
    }
    if (std::any_of(run.kernels.begin(), run.kernels.end(), differs_from_record))
        text += records::how_to_record_changes(toolchain) + '\n';
    for (const ControlOutcome& control : run.controls) {
        if (control.verdict == ControlVerdict::kRedAsPlanted) continue;
        text += one_line(
            fmt::format("{} {} control \"{}\" of {}: {}",
                        painted(verdict_name(control.verdict), control.verdict == ControlVerdict::kMissed, colour),
                        control.chip, control.name, control.of, control.why));
        text += '\n';
    }
    for (const std::string& chip : run.chips) {
        const ChipSummary summary = summarise(run, chip);
        text += certify_line(run, chip);
        text += launches_line(summary, chip);
        text += fidelity_line(summary, chip);
    }
    for (const std::string& chip : run.chips) text += summary_line(summarise(run, chip), chip, run.gates) + '\n';
    return text;
}

std::string list_lines(const Registry& registry, const std::vector<Task>& tasks) {
    const auto chips_of = [&](const Kernel* kernel, const Control* control) {
        std::vector<std::string> chips;
        for (const Task& task : tasks)
            if (task.kernel == kernel && task.control == control) chips.push_back(task.chip);
        return chips;
    };
    std::string text;
    for (const Kernel& kernel : registry.kernels) {
        const auto on = chips_of(&kernel, nullptr);
        if (on.empty()) continue;
        std::vector<std::string> replaced;
        for (const ReplacedStage& stage : kernel.replaces) replaced.push_back(stage.kernel);
        text += fmt::format("kernel {} ({}): {}; {} shapes; oracle {}", kernel.name, kernel.family, fmt::join(on, " "),
                            kernel.shapes.size(), kernel.oracle);
        if (!replaced.empty())
            text += fmt::format("; replaces {}, match {}", fmt::join(replaced, ", "),
                                kernel.match == Match::kBytes ? "bytes" : "bound");
        text += '\n';
    }
    for (const Control& control : registry.controls) {
        const auto on = chips_of(registry.find_kernel(control.of), &control);
        if (on.empty()) continue;
        text += fmt::format("control \"{}\" of {}: {}; red at gate {} with \"{}\"{}\n", control.name, control.of,
                            fmt::join(on, " "), control.red_at, fmt::join(control.findings, "\" or \""),
                            control.embedded_only ? "; embedded device only" : "");
    }
    return text;
}

} // namespace hkc
