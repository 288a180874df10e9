#include "contract/receipt/markdown.h"

#include "contract/gates/gate.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hkc::receipt {
namespace {

/// On one line.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

/// On one line, and nothing that Markdown or a table would take for its own and not show: tags, entities, links, foot
/// notes, formulas.
std::string plain(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        switch (text[i]) {
        case '|':
        case '\\':
            out += '\\';
            out += text[i];
            break;
        case '<':
            out += "&lt;";
            break;
        case '&':
            out += "&amp;";
            break;
        case '$':
            out += "&#36;";
            break;
        case '[':
            out += next == '^' ? "\\[" : "[";
            break;
        case ']':
            out += next == '(' || next == '[' ? "\\]" : "]";
            break;
        default:
            out += text[i];
        }
    }
    return one_line(std::move(out));
}

/// In a cell of a table, where a bar ends the cell even in code.
std::string code(const std::string& text) {
    std::string out;
    for (const char c : one_line(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return fmt::format("`{}`", out);
}

std::string list(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "- " + plain(line) + "\n";
    return text;
}

/// The SUMMARY and LIMITS lines of a side, as the tools print them.
std::string summary_of(const Side& side) {
    if (!side.not_run.empty()) return "    not run: " + one_line(side.not_run) + "\n";
    std::string text;
    if (side.run)
        for (const std::string& chip : side.run->outcome.chips)
            text += "    " + summary_line(summarise(side.run->outcome, chip), chip, side.run->outcome.gates) + "\n";
    if (side.audited)
        for (const std::string& line : pm::split(limits::to_text(*side.audited, limits::RecordLines::kNone), '\n'))
            if (line.starts_with("LIMITS ")) text += "    " + line + "\n";
    return text.empty() ? "    nothing is registered\n" : text;
}

std::string known_findings(const Side& head) {
    std::vector<std::string> lines;
    if (head.run)
        for (const KernelOutcome& kernel : head.run->outcome.kernels)
            for (const std::string& known : kernel.known)
                lines.push_back(fmt::format("{} {}: {}", kernel.chip, kernel.name, known));
    if (head.audited)
        for (const limits::ToolchainAudit& audit : head.audited->toolchains)
            for (const limits::Audited& kernel : audit.kernels)
                for (const std::string& known : kernel.known)
                    lines.push_back(
                        fmt::format("{} {}, built by {}: {}", kernel.chip, kernel.name, audit.spec.name, known));
    return fmt::format("### Known findings: {}\n\n{}{}", lines.size(), list(lines), lines.empty() ? "" : "\n");
}

std::string unchecked(const Side& head) {
    std::vector<std::string> lines;
    if (head.run) {
        for (const KernelOutcome& kernel : head.run->outcome.kernels)
            for (const GateResult& result : kernel.gates)
                for (const std::string& reason : result.unchecked)
                    lines.push_back(fmt::format("{} {} gate {}: {}", kernel.chip, kernel.name, result.gate, reason));
        for (const ControlOutcome& control : head.run->outcome.controls)
            if (control.verdict == ControlVerdict::kUnchecked || control.verdict == ControlVerdict::kNotAsked)
                lines.push_back(fmt::format("{} control \"{}\" of {}: {}: {}", control.chip, control.name, control.of,
                                            verdict_name(control.verdict), control.why));
    }
    if (head.audited)
        for (const limits::ToolchainAudit& audit : head.audited->toolchains) {
            if (audit.compiler.empty())
                lines.push_back(fmt::format("toolchain {}: {}", audit.spec.name, audit.message));
            for (const limits::Audited& kernel : audit.kernels)
                for (const std::string& reason : kernel.result.unchecked)
                    lines.push_back(
                        fmt::format("{} {}, built by {}: {}", kernel.chip, kernel.name, audit.spec.name, reason));
        }
    return fmt::format("### Unchecked: {}\n\n{}{}", lines.size(), list(lines), lines.empty() ? "" : "\n");
}

std::string chips(const ReadReport& run) {
    std::vector<std::string> lines;
    for (const std::string& chip : run.description.registered) {
        const auto& asked = run.outcome.chips;
        if (std::find(asked.begin(), asked.end(), chip) == asked.end()) {
            lines.push_back(chip + ": not run");
            continue;
        }
        if (run.description.device != "embedded") {
            lines.push_back(fmt::format("{}: run on a card through {}", chip, run.description.library));
            continue;
        }
        const DeviceReport device = summarise(run.outcome, chip).device;
        std::string line =
            fmt::format("{}: not run on a card; the embedded device executed {} instructions exactly, {} "
                        "approximately, {} unsupported, in {} launches",
                        chip, device.exact, device.approximate, device.unsupported.size(), device.launches);
        for (const auto& [instruction, note] : device.notes) line += fmt::format("; {}: {}", instruction, note);
        lines.push_back(std::move(line));
    }
    return "### Chips\n\n" + list(lines) + "\n";
}

std::string kernel_status(const std::vector<const KernelOutcome*>& outcomes) {
    std::map<std::uint32_t, std::map<std::string, std::vector<std::string>>> chips; // gate, status
    for (const KernelOutcome* outcome : outcomes)
        for (const GateResult& result : outcome->gates)
            chips[result.gate][std::string(status_name(result.status))].push_back(outcome->chip);
    std::vector<std::uint32_t> passed;
    std::string others;
    for (const auto& [gate, by_status] : chips)
        for (const auto& [status, on] : by_status) {
            if (status == status_name(Status::kPass) && by_status.size() == 1)
                passed.push_back(gate);
            else
                others += fmt::format("; gate {} {} on {}", gate, status, fmt::join(on, ", "));
        }
    return (passed.empty() ? "no gate passed on all" : "gates " + gates_text(passed) + " pass") + others;
}

/// `certified`, or what else on which chips.
std::string certificate_status(const std::vector<const KernelOutcome*>& outcomes) {
    std::map<pm::certify::Verdict, std::vector<std::string>> chips;
    for (const KernelOutcome* outcome : outcomes) chips[worst_verdict(outcome->certificates)].push_back(outcome->chip);
    std::string text;
    for (const auto& [verdict, on] : chips)
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", pm::certify::verdict_name(verdict),
                            chips.size() == 1 ? "" : fmt::format(" on {}", fmt::join(on, ", ")));
    return text;
}

std::string control_status(const std::vector<const ControlOutcome*>& outcomes) {
    std::map<std::string, std::vector<std::string>> by_verdict;
    for (const ControlOutcome* outcome : outcomes)
        by_verdict[std::string(verdict_name(outcome->verdict))].push_back(outcome->chip);
    std::string text;
    for (const auto& [verdict, on] : by_verdict)
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", verdict,
                            by_verdict.size() == 1 ? "" : fmt::format(" on {}", fmt::join(on, ", ")));
    return text;
}

