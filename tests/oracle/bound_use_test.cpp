// How much of the bound legal orders use, and how wide the interval is: the figures of docs/oracle.md are this
// program's output.
#include "contract/oracle/activation.h"
#include "contract/oracle/affine.h"
#include "tests/oracle/affine_case.h"
#include "tests/oracle/legal_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

constexpr pm::Activation kKinds[] = {pm::Activation::kFp16, pm::Activation::kBf16};

// |computed - exact| over the error the bound allows.
double use(const AffineCase& c, const OrderChoice& choice, std::mt19937_64& random) {
    const hkc::SumBound bound = hkc::affine_sums(c.problem())[0];
    const mpq_class off = abs(mpq_class(legal_sum(c, 0, 0, choice, random) - exact_sum(c, 0, 0)));
    return mpq_class(off / mpq_class(bound.error)).get_d();
}

// The first term is nearly all of the sum and enters first; each later one is just enough to round the sum up by a
// whole step of dot2, or by half a step of f32. So every rounding has full size and one sign, on the largest partial
// sum.
AffineCase adversary(pm::Activation kind, std::int64_t k, int dot_part, int sum_part) {
    AffineCase c(kind, 1, 1, k, 4);
    const bool half = kind == pm::Activation::kFp16;
    const double sum = half ? 0x1p12 : 1;
    const int part = std::min(dot_part, sum_part);
    for (std::int64_t j = 0; j < k; ++j) {
        double x = 0;
        if (j == 0)
            x = sum;
        else if (j < 64) // as good as nothing: rounding it up is a whole step
            x = half ? 0x1p-14 : 0x1p-40;
        else if (j % part == 0) // a little over half a step of f32
            x = sum * 0x1.02p-24;
        c.x[static_cast<std::size_t>(j)] = pattern_of(kind, x);
        c.codes[static_cast<std::size_t>(j)] = j < 64 || j % dot_part == 0 ? 1 : 0;
    }
    for (std::int64_t g = 0; g < k / 64; ++g) {
        c.scale[static_cast<std::size_t>(g)] = pattern_of(kind, 1);
        c.bias[static_cast<std::size_t>(g)] = pattern_of(kind, g > 0  ? static_cast<double>(part) / sum_part
                                                               : half ? 0x1p-24
                                                                      : 0x1p-60);
    }
    return c;
}

TEST(BoundUse, TheWorstAdversary) {
    std::mt19937_64 random(1);
    double worst = 0;
    for (const pm::Activation kind : kKinds) {
        for (const std::int64_t k : {64, 1856, 2688}) {
            for (const auto& [dot_part, sum_part] : {std::pair{32, 32}, {32, 64}, {64, 32}, {64, 64}}) {
                const AffineCase c = adversary(kind, k, dot_part, sum_part);
                OrderChoice choice;
                choice.dot_part = dot_part;
                choice.sum_part = sum_part;
                choice.any_form = choice.any_rounding = choice.may_flush = choice.any_tree = false;
                double most = 0;
                for (const exact::Mode mode : {exact::Mode::kNearestEven, exact::Mode::kUp, exact::Mode::kTowardZero}) {
                    choice.rounding = mode;
                    const double used = use(c, choice, random);
                    ASSERT_LE(used, 1);
                    most = std::max(most, used);
                }
                std::printf("adversary: %s k %lld, parts of %d and %d: %.1f %% of the bound\n", name_of(kind),
                            static_cast<long long>(k), dot_part, sum_part, 100 * most);
                worst = std::max(worst, most);
            }
        }
    }
    std::printf("worst: %.1f %%\n", 100 * worst);
    EXPECT_GT(worst, 0.95) << "the bound counts roundings that no legal order has";
}

TEST(BoundUse, RandomLayersUseLittle) {
    constexpr std::uint64_t kSeed = 5;
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    std::mt19937_64 random(kSeed);
    for (const pm::Activation kind : kKinds) {
        double most = 0;
        for (int trial = 0; trial < 100; ++trial) {
            const AffineCase c = random_layer(kind, 1, 1, 512, 4, random);
            OrderChoice choice;
            choice.dot_part = choice.sum_part = trial % 2 == 0 ? 32 : 64;
            most = std::max(most, use(c, choice, random));
        }
        std::printf("random layer, random order: %s k 512: at most %.2f %% of the bound in 100\n", name_of(kind),
                    100 * most);
        EXPECT_LT(most, 0.5);
    }
}

// The width of the interval in units in the last place of the output.
TEST(BoundUse, WidthOnServedShapes) {
    constexpr std::uint64_t kSeed = 6;
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    std::mt19937_64 random(kSeed);
    for (const pm::Activation kind : kKinds) {
        for (const auto& [n, k] : {std::pair{2688, 1856}, std::pair{1856, 2688}}) {
            const AffineCase c = random_layer(kind, 1, n, k, 4, random);
            for (const char* oracle : {"affine", "affine_relu2"}) {
                std::vector<double> widths;
                for (const hkc::OutputBound& b : c.ask(oracle)) {
                    if (b.hi <= 0) continue; // relu2 of what is surely negative is the one value 0
                    int exponent = 0;
                    std::frexp(std::max(std::abs(b.lo), b.hi), &exponent);
                    const int precision = kind == pm::Activation::kFp16 ? 11 : 8;
                    widths.push_back((b.hi - b.lo) / std::ldexp(1.0, exponent - precision));
                }
                std::sort(widths.begin(), widths.end());
                const double median = widths[widths.size() / 2];
                std::printf("width: %s n %d k %d %s: median %g ulp, 9 of 10 at most %g ulp\n", name_of(kind), n, k,
                            oracle, median, widths[widths.size() * 9 / 10]);
                EXPECT_LE(median, kind == pm::Activation::kFp16 ? 16 : 2);
            }
        }
    }
}

} // namespace
