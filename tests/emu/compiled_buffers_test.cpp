// Kernels with buffer resources that a compiler built, optimised and not: results as the host computes them, no
// finding.
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <tuple>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kBlock = 64;

/// Chip, optimisation, lanes of a wave.
using Build = std::tuple<unsigned, std::string, unsigned>;

class CompiledBuffers : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        const auto& [chip, level, wave] = GetParam();
        const std::string source = std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/buffers.hip";
        const auto& object =
            compiled_hip("clang++-22", chips()[chip].name, source,
                         {"-std=c++20", level, wave == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64"});
        ASSERT_TRUE(object) << object.error().text;
        rig_ = std::make_unique<Rig>(*object);
        ASSERT_TRUE(rig_->ok());
    }

    void run(const char* kernel, const std::vector<std::byte>& kernarg) {
        EXPECT_EQ(text_of(rig_->launch(kernel, kernarg, {1, 1, 1}, {kBlock, 1, 1})), "") << kernel;
    }

    std::unique_ptr<Rig> rig_;
};

TEST_P(CompiledBuffers, LoadsAndStoresOfEveryWidth) {
    std::vector<u8> in(32 * kBlock);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<u8>(i * 11 + i / 256 + 1);
    for (const u32 bytes : {32 * kBlock, 32 * kBlock - 12, 32 * kBlock - 32, 100u, 0u}) {
        SCOPED_TRACE(bytes);
        // Whole dwords count, so a multiple of 4 cuts none.
        std::vector<u8> want = in;
        for (std::size_t i = 0; i < want.size(); ++i)
            if (i % 32 == 0 || i >= bytes) want[i] = 0;
        emu::Allocation* const out = rig_->fresh(in.size());
        run("widths", Rig::pack(rig_->buffer(in), out, bytes));
        EXPECT_EQ(words_of<u8>(out), want);
    }
}

TEST_P(CompiledBuffers, Atomics) {
    std::vector<u32> cells(2 + 64 + 16), want_out;
    for (u32 i = 0; i < 64; ++i) cells[2 + i] = 7 * i;
    std::vector<u32> want = cells;
    want[0] = kBlock * (kBlock - 1) / 2;
    want[1] = 63;
    for (u32 i = 0; i < 64; ++i) {
        want_out.push_back(7 * i + i + 500);
        want[2 + i] = i % 2 == 0 ? i + 900 : i + 500;
        want[66 + 2 * (i % 8) + i / 32] |= 1u << i % 32;
    }
    emu::Allocation* const memory = rig_->buffer(cells);
    emu::Allocation* const out = rig_->fresh(4 * kBlock);
    run("atomics", Rig::pack(memory, out));
    EXPECT_EQ(words_of<u32>(memory), want);
    EXPECT_EQ(words_of<u32>(out), want_out);
}

TEST_P(CompiledBuffers, Formats) {
    std::vector<u32> in(kBlock), want_back(kBlock);
    for (u32 i = 0; i < kBlock; ++i) in[i] = 0x01030509u * i + 0xff000080u;
    for (u32 i = 0; i < kBlock; ++i) want_back[63 - i] = in[i];
    emu::Allocation* const numbers = rig_->fresh(16 * kBlock);
    emu::Allocation* const back = rig_->fresh(4 * kBlock);
    emu::Allocation* const halves = rig_->fresh(8 * kBlock);
    run("formats", Rig::pack(rig_->buffer(in), numbers, back, halves));
    EXPECT_EQ(words_of<u32>(back), want_back);
    std::vector<u32> want_numbers;
    std::vector<u16> want_halves;
    for (const u32 word : in)
        for (unsigned k = 0; k < 4; ++k) {
            mpq_class value(static_cast<long>(word >> 8 * k & 255), 255l);
            value.canonicalize();
            want_numbers.push_back(static_cast<u32>(rounded(kF32, value, Rounding::kNearestEven)));
            want_halves.push_back(static_cast<u16>(rounded(kF16, value, Rounding::kNearestEven)));
        }
    EXPECT_EQ(words_of<u32>(numbers), want_numbers);
    EXPECT_EQ(words_of<u16>(halves), want_halves);
}

INSTANTIATE_TEST_SUITE_P(Builds, CompiledBuffers,
                         ::testing::Combine(::testing::Range(0u, static_cast<unsigned>(chips().size())),
                                            ::testing::Values("-O0", "-O3"), ::testing::Values(32u, 64u)),
                         [](const auto& info) {
                             return fmt::format("{}_{}_wave{}", chips()[std::get<0>(info.param)].name,
                                                std::get<1>(info.param).substr(1), std::get<2>(info.param));
                         });

} // namespace
} // namespace pm::testing
