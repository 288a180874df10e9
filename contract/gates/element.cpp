#include "contract/gates/element.h"

#include "contract/oracle/activation.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace hkc {
namespace {

std::uint64_t encode_float(FloatLayout layout, double value) {
    const std::uint64_t sign = std::signbit(value) ? layout.sign_bit() : 0;
    if (std::isnan(value)) return sign | layout.infinity() | layout.quiet_bit();
    constexpr FloatLayout kDouble{11, 52};
    const auto magnitude = std::bit_cast<std::uint64_t>(value) & ~kDouble.sign_bit();
    const unsigned dropped = kDouble.mantissa_bits - layout.mantissa_bits;
    const auto exponent = static_cast<int>(magnitude >> kDouble.mantissa_bits) - kDouble.bias() + layout.bias();
    // Bit patterns count up as magnitudes do, so a carry out of the mantissa lands where it must.
    std::uint64_t bits =
        magnitude - (static_cast<std::uint64_t>(kDouble.bias() - layout.bias()) << kDouble.mantissa_bits);
    unsigned shift = dropped;
    if (exponent < 1) {
        // A subnormal result, or zero: the leading one is a bit of the mantissa.
        bits = (magnitude & kDouble.largest_subnormal()) | std::uint64_t{1} << kDouble.mantissa_bits;
        shift += static_cast<unsigned>(1 - exponent);
        if (shift > kDouble.mantissa_bits + 1) return sign;
    }
    const std::uint64_t half = std::uint64_t{1} << (shift - 1), odd = bits >> shift & 1U;
    return sign | std::min((bits + half - 1 + odd) >> shift, layout.infinity());
}

template <typename Int>
std::uint64_t encode_integer(double value) {
    const auto low = static_cast<double>(std::numeric_limits<Int>::min());
    const auto high = static_cast<double>(std::numeric_limits<Int>::max());
    Int out{};
    if (std::isnan(value))
        out = 0;
    else if (value <= low)
        out = std::numeric_limits<Int>::min();
    else if (value >= high)
        out = std::numeric_limits<Int>::max();
    else
        out = static_cast<Int>(std::nearbyint(value));
    return static_cast<std::make_unsigned_t<Int>>(out);
}

} // namespace

ElementType concrete_type(ElementType type, const pm::Chip& chip) {
    if (type != ElementType::kActivation) return type;
    return chip.activation == pm::Activation::kFp16 ? ElementType::kFp16 : ElementType::kBf16;
}

bool is_float(ElementType type) {
    switch (type) {
    case ElementType::kActivation:
    case ElementType::kFp16:
    case ElementType::kBf16:
    case ElementType::kF32:
    case ElementType::kF64:
        return true;
    default:
        return false;
    }
}

FloatLayout float_layout(ElementType type) {
    switch (type) {
    case ElementType::kFp16:
        return {5, 10};
    case ElementType::kBf16:
        return {8, 7};
    case ElementType::kF64:
        return {11, 52};
    default:
        return {8, 23};
    }
}

std::uint64_t load_bits(std::span<const std::byte> bytes, std::uint32_t element_size, std::size_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + index * element_size, element_size);
    return bits;
}

void store_bits(std::span<std::byte> bytes, std::uint32_t element_size, std::size_t index, std::uint64_t bits) {
    std::memcpy(bytes.data() + index * element_size, &bits, element_size);
}

double decode_element(ElementType type, std::uint64_t bits) {
    switch (type) {
    case ElementType::kI8:
        return static_cast<std::int8_t>(bits);
    case ElementType::kU8:
        return static_cast<std::uint8_t>(bits);
    case ElementType::kI16:
        return static_cast<std::int16_t>(bits);
    case ElementType::kU16:
        return static_cast<std::uint16_t>(bits);
    case ElementType::kI32:
        return static_cast<std::int32_t>(bits);
    case ElementType::kU32:
        return static_cast<std::uint32_t>(bits);
    case ElementType::kI64:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    case ElementType::kU64:
        return static_cast<double>(bits);
    case ElementType::kF64:
        return std::bit_cast<double>(bits);
    case ElementType::kF32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::kFp16:
        return activation_value(pm::Activation::kFp16, static_cast<std::uint16_t>(bits));
    default:
        return activation_value(pm::Activation::kBf16, static_cast<std::uint16_t>(bits));
    }
}

std::uint64_t encode_element(ElementType type, double value) {
    switch (type) {
    case ElementType::kI8:
        return encode_integer<std::int8_t>(value);
    case ElementType::kU8:
        return encode_integer<std::uint8_t>(value);
    case ElementType::kI16:
        return encode_integer<std::int16_t>(value);
    case ElementType::kU16:
        return encode_integer<std::uint16_t>(value);
    case ElementType::kI32:
        return encode_integer<std::int32_t>(value);
    case ElementType::kU32:
        return encode_integer<std::uint32_t>(value);
    case ElementType::kI64:
        return encode_integer<std::int64_t>(value);
    case ElementType::kU64:
        return encode_integer<std::uint64_t>(value);
    case ElementType::kF64:
        return std::bit_cast<std::uint64_t>(value);
    default:
        return encode_float(float_layout(type), value);
    }
}

std::string element_text(ElementType type, std::uint64_t bits) {
    const std::uint32_t digits = element_bytes(type) * 2;
    return fmt::format("{:#0{}x} ({:g})", bits, digits + 2, decode_element(type, bits));
}

std::string position_text(std::span<const std::int64_t> dims, std::size_t index) {
    std::vector<std::size_t> position(dims.size());
    for (std::size_t d = dims.size(); d-- > 0;) {
        const auto extent = static_cast<std::size_t>(std::max<std::int64_t>(dims[d], 1));
        position[d] = index % extent;
        index /= extent;
    }
    return fmt::format("[{}]", fmt::join(position, ", "));
}

} // namespace hkc
