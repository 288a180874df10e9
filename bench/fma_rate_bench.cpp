// How many lane-FMAs a second the embedded device executes on one core, with all checks on, beside the same loop built
// natively.
//
//   build/bin/fma_rate_bench
//
// The last lines give the ratio for each chip. Both sides run in the same process, so that a noisy machine hits both.
#include "bench/fma_native.h"
#include "peacemaker/emu/launch.h"
#include "peacemaker/support/file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

namespace {

using namespace pm;

constexpr int kTurns = 1 << 20;
constexpr float kA = 0.999f, kB = 0.001f;
constexpr double kLaneFmas = 2.0 * 32.0 * kTurns;

struct Loaded {
    emu::Memory memory;
    std::shared_ptr<emu::Module> module;
    emu::Allocation* out = nullptr;
};

Result<std::unique_ptr<Loaded>> load(const std::string& chip) {
    const std::string path = std::string(HKC_BENCH_OBJECTS) + "/fma_loop." + chip + ".co";
    auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    auto object = parse_code_object(*bytes, path);
    if (!object) return object.error();
    auto loaded = std::make_unique<Loaded>();
    auto module = emu::load_module(std::move(*object), loaded->memory);
    if (!module) return module.error();
    loaded->module = *module;
    loaded->out = loaded->memory.allocate(32 * sizeof(float));
    return loaded;
}

void emulated(benchmark::State& state, const std::string& chip) {
    auto loaded = load(chip);
    if (!loaded) {
        state.SkipWithError(loaded.error().text.c_str());
        return;
    }
    struct Arguments {
        std::uint64_t out;
        float a, b;
        int turns;
    } arguments{(*loaded)->out->address, kA, kB, kTurns};
    emu::LaunchRequest request;
    request.kernel = "fma_loop";
    request.block = {32, 1, 1};
    request.kernarg = std::as_bytes(std::span(&arguments, 1)).first(20);
    request.threads = 1;
    for (auto _ : state) {
        const auto report = emu::launch((*loaded)->memory, *(*loaded)->module, request);
        if (!report || !report->findings.empty() || !report->unsupported.empty()) {
            state.SkipWithError("the launch failed or had findings");
            return;
        }
    }
    float device[32], host[32];
    std::memcpy(device, (*loaded)->out->data, sizeof device);
    fma_loop_native(host, kA, kB, kTurns);
    if (std::memcmp(device, host, sizeof host) != 0) state.SkipWithError("device and host disagree");
    state.counters["lane_fma/s"] = benchmark::Counter(kLaneFmas, benchmark::Counter::kIsIterationInvariantRate);
}

void native(benchmark::State& state) {
    float out[32];
    for (auto _ : state) {
        fma_loop_native(out, kA, kB, kTurns);
        benchmark::DoNotOptimize(out);
    }
    state.counters["lane_fma/s"] = benchmark::Counter(kLaneFmas, benchmark::Counter::kIsIterationInvariantRate);
}

// Prints as usual and keeps each rate for the ratio.
class Rates : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs)
            if (const auto c = run.counters.find("lane_fma/s"); c != run.counters.end())
                rates[run.run_name.function_name] = c->second.value;
        ConsoleReporter::ReportRuns(runs);
    }
    std::map<std::string, double> rates;
};

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    for (const Chip& chip : chips())
        benchmark::RegisterBenchmark(chip.name.c_str(), [name = chip.name](benchmark::State& s) { emulated(s, name); });
    benchmark::RegisterBenchmark("native", native);
    Rates reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    const double host = reporter.rates["native"];
    for (const Chip& chip : chips())
        if (const double rate = reporter.rates[chip.name]; rate > 0)
            fmt::print("{}: {:.2f}e9 lane-FMA/s emulated, {:.2f}e9 native, ratio {:.4f}\n", chip.name, rate / 1e9,
                       host / 1e9, rate / host);
    return reporter.rates.size() == chips().size() + 1 ? 0 : 1;
}
