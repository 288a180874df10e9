#include "contract/runner/judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc {

bool is_known(const Kernel& kernel, const std::string& chip, std::uint32_t gate, const Finding& finding) {
    return std::any_of(kernel.known_findings.begin(), kernel.known_findings.end(), [&](const KnownFinding& known) {
        return known.gate == gate && known.chip == chip && known.finding == finding.kind;
    });
}

std::string_view verdict_name(ControlVerdict verdict) {
    switch (verdict) {
    case ControlVerdict::kRedAsPlanted:
        return "red as planted";
    case ControlVerdict::kMissed:
        return "missed";
    case ControlVerdict::kNotAsked:
        return "not asked here";
    case ControlVerdict::kUnchecked:
        break;
    }
    return "unchecked";
}

std::vector<std::string> apply_known_findings(const Kernel& kernel, const std::string& chip,
                                              std::vector<GateResult>& gates) {
    std::vector<std::string> occurred;
    for (GateResult& result : gates) {
        const bool judged = result.status == Status::kPass || result.status == Status::kFail;
        std::vector<Finding> stale;
        for (const KnownFinding& known : kernel.known_findings) {
            if (known.gate != result.gate || known.chip != chip) continue;
            const bool there = std::any_of(result.findings.begin(), result.findings.end(),
                                           [&](const Finding& f) { return f.kind == known.finding; });
            if (there)
                occurred.push_back(fmt::format("gate {} \"{}\": {}", known.gate, known.finding, known.reason));
            else if (judged)
                stale.push_back({std::string(kind::kStaleKnownFinding),
                                 fmt::format("{} on {}: \"{}\" is declared as known at {}:{} and no longer occurs; "
                                             "remove the known finding",
                                             kernel.name, chip, known.finding, known.at.file, known.at.line)});
        }
        if (result.status == Status::kFail &&
            std::all_of(result.findings.begin(), result.findings.end(),
                        [&](const Finding& f) { return is_known(kernel, chip, result.gate, f); }))
            result.status = result.unchecked.empty() ? Status::kKnownFinding : Status::kUnchecked;
        if (!stale.empty()) {
            result.findings.insert(result.findings.end(), stale.begin(), stale.end());
            result.status = Status::kFail;
        }
    }
    return occurred;
}

void judge_control(const Control& control, const Kernel& twin, ControlOutcome& outcome) {
    outcome.verdict = ControlVerdict::kMissed;
    const auto decide = [&](ControlVerdict verdict, std::string why) {
        outcome.verdict = verdict;
        outcome.why = std::move(why);
    };
    const std::string expected = fmt::format("planted to be red at gate {} with \"{}\"", control.red_at,
                                             fmt::join(control.findings, "\" or \""));
    for (const GateResult& result : outcome.gates) {
        const auto first = std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
            return !is_known(twin, outcome.chip, result.gate, finding);
        });
        if (first == result.findings.end()) {
            // What could not be asked may have been the gate that the fault shows at.
            if (!result.unchecked.empty() || result.status == Status::kUnchecked)
                return decide(ControlVerdict::kUnchecked,
                              fmt::format("{}; gate {} is unchecked: {}", expected, result.gate,
                                          result.unchecked.empty() ? "no reason given" : result.unchecked.front()));
            if (result.gate == control.red_at) break;
            continue;
        }
        if (result.gate != control.red_at)
            return decide(ControlVerdict::kMissed, fmt::format("{}, is red at gate {} with \"{}\": {}", expected,
                                                               result.gate, first->kind, first->text));
        if (std::find(control.findings.begin(), control.findings.end(), first->kind) == control.findings.end())
            return decide(ControlVerdict::kMissed,
                          fmt::format("{}, is red there with \"{}\": {}", expected, first->kind, first->text));
        return decide(ControlVerdict::kRedAsPlanted, "");
    }
    decide(ControlVerdict::kMissed, fmt::format("{}, and no gate up to it failed", expected));
}

void doubt_control(const RunOutcome& run, ControlOutcome& outcome) {
    const bool missed = outcome.verdict == ControlVerdict::kMissed;
    if ((outcome.verdict != ControlVerdict::kRedAsPlanted && !missed) || outcome.gates.empty()) return;
    const GateResult& red = outcome.gates.back();
    if (red.findings.empty()) return;
    for (const KernelOutcome& kernel : run.kernels) {
        if (kernel.name != outcome.of || kernel.chip != outcome.chip) continue;
        for (const GateResult& result : kernel.gates) {
            if (result.gate != red.gate || result.status != Status::kFail) continue;
            if (missed) {
                outcome.verdict = ControlVerdict::kUnchecked;
                outcome.why += fmt::format("; the registration itself fails gate {}", red.gate);
                return;
            }
            const auto same = std::find_if(result.findings.begin(), result.findings.end(),
                                           [&](const Finding& f) { return f.kind == red.findings.front().kind; });
            if (same == result.findings.end()) continue;
            outcome.verdict = ControlVerdict::kUnchecked;
            outcome.why = fmt::format("{} is red at gate {} with \"{}\" without the fault, too", outcome.of, red.gate,
                                      same->kind);
            return;
        }
    }
}

