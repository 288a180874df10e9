// What row_sum may give: the sum of a row in f32, added in any order.
#include "contract/oracle/plugin.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

constexpr double kRounding = 0x1p-24; // of one f32 addition, relative; subnormal sums are exact
constexpr double kLargest = std::numeric_limits<float>::max();

/// The f32 at or next below `value` (next above with `up`), infinite past the largest.
double f32_around(double value, bool up) {
    const double rounded = static_cast<double>(static_cast<float>(value));
    const float beyond = up ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
    if (up ? rounded >= value : rounded <= value) return rounded;
    return static_cast<double>(std::nextafter(static_cast<float>(rounded), beyond));
}

/// The sums of `n` values: their exact sum, and around it what n - 1 roundings can change.
hkc::OutputBound bound_of_sum(const float* values, std::size_t n) {
    double positive = 0, negative = 0;
    bool pos_inf = false, neg_inf = false, nan = false;
    for (std::size_t i = 0; i < n; ++i) {
        const double v = static_cast<double>(values[i]);
        nan |= std::isnan(v);
        pos_inf |= v > kLargest;
        neg_inf |= v < -kLargest;
        if (std::isfinite(v)) (v > 0 ? positive : negative) += v;
    }
    hkc::OutputBound bound;
    if (nan || (pos_inf && neg_inf)) return {0, 0, false, false, false, true};
    // n - 1 additions round; one more stands for the rounding of the double sums here.
    const double growth = std::pow(1 + kRounding, static_cast<double>(n)) - 1;
    // The positive terms alone are the largest sum on the way, in any order.
    const bool over = positive * (1 + growth) > kLargest, under = negative * (1 + growth) < -kLargest;
    bound.pos_inf = pos_inf || over;
    bound.neg_inf = neg_inf || under;
    bound.nan = bound.pos_inf && bound.neg_inf;
    if (pos_inf || neg_inf) {
        bound.finite = false;
        return bound;
    }
    const double error = growth * (positive - negative);
    const double low = positive + negative - error, high = positive + negative + error;
    bound.finite = low <= kLargest && high >= -kLargest;
    bound.lo = std::max(-kLargest, f32_around(low, false));
    bound.hi = std::min(kLargest, f32_around(high, true));
    return bound;
}

pm::Result<hkc::OracleOutput> row_sum(const hkc::OracleInput& input) {
    const auto x = input.buffers.find("x");
    const auto n = input.scope.find("n");
    if (x == input.buffers.end() || n == input.scope.end() || n->second <= 0)
        return pm::Error{"oracle row_sum: expected a buffer \"x\" and a shape with n, at least 1"};
    std::vector<float> values(x->second.size() / sizeof(float));
    std::memcpy(values.data(), x->second.data(), values.size() * sizeof(float));
    std::vector<hkc::OutputBound> out;
    const auto width = static_cast<std::size_t>(n->second);
    for (std::size_t at = 0; at + width <= values.size(); at += width) out.push_back(bound_of_sum(&values[at], width));
    return hkc::OracleOutput{{"out", std::move(out)}};
}

} // namespace

void hkc_register_oracles(void (*add)(const char* name, hkc::Oracle oracle)) { add("row_sum", row_sum); }
