// The offline audit against the same compiler runs done bare, two at a time; and again from the cache.
//
// Rounds are interleaved, so that a machine that slows down slows both. The medians and their ratio are printed; the
// exit status says only whether everything ran.
#include "contract/oracle/oracle.h"
#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "contract/toolchain/compile.h"
#include "contract/toolchain/subprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr unsigned kJobs = 2;
constexpr int kRounds = 3;
constexpr double kColdGoal = 1.2; // audit over bare
constexpr double kWarmGoal = 1.0; // seconds

using Work = std::vector<hkc::CompileRequest>;

double seconds(const std::function<bool()>& what) {
    const auto begin = std::chrono::steady_clock::now();
    if (!what()) {
        fmt::print(stderr, "audit_bench: a run failed\n");
        std::exit(1);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Every source once a toolchain, chip and flag set, as the audit compiles it, in its order.
Work requests(const hkc::Registry& registry, const std::vector<hkc::Toolchain>& toolchains) {
    Work work;
    for (const hkc::Toolchain& toolchain : toolchains)
        for (const pm::Chip& chip : pm::chips())
            for (const hkc::Kernel& kernel : registry.kernels) {
                const auto& chips = kernel.chips;
                if (!toolchain.spec.builds(chip.name) ||
                    std::find(chips.begin(), chips.end(), chip.name) == chips.end())
                    continue;
                const bool there = std::any_of(work.begin(), work.end(), [&](const hkc::CompileRequest& request) {
                    return request.toolchain == &toolchain && request.chip == &chip &&
                           request.source == kernel.source && request.flags == kernel.flags;
                });
                if (there) continue;
                hkc::CompileRequest request;
                request.toolchain = &toolchain;
                request.chip = &chip;
                request.root = registry.root;
                request.source = kernel.source;
                request.flags = kernel.flags;
                work.push_back(request);
            }
    return work;
}

bool run_bare(const Work& work, const fs::path& folder) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> good{true};
    const auto loop = [&] {
        for (std::size_t i = next.fetch_add(1); i < work.size(); i = next.fetch_add(1)) {
            std::vector<std::string> argv = hkc::compile_command(work[i]);
            argv.insert(argv.end(), {work[i].source, "-o", (folder / std::to_string(i)).string()});
            std::vector<std::string> environment = hkc::compiler_environment();
            // The audit spares hipcc its search for a card, so that is no gain to be counted here.
            environment.insert(environment.end(), {"HIP_PLATFORM=amd", "HCC_AMDGPU_TARGET=" + work[i].chip->name});
            const auto done = hkc::run({argv, work[i].root, environment});
            if (!done || !done->succeeded()) good = false;
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kJobs; ++i) threads.emplace_back(loop);
    threads.clear();
    return good;
}

bool run_audit(const fs::path& root, const fs::path& cache) {
    std::vector<std::string> environment = hkc::compiler_environment();
    environment.push_back("HKC_CACHE_DIR=" + cache.string());
    const auto done = hkc::run(
        {{HKC_BINARY_DIR "/bin/hip-kernel-contract-limits", "--jobs", std::to_string(kJobs)}, root, environment});
    if (done && done->succeeded()) return true;
    fmt::print(stderr, "{}\n", done ? done->out + done->err : done.error().text);
    return false;
}

int bench(const fs::path& root, const fs::path& folder) {
    const auto registry = hkc::load_registry(root, {hkc::oracle_names(), hkc::finding_kinds()});
    const auto specs = hkc::load_toolchains(root);
    if (!registry || !specs) {
        fmt::print(stderr, "audit_bench: {}\n", !registry ? registry.error().text : specs.error().text);
        return 2;
    }
    std::vector<hkc::Toolchain> toolchains;
    for (const hkc::ToolchainSpec& spec : *specs) {
        std::optional<hkc::Toolchain> found = hkc::find_installed(spec, {});
        if (!fs::exists(root / "records" / spec.name)) continue;
        if (found)
            toolchains.push_back(std::move(*found));
        else
            fmt::print("{}\n", hkc::missing_text(spec));
    }
    const Work work = requests(*registry, toolchains);
    const fs::path cache = folder / "cache";
    std::vector<double> bare;
    std::vector<double> cold;
    std::vector<double> warm;
    for (int round = 0; round < kRounds; ++round) {
        bare.push_back(seconds([&] { return run_bare(work, folder); }));
        fs::remove_all(cache);
        cold.push_back(seconds([&] { return run_audit(root, cache); }));
        warm.push_back(seconds([&] { return run_audit(root, cache); }));
    }
    fmt::print("{} compiles, {} at a time, median of {} rounds\n", work.size(), kJobs, kRounds);
    fmt::print("bare compiler runs  {:8.3f} s\n", median(bare));
    fmt::print("audit, cold         {:8.3f} s   {:.2f} of bare (goal: at most {:.1f})\n", median(cold),
               median(cold) / median(bare), kColdGoal);
    fmt::print("audit, warm         {:8.3f} s   {:.2f} of bare (goal: under {:.1f} s)\n", median(warm),
               median(warm) / median(bare), kWarmGoal);
    return 0;
}

} // namespace

int main() {
    std::string name = (fs::temp_directory_path() / "audit-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        fmt::print(stderr, "audit_bench: cannot make {}\n", name);
        return 2;
    }
    const int status = bench(HKC_SOURCE_DIR, name);
    std::error_code ignored;
    fs::remove_all(name, ignored);
    return status;
}
