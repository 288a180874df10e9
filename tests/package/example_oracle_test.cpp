// The oracle of examples/row-sum: its bound against sums in other orders, and its classes against IEEE arithmetic.
#include "contract/oracle/oracle.h"
#include "contract/oracle/plugin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();

/// The bound of one row.
hkc::OutputBound bound_of(const std::vector<float>& row) {
    static const bool loaded = [] {
        const auto done = hkc::load_oracles(ROW_SUM_ORACLES);
        EXPECT_TRUE(done) << done.error().text;
        return static_cast<bool>(done);
    }();
    const hkc::Oracle* const oracle = loaded ? hkc::find_oracle("row_sum") : nullptr;
    if (oracle == nullptr) return {};
    hkc::OracleInput input;
    input.scope["n"] = static_cast<std::int64_t>(row.size());
    input.buffers["x"] = std::as_bytes(std::span(row));
    const auto out = (*oracle)(input);
    EXPECT_TRUE(out) << out.error().text;
    return out ? out->at("out").at(0) : hkc::OutputBound{};
}

TEST(RowSumOracle, HoldsSumsInAnyOrder) {
    std::mt19937 random(7);
    std::normal_distribution<float> values;
    for (const std::size_t n : {1U, 2U, 257U, 2048U}) {
        std::vector<float> row(n);
        for (float& v : row) v = values(random);
        const hkc::OutputBound bound = bound_of(row);
        for (int order = 0; order < 20; ++order) {
            std::shuffle(row.begin(), row.end(), random);
            float sum = 0;
            for (const float v : row) sum += v;
            EXPECT_TRUE(hkc::contains(bound, static_cast<double>(sum))) << n;
        }
        EXPECT_FALSE(hkc::contains(bound, bound.hi + 1)) << n;
        EXPECT_FALSE(bound.pos_inf || bound.neg_inf || bound.nan) << n;
    }
}

TEST(RowSumOracle, IsTightWhereSumsAreExact) {
    const hkc::OutputBound one = bound_of({3});
    EXPECT_LE(one.hi - one.lo, 2 * 0x1p-21) << "a value and its neighbours";
    EXPECT_FALSE(hkc::contains(bound_of({1, 2, 4}), 3));
    EXPECT_TRUE(hkc::contains(bound_of({1, 2, 4}), 7));
}

TEST(RowSumOracle, GivesTheClassesOfIeeeSums) {
    const hkc::OutputBound nan = bound_of({1, kNan, 2}), both = bound_of({kInf, -kInf});
    for (const hkc::OutputBound& bound : {nan, both}) {
        EXPECT_TRUE(bound.nan);
        EXPECT_FALSE(bound.finite || bound.pos_inf || bound.neg_inf);
    }
    const hkc::OutputBound infinite = bound_of({1, kInf, 2});
    EXPECT_TRUE(infinite.pos_inf);
    EXPECT_FALSE(infinite.finite || infinite.neg_inf || infinite.nan);
    const hkc::OutputBound over = bound_of({kMax, kMax});
    EXPECT_TRUE(over.pos_inf);
    EXPECT_FALSE(over.finite || over.neg_inf || over.nan);
    // max + max - max - max: the order decides.
    const hkc::OutputBound any = bound_of({kMax, kMax, -kMax, -kMax});
    EXPECT_TRUE(any.finite && any.pos_inf && any.neg_inf && any.nan);
}

} // namespace
