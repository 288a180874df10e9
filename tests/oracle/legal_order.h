// Legal evaluations of one affine output on exact rationals: what the contract lets a kernel do, and nothing of how the
// oracle bounds it.
#pragma once

#include "tests/oracle/affine_case.h"
#include "tests/oracle/exact.h"

#include <gmpxx.h>

#include <cstdint>
#include <random>
#include <vector>

/// How one dot2 step, acc + a0*b0 + a1*b1, rounds: fma by fma from either end, the two products first, or all at once.
enum class DotForm : std::uint8_t { kLowFirst, kHighFirst, kProductsFirst, kOneRounding };

/// What a legal evaluation is free to choose. A random one chooses afresh at every step where a field is "any".
struct OrderChoice {
    int dot_part = 32, sum_part = 32; // codes that are summed before the scale multiplies, and x before the bias does
    bool any_form = true;             // else `form`
    DotForm form = DotForm::kLowFirst;
    bool any_rounding = true; // of dot2, within 2^-23; else `rounding`
    exact::Mode rounding = exact::Mode::kNearestEven;
    bool may_flush = true; // dot2 may flush subnormal operands and results
    bool any_tree = true;  // random chains, folded in random trees; else one chain in the order of k
    bool fused = true;     // fma for scale*dot and bias*sum; with any_tree, either
};

/// The f32 accumulator of output (row, col) before it is rounded to the activation type, under one legal evaluation.
mpq_class legal_sum(const AffineCase& c, std::int64_t row, std::int64_t col, const OrderChoice& choice,
                    std::mt19937_64& random);

/// The same without any rounding.
mpq_class exact_sum(const AffineCase& c, std::int64_t row, std::int64_t col);

/// Rounded to the activation type; and the square of its positive part in f32, rounded again.
mpq_class rounded(pm::Activation kind, const mpq_class& value);
mpq_class relu2_rounded(pm::Activation kind, const mpq_class& value);
