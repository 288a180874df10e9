// Functions whose error the ISA only bounds: the one answer that the device gives, which docs/fidelity.md states.
//
// Sources: RDNA ISA documents, V_RCP, V_RSQ, V_SQRT, V_EXP, V_LOG, V_SIN, V_COS with their functional examples.
#pragma once

#include "peacemaker/emu/float_format.h"

#include <cmath>
#include <string_view>

namespace pm::emu {

inline double reciprocal(double x) { return 1.0 / x; }
inline double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }
inline double root(double x) { return std::sqrt(x); }
inline double power_of_2(double x) { return std::exp2(x); }
inline double logarithm(double x) { return std::log2(x); }

/// An invalid operation's NaN is negative here, as the examples show.
template <typename F>
inline constexpr typename F::Word kInvalidFunction = F::kDefaultNan | F::kSign;

/// A subnormal as a zero of its sign.
template <typename F>
typename F::Word flushed(typename F::Word v) {
    return is_subnormal<F>(v) ? v & F::kSign : v;
}

/// The number of the format that is nearest to the function computed in f64. With `Flush` subnormal operands and
/// results count as zeros.
template <typename F, double (*Function)(double), bool Flush = false>
typename F::Word nearest_of(typename F::Word a) {
    if (is_nan<F>(a)) return a | F::kQuiet;
    const double r = Function(value_of<F>(Flush ? flushed<F>(a) : a));
    if (std::isnan(r)) return kInvalidFunction<F>;
    return Flush ? flushed<F>(nearest<F>(r)) : nearest<F>(r);
}

/// Sine or cosine of an angle in turns; beyond 256 turns the sine is 0 and the cosine 1.
template <typename F, bool Cosine>
typename F::Word circular(typename F::Word a) {
    constexpr double kTurn = 6.283185307179586476925286766559;
    if (is_nan<F>(a)) return a | F::kQuiet;
    if (is_infinite<F>(a)) return kInvalidFunction<F>;
    const double turns = value_of<F>(a);
    if (std::fabs(turns) > 256.0) return nearest<F>(Cosine ? 1.0 : 0.0);
    const double rest = turns - std::nearbyint(turns); // exact, in [-1/2, 1/2]
    // Quarter turns are exact.
    if (std::fabs(rest) == 0.25) return nearest<F>(Cosine ? 0.0 : std::copysign(1.0, rest));
    if (!Cosine && std::fabs(rest) == 0.5) return 0;
    if (!Cosine && rest == 0) return nearest<F>(std::copysign(0.0, turns));
    return nearest<F>(Cosine ? std::cos(rest * kTurn) : std::sin(rest * kTurn));
}

inline constexpr std::string_view kFlushedNote = "the nearest f32, subnormal operands and results as zeros; the ISA "
                                                 "bounds the error by 1 ulp and flushes subnormals";
inline constexpr std::string_view kNearestHalfNote =
    "the nearest f16, subnormals kept; the ISA bounds the error by 1 ulp";
inline constexpr std::string_view kDoubleNote = "IEEE division and square root; the ISA bounds the error by 2^29 ulp";
inline constexpr std::string_view kCircularNote =
    "the nearest number to the sine or cosine of 2 pi x, beyond 256 turns 0 or 1; the ISA states no bound";

} // namespace pm::emu
