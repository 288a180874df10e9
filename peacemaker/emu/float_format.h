// Arithmetic on the bits of IEEE numbers that is the same for f16, f32 and f64: order, minimum and maximum, classes,
// quiet NaNs.
//
// Sources: RDNA ISA documents, instruction listings; IEEE 754-2008 (minNum, maxNum) and 754-2019 (minimum, maximum).
#pragma once

#include "peacemaker/emu/half.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace pm::emu {

/// A format by its fields. `Word` holds the bits; those of F16 lie in the low half of a 32-bit word. `Native` is the
/// host's type of the format, where it has one.
struct F16 {
    using Word = std::uint32_t;
    static constexpr Word kSign = 0x8000, kInfinity = 0x7c00, kQuiet = 0x200, kDefaultNan = 0x7e00;
    static constexpr int kMantissaBits = 10, kBias = 15;
};
struct F32 {
    using Word = std::uint32_t;
    using Native = float;
    static constexpr Word kSign = 0x80000000, kInfinity = 0x7f800000, kQuiet = 0x400000, kDefaultNan = 0x7fc00000;
    static constexpr int kMantissaBits = 23, kBias = 127;
};
struct F64 {
    using Word = std::uint64_t;
    using Native = double;
    static constexpr Word kSign = 0x8000000000000000, kInfinity = 0x7ff0000000000000, kQuiet = 0x8000000000000,
                          kDefaultNan = 0x7ff8000000000000;
    static constexpr int kMantissaBits = 52, kBias = 1023;
};

template <typename F>
constexpr typename F::Word magnitude_of(typename F::Word v) {
    return v & (F::kSign - 1);
}
template <typename F>
constexpr bool negative(typename F::Word v) {
    return (v & F::kSign) != 0;
}
template <typename F>
constexpr bool is_nan(typename F::Word v) {
    return magnitude_of<F>(v) > F::kInfinity;
}
template <typename F>
constexpr bool is_infinite(typename F::Word v) {
    return magnitude_of<F>(v) == F::kInfinity;
}
template <typename F>
constexpr bool is_signalling(typename F::Word v) {
    return is_nan<F>(v) && (v & F::kQuiet) == 0;
}
template <typename F>
constexpr bool is_subnormal(typename F::Word v) {
    return magnitude_of<F>(v) != 0 && magnitude_of<F>(v) < (typename F::Word{1} << F::kMantissaBits);
}
/// The exponent field.
template <typename F>
constexpr int exponent_of(typename F::Word v) {
    return static_cast<int>(magnitude_of<F>(v) >> F::kMantissaBits);
}

/// The exact value of the number; a NaN stays one.
template <typename F>
double value_of(typename F::Word v) {
    if constexpr (F::kMantissaBits == 52)
        return std::bit_cast<double>(v);
    else if constexpr (F::kMantissaBits == 23)
        return std::bit_cast<float>(v);
    else
        return std::bit_cast<float>(widen_half(v));
}

/// f32 bits of `v`, with the last bit set where anything was cut off, so that a second rounding to a shorter format is
/// the only one. Not for NaN.
inline std::uint32_t f32_to_odd(double v) {
    auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    const double back = std::bit_cast<float>(bits);
    if (std::fabs(back) > std::fabs(v)) --bits;
    if (back != v) bits |= 1u;
    return bits;
}

/// The number nearest to `v`, ties to even.
template <typename F>
typename F::Word nearest(double v) {
    if constexpr (F::kMantissaBits == 52) {
        return std::bit_cast<std::uint64_t>(v);
    } else if constexpr (F::kMantissaBits == 23) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(v));
    } else {
        return round_f16(std::isnan(v) ? std::bit_cast<std::uint32_t>(static_cast<float>(v)) : f32_to_odd(v));
    }
}

