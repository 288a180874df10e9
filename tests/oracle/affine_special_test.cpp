// NaN, infinities, zeros, subnormals and overflow in the affine oracles: which classes an output may have.
#include "contract/oracle/activation.h"
#include "contract/oracle/affine.h"
#include "tests/oracle/affine_case.h"
#include "tests/oracle/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

namespace {

constexpr pm::Activation kFp16 = pm::Activation::kFp16;
constexpr pm::Activation kBf16 = pm::Activation::kBf16;
constexpr double kInf = INFINITY;
const double kNan = std::nan("");

// One output of one group of 64: x and codes from functions of the index.
AffineCase one_group(pm::Activation kind, const std::function<double(int)>& x,
                     const std::function<std::uint32_t(int)>& code, double scale, double bias) {
    AffineCase c(kind, 1, 1, 64, 4);
    for (int j = 0; j < 64; ++j) {
        c.x[static_cast<std::size_t>(j)] = pattern_of(kind, x(j));
        c.codes[static_cast<std::size_t>(j)] = code(j);
    }
    c.scale[0] = pattern_of(kind, scale);
    c.bias[0] = pattern_of(kind, bias);
    return c;
}

std::string classes(const hkc::OutputBound& b) {
    std::string text;
    if (b.finite) text += " finite";
    if (b.pos_inf) text += " +inf";
    if (b.neg_inf) text += " -inf";
    if (b.nan) text += " nan";
    return text.empty() ? "" : text.substr(1);
}

double one(int) { return 1; }
std::uint32_t three(int) { return 3; }

TEST(AffineSpecial, Classes) {
    const auto at = [](int where, double value) { return [=](int j) { return j == where ? value : 1.0; }; };
    const auto zero_code_at = [](int where) { return [=](int j) { return j == where ? 0u : 3u; }; };
    const auto both = [](double first, double second) {
        return [=](int j) { return j == 7 ? first : j == 40 ? second : 1.0; };
    };
    const auto halves = [](double first, double second) { return [=](int j) { return j < 32 ? first : second; }; };
    const double most = 0x1.fep127; // the largest bf16
    const struct {
        const char* what;
        AffineCase c;
        const char* plain;
        const char* relu2;
    } rows[] = {
        {"a NaN activation", one_group(kFp16, at(9, kNan), three, 1, 1), "nan", "nan"},
        {"a NaN activation under code 0", one_group(kBf16, at(9, kNan), zero_code_at(9), 1, 1), "nan", "nan"},
        {"a NaN scale over zeros",
         one_group(
             kBf16, [](int) { return 0.0; }, three, kNan, 1),
         "nan", "nan"},
        {"a NaN bias", one_group(kFp16, one, three, 1, kNan), "nan", "nan"},
        {"+Inf", one_group(kFp16, at(9, kInf), three, 1, 1), "+inf", "+inf"},
        {"-Inf", one_group(kBf16, at(9, -kInf), three, 1, 1), "-inf", "finite"},
        {"+Inf, both factors negative", one_group(kBf16, at(9, kInf), three, -1, -1), "-inf", "finite"},
        {"+Inf under code 0", one_group(kFp16, at(9, kInf), zero_code_at(9), 1, 1), "nan", "nan"},
        {"+Inf, scale and bias of opposite sign", one_group(kBf16, at(9, kInf), three, 1, -1), "nan", "nan"},
        {"+Inf and scale 0", one_group(kBf16, at(9, kInf), three, 0, 1), "nan", "nan"},
        {"+Inf and bias -0", one_group(kBf16, at(9, kInf), three, 1, -0.0), "nan", "nan"},
        {"+Inf and -Inf", one_group(kFp16, both(kInf, -kInf), three, 1, 1), "nan", "nan"},
        {"+Inf twice", one_group(kFp16, both(kInf, kInf), three, 1, 1), "+inf", "+inf"},
        {"an infinite scale", one_group(kFp16, one, three, kInf, 1), "+inf", "+inf"},
        {"an infinite scale, a negative sum",
         one_group(
             kFp16, [](int) { return -1.0; }, three, kInf, 1),
         "-inf", "finite"},
        {"an infinite scale, codes 0",
         one_group(
             kBf16, one, [](int) { return 0u; }, kInf, 1),
         "nan", "nan"},
        {"an infinite scale over halves of opposite sign: only the whole group has one sign",
         one_group(kBf16, halves(2, -1), three, kInf, 1), "+inf nan", "+inf nan"},
        {"infinite scale and bias of opposite sign", one_group(kBf16, one, three, kInf, -kInf), "nan", "nan"},
        {"-Inf bias", one_group(kBf16, one, three, 1, -kInf), "-inf", "finite"},
        {"an infinite bias, sum exactly 0 in the group: NaN in its halves and in the whole",
         one_group(
             kBf16, [](int j) { return j % 2 == 0 ? 1.0 : -1.0; }, three, 1, kInf),
         "+inf -inf nan", "finite +inf nan"},
        {"the largest everywhere: each sum overflows",
         one_group(
             kBf16, [=](int) { return most; }, three, 1, 1),
         "+inf", "+inf"},
        {"the same under scale and bias 0",
         one_group(
             kBf16, [=](int) { return most; }, three, 0, 0),
         "nan", "nan"},
        {"the largest with both signs: any may overflow first",
         one_group(
             kBf16, [=](int j) { return j % 2 == 0 ? most : -most; }, three, 1, 1),
         "finite +inf -inf nan", "finite +inf nan"},
        {"large of one sign, small of the other: only +Inf can arise",
         one_group(
             kBf16, [=](int j) { return j < 2 ? most : -1.0; }, [](int) { return 1u; }, 0x1p-100, 1),
         "+inf", "+inf"},
        {"the sums fit, the scaled sum does not",
         one_group(
             kBf16, [](int) { return 0x1p100; }, three, 0x1p30, 1),
         "+inf", "+inf"},
        {"scaled sum and bias cancel: either may overflow",
         one_group(
             kBf16, [](int) { return 0x1p100; }, three, 0x1p30, -0x1.8p31),
         "finite +inf -inf nan", "finite +inf nan"},
        {"fp16: far above the largest",
         one_group(
             kFp16, [](int) { return 60000.0; }, three, 60000, 1),
         "+inf", "+inf"},
        {"fp16: below minus the largest",
         one_group(
             kFp16, [](int) { return -60000.0; }, three, 60000, 1),
         "-inf", "finite"},
        {"fp16: at the border to infinity",
         one_group(
             kFp16, at(0, 65520.0 - 63 - 16), [](int) { return 1u; }, 1, 0),
         "finite", "+inf"},
        {"fp16: a square that overflows", one_group(kFp16, one, three, 2, 1), "finite", "+inf"},
        {"all zero",
         one_group(
             kBf16, [](int) { return 0.0; }, three, 1, 1),
         "finite", "finite"},
        {"minus zeros",
         one_group(
             kBf16, [](int) { return -0.0; }, three, -1, 1),
         "finite", "finite"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(classes(row.c.ask("affine")[0]), row.plain) << row.what;
        EXPECT_EQ(classes(row.c.ask("affine_relu2")[0]), row.relu2) << row.what;
    }
}

// 65520 is the tie between the largest fp16 and infinity; the bound reaches both sides.
TEST(AffineSpecial, AnIntervalAcrossTheLargestHoldsInfinityToo) {
    // 16380 * 4 = 65520, in four terms that any f32 order sums exactly; the bound does not know that.
    AffineCase c = one_group(
        kFp16, [](int j) { return j < 4   ? 16376.0
                                  : j < 8 ? 4.0
                                          : 0.0; }, [](int) { return 1u; }, 1, 0);
    const hkc::OutputBound b = c.ask("affine")[0];
    EXPECT_EQ(classes(b), "finite +inf");
    EXPECT_EQ(b.hi, 65504);
}

// Only what an output reads matters to it.
TEST(AffineSpecial, SpecialValuesStayInTheirRowAndColumn) {
    std::mt19937_64 random(7);
    AffineCase c = random_layer(kBf16, 2, 3, 128, 4, random);
    const std::vector<hkc::OutputBound> before = c.ask("affine");
    c.x[128 + 70] = pattern_of(kBf16, kNan);
    c.bias[1 * 2 + 1] = pattern_of(kBf16, kInf);
    const std::vector<hkc::OutputBound> after = c.ask("affine");
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t col = 0; col < 3; ++col) {
            const hkc::OutputBound& b = after[row * 3 + col];
            if (row == 1) {
                EXPECT_EQ(classes(b), "nan");
            } else if (col == 1) {
                EXPECT_FALSE(b.finite);
                EXPECT_TRUE(b.pos_inf || b.neg_inf);
            } else {
                EXPECT_EQ(classes(b), "finite");
                EXPECT_EQ(b.lo, before[col].lo);
                EXPECT_EQ(b.hi, before[col].hi);
            }
        }
    }
}

