#include "contract/oracle/affine.h"

#include "contract/oracle/activation.h"
#include "tests/oracle/affine_case.h"
#include "tests/oracle/legal_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

namespace {

constexpr pm::Activation kKinds[] = {pm::Activation::kFp16, pm::Activation::kBf16};
constexpr std::uint64_t kSeed = 20240611;

std::mt19937_64 seeded() {
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    return std::mt19937_64(kSeed);
}

// Inputs that stress the bound; none of them overflows f32.
struct Family {
    const char* name;
    std::function<void(AffineCase&, std::mt19937_64&)> edit; // of a random layer
};

const std::vector<Family>& families() {
    static const std::vector<Family> all = {
        {"random layer", [](AffineCase&, std::mt19937_64&) {}},
        {"one sign",
         [](AffineCase& c, std::mt19937_64&) {
             for (auto& v : c.x) v &= 0x7fff;
             for (auto& v : c.bias) v &= 0x7fff;
         }},
        {"cancelling pairs",
         [](AffineCase& c, std::mt19937_64&) {
             for (std::size_t i = 0; i + 1 < c.x.size(); i += 2) {
                 c.x[i + 1] = c.x[i] ^ 0x8000;
                 for (std::int64_t col = 0; col < c.n; ++col) {
                     const auto at = static_cast<std::size_t>(col * c.k) + i % static_cast<std::size_t>(c.k);
                     c.codes[at + 1] = c.codes[at];
                 }
             }
         }},
        {"bias cancels scale",
         [](AffineCase& c, std::mt19937_64&) {
             for (std::size_t i = 0; i < c.bias.size(); ++i)
                 c.bias[i] = pattern_of(c.kind, -7 * hkc::activation_value(c.kind, c.scale[i]));
             for (auto& code : c.codes) code = 7;
         }},
        {"huge and small",
         [](AffineCase& c, std::mt19937_64& random) {
             const int least = c.kind == pm::Activation::kFp16 ? -14 : -60;
             const int most = c.kind == pm::Activation::kFp16 ? 8 : 60;
             std::uniform_int_distribution<int> exponent(least, most);
             for (auto& v : c.x)
                 v = pattern_of(c.kind, std::ldexp(hkc::activation_value(c.kind, v) / 4, exponent(random)));
         }},
        {"subnormal activations",
         [](AffineCase& c, std::mt19937_64& random) {
             const std::uint16_t mask = c.kind == pm::Activation::kFp16 ? 0x83ff : 0x807f;
             for (auto& v : c.x)
                 if (random() % 2 == 0) v &= mask;
         }},
        {"around the least normal f32",
         [](AffineCase& c, std::mt19937_64&) {
             if (c.kind == pm::Activation::kFp16) return;
             for (auto& v : c.x) v = pattern_of(c.kind, std::ldexp(hkc::activation_value(c.kind, v), -126));
         }},
        {"normal activations that cancel to subnormals",
         [](AffineCase& c, std::mt19937_64&) {
             if (c.kind == pm::Activation::kFp16) return;
             for (std::size_t i = 0; i < c.x.size(); ++i)
                 c.x[i] = pattern_of(c.kind, i % 2 == 0 ? 0x1.02p-126 : -0x1p-126);
             for (auto& code : c.codes) code = 1;
         }},
        {"scaled sums that are f32 subnormals",
         [](AffineCase& c, std::mt19937_64&) {
             if (c.kind == pm::Activation::kFp16) return;
             for (auto& v : c.x) v = pattern_of(c.kind, std::ldexp(hkc::activation_value(c.kind, v), -30));
             for (auto& v : c.scale) v = pattern_of(c.kind, std::ldexp(hkc::activation_value(c.kind, v), -116));
             for (auto& v : c.bias) v = pattern_of(c.kind, std::ldexp(hkc::activation_value(c.kind, v), -116));
         }},
        {"falling magnitudes",
         [](AffineCase& c, std::mt19937_64&) {
             for (std::size_t i = 0; i < c.x.size(); ++i)
                 c.x[i] = pattern_of(
                     c.kind, std::ldexp(1.0 + 0x1p-7 * static_cast<double>(i % 100), -static_cast<int>(i % 13)));
         }},
        {"one large, the rest tiny",
         [](AffineCase& c, std::mt19937_64&) {
             for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = pattern_of(c.kind, i == 5 ? 1.0 : 0x1p-13);
         }},
    };
    return all;
}

// Whatever a legal order gives is within the accumulator's bound, and rounded within the oracle's interval.
TEST(Affine, NoLegalOrderLeavesTheInterval) {
    std::mt19937_64 random = seeded();
    for (const pm::Activation kind : kKinds) {
        for (const int bits : {4, 5, 6, 8}) {
            for (const Family& family : families()) {
                const std::int64_t k = bits == 4 ? 192 : 64;
                AffineCase c = random_layer(kind, 2, 2, k, bits, random);
                family.edit(c, random);
                const std::vector<hkc::SumBound> sums = hkc::affine_sums(c.problem());
                const std::vector<hkc::OutputBound> plain = c.ask("affine");
                const std::vector<hkc::OutputBound> fused = c.ask("affine_relu2");
                ASSERT_EQ(sums.size(), 4u);
                for (int trial = 0; trial < 60; ++trial) {
                    OrderChoice choice;
                    choice.dot_part = random() % 2 == 0 ? 32 : 64;
                    choice.sum_part = random() % 2 == 0 ? 32 : 64;
                    choice.any_form = random() % 4 != 0;
                    choice.form = static_cast<DotForm>(random() % 4);
                    choice.any_rounding = random() % 4 == 0;
                    choice.rounding = static_cast<exact::Mode>(random() % 5);
                    choice.may_flush = random() % 4 != 0;
                    choice.any_tree = random() % 4 != 0;
                    const std::int64_t row = trial % 2, col = trial / 2 % 2;
                    const auto at = static_cast<std::size_t>(row * 2 + col);
                    const mpq_class sum = legal_sum(c, row, col, choice, random);
                    ASSERT_LE(abs(mpq_class(sum - mpq_class(sums[at].centre))), mpq_class(sums[at].error))
                        << name_of(kind) << " " << bits << " bits, " << family.name << ", trial " << trial;
                    const mpq_class y = rounded(kind, sum);
                    ASSERT_TRUE(hkc::contains(plain[at], y.get_d())) << family.name;
                    ASSERT_TRUE(hkc::contains(fused[at], relu2_rounded(kind, y).get_d())) << family.name;
                }
            }
        }
    }
}

// The dense products and the term by term form bound the same accumulator.
TEST(Affine, DenseAndTermByTermAgree) {
    std::mt19937_64 random = seeded();
    for (const pm::Activation kind : kKinds) {
        for (const Family& family : families()) {
            AffineCase c = random_layer(kind, 3, 37, 128, 5, random);
            family.edit(c, random);
            const hkc::AffineProblem p = c.problem();
            const std::vector<hkc::SumBound> dense = hkc::affine_sums(p);
            for (std::int64_t i = 0; i < 3 * 37; ++i) {
                const hkc::SumBound& a = dense[static_cast<std::size_t>(i)];
                const hkc::SumBound b = hkc::affine_sum(p, i / 37, i % 37);
                ASSERT_EQ(a.classes, b.classes) << family.name;
                ASSERT_LE(std::abs(a.centre - b.centre), 1e-6 * a.error) << family.name;
                ASSERT_LE(std::abs(a.error - b.error), 1e-6 * a.error) << family.name;
            }
        }
    }
}

// On a small shape one wrong code moves the result out of the interval, wherever the code stands and whichever way it
// is wrong.
TEST(Affine, OneWrongCodeLeavesTheInterval) {
    std::mt19937_64 random = seeded();
    for (const pm::Activation kind : kKinds) {
        for (const int bits : {4, 5, 6, 8}) {
            AffineCase c = random_layer(kind, 1, 2, 64, bits, random);
            for (auto& v : c.x) // no activation so small that its code does not matter
                v = pattern_of(kind, (v & 0x8000 ? -1 : 1) * (0.5 + static_cast<double>(v % 64) / 64));
            const std::vector<hkc::OutputBound> bounds = c.ask("affine");
            for (std::size_t j = 0; j < c.codes.size(); ++j) {
                AffineCase wrong = c;
                wrong.codes[j] ^= 1u << (bits - 1);
                const auto col = static_cast<std::int64_t>(j) / 64;
                const mpq_class y = rounded(kind, exact_sum(wrong, 0, col));
                ASSERT_FALSE(hkc::contains(bounds[static_cast<std::size_t>(col)], y.get_d()))
                    << name_of(kind) << " " << bits << " bits, code " << j;
                // Its twin, the right code, is inside.
                const mpq_class right = rounded(kind, exact_sum(c, 0, col));
                ASSERT_TRUE(hkc::contains(bounds[static_cast<std::size_t>(col)], right.get_d()));
            }
        }
    }
}

// One output in long double, with one group left out (-1: none), or without that group's bias.
long double plain_sum(const AffineCase& c, std::int64_t col, std::int64_t dropped, bool bias_only) {
    long double y = 0;
    for (std::int64_t j = 0; j < c.k; ++j) {
        const auto group = static_cast<std::size_t>(col * c.groups() + j / 64);
        const bool drop = j / 64 == dropped;
        long double weight = drop ? 0 : static_cast<long double>(hkc::activation_value(c.kind, c.bias[group]));
        if (!drop || bias_only)
            weight += static_cast<long double>(hkc::activation_value(c.kind, c.scale[group])) *
                      c.codes[static_cast<std::size_t>(col * c.k + j)];
        y += weight * static_cast<long double>(hkc::activation_value(c.kind, c.x[static_cast<std::size_t>(j)]));
    }
    return y;
}

// On the served shapes a dropped group is seen in nearly every output, the dropped bias of one in most.
TEST(Affine, ADroppedGroupLeavesTheIntervalOnServedShapes) {
    std::mt19937_64 random = seeded();
    for (const pm::Activation kind : kKinds) {
        for (const auto& [n, k] : {std::pair{2688, 1856}, std::pair{1856, 2688}}) {
            const AffineCase c = random_layer(kind, 1, n, k, 4, random);
            const std::vector<hkc::OutputBound> bounds = c.ask("affine");
            for (const std::int64_t dropped : {std::int64_t{-1}, std::int64_t{0}, c.groups() / 2, c.groups() - 1}) {
                for (const bool bias_only : {false, true}) {
                    int outside = 0, asked = 0;
                    for (std::int64_t col = 0; col < n; col += 16, ++asked) {
                        const auto y = static_cast<double>(plain_sum(c, col, dropped, bias_only));
                        const double value = hkc::round_to_activation(kind, y);
                        outside += hkc::contains(bounds[static_cast<std::size_t>(col)], value) ? 0 : 1;
                    }
                    if (dropped < 0)
                        EXPECT_EQ(outside, 0) << "the right sum";
                    else // all columns share the one sum of x that a bias multiplies, and it may be small
                        EXPECT_GE(outside, bias_only ? asked / 2 : asked * 9 / 10)
                            << name_of(kind) << " n " << n << " k " << k << " group " << dropped << " of " << asked;
                }
            }
        }
    }
}

TEST(Affine, ZerosGiveExactlyZero) {
    for (const pm::Activation kind : kKinds) {
        AffineCase c(kind, 1, 1, 64, 4);
        c.scale[0] = pattern_of(kind, 3);
        c.bias[0] = pattern_of(kind, -2);
        for (auto& code : c.codes) code = 15;
        const hkc::OutputBound zero = c.ask("affine")[0];
        EXPECT_TRUE(zero.finite);
        EXPECT_EQ(zero.lo, 0);
        EXPECT_EQ(zero.hi, 0);
        EXPECT_TRUE(hkc::contains(zero, -0.0));
    }
}

TEST(Affine, BadInput) {
    AffineCase c(pm::Activation::kBf16, 2, 3, 128, 5);
    std::vector<std::uint8_t> words(3 * 128 * 5 / 8);
    pm::Chip chip;
    hkc::Kernel kernel;
    kernel.name = "tile_under_test";
    hkc::OracleInput good;
    good.kernel = &kernel;
    good.chip = &chip;
    good.scope = {{"m", 2}, {"n", 3}, {"k", 128}, {"bits", 5}, {"group", 64}};
    good.buffers = {{"x", std::as_bytes(std::span(c.x))},
                    {"words", std::as_bytes(std::span(words))},
                    {"scale", std::as_bytes(std::span(c.scale))},
                    {"bias", std::as_bytes(std::span(c.bias))}};
    ASSERT_TRUE(hkc::read_affine(good));

    const struct {
        std::function<void(hkc::OracleInput&)> edit;
        const char* text;
    } rows[] = {
        {[](hkc::OracleInput& i) { i.scope.erase("bits"); }, "\"bits\""},
        {[](hkc::OracleInput& i) { i.scope["bits"] = 3; }, "bits = 3; expected 4, 5, 6 or 8"},
        {[](hkc::OracleInput& i) { i.scope["group"] = 0; }, "group = 0"},
        {[](hkc::OracleInput& i) { i.scope["group"] = 48; }, "group = 48; expected a multiple of 32"},
        {[](hkc::OracleInput& i) { i.scope["chunk"] = 24; }, "chunk = 24; expected a divisor of the group, 64"},
        {[](hkc::OracleInput& i) { i.scope["k"] = 100; }, "k = 100; expected a multiple of the group, 64"},
        {[](hkc::OracleInput& i) { i.scope["m"] = -1; }, "negative"},
        {[](hkc::OracleInput& i) { i.scope["m"] = 3; }, "buffer \"x\" has 512 bytes; expected 768"},
        {[](hkc::OracleInput& i) { i.scope["bits"] = 4; }, "buffer \"words\" has 240 bytes; expected 192"},
        {[](hkc::OracleInput& i) { i.scope["n"] = std::int64_t{1} << 62; }, "expected over 2^63"},
        {[](hkc::OracleInput& i) { i.buffers.erase("scale"); }, "no input buffer \"scale\""},
        {[](hkc::OracleInput& i) { i.buffers["bias"] = {}; }, "buffer \"bias\" has 0 bytes; expected 12"},
    };
    for (const auto& row : rows) {
        hkc::OracleInput bad = good;
        row.edit(bad);
        const pm::Result<hkc::AffineProblem> p = hkc::read_affine(bad);
        ASSERT_FALSE(p) << row.text;
        EXPECT_NE(p.error().text.find(row.text), std::string::npos) << p.error().text;
        EXPECT_NE(p.error().text.find("tile_under_test"), std::string::npos) << p.error().text;
    }
}

} // namespace
