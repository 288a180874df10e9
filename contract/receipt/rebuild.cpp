#include "contract/receipt/rebuild.h"

#include "contract/receipt/make.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hkc::receipt {
namespace {

using Lines = std::vector<std::string>;

template <typename Outcome>
const Outcome* find_outcome(const std::vector<Outcome>& outcomes, const Outcome& like) {
    const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                    [&](const Outcome& one) { return one.chip == like.chip && one.name == like.name; });
    return found == outcomes.end() ? nullptr : &*found;
}

/// The first registration whose object another compiler made, or none.
std::string other_compiler(const RunOutcome& told, const RunOutcome& built) {
    for (const KernelOutcome& kernel : told.kernels) {
        const KernelOutcome* again = find_outcome(built.kernels, kernel);
        if (again != nullptr && again->evidence.fingerprint != kernel.evidence.fingerprint)
            return fmt::format("the receipt's were built by {}, those here by {}", kernel.evidence.fingerprint,
                               again->evidence.fingerprint);
    }
    return {};
}

template <typename Outcome>
void compare_evidence(const std::string& who, const Outcome& told, const Outcome& again, Lines& faults) {
    if (told.evidence.object != again.evidence.object)
        faults.push_back(fmt::format("{}: its object is {}, built again it is {}", who, told.evidence.object,
                                     again.evidence.object));
    if (told.evidence.fingerprint != again.evidence.fingerprint)
        faults.push_back(fmt::format("{}: built by {}, built again by {}", who, told.evidence.fingerprint,
                                     again.evidence.fingerprint));
}

/// Whatever a run says before its gates. False: it cannot be built, so there is nothing to audit either.
bool compare_run(const ReadReport& told, const Registry& registry, unsigned jobs, const Progress& progress,
                 Rebuilt& result) {
    RunRequest request;
    request.root = registry.root;
    request.device = told.description.device == "rocm" ? DeviceWish::kRocm : DeviceWish::kEmbedded;
    request.chips = told.outcome.chips;
    request.toolchain = told.description.toolchain;
    request.jobs = jobs;
    auto built = build_contracts(registry, request, progress);
    if (const auto* failure = std::get_if<RunFailure>(&built)) {
        if (failure->exit_status == kNoDeviceOrToolchain)
            result.unverified.push_back("objects and certificates: " + failure->text);
        else
            result.faults.push_back("it does not build: " + without_root(first_line_of(failure->text), registry.root));
        return failure->exit_status == kNoDeviceOrToolchain;
    }
    auto& report = std::get<RunReport>(built);
    scrub(report.outcome, registry.root);
    if (const std::string other = other_compiler(told.outcome, report.outcome); !other.empty()) {
        result.unverified.push_back("objects and certificates: " + other);
        return true;
    }
    if (told.description.compiler != report.description.compiler)
        result.faults.push_back(fmt::format("the compiler is called {}, here it is {}", told.description.compiler,
                                            report.description.compiler));
    for (const KernelOutcome& kernel : told.outcome.kernels) {
        const KernelOutcome* again = find_outcome(report.outcome.kernels, kernel);
        if (again == nullptr) continue; // told as unknown
        const std::string who = fmt::format("{} {}", kernel.chip, kernel.name);
        compare_evidence(who, kernel, *again, result.faults);
        if (kernel.certificates != again->certificates)
            result.faults.push_back(fmt::format("{}: its certificates are not those of its object", who));
        // Receipts from before reports told them have none.
        if (!kernel.costs.empty() && kernel.costs != again->costs)
            result.faults.push_back(fmt::format("{}: its resources are not those of its object", who));
    }
    for (const ControlOutcome& control : told.outcome.controls)
        if (const ControlOutcome* again = find_outcome(report.outcome.controls, control))
            compare_evidence(fmt::format("{} control \"{}\"", control.chip, control.name), control, *again,
                             result.faults);
    return true;
}

const limits::ToolchainAudit* find_toolchain(const limits::AuditReport& audit, const std::string& name) {
    const auto found = std::find_if(audit.toolchains.begin(), audit.toolchains.end(),
                                    [&](const limits::ToolchainAudit& one) { return one.spec.name == name; });
    return found == audit.toolchains.end() ? nullptr : &*found;
}

limits::ToolchainAudit only_chips(const std::set<std::string>& chips, limits::ToolchainAudit audit) {
    std::erase_if(audit.built, [&](const limits::Built& built) { return !chips.contains(built.chip); });
    std::erase_if(audit.kernels, [&](const limits::Audited& kernel) { return !chips.contains(kernel.chip); });
    return audit;
}

std::set<std::string> chips_of(const limits::ToolchainAudit& audit) {
    std::set<std::string> chips;
    for (const limits::Built& built : audit.built) chips.insert(built.chip);
    for (const limits::Audited& kernel : audit.kernels) chips.insert(kernel.chip);
    return chips;
}

