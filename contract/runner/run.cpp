#include "contract/runner/run.h"

#include "contract/gates/gate.h"
#include "contract/oracle/plugin.h"
#include "contract/runner/child.h"
#include "contract/runner/declaration.h"
#include "contract/runner/git.h"
#include "contract/runner/input_files.h"
#include "contract/runner/plant.h"
#include "contract/toolchain/cache.h"
#include "contract/toolchain/compile.h"
#include "peacemaker/object/occupancy.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

namespace hkc {
namespace {

namespace fs = std::filesystem;

/// An object of the run, built once and used by every task that wants it.
struct Object {
    CompiledObject compiled;
    std::string sha256; // of its bytes
    pm::Result<pm::CodeObject> parsed = pm::Error{"not built"};
    Certificates certificates = pm::Error{"not analysed"};
};

using ObjectKey = std::pair<std::string, BuildPlan>; // chip, build

/// Everything that children share, made before the first of them starts.
struct Run {
    const Registry& registry;
    const RunRequest& request;
    DeviceChoice device;
    Toolchain toolchain;
    std::vector<Task> tasks;
    std::map<ObjectKey, Object> objects;
    std::map<std::string, std::optional<records::RecordFile>> records; // by family
};

bool not_asked(const Run& run, const Task& task) {
    return task.control != nullptr && task.control->embedded_only && run.device.kind == DeviceKind::kRocm;
}

bool asks_gate(const RunRequest& request, std::uint32_t gate) {
    return std::find(request.gates.begin(), request.gates.end(), gate) != request.gates.end();
}

/// Whether a control's gate 1 asks for certificates: where it is to be red with them. The others must show that a gate
/// sees their fault by itself.
bool asks_certificate(const Control& control) {
    return std::find(control.findings.begin(), control.findings.end(), kind::kNotCertified) != control.findings.end();
}

/// What a task runs: its registration, as its control plants it.
Planted planted_of(const Task& task) {
    return task.control != nullptr ? plant(*task.control, *task.kernel)
                                   : Planted{*task.kernel, build_of(*task.kernel), nullptr};
}

/// The builds that a task needs: its own, and those of the kernels that it replaces.
std::vector<BuildPlan> builds_of(const Registry& registry, const Task& task) {
    std::vector<BuildPlan> builds{planted_of(task).build};
    for (const ReplacedStage& stage : task.kernel->replaces)
        if (const Kernel* replaced = registry.find_kernel(stage.kernel)) builds.push_back(build_of(*replaced));
    return builds;
}

/// What did not compile, as `registry/F.toml:12: control "X": the planted build: ..`, with the first error before all
/// that the compiler printed.
std::string compile_failure(const Run& run, const ObjectKey& key, const pm::Error& error) {
    std::string text;
    for (const Task& task : run.tasks) {
        if (task.control == nullptr || task.chip != key.first || not_asked(run, task)) continue;
        if (key.second == build_of(*task.kernel) || plant(*task.control, *task.kernel).build != key.second) continue;
        const SourceLocation& at = task.control->at;
        text += fmt::format("{}:{}: control \"{}\": its planted build does not compile", at.file, at.line,
                            task.control->name);
        const std::string first = first_compiler_error(error.text);
        text += first.empty() ? "\n" : fmt::format(": {}\n", first);
    }
    return text + error.text;
}

std::optional<RunFailure> compile_objects(Run& run, const Progress& progress) {
    for (const Task& task : run.tasks) {
        if (not_asked(run, task)) continue;
        for (const BuildPlan& build : builds_of(run.registry, task)) run.objects[{task.chip, build}];
    }
    std::vector<CompileRequest> requests;
    for (const auto& [key, object] : run.objects) {
        const auto& [chip_name, build] = key;
        const auto chip = pm::find_chip(chip_name);
        if (!chip) return RunFailure{kBadInput, chip.error().text};
        if (!run.toolchain.spec.builds(chip_name))
            return RunFailure{kNoDeviceOrToolchain,
                              fmt::format("toolchain {} does not build {}", run.toolchain.spec.name, chip_name)};
        CompileRequest request;
        request.toolchain = &run.toolchain;
        request.chip = *chip;
        request.root = run.registry.root;
        request.source = build.source;
        request.flags = build.flags;
        request.defines = build.defines;
        request.edits = build.edits;
        requests.push_back(std::move(request));
    }
    auto compiled = compile_all(requests, default_cache_dir(run.registry.root), run.request.jobs,
                                [&](std::size_t done) { progress("compiling", done, requests.size()); });
    if (pm::interrupted()) return std::nullopt; // no task begins any more
    std::string errors;
    std::size_t i = 0;
    for (auto& [key, object] : run.objects) {
        const CompileRequest& request = requests[i];
        auto& result = compiled[i++];
        if (!result) {
            errors += (errors.empty() ? "" : "\n") + compile_failure(run, key, result.error());
            continue;
        }
        object.compiled = std::move(*result);
        object.sha256 = pm::sha256_hex(object.compiled.bytes);
        object.parsed = pm::parse_code_object(
            object.compiled.bytes, fmt::format("{} for {}", request.source, request.chip->name), request.chip);
    }
    if (!errors.empty()) return RunFailure{kBadInput, errors};
    return std::nullopt;
}

/// Where the certificate of a launch is kept: by the hashes of its object and of this program, which is the analyser.
fs::path kept_certificate(const fs::path& cache, const std::string& program, const std::string& object,
                          const LaunchedKernel& launch) {
    const std::string key = pm::sha256_hex(fmt::format("{}\n{}\n{}\n{} {}\n", program, object, launch.symbol,
                                                       fmt::join(launch.workgroup, " "), launch.dynamic_lds));
    return cache / "certify" / key.substr(0, 2) / (key + ".json");
}

/// Certificates of an object, from the cache or anew.
Certificates certify_kept(const Object& object, const std::vector<LaunchedKernel>& wanted, const fs::path& cache,
                          const std::string& program) {
    std::map<LaunchedKernel, Certificate> certificates;
    std::vector<LaunchedKernel> missing;
    for (const LaunchedKernel& launch : wanted) {
        const auto json = read_sealed(kept_certificate(cache, program, object.sha256, launch));
        auto before = json && json->contains("certificates")
                          ? read_certificates(json->at("certificates").get<std::string>())
                          : std::nullopt;
        if (before && before->size() == 1)
            certificates.emplace(launch, std::move(before->front()));
        else
            missing.push_back(launch);
    }
    if (missing.empty()) return certificates;
    Certificates made = certify_object(object.parsed, missing);
    if (!made) return made;
    for (auto& [launch, certificate] : *made) {
        (void)write_sealed(kept_certificate(cache, program, object.sha256, launch),
                           {{"certificates", certificates_json({certificate}).dump()}});
        certificates.emplace(launch, std::move(certificate));
    }
    return certificates;
}

/// Analyses the objects of registrations and of the controls that ask for it, each once.
void certify_objects(Run& run, const Progress& progress) {
    if (!asks_gate(run.request, kLoadGate) || pm::interrupted()) return;
    std::map<Object*, std::set<LaunchedKernel>> wanted;
    for (const Task& task : run.tasks) {
        if (not_asked(run, task) || (task.control != nullptr && !asks_certificate(*task.control))) continue;
        const Planted planted = planted_of(task);
        if (planted.mutate != nullptr) continue;
        for (LaunchedKernel& launch : launched_kernels(planted.kernel))
            wanted[&run.objects.at({task.chip, planted.build})].insert(std::move(launch));
    }
    const std::vector<std::pair<Object*, std::set<LaunchedKernel>>> objects(wanted.begin(), wanted.end());
    const fs::path cache = default_cache_dir(run.registry.root);
    const auto self = pm::read_file("/proc/self/exe");
    const std::string program = self ? pm::sha256_hex(*self) : "";
    std::atomic<std::size_t> next = 0;
    std::mutex mutex; // of the progress
    std::size_t finished = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < objects.size() && !pm::interrupted(); i = next++) {
            auto& [object, launches] = objects[i];
            const std::vector<LaunchedKernel> list(launches.begin(), launches.end());
            object->certificates =
                program.empty() ? certify_object(object->parsed, list) : certify_kept(*object, list, cache, program);
            const std::lock_guard guard(mutex);
            progress("certifying", ++finished, objects.size());
        }
    };
    progress("certifying", 0, objects.size());
    std::vector<std::thread> threads; // all of them end before the first child starts
    for (std::size_t i = 1; i < std::min<std::size_t>(std::max(1U, run.request.jobs), objects.size()); ++i)
        threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
}

