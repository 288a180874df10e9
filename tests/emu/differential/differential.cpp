// Generated functions on the host and on the embedded device of each chip, compared bit for bit.
#include "tests/emu/differential/compare.h"
#include "tests/emu/differential/known_faults.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace pm::testing;

struct Options {
    std::uint64_t seed = 1;
    std::uint32_t functions = 300, first = 0, batch = 25, jobs = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::string> chips, compilers = {"clang++-22", "clang++-19"}, levels = {"-O1", "-O3"};
    std::vector<unsigned> waves = {32};
    std::uint32_t reduce = 3;
    bool print = false, allow_unchecked = false;
};

struct Totals {
    std::mutex mutex;
    std::uint64_t compared = 0, differences = 0, unchecked = 0, instructions = 0, approximate = 0;
    std::uint64_t excused = 0;
    std::set<std::uint32_t> shown;            // functions whose text was printed
    std::set<const KnownFault*> known_faults; // that occurred
};

std::vector<Build> builds_of(const Options& options) {
    std::vector<Build> builds;
    for (const std::string& compiler : options.compilers)
        for (const pm::Chip& chip : pm::chips())
            for (const std::string& level : options.levels)
                for (const unsigned wave : options.waves)
                    if (options.chips.empty() || std::ranges::find(options.chips, chip.name) != options.chips.end())
                        builds.push_back({compiler, &chip, level, wave});
    return builds;
}

void report(const Options& options, const Build& build, std::span<const Function> functions, const Outcome& outcome,
            Totals& totals) {
    std::string text;
    std::uint64_t differences = 0;
    for (const Difference& d : outcome.differences) {
        if (const KnownFault* const known = excuse(known_faults(), options.seed, d.function, build)) {
            const std::scoped_lock lock(totals.mutex);
            ++totals.excused;
            totals.known_faults.insert(known);
            continue;
        }
        ++differences;
        bool show = false, reduce = false;
        {
            const std::scoped_lock lock(totals.mutex);
            reduce = totals.shown.size() < options.reduce;
            show = totals.shown.insert(d.function).second;
        }
        text += fmt::format("function {} of seed {}, {}: {}\n", d.function, options.seed, build.text(), d.text);
        if (show) {
            const auto function = std::ranges::find(functions, d.function, &Function::number);
            text += text_of(reduce ? reduced(build, *function, options.seed) : *function);
        }
        text +=
            fmt::format("again: --seed {} --first {} --functions 1 --chips {} --compilers {} --levels={} --waves {}\n",
                        options.seed, d.function, build.chip->name, build.compiler, build.level, build.wave);
    }
    for (const std::string& u : outcome.unchecked)
        text += fmt::format("unchecked, seed {}, {}: {}\n", options.seed, build.text(), u);
    const std::scoped_lock lock(totals.mutex);
    totals.compared += outcome.agreed + outcome.differences.size();
    totals.differences += differences;
    totals.unchecked += outcome.unchecked.size();
    totals.instructions += outcome.instructions;
    totals.approximate += outcome.approximate;
    fmt::print("{}", text);
    std::fflush(stdout);
}

void check_batch(const Options& options, const std::vector<Build>& builds, std::uint32_t first, std::uint32_t count,
                 Totals& totals) {
    std::vector<Function> functions;
    for (std::uint32_t i = 0; i < count; ++i) functions.push_back(generate(options.seed, first + i));
    for (const std::string& compiler : options.compilers) {
        const auto host = host_outputs(compiler, functions, options.seed);
        if (!host) {
            const std::scoped_lock lock(totals.mutex);
            totals.unchecked += count;
            fmt::print("unchecked, seed {}, functions {} to {}, {} for the host: {}\n", options.seed, first,
                       first + count - 1, compiler, host.error().text);
            continue;
        }
        for (const Build& build : builds)
            if (build.compiler == compiler)
                report(options, build, functions, compare(build, functions, options.seed, *host), totals);
    }
}

// Entries that a run should have met and did not. They count as differences.
std::uint64_t print_stale(const Options& options, const std::vector<Build>& builds, const Totals& totals) {
    std::uint64_t stale = 0;
    for (const KnownFault& k : known_faults()) {
        if (k.seed != options.seed || k.function < options.first || k.function - options.first >= options.functions)
            continue;
        const bool built = std::ranges::any_of(builds, [&](const Build& b) {
            return excuse({&k, 1}, k.seed, k.function, b) != nullptr;
        });
        if (!built || totals.known_faults.contains(&k)) continue;
        ++stale;
        fmt::print("function {} of seed {}, {} {}: the known fault no longer occurs: {}\n", k.function, k.seed,
                   k.compiler, k.level, k.reason);
    }
    return stale;
}

int run(const Options& options) {
    if (options.print) {
        std::vector<Function> functions;
        for (std::uint32_t i = 0; i < options.functions; ++i)
            functions.push_back(generate(options.seed, options.first + i));
        fmt::print("{}", source_of(functions));
        return 0;
    }
    const std::vector<Build> builds = builds_of(options);
    Totals totals;
    std::atomic<std::uint32_t> next = 0;
    const auto work = [&] {
        for (std::uint32_t at; (at = next.fetch_add(options.batch)) < options.functions;)
            check_batch(options, builds, options.first + at, std::min(options.batch, options.functions - at), totals);
    };
    std::vector<std::thread> workers;
    for (std::uint32_t i = 0; i < options.jobs; ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
    const std::uint64_t stale = print_stale(options, builds, totals);
    fmt::print("seed {}: {} functions from {}, {} builds of each; {} compared, {} differ, {} differ by known faults of "
               "a compiler, {} unchecked; {} wave instructions, {} of them approximate\n",
               options.seed, options.functions, options.first, builds.size(), totals.compared, totals.differences,
               totals.excused, totals.unchecked, totals.instructions, totals.approximate);
    if (totals.differences + stale != 0) return 1;
    return (totals.unchecked != 0 && !options.allow_unchecked) || totals.compared == 0 ? 3 : 0;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Compares generated functions on the host and on the embedded device, bit for bit. Exit status: 0 all agree, "
        "1 one differs, 2 bad usage, 3 something was not compared.");
    app.add_option("--seed", options.seed, "Of functions and inputs");
    app.add_option("--functions", options.functions, "How many")->check(CLI::PositiveNumber);
    app.add_option("--first", options.first, "The number of the first one");
    app.add_option("--batch", options.batch, "Functions a translation unit")->check(CLI::PositiveNumber);
    app.add_option("--jobs", options.jobs, "Translation units at once")->check(CLI::PositiveNumber);
    app.add_option("--chips", options.chips, "All of chips.toml unless given")->delimiter(',');
    app.add_option("--compilers", options.compilers, "Programs")->delimiter(',');
    app.add_option("--levels", options.levels, "Optimisation levels")->delimiter(',');
    app.add_option("--waves", options.waves, "Lanes of a wave: 32, 64 or both")
        ->delimiter(',')
        ->check(CLI::IsMember({32u, 64u}));
    app.add_option("--reduce", options.reduce,
                   "How many functions that differ are made smaller before they are printed");
    app.add_flag("--allow-unchecked", options.allow_unchecked,
                 "What was not compared is counted and printed, and no failure");
    app.add_flag("--print", options.print, "Print the source of both sides and end");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::Error& e) {
        app.exit(e);
        return 2;
    }
    return run(options);
}
