// hip-kernel-contract-receipt: the PR checklist of a head against its base, and the check of one. docs/receipts.md is
// its page.

#include "contract/project/project.h"
#include "contract/receipt/make.h"
#include "contract/receipt/markdown.h"
#include "contract/receipt/verify.h"
#include "contract/reference/reference.h"
#include "contract/report/progress.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

namespace {

namespace fs = std::filesystem;

constexpr int kBadUsage = 2;

struct Options {
    hkc::RunRequest run;
    hkc::ProjectOptions project;
    std::string device = "auto", chips, base, out = ".", head_run;
    std::vector<fs::path> base_oracles;
    std::vector<std::pair<std::string, std::string>> reasons;
    double limit_s = 120;
    bool verify = false;
    std::string file, json; // of verify
    std::uint32_t rerun = 0;
};

int parse(int argc, char** argv, Options& options) {
    options.run.jobs = std::max(1U, std::thread::hardware_concurrency());
    CLI::App app{"Writes receipt.json and receipt.md: gates, controls and audit of a head and of its base."};
    app.footer(
        "Exit status: 0 all as contracted; 1 not so, or a contract change without a reason, or a dirty tree;\n"
        "2 bad usage, no such base, or a bad registry; 3 no device or no toolchain; 130 ended by SIGINT or SIGTERM.");
    app.add_option("--base", options.base, "the git revision that the head is compared with");
    app.add_option("--out", options.out, "the folder of receipt.json and receipt.md")->capture_default_str();
    app.add_option("--reason", options.reasons,
                   "PATTERN WHY: the reason of each contract change whose line matches (*, ?); may be given again")
        ->type_size(2);
    app.add_option("--run", options.head_run,
                   "the head's report, which --json or `merge` wrote: it is taken instead of running the head");
    app.add_option("--device", options.device, "auto takes a GPU if there is one, else the embedded device")
        ->check(CLI::IsMember(&hkc::device_wishes()))
        ->capture_default_str();
    app.add_option("--chip", options.chips, "chips, with commas between, or all; those of the device where not given");
    app.add_option("--timeout", options.limit_s, "seconds that a registration may take on a chip")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    app.add_flag("--thorough", options.run.thorough, "no launch budget");
    app.add_flag("--allow-unchecked", options.run.allow_unchecked, "what could not be asked does not fail the receipt");
    auto* verify = app.add_subcommand("verify", "checks a receipt in a checkout of its head, without a card");
    verify->add_option("receipt", options.file, "receipt.json, or a text that holds receipt.md")->required();
    verify->add_option("--json", options.json,
                       "the receipt that the text belongs to; receipt.json beside it where not "
                       "given");
    verify->add_option("--base", options.base, "the git revision that the receipt's base must be");
    verify->add_flag("--allow-unchecked", options.run.allow_unchecked,
                     "objects that no compiler here builds as they were do not fail it");
    verify->add_option("--rerun", options.rerun, "registrations to run again, chosen by the receipt's hash");
    for (CLI::App* command : {&app, verify}) {
        command->add_option("--root", options.project.root, hkc::kRootHelp);
        command->add_option("--oracles", options.project.oracles, hkc::kOraclesHelp)->allow_extra_args(false);
        command
            ->add_option("--base-oracles", options.base_oracles,
                         "a library of oracles that judges the base; --oracles are the head's alone")
            ->allow_extra_args(false);
        command->add_option("--jobs", options.run.jobs, "child processes at a time")
            ->check(CLI::Range(1U, 1024U))
            ->capture_default_str();
    }
    if (hkc::print_reference(app, argc, argv)) return 0;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : kBadUsage;
    }
    options.verify = verify->parsed();
    return -1;
}

int complain(int status, const std::string& text) {
    fmt::print(stderr, "hip-kernel-contract-receipt: {}\n", text);
    return status;
}

