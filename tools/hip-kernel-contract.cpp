// hip-kernel-contract: runs the gates on every registration and control that is asked for. docs/kernel-contract.md is
// its page.

#include "contract/page/compared.h"
#include "contract/page/cost_bars.h"
#include "contract/page/page.h"
#include "contract/page/plot.h"
#include "contract/project/project.h"
#include "contract/reference/reference.h"
#include "contract/report/progress.h"
#include "contract/runner/base.h"
#include "contract/runner/input_files.h"
#include "contract/runner/junit.h"
#include "contract/runner/lines.h"
#include "contract/runner/merge.h"
#include "contract/runner/run.h"
#include "contract/runner/sarif.h"
#include "contract/scaffold/scaffold.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/output_file.h"
#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

namespace {

constexpr int kBadUsage = 2;

struct MergeOptions {
    std::vector<std::string> files;
    std::string chips, json, junit;
};

struct NewOptions {
    hkc::ScaffoldRequest scaffold;
    std::string chips;
};

struct ReportOptions {
    std::vector<std::string> files;
    std::string base, html;
    bool plot = false;
};

struct Options {
    hkc::RunRequest run;
    hkc::ProjectOptions project;
    std::string device = "auto", chips, gates = "1-5", json, junit, sarif, shard = "1/1";
    std::optional<std::string> base;
    std::optional<MergeOptions> merge;  // there where the command is `merge`
    std::optional<NewOptions> scaffold; // `new`
    std::optional<ReportOptions> report;
    double limit_s = 120;
    bool list = false;
    bool allow_unchecked = false;
};

/// CLI11 alone takes -1, and what is too large, for the largest number.
std::string seed_fault(std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    return fmt::format("\"{}\"; expected a whole number from 0 to 18446744073709551615", text);
}

int parse(int argc, char** argv, Options& options) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    options.run.jobs = cores;
    CLI::App app{"Runs the gates on HIP kernels under contract: load, memory, shapes, edges, limits."};
    app.footer(
        "Exit status: 0 all as contracted; 1 a fail, a missed control, a limit problem, a stale finding or unchecked;\n"
        "2 bad usage or bad registry; 3 no device or no toolchain; 130 ended by SIGINT or SIGTERM, after what was\n"
        "finished.");
    app.add_option("--device", options.device, "auto takes a GPU if there is one, else the embedded device")
        ->check(CLI::IsMember(&hkc::device_wishes()))
        ->capture_default_str();
    app.add_option("--chip", options.chips, "chips, with commas between, or all; those of the device where not given");
    app.add_option("--filter", options.run.filter, "registrations and controls whose name matches (*, ?)");
    app.add_option("--gates", options.gates, "gates, as in 1-4 or 1,3")->capture_default_str();
    app.add_option("--jobs", options.run.jobs, "child processes at a time")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    app.add_option("--timeout", options.limit_s, "seconds that a registration may take on a chip")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    app.add_option("--toolchain", options.run.toolchain,
                   "a toolchain of toolchains.toml; the pinned one where not given");
    app.add_option("--root", options.project.root, hkc::kRootHelp);
    app.add_option("--oracles", options.project.oracles, hkc::kOraclesHelp)->allow_extra_args(false);
    app.add_option("--seed", options.run.seed, "of the random inputs")
        ->check(CLI::Validator(seed_fault, ""))
        ->capture_default_str();
    app.add_option("--json", options.json, "write the whole report to this file")->check(pm::missing_folder);
    app.add_option("--junit", options.junit, "write the report to this file as JUnit XML, for CI")
        ->check(pm::missing_folder);
    app.add_option("--sarif", options.sarif, "write the findings to this file as SARIF 2.1.0, for code scanning")
        ->check(pm::missing_folder);
    auto* shard =
        app.add_option("--shard", options.shard,
                       "I/N: run every Nth registration and control from the Ith; `merge` puts them together");
    app.add_option("--base", options.base,
                   "a git revision: run the same on it too, and say which problems are new, gone or unchanged")
        ->excludes(app.add_flag("--list", options.list, "list what is selected, expanded, and run nothing"))
        ->excludes(shard);
    app.add_flag("--thorough", options.run.thorough,
                 "no launch budget: every shape at gate 2, several seeds at gate 3");
    app.add_flag("--allow-unchecked", options.allow_unchecked, "what could not be asked does not fail the run");
    MergeOptions merge;
    auto* merging = app.add_subcommand("merge", "makes the report of a whole run from those of its shards");
    merging->add_option("reports", merge.files, "reports that --shard and --json wrote")->required();
    merging->add_option("-o,--output", merge.json, "write the whole report to this file")
        ->required()
        ->check(pm::missing_folder);
    merging->add_option("--junit", merge.junit, "write it to this file as JUnit XML, too")->check(pm::missing_folder);
    merging->add_option("--chip", merge.chips, "chips that must be there, with commas between, or all registered ones");
    NewOptions scaffold;
    scaffold.scaffold.flags = {"-std=c++20", "-O3"};
    scaffold.scaffold.jobs = cores;
    auto* creating =
        app.add_subcommand("new", "begins the contract of a kernel: writes its registration and the source "
                                  "of its oracle, with blanks for what the compiled kernel does not tell");
    creating->add_option("source", scaffold.scaffold.source, "the HIP source")->required();
    creating->add_option("symbol", scaffold.scaffold.symbol, "the kernel's symbol, or the name of its function")
        ->required();
    creating->add_option("--root", scaffold.scaffold.root,
                         "the project's folder; where not given, the current folder or the parent of it that has "
                         "registry/ and toolchains.toml");
    creating->add_option("--out", scaffold.scaffold.out,
                         "write the registration to this file, and nothing else; where not given, registry/NAME.toml, "
                         "the source of its oracle, and what the project lacks");
    creating->add_option("--chip", scaffold.chips,
                         "chips, with commas between; where not given, all that the source compiles for");
    creating->add_option("--flag", scaffold.scaffold.flags, "a compiler flag, as --flag=-O3; may be given again")
        ->allow_extra_args(false)
        ->capture_default_str();
    ReportOptions report;
    auto* reporting = app.add_subcommand("report", "shows a report: as a page of HTML, or what kernels cost as text");
    reporting->add_option("reports", report.files, "reports of --json, all shards of a run, or one receipt.json")
        ->required();
    reporting->add_option("--html", report.html, "write the page to this file; it needs no other and no network")
        ->check(pm::missing_folder);
    reporting->add_flag("--plot", report.plot, "print registers, LDS, scratch and waves as bars");
    reporting->add_option("--base", report.base,
                          "a report or receipt.json to compare resources with; a receipt's base where not given");
    reporting->add_option("--root", options.project.root,
                          "the tree that the page quotes sources of; the current folder's where not given");
    if (hkc::print_reference(app, argc, argv)) return 0;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : kBadUsage;
    }
    if (merging->parsed()) options.merge = std::move(merge);
    if (creating->parsed()) options.scaffold = std::move(scaffold);
    if (reporting->parsed()) options.report = std::move(report);
    return -1;
}

