#include "contract/oracle/activation.h"

#include "tests/oracle/affine_case.h"
#include "tests/oracle/exact.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

constexpr pm::Activation kKinds[] = {pm::Activation::kFp16, pm::Activation::kBf16};

std::uint16_t infinity(pm::Activation kind) { return kind == pm::Activation::kFp16 ? 0x7c00 : 0x7f80; }

mpq_class exact_value(pm::Activation kind, std::uint16_t bits) {
    return kind == pm::Activation::kFp16 ? exact::fp16(bits) : exact::bf16(bits);
}

TEST(Activation, EveryPatternHasItsValue) {
    for (const pm::Activation kind : kKinds) {
        for (std::uint32_t i = 0; i < 0x10000; ++i) {
            const auto bits = static_cast<std::uint16_t>(i);
            const double value = hkc::activation_value(kind, bits);
            const std::uint16_t magnitude = bits & 0x7fff;
            if (magnitude > infinity(kind)) {
                ASSERT_TRUE(std::isnan(value)) << name_of(kind) << " " << bits;
                continue;
            }
            ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << name_of(kind) << " " << bits;
            if (magnitude == infinity(kind))
                ASSERT_TRUE(std::isinf(value)) << name_of(kind) << " " << bits;
            else
                ASSERT_EQ(mpq_class(value), exact_value(kind, bits)) << name_of(kind) << " " << bits;
        }
    }
}

TEST(Activation, Subnormals) {
    EXPECT_TRUE(hkc::activation_is_subnormal(pm::Activation::kFp16, 0x83ff));
    EXPECT_FALSE(hkc::activation_is_subnormal(pm::Activation::kFp16, 0x0400));
    EXPECT_FALSE(hkc::activation_is_subnormal(pm::Activation::kFp16, 0x8000));
    EXPECT_TRUE(hkc::activation_is_subnormal(pm::Activation::kBf16, 0x007f));
    EXPECT_FALSE(hkc::activation_is_subnormal(pm::Activation::kBf16, 0x0080));
    EXPECT_FALSE(hkc::activation_is_subnormal(pm::Activation::kBf16, 0x0000));
}

// Between each pair of neighbours: the middle goes to the even one, its sides to the nearer one.
TEST(Activation, RoundsToNearestEven) {
    for (const pm::Activation kind : kKinds) {
        for (std::uint16_t bits = 0; bits + 1 < infinity(kind); ++bits) {
            const double below = hkc::activation_value(kind, bits);
            const double above = hkc::activation_value(kind, static_cast<std::uint16_t>(bits + 1));
            const double middle = below + (above - below) / 2;
            const double even = (bits & 1) == 0 ? below : above;
            ASSERT_EQ(hkc::round_to_activation(kind, below), below);
            ASSERT_EQ(hkc::round_to_activation(kind, middle), even) << bits;
            ASSERT_EQ(hkc::round_to_activation(kind, -middle), -even) << bits;
            ASSERT_EQ(hkc::round_to_activation(kind, std::nextafter(middle, below)), below) << bits;
            ASSERT_EQ(hkc::round_to_activation(kind, std::nextafter(middle, above)), above) << bits;
        }
    }
}

TEST(Activation, RoundsToInfinityFromHalfAnUlpPastTheLargest) {
    EXPECT_EQ(hkc::activation_max(pm::Activation::kFp16), 65504);
    EXPECT_EQ(hkc::round_to_activation(pm::Activation::kFp16, std::nextafter(65520.0, 0)), 65504);
    EXPECT_EQ(hkc::round_to_activation(pm::Activation::kFp16, 65520), INFINITY);
    const double bf16_limit = 0x1p128 - 0x1p119;
    EXPECT_EQ(hkc::round_to_activation(pm::Activation::kBf16, -std::nextafter(bf16_limit, 0)), -0x1.fep127);
    EXPECT_EQ(hkc::round_to_activation(pm::Activation::kBf16, -bf16_limit), -INFINITY);
    EXPECT_TRUE(std::isnan(hkc::round_to_activation(pm::Activation::kBf16, NAN)));
    EXPECT_EQ(hkc::round_to_activation(pm::Activation::kBf16, 0x1p-300), 0);
}

} // namespace