int verify(const Options& options, const hkc::Registry& registry) {
    const bool is_json = fs::path(options.file).extension() == ".json";
    if (is_json && !options.json.empty()) return complain(kBadUsage, "--json belongs to a text, not to a receipt");
    const auto file = pm::read_file(options.file);
    if (!file) return complain(kBadUsage, file.error().text);
    const fs::path beside = fs::path(options.file).parent_path() / "receipt.json";
    const auto json = is_json ? file : pm::read_file(options.json.empty() ? beside : fs::path(options.json));
    if (!json) return complain(kBadUsage, json.error().text + "; --json names the receipt that the text belongs to");

    hkc::receipt::VerifyRequest request;
    if (!options.base.empty()) {
        const auto base = hkc::find_revision(options.run.root, options.base);
        if (!base) return complain(kBadUsage, base.error().text);
        request.base = base->commit;
    }
    request.base_oracles = options.base_oracles;
    request.rerun = options.rerun;
    request.jobs = options.run.jobs;
    hkc::ProgressLine progress;
    pm::catch_interrupts();
    const auto markdown = is_json ? std::nullopt : std::optional<std::string>(*file);
    const auto verdict = hkc::receipt::verify(*json, markdown, registry, request, std::ref(progress));
    progress.clear();
    if (pm::interrupted()) return complain(pm::kInterruptedStatus, "interrupted: the receipt is not verified");
    for (const std::string& line : verdict.did) fmt::print("verified {}\n", line);
    for (const std::string& line : verdict.unverified) fmt::print("unchecked: {}\n", line);
    for (const std::string& fault : verdict.faults) fmt::print("fault: {}\n", fault);
    const std::string unchecked =
        verdict.unverified.empty() ? "" : fmt::format("; {} unchecked", verdict.unverified.size());
    fmt::print("{}: {}{}\n", options.file,
               verdict.faults.empty() ? std::string("true, and all is as contracted")
                                      : fmt::format("{} faults", verdict.faults.size()),
               unchecked);
    return verdict.faults.empty() && (verdict.unverified.empty() || options.run.allow_unchecked) ? 0 : 1;
}

int make(Options& options, const hkc::Registry& registry) {
    if (options.base.empty()) return complain(kBadUsage, "--base is required: the revision to compare with");
    hkc::receipt::MakeRequest request;
    auto base = hkc::find_revision(options.run.root, options.base);
    if (!base) return complain(kBadUsage, base.error().text);
    request.base = std::move(*base);
    request.base_oracles = options.base_oracles;
    for (auto& [pattern, why] : options.reasons) request.reasons.push_back({pattern, why});
    if (!options.head_run.empty()) {
        const auto text = pm::read_file(options.head_run);
        if (!text) return complain(kBadUsage, text.error().text);
        auto run = hkc::read_report(*text);
        if (!run) return complain(kBadUsage, run.error().with(options.head_run).text);
        options.run.chips = run->outcome.chips;
        request.head_run = std::move(*run);
    }
    request.run = options.run;

    hkc::ProgressLine progress;
    pm::catch_interrupts();
    const auto made = hkc::receipt::make_receipt(registry, request, std::ref(progress));
    progress.clear();
    if (const auto* failure = std::get_if<hkc::RunFailure>(&made)) {
        // Whatever an interrupt made fail, the interrupt is the reason.
        if (pm::interrupted()) return complain(pm::kInterruptedStatus, "interrupted: no receipt was written");
        return complain(failure->exit_status, failure->text);
    }
    const auto& receipt = std::get<hkc::receipt::Receipt>(made);
    const std::string json = hkc::receipt::to_json(receipt);
    const std::string markdown = hkc::receipt::to_markdown(receipt, hkc::receipt::seal_of(json));
    const fs::path out = options.out;
    for (const auto& [name, text] : {std::pair{"receipt.json", &json}, std::pair{"receipt.md", &markdown}}) {
        const auto written = pm::write_file_atomically(out / name, *text);
        if (!written) return complain(kBadUsage, written.error().text);
    }
    fmt::print("{}", markdown);
    return receipt.exit_status;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    const int usage = parse(argc, argv, options);
    if (usage >= 0) return usage;
    const auto project = hkc::load_project(options.project);
    if (!project) return complain(kBadUsage, project.error().text);
    if (!project->note.empty()) fmt::print(stderr, "hip-kernel-contract-receipt: {}\n", project->note);
    options.run.root = project->root;
    options.run.device = hkc::device_wishes().at(options.device);
    options.run.chips = pm::split(options.chips, ',');
    options.run.limit = std::chrono::milliseconds(static_cast<long>(options.limit_s * 1000));
    return options.verify ? verify(options, project->registry) : make(options, project->registry);
}
