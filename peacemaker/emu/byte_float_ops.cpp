// Instructions on the 8-bit floats of gfx12: conversions from and to f32, and dot products of four.
//
// Sources: RDNA 4 ISA document, instruction listings; for NaN and stochastic rounding see byte_float.h.
#include "peacemaker/emu/byte_float.h"
#include "peacemaker/emu/float_format.h"
#include "peacemaker/emu/lane_loops.h"
#include "peacemaker/emu/row_builders.h"

#include <bit>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename F>
u64 widen_two(u32 half) {
    return widen_byte<F>(half) | static_cast<u64>(widen_byte<F>(half >> 8)) << 32;
}
template <typename F>
u32 narrow_two(u32 a, u32 b) {
    return nearest_byte<F>(a) | nearest_byte<F>(b) << 8;
}

// Products of these formats are exact in f64, and their sum with an f32 nearly always.
template <typename A, typename B>
u32 dot4(u32 a, u32 b, u32 c) {
    double sum = std::bit_cast<float>(c);
    for (u32 i = 0; i < 4; ++i)
        sum += static_cast<double>(std::bit_cast<float>(widen_byte<A>(a >> (8 * i)))) *
               std::bit_cast<float>(widen_byte<B>(b >> (8 * i)));
    return sum != sum ? F32::kDefaultNan : nearest<F32>(sum);
}

constexpr ShadowRule kAll = ShadowRule::kAll;
constexpr std::string_view kDotNote =
    "C and the exact products are added in binary64 and rounded once to nearest even, subnormals kept, NaN the default "
    "one; the ISA leaves open order and roundings (at most one of 2^-23 an addition)";

#define HKC_CONVERSIONS(NAME, F)                                                                                       \
    byte_of_source(row("V_CVT_F32_" NAME, "1:1", lanes<widen_byte<F>>, kAll)),                                         \
        with_op_sel_field(row("V_CVT_PK_F32_" NAME, "2:h", lanes<widen_two<F>>, kAll)),                                \
        with_op_sel_field(to_integer(row("V_CVT_PK_" NAME "_F32", "h:11", lanes<narrow_two<F>>, kAll))),               \
        byte_of_result(to_integer(row("V_CVT_SR_" NAME "_F32", "1:1i", lanes<stochastic_byte<F>>, kAll)))
#define HKC_DOT4(A_NAME, B_NAME, A, B)                                                                                 \
    approximate(with_op_sel_field(keeping_subnormals(                                                                  \
                    floating(row("V_DOT4_F32_" A_NAME "_" B_NAME, "1:ii1", lanes<dot4<A, B>>, kAll)))),                \
                kDotNote)

constexpr Row kRows[] = {
    HKC_CONVERSIONS("FP8", Fp8),      HKC_CONVERSIONS("BF8", Bf8),      HKC_DOT4("FP8", "FP8", Fp8, Fp8),
    HKC_DOT4("FP8", "BF8", Fp8, Bf8), HKC_DOT4("BF8", "FP8", Bf8, Fp8), HKC_DOT4("BF8", "BF8", Bf8, Bf8),
};
#undef HKC_CONVERSIONS
#undef HKC_DOT4

} // namespace

std::span<const Row> byte_float_rows() { return kRows; }

} // namespace pm::emu
