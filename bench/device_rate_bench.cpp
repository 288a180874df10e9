// How fast the embedded device executes, all checks on: three workloads on one core and on two, each beside the same
// work built natively, and the time to load a large kernel.
//
//   build/bin/device_rate_bench
//
// The last lines give the ratios. All sides run in the same process, so that a noisy machine hits each of them.
#include "bench/native_twins.h"
#include "peacemaker/emu/launch.h"
#include "peacemaker/support/file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace pm;

constexpr int kTurns = 1 << 14, kLoops = 64;           // fma_loop: turns of a workgroup, workgroups
constexpr float kA = 0.999f, kB = 0.001f;              // its factors
constexpr int kSide = 192;                             // matmul: rows of a square matrix
constexpr int kColumns = 4096, kRows = 128;            // dot2_stream: halves of a row, rows
constexpr std::uint64_t kStraightInstructions = 20000; // of the large kernel, at least

/// Argument bytes of a kernel, packed as C packs them.
class Arguments {
public:
    template <typename T>
    void add(T value) {
        bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof value);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

struct Workload {
    std::string name, kernel;
    std::array<std::uint32_t, 3> grid, block;
    double fmas;                    // of the whole launch, all lanes
    std::vector<std::string> input; // bytes of each input buffer, in the order of the arguments
    std::size_t output_words;
    std::vector<std::uint32_t> scalars; // after the buffers
    std::function<void(float*)> native;
};

template <typename T>
std::string as_bytes(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::vector<float> some_floats(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
    return values;
}

std::vector<std::uint16_t> some_halves(std::size_t count) {
    std::vector<std::uint16_t> values(count);
    std::uint32_t state = 1;
    for (std::uint16_t& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::uint16_t>(0x3000u | (state >> 16 & 0x83ffu)); // of magnitudes from 1/8 to 1/4
    }
    return values;
}

std::vector<Workload> workloads() {
    constexpr std::uint32_t tiles = kSide / 16;
    const auto a = some_floats(kSide * kSide), b = some_floats(kSide * kSide);
    const auto w = some_halves(std::size_t{kColumns} * kRows), x = some_halves(kColumns);
    return {
        {"fma",
         "fma_loop",
         {kLoops, 1, 1},
         {32, 1, 1},
         2.0 * 32 * kTurns * kLoops,
         {},
         32 * kLoops,
         {std::bit_cast<std::uint32_t>(kA), std::bit_cast<std::uint32_t>(kB), kTurns},
         [](float* out) {
             for (int i = 0; i < kLoops; ++i) fma_loop_native(out + 32 * i, kA, kB, kTurns);
         }},
        {"matmul",
         "matmul",
         {tiles, tiles, 1},
         {256, 1, 1},
         double{kSide} * kSide * kSide,
         {as_bytes(a), as_bytes(b)},
         kSide * kSide,
         {kSide},
         [a, b](float* out) { matmul_native(a.data(), b.data(), out, kSide); }},
        {"dot2",
         "dot2_stream",
         {kRows, 1, 1},
         {32, 1, 1},
         double{kColumns} * kRows,
         {as_bytes(w), as_bytes(x)},
         32 * kRows,
         {kColumns},
         [w, x](float* out) { dot2_stream_native(w.data(), x.data(), out, kColumns, kRows); }},
    };
}

struct Loaded {
    emu::Memory memory;
    std::shared_ptr<emu::Module> module;
};

Result<std::string> object_bytes(const std::string& chip) {
    return read_file(std::string(HKC_BENCH_OBJECTS) + "/device_rate." + chip + ".co");
}

Result<std::unique_ptr<Loaded>> load(const std::string& chip, const std::string& bytes) {
    auto object = parse_code_object(bytes, chip);
    if (!object) return object.error();
    auto loaded = std::make_unique<Loaded>();
    auto module = emu::load_module(std::move(*object), loaded->memory);
    if (!module) return module.error();
    loaded->module = *module;
    return loaded;
}

void emulated(benchmark::State& state, const Workload& work, const std::string& chip, std::uint32_t threads) {
    const auto bytes = object_bytes(chip);
    auto loaded = bytes ? load(chip, *bytes) : Result<std::unique_ptr<Loaded>>(bytes.error());
    if (!loaded) {
        state.SkipWithError(loaded.error().text.c_str());
        return;
    }
    emu::Memory& memory = (*loaded)->memory;
    Arguments arguments;
    const auto* const out = memory.allocate(work.output_words * sizeof(float));
    for (const std::string& input : work.input) {
        emu::Allocation* const buffer = memory.allocate(input.size());
        std::memcpy(buffer->data, input.data(), input.size());
        emu::Memory::set_defined(*buffer, buffer->address, input.size());
        emu::Memory::settle(*buffer);
        arguments.add(buffer->address);
    }
    arguments.add(out->address);
    for (const std::uint32_t scalar : work.scalars) arguments.add(scalar);
    emu::LaunchRequest request;
    request.kernel = work.kernel;
    request.grid = work.grid;
    request.block = work.block;
    request.kernarg = arguments.bytes();
    request.threads = threads;
    std::uint64_t instructions = 0, lane_operations = 0;
    for (auto _ : state) {
        const auto report = emu::launch(memory, *(*loaded)->module, request);
        if (!report || !report->findings.empty() || !report->unsupported.empty()) {
            state.SkipWithError("the launch failed or had findings");
            return;
        }
        instructions = report->instructions;
        lane_operations = report->lane_operations;
    }
    std::vector<float> host(work.output_words);
    work.native(host.data());
    if (std::memcmp(out->data, host.data(), host.size() * sizeof(float)) != 0)
        state.SkipWithError("device and host disagree");
    const auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["fma/s"] = benchmark::Counter(work.fmas, rate);
    state.counters["instructions/s"] = benchmark::Counter(static_cast<double>(instructions), rate);
    state.counters["lane_operations/s"] = benchmark::Counter(static_cast<double>(lane_operations), rate);
}

void native(benchmark::State& state, const Workload& work) {
    std::vector<float> out(work.output_words);
    for (auto _ : state) {
        work.native(out.data());
        benchmark::DoNotOptimize(out.data());
    }
    state.counters["fma/s"] = benchmark::Counter(work.fmas, benchmark::Counter::kIsIterationInvariantRate);
}

// Parses, loads and lifts the large kernel, and runs nothing but it once: one wave.
void start_up(benchmark::State& state, const std::string& chip) {
    const auto bytes = object_bytes(chip);
    if (!bytes) {
        state.SkipWithError(bytes.error().text.c_str());
        return;
    }
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        auto loaded = load(chip, *bytes);
        if (!loaded) {
            state.SkipWithError(loaded.error().text.c_str());
            return;
        }
        Arguments arguments;
        arguments.add((*loaded)->memory.allocate(32 * sizeof(float))->address);
        arguments.add(std::uint32_t{3});
        emu::LaunchRequest request;
        request.kernel = "straight";
        request.block = {32, 1, 1};
        request.kernarg = arguments.bytes();
        request.threads = 1;
        const auto report = emu::launch((*loaded)->memory, *(*loaded)->module, request);
        if (!report || !report->unsupported.empty()) {
            state.SkipWithError("the launch failed");
            return;
        }
        instructions = report->instructions;
    }
    if (instructions < kStraightInstructions) state.SkipWithError("the kernel is not as large as it should be");
    state.counters["instructions"] = static_cast<double>(instructions);
}

// Prints as usual and keeps what the ratios need.
class Rates : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.error_occurred) failed = true;
            if (const auto c = run.counters.find("fma/s"); c != run.counters.end())
                rates[run.run_name.function_name] = c->second.value;
            seconds[run.run_name.function_name] = run.GetAdjustedRealTime() / 1e9;
        }
        ConsoleReporter::ReportRuns(runs);
    }
    std::map<std::string, double> rates, seconds;
    bool failed = false;
};

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    const std::vector<Workload> all = workloads();
    for (const Workload& work : all) {
        benchmark::RegisterBenchmark(("native/" + work.name).c_str(),
                                     [&work](benchmark::State& s) { native(s, work); });
        for (const Chip& chip : chips())
            for (const std::uint32_t threads : {1u, 2u})
                benchmark::RegisterBenchmark(
                    fmt::format("{}/{}/{}", work.name, chip.name, threads).c_str(),
                    [&work, name = chip.name, threads](benchmark::State& s) { emulated(s, work, name, threads); })
                    ->UseRealTime();
    }
    for (const Chip& chip : chips())
        benchmark::RegisterBenchmark(("start-up/" + chip.name).c_str(),
                                     [name = chip.name](benchmark::State& s) { start_up(s, name); });
    Rates reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    const bool fma = (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0;
    if (!fma) fmt::print("this host has no FMA: every one is computed by the C library, bit for bit the same\n");
    for (const Workload& work : all)
        for (const Chip& chip : chips()) {
            const double one = reporter.rates[fmt::format("{}/{}/1", work.name, chip.name)];
            const double two = reporter.rates[fmt::format("{}/{}/2", work.name, chip.name)];
            const double host = reporter.rates["native/" + work.name];
            if (one > 0 && two > 0 && host > 0)
                fmt::print("{} {}: {:.2f}e9 lane-FMA/s on one core, {:.2f} times that on two; {:.2f}e9 native, ratio "
                           "{:.4f}\n",
                           work.name, chip.name, one / 1e9, two / one, host / 1e9, one / host);
        }
    for (const Chip& chip : chips())
        if (const double seconds = reporter.seconds["start-up/" + chip.name]; seconds > 0)
            fmt::print("start-up {}: {:.0f} ms of 150 ms\n", chip.name, seconds * 1e3);
    return reporter.failed ? 1 : 0;
}
