// Scalar float instructions (gfx1150 and later): one pure function and one row each.
//
// Sources: RDNA 3.5 and RDNA 4 ISA documents, SOP1, SOP2 and SOPC listings. What a 16-bit result leaves in the upper
// half of its register is not stated: it counts as undefined.
#include "peacemaker/emu/bounded_functions.h"
#include "peacemaker/emu/row_builders.h"
#include "peacemaker/emu/scalar_execute.h"

#include <bit>
#include <cmath>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;

u32 word(u64 v) { return static_cast<u32>(v); }
u32 bits(float v) { return std::bit_cast<u32>(v); }

// f32 holds sums and products of halves well enough that rounding them again changes nothing.
template <typename F>
u64 rounded(float v, u64 a, u64 b) {
    const u32 r = F::kMantissaBits == 23 ? bits(v) : round_f16(bits(v));
    return settled<F>(r, word(a), word(b));
}
template <typename F>
float value(u64 v) {
    return static_cast<float>(value_of<F>(word(v)));
}
template <typename F>
u64 add(u64 a, u64 b, bool&) {
    return rounded<F>(value<F>(a) + value<F>(b), a, b);
}
template <typename F>
u64 sub(u64 a, u64 b, bool&) {
    return rounded<F>(value<F>(a) - value<F>(b), a, b);
}
template <typename F>
u64 mul(u64 a, u64 b, bool&) {
    return rounded<F>(value<F>(a) * value<F>(b), a, b);
}
template <typename F>
u64 fma(u64 a, u64 b, u64 c, bool&) {
    // Exact in f64, or rounded to odd there.
    const double sum = sum_to_odd(value_of<F>(word(a)) * value_of<F>(word(b)), value_of<F>(word(c)));
    return settled<F>(nearest<F>(sum), word(a), word(b), word(c));
}
template <typename F, bool Max>
u64 pick(u64 a, u64 b, bool&) {
    return pick_number<F, Max>(word(a), word(b));
}
template <typename F, bool Max>
u64 pick_any(u64 a, u64 b, bool&) {
    return pick_strict<F, Max>(word(a), word(b));
}
template <typename F, Whole Direction>
u64 to_whole(u64 a, u64, bool&) {
    return whole<F, Direction>(word(a));
}
template <typename F, bool Less, bool Equal, bool Greater, bool Unordered>
u64 compare(u64 a, u64 b, bool& scc) {
    return scc = compared<F, Less, Equal, Greater, Unordered>(word(a), word(b)), 0;
}
u64 from_i32(u64 a, u64, bool&) { return bits(static_cast<float>(static_cast<i32>(word(a)))); }
u64 from_u32(u64 a, u64, bool&) { return bits(static_cast<float>(word(a))); }
u64 to_i32(u64 a, u64, bool&) { return to_int<F32, 32, true>(word(a)); }
u64 to_u32(u64 a, u64, bool&) { return to_int<F32, 32, false>(word(a)); }
u64 narrow(u64 a, u64, bool&) { return round_f16(word(a)); }
u64 widen(u64 a, u64, bool&) { return widen_half(word(a)); }
u64 widen_high(u64 a, u64, bool&) { return widen_half(word(a) >> 16); }
u64 pack_towards_zero(u64 a, u64 b, bool&) { return truncate_f16(word(a)) | truncate_f16(word(b)) << 16; }

// V_S_*: the bounded functions on scalar registers.
template <double (*Function)(double)>
u64 bounded(u64 a, u64, bool&) {
    return nearest_of<F32, Function, true>(word(a));
}

template <double (*Function)(double)>
u64 bounded_half(u64 a, u64, bool&) {
    return nearest_of<F16, Function>(word(a));
}

constexpr ShadowRule kAll = ShadowRule::kAll;