int complain(int status, const std::string& text) {
    fmt::print(stderr, "hip-kernel-contract: {}\n", text);
    return status;
}

bool coloured() {
    const char* no_color = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

/// Writes what has a file name. Error: one that cannot be written.
pm::Result<void> write_reports(const std::string& json_file, const std::string& json, const std::string& junit_file,
                               const hkc::RunOutcome& outcome, bool allow_unchecked) {
    if (!json_file.empty())
        if (auto written = pm::write_file_atomically(json_file, json); !written) return written.error();
    if (junit_file.empty()) return {};
    return pm::write_file_atomically(junit_file, hkc::junit_xml(outcome, allow_unchecked));
}

pm::Result<std::vector<hkc::NamedReport>> read_files(const std::vector<std::string>& files) {
    std::vector<hkc::NamedReport> reports;
    for (const std::string& file : files) {
        auto text = pm::read_file(file);
        if (!text) return text.error();
        reports.push_back({file, std::move(*text)});
    }
    return reports;
}

/// The inputs of a tree, and the texts of those that were asked for.
struct Sources {
    std::filesystem::path root;
    std::set<std::string> files;
    std::map<std::string, std::optional<std::string>> texts;

    /// A report's own word for a file is not enough to read it: it must be an input of the tree.
    std::optional<std::string> text_of(const std::string& file) {
        if (!files.contains(file)) return std::nullopt;
        const auto [at, first] = texts.try_emplace(file);
        if (!first) return at->second;
        if (auto text = pm::read_file(root / file)) at->second = std::move(*text);
        return at->second;
    }
};

/// None where the inputs here are not those that `hash` is of.
Sources sources_of(const hkc::ProjectOptions& options, const std::string& hash) {
    const auto project = hkc::load_project(options);
    if (!project) return {};
    const auto files = hkc::input_files(project->registry);
    if (!files) return {};
    const auto here = hkc::hash_of_files(project->root, *files);
    if (!here || *here != hash) return {};
    return {project->root, {files->begin(), files->end()}, {}};
}

std::size_t columns() {
    winsize size{};
    const bool told = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return told ? size.ws_col : hkc::page::PlotStyle{}.width;
}

/// Whether the locale's texts are UTF-8, by the variables that name it, the strongest first.
bool is_utf8_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
            const std::string locale = value;
            return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
        }
    return false;
}

