#include "contract/page/page.h"

#include "contract/gates/gate.h"
#include "contract/page/assets.h"
#include "contract/page/cost_bars.h"
#include "contract/report/markup.h"
#include "peacemaker/support/file_line.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace hkc::page {
namespace {

constexpr std::size_t kContext = 2; // source lines before and after the one to blame

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const std::string_view entity = markup_entity(c);
        if (!entity.empty())
            out += entity;
        else if (c == '\'')
            out += "&#39;";
        else
            // HTML has no other control characters, not even escaped.
            out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
    return out;
}

/// What the filter searches: bytes of ASCII in lower case, as the script lowers what is typed.
std::string lowered(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// The attributes that the script filters a row by. `states` are words: pass, fail, known, unchecked, missed.
std::string filtered_by(const std::string& text, const std::set<std::string>& chips,
                        const std::set<std::string>& states) {
    return fmt::format(" data-text=\"{}\" data-chips=\"{}\" data-states=\"{}\"", escaped(lowered(text)),
                       escaped(fmt::format("{}", fmt::join(chips, " "))), fmt::join(states, " "));
}

/// The status as one word.
std::string_view state_of(Status status) { return status == Status::kKnownFinding ? "known" : status_name(status); }

std::string_view state_of(ControlVerdict verdict) {
    if (verdict == ControlVerdict::kRedAsPlanted) return "pass";
    return verdict == ControlVerdict::kMissed ? "missed" : "unchecked";
}

std::string heading(const char* id, std::string_view text) {
    return fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n", id, text);
}

std::string header(const PageInput& input) {
    const RunDescription& is = input.report.description;
    std::string text = "<h1>Kernel contracts</h1>\n<p class=\"dim\">";
    text += is.commit.empty() ? "no commit" : fmt::format("commit <code>{}</code>", escaped(is.commit));
    if (is.dirty) text += ", <span class=\"fail\">the tree was dirty</span>";
    text += fmt::format("; device {}, library {}; {}: {}; gates {}", escaped(is.device), escaped(is.library),
                        escaped(is.toolchain), escaped(is.compiler), gates_text(input.report.outcome.gates));
    if (!is.filter.empty() && is.filter != "*") text += fmt::format("; filter <code>{}</code>", escaped(is.filter));
    if (input.base != nullptr) text += fmt::format("; base {}", escaped(input.base_name));
    const bool as_contracted = exit_status(input.report.outcome, is.allow_unchecked) == 0;
    text += fmt::format("</p>\n<p><strong class=\"{}\">{}</strong></p>\n", as_contracted ? "pass" : "fail",
                        as_contracted ? "All is as contracted." : "NOT as contracted.");
    text += "<pre>";
    for (const std::string& chip : input.report.outcome.chips)
        text += escaped(summary_line(summarise(input.report.outcome, chip), chip, input.report.outcome.gates)) + '\n';
    return text + "</pre>\n";
}

std::string filter_bar(const RunOutcome& run) {
    std::string text = "<nav aria-label=\"filter\"><label>Text <input id=\"text\" type=\"search\"></label>\n"
                       "<label>Chip <select id=\"chip\"><option value=\"\">all</option>";
    for (const std::string& chip : run.chips) text += fmt::format("<option>{}</option>", escaped(chip));
    text += "</select></label>\n<label>Status <select id=\"status\"><option value=\"\">any</option>";
    for (const char* state : {"pass", "fail", "known", "unchecked", "missed"})
        text += fmt::format("<option>{}</option>", state);
    return text + "</select></label>\n<output id=\"shown\" class=\"dim\"></output></nav>\n";
}

/// `pass 1-4`, `fail 5`: the gates of each status, the worst first.
std::string gates_cell(const KernelOutcome& kernel) {
    std::string text;
    for (const Status status : {Status::kFail, Status::kUnchecked, Status::kKnownFinding, Status::kPass}) {
        std::vector<std::uint32_t> gates;
        for (const GateResult& result : kernel.gates)
            if (result.status == status) gates.push_back(result.gate);
        if (!gates.empty())
            text += fmt::format("{}<span class=\"{}\">{} {}</span>", text.empty() ? "" : "<br>", state_of(status),
                                status_name(status), gates_text(gates));
    }
    return text;
}

std::string matrix(const RunOutcome& run) {
    std::string text = heading("gates", "Gates");
    text += "<table><thead><tr><th scope=\"col\">kernel</th>";
    for (const std::string& chip : run.chips)
        text += fmt::format("<th scope=\"col\" data-column=\"{0}\">{0}</th>", escaped(chip));
    text += "</tr></thead><tbody>\n";
    std::vector<std::string> names;
    std::map<std::string, std::map<std::string, const KernelOutcome*>> kernels; // name, chip
    for (const KernelOutcome& kernel : run.kernels) {
        if (!kernels.contains(kernel.name)) names.push_back(kernel.name);
        kernels[kernel.name][kernel.chip] = &kernel;
    }
    for (const std::string& name : names) {
        std::set<std::string> chips, states;
        std::string cells, searched = name;
        for (const std::string& chip : run.chips) {
            const auto at = kernels[name].find(chip);
            cells += fmt::format("<td data-column=\"{}\">", escaped(chip));
            if (at == kernels[name].end()) {
                cells += "<span class=\"dim\">none</span></td>";
                continue;
            }
            chips.insert(chip);
            for (const GateResult& result : at->second->gates) states.emplace(state_of(result.status));
            cells += gates_cell(*at->second) + "</td>";
            searched += ' ' + at->second->family;
        }
        text += fmt::format("<tr{}><th scope=\"row\">{}</th>{}</tr>\n", filtered_by(searched, chips, states),
                            escaped(name), cells);
    }
    return text + "</tbody></table></section>\n";
}

/// The lines about `FILE:LINE`; nothing where the source is not there.
std::string source_context(const PageInput& input, const std::string& source) {
    const auto place = pm::parse_file_line(source);
    if (!place || !input.source_text) return {};
    const auto text = input.source_text(place->file);
    if (!text) return {};
    const std::vector<std::string> lines = pm::split(*text, '\n');
    const std::size_t line = place->line;
    if (line == 0 || line > lines.size()) return {};
    std::string out = "<pre>";
    for (std::size_t i = line > kContext ? line - kContext : 1; i <= std::min(lines.size(), line + kContext); ++i) {
        const std::string shown = fmt::format("{:>5}  {}", i, escaped(lines[i - 1]));
        out += i == line ? fmt::format("<mark>{}</mark>\n", shown) : shown + '\n';
    }
    return out + "</pre>";
}

/// What was said, and the source lines about its place.
std::string with_context(const PageInput& input, const std::string& said, const std::string& source) {
    if (source.empty()) return escaped(said);
    return fmt::format("{}<br><code>{}</code>{}", escaped(said), escaped(source), source_context(input, source));
}

std::string finding_row(const PageInput& input, const std::string& chip, const std::string& name,
                        std::string_view state, std::string_view where, std::string_view kind, const std::string& said,
                        const std::string& source) {
    return fmt::format("<tr{}><td>{}</td><td>{}</td><td><span class=\"{}\">{}</span></td><td>{}</td><td>{}</td>"
                       "<td>{}</td></tr>\n",
                       filtered_by(fmt::format("{} {} {} {}", chip, name, kind, said), {chip}, {std::string(state)}),
                       escaped(chip), escaped(name), state, state, escaped(where), escaped(kind),
                       with_context(input, said, source));
}

/// Whatever is not a pass: findings, reasons why something is unchecked, what keeps a kernel from its certificate.
std::string findings(const PageInput& input) {
    std::string rows;
    for (const KernelOutcome& kernel : input.report.outcome.kernels) {
        for (const GateResult& result : kernel.gates) {
            const Gate* gate = find_gate(result.gate);
            const std::string where = fmt::format("{} {}", result.gate, gate != nullptr ? gate->name : "");
            for (const Finding& finding : result.findings)
                rows += finding_row(input, kernel.chip, kernel.name, state_of(result.status), where, finding.kind,
                                    finding.text, finding.source);
            for (const std::string& reason : result.unchecked)
                rows += finding_row(input, kernel.chip, kernel.name, "unchecked", where, "unchecked", reason, "");
        }
        for (const std::string& known : kernel.known)
            rows += finding_row(input, kernel.chip, kernel.name, "known", "", "known finding", known, "");
        for (const Certificate& certificate : kernel.certificates)
            for (const Certificate::Reason& reason : certificate.reasons)
                rows += finding_row(
                    input, kernel.chip, kernel.name, "unchecked", "analysis",
                    fmt::format("{} is {}", certificate.kernel, pm::certify::verdict_name(certificate.verdict)),
                    reason.text, reason.source);
    }
    std::string text = heading("findings", "Findings");
    if (rows.empty()) return text + "<p>None: no finding, nothing unchecked, every kernel certified.</p></section>\n";
    return text +
           "<table><thead><tr><th scope=\"col\">chip</th><th scope=\"col\">kernel</th><th scope=\"col\">status</th>"
           "<th scope=\"col\">gate</th><th scope=\"col\">kind</th><th scope=\"col\">what</th></tr></thead><tbody>\n" +
           rows + "</tbody></table></section>\n";
}

/// Why a control is not red as planted, or the finding that shows its fault.
std::string shown_by(const PageInput& input, const ControlOutcome& control) {
    if (!control.why.empty()) return escaped(control.why);
    for (const GateResult& result : control.gates)
        if (!result.findings.empty()) {
            const Finding& finding = result.findings.front();
            return fmt::format("<details><summary>gate {}: {}</summary>{}</details>", result.gate,
                               escaped(finding.kind), with_context(input, finding.text, finding.source));
        }
    return {};
}

std::string controls(const PageInput& input) {
    std::string text = heading("controls", "Controls");
    if (input.report.outcome.controls.empty()) return text + "<p>None.</p></section>\n";
    text += "<table><thead><tr><th scope=\"col\">control</th><th scope=\"col\">of</th><th scope=\"col\">chip</th>"
            "<th scope=\"col\">verdict</th><th scope=\"col\">shown by</th></tr></thead><tbody>\n";
    for (const ControlOutcome& control : input.report.outcome.controls) {
        const std::string_view state = state_of(control.verdict);
        text += fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td><td><span class=\"{}\">{}</span></td><td>{}</td>"
                            "</tr>\n",
                            filtered_by(fmt::format("{} {} {}", control.name, control.of, control.chip), {control.chip},
                                        {std::string(state)}),
                            escaped(control.name), escaped(control.of), escaped(control.chip), state,
                            verdict_name(control.verdict), shown_by(input, control));
    }
    return text + "</tbody></table></section>\n";
}

