// peacemaker: code objects as typed programs. So far: run, exec, certify, audit, mutate, score, lift, loops, isa.
#include "contract/project/project.h"
#include "contract/reference/reference.h"
#include "contract/runner/mutants.h"
#include "peacemaker/audit/audit.h"
#include "peacemaker/certify/certify.h"
#include "peacemaker/emu/coverage.h"
#include "peacemaker/lift/loops.h"
#include "peacemaker/lift/report.h"
#include "peacemaker/mutate/folder.h"
#include "peacemaker/mutate/weaken.h"
#include "peacemaker/run/exec.h"
#include "peacemaker/run/run_file.h"
#include "peacemaker/score/score.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/installed.h"
#include "peacemaker/support/output_file.h"
#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <thread>

namespace {

constexpr int kClean = 0, kFindings = 1, kBadUsage = 2, kUnchecked = 3;

struct RunOptions {
    pm::RunRequest request;
    std::string grid = "1", block = "1";
    std::vector<std::string> arguments, dumps;
    std::vector<std::string> dump_files; // one an entry of request.read_back
    bool json = false;
};

pm::Result<std::array<std::uint32_t, 3>> parse_dimensions(const std::string& option, const std::string& text) {
    std::array<std::uint32_t, 3> out{1, 1, 1};
    const std::vector<std::string> parts = pm::split(text, ',');
    bool good = !parts.empty() && parts.size() <= 3;
    for (std::size_t i = 0; good && i < parts.size(); ++i) {
        const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), out[i]);
        good = error == std::errc() && end == parts[i].data() + parts[i].size() && out[i] != 0;
    }
    if (!good) return pm::Error{fmt::format("{} {}: expected X, X,Y or X,Y,Z, each at least 1", option, text)};
    return out;
}

struct Dump {
    std::size_t argument = 0;
    std::string file;
};

pm::Result<Dump> parse_dump(const std::string& text, const std::vector<pm::RunArgument>& arguments) {
    const std::size_t colon = text.find(':');
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()), index);
    if (colon == std::string::npos || error != std::errc() || end != text.data() + colon || index >= arguments.size() ||
        !arguments[index].is_buffer)
        return pm::Error{
            fmt::format("--dump {}: expected ARG:FILE, ARG the number of a buffer argument, counted from 0", text)};
    return Dump{index, text.substr(colon + 1)};
}

pm::Result<void> complete(RunOptions& options) {
    const auto grid = parse_dimensions("--grid", options.grid);
    if (!grid) return grid.error();
    const auto block = parse_dimensions("--block", options.block);
    if (!block) return block.error();
    options.request.grid = *grid;
    options.request.block = *block;
    for (const std::string& text : options.arguments) {
        auto argument = pm::parse_run_argument(text);
        if (!argument) return argument.error();
        options.request.arguments.push_back(std::move(*argument));
    }
    for (const std::string& text : options.dumps) {
        const auto dump = parse_dump(text, options.request.arguments);
        if (!dump) return dump.error();
        options.request.read_back.push_back(dump->argument);
        options.dump_files.push_back(dump->file);
    }
    return {};
}

pm::Result<void> write_dumps(const RunOptions& options, const pm::RunResult& result) {
    for (std::size_t i = 0; i < options.dump_files.size(); ++i) {
        const auto& bytes = result.buffers[options.request.read_back[i]];
        const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (const auto written = pm::write_file_atomically(options.dump_files[i], view); !written)
            return written.error();
    }
    return {};
}

int fail(const pm::Error& error) {
    fmt::print(stderr, "peacemaker: {}\n", error.text);
    return kBadUsage;
}

int run(RunOptions options) {
    if (const auto completed = complete(options); !completed) return fail(completed.error());
    const auto result = pm::run_file(options.request);
    if (!result) return fail(result.error());
    if (const auto dumped = write_dumps(options, *result); !dumped) return fail(dumped.error());
    fmt::print("{}", options.json ? pm::emu::to_json(result->report) + "\n" : pm::report_text(*result));
    if (!result->report.findings.empty()) return kFindings;
    return result->report.unsupported.empty() ? kClean : kUnchecked;
}

/// Ends as the program does; but 1 where the device found a fault, and 3 where the program itself sees nothing wrong
/// and something was unchecked.
int exec(pm::ExecRequest request) {
    request.library = pm::embedded_device_library();
    const auto result = pm::exec_program(request);
    if (!result) return fail(result.error());
    const std::string& program = request.command.front();
    if (result->signal != 0)
        fmt::print(stderr, "peacemaker: {}: ended by signal {} ({})\n", program, result->signal,
                   strsignal(result->signal));
    if (!result->loaded)
        fmt::print(stderr, "peacemaker: {}: unchecked: it does not load libraries at run time\n", program);
    if (result->findings) return kFindings;
    if (result->status != 0) return result->status;
    return result->unchecked || !result->loaded ? kUnchecked : kClean;
}

