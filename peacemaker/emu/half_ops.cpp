// The arithmetic of f16 vector instructions, one half a lane or two packed ones.
//
// Sources: RDNA 2, RDNA 3, RDNA 3.5 and RDNA 4 ISA documents, instruction listings.
#include "peacemaker/emu/bounded_functions.h"
#include "peacemaker/emu/lane_loops.h"
#include "peacemaker/emu/row_builders.h"

#include <bit>
#include <cmath>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

float widened(u32 half) { return std::bit_cast<float>(widen_half(half)); }
u32 narrowed(float v) { return round_f16(std::bit_cast<u32>(v)); }

// Sums and products of two halves: f32 has more than twice their bits, so rounding to it first changes nothing.
u32 add(u32 a, u32 b) { return settled<F16>(narrowed(widened(a) + widened(b)), a, b); }
u32 sub(u32 a, u32 b) { return settled<F16>(narrowed(widened(a) - widened(b)), a, b); }
u32 subrev(u32 a, u32 b) { return settled<F16>(narrowed(widened(b) - widened(a)), a, b); }
u32 mul(u32 a, u32 b) { return settled<F16>(narrowed(widened(a) * widened(b)), a, b); }

// The product is exact in f32; their sum is rounded to odd there, so that the rounding to f16 is the only one.
u32 fma(u32 a, u32 b, u32 c) {
    return settled<F16>(narrowed(sum_to_odd(widened(a) * widened(b), widened(c))), a, b, c);
}

// --- others ---------------------------------------------------------------------------------------------------------

u32 div_fixup(u32 quotient, u32 denominator, u32 numerator) {
    return division_fixup<F16>(quotient, denominator, numerator, 0);
}
u32 ldexp(u32 v, u32 exponent) { return scaled<F16>(v, static_cast<std::int16_t>(exponent)); }
u32 from_u16(u32 a) { return narrowed(static_cast<float>(a & 0xffffu)); }
u32 from_i16(u32 a) { return narrowed(static_cast<float>(static_cast<std::int16_t>(a))); }
bool is_class(u32 v, u32 mask) { return in_class<F16>(v, mask); }
bool never(u32, u32) { return false; }
bool always(u32, u32) { return true; }

// The same on both halves.
template <auto Op>
u32 packed2(u32 a, u32 b) {
    return (Op(a & 0xffffu, b & 0xffffu) & 0xffffu) | Op(a >> 16, b >> 16) << 16;
}
template <auto Op>
u32 packed3(u32 a, u32 b, u32 c) {
    return (Op(a & 0xffffu, b & 0xffffu, c & 0xffffu) & 0xffffu) | Op(a >> 16, b >> 16, c >> 16) << 16;
}

// Two products and a third number, all exact in f64.
template <bool Half>
u32 dot2(u32 a, u32 b, u32 c) {
    const auto value = [](u32 v) {
        return double{std::bit_cast<float>(Half ? widen_half(v) : widen_bfloat(v & 0xffffu))};
    };
    const double sum = value(c) + value(a) * value(b) + value(a >> 16) * value(b >> 16);
    if (std::isnan(sum)) return Half ? F16::kDefaultNan : 0x7fc0u;
    return Half ? nearest<F16>(sum) : round_bfloat(f32_to_odd(sum));
}

constexpr ShadowRule kAll = ShadowRule::kAll;
constexpr std::string_view kDot2Note =
    "the accumulator, the low and the high product are added in binary64 and rounded once to nearest even, NaN the "
    "default one; the ISA leaves open order and roundings, and a chip may cut bf16 off";

#define HKC_UNARY(name, op) floating(row("V_" name "_F16", "h:h", lanes<op>, kAll))
#define HKC_BOUNDED(name, op) approximate(HKC_UNARY(name, op), kNearestHalfNote)
#define HKC_BINARY(name, op) floating(row("V_" name "_F16", "h:hh", lanes<op>, kAll))
#define HKC_TERNARY(name, op) floating(row("V_" name "_F16", "h:hhh", lanes<op>, kAll))
#define HKC_PACKED2(name, op) floating(row("V_PK_" name "_F16", "p:pp", lanes<packed2<op>>, ShadowRule::kHalves))
#define HKC_PACKED3(name, op) floating(row("V_PK_" name "_F16", "p:ppp", lanes<packed3<op>>, ShadowRule::kHalves))
#define HKC_NORMALIZED(name, is_signed)                                                                                \
    approximate(to_integer(row(name, "1:hh", lanes<pair_of<to_normalized<F16, is_signed>>>, ShadowRule::kPair)),       \
                kNormalizedNote)
#define HKC_COMPARE(name, shape, op)                                                                                   \
    floating(mask_to(row("V_CMP_" name "_F16", shape, lanes<op>, kAll))),                                              \
        floating(mask_to(row("V_CMPX_" name "_F16", shape, lanes<op>, kAll)))
#define HKC_ORDERED(name, less, equal, greater, unordered)                                                             \
    HKC_COMPARE(name, "-:hh", (compared<F16, less, equal, greater, unordered>))