std::string bar_cell(const Bar& bar) {
    std::string change;
    if (bar.change != 0)
        change = fmt::format(" <span class=\"{}\">{:+}</span>", is_worse(bar) ? "more" : "less", bar.change);
    return fmt::format("<td class=\"num\">{}{} <span class=\"bar\" aria-hidden=\"true\"><i style=\"width:{}%\"></i>"
                       "</span></td>",
                       bar.value, change, std::uint64_t{bar.value} * 100 / bar.most);
}

std::string resources(const PageInput& input) {
    std::string text = heading("resources", "Resources");
    const std::vector<CostRow> rows = cost_rows(input.report.outcome, input.base);
    if (rows.empty()) return text + "<p>The report tells none: it was made before reports did.</p></section>\n";
    text += "<p class=\"dim\">VGPRs and SGPRs of a wave, LDS bytes of a workgroup, scratch bytes of a work-item, and "
            "the waves that a SIMD holds at once then; a bar is the part of what the chip has.</p>\n"
            "<table><thead><tr><th scope=\"col\">chip</th><th scope=\"col\">kernel</th>";
    for (const Bar& bar : rows.front().bars)
        text += fmt::format("<th scope=\"col\">{}</th>", bar.name == "waves" ? "waves a SIMD" : bar.name);
    text += "</tr></thead><tbody>\n";
    for (const CostRow& row : rows) {
        const bool is_new = input.base != nullptr && !row.in_base;
        text += fmt::format("<tr{}><td>{}</td><th scope=\"row\">{}{}</th>",
                            filtered_by(row.chip + ' ' + row.kernel, {row.chip}, {"pass"}), escaped(row.chip),
                            escaped(row.kernel), is_new ? " <span class=\"dim\">(not in the base)</span>" : "");
        for (const Bar& bar : row.bars) text += bar_cell(bar);
        text += "</tr>\n";
    }
    return text + "</tbody></table></section>\n";
}