/// What a toolchain that the receipt calls missing gives here, on the receipt's chips: problems of the declared
/// version are what the receipt hides, anything else is what it does not tell. Whether there is either.
bool judge_untold(const std::set<std::string>& chips, limits::ToolchainAudit now, Rebuilt& result) {
    now = only_chips(chips, std::move(now));
    // An error names the chip that could not be built for.
    std::erase_if(now.errors, [&](const std::string& error) {
        return std::none_of(chips.begin(), chips.end(),
                            [&](const std::string& chip) { return error.find(chip) != std::string::npos; });
    });
    if (now.compiler.empty() || (now.built.empty() && now.errors.empty())) return false;
    const std::string untold =
        fmt::format("audit of {}: the receipt says that it is not installed; here it is", now.spec.name);
    if (!now.message.empty()) {
        result.unverified.push_back(fmt::format("{}, {}", untold, now.message));
        return true;
    }
    const std::size_t before = result.faults.size();
    for (const std::string& error : now.errors) result.faults.push_back(fmt::format("{}: {}", untold, error));
    for (const limits::Audited& kernel : now.kernels)
        for (const Finding& finding : kernel.result.findings)
            // Whether one is stale takes every toolchain.
            if (finding.kind != kind::kStaleKnownFinding)
                result.faults.push_back(
                    fmt::format("{}: {} {}: {}: {}", untold, kernel.chip, kernel.name, finding.kind, finding.text));
    if (result.faults.size() == before) result.unverified.push_back(untold);
    return true;
}

/// Why a toolchain's objects here are not those of the receipt; empty where they are.
std::string not_comparable(const limits::ToolchainAudit& told, const limits::ToolchainAudit& again) {
    if (again.compiler.empty()) return "it is not installed here";
    for (const limits::Built& built : told.built)
        for (const limits::Built& one : again.built)
            if (one.chip == built.chip && one.family == built.family && one.fingerprint != built.fingerprint)
                return fmt::format("the receipt's objects were built by {}, those here by {}", built.fingerprint.text(),
                                   one.fingerprint.text());
    return {};
}

std::string text_of(const limits::ToolchainAudit& audit) {
    Side side;
    side.audited.emplace().toolchains.push_back(audit);
    return side_to_json(side);
}

std::string first_difference(const std::string& told, const std::string& again) {
    const Lines a = pm::split(told, '\n'), b = pm::split(again, '\n');
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::string is = i < a.size() ? a[i] : "nothing", should = i < b.size() ? b[i] : "nothing";
        if (is != should) return fmt::format("{}, audited again {}", is, should);
    }
    return {};
}

/// `chips`: those of the receipt's run.
void compare_audit(const limits::AuditReport& told, const std::vector<std::string>& chips, const Registry& registry,
                   unsigned jobs, const Progress& progress, Rebuilt& result) {
    RunRequest request;
    request.root = registry.root;
    request.jobs = jobs;
    // A chip that the receipt does not tell of was not built for it, and building it takes long.
    std::set<std::string> asked(chips.begin(), chips.end());
    for (const limits::ToolchainAudit& toolchain : told.toolchains) asked.merge(chips_of(toolchain));
    request.chips.assign(asked.begin(), asked.end());
    const auto again = audit_all(registry, request, "*", progress);
    if (!again) {
        result.faults.push_back("audited again: " + again.error().text);
        return;
    }
    bool all = true; // a known finding is stale where no toolchain shows it: that takes all of them
    for (const limits::ToolchainAudit& toolchain : told.toolchains) {
        const limits::ToolchainAudit* now = find_toolchain(*again, toolchain.spec.name);
        if (toolchain.compiler.empty()) {
            if (now != nullptr && judge_untold({chips.begin(), chips.end()}, *now, result)) all = false;
            continue;
        }
        const std::string why = now == nullptr ? "toolchains.toml does not name it" : not_comparable(toolchain, *now);
        if (why.empty()) continue;
        all = false;
        result.unverified.push_back(fmt::format("audit of {}: {}", toolchain.spec.name, why));
    }
    for (const limits::ToolchainAudit& toolchain : told.toolchains) {
        const limits::ToolchainAudit* now = find_toolchain(*again, toolchain.spec.name);
        if (toolchain.compiler.empty() || now == nullptr || !not_comparable(toolchain, *now).empty()) continue;
        const limits::ToolchainAudit expected = only_chips(chips_of(toolchain), *now);
        if (all) {
            const std::string differs = first_difference(text_of(toolchain), text_of(expected));
            if (!differs.empty())
                result.faults.push_back(fmt::format("audit of {}: says {}", toolchain.spec.name, differs));
            continue;
        }
        for (const limits::Audited& kernel : toolchain.kernels)
            if (std::none_of(expected.kernels.begin(), expected.kernels.end(), [&](const limits::Audited& one) {
                    return one.name == kernel.name && one.chip == kernel.chip && one.compiled == kernel.compiled;
                }))
                result.faults.push_back(fmt::format("audit of {}: {} {} costs something else", toolchain.spec.name,
                                                    kernel.chip, kernel.name));
    }
}

} // namespace

Rebuilt rebuild(const Side& side, const Registry& registry, unsigned jobs, const Progress& progress) {
    Rebuilt result;
    const bool builds = !side.run || compare_run(*side.run, registry, jobs, progress, result);
    if (side.audited && builds)
        compare_audit(*side.audited, side.run ? side.run->outcome.chips : std::vector<std::string>{}, registry, jobs,
                      progress, result);
    return result;
}

} // namespace hkc::receipt
