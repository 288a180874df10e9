// Gate 5 offline: compiles every kernel under contract for every chip and compares what it costs with its record. See
// docs/records.md.
#include "contract/limits/audit.h"
#include "contract/project/project.h"
#include "contract/reference/reference.h"
#include "contract/report/progress.h"
#include "contract/toolchain/compile.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/output_file.h"
#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <thread>

namespace {

constexpr int kBadUsage = 2;

struct Options {
    hkc::ProjectOptions project;
    std::string chips = "all";
    std::string toolchain;
    std::string against;
    std::string filter = "*";
    std::string records = "problems";
    std::string sarif;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    bool allow_unchecked = false;
};

const std::map<std::string, hkc::limits::RecordLines>& record_lines() {
    static const std::map<std::string, hkc::limits::RecordLines> lines = {
        {"problems", hkc::limits::RecordLines::kProblems},
        {"all", hkc::limits::RecordLines::kAll},
        {"none", hkc::limits::RecordLines::kNone}};
    return lines;
}

int fail(const pm::Error& error) {
    std::fprintf(stderr, "hip-kernel-contract-limits: %s\n", error.text.c_str());
    return kBadUsage;
}

int run(const Options& options) {
    const auto project = hkc::load_project(options.project);
    if (!project) return fail(project.error());
    if (!project->note.empty()) std::fprintf(stderr, "hip-kernel-contract-limits: %s\n", project->note.c_str());

    hkc::limits::AuditOptions asked;
    asked.cache_dir = hkc::default_cache_dir(project->root);
    if (options.chips != "all") asked.chips = pm::split(options.chips, ',');
    asked.toolchain = options.toolchain;
    asked.against = options.against;
    asked.filter = options.filter;
    asked.jobs = options.jobs;
    hkc::ProgressLine progress;
    asked.progress = [&progress](std::size_t done, std::size_t all) { progress("compiling", done, all); };
    pm::catch_interrupts();
    const auto report = hkc::limits::audit(project->registry, project->toolchains, asked);
    progress.clear();
    if (!report) return fail(report.error());
    const auto show = [&](const std::string& text, std::FILE* stream) {
        std::fputs(hkc::with_options(text, options.project).c_str(), stream);
    };
    show(hkc::limits::messages_text(*report), stderr);
    show(hkc::limits::to_text(*report, record_lines().at(options.records)), stdout);
    // A log that is cut short must not look like a whole one.
    if (std::fflush(stdout) != 0) return fail({"cannot write the report to the standard output"});
    if (!options.sarif.empty())
        if (const auto written =
                pm::write_file_atomically(options.sarif, hkc::limits::to_sarif(*report, project->registry));
            !written)
            return fail(written.error());
    return hkc::limits::exit_status(*report, options.allow_unchecked);
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Compiles every kernel under contract and compares its registers, LDS and scratch with the records.\n"
        "Exit status: 0 all as recorded; 1 a limit problem or unchecked; 2 bad usage, registry, records or source;\n"
        "3 no toolchain; 130 ended by SIGINT or SIGTERM, after what was finished.",
        "hip-kernel-contract-limits");
    app.add_option("--root", options.project.root, hkc::kRootHelp);
    app.add_option("--chip", options.chips, "gfx1151,.. or all")->capture_default_str();
    app.add_option("--toolchain", options.toolchain,
                   "one toolchain of toolchains.toml (default: all that have records)");
    app.add_option("--against", options.against, "compare with that toolchain's records instead");
    app.add_option("--filter", options.filter, "registrations to audit, as a glob")->capture_default_str();
    app.add_option("--records", options.records, "RECORD lines to print")
        ->check(CLI::IsMember(&record_lines()))
        ->capture_default_str();
    app.add_option("--jobs", options.jobs, "compiles at a time")->check(CLI::Range(1U, 1024U))->capture_default_str();
    app.add_option("--sarif", options.sarif, "write the problems to this file as SARIF 2.1.0, for code scanning")
        ->check(pm::missing_folder);
    app.add_option("--oracles", options.project.oracles, hkc::kOraclesHelp)->allow_extra_args(false);
    app.add_flag("--allow-unchecked", options.allow_unchecked, "unchecked alone is no failure");
    if (hkc::print_reference(app, argc, argv)) return 0;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kBadUsage;
    }
    return run(options);
}
