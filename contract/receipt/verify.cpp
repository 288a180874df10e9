#include "contract/receipt/verify.h"

#include "contract/limits/limits.h"
#include "contract/receipt/make.h"
#include "contract/receipt/markdown.h"
#include "contract/receipt/private_names.h"
#include "contract/receipt/reason.h"
#include "contract/receipt/rebuild.h"
#include "contract/runner/declaration.h"
#include "contract/runner/form.h"
#include "contract/runner/input_files.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

namespace hkc::receipt {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

void append(Lines& to, Lines from, const std::string& where) {
    for (std::string& line : from) to.push_back(where.empty() ? std::move(line) : where + ": " + line);
}

/// Every text of a JSON value, keys included, a line each.
void collect_texts(const Json& json, std::string& into) {
    if (json.is_string()) into += json.get<std::string>() + "\n";
    if (json.is_object())
        for (const auto& [key, value] : json.items()) {
            into += key + "\n";
            collect_texts(value, into);
        }
    if (json.is_array())
        for (const Json& value : json) collect_texts(value, into);
}

/// `texts` as collect_texts gives them.
Lines name_faults(const std::string& texts, const std::optional<std::string>& markdown) {
    Lines faults;
    for (const std::string& name : private_names_in(texts, own_names()))
        faults.push_back(fmt::format("the receipt names a machine or a person: {}", name));
    if (markdown)
        for (const std::string& name : private_names_in(*markdown, own_names()))
            faults.push_back(fmt::format("the text names a machine or a person: {}", name));
    return faults;
}

/// Texts that a reader would not see as they are.
Lines hiding_faults(const std::string& texts) {
    Lines faults;
    for (const std::string& text : pm::split(texts, '\n'))
        if (hides_text(text))
            faults.push_back(fmt::format("the receipt hides or turns text: {}", Json(text).dump(-1, ' ', true)));
    return faults;
}

/// The status that a gate's own findings, reasons and checks make, known findings taken into account.
Status made_status(const Kernel& kernel, const std::string& chip, const GateResult& result) {
    const bool all_known = std::all_of(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
        return is_known(kernel, chip, result.gate, finding);
    });
    if (!all_known) return Status::kFail;
    if (!result.unchecked.empty()) return Status::kUnchecked;
    if (!result.findings.empty()) return Status::kKnownFinding;
    return result.checks == 0 ? Status::kUnchecked : Status::kPass;
}

/// `says X, its findings make it Y`; empty where they agree.
std::string status_fault(Status said, Status made) {
    if (said == made) return {};
    return fmt::format("says {}, its findings make it {}", status_name(said), status_name(made));
}

Lines kernel_faults(const KernelOutcome& outcome, const Kernel& kernel, const std::vector<std::uint32_t>& gates) {
    Lines faults;
    const std::string who = fmt::format("{} {}", outcome.chip, outcome.name);
    if (outcome.family != kernel.family) faults.push_back(who + ": is of another family");
    if (outcome.evidence.entry != declaration_hash(declaration_of(kernel)))
        faults.push_back(who + ": its declaration is another one than the registry's");
    std::vector<std::uint32_t> numbers;
    std::vector<GateResult> again = outcome.gates;
    for (GateResult& result : again) {
        numbers.push_back(result.gate);
        const std::string fault = status_fault(result.status, made_status(kernel, outcome.chip, result));
        if (!fault.empty()) faults.push_back(fmt::format("{} gate {}: {}", who, result.gate, fault));
        if (result.status == Status::kKnownFinding) result.status = Status::kFail;
    }
    if (numbers != gates)
        faults.push_back(fmt::format("{}: holds gates {}; expected {}", who, gates_text(numbers), gates_text(gates)));
    if (apply_known_findings(kernel, outcome.chip, again) != outcome.known)
        faults.push_back(who + ": its known findings are not those that occurred");
    return faults;
}

