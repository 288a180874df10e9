#include "contract/receipt/make.h"

#include "contract/runner/input_files.h"
#include "contract/toolchain/cache.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc::receipt {
namespace {

namespace fs = std::filesystem;

/// Why `run` is no run of all of the head; empty where it is.
std::string why_not_of_head(const ReadReport& run, const std::string& commit, bool dirty, const std::string& inputs,
                            const std::string& toolchain) {
    const RunDescription& d = run.description;
    const RunRequest whole;
    if (d.commit != commit) return fmt::format("it is of commit {}, the head is {}", d.commit, commit);
    if (d.dirty != dirty) return "it is of a tree that was clean where this one is dirty, or the other way round";
    if (d.inputs != inputs) return "it is of another registry, other sources or other records";
    if (d.oracles != loaded_oracle_libraries())
        return fmt::format("its libraries of oracles are {}, those here (--oracles) {}", libraries_text(d.oracles),
                           libraries_text(loaded_oracle_libraries()));
    if (d.shard != whole.shard)
        return fmt::format("it is of shard {}; hip-kernel-contract merge makes the whole", shard_text(d.shard));
    if (d.filter != whole.filter) return fmt::format("its filter is {}; expected {}", d.filter, whole.filter);
    if (run.outcome.gates != whole.gates)
        return fmt::format("its gates are {}; expected {}", gates_text(run.outcome.gates), gates_text(whole.gates));
    if (d.toolchain != toolchain)
        return fmt::format("its objects are those of toolchain {}; expected {}, the pinned one", d.toolchain,
                           toolchain);
    if (d.seed != whole.seed) return fmt::format("its seed is {}; expected {}", d.seed, whole.seed);
    return {};
}

void scrub_text(std::string& text, const fs::path& root) { text = without_root(std::move(text), root); }

void scrub_gate(GateResult& result, const fs::path& root) {
    for (Finding& finding : result.findings) {
        scrub_text(finding.text, root);
        scrub_text(finding.source, root);
    }
    for (std::string& reason : result.unchecked) scrub_text(reason, root);
}

/// Whether the side would be the same another time.
bool repeatable(const Side& side) {
    const auto chance = [](const GateResult& result) {
        return std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
            return finding.kind == kind::kTimeOut || finding.kind == kind::kCrash;
        });
    };
    const auto of_chance = [&](const auto& outcome) {
        return std::any_of(outcome.gates.begin(), outcome.gates.end(), chance);
    };
    if (pm::interrupted() || !side.not_run.empty() || !side.run || !side.audited ||
        side.run->description.device != "embedded")
        return false;
    const RunOutcome& run = side.run->outcome;
    const auto& toolchains = side.audited->toolchains;
    return std::none_of(run.kernels.begin(), run.kernels.end(), of_chance) &&
           std::none_of(run.controls.begin(), run.controls.end(), of_chance) &&
           std::all_of(toolchains.begin(), toolchains.end(),
                       [](const limits::ToolchainAudit& audit) { return audit.errors.empty(); });
}

/// The file that keeps the base's side. Nothing where the device may give something else another time, or what the side
/// depends on cannot be read.
std::optional<fs::path> kept_side(const BaseContracts& base, const Revision& revision) {
    const auto device = choose_device(base.request->device);
    const auto specs = load_toolchains(base.root);
    if (!device || device->kind != DeviceKind::kEmbedded || !specs) return std::nullopt;
    const auto library = pm::read_file(device->library);
    const auto program = pm::read_file("/proc/self/exe");
    if (!library || !program) return std::nullopt;
    const RunRequest& request = *base.request;
    const fs::path cache = default_cache_dir(base.root);
    std::string key = fmt::format("2\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", revision.commit,
                                  revision.root.string(), pm::sha256_hex(*library), pm::sha256_hex(*program),
                                  libraries_text(loaded_oracle_libraries()), fmt::join(request.chips, ","),
                                  request.toolchain, request.thorough, request.allow_unchecked, request.limit.count());
    for (const ToolchainSpec& spec : *specs) {
        const auto installed = find_installed(spec, cache);
        key += fmt::format("{} {}\n", spec.name, installed ? installed->identity : "not installed");
    }
    const std::string name = pm::sha256_hex(key);
    return cache / "base" / name.substr(0, 2) / (name + ".json");
}

std::optional<Side> read_kept(const fs::path& file) {
    const auto json = read_sealed(file);
    if (!json || !json->contains("side") || !json->at("side").is_string()) return std::nullopt;
    auto side = read_side(json->at("side").get<std::string>());
    if (!side) return std::nullopt;
    return std::move(*side);
}

/// Runs gates, controls and audit. Failure: neither could be run.
std::optional<RunFailure> run_side(const Registry& registry, const RunRequest& request, Side& side,
                                   const Progress& progress) {
    if (!side.run) {
        auto outcome = run_contracts(registry, request, progress);
        if (auto* failure = std::get_if<RunFailure>(&outcome)) return std::move(*failure);
        auto& report = std::get<RunReport>(outcome);
        side.run = ReadReport{std::move(report.outcome), std::move(report.description)};
    }
    scrub(side.run->outcome, registry.root);
    auto audited = audit_all(registry, request, "*", progress);
    if (!audited) return RunFailure{kBadInput, audited.error().text};
    side.audited = std::move(*audited);
    return std::nullopt;
}

void run_base(const BaseContracts& base, const Revision& revision, Side& side, const Progress& progress) {
    if (!base.request) return; // nothing is registered there
    const auto kept = kept_side(base, revision);
    if (kept)
        if (auto before = read_kept(*kept)) {
            side = std::move(*before);
            return;
        }
    const auto failure =
        run_side(base.registry, *base.request, side, [&](const std::string& what, std::size_t done, std::size_t of) {
            progress(fmt::format("{}: {}", revision.name, what), done, of);
        });
    if (failure) {
        side = Side{side.commit, std::nullopt, std::nullopt, without_root(first_line_of(failure->text), base.root)};
        return;
    }
    if (kept && repeatable(side)) (void)write_sealed(*kept, {{"side", side_to_json(side)}});
}

} // namespace

