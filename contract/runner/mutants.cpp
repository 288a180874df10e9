#include "contract/runner/mutants.h"

#include "contract/runner/plant.h"
#include "contract/toolchain/compile.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <variant>

namespace hkc {
namespace {

using pm::score::Fate;
using pm::score::Scored;

constexpr std::uint32_t kLastGate = 4;
constexpr const char* kPrefix = "mutant ";

/// A registration's kernels on one chip, scored by certify.
struct Judged {
    const Kernel* kernel = nullptr;
    std::string chip;
    pm::score::Report report;
    std::vector<std::string> controls; // by mutant; empty where none was made
};

pm::Result<Judged> certified(const Kernel& kernel, const pm::Chip& chip, const Toolchain& toolchain,
                             const std::filesystem::path& root, const MutantRequest& asked,
                             std::vector<Control>& controls) {
    const BuildPlan build = build_of(kernel);
    CompileRequest request;
    request.toolchain = &toolchain;
    request.chip = &chip;
    request.root = root;
    request.source = build.source;
    request.flags = build.flags;
    const auto compiled = compile(request, default_cache_dir(root));
    if (!compiled) return compiled.error();
    const auto object = pm::parse_code_object(compiled->bytes, kernel.source, &chip);
    if (!object) return object.error();
    Judged judged{&kernel, chip.name, {kernel.name + " certify", chip.name, {}}, {}};
    for (const Launch& launch : kernel.launches) {
        auto report = pm::score::score(*object, kernel.name, {launch.symbol, asked.targets, asked.jobs});
        if (!report) return report.error().with(kernel.name);
        for (Scored& one : report->mutants) judged.report.mutants.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < judged.report.mutants.size(); ++i) {
        const Scored& one = judged.report.mutants[i];
        judged.controls.emplace_back();
        if (one.fate == Fate::kEquivalent) continue;
        auto edit = unique_edit(compiled->bytes, one.mutant.patch);
        if (!edit) continue;
        Control control;
        control.name = fmt::format("{}{} of {} on {}", kPrefix, i, kernel.name, chip.name);
        control.of = kernel.name;
        control.family = kernel.family;
        control.chips = {chip.name};
        control.plant = PlantMutate{std::move(*edit)};
        control.red_at = kLastGate;
        control.findings = finding_kinds();
        control.at = kernel.at;
        judged.controls.back() = control.name;
        controls.push_back(std::move(control));
    }
    return judged;
}

/// What the gates came to under a mutant.
void judge(const Kernel& kernel, const std::string& chip, const ControlOutcome& outcome, Scored& scored) {
    scored.fate = Fate::kMissed;
    scored.reason.clear();
    for (const GateResult& result : outcome.gates) {
        const auto red = std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
            return !is_known(kernel, chip, result.gate, finding);
        });
        if (result.status == Status::kFail && red != result.findings.end()) {
            scored.fate = Fate::kKilled;
            scored.reason = fmt::format("gate {}: {}", result.gate, red->kind);
            return;
        }
        if (!result.unchecked.empty()) {
            scored.fate = Fate::kUnchecked;
            scored.reason = fmt::format("gate {}: {}", result.gate, result.unchecked.front());
        }
    }
    if (outcome.gates.empty()) scored.fate = Fate::kUnchecked;
}

pm::score::Report by_gates(const Judged& judged, const std::map<std::string, const ControlOutcome*>& outcomes) {
    pm::score::Report report = judged.report;
    report.where = judged.kernel->name + " gates 1-4";
    for (std::size_t i = 0; i < report.mutants.size(); ++i) {
        Scored& one = report.mutants[i];
        if (one.fate == Fate::kEquivalent) continue;
        const auto found = outcomes.find(judged.controls[i]);
        if (found == outcomes.end()) {
            one.fate = Fate::kUnchecked;
            one.reason = "it did not run";
        } else {
            judge(*judged.kernel, judged.chip, *found->second, one);
        }
    }
    return report;
}

} // namespace

pm::Result<pm::mutate::BytesEdit> unique_edit(std::string_view bytes, const pm::mutate::Patch& patch) {
    const std::size_t size = patch.before.size();
    if (patch.offset > bytes.size() || bytes.substr(patch.offset, size) != patch.before)
        return pm::Error{fmt::format("{}: the file has other bytes there", patch.what)};
    constexpr std::size_t kStep = 16;
    for (std::size_t around = 0; around <= 2 * bytes.size(); around = around == 0 ? kStep : 2 * around) {
        const std::size_t first = patch.offset - std::min<std::size_t>(around, patch.offset);
        const std::string_view window = bytes.substr(first, patch.offset + size + around - first);
        if (bytes.find(window) != first || bytes.find(window, first + 1) != std::string_view::npos) continue;
        pm::mutate::BytesEdit edit{std::string(window), std::string(window)};
        edit.replace.replace(patch.offset - first, size, patch.after);
        return edit;
    }
    return pm::Error{fmt::format("{}: no bytes around it occur once", patch.what)};
}

pm::Result<std::vector<pm::score::Report>> score_registry(const Project& project, const MutantRequest& request,
                                                          const Progress& progress) {
    const auto chips = named_chips(project.registry, request.chips);
    if (!chips) return chips.error();
    const ToolchainSpec* const spec = pinned_toolchain(project.toolchains);
    const auto toolchain = find_installed(*spec, default_cache_dir(project.root));
    if (!toolchain) return pm::Error{missing_text(*spec)};

    Registry registry = project.registry;
    registry.controls.clear();
    std::vector<Judged> all;
    for (const std::string& name : *chips) {
        const auto chip = pm::find_chip(name);
        if (!chip) return chip.error();
        for (const Kernel& kernel : project.registry.kernels) {
            if (!pm::glob_match(request.filter, kernel.name)) continue;
            if (std::find(kernel.chips.begin(), kernel.chips.end(), name) == kernel.chips.end()) continue;
            auto judged = certified(kernel, **chip, *toolchain, project.root, request, registry.controls);
            if (!judged) return judged.error();
            all.push_back(std::move(*judged));
            progress("certifying", all.size(), 0);
        }
    }
    if (all.empty())
        return pm::Error{fmt::format("no registration on {} matches \"{}\"", fmt::join(*chips, ", "), request.filter)};

    std::map<std::string, const ControlOutcome*> outcomes;
    std::variant<RunReport, RunFailure> run = RunReport{};
    if (!registry.controls.empty()) {
        RunRequest gates;
        gates.root = project.root;
        gates.device = DeviceWish::kEmbedded;
        gates.chips = *chips;
        gates.filter = std::string(kPrefix) + "*";
        gates.gates = {kLastGate};
        gates.jobs = request.jobs;
        run = run_contracts(registry, gates, progress);
        if (const auto* failure = std::get_if<RunFailure>(&run)) return pm::Error{failure->text};
        for (const ControlOutcome& outcome : std::get<RunReport>(run).outcome.controls)
            outcomes[outcome.name] = &outcome;
    }
    std::vector<pm::score::Report> reports;
    for (const Judged& judged : all) {
        reports.push_back(judged.report);
        reports.push_back(by_gates(judged, outcomes));
    }
    return reports;
}

} // namespace hkc
