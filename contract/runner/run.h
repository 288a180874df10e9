// A whole run: compile, one child process a registration or control and chip, judge. What hip-kernel-contract does
// between its options and its output.
#pragma once

#include "contract/runner/choose.h"
#include "contract/runner/judge.h"
#include "contract/runner/outcome_json.h"
#include "contract/toolchain/toolchain.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace hkc {

struct RunRequest {
    std::filesystem::path root; // holds registry/, records/, toolchains.toml
    DeviceWish device = DeviceWish::kAuto;
    std::vector<std::string> chips; // empty: the registered chips that the device has
    std::string filter = "*";
    std::vector<std::uint32_t> gates{1, 2, 3, 4, 5};
    std::string toolchain; // empty: the pinned one
    unsigned jobs = 1;
    std::chrono::milliseconds limit{120'000}; // a registration on a chip
    std::uint64_t seed = 1;
    bool thorough = false;
    bool allow_unchecked = false; // for the report; the verdicts do not depend on it
    Shard shard;                  // the part of the selected tasks that is run
};

/// The exit statuses of a run that could not be made.
inline constexpr int kBadInput = 2;
inline constexpr int kNoDeviceOrToolchain = 3;

struct RunFailure {
    int exit_status = kBadInput;
    std::string text;
};

struct RunReport {
    RunOutcome outcome;
    RunDescription description;
    std::vector<std::string> warnings; // for a person: a compiler that is not the pinned one, shapes that gate 2 lacks
    bool interrupted = false;          // what was not finished is unchecked, for that reason; no run to allow it
};

/// Called as the run goes on: what it does, how much of it is done.
using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t of)>;

/// What a request selects, before any device is asked.
struct Selection {
    const ToolchainSpec* toolchain = nullptr; // of the list that was given
    std::vector<std::string> chips;
    std::vector<Task> tasks; // at least one
};

/// Error: a toolchain or chip that is not there, with the nearest name, or a filter that selects nothing.
pm::Result<Selection> select(const Registry& registry, const std::vector<ToolchainSpec>& toolchains,
                             const RunRequest& request);

/// What run_contracts() would say before any gate: description, evidence and certificates, with everything built or
/// taken from the cache. No device is asked: the request's wish says which kind is meant, and its library stays empty.
std::variant<RunReport, RunFailure> build_contracts(const Registry& registry, const RunRequest& request,
                                                    const Progress& progress);

/// Where this process is interrupted (pm::catch_interrupts), children and compilers are ended, and the report holds
/// what is finished. Failure: pm::kInterruptedStatus where nothing had begun yet.
std::variant<RunReport, RunFailure> run_contracts(const Registry& registry, const RunRequest& request,
                                                  const Progress& progress);

} // namespace hkc
