#include "contract/limits/audit.h"

#include "contract/limits/limits.h"
#include "contract/records/lines.h"
#include "contract/report/sarif.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>

namespace hkc::limits {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kGate = 5;

/// One compile: a family's source and flags for one chip with one toolchain.
struct Build {
    std::size_t toolchain = 0; // index of the report's toolchains
    const pm::Chip* chip = nullptr;
    std::string family;
    std::string source;
    std::vector<std::string> flags;

    bool operator==(const Build&) const = default;
};

/// One registration on one chip with one toolchain, and where its build is in the list of builds.
struct Task {
    std::size_t build = 0;
    const Kernel* kernel = nullptr;
};

pm::Result<std::vector<const pm::Chip*>> selected_chips(const AuditOptions& options) {
    std::vector<const pm::Chip*> chips;
    if (options.chips.empty())
        for (const pm::Chip& chip : pm::chips()) chips.push_back(&chip);
    for (const std::string& name : options.chips) {
        pm::Result<const pm::Chip*> chip = pm::find_chip(name);
        if (!chip) return chip.error();
        if (std::find(chips.begin(), chips.end(), *chip) == chips.end()) chips.push_back(*chip);
    }
    return chips;
}

/// The toolchains to audit: the one asked for, or the pinned one and all that have records.
pm::Result<std::vector<const ToolchainSpec*>>
selected_toolchains(const Registry& registry, std::span<const ToolchainSpec> toolchains, const AuditOptions& options) {
    std::vector<const ToolchainSpec*> selected;
    if (!options.toolchain.empty()) {
        pm::Result<const ToolchainSpec*> found = find_toolchain(toolchains, options.toolchain);
        if (!found) return found.error();
        selected.push_back(*found);
        return selected;
    }
    std::error_code error;
    for (const ToolchainSpec& spec : toolchains)
        if (spec.pinned || fs::exists(registry.root / "records" / spec.name, error)) selected.push_back(&spec);
    return selected;
}

class Auditor {
public:
    Auditor(const Registry& registry, const AuditOptions& options, std::vector<const pm::Chip*> chips)
        : registry_(registry), options_(options), chips_(std::move(chips)) {}

    pm::Result<AuditReport> run(const std::vector<const ToolchainSpec*>& specs) {
        report_.cross = !options_.against.empty();
        installed_.reserve(specs.size());
        for (const ToolchainSpec* spec : specs) add_toolchain(*spec);
        if (auto planned = plan(specs); !planned) return planned.error();
        compile_builds();
        for (const Task& task : tasks_)
            if (auto done = judge(task); !done) return done.error();
        if (!report_.interrupted) find_stale(); // what was not asked may show it
        for (ToolchainAudit& toolchain : report_.toolchains)
            for (Audited& kernel : toolchain.kernels) settle(kernel);
        return std::move(report_);
    }

private:
    void add_toolchain(const ToolchainSpec& spec) {
        ToolchainAudit audit;
        audit.spec = spec;
        std::optional<Toolchain> found = find_installed(spec, options_.cache_dir);
        if (found) {
            audit.compiler = found->compiler.string();
            audit.message = found->warning;
        } else {
            audit.message = missing_text(spec) + "; its records are left alone";
            report_.pinned_missing = report_.pinned_missing || spec.pinned;
        }
        installed_.push_back(std::move(found));
        report_.toolchains.push_back(std::move(audit));
    }

    /// Every registration of the selection, and each build once. Error: nothing is selected.
    pm::Result<void> plan(const std::vector<const ToolchainSpec*>& specs) {
        bool matched = false;
        bool any = false;
        for (std::size_t t = 0; t < specs.size(); ++t) {
            for (const pm::Chip* chip : chips_) {
                for (const Kernel& kernel : registry_.kernels) {
                    if (!pm::glob_match(options_.filter, kernel.name)) continue;
                    matched = true;
                    if (!specs[t]->builds(chip->name)) continue;
                    if (std::find(kernel.chips.begin(), kernel.chips.end(), chip->name) == kernel.chips.end()) continue;
                    any = true;
                    if (installed_[t]) add_task(t, *chip, kernel);
                }
            }
        }
        if (!matched)
            return pm::Error{fmt::format("--filter {} matches none of {} registrations; nothing to audit",
                                         options_.filter, registry_.kernels.size())};
        if (!any)
            return pm::Error{
                "no selected toolchain builds a selected chip for a selected registration; nothing to audit"};
        return {};
    }

