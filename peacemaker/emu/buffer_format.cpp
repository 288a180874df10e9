#include "peacemaker/emu/buffer_format.h"

#include "peacemaker/emu/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;

using Bits = std::array<u8, 4>;

// Integer formats have six kinds of numbers each; gfx11 dropped some layouts.
#define HKC_SCALES(LAYOUT, bits, norm, scaled)                                                                         \
    {LAYOUT "_UNORM", bits, Numbers::kUnorm, norm}, {LAYOUT "_SNORM", bits, Numbers::kSnorm, norm},                    \
        {LAYOUT "_USCALED", bits, Numbers::kUscaled, scaled}, {                                                        \
        LAYOUT "_SSCALED", bits, Numbers::kSscaled, scaled                                                             \
    }
#define HKC_INTEGERS(LAYOUT, bits, there)                                                                              \
    {LAYOUT "_UINT", bits, Numbers::kUint, there}, { LAYOUT "_SINT", bits, Numbers::kSint, there }
#define HKC_FLOAT(LAYOUT, bits)                                                                                        \
    { LAYOUT "_FLOAT", bits, Numbers::kFloat, true }

constexpr Bits k8{8}, k16{16}, k8x2{8, 8}, k32{32}, k16x2{16, 16}, k10x11x11{11, 11, 10}, k11x11x10{10, 11, 11},
    k10x10x10x2{2, 10, 10, 10}, k2x10x10x10{10, 10, 10, 2}, k8x4{8, 8, 8, 8}, k32x2{32, 32}, k16x4{16, 16, 16, 16},
    k32x3{32, 32, 32}, k32x4{32, 32, 32, 32};

constexpr BufferFormat kFormats[] = {
    HKC_SCALES("8", k8, true, true),
    HKC_INTEGERS("8", k8, true),
    HKC_SCALES("16", k16, true, true),
    HKC_INTEGERS("16", k16, true),
    HKC_FLOAT("16", k16),
    HKC_SCALES("8_8", k8x2, true, true),
    HKC_INTEGERS("8_8", k8x2, true),
    HKC_INTEGERS("32", k32, true),
    HKC_FLOAT("32", k32),
    HKC_SCALES("16_16", k16x2, true, true),
    HKC_INTEGERS("16_16", k16x2, true),
    HKC_FLOAT("16_16", k16x2),
    HKC_SCALES("10_11_11", k10x11x11, false, false),
    HKC_INTEGERS("10_11_11", k10x11x11, false),
    HKC_FLOAT("10_11_11", k10x11x11),
    HKC_SCALES("11_11_10", k11x11x10, false, false),
    HKC_INTEGERS("11_11_10", k11x11x10, false),
    HKC_FLOAT("11_11_10", k11x11x10),
    HKC_SCALES("10_10_10_2", k10x10x10x2, true, false),
    HKC_INTEGERS("10_10_10_2", k10x10x10x2, true),
    HKC_SCALES("2_10_10_10", k2x10x10x10, true, true),
    HKC_INTEGERS("2_10_10_10", k2x10x10x10, true),
    HKC_SCALES("8_8_8_8", k8x4, true, true),
    HKC_INTEGERS("8_8_8_8", k8x4, true),
    HKC_INTEGERS("32_32", k32x2, true),
    HKC_FLOAT("32_32", k32x2),
    HKC_SCALES("16_16_16_16", k16x4, true, true),
    HKC_INTEGERS("16_16_16_16", k16x4, true),
    HKC_FLOAT("16_16_16_16", k16x4),
    HKC_INTEGERS("32_32_32", k32x3, true),
    HKC_FLOAT("32_32_32", k32x3),
    HKC_INTEGERS("32_32_32_32", k32x4, true),
    HKC_FLOAT("32_32_32_32", k32x4),
};
#undef HKC_SCALES
#undef HKC_INTEGERS
#undef HKC_FLOAT

// Formats by number from 1 on.
std::vector<const BufferFormat*> numbered(bool gfx10) {
    std::vector<const BufferFormat*> formats;
    for (const BufferFormat& f : kFormats)
        if (gfx10 || f.from_gfx11) formats.push_back(&f);
    return formats;
}

u32 low_bits(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1u; }

i32 sign_extended(u32 bits, u32 width) {
    const u32 sign = 1u << (width - 1);
    return static_cast<i32>((bits ^ sign) - sign);
}

bool is_signed(Numbers n) { return n == Numbers::kSnorm || n == Numbers::kSscaled || n == Numbers::kSint; }

// The nearest fp16 to a number that a double holds, to even; not by way of f32, which would round twice.
u32 nearest_half(double value) {
    if (value == 0) return std::signbit(value) ? 0x8000u : 0u;
    const double step = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
    return round_f16(std::bit_cast<u32>(static_cast<float>(std::nearbyint(value / step) * step)));
}

