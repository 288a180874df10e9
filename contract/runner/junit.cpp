#include "contract/runner/junit.h"

#include "contract/gates/gate.h"
#include "contract/report/markup.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace hkc {
namespace {

/// `text` for an attribute or an element's content: UTF-8, without the control characters that XML 1.0 forbids.
std::string escaped(const std::string& text) {
    using nlohmann::json;
    const auto valid = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
    std::string out;
    for (const char c : valid) {
        const std::string_view entity = markup_entity(c);
        if (!entity.empty())
            out += entity;
        else if (c == '\n')
            out += "&#10;";
        else if (c == '\t')
            out += "&#9;";
        else
            out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return out;
}

/// One <testcase>. `element` is empty for a pass.
struct Case {
    std::string of, name;
    std::string element; // failure, error or skipped
    std::string type, message, text;
};

std::string xml_of(const Case& one) {
    std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(one.of), escaped(one.name));
    if (one.element.empty()) return xml + "/>\n";
    xml += fmt::format(">\n      <{}", one.element);
    if (!one.type.empty()) xml += fmt::format(" type=\"{}\"", escaped(one.type));
    xml += fmt::format(" message=\"{}\"", escaped(one.message));
    xml += one.text.empty() ? "/>" : fmt::format(">{}</{}>", escaped(one.text), one.element);
    return xml + "\n    </testcase>\n";
}

std::string lines_of(const GateResult& result) {
    std::string text;
    for (const Finding& finding : result.findings) text += fmt::format("{}: {}\n", finding.kind, finding.text);
    for (const std::string& reason : result.unchecked) text += fmt::format("unchecked: {}\n", reason);
    return text;
}

class Writer {
public:
    explicit Writer(bool skip_unchecked) : unchecked_(skip_unchecked ? "skipped" : "error") {}

    [[nodiscard]] std::string suite(const RunOutcome& run, const std::string& chip) const {
        std::vector<Case> cases;
        for (const KernelOutcome& kernel : run.kernels) {
            if (kernel.chip != chip) continue;
            for (const GateResult& result : kernel.gates) cases.push_back(case_of(kernel, result));
            if (kernel.gates.empty())
                cases.push_back({chip + "." + kernel.family, kernel.name, "error", "unchecked", "no gate ran", ""});
        }
        for (const ControlOutcome& control : run.controls)
            if (control.chip == chip) cases.push_back(case_of(control));
        const auto count = [&](std::string_view element) {
            return std::count_if(cases.begin(), cases.end(), [&](const Case& one) { return one.element == element; });
        };
        std::string xml =
            fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
                        escaped(chip), cases.size(), count("failure"), count("error"), count("skipped"));
        for (const Case& one : cases) xml += xml_of(one);
        return xml + "  </testsuite>\n";
    }

private:
    [[nodiscard]] Case case_of(const KernelOutcome& kernel, const GateResult& result) const {
        const Gate* gate = find_gate(result.gate);
        Case one{kernel.chip + "." + kernel.family,
                 fmt::format("{} gate {} {}", kernel.name, result.gate, gate != nullptr ? gate->name : ""),
                 "",
                 "",
                 "",
                 ""};
        const std::string finding = result.findings.empty() ? "" : result.findings.front().kind;
        switch (result.status) {
        case Status::kPass:
            return one;
        case Status::kFail:
            one.element = "failure";
            one.type = one.message = finding;
            break;
        case Status::kKnownFinding:
            one.element = "skipped";
            one.message = "known finding: " + finding;
            break;
        case Status::kUnchecked:
            one.element = unchecked_;
            one.type = unchecked_ == "error" ? "unchecked" : "";
            one.message = "unchecked: " + (result.unchecked.empty() ? "no reason given" : result.unchecked.front());
            break;
        }
        one.text = lines_of(result);
        return one;
    }

    [[nodiscard]] Case case_of(const ControlOutcome& control) const {
        Case one{control.chip + ".control", fmt::format("\"{}\" of {}", control.name, control.of), "", "", "", ""};
        if (control.verdict == ControlVerdict::kRedAsPlanted) return one;
        const std::string verdict(verdict_name(control.verdict));
        one.message = fmt::format("{}: {}", verdict, control.why);
        one.element = control.verdict == ControlVerdict::kMissed     ? "failure"
                      : control.verdict == ControlVerdict::kNotAsked ? "skipped"
                                                                     : unchecked_;
        if (one.element != "skipped") one.type = verdict;
        return one;
    }

    std::string unchecked_; // the element of what is unchecked
};

} // namespace

std::string junit_xml(const RunOutcome& run, bool allow_unchecked) {
    // Where the run fails although nothing failed, what is unchecked is why, allowed or not: nothing at all was judged.
    const auto failed = [](const GateResult& result) { return result.status == Status::kFail; };
    const bool any_fail = std::any_of(run.kernels.begin(), run.kernels.end(),
                                      [&](const KernelOutcome& k) {
                                          return k.gates.empty() || std::any_of(k.gates.begin(), k.gates.end(), failed);
                                      }) ||
                          std::any_of(run.controls.begin(), run.controls.end(),
                                      [](const ControlOutcome& c) { return c.verdict == ControlVerdict::kMissed; });
    const Writer writer(allow_unchecked && (any_fail || exit_status(run, true) == 0));
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hip-kernel-contract\">\n";
    for (const std::string& chip : run.chips) xml += writer.suite(run, chip);
    if (exit_status(run, allow_unchecked) != 0 && xml.find("<failure") == xml.npos && xml.find("<error") == xml.npos)
        xml += "  <testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n" +
               xml_of({"run", "something was judged", "error", "unchecked", "nothing at all was judged", ""}) +
               "  </testsuite>\n";
    return xml + "</testsuites>\n";
}

} // namespace hkc