std::optional<RunFailure> load_records(Run& run) {
    for (const Task& task : run.tasks) {
        const std::string& family = task.kernel->family;
        if (run.records.contains(family)) continue;
        auto file = records::load(run.registry.root, run.toolchain.spec.name, family);
        if (!file) return RunFailure{kBadInput, file.error().text};
        run.records[family] = std::move(*file);
    }
    return std::nullopt;
}

/// A child's whole life: one task, told line by line.
void run_task(const Run& run, const Task& task, const ChildPipe& pipe) {
    Subject subject;
    const Planted planted = planted_of(task);
    subject.name = task.control != nullptr ? fmt::format("control \"{}\"", task.control->name) : task.kernel->name;
    subject.registry = &run.registry;
    subject.kernel = planted.kernel;
    subject.chip = *pm::find_chip(task.chip);
    for (const Launch& launch : task.kernel->launches) subject.record_symbols.push_back(launch.symbol);

    const auto object_of = [&](const BuildPlan& build) -> const Object& { return run.objects.at({task.chip, build}); };
    const Object& own = object_of(planted.build);
    pm::Result<pm::CodeObject> mutated = pm::Error{""};
    const pm::Result<pm::CodeObject>* parsed = &own.parsed;
    if (planted.mutate != nullptr) {
        auto bytes = mutate_bytes(own.compiled.bytes, *planted.mutate);
        mutated = bytes ? pm::parse_code_object(*bytes, subject.name, subject.chip)
                        : pm::Result<pm::CodeObject>(bytes.error());
        parsed = &mutated;
    }
    if (*parsed)
        subject.object = &**parsed;
    else
        subject.object_error = parsed->error().text;
    if (task.kernel->certify && (task.control == nullptr || asks_certificate(*task.control))) {
        const std::vector<LaunchedKernel> launched = launched_kernels(planted.kernel);
        subject.certificates =
            certificates_of(planted.mutate != nullptr ? certify_object(*parsed, launched) : own.certificates, launched);
    }
    subject.object_of_kernel = [&](const Kernel& kernel) -> const pm::CodeObject* {
        const Object& object = object_of(build_of(kernel));
        return object.parsed ? &*object.parsed : nullptr;
    };
    const auto& records = run.records.at(task.kernel->family);
    subject.toolchain = run.toolchain.spec.name;
    subject.records = records ? &*records : nullptr;
    subject.fingerprint = &own.compiled.fingerprint;

    // A control must pass every gate before the one it names, whichever gates were asked for.
    std::vector<std::uint32_t> numbers = run.request.gates;
    if (task.control != nullptr) {
        numbers.clear();
        for (const Gate& gate : gates())
            if (gate.number <= task.control->red_at) numbers.push_back(gate.number);
    }

    const auto refuse = [&](const std::string& why) {
        GateResult result;
        result.gate = numbers.front();
        result.findings.push_back({std::string(kind::kHipError), fmt::format("{}: {}", subject.name, why)});
        finish(result);
        pipe.write(line_of_result(result));
        pipe.write(line_of_end({}));
    };
    const auto library = open_hip_library({run.device.library});
    if (!library) return refuse(library.error().text);
    auto session = Session::open(*library, run.device.chips.at(task.chip));
    if (!session) return refuse(session.error().text);

    GateOptions options;
    options.seed = run.request.seed;
    options.thorough = run.request.thorough;
    // A control that must be red at gate 1 is red there or nowhere: what is held for gate 2 is no reason to call it
    // unchecked.
    options.gate_2_follows =
        task.control != nullptr || std::find(numbers.begin(), numbers.end(), kMemoryGate) != numbers.end();
    // Of a control only the first finding counts, unless its registration may have known ones before it.
    options.first_finding_only = task.control != nullptr && task.kernel->known_findings.empty();
    GateContext context(subject, *session, options);
    (void)run_gates(
        context, numbers, [&](std::uint32_t gate) { pipe.write(line_of_start(gate)); },
        [&](const GateResult& result) {
            pipe.write(line_of_result(result));
            // A control's first failing gate decides; what its registration is known for does not count as one.
            return task.control == nullptr ||
                   std::all_of(result.findings.begin(), result.findings.end(),
                               [&](const Finding& f) { return is_known(*task.kernel, task.chip, result.gate, f); });
        });
    pipe.write(line_of_end(session->totals));
}