struct LoopsOptions {
    std::string file, kernel = "*", chip;
    std::uint32_t per = 0;
};

int loops(const LoopsOptions& options) {
    const auto object = pm::read_code_object(options.file, options.chip);
    if (!object) return fail(object.error());
    std::vector<std::string> names;
    bool found = false;
    for (const pm::Kernel& kernel : object->kernels) {
        names.push_back(kernel.name);
        if (!pm::glob_match(options.kernel, kernel.name)) continue;
        found = true;
        const auto listing = pm::lift::instructions_of(*object, kernel);
        if (!listing) return fail(listing.error().with(options.file));
        fmt::print("{}", pm::lift::loops_text(kernel, *listing, options.per));
    }
    if (found) return kClean;
    return fail({fmt::format("{}: none of its {} kernels is {}{}", options.file, names.size(), options.kernel,
                             pm::did_you_mean(options.kernel, names))});
}

/// The launch that a certificate is about, as options name it.
struct LaunchOptions {
    std::string workgroup;
    std::optional<std::uint32_t> dynamic_lds;

    [[nodiscard]] bool given() const { return !workgroup.empty() || dynamic_lds; }
};

pm::Result<pm::certify::Options> launch_of(const LaunchOptions& options) {
    pm::certify::Options launch;
    launch.dynamic_lds = options.dynamic_lds;
    if (options.workgroup.empty()) return launch;
    const auto workgroup = parse_dimensions("--workgroup", options.workgroup);
    if (!workgroup) return workgroup.error();
    launch.workgroup = *workgroup;
    return launch;
}

struct CertifyOptions {
    std::string file, kernel = "*", chip, sarif, root = ".";
    LaunchOptions launch;
    bool json = false;
};

int certify(const CertifyOptions& options) {
    const auto object = pm::read_code_object(options.file, options.chip);
    if (!object) return fail(object.error());
    const auto launch = launch_of(options.launch);
    if (!launch) return fail(launch.error());
    const auto certificate = pm::certify::certify(*object, options.kernel, *launch);
    if (!certificate) return fail(certificate.error().with(options.file));
    fmt::print("{}", options.json ? pm::certify::report_json(*certificate, options.file)
                                  : pm::certify::report_text(*certificate, options.file));
    if (!options.sarif.empty()) {
        const auto report = pm::audit::audit(*object, *certificate, options.file);
        const auto written = pm::write_file_atomically(
            options.sarif, pm::audit::report_sarif(report, "peacemaker certify", options.root));
        if (!written) return fail(written.error());
    }
    const auto any = [&](pm::certify::Verdict verdict) {
        return std::any_of(certificate->kernels.begin(), certificate->kernels.end(),
                           [verdict](const auto& kernel) { return kernel.verdict == verdict; });
    };
    if (any(pm::certify::Verdict::kOpen)) return kFindings;
    return any(pm::certify::Verdict::kUnchecked) ? kUnchecked : kClean;
}

struct AuditOptions {
    std::vector<std::string> files;
    std::string sarif, root = ".";
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    bool lds_barrier = false, all = false, json = false;
};

int audit(const AuditOptions& options) {
    const auto scope = options.all           ? pm::audit::Scope::kAll
                       : options.lds_barrier ? pm::audit::Scope::kLdsBarrier
                                             : pm::audit::Scope::kUsual;
    const auto report = pm::audit::audit(options.files, {scope, options.jobs});
    if (!report) return fail(report.error());
    fmt::print("{}", options.json ? pm::audit::report_json(*report) : pm::audit::report_text(*report));
    if (!options.sarif.empty()) {
        const auto written = pm::write_file_atomically(
            options.sarif, pm::audit::report_sarif(*report, "peacemaker audit", options.root));
        if (!written) return fail(written.error());
    }
    if (report->findings() != 0) return kFindings;
    // Nothing that was looked at is no answer.
    const bool whole = report->unchecked.empty() && report->kernels_unchecked == 0 && !report->objects.empty();
    return whole ? kClean : kUnchecked;
}

struct MutateOptions {
    std::string file, kernel = "*", chip, out;
};

