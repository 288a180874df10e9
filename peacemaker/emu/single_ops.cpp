// The arithmetic of f32 vector instructions beyond the common ones of vector_ops.cpp: rounding to integers, minimum and
// maximum of three, division steps, and the functions that the ISA bounds.
//
// Sources: RDNA 2, RDNA 3, RDNA 3.5 and RDNA 4 ISA documents, instruction listings.
#include "peacemaker/emu/bounded_functions.h"
#include "peacemaker/emu/lane_loops.h"
#include "peacemaker/emu/row_builders.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

float f32(u32 v) { return std::bit_cast<float>(v); }
u32 bits(float v) { return std::bit_cast<u32>(v); }
bool zero(u32 v) { return magnitude_of<F32>(v) == 0; }
u32 fma_bits(u32 a, u32 b, u32 c) { return settled<F32>(bits(__builtin_fmaf(f32(a), f32(b), f32(c))), a, b, c); }

// --- division -------------------------------------------------------------------------------------------------------

// Scales the quotient back with no rounding of its own: up where it is above 1, which only a scaled denominator brings
// about, else down.
u32 div_fmas(const u32* a, const u32* b, const u32* c, u32* d, u32 mask) {
    for (u32 i = 0; i < kLanes; ++i) {
        const bool back = ((mask >> i) & 1u) != 0;
        const double sum = sum_to_odd<double>(static_cast<double>(f32(a[i])) * f32(b[i]), f32(c[i]));
        const double shift = !back ? 1.0 : exponent_of<F32>(c[i]) > 127 ? 0x1p64 : 0x1p-64;
        d[i] = settled<F32>(nearest<F32>(sum * shift), a[i], b[i], c[i]);
    }
    return 0;
}
u32 div_fixup(u32 quotient, u32 denominator, u32 numerator) {
    return division_fixup<F32>(quotient, denominator, numerator, -150);
}

constexpr std::string_view kScaleNote =
    "operands are scaled by 2^64 or 2^-64 so that the division's result is correctly rounded; the ISA's text leaves "
    "open where the denominator is scaled down";

// --- others ---------------------------------------------------------------------------------------------------------

u32 ldexp(u32 v, u32 exponent) { return scaled<F32>(v, static_cast<i32>(exponent)); }
// A zero factor makes the product +0, whatever the other is.
u32 mul_zero(u32 a, u32 b) { return zero(a) || zero(b) ? 0u : settled<F32>(bits(f32(a) * f32(b)), a, b); }
u32 fma_zero(u32 a, u32 b, u32 c) {
    if (zero(a) || zero(b)) return is_nan<F32>(c) ? c | F32::kQuiet : c;
    return fma_bits(a, b, c);
}
u32 floor_i32(u32 a) { return to_int<F32, 32, true>(whole<F32, Whole::kFloor>(a)); }
// floor(x + 1/2) of the exact sum.
u32 nearest_i32(u32 a) {
    if (is_nan<F32>(a)) return 0;
    return to_int<F64, 32, true>(std::bit_cast<std::uint64_t>(std::floor(static_cast<double>(f32(a)) + 0.5)));
}
// A signed nibble in sixteenths.
u32 off_i4(u32 a) { return bits(static_cast<float>(static_cast<i32>(a << 28) >> 28) / 16.0f); }
// The byte that the selector names becomes the number, rounded to nearest even.
u32 pack_byte(u32 v, u32 selector, u32 into) {
    const u32 shift = 8 * (selector & 3u);
    const double x = is_nan<F32>(v) ? 0 : std::nearbyint(std::clamp(double{f32(v)}, 0.0, 255.0));
    return (into & ~(0xffu << shift)) | static_cast<u32>(x) << shift;
}