/// Where a device's memory lies differs from run to run, and tells a reader nothing: reports leave it out.
std::string without_addresses(const std::string& text) {
    if (text.find(" 0x") == std::string::npos) return text;
    static const std::regex kAddress(R"(\b(address|at) 0x[0-9a-f]{9,16}\b)");
    return std::regex_replace(text, kAddress, "$1 0x*");
}

/// The gates of a task whose child has ended; a crash or a time-out fails the gate that it happened in.
std::vector<GateResult> gates_of(const ChildEnd& end, const std::string& who, const std::vector<std::uint32_t>& asked,
                                 bool control, DeviceReport& totals) {
    auto lines = read_child_lines(end.output);
    std::vector<GateResult> results;
    if (lines) results = std::move(lines->gates);
    for (GateResult& result : results) {
        for (Finding& finding : result.findings) finding.text = without_addresses(finding.text);
        for (std::string& reason : result.unchecked) reason = without_addresses(reason);
    }
    if (lines && lines->totals) totals = *lines->totals;
    const bool whole = lines && lines->totals && end.fate == ChildFate::kDone;
    if (!whole) {
        GateResult broken;
        broken.gate = asked.front();
        if (lines && lines->unfinished)
            broken.gate = *lines->unfinished;
        else if (!results.empty())
            broken.gate = results.back().gate;
        if (end.fate == ChildFate::kNotStarted) {
            broken.unchecked.push_back(fmt::format("{}: no child process: {}", who, end.how));
        } else if (end.fate == ChildFate::kInterrupted) {
            broken.unchecked.push_back(end.how);
        } else {
            const auto kind_name = end.fate == ChildFate::kTimedOut ? kind::kTimeOut : kind::kCrash;
            const std::string how = !lines                         ? lines.error().text
                                    : end.fate == ChildFate::kDone ? "it ended without a result"
                                                                   : end.how;
            add_finding(broken, kind_name, fmt::format("{}: gate {}: {}", who, broken.gate, how));
        }
        finish(broken);
        if (!results.empty() && results.back().gate == broken.gate) {
            results.back().findings.insert(results.back().findings.end(), broken.findings.begin(),
                                           broken.findings.end());
            finish(results.back());
        } else {
            results.push_back(std::move(broken));
        }
    }
    if (control) return results;
    for (const std::uint32_t number : asked) {
        if (std::any_of(results.begin(), results.end(), [&](const GateResult& r) { return r.gate == number; }))
            continue;
        GateResult missing;
        missing.gate = number;
        missing.unchecked.push_back(end.fate == ChildFate::kInterrupted ? end.how
                                                                        : "not run: the child process had ended");
        finish(missing);
        results.push_back(std::move(missing));
    }
    return results;
}

