// Floating-point arithmetic on exact rationals, for tests: shares no code with what it checks.
#pragma once

#include <gmpxx.h>

#include <cstdint>

namespace exact {

/// Bits of the significand with the hidden one, and the exponent of the least subnormal.
struct Format {
    int precision;
    int least_exponent;
};
inline constexpr Format kF32{24, -149};
inline constexpr Format kFp16{11, -24};
inline constexpr Format kBf16{8, -133};

/// Every mode keeps a value that the format holds, and gives a neighbour of one that it does not.
enum class Mode : std::uint8_t { kNearestEven, kDown, kUp, kTowardZero, kAwayFromZero };

/// 2^exponent.
mpq_class power_of_two(int exponent);

/// `value` rounded to the format; its largest finite value is not looked at.
mpq_class round(const mpq_class& value, Format format, Mode mode);

/// The value of a 16-bit pattern by the definition of the format; the pattern is finite.
mpq_class fp16(std::uint16_t bits);
mpq_class bf16(std::uint16_t bits);

} // namespace exact