// A cube's coordinates: z leads where it is largest, then y, then x; with a NaN x does.
enum class Cube { kFace, kS, kT, kMajor };
template <Cube What>
u32 cube(u32 x, u32 y, u32 z) {
    const float ax = std::fabs(f32(x)), ay = std::fabs(f32(y)), az = std::fabs(f32(z));
    const bool by_z = az >= ax && az >= ay, by_y = !by_z && ay >= ax;
    const u32 major = by_z ? z : by_y ? y : x;
    const bool minus = f32(major) < 0;
    const u32 flip = minus ? F32::kSign : 0;
    u32 r = 0;
    if (What == Cube::kFace)
        r = bits((by_z ? 4.0f : by_y ? 2.0f : 0.0f) + (minus ? 1.0f : 0.0f));
    else if (What == Cube::kS)
        r = by_z ? x ^ flip : by_y ? x : z ^ flip ^ F32::kSign;
    else if (What == Cube::kT)
        r = by_y ? z ^ flip : y ^ F32::kSign;
    else
        r = bits(2.0f * f32(major));
    return is_nan<F32>(r) ? r | F32::kQuiet : r;
}
// The lighting product: as small as it gets where the exponent or the light is none.
u32 multiply_lit(u32 a, u32 b, u32 c) {
    constexpr u32 kLeast = 0xff7fffffu;
    if (is_nan<F32>(b) || is_nan<F32>(c) || f32(b) <= f32(kLeast) || f32(c) <= 0) return kLeast;
    return mul_zero(a, b);
}

bool is_class(u32 v, u32 mask) { return in_class<F32>(v, mask); }
bool never(u32, u32) { return false; }
bool always(u32, u32) { return true; }

constexpr ShadowRule kAll = ShadowRule::kAll;
constexpr std::string_view kCubeNote = "subnormals compare as what they are; a chip may compare them as zeros, and the "
                                       "ISA does not state the sign of zeros";

#define HKC_UNARY(name, op) floating(row("V_" name "_F32", "1:1", lanes<op>, kAll))
#define HKC_BOUNDED(name, op, note) approximate(HKC_UNARY(name, op), note)
#define HKC_TERNARY(name, op) floating(row("V_" name "_F32", "1:111", lanes<op>, kAll))
#define HKC_NORMALIZED(name, is_signed)                                                                                \
    approximate(to_integer(row(name, "1:11", lanes<pair_of<to_normalized<F32, is_signed>>>, ShadowRule::kPair)),       \
                kNormalizedNote)
#define HKC_COMPARE(name, shape, op)                                                                                   \
    floating(mask_to(row("V_CMP_" name, shape, lanes<op>, kAll))),                                                     \
        floating(mask_to(row("V_CMPX_" name, shape, lanes<op>, kAll)))