// --- the host's own IEEE arithmetic as a kernel: it knows infinities and NaN by itself

float dot2(float a0, float a1, float b0, float b1, float acc, unsigned form) {
    switch (form % 5) {
    case 0:
        return std::fma(a1, b1, std::fma(a0, b0, acc));
    case 1:
        return std::fma(a0, b0, std::fma(a1, b1, acc));
    case 2:
        return (a0 * b0 + a1 * b1) + acc;
    case 3:
        return a1 * b1 + (a0 * b0 + acc);
    default:
        return static_cast<float>(static_cast<double>(a0) * b0 + static_cast<double>(a1) * b1 +
                                  static_cast<double>(acc));
    }
}

// A random legal evaluation of output (0, 0) of the case, in float.
float float_sum(const AffineCase& c, std::mt19937_64& random) {
    const auto value = [&](std::uint16_t bits) { return static_cast<float>(hkc::activation_value(c.kind, bits)); };
    const auto form = static_cast<unsigned>(random());
    std::vector<float> lanes(1 + random() % 4);
    const auto add = [&](std::int64_t first, std::int64_t part, bool dot) {
        std::vector<float> chains(1 + random() % 3);
        for (std::int64_t j = first; j < first + part; j += 2) {
            const auto i = static_cast<std::size_t>(j);
            const float b0 = dot ? static_cast<float>(c.codes[i]) : 1;
            const float b1 = dot ? static_cast<float>(c.codes[i + 1]) : 1;
            float& acc = chains[random() % chains.size()];
            acc = dot2(value(c.x[i]), value(c.x[i + 1]), b0, b1, acc, form);
        }
        for (std::size_t chain = 1; chain < chains.size(); ++chain) chains[0] += chains[chain];
        const auto group = static_cast<std::size_t>(first / 64);
        const float factor = value(dot ? c.scale[group] : c.bias[group]);
        float& acc = lanes[random() % lanes.size()];
        acc = random() % 2 == 0 ? std::fma(factor, chains[0], acc) : factor * chains[0] + acc;
    };
    const std::int64_t dot_part = random() % 2 == 0 ? 32 : 64;
    const std::int64_t sum_part = random() % 2 == 0 ? 32 : 64;
    for (std::int64_t first = 0; first < c.k; first += 32) {
        if (first % dot_part == 0) add(first, dot_part, true);
        if (first % sum_part == 0) add(first, sum_part, false);
    }
    float y = lanes[0];
    for (std::size_t lane = 1; lane < lanes.size(); ++lane) y += lanes[lane];
    return y;
}

