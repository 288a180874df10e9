// lift and certify, one behind the other on one core, against `llvm-objdump-22 -d` on the same objects.
//
// Each measurement is a process of its own from start to end, so that both sides set up LLVM; what counts is the time
// of the processor, which a busy machine changes least. Rounds are interleaved and medians are printed; the exit status
// says only whether everything ran.
#include "contract/toolchain/compile.h"
#include "peacemaker/certify/certify.h"
#include "peacemaker/lift/file.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 3;
constexpr double kGoal = 3; // instructions a second, over objdump's
constexpr const char* kSource = "kernels/affine_stream.hip";
constexpr const char* kOnce = "--once"; // how this program is told to be the measured one

std::vector<std::string> flags() { return {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64"}; }

/// Lifts and certifies one file. Exit status 0 where every byte came back and every kernel is certified.
int once(const char* path) {
    const auto bytes = pm::read_file(path);
    if (!bytes) return 2;
    const auto file = pm::lift::lift(*bytes);
    const auto object = pm::parse_code_object(*bytes, path);
    if (!file || !object || !file->forms[0]) return 2;
    const auto certificate = pm::certify::certify(*object, *file->forms[0]);
    if (!certificate) return 2;
    const bool certified = std::all_of(
        certificate->kernels.begin(), certificate->kernels.end(),
        [](const pm::certify::KernelCertificate& one) { return one.verdict == pm::certify::Verdict::kCertified; });
    return file->unchecked.empty() && certified ? 0 : 1;
}

struct Cost {
    double seconds = 0; // of the processor
    double mib = 0;     // the most at once
};

/// Nothing where the program fails. What it prints is thrown away.
std::optional<Cost> cost_of(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(127);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return std::nullopt;
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return Cost{seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Many kernels with long loops, each other constants, stores through LDS and barriers.
std::string large_source() {
    std::string out =
        "#define SHARED __attribute__((shared))\n"
        "template <int N> __attribute__((device)) inline void work(const float* in, float* out, int n) {\n"
        "    static SHARED float tile[256];\n"
        "    const int id = __builtin_amdgcn_workitem_id_x();\n"
        "    float sums[8] = {};\n"
        "    for (int i = 0; i < n; ++i) {\n"
        "        tile[id & 255] = in[i * 256 + (id & 255)];\n"
        "        __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"
        "        __builtin_amdgcn_s_barrier();\n"
        "        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"
        "#pragma clang loop unroll(full)\n"
        "        for (int k = 0; k < 96; ++k)\n"
        "            sums[k % 8] = sums[(k + N) % 8] * (k + N + 0.5f) + tile[(k * N + id) & 255];\n"
        "        __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"
        "        __builtin_amdgcn_s_barrier();\n"
        "        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"
        "    }\n"
        "    for (int k = 0; k < 8; ++k) out[k * 256 + id] = sums[k];\n"
        "}\n";
    constexpr int kKernels = 96;
    for (int i = 0; i < kKernels; ++i)
        out += fmt::format("extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(256, 256))) void "
                           "k{0}(const float* in, float* out, int n) {{ work<{0}>(in, out, n); }}\n",
                           i);
    return out;
}

/// The objects' files. Error: no compiler, or what it says.
pm::Result<std::vector<std::pair<std::string, fs::path>>> objects(const fs::path& folder) {
    const auto specs = hkc::load_toolchains(HKC_SOURCE_DIR);
    if (!specs) return specs.error();
    const fs::path cache = hkc::default_cache_dir(HKC_SOURCE_DIR);
    const auto toolchain = hkc::find_installed(*hkc::pinned_toolchain(*specs), cache);
    if (!toolchain) return pm::Error{hkc::missing_text(*hkc::pinned_toolchain(*specs))};
    if (const auto written = pm::write_file_atomically(folder / "large.hip", large_source()); !written)
        return written.error();
    std::vector<hkc::CompileRequest> requests;
    for (const pm::Chip& chip : pm::chips())
        requests.push_back({&*toolchain, &chip, HKC_SOURCE_DIR, kSource, flags(), {}, {}});
    requests.push_back({&*toolchain, &pm::chips().back(), folder, "large.hip", flags(), {}, {}});
    const auto built = hkc::compile_all(requests, cache, 2);
    std::vector<std::pair<std::string, fs::path>> out;
    for (std::size_t i = 0; i < built.size(); ++i) {
        if (!built[i]) return built[i].error();
        out.emplace_back(fmt::format("{} {}", fs::path(requests[i].source).stem().string(), requests[i].chip->name),
                         built[i]->object);
    }
    return out;
}

std::size_t instructions_in(const fs::path& path) {
    const auto bytes = pm::read_file(path);
    const auto file = bytes ? pm::lift::lift(*bytes) : pm::Result<pm::lift::File>(bytes.error());
    std::size_t count = 0;
    if (!file) return count;
    for (const pm::lift::Part& part : file->parts)
        if (const auto* function = std::get_if<pm::lift::Function>(&part.content))
            count += function->instructions.size();
    return count;
}

int bench(const fs::path& folder) {
    const auto all = objects(folder);
    if (!all) {
        fmt::print(stderr, "lift_bench: {}\n", all.error().text);
        return 2;
    }
    fmt::print("{:<24}{:>14}{:>10}{:>16}{:>16}{:>8}{:>12}\n", "object", "instructions", "MiB", "objdump / s",
               "ours / s", "ratio", "peak MiB");
    for (const auto& [name, path] : *all) {
        std::vector<double> theirs, ours;
        double peak = 0;
        for (int round = 0; round < kRounds; ++round) {
            const auto one = cost_of({"llvm-objdump-22", "-d", path.string()});
            const auto other = cost_of({"/proc/self/exe", kOnce, path.string()});
            if (!one || !other) {
                fmt::print(stderr, "lift_bench: {} of {} failed\n", one ? "lift and certify" : "objdump", name);
                return 1;
            }
            theirs.push_back(one->seconds);
            ours.push_back(other->seconds);
            peak = std::max(peak, other->mib);
        }
        const auto count = static_cast<double>(instructions_in(path));
        fmt::print("{:<24}{:>14.0f}{:>10.2f}{:>16.0f}{:>16.0f}{:>8.2f}{:>12.0f}\n", name, count,
                   static_cast<double>(fs::file_size(path)) / (1 << 20), count / median(theirs), count / median(ours),
                   median(theirs) / median(ours), peak);
    }
    fmt::print("goal: a ratio of at least {:.0f}\n", kGoal);
    return 0;
}

} // namespace

int main(int count, char** words) {
    if (count == 3 && std::string_view(words[1]) == kOnce) return once(words[2]);
    std::string name = (fs::temp_directory_path() / "lift-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        fmt::print(stderr, "lift_bench: cannot make {}\n", name);
        return 2;
    }
    const int status = bench(name);
    std::error_code ignored;
    fs::remove_all(name, ignored);
    return status;
}
