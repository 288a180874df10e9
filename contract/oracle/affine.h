// The oracles "affine" and "affine_relu2": what an affine-quantised product may give under any legal evaluation order.
//
//   y[m,n] = sum over groups g of scale[n,g] * (sum of x*code in g) + bias[n,g] * (sum of x in g),  accumulated in f32
//
// The legal orders and the bound that covers them are derived in docs/oracle.md. The parts below are public so that
// tests can look at the accumulator before it is rounded.
#pragma once

#include "contract/oracle/oracle.h"

#include <cstdint>

namespace hkc {

/// One shape and its decoded inputs; codes stay packed.
struct AffineProblem {
    pm::Activation kind = pm::Activation::kBf16;
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t group = 64; // codes that share a scale and a bias
    std::int64_t chunk = 32; // the fewest codes that are summed before scale or bias multiplies; divides group
    int bits = 4;            // a code: 4, 5, 6 or 8

    std::vector<double> x; // (m, k)
    std::vector<double>
        x_halfwidth; // (m, k): a subnormal counts as itself or as zero, so x holds its half, and this the same half
    std::vector<double> scale, bias;  // (n, k/group)
    std::vector<std::uint32_t> words; // (n, k*bits/32)

    std::int64_t groups() const { return k / group; }
};

/// Classes of an f32 value, as a bit set.
enum : std::uint8_t { kFiniteClass = 1, kPosInfClass = 2, kNegInfClass = 4, kNanClass = 8 };

/// What the f32 accumulator of one output may hold: a finite value within centre +- error, where that class is set, or
/// the others set.
struct SumBound {
    double centre = 0, error = 0;
    std::uint8_t classes = kFiniteClass;
};

/// Reads bits, group, chunk (32 where absent), m, n, k of the scope and the buffers x, words, scale, bias.
/// Error: the missing name, or the size or value that does not fit, with what was expected.
pm::Result<AffineProblem> read_affine(const OracleInput& input);

/// The bounds of all (m, n) accumulators, row-major, by dense products; outputs that infinities, NaNs or f32 overflow
/// can reach are left to affine_sum. Memory beside the problem and the result: a few rows of weights.
std::vector<SumBound> affine_sums(const AffineProblem& problem);

/// The bound of one accumulator, term by term, special values included: slow and plain.
SumBound affine_sum(const AffineProblem& problem, std::int64_t row, std::int64_t col);

/// The bound after rounding to the activation type.
OutputBound round_sum(pm::Activation kind, const SumBound& sum);

pm::Result<OracleOutput> affine_oracle(const OracleInput& input);
pm::Result<OracleOutput> affine_relu2_oracle(const OracleInput& input);

} // namespace hkc
