// What an atomic leaves in memory, for LDS, global and flat ones alike.
//
// Sources: RDNA ISA documents, listings of the DS, FLAT and GLOBAL instructions.
#pragma once

#include "peacemaker/emu/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace pm::emu::atomics {

/// The new contents of memory from the old ones and the operands; values of `bytes` bytes, zero-extended.
using Op = std::uint64_t (*)(std::uint64_t memory, std::uint64_t data, std::uint64_t second);

/// What the rows of float atomics say of their answers.
inline constexpr std::string_view kFloatAddNote =
    "lanes in order, each sum rounded to nearest even, subnormals kept; the ISA leaves the order open, and a chip may "
    "flush subnormals";
inline constexpr std::string_view kFloatMinMaxNote =
    "a NaN operand gives the other one, -0 is below +0; the ISA leaves NaN and signed zero open";

template <typename T>
std::uint64_t add(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m + d);
}
template <typename T>
std::uint64_t sub(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m - d);
}
template <typename T>
std::uint64_t reverse_sub(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(d - m);
}
template <typename T>
std::uint64_t smallest(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<std::make_unsigned_t<T>>(std::min(static_cast<T>(m), static_cast<T>(d)));
}
template <typename T>
std::uint64_t largest(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<std::make_unsigned_t<T>>(std::max(static_cast<T>(m), static_cast<T>(d)));
}
template <typename T>
std::uint64_t both(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m & d);
}
template <typename T>
std::uint64_t either(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m | d);
}
template <typename T>
std::uint64_t differ(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m ^ d);
}
template <typename T>
std::uint64_t exchange(std::uint64_t, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(d);
}
template <typename T>
std::uint64_t increment(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m) >= static_cast<T>(d) ? 0 : static_cast<T>(m + 1);
}
template <typename T>
std::uint64_t decrement(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    return static_cast<T>(m) == 0 || static_cast<T>(m) > static_cast<T>(d) ? static_cast<T>(d) : static_cast<T>(m - 1);
}
/// gfx10 DS_CMPST: the first data is compared with.
template <typename T>
std::uint64_t compare_first(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return static_cast<T>(m) == static_cast<T>(d) ? static_cast<T>(s) : static_cast<T>(m);
}
/// DS_CMPSTORE and the global compare-and-swap: the first data is stored.
template <typename T>
std::uint64_t compare_second(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return compare_first<T>(m, s, d);
}
/// The bits of the first data are cleared, those of the second set.
template <typename T>
std::uint64_t masked_or(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return static_cast<T>((m & ~d) | s);
}
/// Not below zero.
inline std::uint64_t sub_clamp(std::uint64_t m, std::uint64_t d, std::uint64_t) { return m < d ? 0 : m - d; }
/// Only where it does not go below zero.
inline std::uint64_t sub_if(std::uint64_t m, std::uint64_t d, std::uint64_t) { return m < d ? m : m - d; }
inline std::uint64_t wrap(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return static_cast<std::uint32_t>(m >= d ? m - d : m + s);
}

template <typename F>
F float_of(std::uint64_t bits) {
    if constexpr (sizeof(F) == 8)
        return std::bit_cast<double>(bits);
    else
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
template <typename F>
std::uint64_t bits_of(F value) {
    if constexpr (sizeof(F) == 8)
        return std::bit_cast<std::uint64_t>(value);
    else
        return std::bit_cast<std::uint32_t>(value);
}
/// A NaN operand made quiet, the first one first; an infinity less itself is the default NaN.
template <typename F>
std::uint64_t quiet(std::uint64_t nan) {
    return nan | (sizeof(F) == 8 ? std::uint64_t{1} << 51 : std::uint64_t{1} << 22);
}
template <typename F>
std::uint64_t float_add(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    const F a = float_of<F>(m), b = float_of<F>(d);
    if (std::isnan(a)) return quiet<F>(m);
    if (std::isnan(b)) return quiet<F>(d);
    const F sum = a + b;
    return bits_of(std::isnan(sum) ? std::numeric_limits<F>::quiet_NaN() : sum);
}
template <typename F, bool Max>
std::uint64_t float_extreme(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    const F a = float_of<F>(m), b = float_of<F>(d);
    if (std::isnan(a)) return std::isnan(b) ? quiet<F>(m) : d;
    if (std::isnan(b)) return m;
    if (a == b) return std::signbit(a) == Max ? d : m;
    return (a < b) == Max ? d : m;
}
template <typename F>
std::uint64_t float_compare_first(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return float_of<F>(m) == float_of<F>(d) ? s : m;
}
template <typename F>
std::uint64_t float_compare_second(std::uint64_t m, std::uint64_t d, std::uint64_t s) {
    return float_compare_first<F>(m, s, d);
}

/// Two 16-bit sums. One f32 sum rounded again to the 16 bits is the correctly rounded one: f32 has more than twice
/// their precision and two bits.
template <std::uint32_t (*Widen)(std::uint32_t), std::uint32_t (*Narrow)(std::uint32_t)>
std::uint64_t packed_add(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    const auto sum = [](std::uint64_t a, std::uint64_t b) {
        return Narrow(static_cast<std::uint32_t>(float_add<float>(Widen(static_cast<std::uint32_t>(a) & 0xffffu),
                                                                  Widen(static_cast<std::uint32_t>(b) & 0xffffu), 0)));
    };
    return sum(m, d) | static_cast<std::uint64_t>(sum(m >> 16, d >> 16)) << 16;
}

} // namespace pm::emu::atomics
