// The arithmetic of f64 vector instructions.
//
// Sources: RDNA 2, RDNA 3, RDNA 3.5 and RDNA 4 ISA documents, instruction listings.
#include "peacemaker/emu/bounded_functions.h"
#include "peacemaker/emu/lane_loops.h"
#include "peacemaker/emu/row_builders.h"

#include <bit>
#include <cmath>
#include <iterator>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;

double f64(u64 v) { return std::bit_cast<double>(v); }
u64 bits(double v) { return std::bit_cast<u64>(v); }

u64 add(u64 a, u64 b) { return settled<F64>(bits(f64(a) + f64(b)), a, b); }
u64 mul(u64 a, u64 b) { return settled<F64>(bits(f64(a) * f64(b)), a, b); }
u64 fma(u64 a, u64 b, u64 c) { return settled<F64>(bits(std::fma(f64(a), f64(b), f64(c))), a, b, c); }
u64 ldexp(u64 v, u32 exponent) { return scaled<F64>(v, static_cast<i32>(exponent)); }

// --- division -------------------------------------------------------------------------------------------------------

// (a * b + c) * shift with one rounding; 113 bits hold the product, and the last one stands for what the sum cuts off.
u64 fma_shifted(u64 a, u64 b, u64 c, double shift) {
    using Quad = __float128;
    const Quad product = static_cast<Quad>(f64(a)) * f64(b), addend = f64(c);
    Quad sum = product + addend;
    if (std::isfinite(static_cast<double>(sum)) && sum != 0) {
        const Quad part = sum - product;
        const Quad lost = (product - (sum - part)) + (addend - part); // Knuth's two-sum
        auto low = std::bit_cast<unsigned __int128>(sum);
        if (lost != 0 && (low & 1u) == 0) low += (lost > 0) == (sum > 0) ? 1 : ~static_cast<unsigned __int128>(0);
        sum = std::bit_cast<Quad>(low);
    }
    return settled<F64>(bits(static_cast<double>(sum * shift)), a, b, c);
}

u32 div_fmas(const u32* a, const u32* b, const u32* c, u32* d, u32 mask) {
    for (u32 i = 0; i < kLanes; ++i) {
        const u64 addend = detail::lane_value<u64>(c, i);
        const u64 x = detail::lane_value<u64>(a, i), y = detail::lane_value<u64>(b, i);
        const bool back = ((mask >> i) & 1u) != 0;
        detail::set_lane(d, i,
                         !back ? fma(x, y, addend)
                               : fma_shifted(x, y, addend, exponent_of<F64>(addend) > 1023 ? 0x1p128 : 0x1p-128));
    }
    return 0;
}
u64 div_fixup(u64 quotient, u64 denominator, u64 numerator) {
    return division_fixup<F64>(quotient, denominator, numerator, -1075);
}

constexpr std::string_view kScaleNote =
    "operands are scaled by 2^128 or 2^-128 so that no step of the division leaves the range; the ISA's text leaves "
    "open where the denominator is scaled down";

// --- conversions ----------------------------------------------------------------------------------------------------

u64 from_f32(u32 a) {
    const u64 r = bits(std::bit_cast<float>(a));
    return is_nan<F64>(r) ? r | F64::kQuiet : r;
}
u32 to_f32(u64 a) {
    const u32 r = nearest<F32>(f64(a));
    return is_nan<F64>(a) ? r | F32::kQuiet : r;
}
u64 from_i32(u32 a) { return bits(static_cast<i32>(a)); }
u64 from_u32(u32 a) { return bits(a); }
bool is_class(u64 v, u32 mask) { return in_class<F64>(v, mask); }
bool never(u64, u64) { return false; }
bool always(u64, u64) { return true; }

// --- 2 / pi ---------------------------------------------------------------------------------------------------------

// The fraction bits of 2 / pi, the first on top.
constexpr u32 kTwoByPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                            0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                            0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                            0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                            0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                            0x1f8d5d08, 0x56033046};

// V_TRIG_PREOP: 53 bits of 2 / pi, the segments counted from where the operand's exponent makes them matter. Past the
// table there is nothing (LLVM's constant folding of llvm.amdgcn.trig.preop says so of the hardware).
u64 trig_preop(u64 v, u32 segment) {
    if (is_nan<F64>(v)) return v | F64::kQuiet;
    const int exponent = exponent_of<F64>(v);
    const u32 shift = (segment & 31u) * 53u + (exponent > 1077 ? static_cast<u32>(exponent - 1077) : 0u);
    const u32 word = shift / 32, in_word = shift % 32;
    if (word + 2 >= std::size(kTwoByPi)) return 0;
    u64 top = static_cast<u64>(kTwoByPi[word]) << 32 | kTwoByPi[word + 1];
    if (in_word != 0) top = top << in_word | kTwoByPi[word + 2] >> (32 - in_word);
    const int scale = -53 - static_cast<int>(shift) + (exponent >= 1968 ? 128 : 0);
    return bits(std::ldexp(static_cast<double>(top >> 11), scale));
}