    void add_task(std::size_t toolchain, const pm::Chip& chip, const Kernel& kernel) {
        Build build{toolchain, &chip, kernel.family, kernel.source, kernel.flags};
        auto found = std::find(builds_.begin(), builds_.end(), build);
        if (found == builds_.end()) found = builds_.insert(found, std::move(build));
        tasks_.push_back({static_cast<std::size_t>(found - builds_.begin()), &kernel});
    }

    void compile_builds() {
        std::vector<CompileRequest> requests;
        requests.reserve(builds_.size());
        for (const Build& build : builds_) {
            CompileRequest request;
            request.toolchain = &*installed_[build.toolchain];
            request.chip = build.chip;
            request.root = registry_.root;
            request.source = build.source;
            request.flags = build.flags;
            requests.push_back(std::move(request));
        }
        std::function<void(std::size_t)> done;
        if (options_.progress) done = [this](std::size_t finished) { options_.progress(finished, builds_.size()); };
        std::vector<pm::Result<CompiledObject>> objects =
            compile_all(requests, options_.cache_dir, options_.jobs, done);
        report_.interrupted = pm::interrupted();
        for (std::size_t i = 0; i < objects.size(); ++i) {
            ToolchainAudit& toolchain = report_.toolchains[builds_[i].toolchain];
            fingerprints_.emplace_back();
            if (!objects[i] && report_.interrupted) {
                parsed_.emplace_back();
                continue;
            }
            if (!objects[i]) {
                toolchain.errors.push_back(objects[i].error().text);
                parsed_.emplace_back();
                continue;
            }
            pm::Result<pm::CodeObject> parsed =
                pm::parse_code_object(objects[i]->bytes, objects[i]->object.string(), builds_[i].chip);
            if (!parsed) {
                toolchain.errors.push_back(parsed.error().text);
                parsed_.emplace_back();
                continue;
            }
            fingerprints_.back() = objects[i]->fingerprint;
            toolchain.built.push_back({builds_[i].chip->name, builds_[i].family, objects[i]->fingerprint});
            parsed_.emplace_back(std::move(*parsed));
        }
    }

    /// The records that a toolchain's objects of a family are compared with; null where there are none.
    pm::Result<const records::RecordFile*> records_of(const std::string& toolchain, const std::string& family) {
        const std::pair<std::string, std::string> key{options_.against.empty() ? toolchain : options_.against, family};
        auto found = records_.find(key);
        if (found == records_.end()) {
            pm::Result<std::optional<records::RecordFile>> file = records::load(registry_.root, key.first, key.second);
            if (!file) return file.error();
            found = records_.emplace(key, std::move(*file)).first;
        }
        return found->second ? &*found->second : nullptr;
    }