double rounded(pm::Activation kind, float y) {
    if (!std::isfinite(y)) return static_cast<double>(y);
    const bool half = kind == kFp16;
    const mpq_class r =
        exact::round(mpq_class(static_cast<double>(y)), half ? exact::kFp16 : exact::kBf16, exact::Mode::kNearestEven);
    const double value = r.get_d();
    const double most = half ? 65504.0 : 0x1.fep127;
    return std::abs(value) > most ? std::copysign(kInf, value) : value;
}

double relu2_rounded(pm::Activation kind, double y) {
    const float v = static_cast<float>(y);
    const float r = v < 0 ? 0.0f : v;
    return rounded(kind, r * r);
}

// Random patterns of all kinds, special ones rare or frequent: what float arithmetic gives is among the classes, and in
// the interval.
TEST(AffineSpecial, FloatArithmeticStaysInside) {
    constexpr std::uint64_t kSeed = 99;
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    std::mt19937_64 random(kSeed);
    std::map<std::string, int> seen;
    for (int trial = 0; trial < 4000; ++trial) {
        const pm::Activation kind = trial % 2 == 0 ? kFp16 : kBf16;
        const double special[] = {0.0,
                                  -0.0,
                                  kInf,
                                  -kInf,
                                  kNan,
                                  hkc::activation_max(kind),
                                  -hkc::activation_max(kind),
                                  kind == kFp16 ? 0x1p-24 : 0x1p-133,
                                  kind == kFp16 ? -0x1.8p-15 : -0x1.8p-127};
        const std::uint64_t rarity = std::uint64_t{1} << (random() % 10);
        const std::uint64_t kinds_used = 2 + random() % (std::size(special) - 1);
        const std::uint64_t first_kind = random() % std::size(special);
        const bool any_pattern = random() % 4 == 0;
        const auto disturb = [&](std::vector<std::uint16_t>& values) {
            for (auto& v : values) {
                if (any_pattern && random() % rarity == 0) v = static_cast<std::uint16_t>(random());
                if (random() % (4 * rarity) == 0)
                    v = pattern_of(kind, special[(first_kind + random() % kinds_used) % std::size(special)]);
            }
        };
        AffineCase c = random_layer(kind, 1, 1, 128, 4, random);
        disturb(c.x);
        disturb(c.scale);
        disturb(c.bias);
        const hkc::OutputBound plain = c.ask("affine")[0];
        const hkc::OutputBound fused = c.ask("affine_relu2")[0];
        ++seen[classes(plain)];
        for (int order = 0; order < 12; ++order) {
            const double y = rounded(kind, float_sum(c, random));
            ASSERT_TRUE(hkc::contains(plain, y)) << name_of(kind) << " trial " << trial << " gave " << y << ", allowed "
                                                 << classes(plain) << " " << plain.lo << " to " << plain.hi;
            const double squared = relu2_rounded(kind, y);
            ASSERT_TRUE(hkc::contains(fused, squared)) << name_of(kind) << " trial " << trial << " gave " << squared;
        }
    }
    for (const char* wanted : {"finite", "nan", "+inf", "-inf"}) EXPECT_GE(seen[wanted], 50) << wanted;
    EXPECT_GE(seen.size(), 7u); // sets of more than one class as well
}

} // namespace