/// The chips to run on. Failure: a chip that the device does not have.
std::variant<std::vector<std::string>, RunFailure> choose_chips(const std::vector<std::string>& selected,
                                                                const RunRequest& request, const DeviceChoice& device) {
    std::vector<std::string> offered;
    for (const auto& [chip, ordinal] : device.chips) offered.push_back(chip);
    const std::string offer = fmt::format("{} has {}", device.library, fmt::join(offered, ", "));
    if (request.chips.empty()) {
        std::vector<std::string> chips;
        for (const std::string& chip : selected)
            if (device.chips.contains(chip)) chips.push_back(chip);
        if (chips.empty())
            return RunFailure{kNoDeviceOrToolchain, fmt::format("no device for any chip of the registry ({}): {}",
                                                                fmt::join(selected, ", "), offer)};
        return chips;
    }
    for (const std::string& chip : selected)
        if (!device.chips.contains(chip))
            return RunFailure{kNoDeviceOrToolchain, fmt::format("no device for {}: {}", chip, offer)};
    return selected;
}

std::string nothing_selected(const RunRequest& request, const std::vector<std::string>& chips) {
    return fmt::format("nothing selected: no registration or control on {} matches \"{}\"", fmt::join(chips, ", "),
                       request.filter);
}

/// Who and what a run is, but for its number of tasks. Error: a source that cannot be read.
pm::Result<RunDescription> describe(const Run& run) {
    const auto inputs = input_files(run.registry);
    if (!inputs) return inputs.error();
    auto hash = hash_of_files(run.registry.root, *inputs);
    if (!hash) return hash.error();
    const Checkout checkout = checkout_of(run.registry.root, *inputs);
    const std::vector<std::string> version = pm::split(run.toolchain.version_text, '\n');

    RunDescription description;
    description.commit = checkout.commit;
    description.dirty = !checkout.dirty.empty();
    description.inputs = std::move(*hash);
    description.device = run.device.kind == DeviceKind::kRocm ? "rocm" : "embedded";
    description.library = fs::path(run.device.library).filename().string();
    description.oracles = loaded_oracle_libraries();
    description.toolchain = run.toolchain.spec.name;
    description.compiler = version.empty() ? "" : version.front();
    description.filter = run.request.filter;
    description.seed = run.request.seed;
    description.thorough = run.request.thorough;
    description.allow_unchecked = run.request.allow_unchecked;
    description.registered = registered_chips(run.registry);
    description.shard = run.request.shard;
    return description;
}

