#include "tests/emu/exact_float.h"
#include "tests/emu/vector_cases.h"

#include <array>
#include <cmath>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 w(u64 v) { return static_cast<u32>(v); }
LaneOut word(const LaneIn& in, u64 v) { return {(in.d >> 32 << 32) | w(v), in.mask}; }
LaneOut low_half(const LaneIn& in, u64 v) { return {(in.d >> 16 << 16) | (v & 0xffff), in.mask}; }
LaneOut high_half(const LaneIn& in, u64 v) {
    return {(in.d >> 32 << 32) | (v & 0xffff) << 16 | (in.d & 0xffff), in.mask};
}
u32 negated(u64 v) { return w(v) ^ 0x80000000; }
u32 magnitude(u64 v) { return w(v) & 0x7fffffff; }
bool nan(u64 v) { return kF32.is_nan(w(v)); }
bool signalling(u64 v) { return nan(v) && (w(v) & 0x400000) == 0; }

// maxNum and minNum of IEEE 754-2008 with -0 below +0, ordered as sign-magnitude integers.
u64 chosen(u64 a, u64 b, bool largest) {
    if (signalling(a)) return w(a) | 0x400000;
    if (signalling(b)) return w(b) | 0x400000;
    if (nan(a)) return nan(b) ? w(a) : w(b);
    if (nan(b)) return w(a);
    const auto key = [](u64 v) {
        return kF32.negative(w(v)) ? -1 - std::int64_t{magnitude(v)} : std::int64_t{magnitude(v)};
    };
    return (key(a) > key(b)) == largest ? w(a) : w(b);
}