Lines control_faults(const RunOutcome& run, const ControlOutcome& outcome, const Control& control, const Kernel& twin,
                     bool embedded) {
    Lines faults;
    const std::string who = fmt::format("{} control \"{}\"", outcome.chip, outcome.name);
    if (outcome.of != control.of) faults.push_back(who + ": is of another registration");
    if (outcome.evidence.entry != declaration_hash(declaration_of(control)))
        faults.push_back(who + ": its declaration is another one than the registry's");
    if (outcome.verdict == ControlVerdict::kNotAsked) {
        if (embedded || !control.embedded_only) faults.push_back(who + ": not asked, although it can be");
        return faults;
    }
    const Kernel none; // a control's gates are not excused by what its registration is known for
    for (const GateResult& result : outcome.gates) {
        const std::string fault = status_fault(result.status, made_status(none, outcome.chip, result));
        if (!fault.empty()) faults.push_back(fmt::format("{} gate {}: {}", who, result.gate, fault));
    }
    ControlOutcome again = outcome;
    judge_control(control, twin, again);
    doubt_control(run, again);
    if (again.verdict != outcome.verdict || again.why != outcome.why)
        faults.push_back(fmt::format("{}: says {}, its gates make it {}", who, verdict_name(outcome.verdict),
                                     verdict_name(again.verdict)));
    return faults;
}

/// Whether an audited kernel is what the records make of its figures. Limits of kernarg are not recomputed: they are a
/// matter of the object's arguments.
Lines audited_faults(const limits::Audited& audited, const limits::ToolchainAudit& toolchain, const Registry& registry,
                     const std::string& where) {
    const Kernel* kernel = registry.find_kernel(audited.name);
    const auto chip = pm::find_chip(audited.chip);
    if (kernel == nullptr || !chip) return {where + ": no such registration or chip"};
    const auto built = std::find_if(toolchain.built.begin(), toolchain.built.end(), [&](const limits::Built& one) {
        return one.chip == audited.chip && one.family == audited.family;
    });
    if (built == toolchain.built.end()) return {where + ": nothing was built for it"};
    const auto file = records::load(registry.root, toolchain.spec.name, audited.family);
    if (!file) return {file.error().text};

    std::set<std::string> expected, told;
    bool unchecked = false, record_differs = false;
    std::size_t checks = 0;
    const auto recorded = *file ? (*file)->chips.find(audited.chip) : decltype((*file)->chips.find(audited.chip)){};
    const bool comparable =
        *file && recorded != (*file)->chips.end() && recorded->second.fingerprint == built->fingerprint;
    for (const Launch& launch : kernel->launches) {
        const auto resources = audited.compiled.find(launch.symbol);
        if (resources == audited.compiled.end()) continue; // told as a missing symbol
        pm::Kernel compiled;
        compiled.resources = resources->second;
        const GateResult one =
            limits::compare(compiled, launch.symbol, **chip,
                            {toolchain.spec.name, audited.family, *file ? &**file : nullptr}, &built->fingerprint);
        for (const Finding& finding : one.findings) expected.insert(finding.kind + ": " + finding.text);
        unchecked = unchecked || !one.unchecked.empty();
        record_differs = record_differs ||
                         (comparable && (!one.unchecked.empty() ||
                                         std::any_of(one.findings.begin(), one.findings.end(),
                                                     [](const Finding& f) { return f.kind == kind::kRecordDiffers; })));
        checks += one.checks;
    }
    const auto known_text = [&](const std::string& text) {
        return std::any_of(audited.known.begin(), audited.known.end(),
                           [&](const std::string& known) { return known.starts_with(text); });
    };
    Lines faults;
    for (const Finding& finding : audited.result.findings) told.insert(finding.kind + ": " + finding.text);
    for (const std::string& finding : expected) {
        const std::string text = finding.substr(finding.find(": ") + 2);
        if (!told.contains(finding) && !known_text(text)) faults.push_back(fmt::format("{}: hides {}", where, finding));
    }
    for (const Finding& finding : audited.result.findings) {
        const bool of_figures = finding.kind == kind::kRecordDiffers || finding.kind == kind::kUsesScratch;
        if (of_figures && !expected.contains(finding.kind + ": " + finding.text))
            faults.push_back(
                fmt::format("{}: says {}: {}, its figures and records do not", where, finding.kind, finding.text));
    }
    for (const std::string& known : audited.known)
        if (std::none_of(expected.begin(), expected.end(), [&](const std::string& finding) {
                return known.starts_with(finding.substr(finding.find(": ") + 2));
            }))
            faults.push_back(fmt::format("{}: says known finding {}, its figures and records do not", where, known));
    if (record_differs != audited.record_differs)
        faults.push_back(where + ": whether its record differs is said wrongly");
    if (audited.result.launches != 0) faults.push_back(where + ": an audit launches nothing");
    const bool missing_symbol = audited.compiled.empty();
    if (unchecked != !audited.result.unchecked.empty())
        faults.push_back(where + (unchecked ? ": its records cannot be compared, and it does not say so"
                                            : ": says unchecked, its records can be compared"));
    const Status made = !audited.result.findings.empty()                ? Status::kFail
                        : unchecked || (checks == 0 && !missing_symbol) ? Status::kUnchecked
                        : !audited.known.empty()                        ? Status::kKnownFinding
                                                                        : Status::kPass;
    const std::string fault = status_fault(audited.result.status, made);
    if (!fault.empty()) faults.push_back(where + ": " + fault);
    return faults;
}

