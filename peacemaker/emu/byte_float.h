// 8-bit floats of gfx12 and f32 bits: FP8 (OCP E4M3, no infinity, one NaN a sign) and BF8 (OCP E5M2).
//
// Sources: OCP 8-bit floating point specification 1.0; RDNA 4 ISA document, V_CVT_F32_FP8 and its like. What becomes of
// NaN and of the seed of stochastic rounding: captures on gfx1201 published with the goc library (goc.h).
#pragma once

#include "peacemaker/emu/half.h"

#include <bit>
#include <cstdint>

namespace pm::emu {

struct Fp8 {
    static constexpr std::uint32_t kMantissaBits = 3, kBias = 7, kLargest = 0x7e, kBeyond = 0x7f, kNan = 0xff;
};
struct Bf8 {
    static constexpr std::uint32_t kMantissaBits = 2, kBias = 15, kLargest = 0x7b, kBeyond = 0x7c, kNan = 0xfe;
};

/// The number in the low byte as f32 bits; exact, a NaN keeps its sign and is quiet.
template <typename F>
std::uint32_t widen_byte(std::uint32_t byte);
template <>
inline std::uint32_t widen_byte<Bf8>(std::uint32_t byte) {
    return widen_half((byte & 0xffu) << 8); // E5M2 is the top of fp16
}
template <>
inline std::uint32_t widen_byte<Fp8>(std::uint32_t byte) {
    const std::uint32_t sign = (byte & 0x80u) << 24, magnitude = byte & 0x7fu;
    if (magnitude == Fp8::kBeyond) return sign | 0x7fc00000u;
    if (magnitude < 8) return sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-9f);
    return sign | ((magnitude << 20) + ((127u - Fp8::kBias) << 23));
}

/// f32 bits to the format. `add` rounds: it takes the bits with the result on top, how many below are cut off, and what
/// was shifted out before (of a result that is subnormal); what it adds may carry into the result.
template <typename F, typename Add>
std::uint32_t narrow_byte(std::uint32_t v, Add add) {
    const std::uint32_t sign = (v >> 24) & 0x80u, magnitude = v & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return F::kNan;
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + static_cast<int>(F::kBias);
    constexpr std::uint32_t kCut = 23 - F::kMantissaBits;
    std::uint32_t r = 0;
    if (exponent > 0) {
        const std::uint32_t rebased = magnitude - ((127u - F::kBias) << 23);
        r = add(rebased, kCut, 0u) >> kCut;
    } else if (exponent > -28) {
        const std::uint32_t significand = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0 ? 0x800000u : 0u);
        const auto down = static_cast<std::uint32_t>(1 - exponent);
        const std::uint32_t lost = significand & ((1u << down) - 1u);
        r = add(significand >> down, kCut, lost) >> kCut;
    }
    return sign | (r > F::kLargest ? F::kBeyond : r);
}

/// f32 bits to the format, to nearest even; what is too large becomes FP8's NaN or BF8's infinity of its sign.
template <typename F>
std::uint32_t nearest_byte(std::uint32_t v) {
    return narrow_byte<F>(v, [](std::uint32_t bits, std::uint32_t cut, std::uint32_t lost) {
        // What was lost before only tells a tie from what is more.
        const std::uint32_t half = 1u << (cut - 1), odd = (bits >> cut) & 1u;
        return bits + half - 1u + (odd != 0 || lost != 0 ? 1u : 0u);
    });
}

/// f32 bits to the format by stochastic rounding: the top bits of the seed are added to what is cut off.
template <typename F>
std::uint32_t stochastic_byte(std::uint32_t v, std::uint32_t seed) {
    return narrow_byte<F>(
        v, [seed](std::uint32_t bits, std::uint32_t cut, std::uint32_t) { return bits + (seed >> (32u - cut)); });
}

} // namespace pm::emu