ChipSummary summarise(const RunOutcome& run, const std::string& chip) {
    ChipSummary summary;
    const auto count = [&](const std::vector<GateResult>& gates, const DeviceReport& device) {
        for (const GateResult& result : gates) summary.launches[result.gate] += result.launches;
        summary.device.merge(device);
    };
    for (const KernelOutcome& kernel : run.kernels) {
        if (kernel.chip != chip) continue;
        ++summary.kernels;
        bool fail = false, unchecked = false, any = false;
        for (const GateResult& result : kernel.gates) {
            if (result.gate == kLimitsGate) {
                if (result.status == Status::kFail) summary.limit_problems += result.findings.size();
                if (result.status == Status::kUnchecked) ++summary.limits_unchecked;
                continue;
            }
            any = true;
            fail = fail || result.status == Status::kFail;
            unchecked = unchecked || result.status == Status::kUnchecked;
        }
        if (any) ++(fail ? summary.fail : unchecked ? summary.unchecked : summary.pass);
        summary.known += kernel.known.size();
        count(kernel.gates, kernel.device);
    }
    for (const ControlOutcome& control : run.controls) {
        if (control.chip != chip) continue;
        count(control.gates, control.device);
        switch (control.verdict) {
        case ControlVerdict::kNotAsked:
            ++summary.not_asked;
            continue;
        case ControlVerdict::kRedAsPlanted:
            ++summary.red;
            break;
        case ControlVerdict::kMissed:
            ++summary.missed;
            break;
        case ControlVerdict::kUnchecked:
            ++summary.controls_unchecked;
            break;
        }
        ++summary.controls;
    }
    return summary;
}

std::string gates_text(const std::vector<std::uint32_t>& gates) {
    std::string text;
    for (std::size_t i = 0; i < gates.size();) {
        std::size_t last = i;
        while (last + 1 < gates.size() && gates[last + 1] == gates[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += last == i ? fmt::format("{}", gates[i]) : fmt::format("{}-{}", gates[i], gates[last]);
        i = last + 1;
    }
    return text;
}

std::string summary_line(const ChipSummary& s, const std::string& chip, const std::vector<std::uint32_t>& gates) {
    std::vector<std::uint32_t> on_device;
    std::copy_if(gates.begin(), gates.end(), std::back_inserter(on_device),
                 [](std::uint32_t g) { return g != kLimitsGate; });
    const auto extra = [](std::size_t n, const char* what) {
        return n == 0 ? std::string() : fmt::format(", {} {}", n, what);
    };
    std::string line = fmt::format("SUMMARY {} {} kernels:", chip, s.kernels);
    line += on_device.empty() ? std::string(" gates 1-4 not asked")
                              : fmt::format(" {} pass gates {}, {} fail", s.pass, gates_text(on_device), s.fail);
    line += fmt::format(", {} known findings{}", s.known, extra(s.unchecked, "unchecked"));
    line += fmt::format("; {} controls: {} red as planted, {} missed{}{}", s.controls, s.red, s.missed,
                        extra(s.controls_unchecked, "unchecked"), extra(s.not_asked, "not asked here"));
    const bool limits = std::find(gates.begin(), gates.end(), kLimitsGate) != gates.end();
    line += limits ? fmt::format("; {} limit problems{}", s.limit_problems, extra(s.limits_unchecked, "unchecked"))
                   : std::string("; limits not asked");
    return line;
}

int exit_status(const RunOutcome& run, bool allow_unchecked) {
    bool judged = false, bad = false;
    const auto look = [&](bool failed, bool unchecked) {
        judged = judged || !unchecked;
        bad = bad || failed || (unchecked && !allow_unchecked);
    };
    for (const KernelOutcome& kernel : run.kernels) {
        if (kernel.gates.empty()) bad = true;
        for (const GateResult& result : kernel.gates)
            look(result.status == Status::kFail, result.status == Status::kUnchecked);
    }
    for (const ControlOutcome& control : run.controls)
        if (control.verdict != ControlVerdict::kNotAsked)
            look(control.verdict == ControlVerdict::kMissed, control.verdict == ControlVerdict::kUnchecked);
    return judged && !bad ? 0 : 1;
}

} // namespace hkc