/// Gates and audit of one toolchain load and judge the same builds.
Lines fingerprint_faults(const ReadReport& run, const limits::AuditReport& audit) {
    Lines faults;
    const auto toolchain =
        std::find_if(audit.toolchains.begin(), audit.toolchains.end(),
                     [&](const limits::ToolchainAudit& one) { return one.spec.name == run.description.toolchain; });
    if (toolchain == audit.toolchains.end()) return {"the toolchain of the gates was not audited"};
    for (const limits::Built& built : toolchain->built)
        for (const KernelOutcome& kernel : run.outcome.kernels)
            if (kernel.chip == built.chip && kernel.family == built.family &&
                kernel.evidence.fingerprint != built.fingerprint.text())
                faults.push_back(
                    fmt::format("{} {}: gates and audit name different compilers or flags", kernel.chip, kernel.name));
    return faults;
}

/// What the checkout is, against what the receipt says it was.
Lines checkout_faults(const Receipt& receipt, const Registry& registry) {
    Lines faults;
    const auto inputs = input_files(registry);
    if (!inputs) return {inputs.error().text};
    const Checkout checkout = checkout_of(registry.root, *inputs);
    if (checkout.commit.empty()) return {"there is no git checkout to verify it in"};
    if (checkout.commit != receipt.head.commit)
        faults.push_back(fmt::format("another commit: the receipt is of {}, the checkout is {}", receipt.head.commit,
                                     checkout.commit));
    if (!checkout.dirty.empty())
        faults.push_back(fmt::format("the checkout is dirty: {}", fmt::join(checkout.dirty, ", ")));
    return faults;
}

/// Whether a run is of all that `registry` declares, at that commit.
Lines description_faults(const ReadReport& run, const Registry& registry, const std::string& commit, bool dirty) {
    Lines faults;
    const RunDescription& d = run.description;
    const RunRequest whole;
    const auto inputs = input_files(registry);
    if (!inputs) return {inputs.error().text};
    const auto hash = hash_of_files(registry.root, *inputs);
    if (!hash) return {hash.error().text};
    if (*hash != d.inputs) faults.emplace_back("registry, sources or records are others than those of the run");
    if (d.commit != commit) faults.emplace_back("the run is of another commit than the receipt");
    if (d.dirty != dirty) faults.emplace_back("the run's dirty flag is not the receipt's");
    if (d.registered != registered_chips(registry))
        faults.emplace_back("the run's list of registered chips is not the registry's");
    if (d.filter != whole.filter || d.seed != whole.seed || d.shard != whole.shard || run.outcome.gates != whole.gates)
        faults.emplace_back("the run was not of everything: its filter, gates, seed or shard are others");
    return faults;
}