int report(const ReportOptions& options, const hkc::ProjectOptions& project) {
    if (options.html.empty() && !options.plot)
        return complain(kBadUsage, "report: expected --html FILE, --plot, or both");
    const auto files = read_files(options.files);
    if (!files) return complain(kBadUsage, files.error().text);
    std::optional<hkc::NamedReport> base;
    if (!options.base.empty()) {
        auto read = read_files({options.base});
        if (!read) return complain(kBadUsage, read.error().text);
        base = std::move(read->front());
    }
    const auto compared = hkc::page::read_compared(*files, base);
    if (!compared) return complain(kBadUsage, compared.error().text);
    const hkc::RunOutcome* before = compared->base ? &*compared->base : nullptr;
    if (options.plot)
        fmt::print("{}", hkc::page::plot_text(hkc::page::cost_rows(compared->report.outcome, before),
                                              {columns(), coloured(), !is_utf8_locale()}));
    if (options.html.empty()) return 0;
    Sources sources = sources_of(project, compared->report.description.inputs);
    if (sources.files.empty())
        fmt::print(stderr, "hip-kernel-contract: note: the tree here is not that of the report, so the page quotes no "
                           "source lines; --root names another\n");
    const auto source_text = [&sources](const std::string& file) { return sources.text_of(file); };
    const std::string page = hkc::page::page_html({compared->report, before, compared->base_name, source_text});
    if (const auto written = pm::write_file_atomically(options.html, page); !written)
        return complain(kBadUsage, written.error().text);
    return 0;
}

int merge(const MergeOptions& options) {
    const auto reports = read_files(options.files);
    if (!reports) return complain(kBadUsage, reports.error().text);
    const auto whole = hkc::merge_reports(*reports, pm::split(options.chips, ','));
    if (!whole) return complain(kBadUsage, whole.error().text);
    const bool allowed = whole->description.allow_unchecked;
    fmt::print("{}", hkc::run_lines(whole->outcome, whole->description.toolchain, coloured()));
    const auto written = write_reports(options.json, hkc::report_json(whole->outcome, whole->description),
                                       options.junit, whole->outcome, allowed);
    if (!written) return complain(kBadUsage, written.error().text);
    return hkc::exit_status(whole->outcome, allowed);
}

/// `new`: writes the files, and says what is known, what is blank, and what to do next.
int create(NewOptions& options) {
    hkc::ScaffoldRequest& request = options.scaffold;
    request.chips = pm::split(options.chips, ',');
    std::error_code error;
    if (request.root.empty()) request.root = hkc::root_for_new(std::filesystem::current_path(error));
    pm::catch_interrupts();
    const auto outcome = hkc::make_scaffold(request);
    if (pm::interrupted()) return complain(pm::kInterruptedStatus, "interrupted: nothing was written");
    if (const auto* failure = std::get_if<hkc::ScaffoldFailure>(&outcome))
        return complain(failure->no_toolchain ? hkc::kNoDeviceOrToolchain : kBadUsage, failure->text);
    const auto& made = std::get<hkc::Scaffold>(outcome);
    if (const auto written = hkc::write_scaffold(made); !written) return complain(kBadUsage, written.error().text);
    const auto name_of = [&](const std::filesystem::path& path) {
        const auto below = path.lexically_relative(request.root.lexically_normal());
        return (below.empty() || *below.begin() == ".." ? path : below).string();
    };
    for (const std::string& note : made.notes) fmt::print("{}\n", note);
    for (const hkc::ScaffoldFile& file : made.files) fmt::print("wrote {}\n", name_of(file.path));
    const std::string registration = name_of(made.files.front().path);
    for (const std::size_t line : made.blank_lines) fmt::print("{}:{}: to fill in\n", registration, line);
    if (request.out.empty()) fmt::print("oracles/{}.cpp: to write\n", made.kernel);
    if (!made.cmake_lines.empty())
        fmt::print("CMakeLists.txt is there already; its new tests are\n{}", made.cmake_lines);
    return 0;
}