/// What a task's outcome is made from. `built`: its objects were.
Evidence evidence_of(const Run& run, const Task& task, bool built) {
    Evidence evidence;
    evidence.entry =
        declaration_hash(task.control != nullptr ? declaration_of(*task.control) : declaration_of(*task.kernel));
    if (!built) return evidence;
    const Object& object = run.objects.at({task.chip, builds_of(run.registry, task).front()});
    evidence.object = object.sha256;
    evidence.fingerprint = object.compiled.fingerprint.text();
    return evidence;
}

/// The certificates of a registration.
std::vector<Certificate> certificates_for(const Run& run, const Task& task) {
    if (!asks_gate(run.request, kLoadGate)) return {};
    const Certificates& made = run.objects.at({task.chip, build_of(*task.kernel)}).certificates;
    if (!made && pm::interrupted()) return {}; // before its turn came
    return certificates_of(made, launched_kernels(*task.kernel));
}

std::vector<Cost> costs_for(const Run& run, const Task& task) {
    const auto& object = run.objects.at({task.chip, build_of(*task.kernel)}).parsed;
    const auto chip = pm::find_chip(task.chip);
    std::vector<Cost> costs;
    if (!object || !chip) return costs;
    for (const Launch& launch : task.kernel->launches) {
        const pm::Kernel* kernel = object->find_kernel(launch.symbol);
        if (kernel == nullptr ||
            std::any_of(costs.begin(), costs.end(), [&](const Cost& cost) { return cost.kernel == launch.symbol; }))
            continue;
        costs.push_back({launch.symbol, kernel->resources,
                         pm::occupancy(**chip, kernel->resources, pm::in_wgp_mode(*kernel)).waves});
    }
    return costs;
}

} // namespace

