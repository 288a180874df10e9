#include "contract/gates/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace hkc {
namespace {

// The compiler's own _Float16 is the reference for fp16; the upper half of a float, for bf16.
double compilers_fp16(std::uint16_t bits) { return static_cast<double>(std::bit_cast<_Float16>(bits)); }
double upper_half(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

TEST(Element, EveryFp16AndBf16PatternDecodesToItsValue) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        for (const auto& [type, expected] : {std::pair{ElementType::kFp16, compilers_fp16(pattern)},
                                             std::pair{ElementType::kBf16, upper_half(pattern)}}) {
            const double value = decode_element(type, bits);
            if (std::isnan(expected)) {
                EXPECT_TRUE(std::isnan(value)) << bits;
                EXPECT_TRUE(float_layout(type).is_nan(bits)) << bits;
                continue;
            }
            EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << bits;
            EXPECT_EQ(encode_element(type, value), bits);
            EXPECT_FALSE(float_layout(type).is_nan(bits)) << bits;
        }
    }
}

TEST(Element, EncodingRoundsToNearestEvenAsTheCompilerDoes) {
    constexpr std::uint64_t kSeed = 20;
    SCOPED_TRACE(kSeed);
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 200000; ++i) {
        // Floats over the exponents where fp16 rounds, underflows and overflows.
        const auto exponent = static_cast<int>(random() % 48) - 28;
        const double value =
            std::ldexp(static_cast<double>(random() % (1U << 14U)), exponent - 13) * (random() % 2 != 0 ? 1 : -1);
        EXPECT_EQ(encode_element(ElementType::kFp16, value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)))
            << value;
    }
}

TEST(Element, Bf16TiesGoToEvenAndOverflowIsInfinite) {
    EXPECT_EQ(encode_element(ElementType::kBf16, 1.0 + 0x1p-8), 0x3f80U);     // half way, down to even
    EXPECT_EQ(encode_element(ElementType::kBf16, 1.0 + 3 * 0x1p-8), 0x3f82U); // half way, up to even
    EXPECT_EQ(encode_element(ElementType::kBf16, 1.0 + 0x1p-8 + 0x1p-40), 0x3f81U);
    EXPECT_EQ(encode_element(ElementType::kBf16, 0x1p128), 0x7f80U);
    EXPECT_EQ(encode_element(ElementType::kBf16, -0x1p200), 0xff80U);
    EXPECT_EQ(encode_element(ElementType::kBf16, 0x1p-134), 0U); // half the least subnormal
    EXPECT_EQ(encode_element(ElementType::kBf16, 0x1p-133), 1U);
    EXPECT_EQ(encode_element(ElementType::kBf16, -0.0), 0x8000U);
}

TEST(Element, IntegersSaturateAndKeepTheirSign) {
    EXPECT_EQ(decode_element(ElementType::kI8, 0x80), -128);
    EXPECT_EQ(decode_element(ElementType::kU8, 0x80), 128);
    EXPECT_EQ(decode_element(ElementType::kI32, 0xffffffff), -1);
    EXPECT_EQ(encode_element(ElementType::kI16, -40000), 0x8000U);
    EXPECT_EQ(encode_element(ElementType::kU16, -1), 0U);
    EXPECT_EQ(encode_element(ElementType::kU32, 5e9), 0xffffffffU);
}

TEST(Element, TextNamesBitsValueAndPosition) {
    EXPECT_EQ(element_text(ElementType::kBf16, 0x3f80), "0x3f80 (1)");
    EXPECT_EQ(element_text(ElementType::kFp16, 0x0001), "0x0001 (5.96046e-08)");
    const std::vector<std::int64_t> dims{3, 7};
    EXPECT_EQ(position_text(dims, 0), "[0, 0]");
    EXPECT_EQ(position_text(dims, 20), "[2, 6]");
}

} // namespace
} // namespace hkc
