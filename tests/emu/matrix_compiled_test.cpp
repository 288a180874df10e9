// Matrix products that a compiler built from its builtins, against the host's. All numbers are small integers, so that
// every order of summation is exact.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i8 = std::int8_t;

constexpr u32 kSide = 16;

using Build = std::tuple<std::string, std::string>; // chip, optimisation

/// Rows of `columns` small integers, different enough that no two places can be exchanged unseen.
std::vector<int> numbers(u32 columns, int seed, int least, int most) {
    std::vector<int> all(static_cast<std::size_t>(kSide) * columns);
    u32 state = 12345u + static_cast<u32>(seed);
    for (int& v : all) {
        state = state * 1664525u + 1013904223u;
        v = least + static_cast<int>((state >> 16) % static_cast<u32>(most - least + 1));
    }
    return all;
}

/// c + a (16 x k) times b (k x 16).
std::vector<int> product(const std::vector<int>& a, const std::vector<int>& b, const std::vector<int>& c, u32 k) {
    std::vector<int> d = c;
    for (u32 i = 0; i < kSide; ++i)
        for (u32 j = 0; j < kSide; ++j)
            for (u32 n = 0; n < k; ++n) d[kSide * i + j] += a[k * i + n] * b[kSide * n + j];
    return d;
}

u16 half(int v) { return static_cast<u16>(__builtin_bit_cast(u16, static_cast<_Float16>(v))); }
u16 brain(int v) { return static_cast<u16>(__builtin_bit_cast(u32, static_cast<float>(v)) >> 16); }

template <typename T, typename F>
std::vector<T> as(const std::vector<int>& v, F convert) {
    std::vector<T> all;
    for (const int x : v) all.push_back(static_cast<T>(convert(x)));
    return all;
}
float real(int v) { return static_cast<float>(v); }
int same(int v) { return v; }

class MatrixCompiled : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        const auto& [chip, level] = GetParam();
        const std::string source = std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/matrix.hip";
        const auto& object = compiled_hip("clang++-22", chip, source, {"-std=c++20", level});
        ASSERT_TRUE(object) << object.error().text;
        rig_ = std::make_unique<Rig>(*object);
        ASSERT_TRUE(rig_->ok());
    }

    // The tile in C's place afterwards.
    template <typename T, typename A, typename B>
    std::vector<T> run(const char* kernel, const std::vector<A>& a, const std::vector<B>& b, const std::vector<T>& c) {
        emu::Allocation* const d = rig_->buffer(c);
        EXPECT_EQ(text_of(rig_->launch(kernel, Rig::pack(rig_->buffer(a), rig_->buffer(b), d))), "") << kernel;
        return words_of<T>(d);
    }
    bool split() const { return std::get<0>(GetParam()) == "gfx1201"; }

    const std::vector<int> a_ = numbers(kSide, 1, -9, 9), b_ = numbers(kSide, 2, -9, 9),
                           c_ = numbers(kSide, 3, -99, 99);
    std::unique_ptr<Rig> rig_;
};

TEST_P(MatrixCompiled, HalvesIntoFloats) {
    EXPECT_EQ(run("multiply_f16", as<u16>(a_, half), as<u16>(b_, half), as<float>(c_, real)),
              as<float>(product(a_, b_, c_, kSide), real));
}

TEST_P(MatrixCompiled, BrainHalvesIntoFloats) {
    EXPECT_EQ(run("multiply_bf16", as<u16>(a_, brain), as<u16>(b_, brain), as<float>(c_, real)),
              as<float>(product(a_, b_, c_, kSide), real));
}

TEST_P(MatrixCompiled, HalvesIntoHalves) {
    EXPECT_EQ(run("multiply_halves", as<u16>(a_, half), as<u16>(b_, half), as<u16>(c_, half)),
              as<u16>(product(a_, b_, c_, kSide), half));
}

TEST_P(MatrixCompiled, BytesIntoIntegers) {
    const std::vector<int> a = numbers(kSide, 4, -128, 127), b = numbers(kSide, 5, 0, 255);
    EXPECT_EQ(run("multiply_bytes", as<i8>(a, same), as<u8>(b, same), as<int>(c_, same)), product(a, b, c_, kSide));
}

TEST_P(MatrixCompiled, BytesOfFloatsIntoFloats) {
    if (!split()) GTEST_SKIP() << "gfx12 alone";
    EXPECT_EQ(run("multiply_fp8", as<float>(a_, real), as<float>(b_, real), as<float>(c_, real)),
              as<float>(product(a_, b_, c_, kSide), real));
}

TEST_P(MatrixCompiled, SparseHalvesIntoFloats) {
    if (!split()) GTEST_SKIP() << "gfx12 alone";
    constexpr u32 kDepth = 32;
    std::vector<int> a = numbers(kDepth, 6, 1, 9);
    for (u32 at = 0; at < a.size(); at += 4) {
        constexpr u32 kPairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const auto& zeros = kPairs[(at / 4 * 5 + at / 64) % 6];
        a[at + zeros[0]] = a[at + zeros[1]] = 0;
    }
    std::vector<int> b = numbers(kDepth, 7, -9, 9);
    EXPECT_EQ(run("multiply_sparse", as<u16>(a, half), as<u16>(b, half), as<float>(c_, real)),
              as<float>(product(a, b, c_, kDepth), real));
}

INSTANTIATE_TEST_SUITE_P(Builds, MatrixCompiled,
                         ::testing::Combine(::testing::Values("gfx1100", "gfx1151", "gfx1201"),
                                            ::testing::Values("-O0", "-O3")),
                         [](const auto& info) {
                             return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).substr(1));
                         });

} // namespace
} // namespace pm::testing