pm::Result<Selection> select(const Registry& registry, const std::vector<ToolchainSpec>& toolchains,
                             const RunRequest& request) {
    const ToolchainSpec* toolchain = pinned_toolchain(toolchains);
    if (!request.toolchain.empty()) {
        const auto named = find_toolchain(toolchains, request.toolchain);
        if (!named) return named.error().with("--toolchain");
        toolchain = *named;
    }
    auto chips = named_chips(registry, request.chips);
    if (!chips) return chips.error();
    Selection selection{toolchain, std::move(*chips), {}};
    selection.tasks = select_tasks(registry, selection.chips, request.filter, request.gates);
    if (selection.tasks.empty()) return pm::Error{nothing_selected(request, selection.chips)};
    return selection;
}

namespace {

/// A run before its first child: everything is built and analysed, and its report has no outcomes yet.
struct ReadyRun {
    Run run;
    RunReport report;
};

std::variant<ReadyRun, RunFailure> prepare(const Registry& registry, const RunRequest& request,
                                           const Selection& selection, DeviceChoice device,
                                           std::vector<std::string> chips, const Progress& progress) {
    auto toolchain = find_installed(*selection.toolchain, default_cache_dir(request.root));
    if (!toolchain && pm::interrupted()) return RunFailure{pm::kInterruptedStatus, std::string(pm::kInterrupted)};
    if (!toolchain) return RunFailure{kNoDeviceOrToolchain, missing_text(*selection.toolchain)};
    ReadyRun ready{{registry, request, std::move(device), std::move(*toolchain), {}, {}, {}}, {}};
    auto& [run, report] = ready;
    report.outcome.chips = std::move(chips);
    report.outcome.gates = request.gates;
    if (!run.toolchain.warning.empty()) report.warnings.push_back(run.toolchain.warning);
    const std::vector<Task> selected = select_tasks(registry, report.outcome.chips, request.filter, request.gates);
    if (selected.empty()) return RunFailure{kBadInput, nothing_selected(request, report.outcome.chips)};
    run.tasks = tasks_of_shard(selected, request.shard);
    if (run.tasks.empty())
        return RunFailure{kBadInput, fmt::format("shard {} holds nothing: {} registrations and controls are selected; "
                                                 "expected no more shards than that",
                                                 shard_text(request.shard), selected.size())};
    if (asks_gate(request, kMemoryGate))
        for (std::string& warning : shape_warnings(run.tasks)) report.warnings.push_back(std::move(warning));
    auto description = describe(run);
    if (!description) return RunFailure{kBadInput, description.error().text};
    report.description = std::move(*description);
    report.description.tasks = selected.size();
    if (pm::interrupted()) return RunFailure{pm::kInterruptedStatus, std::string(pm::kInterrupted)};
    if (auto failure = compile_objects(run, progress)) return std::move(*failure);
    certify_objects(run, progress);
    return ready;
}

KernelOutcome unjudged_kernel(const Run& run, const Task& task) {
    return {task.kernel->name,           task.kernel->family, task.chip, {}, {}, {}, evidence_of(run, task, true),
            certificates_for(run, task), costs_for(run, task)};
}

ControlOutcome unjudged_control(const Run& run, const Task& task) {
    ControlOutcome outcome{task.control->name,
                           task.control->of,
                           task.chip,
                           ControlVerdict::kUnchecked,
                           "",
                           {},
                           {},
                           evidence_of(run, task, !not_asked(run, task))};
    if (not_asked(run, task)) {
        outcome.verdict = ControlVerdict::kNotAsked;
        outcome.why = "the fault shows on the embedded device only";
    }
    return outcome;
}

} // namespace