/// a + b with the last bit set where the sum is not exact: a further rounding to a shorter format is then the only one.
/// Without branches, so that lanes can be taken at a time.
template <typename T>
T sum_to_odd(T a, T b) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T sum = a + b;
    // What the sum lost (Knuth's two-sum); NaN beside infinities.
    const T part = sum - a;
    const T lost = (a - (sum - part)) + (b - part);
    const auto bits = std::bit_cast<Word>(sum);
    constexpr Word kInfinity = std::bit_cast<Word>(std::numeric_limits<T>::infinity());
    const bool inexact = (bits & kInfinity) != kInfinity && lost != 0 && (bits & 1U) == 0;
    const Word step = (lost > 0) == (sum > 0) ? Word{1} : ~Word{0};
    return std::bit_cast<T>(bits + (inexact ? step : Word{0}));
}

/// The result of an operation whose arithmetic gave `r`: where that is a NaN, the first NaN source made quiet, or the
/// default NaN if the operation itself is invalid.
template <typename F, typename... S>
typename F::Word settled(typename F::Word r, S... sources) {
    if (!is_nan<F>(r)) return r;
    typename F::Word nan = F::kDefaultNan;
    bool found = false;
    ((nan = !found && is_nan<F>(sources) ? (found = true, sources | F::kQuiet) : nan), ...);
    return nan;
}

/// As a number that orders like the values, with -0 before +0.
template <typename F>
constexpr std::int64_t order_key(typename F::Word v) {
    const auto magnitude = static_cast<std::int64_t>(magnitude_of<F>(v));
    return negative<F>(v) ? -1 - magnitude : magnitude;
}

/// minNum and maxNum: a quiet NaN counts as missing, a signalling one makes the result quiet.
template <typename F, bool Max>
constexpr typename F::Word pick_number(typename F::Word a, typename F::Word b) {
    if (is_signalling<F>(a)) return a | F::kQuiet;
    if (is_signalling<F>(b)) return b | F::kQuiet;
    if (is_nan<F>(a)) return is_nan<F>(b) ? a : b;
    if (is_nan<F>(b)) return a;
    return (order_key<F>(a) > order_key<F>(b)) == Max ? a : b;
}

/// minimum and maximum: any NaN is the result.
template <typename F, bool Max>
constexpr typename F::Word pick_strict(typename F::Word a, typename F::Word b) {
    if (is_nan<F>(a)) return a | F::kQuiet;
    if (is_nan<F>(b)) return b | F::kQuiet;
    return (order_key<F>(a) > order_key<F>(b)) == Max ? a : b;
}

template <typename F, bool Max>
constexpr typename F::Word pick3_number(typename F::Word a, typename F::Word b, typename F::Word c) {
    return pick_number<F, Max>(pick_number<F, Max>(a, b), c);
}
template <typename F, bool Max>
constexpr typename F::Word pick3_strict(typename F::Word a, typename F::Word b, typename F::Word c) {
    return pick_strict<F, Max>(pick_strict<F, Max>(a, b), c);
}
/// V_MINMAX, V_MAXMIN and their strict forms: the first choice among a and b, the other one with c.
template <typename F, bool MaxFirst>
constexpr typename F::Word clamp_number(typename F::Word a, typename F::Word b, typename F::Word c) {
    return pick_number<F, !MaxFirst>(pick_number<F, MaxFirst>(a, b), c);
}
template <typename F, bool MaxFirst>
constexpr typename F::Word clamp_strict(typename F::Word a, typename F::Word b, typename F::Word c) {
    return pick_strict<F, !MaxFirst>(pick_strict<F, MaxFirst>(a, b), c);
}
/// V_MED3: with a NaN the minimum of the three.
template <typename F>
constexpr typename F::Word median(typename F::Word a, typename F::Word b, typename F::Word c) {
    if (is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c)) return pick3_number<F, false>(a, b, c);
    const typename F::Word largest = pick3_number<F, true>(a, b, c);
    if (largest == a) return pick_number<F, true>(b, c);
    if (largest == b) return pick_number<F, true>(a, c);
    return pick_number<F, true>(a, b);
}

/// V_CMP_CLASS: whether the number's class is among those of `mask` (signalling NaN, quiet NaN, -infinity, -normal,
/// -subnormal, -0, +0, +subnormal, +normal, +infinity, from bit 0).
template <typename F>
constexpr bool in_class(typename F::Word v, std::uint32_t mask) {
    std::uint32_t bit = 0;
    if (is_nan<F>(v))
        bit = is_signalling<F>(v) ? 0 : 1;
    else {
        const std::uint32_t size = is_infinite<F>(v) ? 3 : magnitude_of<F>(v) == 0 ? 0 : is_subnormal<F>(v) ? 1 : 2;
        bit = negative<F>(v) ? 5 - size : 6 + size;
    }
    return ((mask >> bit) & 1u) != 0;
}

