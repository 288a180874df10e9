// Rewrites the resource records from an audit's RECORD lines, and checks them against the registry. See
// docs/records.md.
#include "contract/project/project.h"
#include "contract/records/apply.h"
#include "contract/records/check.h"
#include "contract/reference/reference.h"
#include "peacemaker/support/interrupt.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <string>

namespace {

constexpr int kBadUsage = 2;

int fail(const pm::Error& error) {
    std::fprintf(stderr, "hip-kernel-contract-records: %s\n", error.text.c_str());
    return kBadUsage;
}

int interrupted() {
    std::fputs("hip-kernel-contract-records: interrupted: nothing was written\n", stderr);
    return pm::kInterruptedStatus;
}

pm::Result<hkc::Project> load(const hkc::ProjectOptions& options) {
    auto project = hkc::load_project(options);
    if (project && !project->note.empty())
        std::fprintf(stderr, "hip-kernel-contract-records: %s\n", project->note.c_str());
    return project;
}

pm::Result<std::string> read_standard_input() {
    std::string text;
    char buffer[65536];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, n);
    if (std::ferror(stdin) != 0)
        return pm::Error{"standard input: cannot read it; expected the output of hip-kernel-contract-limits"};
    return text;
}

int apply(const hkc::ProjectOptions& options) {
    const auto project = load(options);
    if (!project) return fail(project.error());
    const auto text = read_standard_input();
    if (!text) return fail(text.error());
    const std::string where = "standard input";
    const auto log = hkc::records::parse_log(*text, where);
    if (!log) return fail(log.error());
    pm::catch_interrupts(); // so that files are written whole, and all or none of them
    const auto changes = hkc::records::plan(project->root, project->registry, project->toolchains, *log, where);
    if (!changes) return fail(changes.error());
    if (pm::interrupted()) return interrupted();
    if (auto written = hkc::records::write(*changes); !written) return fail(written.error());
    std::size_t rewritten = 0;
    for (const hkc::records::Change& change : *changes) {
        const std::string name = change.path.lexically_relative(project->root).string();
        for (const std::string& line : change.difference) std::printf("%s: %s\n", name.c_str(), line.c_str());
        rewritten += change.difference.empty() ? 0 : 1;
    }
    std::printf("%zu RECORD lines: %zu of %zu files rewritten\n", log->records.size(), rewritten, changes->size());
    return 0;
}

int check(const hkc::ProjectOptions& options) {
    const auto project = load(options);
    if (!project) return fail(project.error());
    const auto report = hkc::records::check(project->root, project->registry, project->toolchains);
    if (!report) return fail(report.error());
    for (const std::string& note : report->notes) std::printf("%s\n", note.c_str());
    for (const std::string& problem : report->problems)
        std::printf("record problem: %s\n", hkc::with_options(problem, options).c_str());
    std::printf("%llu records: %zu problems\n", static_cast<unsigned long long>(report->records),
                report->problems.size());
    return report->problems.empty() && report->records != 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    // Over a limit of the file size, a write gives its error instead of ending the program.
    std::signal(SIGXFSZ, SIG_IGN);
    hkc::ProjectOptions options;
    CLI::App app("Rewrites and checks the resource records, records/<toolchain>/<family>.json.\n"
                 "Exit status: 0 done, or all as it should be; 1 record problems; 2 bad usage, lines, registry or "
                 "record files;\n"
                 "130 ended by SIGINT or SIGTERM before anything was written.",
                 "hip-kernel-contract-records");
    app.require_subcommand(1);
    app.add_option("--root", options.root, hkc::kRootHelp);
    app.add_option("--oracles", options.oracles, hkc::kOraclesHelp)->allow_extra_args(false);
    app.fallthrough();
    const CLI::App* applying =
        app.add_subcommand("apply", "rewrites the record files from the RECORD lines of an audit on standard input");
    app.add_subcommand("check",
                       "says which kernels have no record, which records have no kernel, and which have scratch");
    if (hkc::print_reference(app, argc, argv)) return 0;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kBadUsage;
    }
    return applying->parsed() ? apply(options) : check(options);
}