constexpr Row row(std::string_view name, std::string_view shape, ScalarOp op) {
    Row r = scalar_row(name, shape, op, shape[0] == '-' ? kSccOut : kNoScc, kAll);
    r.is_float = true;
    return r;
}
constexpr Row row3(std::string_view name, std::string_view shape, ScalarOp3 op, bool accumulates) {
    Row r = row(name, shape, nullptr);
    r.scalar3 = op;
    r.accumulates = accumulates;
    return r;
}
constexpr Row bounded_row(std::string_view name, ScalarOp op) {
    return approximate(row(name, "1:1", op), kFlushedNote);
}
constexpr Row bounded_half_row(std::string_view name, ScalarOp op) {
    return approximate(row(name, "h:h", op), kNearestHalfNote);
}

#define HKC_BOTH(name, sources32, sources16, op, ...)                                                                  \
    row("S_" name "_F32", "1:" sources32, op<F32 __VA_OPT__(, ) __VA_ARGS__>),                                         \
        row("S_" name "_F16", "h:" sources16, op<F16 __VA_OPT__(, ) __VA_ARGS__>)
#define HKC_COMPARE(name, ...)                                                                                         \
    row("S_CMP_" name "_F32", "-:11", compare<F32, __VA_ARGS__>),                                                      \
        row("S_CMP_" name "_F16", "-:hh", compare<F16, __VA_ARGS__>)

constexpr Row kRows[] = {
    HKC_BOTH("ADD", "11", "hh", add),
    HKC_BOTH("SUB", "11", "hh", sub),
    HKC_BOTH("MUL", "11", "hh", mul),
    HKC_BOTH("MIN", "11", "hh", pick, false),
    HKC_BOTH("MAX", "11", "hh", pick, true),
    HKC_BOTH("MINIMUM", "11", "hh", pick_any, false),
    HKC_BOTH("MAXIMUM", "11", "hh", pick_any, true),
    HKC_BOTH("TRUNC", "1", "h", to_whole, Whole::kTruncate),
    HKC_BOTH("CEIL", "1", "h", to_whole, Whole::kCeiling),
    HKC_BOTH("FLOOR", "1", "h", to_whole, Whole::kFloor),
    HKC_BOTH("RNDNE", "1", "h", to_whole, Whole::kNearestEven),
    row3("S_FMAC_F32", "1:111", fma<F32>, true),
    row3("S_FMAC_F16", "h:hhh", fma<F16>, true),
    row3("S_FMAAK_F32", "1:111", fma<F32>, false),
    row3("S_FMAMK_F32", "1:111", fma<F32>, false),
    row("S_CVT_F32_I32", "1:i", from_i32),
    row("S_CVT_F32_U32", "1:i", from_u32),
    to_integer(row("S_CVT_I32_F32", "1:1", to_i32)),
    to_integer(row("S_CVT_U32_F32", "1:1", to_u32)),
    row("S_CVT_F16_F32", "h:1", narrow),
    row("S_CVT_F32_F16", "1:h", widen),
    row("S_CVT_HI_F32_F16", "1:i", widen_high),
    to_integer(row("S_CVT_PK_RTZ_F16_F32", "1:11", pack_towards_zero)),
    bounded_row("V_S_RCP_F32", bounded<reciprocal>),
    bounded_row("V_S_RSQ_F32", bounded<reciprocal_root>),
    bounded_row("V_S_SQRT_F32", bounded<root>),
    bounded_row("V_S_EXP_F32", bounded<power_of_2>),
    bounded_row("V_S_LOG_F32", bounded<logarithm>),
    bounded_half_row("V_S_RCP_F16", bounded_half<reciprocal>),
    bounded_half_row("V_S_RSQ_F16", bounded_half<reciprocal_root>),
    bounded_half_row("V_S_SQRT_F16", bounded_half<root>),
    bounded_half_row("V_S_EXP_F16", bounded_half<power_of_2>),
    bounded_half_row("V_S_LOG_F16", bounded_half<logarithm>),
    HKC_FLOAT_CONDITIONS(HKC_COMPARE),
};
#undef HKC_BOTH
#undef HKC_COMPARE

} // namespace

std::span<const Row> scalar_float_rows() { return kRows; }

} // namespace pm::emu