std::string fidelity(const RunOutcome& run) {
    std::string text = heading("fidelity", "Fidelity");
    text += "<table><thead><tr><th scope=\"col\">chip</th><th scope=\"col\">launches</th><th scope=\"col\">exact</th>"
            "<th scope=\"col\">approximate</th><th scope=\"col\">unsupported</th><th scope=\"col\">notes</th></tr>"
            "</thead><tbody>\n";
    for (const std::string& chip : run.chips) {
        const DeviceReport device = summarise(run, chip).device;
        std::vector<std::string> notes;
        for (const auto& [instruction, note] : device.notes)
            notes.push_back(escaped(fmt::format("{}: {}", instruction, note)));
        for (const std::string& reason : device.unsupported) notes.push_back(escaped(reason));
        text += fmt::format(
            "<tr{}><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td>"
            "<td class=\"num\">{}</td><td class=\"num\">{}</td><td>{}</td></tr>\n",
            filtered_by(chip + " fidelity", {chip}, {device.unsupported.empty() ? "pass" : "unchecked"}), escaped(chip),
            device.launches, device.exact, device.approximate, device.unsupported.size(), fmt::join(notes, "<br>"));
    }
    return text + "</tbody></table></section>\n";
}

} // namespace

std::string page_html(const PageInput& input) {
    const RunOutcome& run = input.report.outcome;
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<link rel=\"icon\" href=\"data:,\"><title>Kernel contracts</title>\n<style>";
    text += kStyle;
    text += "</style></head><body>\n" + header(input) + filter_bar(run) + "<main>\n" + matrix(run) + findings(input) +
            controls(input) + resources(input) + fidelity(run) + "</main>\n<script>";
    text += kScript;
    return text + "</script></body></html>\n";
}

} // namespace hkc::page
