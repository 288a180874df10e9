// Elements of device buffers as host values: decoding, encoding, and how messages show them.
#pragma once

#include "contract/registry/registry.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hkc {

/// The type that an element has on `chip`: kActivation becomes kFp16 or kBf16.
ElementType concrete_type(ElementType type, const pm::Chip& chip);

bool is_float(ElementType type);

/// How a floating type is laid out: exponent and mantissa bits below one sign bit.
struct FloatLayout {
    unsigned exponent_bits = 0;
    unsigned mantissa_bits = 0;
    std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
    std::uint64_t largest_finite() const { return infinity() - 1; }
    std::uint64_t largest_subnormal() const { return (std::uint64_t{1} << mantissa_bits) - 1; }
    std::uint64_t quiet_bit() const { return std::uint64_t{1} << (mantissa_bits - 1); } // of a NaN
    bool is_nan(std::uint64_t bits) const { return (bits & ~sign_bit()) > infinity(); }
};

/// The layout of a concrete floating type.
FloatLayout float_layout(ElementType type);

/// The little-endian bits of element `index`; the bytes past the element's own are zero.
std::uint64_t load_bits(std::span<const std::byte> bytes, std::uint32_t element_size, std::size_t index);
void store_bits(std::span<std::byte> bytes, std::uint32_t element_size, std::size_t index, std::uint64_t bits);

/// The value of an element of a concrete type: exact for every type but 64-bit integers beyond 2^53.
double decode_element(ElementType type, std::uint64_t bits);

/// The element nearest to `value` (ties to even; past the largest finite value, infinity). Integers saturate.
std::uint64_t encode_element(ElementType type, double value);

/// `0x3f80 (1)` for messages.
std::string element_text(ElementType type, std::uint64_t bits);

/// `[2, 17]`: the position of element `index` in an array of `dims`, outermost first.
std::string position_text(std::span<const std::int64_t> dims, std::size_t index);

} // namespace hkc