/// What an oracle allows is known only where the library is here. `option`: what names it.
Lines oracle_faults(const Side& side, const char* option) {
    if (!side.run || side.run->description.oracles == loaded_oracle_libraries()) return {};
    if (loaded_oracle_libraries().empty())
        return {fmt::format("{} is missing: the run's libraries of oracles are {}", option,
                            libraries_text(side.run->description.oracles))};
    return {fmt::format("the run's libraries of oracles are {}, those here ({}) {}",
                        libraries_text(side.run->description.oracles), option,
                        libraries_text(loaded_oracle_libraries()))};
}

/// The gates are of the pinned toolchain. The compiler's own words name the version that toolchains.toml asks for;
/// where another was allowed, they cannot be told.
Lines compiler_faults(const ReadReport& run, const Registry& registry) {
    const RunDescription& d = run.description;
    const auto specs = load_toolchains(registry.root);
    if (!specs) return {specs.error().text};
    const auto spec = find_toolchain(*specs, d.toolchain);
    if (!spec) return {"the run's toolchain: " + spec.error().text};
    if (const std::string& pinned = pinned_toolchain(*specs)->name; d.toolchain != pinned)
        return {fmt::format("the run's toolchain is {}; toolchains.toml pins {}", d.toolchain, pinned)};
    if (!d.allow_unchecked && !names_version(d.compiler, (*spec)->version))
        return {fmt::format("toolchain {} is version {}, the run's compiler says \"{}\"", d.toolchain, (*spec)->version,
                            d.compiler)};
    return {};
}

/// Whether both sides were run in the same way.
Lines pair_faults(const ReadReport& head, const ReadReport& base) {
    const RunDescription &a = head.description, &b = base.description;
    if (std::tie(a.device, a.library, a.thorough, a.allow_unchecked) ==
        std::tie(b.device, b.library, b.thorough, b.allow_unchecked))
        return {};
    return {"head and base were not run in the same way: device, library, --thorough or --allow-unchecked differ"};
}

/// What a side says of itself, under the contracts that it has.
Lines side_faults(const Side& side, const Registry& registry, bool dirty) {
    Lines faults;
    if (side.run.has_value() != side.audited.has_value() || (side.run && !side.not_run.empty()))
        return {"it is said to be both run and not run"};
    if (!side.run) return faults;
    append(faults, description_faults(*side.run, registry, side.commit, dirty), "");
    append(faults, form_faults(*side.run), "");
    append(faults, compiler_faults(*side.run, registry), "");
    append(faults, run_faults(*side.run, registry), "");
    append(faults, audit_faults(*side.audited, side.run->outcome.chips, registry), "");
    append(faults, fingerprint_faults(*side.run, *side.audited), "");
    return faults;
}

/// The changes that the receipt lists, against those that there are, and their reasons against those that were given.
/// `all`: the base was read, so that all are known.
Lines change_faults(const Receipt& receipt, const std::vector<Change>& expected, bool all) {
    Lines faults, told, made;
    std::vector<Change> again = receipt.changes;
    for (Change& change : again) {
        told.push_back(change_text(change));
        change.reason.clear();
    }
    for (const Change& change : expected) made.push_back(change_text(change));
    for (const std::string& change : made)
        if (std::find(told.begin(), told.end(), change) == told.end())
            faults.push_back("a contract change that the receipt does not list: " + change);
    for (const std::string& change : told)
        if (std::find(made.begin(), made.end(), change) == made.end())
            faults.push_back("a contract change that is none: " + change);
    if (faults.empty() && told != made)
        faults.emplace_back("the contract changes are listed twice, or in another order");
    if (const auto given = give_reasons(again, receipt.reasons, all); !given) {
        faults.push_back("the reasons: " + given.error().text);
    } else if (again != receipt.changes) {
        const auto [is, should] = std::mismatch(receipt.changes.begin(), receipt.changes.end(), again.begin());
        faults.push_back(fmt::format("the reason of \"{}\" is \"{}\", those that were given make it \"{}\"",
                                     change_text(*is), is->reason, should->reason));
    }
    return faults;
}