int run(Options& options) {
    options.run.device = hkc::device_wishes().at(options.device);
    options.run.chips = pm::split(options.chips, ',');
    options.run.limit = std::chrono::milliseconds(static_cast<long>(options.limit_s * 1000));
    options.run.allow_unchecked = options.allow_unchecked;
    auto gates = hkc::parse_gates(options.gates);
    if (!gates) return complain(kBadUsage, "--" + gates.error().text);
    options.run.gates = std::move(*gates);
    const auto shard = hkc::parse_shard(options.shard);
    if (!shard) return complain(kBadUsage, "--" + shard.error().text);
    options.run.shard = *shard;
    const auto project = hkc::load_project(options.project);
    if (!project) return complain(kBadUsage, project.error().text);
    if (!project->note.empty()) fmt::print(stderr, "hip-kernel-contract: {}\n", project->note);
    const hkc::Registry& registry = project->registry;
    options.run.root = project->root;

    if (options.list) {
        const auto selection = hkc::select(registry, project->toolchains, options.run);
        if (!selection) return complain(kBadUsage, selection.error().text);
        fmt::print("{}", hkc::list_lines(registry, selection->tasks));
        return 0;
    }

    std::optional<hkc::Revision> base;
    if (options.base) {
        auto found = hkc::find_revision(options.run.root, *options.base);
        if (!found) return complain(kBadUsage, found.error().text);
        base = std::move(*found);
    }

    hkc::ProgressLine progress;
    pm::catch_interrupts();
    const auto outcome = hkc::run_contracts(registry, options.run, std::ref(progress));
    progress.clear();
    if (const auto* failure = std::get_if<hkc::RunFailure>(&outcome))
        return complain(failure->exit_status, failure->text);

    const auto& report = std::get<hkc::RunReport>(outcome);
    for (const std::string& warning : report.warnings)
        fmt::print(stderr, "hip-kernel-contract: warning: {}\n", warning);
    fmt::print("{}", hkc::with_options(hkc::run_lines(report.outcome, report.description.toolchain, coloured()),
                                       options.project));
    const bool allow_unchecked = report.description.allow_unchecked;
    int status = hkc::exit_status(report.outcome, allow_unchecked);
    std::string json = hkc::report_json(report.outcome, report.description);
    if (base) {
        (void)std::fflush(stdout);
        const auto comparison = hkc::compare_with_base(registry, report, options.run, *base, std::ref(progress));
        progress.clear();
        fmt::print("{}", hkc::with_options(hkc::base_lines(comparison), options.project));
        status = hkc::exit_status_with_base(status, comparison, allow_unchecked);
        json = hkc::report_with_base(json, comparison, status);
    }
    const auto written = write_reports(options.json, json, options.junit, report.outcome, allow_unchecked);
    if (!written) return complain(kBadUsage, written.error().text);
    if (!options.sarif.empty())
        if (const auto sarif =
                pm::write_file_atomically(options.sarif, hkc::sarif_log(report.outcome, registry, options.run.root));
            !sarif)
            return complain(kBadUsage, sarif.error().text);
    return pm::interrupted() ? pm::kInterruptedStatus : status;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    const int usage = parse(argc, argv, options);
    if (usage >= 0) return usage;
    if (options.merge) return merge(*options.merge);
    if (options.report) return report(*options.report, options.project);
    return options.scaffold ? create(*options.scaffold) : run(options);
}
