// The main job as a user runs it: every registration and control on every chip of the embedded device, with everything
// built. Prints wall time and memory as ratios of what the project promises for two cores.
//
//   main_job_bench [options of hip-kernel-contract]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr double kSeconds = 240;
constexpr double kMebibytes = 1024;
constexpr int kJobs = 2;

/// Runs the tool and waits for it; its exit status, or -1.
int run_tool(const std::vector<std::string>& options) {
    std::vector<std::string> words{std::string(HKC_BINARY_DIR) + "/bin/hip-kernel-contract",
                                   "--root",
                                   HKC_SOURCE_DIR,
                                   "--device",
                                   "embedded",
                                   "--jobs",
                                   std::to_string(kJobs)};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> options(argv + 1, argv + argc);
    // Once for the compiler cache: the promise is for everything built.
    if (const int status = run_tool({"--gates", "5"}); status != 0) fmt::print("warm-up: exit status {}\n", status);
    const auto start = std::chrono::steady_clock::now();
    const int status = run_tool(options);
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