/// The base's contracts: what changed since, and what its run says of them.
Lines base_faults(const Receipt& receipt, const Registry& registry, const std::optional<DeclaredBase>& base) {
    Lines faults;
    std::vector<Change> expected;
    if (base) {
        const auto after = snapshot_of(registry);
        if (!after) return {after.error().text};
        expected = contract_changes(base->declared, *after);
        if (receipt.head.run && base->contracts.request)
            for (Change& change :
                 oracle_changes(receipt.base.run ? receipt.base.run->description.oracles : loaded_oracle_libraries(),
                                receipt.head.run->description.oracles))
                expected.push_back(std::move(change));
        append(faults, side_faults(receipt.base, base->contracts.registry, false), "base");
        if (receipt.head.run && receipt.base.run) append(faults, pair_faults(*receipt.head.run, *receipt.base.run), "");
        if (receipt.base.not_run.empty() && base->contracts.request && !receipt.base.run)
            faults.emplace_back("base: its run is missing");
        if (base->contracts.request && receipt.base.run)
            for (const std::string& chip : base->contracts.request->chips)
                if (const auto& ran = receipt.base.run->outcome.chips;
                    std::find(ran.begin(), ran.end(), chip) == ran.end())
                    faults.push_back("base: its run leaves out " + chip + ", which the head's has");
    }
    const auto checks = checker_changes(registry.root, {receipt.base.commit, receipt.base.commit, {}, {}});
    if (!checks) return {checks.error().text};
    expected.insert(expected.end(), checks->begin(), checks->end());
    append(faults, change_faults(receipt, expected, base.has_value()), "");
    return faults;
}

/// The registrations to run again: which they are is nobody's choice.
Lines sample(const ReadReport& run, std::uint32_t count, std::string_view seal) {
    std::set<std::pair<std::string, std::string>> ordered;
    for (const KernelOutcome& kernel : run.outcome.kernels)
        ordered.emplace(pm::sha256_hex(fmt::format("{} {}", seal, kernel.name)), kernel.name);
    Lines names;
    for (const auto& [hash, name] : ordered)
        if (names.size() < count) names.push_back(name);
    return names;
}

RunOutcome only(const RunOutcome& run, const std::string& name) {
    RunOutcome part;
    part.chips = run.chips;
    part.gates = run.gates;
    for (const KernelOutcome& kernel : run.kernels)
        if (kernel.name == name) part.kernels.push_back(kernel);
    for (const ControlOutcome& control : run.controls)
        if (control.of == name) part.controls.push_back(control);
    return part;
}

/// Where two runs of the same differ first; empty where they do not.
std::string difference(const RunOutcome& told, const RunOutcome& again) {
    const auto texts = [](const RunOutcome& run) {
        const Json json = Json::parse(report_json(run, {}));
        std::vector<std::pair<std::string, std::string>> all; // name, JSON
        for (const char* list : {"kernels", "controls"})
            for (const Json& one : json.at(list))
                all.emplace_back(
                    fmt::format("{} {}", one.at("chip").get<std::string>(), one.at("name").get<std::string>()),
                    one.dump());
        return all;
    };
    const auto before = texts(told), after = texts(again);
    if (before.size() != after.size()) return fmt::format("{} outcomes, {} now", before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != after[i]) return before[i].first;
    return {};
}

Lines rerun_faults(const Receipt& receipt, const Registry& registry, const VerifyRequest& request,
                   std::string_view seal, const Progress& progress, Lines& did) {
    const ReadReport& run = *receipt.head.run;
    RunRequest again;
    again.root = registry.root;
    again.device = run.description.device == "embedded" ? DeviceWish::kEmbedded : DeviceWish::kRocm;
    again.chips = run.outcome.chips;
    again.toolchain = run.description.toolchain;
    again.jobs = request.jobs;
    again.thorough = run.description.thorough;
    again.allow_unchecked = run.description.allow_unchecked;
    Lines faults;
    for (const std::string& name : sample(run, request.rerun, seal)) {
        again.filter = name;
        auto outcome = run_contracts(registry, again, progress);
        if (const auto* failure = std::get_if<RunFailure>(&outcome)) return {"run again: " + failure->text};
        RunOutcome now = only(std::get<RunReport>(outcome).outcome, name);
        scrub(now, registry.root);
        const std::size_t before = faults.size();
        const std::string differs = difference(only(run.outcome, name), now);
        if (!differs.empty()) faults.push_back("run again, it gives something else: " + differs);
        auto audited = audit_all(registry, again, name, progress);
        if (!audited) return {"audited again: " + audited.error().text};
        for (const limits::ToolchainAudit& toolchain : audited->toolchains)
            for (const limits::Audited& kernel : toolchain.kernels) {
                const auto told = std::find_if(
                    receipt.head.audited->toolchains.begin(), receipt.head.audited->toolchains.end(),
                    [&](const limits::ToolchainAudit& one) { return one.spec.name == toolchain.spec.name; });
                const bool same =
                    told != receipt.head.audited->toolchains.end() &&
                    std::any_of(told->kernels.begin(), told->kernels.end(), [&](const limits::Audited& one) {
                        return one.name == kernel.name && one.chip == kernel.chip && one.compiled == kernel.compiled;
                    });
                if (!same)
                    faults.push_back(fmt::format("built again by {}, {} {} costs something else", toolchain.spec.name,
                                                 kernel.chip, kernel.name));
            }
        if (faults.size() == before) did.push_back("run again: " + name);
    }
    return faults;
}