void scrub(RunOutcome& outcome, const fs::path& root) {
    for (KernelOutcome& kernel : outcome.kernels) {
        for (GateResult& result : kernel.gates) scrub_gate(result, root);
        for (Certificate& certificate : kernel.certificates)
            for (Certificate::Reason& reason : certificate.reasons) {
                scrub_text(reason.text, root);
                scrub_text(reason.source, root);
            }
    }
    for (ControlOutcome& control : outcome.controls) {
        scrub_text(control.why, root);
        for (GateResult& result : control.gates) scrub_gate(result, root);
    }
}

void scrub(limits::AuditReport& report, const fs::path& root) {
    for (limits::ToolchainAudit& audit : report.toolchains) {
        if (!audit.message.empty())
            audit.message = audit.compiler.empty() ? "not installed" : "not the version that toolchains.toml names";
        if (!audit.compiler.empty()) audit.compiler = audit.spec.name;
        // A compiler's own words name its folders.
        for (std::string& error : audit.errors) scrub_text(error = pm::split(error, '\n').front(), root);
        for (limits::Audited& kernel : audit.kernels) scrub_gate(kernel.result, root);
    }
}

pm::Result<DeclaredBase> open_declared_base(const Revision& revision, const RunRequest& head) {
    auto contracts = open_base(revision, head);
    if (!contracts) return contracts.error();
    auto declared = snapshot_of(contracts->registry);
    if (!declared) return pm::Error{without_root(declared.error().text, contracts->root)};
    return DeclaredBase{std::move(*contracts), std::move(*declared)};
}

pm::Result<limits::AuditReport> audit_all(const Registry& registry, const RunRequest& request,
                                          const std::string& filter, const Progress& progress) {
    const auto specs = load_toolchains(registry.root);
    if (!specs) return specs.error();
    limits::AuditOptions options;
    options.cache_dir = default_cache_dir(registry.root);
    if (std::find(request.chips.begin(), request.chips.end(), "all") == request.chips.end())
        options.chips = request.chips;
    options.filter = filter;
    options.jobs = request.jobs;
    options.progress = [&](std::size_t done, std::size_t of) { progress("auditing", done, of); };
    auto report = limits::audit(registry, *specs, options);
    if (!report) return report.error();
    scrub(*report, registry.root);
    return report;
}

std::variant<Receipt, RunFailure> make_receipt(const Registry& head, const MakeRequest& request,
                                               const Progress& progress) {
    const auto bad = [](const pm::Error& error) { return RunFailure{kBadInput, error.text}; };
    const auto inputs = input_files(head);
    if (!inputs) return bad(inputs.error());
    const auto hash = hash_of_files(head.root, *inputs);
    if (!hash) return bad(hash.error());
    const Checkout checkout = checkout_of(head.root, *inputs);

    Receipt receipt;
    receipt.head.commit = checkout.commit;
    receipt.dirty = checkout.dirty;
    receipt.base.commit = request.base.commit;
    if (request.head_run) {
        const auto toolchains = load_toolchains(head.root);
        if (!toolchains) return bad(toolchains.error());
        const std::string why = why_not_of_head(*request.head_run, checkout.commit, !checkout.dirty.empty(), *hash,
                                                pinned_toolchain(*toolchains)->name);
        if (!why.empty()) return RunFailure{kBadInput, "the given report is not of this head: " + why};
        receipt.head.run = request.head_run;
    }

    const SharedCache cache(head.root);
    const auto snapshot = snapshot_of(head);
    if (!snapshot) return bad(snapshot.error());
    std::optional<DeclaredBase> base;
    std::vector<OracleLibrary> oracles_of_base;
    {
        const auto others = OtherOracles::load(request.base_oracles);
        if (!others) return bad(others.error());
        auto opened = open_declared_base(request.base, request.run);
        if (opened)
            base.emplace(std::move(*opened));
        else
            receipt.base.not_run = opened.error().text;
        oracles_of_base = loaded_oracle_libraries();
    }
    if (base) {
        receipt.changes = contract_changes(base->declared, *snapshot);
        if (base->contracts.request)
            for (Change& change : oracle_changes(oracles_of_base, loaded_oracle_libraries()))
                receipt.changes.push_back(std::move(change));
    } else if (oracles_of_base != loaded_oracle_libraries()) {
        receipt.base.not_run += "; --base-oracles names the base's libraries of oracles";
    }
    const auto checks = checker_changes(head.root, request.base);
    if (!checks) return bad(checks.error());
    receipt.changes.insert(receipt.changes.end(), checks->begin(), checks->end());
    if (const auto given = give_reasons(receipt.changes, request.reasons, base.has_value()); !given)
        return bad(given.error());
    receipt.reasons = request.reasons;

    if (auto failure = run_side(head, request.run, receipt.head, progress)) return *failure;
    if (pm::interrupted()) return RunFailure{pm::kInterruptedStatus, "interrupted: no receipt was written"};
    if (base) {
        const auto others = OtherOracles::load(request.base_oracles);
        if (!others) return bad(others.error());
        run_base(base->contracts, request.base, receipt.base, progress);
    }
    if (pm::interrupted()) return RunFailure{pm::kInterruptedStatus, "interrupted: no receipt was written"};
    assemble(receipt, head, base ? &base->contracts.registry : nullptr);
    return receipt;
}

} // namespace hkc::receipt
