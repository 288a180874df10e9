// Floating point by exact integers: the reference that the emulator's arithmetic is compared with.
#pragma once

#include <gmpxx.h>

#include <cstdint>

namespace pm::testing {

/// A binary format by its fields; values are bits.
struct Format {
    unsigned exponent_bits, mantissa_bits;
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
    std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
    bool is_nan(std::uint64_t v) const { return (v & ~sign()) > infinity(); }
    bool is_infinite(std::uint64_t v) const { return (v & ~sign()) == infinity(); }
    bool negative(std::uint64_t v) const { return (v & sign()) != 0; }
    std::uint64_t quiet(std::uint64_t v) const { return v | std::uint64_t{1} << (mantissa_bits - 1); }
};
inline constexpr Format kF64{11, 52}, kF32{8, 23}, kF16{5, 10}, kBf16{8, 7};

enum class Rounding { kNearestEven, kTowardsZero };

/// The exact value of finite bits.
mpq_class value_of(Format format, std::uint64_t bits);
/// The value in the format; a zero takes the sign `negative_zero`.
std::uint64_t rounded(Format format, const mpq_class& value, Rounding rounding, bool negative_zero = false);

/// Whether `bits` is what rounding to nearest even may give where the value was wrong by at most `slack` before.
bool rounds_to(Format format, const mpq_class& value, const mpq_class& slack, std::uint64_t bits);

/// a * b + c with one rounding, IEEE signs of zero; a NaN result is the first NaN operand made quiet, or the default
/// NaN.
std::uint64_t fma(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c);
std::uint64_t add(Format format, std::uint64_t a, std::uint64_t b);
std::uint64_t mul(Format format, std::uint64_t a, std::uint64_t b);
std::uint32_t fma_f32(std::uint32_t a, std::uint32_t b, std::uint32_t c);
std::uint32_t add_f32(std::uint32_t a, std::uint32_t b);
std::uint32_t mul_f32(std::uint32_t a, std::uint32_t b);
/// From one format to another; a NaN keeps its sign and the top of its payload, and is quiet.
std::uint64_t converted(Format from, Format to, std::uint64_t bits, Rounding rounding);

} // namespace pm::testing