/// Comparisons by their outcome: whether less, equal, greater and unordered count as true.
template <typename F, bool Less, bool Equal, bool Greater, bool Unordered>
constexpr bool compared(typename F::Word a, typename F::Word b) {
    if (is_nan<F>(a) || is_nan<F>(b)) return Unordered;
    if (magnitude_of<F>(a) == 0 && magnitude_of<F>(b) == 0) return Equal;
    const std::int64_t x = order_key<F>(a), y = order_key<F>(b);
    return x < y ? Less : x > y ? Greater : Equal;
}

/// V_FREXP_EXP: infinities and NaN give 0.
template <typename F>
std::uint32_t frexp_exponent(typename F::Word v) {
    if (is_nan<F>(v) || is_infinite<F>(v)) return 0;
    int exponent = 0;
    (void)std::frexp(value_of<F>(v), &exponent);
    return static_cast<std::uint32_t>(exponent);
}
/// V_FREXP_MANT: infinities and NaN give themselves, a NaN made quiet.
template <typename F>
typename F::Word frexp_mantissa(typename F::Word v) {
    if (is_nan<F>(v)) return v | F::kQuiet;
    if (is_infinite<F>(v)) return v;
    int exponent = 0;
    return nearest<F>(std::frexp(value_of<F>(v), &exponent));
}

/// V_FRACT: x - floor(x), kept below 1.
template <typename F>
typename F::Word fraction(typename F::Word v) {
    const double x = value_of<F>(v);
    const typename F::Word r = settled<F>(nearest<F>(x - std::floor(x)), v);
    constexpr typename F::Word kOne = static_cast<typename F::Word>(F::kBias) << F::kMantissaBits;
    return !is_nan<F>(r) && !negative<F>(r) && r >= kOne ? kOne - 1 : r;
}

enum class Whole { kTruncate, kCeiling, kNearestEven, kFloor };
/// The integer next to the number in that direction.
template <typename F, Whole Direction>
typename F::Word whole(typename F::Word v) {
    const double x = value_of<F>(v);
    const double r = Direction == Whole::kTruncate      ? std::trunc(x)
                     : Direction == Whole::kCeiling     ? std::ceil(x)
                     : Direction == Whole::kNearestEven ? std::nearbyint(x)
                                                        : std::floor(x);
    return settled<F>(nearest<F>(r), v);
}

/// V_LDEXP: v times two to the power of a signed exponent.
template <typename F>
typename F::Word scaled(typename F::Word v, std::int32_t exponent) {
    const std::int32_t bounded = exponent < -5000 ? -5000 : exponent > 5000 ? 5000 : exponent;
    if (is_nan<F>(v)) return v | F::kQuiet;
    if constexpr (F::kMantissaBits == 23)
        return std::bit_cast<std::uint32_t>(std::ldexp(std::bit_cast<float>(v), bounded));
    else
        return nearest<F>(std::ldexp(value_of<F>(v), bounded));
}

/// What a division of the format scales its operands by, and the exponent differences that decide about it.
template <typename F>
struct DivisionScale;
template <>
struct DivisionScale<F32> {
    static constexpr int kShift = 64, kLargeQuotient = 96, kSmallNumerator = 23;
};
template <>
struct DivisionScale<F64> {
    static constexpr int kShift = 128, kLargeQuotient = 768, kSmallNumerator = 53;
};