/// The names in the order met.
template <typename Outcome>
std::vector<std::pair<std::string, std::vector<const Outcome*>>> by_name(const std::vector<Outcome>& outcomes) {
    std::vector<std::pair<std::string, std::vector<const Outcome*>>> groups;
    std::map<std::string, std::size_t> places;
    for (const Outcome& outcome : outcomes) {
        const auto [at, added] = places.emplace(outcome.name, groups.size());
        if (added) groups.push_back({outcome.name, {}});
        groups[at->second].second.push_back(&outcome);
    }
    return groups;
}

std::string kernels(const ReadReport& run) {
    const auto controls = by_name(run.outcome.controls);
    std::string text =
        "### Kernels and their controls\n\n| kernel | chips | gates | analysis | controls |\n|---|---|---|---|---|\n";
    for (const auto& [name, outcomes] : by_name(run.outcome.kernels)) {
        std::vector<std::string> on, faults;
        for (const KernelOutcome* outcome : outcomes) on.push_back(outcome->chip);
        for (const auto& [fault, of] : controls)
            if (of.front()->of == name) faults.push_back(fmt::format("{}: {}", fault, control_status(of)));
        text += fmt::format("| {} | {} | {} | {} | {} |\n", code(name), fmt::join(on, " "),
                            plain(kernel_status(outcomes)), certificate_status(outcomes),
                            faults.empty() ? "none" : plain(fmt::format("{}", fmt::join(faults, "; "))));
    }
    return text + "\n";
}

std::string environment(const Receipt& receipt) {
    const Side& head = receipt.head;
    std::vector<std::string> lines;
    if (head.run) {
        const RunDescription& d = head.run->description;
        lines.push_back(fmt::format("device {}, library {}", d.device, d.library));
        if (!d.oracles.empty()) lines.push_back("oracles of " + libraries_text(d.oracles));
        if (const auto& base = receipt.base.run; base && base->description.oracles != d.oracles)
            lines.push_back("the base's oracles of " + libraries_text(base->description.oracles));
        lines.push_back(fmt::format("gates built by {}: {}", d.toolchain, d.compiler));
        lines.push_back(fmt::format("gates {}, seed {}{}{}", gates_text(head.run->outcome.gates), d.seed,
                                    d.thorough ? ", no launch budget" : "",
                                    d.allow_unchecked ? ", unchecked allowed" : ""));
        lines.push_back("inputs " + d.inputs);
    }
    if (head.audited)
        for (const limits::ToolchainAudit& audit : head.audited->toolchains) {
            std::vector<std::string> idents;
            for (const limits::Built& built : audit.built)
                for (const std::string& ident : built.fingerprint.idents)
                    if (std::find(idents.begin(), idents.end(), ident) == idents.end()) idents.push_back(ident);
            if (!audit.message.empty()) idents.push_back(audit.message);
            lines.push_back(fmt::format("toolchain {}: {}", audit.spec.name,
                                        idents.empty() ? "builds nothing for the chips of this receipt"
                                                       : fmt::format("{}", fmt::join(idents, "; "))));
        }
    return "### Environment\n\n" + list(lines) + "\n";
}