    pm::Result<void> judge(const Task& task) {
        const Build& build = builds_[task.build];
        const std::optional<pm::CodeObject>& object = parsed_[task.build];
        ToolchainAudit& toolchain = report_.toolchains[build.toolchain];
        if (!object && report_.interrupted) {
            Audited unfinished;
            unfinished.chip = build.chip->name;
            unfinished.family = build.family;
            unfinished.name = task.kernel->name;
            unfinished.result.gate = kGate;
            unfinished.result.unchecked.push_back(
                fmt::format("{} {}: {}", unfinished.chip, unfinished.name, pm::kInterrupted));
            toolchain.kernels.push_back(std::move(unfinished));
        }
        if (!object) return {}; // told already, or among the errors
        const pm::Result<const records::RecordFile*> file = records_of(toolchain.spec.name, build.family);
        if (!file) return file.error();

        Audited audited;
        audited.chip = build.chip->name;
        audited.family = build.family;
        audited.name = task.kernel->name;
        audited.result.gate = kGate;
        std::set<std::string> symbols;
        for (const Launch& launch : task.kernel->launches) symbols.insert(launch.symbol);
        for (const std::string& symbol : symbols) {
            const pm::Kernel* compiled = object->find_kernel(symbol);
            if (compiled == nullptr) {
                ++audited.result.checks;
                audited.result.findings.push_back(
                    {std::string(kind::kSymbolMissing),
                     fmt::format("{} {}: {} holds no such kernel", build.chip->name, symbol, build.source)});
                continue;
            }
            audited.compiled.emplace(symbol, compiled->resources);
            const Fingerprint& fingerprint = *fingerprints_[task.build];
            GateResult one = compare(
                *compiled, symbol, *build.chip,
                {options_.against.empty() ? toolchain.spec.name : options_.against, build.family, *file}, &fingerprint);
            if (report_.cross) compare_across(*file, symbol, *build.chip, *compiled, audited);
            audited.record_differs =
                audited.record_differs || differs_from_record(one, *file, *build.chip, fingerprint);
            audited.result.checks += one.checks;
            for (Finding& finding : one.findings) audited.result.findings.push_back(std::move(finding));
            for (std::string& reason : one.unchecked) audited.result.unchecked.push_back(std::move(reason));
        }
        apply_known(*task.kernel, audited);
        toolchain.kernels.push_back(std::move(audited));
        return {};
    }

    /// Notes what a record of whatever fingerprint holds differently.
    static void compare_across(const records::RecordFile* file, const std::string& symbol, const pm::Chip& chip,
                               const pm::Kernel& compiled, Audited& audited) {
        if (file == nullptr) return;
        const auto records = file->chips.find(chip.name);
        if (records == file->chips.end()) return;
        const auto record = records->second.kernels.find(symbol);
        if (record == records->second.kernels.end()) return;
        for (const std::string& difference : differing_fields(record->second, compiled.resources))
            audited.across.push_back(fmt::format("{} {} {}", chip.name, symbol, difference));
    }

    /// Whether a RECORD line of the kernel would change records that can be compared with it.
    static bool differs_from_record(const GateResult& one, const records::RecordFile* file, const pm::Chip& chip,
                                    const Fingerprint& fingerprint) {
        if (file == nullptr) return false;
        const auto records = file->chips.find(chip.name);
        if (records == file->chips.end() || records->second.fingerprint != fingerprint) return false;
        return !one.unchecked.empty() ||
               std::any_of(one.findings.begin(), one.findings.end(),
                           [](const Finding& finding) { return finding.kind == kind::kRecordDiffers; });
    }

    /// Moves findings that are known out of the way, and notes which known ones were seen or could not be asked for.
    void apply_known(const Kernel& kernel, Audited& audited) {
        for (const KnownFinding& known : kernel.known_findings) {
            if (known.gate != kGate || known.chip != audited.chip) continue;
            bool& occurs = occurs_[{kernel.name, known.chip, known.finding}];
            std::erase_if(audited.result.findings, [&](const Finding& finding) {
                if (finding.kind != known.finding) return false;
                occurs = true;
                audited.known.push_back(fmt::format("{} ({})", finding.text, known.reason));
                return true;
            });
            if (known.finding == kind::kRecordDiffers && !audited.result.unchecked.empty()) occurs = true;
        }
    }

    /// A known finding that no audited toolchain shows is told once, with the first of them.
    void find_stale() {
        for (ToolchainAudit& toolchain : report_.toolchains)
            for (Audited& audited : toolchain.kernels)
                for (auto& [key, occurs] : occurs_) {
                    const auto& [name, chip, finding] = key;
                    if (occurs || name != audited.name || chip != audited.chip) continue;
                    occurs = true;
                    audited.result.findings.push_back(
                        {std::string(kind::kStaleKnownFinding),
                         fmt::format(
                             "{} {}: the known finding \"{}\" of gate 5 no longer occurs; take it out of the registry",
                             chip, name, finding)});
                }
    }

