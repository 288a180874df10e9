// Kernels that know the size of their wave, built for 32 and 64 lanes, optimised and not: results as the host computes
// them, and no finding.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Two waves and a part of one, or four.
constexpr u32 kItems = 100;

/// Chip, compiler, optimisation, lanes of a wave.
using Build = std::tuple<unsigned, std::string, std::string, u32>;

class CompiledWaves : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        const auto& [chip, compiler, level, wave] = GetParam();
        const auto& object = compiled_hip(
            "clang++-" + compiler, chips()[chip].name, std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/waves.hip",
            {"-std=c++20", "-ffp-contract=off", level, wave == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
             fmt::format("-DWAVE={}", wave)});
        ASSERT_TRUE(object) << object.error().text;
        rig_ = std::make_unique<Rig>(*object);
        ASSERT_TRUE(rig_->ok());
        wave_ = wave;
        for (u32 i = 0; i < kItems; ++i) in_.push_back(i * i % 251 + i % 3);
    }

    // Expects no finding.
    void run(const char* kernel, const std::vector<std::byte>& kernarg, u32 items = kItems) {
        EXPECT_EQ(rig_->object().find_kernel(kernel)->resources.wave, wave_);
        EXPECT_EQ(text_of(rig_->launch(kernel, kernarg, {1, 1, 1}, {items, 1, 1})), "") << kernel;
    }

    // Calls f(first item, the items of a wave).
    template <typename F>
    void for_each_wave(F f) const {
        for (u32 first = 0; first < kItems; first += wave_) f(first, std::min(wave_, kItems - first));
    }

    std::unique_ptr<Rig> rig_;
    u32 wave_ = 0;
    std::vector<u32> in_;
};

TEST_P(CompiledWaves, Ballots) {
    emu::Allocation* const masks = rig_->fresh(8 * kItems);
    emu::Allocation* const before = rig_->fresh(4 * kItems);
    run("ballots", Rig::pack(rig_->buffer(in_), masks, before));
    std::vector<u64> want_masks;
    std::vector<u32> want_before;
    for_each_wave([&](u32 first, u32 items) {
        u64 odd = 0, threes = 0;
        for (u32 i = 0; i < items; ++i) {
            want_before.push_back(static_cast<u32>(std::popcount(odd)));
            if (in_[first + i] % 2 == 1) odd |= u64{1} << i;
            if (in_[first + i] % 3 == 0) threes |= u64{1} << i;
        }
        for (u32 i = 0; i < items; ++i) want_masks.push_back(in_[first + i] % 3 == 0 ? threes : odd);
    });
    EXPECT_EQ(words_of<u64>(masks), want_masks);
    EXPECT_EQ(words_of<u32>(before), want_before);
}

TEST_P(CompiledWaves, LanesAsScalars) {
    // Whole waves, so that each has a last lane.
    std::vector<u32> in = in_;
    for (u32 i = kItems; i < 128; ++i) in.push_back(3 * i);
    emu::Allocation* const out = rig_->fresh(4 * 128);
    run("lanes", Rig::pack(rig_->buffer(in), out), 128);
    std::vector<u32> want;
    for (u32 i = 0; i < 128; ++i) {
        const u32 first = i / wave_ * wave_, lane = i - first;
        want.push_back(in[first] + 2 * in[first + wave_ - 1] +
                       (lane >= wave_ / 2 + 3 ? 5 * in[first + wave_ / 2 + 3] : 0) + 1000000 * lane);
    }
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(CompiledWaves, Shuffles) {
    emu::Allocation* const out = rig_->fresh(4 * kItems);
    run("shuffles", Rig::pack(rig_->buffer(in_), out));
    std::vector<u32> want;
    for (u32 i = 0; i < kItems; ++i) {
        const u32 from = i / 32 * 32 + (i + 5) % 32;
        const u32 far = from < kItems ? in_[from] : 0, near = i % 16 == 0 ? 7 : in_[i - 1];
        want.push_back(far + 3 * near);
    }
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(CompiledWaves, SumsOfAWorkgroup) {
    std::vector<u32> in = in_;
    for (u32 i = kItems; i < 256; ++i) in.push_back(7 * i);
    emu::Allocation* const out = rig_->fresh(4 * 256);
    run("sums", Rig::pack(rig_->buffer(in), out), 256);
    std::vector<u32> want;
    u32 sum = 0;
    for (const u32 x : in) want.push_back(sum += x);
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(CompiledWaves, DivergentLoops) {
    emu::Allocation* const out = rig_->fresh(4 * kItems);
    run("steps", Rig::pack(rig_->buffer(in_), out));
    std::vector<u32> want;
    for (u32 n : in_) {
        u32 count = 0;
        for (; n > 1 && count < 200; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        want.push_back(count);
    }
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(CompiledWaves, AtomicsOfAllItems) {
    emu::Allocation* const out = rig_->buffer(std::vector<u32>(3));
    run("counts", Rig::pack(rig_->buffer(in_), out));
    u32 sum = 0;
    for (const u32 x : in_) sum += x % 5 != 0 ? x : 0;
    EXPECT_EQ(words_of<u32>(out), (std::vector<u32>{sum, kItems, *std::max_element(in_.begin(), in_.end())}));
}

TEST_P(CompiledWaves, WideArithmeticAndTheStack) {
    std::vector<u64> in, want;
    for (u64 i = 0; i < kItems; ++i) in.push_back(i * i * 0x9e3779b97f4a7c15u ^ i << 32);
    for (std::size_t i = 0; i < kItems; ++i) {
        const u64 x = in[i], y = in[(i + 1) % 100];
        u64 table[4] = {x + y, x - y, x / (y | 1), x % (y | 1)};
        for (u32 k = 0; k < 4; ++k) table[(x + k) % 4] += table[(y + k) % 4] >> 1;
        want.push_back(table[x % 4] ^ (x * y));
    }
    emu::Allocation* const out = rig_->fresh(8 * kItems);
    run("wide", Rig::pack(rig_->buffer(in), out));
    EXPECT_EQ(words_of<u64>(out), want);
}

TEST_P(CompiledWaves, QuotientsOfFloats) {
    std::vector<float> in, want;
    for (u32 i = 0; i < kItems; ++i)
        in.push_back(static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * 0.37f + 0.1f);
    for (std::size_t i = 0; i < kItems; ++i) {
        const float x = in[i], y = in[(i + 1) % 100];
        const float product = y * x;
        want.push_back(x < y ? x / y : product - 2.0f);
    }
    emu::Allocation* const out = rig_->fresh(4 * kItems);
    run("floats", Rig::pack(rig_->buffer(in), out));
    EXPECT_EQ(words_of<float>(out), want);
}

INSTANTIATE_TEST_SUITE_P(Builds, CompiledWaves,
                         ::testing::Combine(::testing::Range(0u, static_cast<unsigned>(chips().size())),
                                            ::testing::Values("19", "22"),
                                            ::testing::Values("-O0", "-O1", "-O2", "-O3"), ::testing::Values(32u, 64u)),
                         [](const auto& info) {
                             return fmt::format("{}_clang{}_{}_wave{}", chips()[std::get<0>(info.param)].name,
                                                std::get<1>(info.param), std::get<2>(info.param).substr(1),
                                                std::get<3>(info.param));
                         });

} // namespace
} // namespace pm::testing
