#include "contract/runner/sarif.h"

#include "contract/report/sarif.h"

#include <fmt/format.h>

namespace hkc {

std::string sarif_log(const RunOutcome& run, const Registry& registry, const std::filesystem::path& root) {
    std::vector<pm::sarif::Finding> findings;
    for (const KernelOutcome& outcome : run.kernels) {
        const Kernel* const kernel = registry.find_kernel(outcome.name);
        Judged judged{fmt::format("{} {}", outcome.chip, outcome.name), kernel != nullptr ? kernel->source : "", root};
        std::vector<GateResult> gates = outcome.gates;
        // Where no gate ran, nothing is known.
        if (gates.empty()) gates.push_back({1, Status::kUnchecked, {}, {"no gate ran"}});
        for (GateResult& result : gates) {
            if (kernel != nullptr)
                std::erase_if(result.findings, [&](const Finding& finding) {
                    return is_known(*kernel, outcome.chip, result.gate, finding);
                });
            judged.text_is_identity = result.gate == kLimitsGate;
            for (pm::sarif::Finding& finding : sarif_findings(result, judged)) findings.push_back(std::move(finding));
        }
    }
    for (const ControlOutcome& outcome : run.controls) {
        if (outcome.verdict == ControlVerdict::kRedAsPlanted || outcome.verdict == ControlVerdict::kNotAsked) continue;
        const bool missed = outcome.verdict == ControlVerdict::kMissed;
        std::string place = ":1";
        for (const Control& control : registry.controls)
            if (control.name == outcome.name && control.of == outcome.of)
                place = fmt::format("{}:{}", control.at.file, control.at.line);
        const std::string who = fmt::format("{} control \"{}\" of {}", outcome.chip, outcome.name, outcome.of);
        findings.push_back({missed ? "control missed" : "unchecked",
                            missed ? pm::sarif::Level::kError : pm::sarif::Level::kWarning,
                            fmt::format("{}: {}: {}", who, verdict_name(outcome.verdict), outcome.why),
                            pm::sarif::place_in((root / place).string(), root), who});
    }
    return pm::sarif::log("hip-kernel-contract", findings);
}

} // namespace hkc