/// The lines of a text that a browser or another system may have sent.
Lines lines_of(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        plain += text[i] == '\r' ? '\n' : text[i];
    }
    return pm::split(plain, '\n');
}

/// Whether a reader takes the line for the beginning of a receipt.
bool is_heading_like_ours(const std::string& line) {
    std::string words;
    for (const char c : line)
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
            words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t begin = line.find_first_not_of(" >");
    return begin != std::string::npos && line[begin] == '#' && words == "kernelcontractreceipt";
}

} // namespace

Lines markdown_faults(const std::string& markdown, const Receipt& receipt, std::string_view seal) {
    const Lines lines = lines_of(markdown);
    const auto first = std::find(lines.begin(), lines.end(), kFirstLine);
    const auto last = std::find(first, lines.end(), kLastLine);
    if (last == lines.end())
        return {fmt::format("the text holds no receipt; expected one from the line \"{}\" to the line \"{}\"",
                            kFirstLine, kLastLine)};
    const auto speaks = [](const std::string& line) {
        return line.find(kFirstLine) != std::string::npos || line.find(kLastLine) != std::string::npos ||
               is_heading_like_ours(line);
    };
    if (std::any_of(lines.begin(), first, speaks) || std::any_of(last + 1, lines.end(), speaks))
        return {"the text holds more than one receipt"};
    const Lines said(first, last + 1);
    const std::string whole = to_markdown(receipt, seal);
    const Lines expected = pm::split(std::string_view(whole).substr(0, whole.size() - 1), '\n');
    Lines faults;
    for (std::size_t i = 0; i < std::max(said.size(), expected.size()); ++i) {
        const std::string is = i < said.size() ? said[i] : "(no line)";
        const std::string should = i < expected.size() ? expected[i] : "(no line)";
        if (is == should) continue;
        faults.push_back(
            fmt::format("line {} of the receipt's text reads \"{}\", receipt.json makes it \"{}\"", i + 1, is, should));
        // Where lines were added or left out, all behind the first of them are others.
        if (said.size() != expected.size()) {
            faults.push_back(
                fmt::format("the receipt's text has {} lines, receipt.json makes {}", said.size(), expected.size()));
            break;
        }
    }
    return faults;
}