std::string library_options(const char* option, const std::optional<ReadReport>& run) {
    std::string options;
    if (run)
        for (const OracleLibrary& library : run->description.oracles)
            options += fmt::format(" {} {}", option, pm::shell_quoted("./" + library.name));
    return options;
}

std::string commands(const Receipt& receipt) {
    const Side& head = receipt.head;
    const std::string base = " --base " + receipt.base.commit;
    const std::string oracles =
        library_options("--oracles", head.run) + library_options("--base-oracles", receipt.base.run);
    std::string options;
    if (head.run) {
        const RunDescription& d = head.run->description;
        options = fmt::format(" --device {} --chip {}", d.device, fmt::join(head.run->outcome.chips, ","));
        if (d.thorough) options += " --thorough";
        if (d.allow_unchecked) options += " --allow-unchecked";
    }
    options += oracles;
    // A line each: there may be many.
    for (const Reason& reason : receipt.reasons)
        options +=
            fmt::format(" \\\n        --reason {} {}", pm::shell_quoted(reason.pattern), pm::shell_quoted(reason.why));
    return fmt::format("### To repeat\n\n    git checkout {}\n    hip-kernel-contract-receipt{}{}\n"
                       "    hip-kernel-contract-receipt verify receipt.json{}{}\n",
                       head.commit, base, options, base, oracles);
}

std::string problems(const Receipt& receipt) {
    const bool compared = receipt.base.not_run.empty();
    std::string text = compared ? fmt::format("### Problems: {} new, {} gone, {} identical\n\n", receipt.added.size(),
                                              receipt.gone.size(), receipt.identical.size())
                                : fmt::format("### Problems: {} of the head, not compared: the base was not run\n\n",
                                              receipt.added.size());
    std::vector<std::string> lines;
    for (const std::string& line : receipt.added) lines.push_back((compared ? "new: " : "head: ") + line);
    for (const std::string& line : receipt.gone) lines.push_back("gone: " + line);
    for (const std::string& line : receipt.identical) lines.push_back("identical: " + line);
    return text + list(lines) + (lines.empty() ? "" : "\n");
}

std::string changes(const Receipt& receipt) {
    std::vector<std::string> lines;
    for (const Change& change : receipt.changes)
        lines.push_back(fmt::format("{}: {}", change_text(change),
                                    change.reason.empty() ? "NO REASON GIVEN" : "because " + change.reason));
    return fmt::format("### Contract changes: {}{}\n\n{}{}", lines.size(),
                       receipt.base.not_run.empty() ? "" : " known; the base was not run", list(lines),
                       lines.empty() ? "" : "\n");
}

} // namespace

std::string to_markdown(const Receipt& receipt, std::string_view seal) {
    std::string text = fmt::format("{}\n## Kernel contract receipt\n\n", kFirstLine);
    const std::vector<std::string> why = shortcomings(receipt);
    text += why.empty() ? "All is as contracted.\n" : "NOT as contracted:\n\n" + list(why);
    text +=
        fmt::format("\n- head {}, {}\n- base {}\n- receipt.json has the sha256 {}\n\n", receipt.head.commit,
                    receipt.dirty.empty() ? "a clean tree" : fmt::format("with {} changed files", receipt.dirty.size()),
                    receipt.base.commit, seal);
    if (!receipt.dirty.empty()) text += "### Changed files\n\n" + list(receipt.dirty) + "\n";
    text += "### Head\n\n" + summary_of(receipt.head) + "\n### Base\n\n" + summary_of(receipt.base) + "\n";
    text += problems(receipt) + changes(receipt) + known_findings(receipt.head) + unchecked(receipt.head);
    if (receipt.head.run) text += chips(*receipt.head.run) + kernels(*receipt.head.run);
    text += environment(receipt) + commands(receipt);
    return text + std::string(kLastLine) + "\n";
}

} // namespace hkc::receipt