    static void settle(Audited& audited) {
        GateResult& result = audited.result;
        result.status = !result.findings.empty()                          ? Status::kFail
                        : !result.unchecked.empty() || result.checks == 0 ? Status::kUnchecked
                        : !audited.known.empty()                          ? Status::kKnownFinding
                                                                          : Status::kPass;
    }

    const Registry& registry_;
    const AuditOptions& options_;
    std::vector<const pm::Chip*> chips_;
    AuditReport report_;
    std::vector<std::optional<Toolchain>> installed_;
    std::vector<Build> builds_;
    std::vector<Task> tasks_;
    std::vector<std::optional<pm::CodeObject>> parsed_;    // by build
    std::vector<std::optional<Fingerprint>> fingerprints_; // by build
    std::map<std::pair<std::string, std::string>, std::optional<records::RecordFile>> records_;
    std::map<std::tuple<std::string, std::string, std::string>, bool> occurs_; // registration, chip, kind
};

/// RECORD lines of one toolchain and chip, each symbol once, behind the FINGERPRINT of its family.
std::string record_lines(const ToolchainAudit& toolchain, const std::string& chip, RecordLines lines) {
    std::string text;
    if (lines == RecordLines::kNone) return text;
    for (const Built& built : toolchain.built) {
        if (built.chip != chip) continue;
        std::map<std::string, pm::Resources, std::less<>> wanted;
        for (const Audited& kernel : toolchain.kernels)
            if (kernel.chip == chip && kernel.family == built.family &&
                (lines == RecordLines::kAll || kernel.record_differs))
                wanted.insert(kernel.compiled.begin(), kernel.compiled.end());
        if (wanted.empty()) continue;
        text += records::fingerprint_text(toolchain.spec.name, chip, built.family, built.fingerprint) + "\n";
        for (const auto& [symbol, resources] : wanted)
            text += records::record_text(toolchain.spec.name, chip, symbol, resources) + "\n";
    }
    return text;
}

struct Counts {
    std::size_t kernels = 0, pass = 0, problems = 0, known = 0, unchecked = 0;
};

std::string chip_text(const ToolchainAudit& toolchain, const std::string& chip, RecordLines lines) {
    std::string text = record_lines(toolchain, chip, lines);
    Counts counts;
    std::vector<std::pair<std::string, std::size_t>> reasons; // in the order met, and how many kernels
    for (const Audited& kernel : toolchain.kernels) {
        if (kernel.chip != chip) continue;
        ++counts.kernels;
        counts.pass += kernel.result.status == Status::kPass ? 1 : 0;
        counts.unchecked += kernel.result.unchecked.empty() ? 0 : 1;
        counts.known += kernel.known.size();
        counts.problems += kernel.result.findings.size();
        for (const Finding& finding : kernel.result.findings) text += fmt::format("limit problem: {}\n", finding.text);
        for (const std::string& known : kernel.known) text += fmt::format("known finding: {}\n", known);
        for (const std::string& difference : kernel.across) text += fmt::format("across: {}\n", difference);
        for (const std::string& reason : kernel.result.unchecked) {
            auto found = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == reason; });
            if (found == reasons.end()) found = reasons.insert(found, {reason, 0});
            ++found->second;
        }
    }
    for (const auto& [reason, count] : reasons) text += fmt::format("{} {}\n", count, reason);
    text += fmt::format("LIMITS {} {} {} kernels: {} as recorded, {} limit problems, {} known findings, {} unchecked\n",
                        toolchain.spec.name, chip, counts.kernels, counts.pass, counts.problems, counts.known,
                        counts.unchecked);
    return text;
}

bool differs_by_finding(const Audited& kernel) {
    return std::any_of(kernel.result.findings.begin(), kernel.result.findings.end(),
                       [](const Finding& finding) { return finding.kind == kind::kRecordDiffers; });
}

} // namespace

