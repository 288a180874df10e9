// The main job as a user runs it: every registration and control on every chip of the embedded device, with everything
// built. Prints wall time and memory as ratios of what the project promises for two cores.
//
//   main_job_bench [options of hip-kernel-contract]

#include "bench/run_tool.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace {

constexpr double kSeconds = 240;
constexpr double kMebibytes = 1024;
constexpr int kJobs = 2;

/// Every registration and control, but for what the options leave out.
int run_contract(const std::vector<std::string>& options) {
    std::vector<std::string> words{"--root", HKC_SOURCE_DIR, "--device", "embedded", "--jobs", std::to_string(kJobs)};
    words.insert(words.end(), options.begin(), options.end());
    return bench::run_tool("hip-kernel-contract", words);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> options(argv + 1, argv + argc);
    // Once for the compiler cache: the promise is for everything built.
    if (const int status = run_contract({"--gates", "5"}); status != 0) fmt::print("warm-up: exit status {}\n", status);
    const auto start = std::chrono::steady_clock::now();
    const int status = run_contract(options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage usage{};
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    // The largest process times those that run at once: no less than what they hold together.
    const double mebibytes = static_cast<double>(usage.ru_maxrss) / 1024 * (kJobs + 1);
    fmt::print("main job, {} jobs: exit status {}\n", kJobs, status);
    fmt::print("wall time    {:8.1f} s of {:.0f} s      ratio {:.2f}\n", seconds, kSeconds, seconds / kSeconds);
    fmt::print("peak memory  {:8.0f} MiB of {:.0f} MiB ratio {:.2f}\n", mebibytes, kMebibytes, mebibytes / kMebibytes);
    return status;
}