int mutate(const MutateOptions& options) {
    const auto object = pm::read_code_object(options.file, options.chip);
    if (!object) return fail(object.error());
    const auto mutants = pm::mutate::mutants_of(*object, options.kernel);
    if (!mutants) return fail(mutants.error().with(options.file));
    const auto written = pm::mutate::write_folder(options.out, options.file, *object, *mutants);
    if (!written) return fail(written.error());
    fmt::print("MUTATE {} {} {} mutants in {}\n", options.file, object->chip->name, mutants->size(), options.out);
    return kClean;
}

struct ScoreOptions {
    std::vector<std::string> files;
    std::string kernel = "*", chip, targets;
    LaunchOptions launch;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    bool registry = false, json = false;
    hkc::ProjectOptions project;
};

int show(const std::vector<pm::score::Report>& reports, bool json) {
    fmt::print("{}", json ? pm::score::report_json(reports) : pm::score::report_text(reports));
    const pm::score::Counts counts = pm::score::count(reports);
    const auto at = [&](pm::score::Fate fate) { return counts[static_cast<std::size_t>(fate)]; };
    if (at(pm::score::Fate::kMissed) != 0) return kFindings;
    // Where nothing was judged, nothing is said.
    return at(pm::score::Fate::kUnchecked) != 0 || at(pm::score::Fate::kKilled) == 0 ? kUnchecked : kClean;
}

pm::Result<std::vector<pm::mutate::Target>> parse_targets(const std::string& text) {
    std::vector<std::string> names;
    for (const pm::mutate::Target target : pm::mutate::kTargets) names.emplace_back(target_name(target));
    std::vector<pm::mutate::Target> targets;
    for (const std::string& part : pm::split(text, ',')) {
        const auto found = std::find(names.begin(), names.end(), part);
        if (found == names.end())
            return pm::Error{fmt::format("--target {}: expected some of {}{}", part, fmt::join(names, ", "),
                                         pm::did_you_mean(part, names))};
        targets.push_back(pm::mutate::kTargets[found - names.begin()]);
    }
    return targets;
}

int score(const ScoreOptions& options) {
    const auto targets = parse_targets(options.targets);
    if (!targets) return fail(targets.error());
    if (options.registry != options.files.empty()) return fail({"score: expected FILES, or --registry and none"});
    if (options.registry && options.launch.given())
        return fail({"score: --workgroup and --dynamic-lds are for FILES; a registration declares its own launches"});
    const auto launch = launch_of(options.launch);
    if (!launch) return fail(launch.error());
    if (options.registry) {
        const auto project = hkc::load_project(options.project);
        if (!project) return fail(project.error());
        if (!project->note.empty()) fmt::print(stderr, "peacemaker: {}\n", project->note);
        const auto reports = hkc::score_registry(
            *project, {options.kernel, pm::split(options.chip, ','), *targets, options.jobs}, [](auto&&...) {});
        if (!reports) return fail(reports.error());
        return show(*reports, options.json);
    }
    std::vector<pm::score::Report> reports;
    for (const std::string& file : options.files) {
        const auto object = pm::read_code_object(file, options.chip);
        if (!object) return fail(object.error());
        auto report = pm::score::score(*object, file, {options.kernel, *targets, options.jobs, *launch});
        if (!report) return fail(report.error().with(file));
        reports.push_back(std::move(*report));
    }
    return show(reports, options.json);
}

struct IsaOptions {
    std::string chip, only;
    bool summary = false;
};

int isa(const IsaOptions& options) {
    const auto chip = pm::find_chip(options.chip);
    if (!chip) return fail(chip.error());
    const auto disassembler = pm::isa::Disassembler::create(**chip);
    if (!disassembler) return fail(disassembler.error());
    const auto table = pm::emu::coverage_of(**chip, **disassembler);
    fmt::print("{}", options.summary ? pm::emu::coverage_summary(table) : pm::emu::coverage_text(table, options.only));
    return kClean;
}

struct LiftOptions {
    std::string file, chip;
    bool text = false, json = false;
};

int lift(const LiftOptions& options) {
    if (!options.chip.empty())
        if (const auto known = pm::find_chip(options.chip); !known) return fail(known.error());
    const auto bytes = pm::read_file(options.file);
    if (!bytes) return fail(bytes.error());
    const pm::Container container = pm::read_container(*bytes, options.file);
    const pm::lift::Report report = pm::lift::lift_all(container, options.chip);
    if (report.objects.empty() && container.losses.empty())
        return fail(
            {fmt::format("{}: no device object{}", options.file, options.chip.empty() ? "" : " for " + options.chip)});
    // What is no code object at all was not lifted, where it is not one among others.
    if (!pm::is_container(*bytes) && !report.objects.front().file)
        return fail(pm::Error{report.objects.front().error}.with(options.file));
    if (options.json)
        fmt::print("{}", pm::lift::to_json(report));
    else
        fmt::print("{}{}", options.text ? pm::lift::program_text(report) : "", pm::lift::summary_text(report));
    return report.whole() ? kClean : kFindings;
}