u32 float_bits(double value, bool halves) {
    return halves ? nearest_half(value) : std::bit_cast<u32>(static_cast<float>(value));
}

// What all bits but the sign stand for in unorm and snorm: one.
double one_of(Numbers numbers, u32 width) {
    return static_cast<double>(low_bits(numbers == Numbers::kSnorm ? width - 1 : width));
}

// Floats of 11 and 10 bits are fp16 without a sign and without the mantissa's last bits.
u32 as_half(u32 bits, u32 width) { return width == 16 ? bits : bits << (15 - width); }

std::optional<u32> from_float(u32 bits, u32 width, bool halves) {
    if (width == 32) return halves ? truncate_f16(bits) : bits;
    return halves ? as_half(bits, width) : widen_half(as_half(bits, width));
}

std::optional<u32> to_float(u32 value, u32 width, bool halves) {
    if (width == 32) return halves ? widen_half(value) : value;
    const u32 half = halves ? value & 0xffffu : truncate_f16(value);
    if (width == 16) return half;
    const u32 lost = low_bits(15 - width);
    const bool exact = halves || widen_half(half) == value;
    if (!exact || (half & (0x8000u | lost)) != 0) return std::nullopt;
    return half >> (15 - width);
}

// Clamped and scaled; NaN gives 0.
u32 to_norm(double value, Numbers numbers, u32 width) {
    if (std::isnan(value)) return 0;
    const double least = numbers == Numbers::kSnorm ? -1.0 : 0.0;
    const double scaled = std::nearbyint(std::clamp(value, least, 1.0) * one_of(numbers, width));
    return static_cast<u32>(static_cast<i32>(scaled)) & low_bits(width);
}

std::optional<u32> to_integer(double value, u32 width, bool with_sign) {
    const double least = with_sign ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0.0;
    const double most = with_sign ? -least - 1 : low_bits(width);
    if (!(value >= least && value <= most) || value != std::nearbyint(value)) return std::nullopt;
    return static_cast<u32>(static_cast<std::int64_t>(value)) & low_bits(width);
}

} // namespace

u32 BufferFormat::components() const {
    return static_cast<u32>(std::count_if(bits.begin(), bits.end(), [](u8 b) { return b != 0; }));
}

u32 BufferFormat::bytes() const { return (u32{bits[0]} + bits[1] + bits[2] + bits[3]) / 8; }

const BufferFormat* buffer_format(const Chip& chip, u32 number) {
    static const std::vector<const BufferFormat*> gfx10 = numbered(true), later = numbered(false);
    const std::vector<const BufferFormat*>& formats = chip.generation == 10 ? gfx10 : later;
    return number == 0 || number > formats.size() ? nullptr : formats[number - 1];
}

std::span<const BufferFormat> buffer_formats() { return kFormats; }

std::optional<u32> from_component(const BufferFormat& format, u32 component, u32 bits, bool halves) {
    const u32 width = format.bits[component];
    const i32 number = sign_extended(bits, width);
    switch (format.numbers) {
    case Numbers::kUnorm:
        return float_bits(bits / one_of(format.numbers, width), halves);
    case Numbers::kSnorm:
        return float_bits(std::max(number / one_of(format.numbers, width), -1.0), halves);
    case Numbers::kUscaled:
        return float_bits(bits, halves);
    case Numbers::kSscaled:
        return float_bits(number, halves);
    case Numbers::kUint:
    case Numbers::kSint:
        if (halves && width == 32) return std::nullopt;
        return (is_signed(format.numbers) ? static_cast<u32>(number) : bits) & (halves ? 0xffffu : ~0u);
    case Numbers::kFloat:
        return from_float(bits, width, halves);
    }
    return std::nullopt;
}

std::optional<u32> to_component(const BufferFormat& format, u32 component, u32 value, bool halves) {
    const u32 width = format.bits[component];
    const bool with_sign = is_signed(format.numbers);
    if (halves) value &= 0xffffu;
    if (format.integer()) {
        const double number = halves      ? (with_sign ? sign_extended(value, 16) : static_cast<double>(value))
                              : with_sign ? static_cast<double>(static_cast<i32>(value))
                                          : static_cast<double>(value);
        return to_integer(number, width, with_sign);
    }
    if (format.numbers == Numbers::kFloat) return to_float(value, width, halves);
    const double number = std::bit_cast<float>(halves ? widen_half(value) : value);
    if (format.numbers == Numbers::kUnorm || format.numbers == Numbers::kSnorm)
        return to_norm(number, format.numbers, width);
    return to_integer(number, width, with_sign);
}

ComponentPlace place_of_component(const BufferFormat& format, u32 component) {
    u32 bit = 0;
    for (u32 i = 0; i < component; ++i) bit += format.bits[i];
    return {bit / 32, bit % 32, low_bits(format.bits[component])};
}

} // namespace pm::emu