pm::Result<AuditReport> audit(const Registry& registry, std::span<const ToolchainSpec> toolchains,
                              const AuditOptions& options) {
    pm::Result<std::vector<const pm::Chip*>> chips = selected_chips(options);
    if (!chips) return chips.error();
    if (!options.against.empty())
        if (auto known = find_toolchain(toolchains, options.against); !known) return known.error();
    const pm::Result<std::vector<const ToolchainSpec*>> specs = selected_toolchains(registry, toolchains, options);
    if (!specs) return specs.error();
    return Auditor(registry, options, std::move(*chips)).run(*specs);
}

std::string messages_text(const AuditReport& report) {
    std::string text;
    for (const ToolchainAudit& toolchain : report.toolchains) {
        if (!toolchain.message.empty()) text += toolchain.message + "\n";
        for (const std::string& error : toolchain.errors) text += fmt::format("error: {}\n", error);
    }
    return text;
}

std::string to_text(const AuditReport& report, RecordLines lines) {
    if (report.interrupted) lines = RecordLines::kNone; // a part must not look like the whole
    std::string text;
    for (const ToolchainAudit& toolchain : report.toolchains) {
        if (!toolchain.compiler.empty())
            text += fmt::format("toolchain {}: {}\n", toolchain.spec.name, toolchain.compiler);
        for (const pm::Chip& chip : pm::chips())
            if (std::any_of(toolchain.kernels.begin(), toolchain.kernels.end(),
                            [&chip](const Audited& kernel) { return kernel.chip == chip.name; }))
                text += chip_text(toolchain, chip.name, lines);
        if (std::any_of(toolchain.kernels.begin(), toolchain.kernels.end(), differs_by_finding))
            text += records::how_to_record_changes(toolchain.spec.name) + '\n';
    }
    return text;
}

std::string to_sarif(const AuditReport& report, const Registry& registry) {
    std::vector<pm::sarif::Finding> findings;
    for (const ToolchainAudit& toolchain : report.toolchains) {
        for (const std::string& error : toolchain.errors)
            findings.push_back({"build failed", pm::sarif::Level::kError,
                                fmt::format("{}: {}", toolchain.spec.name, error),
                                pm::sarif::place_in((registry.root / "toolchains.toml").string(), registry.root),
                                toolchain.spec.name});
        if (toolchain.compiler.empty())
            findings.push_back({"unchecked", pm::sarif::Level::kWarning, toolchain.message,
                                pm::sarif::place_in((registry.root / "toolchains.toml").string(), registry.root),
                                toolchain.spec.name});
        for (const Audited& audited : toolchain.kernels) {
            const Kernel* const kernel = registry.find_kernel(audited.name);
            const Judged judged{fmt::format("{} {} {}", toolchain.spec.name, audited.chip, audited.name),
                                kernel != nullptr ? kernel->source : "", registry.root, true};
            for (pm::sarif::Finding& finding : sarif_findings(audited.result, judged))
                findings.push_back(std::move(finding));
        }
    }
    return pm::sarif::log("hip-kernel-contract-limits", findings);
}

int exit_status(const AuditReport& report, bool allow_unchecked) {
    const auto any = [&report](auto&& test) {
        return std::any_of(report.toolchains.begin(), report.toolchains.end(), test);
    };
    const auto any_kernel = [&any](Status status) {
        return any([status](const ToolchainAudit& toolchain) {
            return std::any_of(toolchain.kernels.begin(), toolchain.kernels.end(),
                               [status](const Audited& kernel) { return kernel.result.status == status; });
        });
    };
    if (report.interrupted) return pm::kInterruptedStatus;
    if (!any([](const ToolchainAudit& toolchain) { return !toolchain.compiler.empty(); })) return 3;
    if (any([](const ToolchainAudit& toolchain) { return !toolchain.errors.empty(); })) return 2;
    if (any_kernel(Status::kFail)) return 1;
    if (allow_unchecked || report.cross) return 0;
    return any_kernel(Status::kUnchecked) || report.pinned_missing ? 1 : 0;
}

} // namespace hkc::limits
