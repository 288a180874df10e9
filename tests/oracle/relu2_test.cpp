#include "contract/oracle/relu2.h"

#include "tests/oracle/affine_case.h"
#include "tests/oracle/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace {

constexpr pm::Activation kKinds[] = {pm::Activation::kFp16, pm::Activation::kBf16};

pm::Result<hkc::OracleOutput> ask(pm::Activation kind, std::span<const std::byte> v) {
    pm::Chip chip;
    chip.activation = kind;
    hkc::OracleInput input;
    input.chip = &chip;
    input.buffers = {{"v", v}};
    return (*hkc::find_oracle("relu2"))(input);
}

// Every pattern: one legal result, the square by exact arithmetic rounded to f32 and then to the type.
TEST(Relu2, EveryPatternHasItsOneResult) {
    std::vector<std::uint16_t> v(0x10000);
    std::iota(v.begin(), v.end(), std::uint16_t{0});
    for (const pm::Activation kind : kKinds) {
        const bool half = kind == pm::Activation::kFp16;
        const std::uint16_t infinity = half ? 0x7c00 : 0x7f80;
        const exact::Format format = half ? exact::kFp16 : exact::kBf16;
        const mpq_class largest = half ? mpq_class(65504) : mpq_class(255 * exact::power_of_two(120));
        const pm::Result<hkc::OracleOutput> out = ask(kind, std::as_bytes(std::span(v)));
        ASSERT_TRUE(out) << out.error().text;
        const std::vector<hkc::OutputBound>& bounds = out->at("out");
        ASSERT_EQ(bounds.size(), v.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            const hkc::OutputBound& b = bounds[i];
            const std::uint16_t magnitude = v[i] & 0x7fff;
            const bool negative = (v[i] & 0x8000) != 0;
            ASSERT_EQ(b.nan, magnitude > infinity) << i;
            ASSERT_FALSE(b.neg_inf);
            if (b.nan || (magnitude == infinity && !negative)) {
                ASSERT_FALSE(b.finite) << i;
                ASSERT_EQ(b.pos_inf, !b.nan) << i;
                continue;
            }
            mpq_class square(0);
            if (!negative) square = half ? exact::fp16(v[i]) : exact::bf16(v[i]);
            square *= square;
            const exact::Mode nearest = exact::Mode::kNearestEven;
            square = exact::round(exact::round(square, exact::kF32, nearest), format, nearest);
            ASSERT_EQ(b.finite, square <= largest) << i;
            ASSERT_EQ(b.pos_inf, square > largest) << i;
            if (!b.finite) continue;
            ASSERT_EQ(mpq_class(b.lo), square) << i;
            ASSERT_EQ(b.lo, b.hi) << i;
        }
    }
}

// A square that is not rounded to f32 on the way (a fused conversion) gives the same result, so a point is right.
TEST(Relu2, TheF32StepChangesNoResult) {
    for (std::uint16_t bits = 0; bits < 0x7f80; ++bits) {
        mpq_class square = exact::bf16(bits);
        square *= square;
        const exact::Mode nearest = exact::Mode::kNearestEven;
        ASSERT_EQ(exact::round(square, exact::kBf16, nearest),
                  exact::round(exact::round(square, exact::kF32, nearest), exact::kBf16, nearest))
            << bits;
    }
}

TEST(Relu2, CarriesSets) {
    const struct {
        const char* what;
        pm::Activation kind;
        hkc::OutputBound in, out;
    } rows[] = {
        {"a positive interval", pm::Activation::kFp16, {2, 3, true}, {4, 9, true}},
        {"across zero", pm::Activation::kFp16, {-5, 3, true}, {0, 9, true}},
        {"negative", pm::Activation::kBf16, {-5, -3, true}, {0, 0, true}},
        {"the upper end too large", pm::Activation::kFp16, {2, 300, true}, {4, 65504, true, true}},
        {"all of it too large", pm::Activation::kFp16, {300, 400, true}, {0, 0, false, true}},
        {"f32 overflow", pm::Activation::kBf16, {0x1p64, 0x1p65, true}, {0, 0, false, true}},
        {"-Inf alone", pm::Activation::kBf16, {0, 0, false, false, true}, {0, 0, true}},
        {"-Inf beside a finite interval", pm::Activation::kBf16, {2, 3, true, false, true}, {0, 9, true}},
        {"NaN alone", pm::Activation::kBf16, {0, 0, false, false, false, true}, {0, 0, false, false, false, true}},
        {"all", pm::Activation::kBf16, {-1, 1, true, true, true, true}, {0, 1, true, true, false, true}},
    };
    for (const auto& row : rows) {
        const hkc::OutputBound out = hkc::relu2_bound(row.kind, row.in);
        EXPECT_EQ(out.finite, row.out.finite) << row.what;
        EXPECT_EQ(out.pos_inf, row.out.pos_inf) << row.what;
        EXPECT_EQ(out.neg_inf, row.out.neg_inf) << row.what;
        EXPECT_EQ(out.nan, row.out.nan) << row.what;
        if (!row.out.finite) continue;
        EXPECT_EQ(out.lo, row.out.lo) << row.what;
        EXPECT_EQ(out.hi, row.out.hi) << row.what;
    }
}

TEST(Relu2, BadInput) {
    const std::byte three[3] = {};
    const pm::Result<hkc::OracleOutput> odd = ask(pm::Activation::kFp16, three);
    ASSERT_FALSE(odd);
    EXPECT_NE(odd.error().text.find("3 bytes"), std::string::npos) << odd.error().text;

    pm::Chip chip;
    hkc::OracleInput input;
    input.chip = &chip;
    const pm::Result<hkc::OracleOutput> none = (*hkc::find_oracle("relu2"))(input);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text.find("\"v\""), std::string::npos) << none.error().text;
}

} // namespace