std::variant<RunReport, RunFailure> build_contracts(const Registry& registry, const RunRequest& request,
                                                    const Progress& progress) {
    const auto toolchains = load_toolchains(request.root);
    if (!toolchains) return RunFailure{kBadInput, toolchains.error().text};
    const auto selection = select(registry, *toolchains, request);
    if (!selection) return RunFailure{kBadInput, selection.error().text};
    DeviceChoice device;
    device.kind = request.device == DeviceWish::kRocm ? DeviceKind::kRocm : DeviceKind::kEmbedded;
    auto ready = prepare(registry, request, *selection, std::move(device), selection->chips, progress);
    if (auto* failure = std::get_if<RunFailure>(&ready)) return std::move(*failure);
    auto& [run, report] = std::get<ReadyRun>(ready);
    for (const Task& task : run.tasks) {
        if (task.control == nullptr)
            report.outcome.kernels.push_back(unjudged_kernel(run, task));
        else
            report.outcome.controls.push_back(unjudged_control(run, task));
    }
    return std::move(report);
}

std::variant<RunReport, RunFailure> run_contracts(const Registry& registry, const RunRequest& request,
                                                  const Progress& progress) {
    // Bad usage is bad usage whatever devices there are.
    const auto toolchains = load_toolchains(request.root);
    if (!toolchains) return RunFailure{kBadInput, toolchains.error().text};
    const auto selection = select(registry, *toolchains, request);
    if (!selection) return RunFailure{kBadInput, selection.error().text};
    auto device = choose_device(request.device);
    if (!device) return RunFailure{kNoDeviceOrToolchain, device.error().text};
    auto chips = choose_chips(selection->chips, request, *device);
    if (auto* failure = std::get_if<RunFailure>(&chips)) return std::move(*failure);
    auto ready = prepare(registry, request, *selection, std::move(*device),
                         std::get<std::vector<std::string>>(std::move(chips)), progress);
    if (auto* failure = std::get_if<RunFailure>(&ready)) return std::move(*failure);
    auto& [run, report] = std::get<ReadyRun>(ready);
    if (const auto failure = load_records(run)) return *failure;

    std::vector<const Task*> asked;
    for (const Task& task : run.tasks)
        if (!not_asked(run, task)) asked.push_back(&task);
    const unsigned jobs = std::max(1U, request.jobs);
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency() / jobs);
    std::vector<ChildEnd> ends(asked.size());
    std::size_t finished = 0;
    progress("running", 0, asked.size());
    run_children(
        asked.size(), jobs, request.limit,
        [&, &run = run](std::size_t i, const ChildPipe& pipe) {
            (void)setenv("HKC_DEVICE_THREADS", std::to_string(threads).c_str(), 1);
            run_task(run, *asked[i], pipe);
        },
        [&](std::size_t i, const ChildEnd& end) {
            ends[i] = end;
            progress("running", ++finished, asked.size());
        });

    std::size_t next = 0;
    for (const Task& task : run.tasks) {
        if (task.control == nullptr) {
            KernelOutcome outcome = unjudged_kernel(run, task);
            outcome.gates = gates_of(ends[next++], fmt::format("{} on {}", task.kernel->name, task.chip), request.gates,
                                     false, outcome.device);
            outcome.known = apply_known_findings(*task.kernel, task.chip, outcome.gates);
            report.outcome.kernels.push_back(std::move(outcome));
            continue;
        }
        ControlOutcome outcome = unjudged_control(run, task);
        if (!not_asked(run, task)) {
            outcome.gates = gates_of(ends[next++], fmt::format("control \"{}\" on {}", task.control->name, task.chip),
                                     {1}, true, outcome.device);
            judge_control(*task.control, *task.kernel, outcome);
        }
        report.outcome.controls.push_back(std::move(outcome));
    }
    for (ControlOutcome& outcome : report.outcome.controls) doubt_control(report.outcome, outcome);
    report.interrupted = pm::interrupted();
    if (report.interrupted) report.description.allow_unchecked = false;
    return std::move(report);
}

} // namespace hkc