Lines run_faults(const ReadReport& run, const Registry& registry) {
    Lines faults;
    const RunOutcome& outcome = run.outcome;
    using Name = std::tuple<std::string, bool, std::string>; // chip, is a control, name
    std::vector<Name> told, made;
    const auto text = [](const Name& name) {
        const auto& [chip, control, what] = name;
        return fmt::format("{} {} \"{}\"", chip, control ? "control" : "registration", what);
    };
    for (const KernelOutcome& kernel : outcome.kernels) told.emplace_back(kernel.chip, false, kernel.name);
    for (const ControlOutcome& control : outcome.controls) told.emplace_back(control.chip, true, control.name);
    const std::vector<Task> tasks = select_tasks(registry, outcome.chips, "*", outcome.gates);
    for (const Task& task : tasks)
        if (task.control == nullptr) made.emplace_back(task.chip, false, task.kernel->name);
    for (const Task& task : tasks)
        if (task.control != nullptr) made.emplace_back(task.chip, true, task.control->name);
    const std::set<Name> expected(made.begin(), made.end());
    if (expected.size() != made.size()) faults.emplace_back("a chip is there twice");
    for (const Name& name : expected) {
        const auto count = std::count(told.begin(), told.end(), name);
        if (count == 0) faults.push_back("missing: " + text(name));
        if (count > 1) faults.push_back("doubled: " + text(name));
    }
    for (const Name& name : told)
        if (!expected.contains(name)) faults.push_back("unknown: " + text(name));
    if (faults.empty() && told != made)
        faults.emplace_back("registrations or controls are not in the registry's order");
    if (run.description.tasks != expected.size())
        faults.push_back(fmt::format("the run says {} registrations and controls; expected {}", run.description.tasks,
                                     expected.size()));
    for (const KernelOutcome& kernel : outcome.kernels)
        if (const Kernel* declared = registry.find_kernel(kernel.name))
            append(faults, kernel_faults(kernel, *declared, outcome.gates), "");
    for (const ControlOutcome& control : outcome.controls) {
        const auto declared = std::find_if(registry.controls.begin(), registry.controls.end(),
                                           [&](const Control& one) { return one.name == control.name; });
        if (declared == registry.controls.end()) continue;
        const Kernel* twin = registry.find_kernel(declared->of);
        if (twin != nullptr)
            append(faults, control_faults(outcome, control, *declared, *twin, run.description.device == "embedded"),
                   "");
    }
    return faults;
}

Lines audit_faults(const limits::AuditReport& audit, const std::vector<std::string>& chips, const Registry& registry) {
    Lines faults;
    const auto specs = load_toolchains(registry.root);
    if (!specs) return {specs.error().text};
    Lines told, expected;
    for (const limits::ToolchainAudit& toolchain : audit.toolchains) told.push_back(toolchain.spec.name);
    for (const ToolchainSpec& spec : *specs)
        if (std::find(told.begin(), told.end(), spec.name) != told.end()) expected.push_back(spec.name);
    if (told != expected)
        faults.emplace_back("audit: its toolchains are not those of toolchains.toml, each once, in its order");
    for (const ToolchainSpec& spec : *specs) {
        std::error_code ignored;
        if (!spec.pinned && !std::filesystem::exists(registry.root / "records" / spec.name, ignored)) continue;
        const auto toolchain =
            std::find_if(audit.toolchains.begin(), audit.toolchains.end(),
                         [&](const limits::ToolchainAudit& one) { return one.spec.name == spec.name; });
        if (toolchain == audit.toolchains.end()) {
            faults.push_back("audit: missing: toolchain " + spec.name);
            continue;
        }
        if (toolchain->spec.version != spec.version || toolchain->spec.pinned != spec.pinned)
            faults.push_back(fmt::format("audit: toolchain {} is another one than in toolchains.toml", spec.name));
        if (toolchain->compiler.empty() || !toolchain->errors.empty()) continue; // told, and no pass
        for (const Kernel& kernel : registry.kernels)
            for (const std::string& chip : kernel.chips) {
                if (!spec.builds(chip) || std::find(chips.begin(), chips.end(), chip) == chips.end()) continue;
                const auto count = std::count_if(
                    toolchain->kernels.begin(), toolchain->kernels.end(),
                    [&](const limits::Audited& one) { return one.name == kernel.name && one.chip == chip; });
                if (count != 1)
                    faults.push_back(fmt::format("audit: {} {} {} is there {} times; expected once", spec.name, chip,
                                                 kernel.name, count));
            }
        for (const limits::Audited& kernel : toolchain->kernels)
            append(faults,
                   audited_faults(kernel, *toolchain, registry,
                                  fmt::format("audit: {} {} {}", spec.name, kernel.chip, kernel.name)),
                   "");
    }
    return faults;
}