/// A subcommand adds itself and its options to `app`; where it is asked for, it runs and leaves its exit status.
template <typename Options, typename Run>
std::shared_ptr<Options> add_command(CLI::App& command, int& status, Run run) {
    auto options = std::make_shared<Options>();
    command.callback([options, run, &status] { status = run(std::move(*options)); });
    return options;
}

constexpr const char* kFileHelp = "Code object, offload bundle or host program";
constexpr const char* kChipHelp = "Chip, where the file holds objects for several";
constexpr const char* kSarifHelp = "Write what is found to this file as SARIF 2.1.0, for code scanning";
constexpr const char* kRootHelp = "Folder that paths in the SARIF file are relative to";
constexpr const char* kKernelsHelp = "Kernels, as a glob: * any text, ? any one character";

void add_run(CLI::App& app, int& status) {
    CLI::App& command =
        *app.add_subcommand("run", "Run one launch of a code object on the embedded device under all checks");
    RunOptions& options = *add_command<RunOptions>(command, status, run);
    command.add_option("file", options.request.file, kFileHelp)->required();
    command
        .add_option("--kernel", options.request.kernel,
                    "Kernel to launch: its symbol, or the name of its function where just one is called so")
        ->required();
    command.add_option("--chip", options.request.chip, kChipHelp);
    command.add_option("--grid", options.grid, "Workgroups: X, X,Y or X,Y,Z");
    command.add_option("--block", options.block, "Work-items a workgroup: X, X,Y or X,Y,Z");
    command.add_option("--lds", options.request.dynamic_lds, "Dynamic LDS in bytes")->check(CLI::NonNegativeNumber);
    command
        .add_option("--max-instructions", options.request.max_instructions, "Stop a wave after so many instructions")
        ->check(CLI::NonNegativeNumber);
    command
        .add_option("--arg", options.arguments,
                    "buf:BYTES[:zero|uninit|iota|ones|FILE] or u8|u16|u32|i32|u64|i64|f32|f64:VALUE or hex:BYTES")
        ->allow_extra_args(false);
    command.add_option("--dump", options.dumps, "ARG:FILE: write a buffer argument after the launch")
        ->allow_extra_args(false);
    command.add_flag(
        "--any-args", options.request.any_arguments,
        "Run although arguments are not those of the kernel's metadata: a null pointer, a stale call site");
    command.add_flag("--json", options.json, "Print the report as JSON");
}

void add_exec(CLI::App& app, int& status) {
    CLI::App& command = *app.add_subcommand("exec", "Run a HIP program on the embedded device under all checks");
    pm::ExecRequest& request = *add_command<pm::ExecRequest>(command, status, exec);
    command.add_option("--chip", request.chip, "The only device it sees; else HIP_VISIBLE_DEVICES, or every chip");
    command.add_option("program", request.command, "-- PROGRAM ARGS..")->required();
    command.positionals_at_end();
}

void add_launch(CLI::App& command, LaunchOptions& options) {
    command.add_option("--workgroup", options.workgroup,
                       "Work-items of a workgroup: X, X,Y or X,Y,Z (as many as the kernel allows)");
    command.add_option("--dynamic-lds", options.dynamic_lds, "Bytes of LDS that the launch adds");
}

void add_certify(CLI::App& app, int& status) {
    CLI::App& command =
        *app.add_subcommand("certify", "Prove waits, barriers, LDS and registers of kernels along every path");
    CertifyOptions& options = *add_command<CertifyOptions>(command, status, certify);
    command.add_option("file", options.file, kFileHelp)->required();
    command.add_option("--kernel", options.kernel, kKernelsHelp);
    command.add_option("--chip", options.chip, kChipHelp);
    add_launch(command, options.launch);
    command.add_flag("--json", options.json, "Print the report as JSON");
    command.add_option("--sarif", options.sarif, kSarifHelp)->check(pm::missing_folder);
    command.add_option("--root", options.root, kRootHelp)->capture_default_str();
}