constexpr Row kRows[] = {
    HKC_BINARY("ADD", add),
    HKC_BINARY("SUB", sub),
    HKC_BINARY("SUBREV", subrev),
    HKC_BINARY("MUL", mul),
    HKC_TERNARY("FMA", fma),
    accumulating(HKC_TERNARY("FMAC", fma)),
    HKC_TERNARY("FMAAK", fma),
    HKC_TERNARY("FMAMK", fma),
    HKC_BINARY("MIN", (pick_number<F16, false>)),
    HKC_BINARY("MAX", (pick_number<F16, true>)),
    HKC_BINARY("MIN_NUM", (pick_number<F16, false>)),
    HKC_BINARY("MAX_NUM", (pick_number<F16, true>)),
    HKC_BINARY("MINIMUM", (pick_strict<F16, false>)),
    HKC_BINARY("MAXIMUM", (pick_strict<F16, true>)),
    HKC_TERNARY("MIN3", (pick3_number<F16, false>)),
    HKC_TERNARY("MAX3", (pick3_number<F16, true>)),
    HKC_TERNARY("MED3", median<F16>),
    HKC_TERNARY("MIN3_NUM", (pick3_number<F16, false>)),
    HKC_TERNARY("MAX3_NUM", (pick3_number<F16, true>)),
    HKC_TERNARY("MED3_NUM", median<F16>),
    HKC_TERNARY("MINMAX", (clamp_number<F16, false>)),
    HKC_TERNARY("MAXMIN", (clamp_number<F16, true>)),
    HKC_TERNARY("MINMAX_NUM", (clamp_number<F16, false>)),
    HKC_TERNARY("MAXMIN_NUM", (clamp_number<F16, true>)),
    HKC_TERNARY("MINIMUM3", (pick3_strict<F16, false>)),
    HKC_TERNARY("MAXIMUM3", (pick3_strict<F16, true>)),
    HKC_TERNARY("MINIMUMMAXIMUM", (clamp_strict<F16, false>)),
    HKC_TERNARY("MAXIMUMMINIMUM", (clamp_strict<F16, true>)),
    HKC_TERNARY("DIV_FIXUP", div_fixup),
    floating(row("V_LDEXP_F16", "h:hh", lanes<ldexp>, kAll)),

    HKC_UNARY("TRUNC", (whole<F16, Whole::kTruncate>)),
    HKC_UNARY("CEIL", (whole<F16, Whole::kCeiling>)),
    HKC_UNARY("RNDNE", (whole<F16, Whole::kNearestEven>)),
    HKC_UNARY("FLOOR", (whole<F16, Whole::kFloor>)),
    HKC_UNARY("FRACT", fraction<F16>),
    HKC_UNARY("FREXP_MANT", frexp_mantissa<F16>),
    to_integer(row("V_FREXP_EXP_I16_F16", "h:h", lanes<frexp_exponent<F16>>, kAll)),
    HKC_BOUNDED("RCP", (nearest_of<F16, reciprocal>)),
    HKC_BOUNDED("RSQ", (nearest_of<F16, reciprocal_root>)),
    HKC_BOUNDED("SQRT", (nearest_of<F16, root>)),
    HKC_BOUNDED("EXP", (nearest_of<F16, power_of_2>)),
    HKC_BOUNDED("LOG", (nearest_of<F16, logarithm>)),
    approximate(HKC_UNARY("SIN", (circular<F16, false>)), kCircularNote),
    approximate(HKC_UNARY("COS", (circular<F16, true>)), kCircularNote),

    row("V_CVT_F16_U16", "h:h", lanes<from_u16>, kAll),
    row("V_CVT_F16_I16", "h:h", lanes<from_i16>, kAll),
    to_integer(row("V_CVT_U16_F16", "h:h", lanes<to_int<F16, 16, false>>, kAll)),
    to_integer(row("V_CVT_I16_F16", "h:h", lanes<to_int<F16, 16, true>>, kAll)),

    approximate(to_integer(row("V_CVT_NORM_I16_F16", "h:h", lanes<to_normalized<F16, true>>, kAll)), kNormalizedNote),
    approximate(to_integer(row("V_CVT_NORM_U16_F16", "h:h", lanes<to_normalized<F16, false>>, kAll)), kNormalizedNote),
    HKC_NORMALIZED("V_CVT_PKNORM_I16_F16", true),
    HKC_NORMALIZED("V_CVT_PKNORM_U16_F16", false),
    HKC_NORMALIZED("V_CVT_PK_NORM_I16_F16", true),
    HKC_NORMALIZED("V_CVT_PK_NORM_U16_F16", false),
    approximate(plain_sources(with_op_sel_field(row("V_DOT2_F16_F16", "h:11h", lanes<dot2<true>>, kAll))), kDot2Note),
    approximate(plain_sources(with_op_sel_field(row("V_DOT2_BF16_BF16", "h:11h", lanes<dot2<false>>, kAll))),
                kDot2Note),

    HKC_PACKED2("ADD", add),
    HKC_PACKED2("MUL", mul),
    HKC_PACKED3("FMA", fma),
    accumulating(HKC_PACKED3("FMAC", fma)),
    HKC_PACKED2("MIN", (pick_number<F16, false>)),
    HKC_PACKED2("MAX", (pick_number<F16, true>)),
    HKC_PACKED2("MIN_NUM", (pick_number<F16, false>)),
    HKC_PACKED2("MAX_NUM", (pick_number<F16, true>)),
    HKC_PACKED2("MINIMUM", (pick_strict<F16, false>)),
    HKC_PACKED2("MAXIMUM", (pick_strict<F16, true>)),

    HKC_COMPARE("CLASS", "-:hh", is_class),
    HKC_COMPARE("F", "-:hh", never),
    HKC_COMPARE("T", "-:hh", always),
    HKC_COMPARE("TRU", "-:hh", always),
    HKC_FLOAT_CONDITIONS(HKC_ORDERED),
};
#undef HKC_UNARY
#undef HKC_BOUNDED
#undef HKC_BINARY
#undef HKC_TERNARY
#undef HKC_PACKED2
#undef HKC_PACKED3
#undef HKC_NORMALIZED
#undef HKC_COMPARE
#undef HKC_ORDERED

} // namespace

std::span<const Row> half_rows() { return kRows; }

} // namespace pm::emu