Verdict verify(const std::string& json, const std::optional<std::string>& markdown, const Registry& registry,
               const VerifyRequest& request, const Progress& progress) {
    Verdict verdict;
    Lines& faults = verdict.faults;
    // What was looked at holds where it brought no fault.
    const auto looked_at = [&](std::string what, std::size_t faults_before) {
        if (faults.size() == faults_before) verdict.did.push_back(std::move(what));
    };
    const auto receipt = read_json(json);
    if (!receipt) {
        faults.push_back("receipt: " + receipt.error().text);
        return verdict;
    }
    const std::string seal = seal_of(json);
    std::string texts;
    collect_texts(Json::parse(json, nullptr, false), texts);
    append(faults, name_faults(texts, markdown), "");
    if (markdown) {
        const std::size_t before = faults.size();
        append(faults, markdown_faults(*markdown, *receipt, seal), "");
        looked_at("the text, line by line", before);
    }
    append(faults, hiding_faults(texts), "");
    const std::size_t before_head = faults.size();
    append(faults, checkout_faults(*receipt, registry), "");
    if (!request.base.empty() && request.base != receipt->base.commit)
        faults.push_back(
            fmt::format("another base: the receipt's is {}, expected {}", receipt->base.commit, request.base));
    for (const Side* side : {&receipt->head, &receipt->base})
        if (!is_commit_hash(side->commit)) faults.push_back(fmt::format("\"{}\" is no commit's hash", side->commit));
    append(faults, side_faults(receipt->head, registry, !receipt->dirty.empty()), "");
    append(faults, oracle_faults(receipt->head, "--oracles"), "");
    looked_at(fmt::format("commit {}, its registry, sources and records", receipt->head.commit), before_head);

    const SharedCache cache(registry.root);
    bool built_again = true;
    const auto again = [&](const Side& side, const Registry& contracts, const std::string& where) {
        Rebuilt rebuilt = rebuild(side, contracts, request.jobs, progress);
        built_again = built_again && rebuilt.faults.empty() && rebuilt.unverified.empty();
        append(faults, std::move(rebuilt.faults), where);
        append(verdict.unverified, std::move(rebuilt.unverified), where);
    };
    again(receipt->head, registry, "");
    const auto revision = find_revision(registry.root, receipt->base.commit);
    std::optional<DeclaredBase> base;
    if (!revision) {
        faults.push_back("the base is not to be seen: " + revision.error().text);
    } else {
        const auto others = OtherOracles::load(request.base_oracles);
        if (!others) faults.push_back("--base-oracles: " + others.error().text);
        const Lines oracles = oracle_faults(receipt->base, "--base-oracles");
        append(faults, oracles, "base");
        RunRequest asked;
        if (receipt->head.run) asked.chips = receipt->head.run->outcome.chips;
        auto opened = open_declared_base(*revision, asked);
        if (opened)
            base.emplace(std::move(*opened));
        else if (receipt->base.not_run.empty() && oracles.empty())
            faults.push_back("the base: " + opened.error().text);
        // What a base without its oracles makes of the rest is no fault of the receipt.
        if (base || oracles.empty()) {
            const std::size_t before = faults.size();
            append(faults, base_faults(*receipt, registry, base), "");
            if (base) looked_at(fmt::format("contract changes since {}", receipt->base.commit), before);
            if (base) again(receipt->base, base->contracts.registry, "base");
            Receipt made = *receipt;
            assemble(made, registry, base ? &base->contracts.registry : nullptr);
            if (made.added != receipt->added || made.gone != receipt->gone || made.identical != receipt->identical)
                faults.emplace_back("the problems are not those that the two runs make");
            if (made.exit_status != receipt->exit_status)
                faults.push_back(
                    fmt::format("the exit status is {}; expected {}", receipt->exit_status, made.exit_status));
        }
    }
    append(faults, shortcomings(*receipt), "the receipt says itself");
    if (built_again)
        verdict.did.emplace_back(base ? "objects, certificates and audit of head and base, built again"
                                      : "objects, certificates and audit of the head, built again");
    if (request.rerun > 0 && faults.empty() && receipt->head.run)
        append(faults, rerun_faults(*receipt, registry, request, seal, progress, verdict.did), "");
    return verdict;
}

} // namespace hkc::receipt