constexpr ShadowRule kAll = ShadowRule::kAll;

#define HKC_UNARY(name, op) floating(row("V_" name "_F64", "2:2", lanes<op>, kAll))
#define HKC_BINARY(name, op) floating(row("V_" name "_F64", "2:22", lanes<op>, kAll))
#define HKC_COMPARE(name, shape, op)                                                                                   \
    floating(mask_to(row("V_CMP_" name "_F64", shape, lanes<op>, kAll))),                                              \
        floating(mask_to(row("V_CMPX_" name "_F64", shape, lanes<op>, kAll)))
#define HKC_ORDERED(name, less, equal, greater, unordered)                                                             \
    HKC_COMPARE(name, "-:22", (compared<F64, less, equal, greater, unordered>))

constexpr Row kRows[] = {
    HKC_BINARY("ADD", add),
    HKC_BINARY("MUL", mul),
    floating(row("V_FMA_F64", "2:222", lanes<fma>, kAll)),
    HKC_BINARY("MIN", (pick_number<F64, false>)),
    HKC_BINARY("MAX", (pick_number<F64, true>)),
    HKC_BINARY("MIN_NUM", (pick_number<F64, false>)),
    HKC_BINARY("MAX_NUM", (pick_number<F64, true>)),
    HKC_BINARY("MINIMUM", (pick_strict<F64, false>)),
    HKC_BINARY("MAXIMUM", (pick_strict<F64, true>)),
    floating(row("V_LDEXP_F64", "2:2i", lanes<ldexp>, kAll)),
    HKC_UNARY("TRUNC", (whole<F64, Whole::kTruncate>)),
    HKC_UNARY("CEIL", (whole<F64, Whole::kCeiling>)),
    HKC_UNARY("RNDNE", (whole<F64, Whole::kNearestEven>)),
    HKC_UNARY("FLOOR", (whole<F64, Whole::kFloor>)),
    HKC_UNARY("FRACT", fraction<F64>),
    HKC_UNARY("FREXP_MANT", frexp_mantissa<F64>),
    to_integer(row("V_FREXP_EXP_I32_F64", "1:2", lanes<frexp_exponent<F64>>, kAll)),
    approximate(HKC_UNARY("RCP", (nearest_of<F64, reciprocal>)), kDoubleNote),
    approximate(HKC_UNARY("RSQ", (nearest_of<F64, reciprocal_root>)), kDoubleNote),
    approximate(HKC_UNARY("SQRT", (nearest_of<F64, root>)), kDoubleNote),

    approximate(floating(mask_to(row("V_DIV_SCALE_F64", "2:222", (lanes_with_mask<u64, division_scale<F64>>), kAll))),
                kScaleNote),
    floating(mask_through(row("V_DIV_FMAS_F64", "2:222", div_fmas, kAll), true, false)),
    floating(row("V_DIV_FIXUP_F64", "2:222", lanes<div_fixup>, kAll)),

    floating(row("V_TRIG_PREOP_F64", "2:2i", lanes<trig_preop>, kAll)),
    floating(row("V_CVT_F64_F32", "2:1", lanes<from_f32>, kAll)),
    floating(row("V_CVT_F32_F64", "1:2", lanes<to_f32>, kAll)),
    floating(row("V_CVT_F64_I32", "2:i", lanes<from_i32>, kAll)),
    floating(row("V_CVT_F64_U32", "2:i", lanes<from_u32>, kAll)),
    to_integer(row("V_CVT_I32_F64", "1:2", lanes<to_int<F64, 32, true>>, kAll)),
    to_integer(row("V_CVT_U32_F64", "1:2", lanes<to_int<F64, 32, false>>, kAll)),

    HKC_COMPARE("CLASS", "-:2i", is_class),
    HKC_COMPARE("F", "-:22", never),
    HKC_COMPARE("T", "-:22", always),
    HKC_COMPARE("TRU", "-:22", always),
    HKC_FLOAT_CONDITIONS(HKC_ORDERED),
};
#undef HKC_UNARY
#undef HKC_BINARY
#undef HKC_COMPARE
#undef HKC_ORDERED

} // namespace

std::span<const Row> double_rows() { return kRows; }

} // namespace pm::emu
