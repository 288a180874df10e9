// 16-bit floats and f32 bits. What is of fp16 is free of branches, so that loops over lanes vectorise.
#pragma once

#include <bit>
#include <cstdint>

namespace pm::emu {

/// The fp16 in the low 16 bits of `half` as f32 bits; exact, a NaN keeps its payload and becomes quiet.
inline std::uint32_t widen_half(std::uint32_t half) {
    const std::uint32_t magnitude = (half & 0x7fffu) << 13;
    const std::uint32_t exponent = magnitude & 0x0f800000u;
    const std::uint32_t normal = magnitude + 0x38000000u;
    const std::uint32_t special = (magnitude + 0x70000000u) | ((magnitude & 0x007fffffu) != 0 ? 0x00400000u : 0u);
    // With the exponent of 2^-14 in front, taking that power away again leaves the subnormal's value.
    const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + 0x38800000u) - 0x1p-14f);
    const std::uint32_t value = exponent == 0x0f800000u ? special : exponent == 0 ? subnormal : normal;
    return value | (half & 0x8000u) << 16;
}

/// f32 bits to fp16, to nearest even; a NaN keeps its sign and the top of its payload, and is quiet.
inline std::uint32_t round_f16(std::uint32_t v) {
    const std::uint32_t sign = (v >> 16) & 0x8000u;
    const std::uint32_t magnitude = v & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u; // from 65520 on the nearest is infinity
    if (magnitude < 0x38800000u) {
        // Adding a power of two whose ulp is fp16's smallest subnormal rounds in the adder.
        return sign | (std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                       std::bit_cast<std::uint32_t>(0.5f));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return sign | ((rounded - 0x38000000u) >> 13);
}

/// All ones where the condition holds: cases are combined as masks, which the compiler keeps free of branches.
inline std::uint32_t mask_where(bool condition) { return 0u - static_cast<std::uint32_t>(condition); }

/// f32 bits to fp16, towards zero. Every case is computed, so that lanes need no branch.
inline std::uint32_t truncate_f16(std::uint32_t v) {
    const std::uint32_t sign = (v >> 16) & 0x8000u;
    const std::uint32_t magnitude = v & 0x7fffffffu;
    const std::uint32_t normal = (magnitude - 0x38000000u) >> 13;
    // Below 2^-14 the result counts steps of 2^-24, and an integer conversion cuts off what is less than one.
    const std::uint32_t tiny = mask_where(magnitude < 0x38800000u);
    const std::uint32_t subnormal =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(std::bit_cast<float>(magnitude & tiny) * 0x1p24f));
    const std::uint32_t not_a_number = mask_where(magnitude > 0x7f800000u);
    const std::uint32_t special = 0x7c00u | (not_a_number & (0x200u | ((magnitude >> 13) & 0x3ffu)));
    const std::uint32_t large = mask_where(magnitude >= 0x47800000u), infinite = mask_where(magnitude >= 0x7f800000u);
    const std::uint32_t finite = (large & 0x7bffu) | (~large & ((tiny & subnormal) | (~tiny & normal)));
    return sign | (infinite & special) | (~infinite & finite);
}

/// The bf16 in the low 16 bits as f32 bits.
inline std::uint32_t widen_bfloat(std::uint32_t bits) { return bits << 16; }
/// f32 bits to bf16, to nearest even; a NaN becomes quiet.
inline std::uint32_t round_bfloat(std::uint32_t v) {
    if ((v & 0x7fffffffu) > 0x7f800000u) return (v >> 16) | 0x40u;
    return (v + 0x7fffu + ((v >> 16) & 1u)) >> 16;
}

} // namespace pm::emu
