// The affine stream kernels as two compilers build them, on a shape that no tile divides: no finding, and the values of
// a plain loop.
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace pm::testing {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

constexpr u32 kColumns = 67, kDepth = 192, kGroup = 64;
constexpr std::uint64_t kSeed = 20260709;

struct Tile {
    u32 bits, rows, columns;
};
// Every tile of one width, the widest and the tallest of the others.
constexpr Tile kTiles[] = {{4, 1, 1}, {4, 1, 2}, {4, 1, 4}, {4, 1, 8}, {4, 2, 4}, {4, 4, 2}, {4, 4, 4},
                           {4, 8, 2}, {5, 1, 8}, {5, 8, 2}, {6, 1, 8}, {6, 8, 2}, {8, 1, 8}, {8, 8, 2}};

/// The flag that builds just these.
std::string kernels_flag() {
    std::string flag = "-DKERNELS=";
    for (const Tile& tile : kTiles) flag += fmt::format("TILE({}, {}, {}) ", tile.bits, tile.rows, tile.columns);
    return flag;
}

u16 encode(Format format, double v) { return static_cast<u16>(rounded(format, mpq_class(v), Rounding::kNearestEven)); }
double decode(Format format, u16 v) { return value_of(format, v).get_d(); }

std::vector<double> decoded(Format format, const std::vector<u16>& words) {
    std::vector<double> values;
    for (const u16 word : words) values.push_back(decode(format, word));
    return values;
}

struct Problem {
    u32 rows;
    std::vector<u16> x, scale, bias;
    std::vector<u32> words;
    std::vector<double> y, magnitude; // the exact result, and the sum of the magnitudes of its terms
};

/// Code `at` of rows that end on a word: its bits one by one, so that it does not matter which words they are in.
u32 code_at(const std::vector<u32>& words, u32 bits, u32 at) {
    u32 code = 0;
    for (u32 bit = 0; bit < bits; ++bit) {
        const u32 place = at * bits + bit;
        code |= (words[place / 32] >> place % 32 & 1U) << bit;
    }
    return code;
}

Problem problem_of(Format format, u32 bits, u32 rows) {
    std::mt19937_64 random(kSeed + rows);
    std::uniform_real_distribution<double> value(-1, 1);
    Problem p;
    p.rows = rows;
    for (u32 i = 0; i < rows * kDepth; ++i) p.x.push_back(encode(format, value(random)));
    for (u32 i = 0; i < kColumns * kDepth / kGroup; ++i) {
        p.scale.push_back(encode(format, value(random) * 2 / (1U << bits)));
        p.bias.push_back(encode(format, value(random)));
    }
    for (u32 i = 0; i < kColumns * kDepth * bits / 32; ++i) p.words.push_back(static_cast<u32>(random()));
    std::vector<double> codes;
    for (u32 at = 0; at < kColumns * kDepth; ++at) codes.push_back(code_at(p.words, bits, at));
    const auto xs = decoded(format, p.x), scales = decoded(format, p.scale), biases = decoded(format, p.bias);
    for (u32 row = 0; row < rows; ++row)
        for (u32 column = 0; column < kColumns; ++column) {
            double sum = 0, magnitude = 0;
            for (u32 k = 0; k < kDepth; ++k) {
                const u32 at = column * kDepth + k;
                const double x = xs[row * kDepth + k], code = codes[at], scale = scales[at / kGroup],
                             bias = biases[at / kGroup];
                sum += x * (scale * code + bias);
                magnitude += std::abs(x * scale * code) + std::abs(x * bias);
            }
            p.y.push_back(sum);
            p.magnitude.push_back(magnitude);
        }
    return p;
}

struct Build {
    const char* compiler;
    unsigned chip;
};

class Built : public ::testing::TestWithParam<Build> {
protected:
    Result<std::string> object(const char* source, const std::string& kernels) const {
        return compile_hip(GetParam().compiler, chip().name, HKC_SOURCE_DIR + std::string(source),
                           {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64", kernels});
    }
    const Chip& chip() const { return chips()[GetParam().chip]; }
    Format format() const { return chip().activation == Activation::kFp16 ? kF16 : kBf16; }
};

std::vector<u16> run_tile(Rig& rig, const Problem& p, const std::string& kernel, Tile tile) {
    emu::Allocation* const out = rig.fresh(2 * p.rows * kColumns);
    const auto kernarg = Rig::pack(rig.buffer(p.x), rig.buffer(p.words), rig.buffer(p.scale), rig.buffer(p.bias), out,
                                   p.rows, kColumns, kDepth);
    const u32 across = 4 * tile.columns;
    const emu::Report report = rig.launch(
        kernel, kernarg, {(kColumns + across - 1) / across, (p.rows + tile.rows - 1) / tile.rows, 1}, {128, 1, 1});
    EXPECT_EQ(text_of(report), "") << kernel;
    EXPECT_EQ(emu::Memory::first_undefined(*out, out->address, out->size), 0u) << kernel;
    return words_of<u16>(out);
}

TEST_P(Built, TilesAgreeWithAPlainLoop) {
    if (!installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is not installed";
    const auto bytes = object("/kernels/affine_stream.hip", kernels_flag());
    ASSERT_TRUE(bytes) << bytes.error().text;
    Rig rig(*bytes);
    ASSERT_TRUE(rig.ok());
    const double step = format().mantissa_bits == 7 ? 0x1p-8 : 0x1p-11; // half an ulp of the result, relative
    for (const Tile tile : kTiles) {
        const std::string suffix = fmt::format("w{}_r{}x{}", tile.bits, tile.rows, tile.columns);
        SCOPED_TRACE(suffix);
        // One row more than whole tiles.
        const Problem p = problem_of(format(), tile.bits, tile.rows + 1);
        const auto plain = run_tile(rig, p, "affine_stream_" + suffix, tile);
        const auto fused = run_tile(rig, p, "affine_stream_relu2_" + suffix, tile);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            const double got = decode(format(), plain[i]);
            ASSERT_NEAR(got, p.y[i], 2 * step * std::abs(p.y[i]) + 0x1p-14 * p.magnitude[i]) << i;
            const double positive = std::max(got, 0.0);
            ASSERT_NEAR(decode(format(), fused[i]), positive * positive, 2 * step * positive * positive + 0x1p-24) << i;
        }
        // relu2 of the plain tile's output gives the fused tile's bytes.
        emu::Allocation* const out = rig.fresh(2 * plain.size());
        const auto kernarg = Rig::pack(rig.buffer(plain), out, static_cast<u32>(plain.size()));
        ASSERT_EQ(
            text_of(rig.launch("relu2", kernarg, {(static_cast<u32>(plain.size()) + 2047) / 2048, 1, 1}, {256, 1, 1})),
            "");
        EXPECT_EQ(words_of<u16>(out), fused);
    }
}

TEST_P(Built, TheBuildThatSpillsGivesTheSameBytes) {
    if (!installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is not installed";
    const std::string kernels = "-DKERNELS=TILE(4, 8, 2)";
    const auto bytes = object("/kernels/affine_stream.hip", kernels),
               spilling = object("/controls/affine_stream_spill.hip", kernels);
    ASSERT_TRUE(bytes && spilling);
    Rig rig(*bytes), spilled(*spilling);
    ASSERT_TRUE(rig.ok() && spilled.ok());
    const Tile tile = {4, 8, 2};
    const Problem p = problem_of(format(), tile.bits, 9);
    EXPECT_GT(spilled.object().find_kernel("affine_stream_w4_r8x2")->resources.scratch, 0u);
    EXPECT_EQ(run_tile(rig, p, "affine_stream_w4_r8x2", tile), run_tile(spilled, p, "affine_stream_w4_r8x2", tile));
}

std::vector<Build> builds() {
    std::vector<Build> all;
    for (const char* compiler : {"clang++-22", "clang++-19"})
        for (unsigned chip = 0; chip < chips().size(); ++chip) all.push_back({compiler, chip});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Compilers, Built, ::testing::ValuesIn(builds()), [](const auto& info) {
    return fmt::format("clang{}_{}", std::string_view(info.param.compiler).substr(8), chips()[info.param.chip].name);
});

} // namespace
} // namespace pm::testing