constexpr Row kRows[] = {
    HKC_UNARY("TRUNC", (whole<F32, Whole::kTruncate>)),
    HKC_UNARY("CEIL", (whole<F32, Whole::kCeiling>)),
    HKC_UNARY("RNDNE", (whole<F32, Whole::kNearestEven>)),
    HKC_UNARY("FLOOR", (whole<F32, Whole::kFloor>)),
    HKC_UNARY("FRACT", fraction<F32>),
    HKC_UNARY("FREXP_MANT", frexp_mantissa<F32>),
    to_integer(row("V_FREXP_EXP_I32_F32", "1:1", lanes<frexp_exponent<F32>>, kAll)),
    HKC_BOUNDED("RCP", (nearest_of<F32, reciprocal, true>), kFlushedNote),
    HKC_BOUNDED("RCP_IFLAG", (nearest_of<F32, reciprocal, true>), kFlushedNote),
    HKC_BOUNDED("RSQ", (nearest_of<F32, reciprocal_root, true>), kFlushedNote),
    HKC_BOUNDED("SQRT", (nearest_of<F32, root, true>), kFlushedNote),
    HKC_BOUNDED("EXP", (nearest_of<F32, power_of_2, true>), kFlushedNote),
    HKC_BOUNDED("LOG", (nearest_of<F32, logarithm, true>), kFlushedNote),
    HKC_BOUNDED("SIN", (circular<F32, false>), kCircularNote),
    HKC_BOUNDED("COS", (circular<F32, true>), kCircularNote),

    floating(row("V_LDEXP_F32", "1:1i", lanes<ldexp>, kAll)),
    floating(row("V_MUL_LEGACY_F32", "1:11", lanes<mul_zero>, kAll)),
    floating(row("V_MUL_DX9_ZERO_F32", "1:11", lanes<mul_zero>, kAll)),
    HKC_TERNARY("FMA_LEGACY", fma_zero),
    HKC_TERNARY("FMA_DX9_ZERO", fma_zero),
    accumulating(HKC_TERNARY("FMAC_LEGACY", fma_zero)),
    accumulating(HKC_TERNARY("FMAC_DX9_ZERO", fma_zero)),
    HKC_TERNARY("MIN3", (pick3_number<F32, false>)),
    HKC_TERNARY("MAX3", (pick3_number<F32, true>)),
    HKC_TERNARY("MED3", median<F32>),
    HKC_TERNARY("MIN3_NUM", (pick3_number<F32, false>)),
    HKC_TERNARY("MAX3_NUM", (pick3_number<F32, true>)),
    HKC_TERNARY("MED3_NUM", median<F32>),
    HKC_TERNARY("MINMAX", (clamp_number<F32, false>)),
    HKC_TERNARY("MAXMIN", (clamp_number<F32, true>)),
    HKC_TERNARY("MINMAX_NUM", (clamp_number<F32, false>)),
    HKC_TERNARY("MAXMIN_NUM", (clamp_number<F32, true>)),
    floating(row("V_MINIMUM_F32", "1:11", lanes<pick_strict<F32, false>>, kAll)),
    floating(row("V_MAXIMUM_F32", "1:11", lanes<pick_strict<F32, true>>, kAll)),
    HKC_TERNARY("MINIMUM3", (pick3_strict<F32, false>)),
    HKC_TERNARY("MAXIMUM3", (pick3_strict<F32, true>)),
    HKC_TERNARY("MINIMUMMAXIMUM", (clamp_strict<F32, false>)),
    HKC_TERNARY("MAXIMUMMINIMUM", (clamp_strict<F32, true>)),

    approximate(keeping_subnormals(floating(
                    mask_to(row("V_DIV_SCALE_F32", "1:111", (lanes_with_mask<u32, division_scale<F32>>), kAll)))),
                kScaleNote),
    keeping_subnormals(floating(mask_through(row("V_DIV_FMAS_F32", "1:111", div_fmas, kAll), true, false))),
    keeping_subnormals(HKC_TERNARY("DIV_FIXUP", div_fixup)),

    to_integer(row("V_CVT_FLR_I32_F32", "1:1", lanes<floor_i32>, kAll)),
    to_integer(row("V_CVT_FLOOR_I32_F32", "1:1", lanes<floor_i32>, kAll)),
    approximate(to_integer(row("V_CVT_RPI_I32_F32", "1:1", lanes<nearest_i32>, kAll)),
                "floor of the exact sum of x and 1/2; the ISA bounds the error by 1 ulp"),
    approximate(to_integer(row("V_CVT_NEAREST_I32_F32", "1:1", lanes<nearest_i32>, kAll)),
                "floor of the exact sum of x and 1/2; the ISA bounds the error by 1 ulp"),
    HKC_NORMALIZED("V_CVT_PKNORM_I16_F32", true),
    HKC_NORMALIZED("V_CVT_PKNORM_U16_F32", false),
    HKC_NORMALIZED("V_CVT_PK_NORM_I16_F32", true),
    HKC_NORMALIZED("V_CVT_PK_NORM_U16_F32", false),
    to_integer(row("V_CVT_PK_I16_F32", "1:11", lanes<pair_of<to_int<F32, 16, true>>>, ShadowRule::kPair)),
    to_integer(row("V_CVT_PK_U16_F32", "1:11", lanes<pair_of<to_int<F32, 16, false>>>, ShadowRule::kPair)),
    approximate(to_integer(row("V_CVT_PK_U8_F32", "1:1ii", lanes<pack_byte>, kAll)), kNormalizedNote),
    approximate(HKC_TERNARY("CUBEID", cube<Cube::kFace>), kCubeNote),
    approximate(HKC_TERNARY("CUBESC", cube<Cube::kS>), kCubeNote),
    approximate(HKC_TERNARY("CUBETC", cube<Cube::kT>), kCubeNote),
    approximate(HKC_TERNARY("CUBEMA", cube<Cube::kMajor>), kCubeNote),
    approximate(HKC_TERNARY("MULLIT", multiply_lit),
                "+0 where a factor is zero; the ISA does not state the sign, nor what a NaN factor gives"),
    row("V_CVT_OFF_F32_I4", "1:1", lanes<off_i4>, kAll),

    HKC_COMPARE("CLASS_F32", "-:1i", is_class),
    HKC_COMPARE("F_F32", "-:11", never),
    HKC_COMPARE("T_F32", "-:11", always),
    HKC_COMPARE("TRU_F32", "-:11", always),
};
#undef HKC_UNARY
#undef HKC_BOUNDED
#undef HKC_TERNARY
#undef HKC_NORMALIZED
#undef HKC_COMPARE

} // namespace

std::span<const Row> single_rows() { return kRows; }

} // namespace pm::emu