void add_audit(CLI::App& app, int& status) {
    CLI::App& command =
        *app.add_subcommand("audit", "Look for faults in many files at once: compiler output, caches, folders of them");
    AuditOptions& options = *add_command<AuditOptions>(command, status, audit);
    command.add_option("files", options.files, "Code objects, offload bundles, host programs, or folders of them")
        ->required();
    CLI::Option* const lds_barrier =
        command.add_flag("--lds-barrier", options.lds_barrier, "Barriers alone, and the LDS stores that they publish");
    command.add_flag("--all", options.all, "Bounds and order of LDS accesses, too, where they were not shown")
        ->excludes(lds_barrier);
    command.add_option("--jobs", options.jobs, "Threads")->check(CLI::Range(1U, 1024U))->capture_default_str();
    command.add_flag("--json", options.json, "Print the report as JSON");
    command.add_option("--sarif", options.sarif, kSarifHelp)->check(pm::missing_folder);
    command.add_option("--root", options.root, kRootHelp)->capture_default_str();
}

void add_mutate(CLI::App& app, int& status) {
    CLI::App& command = *app.add_subcommand(
        "mutate", "Write a copy for each wait, barrier, exec mask and clause, with just that one weakened");
    MutateOptions& options = *add_command<MutateOptions>(command, status, mutate);
    command.add_option("file", options.file, kFileHelp)->required();
    command
        .add_option("--out", options.out,
                    "Folder for the copies and index.json: a new or empty one, or one of earlier mutants, which go")
        ->required();
    command.add_option("--kernel", options.kernel, kKernelsHelp);
    command.add_option("--chip", options.chip, kChipHelp);
}

void add_score(CLI::App& app, int& status) {
    CLI::App& command =
        *app.add_subcommand("score", "How many of those mutants certify notices; with --registry, the gates too");
    ScoreOptions& options = *add_command<ScoreOptions>(command, status, score);
    command.add_option("files", options.files, kFileHelp);
    command.add_option("--kernel", options.kernel, "Kernels, with --registry registrations, as a glob");
    command.add_option("--chip", options.chip, "Chip; with --registry several, with commas between");
    command.add_option(
        "--target", options.targets,
        "What is weakened, with commas between: wait, store wait, hazard wait, barrier, exec mask, clause");
    add_launch(command, options.launch);
    command.add_option("--jobs", options.jobs, "Threads, or child processes")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    command.add_flag("--registry", options.registry,
                     "The kernels under contract, by certify and by gates 1 to 4 on the embedded device");
    command.add_flag("--json", options.json, "Print the report as JSON");
    command.add_option("--root", options.project.root, hkc::kRootHelp);
    command.add_option("--oracles", options.project.oracles, hkc::kOraclesHelp)->allow_extra_args(false);
}

void add_lift(CLI::App& app, int& status) {
    CLI::App& command = *app.add_subcommand(
        "lift", "Read a whole file as typed parts and instructions, write it back and compare every byte");
    LiftOptions& options = *add_command<LiftOptions>(command, status, lift);
    command.add_option("file", options.file, "Code object, offload bundle or host program")->required();
    command.add_option("--chip", options.chip, "Only the objects for this chip");
    CLI::Option* const text = command.add_flag("--text", options.text, "Print the parts and the program");
    command.add_flag("--json", options.json, "Print the structure as JSON")->excludes(text);
}

void add_loops(CLI::App& app, int& status) {
    CLI::App& command = *app.add_subcommand("loops", "Count the instructions of a kernel's innermost loops");
    LoopsOptions& options = *add_command<LoopsOptions>(command, status, loops);
    command.add_option("file", options.file, kFileHelp)->required();
    command.add_option("--kernel", options.kernel, kKernelsHelp);
    command.add_option("--chip", options.chip, kChipHelp);
    command.add_option("--per", options.per, "What a lane does in a round (codes, say); adds counts a piece");
}

void add_isa(CLI::App& app, int& status) {
    CLI::App& command =
        *app.add_subcommand("isa", "Which instructions of a chip the embedded device executes, and how exactly");
    IsaOptions& options = *add_command<IsaOptions>(command, status, isa);
    command.add_option("--chip", options.chip, "Chip")->required();
    command.add_option("--only", options.only, "Show these alone: exact, approximate, unsupported or not-compute")
        ->check(CLI::IsMember({"exact", "approximate", "unsupported", "not-compute"}));
    command.add_flag("--summary", options.summary, "Print the counts alone");
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Code objects as typed programs"};
    app.require_subcommand(1);
    int status = kClean;
    for (const auto add :
         {add_run, add_exec, add_certify, add_audit, add_mutate, add_score, add_lift, add_loops, add_isa})
        add(app, status);
    if (hkc::print_reference(app, argc, argv)) return kClean;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kClean : kBadUsage;
    }
    return status;
}