/// V_DIV_SCALE: `value`, which is the denominator or the numerator, as the division takes it, and whether its quotient
/// is scaled back. The ISA documents compare 1 / S1 with an f64 subnormal, which an f32 never reaches; what keeps
/// V_RCP's result from being flushed is taken here: the denominator is scaled down where its reciprocal would be
/// subnormal.
template <typename F>
typename F::Word division_scale(typename F::Word value, typename F::Word denominator, typename F::Word numerator,
                                bool& scaled_back) {
    using Native = typename F::Native;
    using Scale = DivisionScale<F>;
    const auto subnormal = [](Native v) { return is_subnormal<F>(std::bit_cast<typename F::Word>(v)); };
    scaled_back = false;
    if (magnitude_of<F>(denominator) == 0 || magnitude_of<F>(numerator) == 0) return F::kDefaultNan;
    const int d = exponent_of<F>(denominator), n = exponent_of<F>(numerator);
    const auto divisor = std::bit_cast<Native>(denominator);
    const bool small_reciprocal = subnormal(Native{1} / divisor);
    const bool small_quotient = subnormal(std::bit_cast<Native>(numerator) / divisor);
    if (n - d >= Scale::kLargeQuotient) {
        scaled_back = true;
        return value == denominator ? scaled<F>(value, Scale::kShift) : value;
    }
    if (is_subnormal<F>(denominator)) return scaled<F>(value, Scale::kShift);
    if (small_reciprocal && small_quotient) {
        scaled_back = true;
        return value == denominator ? scaled<F>(value, -Scale::kShift) : value;
    }
    if (small_reciprocal) return scaled<F>(value, -Scale::kShift);
    if (small_quotient) {
        scaled_back = true;
        return value == numerator ? scaled<F>(value, Scale::kShift) : value;
    }
    return n <= Scale::kSmallNumerator ? scaled<F>(value, Scale::kShift) : value;
}

/// V_DIV_FIXUP: the special cases of numerator / denominator around a quotient. `least` is the exponent difference
/// below which the quotient underflows, 0 where there is no such test. The steps of an overflowing division end in a
/// NaN, which stands for infinity (f32, f64).
template <typename F>
constexpr typename F::Word division_fixup(typename F::Word quotient, typename F::Word denominator,
                                          typename F::Word numerator, int least) {
    const typename F::Word sign = (denominator ^ numerator) & F::kSign;
    const typename F::Word d = magnitude_of<F>(denominator), n = magnitude_of<F>(numerator);
    constexpr typename F::Word kInvalid = F::kDefaultNan | F::kSign;
    if (is_nan<F>(numerator)) return numerator | F::kQuiet;
    if (is_nan<F>(denominator)) return denominator | F::kQuiet;
    if ((d == 0 && n == 0) || (d == F::kInfinity && n == F::kInfinity)) return kInvalid;
    if (d == 0 || n == F::kInfinity) return sign | F::kInfinity;
    if (d == F::kInfinity || n == 0) return sign;
    if (least != 0 && exponent_of<F>(numerator) - exponent_of<F>(denominator) < least) return sign;
    if (is_nan<F>(quotient)) return least != 0 ? sign | F::kInfinity : quotient | F::kQuiet;
    return sign | magnitude_of<F>(quotient);
}

/// To a signed or unsigned integer of `Bits` bits, cut off and kept in range; a NaN gives 0.
template <typename F, int Bits, bool Signed>
std::uint32_t to_int(typename F::Word v) {
    if (is_nan<F>(v)) return 0;
    const double x = std::trunc(value_of<F>(v));
    const double most = Signed ? std::ldexp(1.0, Bits - 1) - 1 : std::ldexp(1.0, Bits) - 1;
    const double least = Signed ? -std::ldexp(1.0, Bits - 1) : 0;
    const double kept = x < least ? least : x > most ? most : x;
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(kept));
}

/// To a signed or unsigned normalised integer of 16 bits: 1 is its largest value. Rounded once to nearest even, kept in
/// range; a NaN gives 0.
template <typename F, bool Signed>
std::uint32_t to_normalized(typename F::Word v) {
    if (is_nan<F>(v)) return 0;
    const double most = Signed ? 32767 : 65535, least = Signed ? -32767 : 0;
    const double x = std::nearbyint(value_of<F>(v) * most);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(x < least ? least : x > most ? most : x)) & 0xffffu;
}

/// Two results side by side.
template <auto Op>
std::uint32_t pair_of(std::uint32_t a, std::uint32_t b) {
    return (Op(a) & 0xffffu) | Op(b) << 16;
}

inline constexpr std::string_view kNormalizedNote =
    "rounded once to nearest even; the ISA does not state the rounding, and a card may differ by one unit";

} // namespace pm::emu