u64 to_integer(u64 v, const mpz_class& least, const mpz_class& most) {
    if (nan(v)) return 0;
    mpz_class whole;
    if (kF32.is_infinite(w(v)))
        whole = kF32.negative(w(v)) ? least : most;
    else {
        const mpq_class value = value_of(kF32, w(v));
        mpz_tdiv_q(whole.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
    }
    if (whole < least) whole = least;
    if (whole > most) whole = most;
    return w(static_cast<u64>(whole.get_si()));
}

u64 from_integer(const mpz_class& v) { return rounded(kF32, mpq_class(v), Rounding::kNearestEven); }
u32 widened(Format from, u64 half) { return w(converted(from, kF32, half & 0xffff, Rounding::kNearestEven)); }
u64 narrowed(u64 v, Rounding rounding = Rounding::kNearestEven) { return converted(kF32, kF16, w(v), rounding); }

// The documented answer: low product, then high product, added to the accumulator with one rounding each. A NaN is the
// first of the five operands in the order a.low, a.high, b.low, b.high, c.
u64 dot2(Format format, u64 a, u64 b, u64 c) {
    const std::array<u32, 5> operands = {widened(format, a), widened(format, a >> 16), widened(format, b),
                                         widened(format, b >> 16), w(c)};
    for (const u32 v : operands)
        if (nan(v)) return w(v) | 0x400000;
    const u32 first = fma_f32(operands[0], operands[2], w(c));
    return fma_f32(operands[1], operands[3], first);
}

std::vector<VectorCase> arithmetic() {
    using In = const LaneIn&;
    const auto v = Values::kFloats;
    return {
        {"V_ADD_F32", kAllGens, "v_add_f32_e32 v10, v4, v6", v, [](In i) { return word(i, add_f32(w(i.a), w(i.b))); }},
        {"V_SUB_F32", kAllGens, "v_sub_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, nan(i.b) && !nan(i.a) ? w(i.b) | 0x400000 : add_f32(w(i.a), negated(i.b))); }},
        {"V_SUBREV_F32", kAllGens, "v_subrev_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, nan(i.a) ? w(i.a) | 0x400000 : add_f32(w(i.b), negated(i.a))); }},
        {"V_MUL_F32", kAllGens, "v_mul_f32_e32 v10, v4, v6", v, [](In i) { return word(i, mul_f32(w(i.a), w(i.b))); }},
        {"V_FMA_F32", kAllGens, "v_fma_f32 v10, v4, v6, v8", v,
         [](In i) { return word(i, fma_f32(w(i.a), w(i.b), w(i.c))); }},
        {"V_FMAC_F32", kAllGens, "v_fmac_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, fma_f32(w(i.a), w(i.b), w(i.d))); }},
        {"V_FMAAK_F32", kAllGens, "v_fmaak_f32 v10, v4, v6, 0x40490fdb", v,
         [](In i) { return word(i, fma_f32(w(i.a), w(i.b), 0x40490fdb)); }},
        {"V_FMAMK_F32", kAllGens, "v_fmamk_f32 v10, v4, 0x40490fdb, v6", v,
         [](In i) { return word(i, fma_f32(w(i.a), 0x40490fdb, w(i.b))); }},
        {"V_MAX_F32", kGen10And11, "v_max_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, chosen(i.a, i.b, true)); }},
        {"V_MIN_F32", kGen10And11, "v_min_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, chosen(i.a, i.b, false)); }},
        {"V_MAX_NUM_F32", kGen12, "v_max_num_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, chosen(i.a, i.b, true)); }},
        {"V_MIN_NUM_F32", kGen12, "v_min_num_f32_e32 v10, v4, v6", v,
         [](In i) { return word(i, chosen(i.a, i.b, false)); }},
        // Modifiers, and the operand forms of the general path.
        {"V_ADD_F32", kAllGens, "v_add_f32_e64 v10, -v4, |v6|", v,
         [](In i) { return word(i, add_f32(negated(i.a), magnitude(i.b))); }},
        {"V_FMA_F32", kAllGens, "v_fma_f32 v10, -|v4|, v6, 2.0", v,
         [](In i) { return word(i, fma_f32(magnitude(i.a) | 0x80000000, w(i.b), 0x40000000)); }},
        {"V_MUL_F32", kAllGens, "v_mul_f32_e64 v10, v4, v6 clamp", v,
         [](In i) {
             const u32 r = mul_f32(w(i.a), w(i.b));
             // DX10_CLAMP: NaN and everything below +0 give +0.
             if (nan(r) || kF32.negative(r)) return word(i, 0);
             return word(i, std::min(r, u32{0x3f800000}));
         }},
        {"V_ADD_F32", kAllGens, "v_add_f32_dpp v10, v4, v6 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", v,
         [](In i) { return word(i, add_f32(w(i.a), w(i.b))); }},
    };
}

std::vector<VectorCase> conversions() {
    using In = const LaneIn&;
    const auto f = Values::kFloats, n = Values::kIntegers, h = Values::kHalves;
    const mpz_class least = -(mpz_class(1) << 31), most = (mpz_class(1) << 31) - 1,
                    most_unsigned = (mpz_class(1) << 32) - 1;
    std::vector<VectorCase> c = {
        {"V_CVT_F32_I32", kAllGens, "v_cvt_f32_i32_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<long>(static_cast<std::int32_t>(w(i.a)))))); }},
        {"V_CVT_F32_U32", kAllGens, "v_cvt_f32_u32_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<unsigned long>(w(i.a))))); }},
        {"V_CVT_I32_F32", kAllGens, "v_cvt_i32_f32_e32 v10, v4", f,
         [=](In i) { return word(i, to_integer(i.a, least, most)); }},
        {"V_CVT_U32_F32", kAllGens, "v_cvt_u32_f32_e32 v10, v4", f,
         [=](In i) { return word(i, to_integer(i.a, 0, most_unsigned)); }},
        {"V_CVT_F32_UBYTE0", kAllGens, "v_cvt_f32_ubyte0_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<unsigned long>(i.a & 255)))); }},
        {"V_CVT_F32_UBYTE1", kAllGens, "v_cvt_f32_ubyte1_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<unsigned long>(i.a >> 8 & 255)))); }},
        {"V_CVT_F32_UBYTE2", kAllGens, "v_cvt_f32_ubyte2_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<unsigned long>(i.a >> 16 & 255)))); }},
        {"V_CVT_F32_UBYTE3", kAllGens, "v_cvt_f32_ubyte3_e32 v10, v4", n,
         [](In i) { return word(i, from_integer(mpz_class(static_cast<unsigned long>(i.a >> 24 & 255)))); }},
        {"V_CVT_F16_F32", kAllGens, "v_cvt_f16_f32_e32 v10, v4", f, [](In i) { return low_half(i, narrowed(i.a)); }},
        {"V_CVT_F32_F16", kAllGens, "v_cvt_f32_f16_e32 v10, v4", h, [](In i) { return word(i, widened(kF16, i.a)); }},
        {"V_CVT_F32_F16", kGen10, "v_cvt_f32_f16_sdwa v10, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", h,
         [](In i) { return word(i, widened(kF16, i.a >> 16)); }},
        {"V_CVT_F16_F32", kGen10, "v_cvt_f16_f32_sdwa v10, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
         f, [](In i) { return high_half(i, narrowed(i.a)); }},
        {"V_PACK_B32_F16", kAllGens, "v_pack_b32_f16 v10, v4, v6", h,
         [](In i) { return word(i, (i.a & 0xffff) | (i.b & 0xffff) << 16); }},
    };
    for (const auto& [row, generations] :
         {std::pair{"V_CVT_PKRTZ_F16_F32", unsigned{kGen10}}, {"V_CVT_PK_RTZ_F16_F32", kGen11And12}})
        c.push_back({row, generations, "v_cvt_pkrtz_f16_f32 v10, v4, v6", f, [](In i) {
                         return word(i, narrowed(i.a, Rounding::kTowardsZero) | narrowed(i.b, Rounding::kTowardsZero)
                                                                                    << 16);
                     }});
    return c;
}

std::vector<VectorCase> mixed() {
    using In = const LaneIn&;
    const auto h = Values::kHalves;
    std::vector<VectorCase> c = {
        {"V_FMA_MIX_F32", kAllGens, "v_fma_mix_f32 v10, v4, v6, v8 op_sel_hi:[1,1,0]", h,
         [](In i) { return word(i, fma_f32(widened(kF16, i.a), widened(kF16, i.b), w(i.c))); }},
        {"V_FMA_MIX_F32", kAllGens, "v_fma_mix_f32 v10, -v4, v6, |v8| op_sel:[1,0,0] op_sel_hi:[1,0,1]", h,
         [](In i) {
             return word(i, fma_f32(negated(widened(kF16, i.a >> 16)), w(i.b), magnitude(widened(kF16, i.c))));
         }},
        {"V_FMA_MIXLO_F16", kAllGens, "v_fma_mixlo_f16 v10, v4, v6, v8 op_sel_hi:[1,1,0]", h,
         [](In i) { return low_half(i, narrowed(fma_f32(widened(kF16, i.a), widened(kF16, i.b), w(i.c)))); }},
        {"V_FMA_MIXHI_F16", kAllGens, "v_fma_mixhi_f16 v10, v4, v6, v8 op_sel_hi:[0,1,1]", h,
         [](In i) { return high_half(i, narrowed(fma_f32(w(i.a), widened(kF16, i.b), widened(kF16, i.c)))); }},
        {"V_DOT2_F32_F16", kAllGens, "v_dot2_f32_f16 v10, v4, v6, v8", h,
         [](In i) { return word(i, dot2(kF16, i.a, i.b, i.c)); }},
        {"V_DOT2_F32_BF16", kGen11And12, "v_dot2_f32_bf16 v10, v4, v6, v8", Values::kBrainHalves,
         [](In i) { return word(i, dot2(kBf16, i.a, i.b, i.c)); }},
        {"V_DOT2_F32_F16", kAllGens,
         "v_dot2_f32_f16 v10, v4, v6, v8 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[1,0,0] neg_hi:[0,1,0]", h,
         [](In i) {
             const u64 swapped = (i.a >> 16 & 0xffff) | (i.a & 0xffff) << 16;
             return word(i, dot2(kF16, swapped ^ 0x8000, i.b ^ 0x80000000, i.c));
         }},
        {"V_DOT2C_F32_F16", kGen10, "v_dot2c_f32_f16_e32 v10, v4, v6", h,
         [](In i) { return word(i, dot2(kF16, i.a, i.b, i.d)); }},
        {"V_DOT2ACC_F32_F16", kGen11, "v_dot2acc_f32_f16_e32 v10, v4, v6", h,
         [](In i) { return word(i, dot2(kF16, i.a, i.b, i.d)); }},
        {"V_DOT2C_F32_BF16", kGen11And12, "v_dual_dot2acc_f32_bf16 v10, v4, v6 :: v_dual_mov_b32 v13, v5",
         Values::kBrainHalves, [](In i) { return word(i, dot2(kBf16, i.a, i.b, i.d)); }},
    };
    return c;
}

} // namespace

std::vector<VectorCase> float_cases() {
    std::vector<VectorCase> all = arithmetic();
    for (const auto& more : {conversions(), mixed()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace pm::testing
