// The arithmetic of vector instructions: pure functions of lane values, one row each, compiled once for each SIMD width
// of the host.
//
// Sources: RDNA 2, RDNA 3, RDNA 3.5 and RDNA 4 ISA documents, chapters "Vector ALU" and the instruction listings.
#include "peacemaker/emu/half.h"
#include "peacemaker/emu/row_builders.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// Three widths are enough: what every x86-64 has, AVX2 with FMA, AVX-512.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peacemaker/emu/vector_ops.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pm::emu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 kQuiet = 0x00400000;
constexpr u32 kDefaultNan = 0x7fc00000;

inline float f32(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 bits(float value) { return std::bit_cast<u32>(value); }
inline bool is_nan(u32 v) { return (v & 0x7fffffffu) > 0x7f800000u; }

// One bit a lane from words that are 0 or all ones.
inline u32 pack_mask(const u32* words) {
    const hn::ScalableTag<i32> d;
    u32 mask = 0;
    for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
        u8 part[8] = {};
        hn::StoreMaskBits(d, hn::Lt(hn::Load(d, reinterpret_cast<const i32*>(words + i)), hn::Zero(d)), part);
        u32 low = 0;
        std::memcpy(&low, part, sizeof low);
        mask |= (hn::Lanes(d) >= 32 ? low : low & ((1u << hn::Lanes(d)) - 1u)) << i;
    }
    return mask;
}

inline bool any_nan(const u32* words) {
    const hn::ScalableTag<u32> d;
    const hn::ScalableTag<float> df;
    auto nans = hn::IsNaN(hn::BitCast(df, hn::Load(d, words)));
    for (std::size_t i = hn::Lanes(d); i < kLanes; i += hn::Lanes(d))
        nans = hn::Or(nans, hn::IsNaN(hn::BitCast(df, hn::Load(d, words + i))));
    return !hn::AllFalse(df, nans);
}

// --- loops: the only code that knows of lanes ---------------------------------------------------------------------

template <auto Op>
u32 int1(const u32* a, const u32*, const u32*, u32* d, u32) {
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) d[i] = Op(a[i]);
    return 0;
}

template <auto Op>
u32 int2(const u32* a, const u32* b, const u32*, u32* d, u32) {
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) d[i] = Op(a[i], b[i]);
    return 0;
}

template <auto Op>
u32 int3(const u32* a, const u32* b, const u32* c, u32* d, u32) {
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) d[i] = Op(a[i], b[i], c[i]);
    return 0;
}

inline u64 wide(const u32* v, u32 lane) { return v[lane] | static_cast<u64>(v[lane + kLanes]) << 32; }
inline void set_wide(u32* v, u32 lane, u64 value) {
    v[lane] = static_cast<u32>(value);
    v[lane + kLanes] = static_cast<u32>(value >> 32);
}

// 64-bit results: from (u32, u64), (u64, u32) or (u32, u32, u64) by the operation's own signature.
template <auto Op>
u32 wide_12(const u32* a, const u32* b, const u32*, u32* d, u32) {
    for (u32 i = 0; i < kLanes; ++i) set_wide(d, i, Op(a[i], wide(b, i)));
    return 0;
}

template <auto Op>
u32 wide_22(const u32* a, const u32* b, const u32*, u32* d, u32) {
    for (u32 i = 0; i < kLanes; ++i) set_wide(d, i, Op(wide(a, i), wide(b, i)));
    return 0;
}

// (u32, u32, u64) with a carry out of bit 63.
template <auto Op>
u32 wide_112(const u32* a, const u32* b, const u32* c, u32* d, u32) {
    u32 carry = 0;
    for (u32 i = 0; i < kLanes; ++i) {
        bool out = false;
        set_wide(d, i, Op(a[i], b[i], wide(c, i), out));
        carry |= static_cast<u32>(out) << i;
    }
    return carry;
}

template <auto Op>
u32 compare(const u32* a, const u32* b, const u32*, u32*, u32) {
    HWY_ALIGN u32 r[kLanes];
    for (u32 i = 0; i < kLanes; ++i) r[i] = Op(a[i], b[i]) ? ~0u : 0u;
    return pack_mask(r);
}

template <auto Op>
u32 compare64(const u32* a, const u32* b, const u32*, u32*, u32) {
    u32 mask = 0;
    for (u32 i = 0; i < kLanes; ++i) mask |= static_cast<u32>(Op(wide(a, i), wide(b, i))) << i;
    return mask;
}

// A NaN result is the first NaN source made quiet, or the default NaN where the operation itself is invalid.
template <int Sources>
HWY_NOINLINE void settle_nans(const u32* a, const u32* b, const u32* c, u32* r) {
    for (u32 i = 0; i < kLanes; ++i) {
        if (!is_nan(r[i])) continue;
        if (is_nan(a[i]))
            r[i] = a[i] | kQuiet;
        else if (Sources > 1 && is_nan(b[i]))
            r[i] = b[i] | kQuiet;
        else if (Sources > 2 && is_nan(c[i]))
            r[i] = c[i] | kQuiet;
        else
            r[i] = kDefaultNan;
    }
}

// `result(i)`: of lane i, NaNs not yet settled. Without a NaN it is computed again rather than fetched, since d, which
// the next instruction often waits for, is then stored straight from registers.
template <int Sources, typename Result>
HWY_INLINE void float_lanes(const u32* a, const u32* b, const u32* c, u32* d, Result result) {
    HWY_ALIGN u32 r[kLanes];
    for (u32 i = 0; i < kLanes; ++i) r[i] = result(i);
    if (any_nan(r)) [[unlikely]] {
        settle_nans<Sources>(a, b, c, r);
        std::memcpy(d, r, sizeof r);
        return;
    }
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) d[i] = result(i);
}

template <auto Op>
u32 float2(const u32* a, const u32* b, const u32*, u32* d, u32) {
    float_lanes<2>(a, b, nullptr, d, [=](u32 i) { return bits(Op(f32(a[i]), f32(b[i]))); });
    return 0;
}

u32 fma_f32(const u32* a, const u32* b, const u32* c, u32* d, u32) {
    float_lanes<3>(a, b, c, d, [=](u32 i) { return bits(__builtin_fmaf(f32(a[i]), f32(b[i]), f32(c[i]))); });
    return 0;
}

// --- halves -------------------------------------------------------------------------------------------------------

// Two products added to the accumulator one after the other, low half first, each with one rounding; subnormals are
// kept. The ISA documents give the sum without its roundings, so this is one answer within the stated bound.
template <auto Widen>
void dot2(const u32* a, const u32* b, const u32* c, u32* d) {
    HWY_ALIGN u32 al[kLanes], ah[kLanes], bl[kLanes], bh[kLanes], r[kLanes];
    Widen(a, al, ah);
    Widen(b, bl, bh);
    for (u32 i = 0; i < kLanes; ++i) {
        const float low = __builtin_fmaf(f32(al[i]), f32(bl[i]), f32(c[i]));
        r[i] = bits(__builtin_fmaf(f32(ah[i]), f32(bh[i]), low));
    }
    if (any_nan(r)) [[unlikely]] {
        for (u32 i = 0; i < kLanes; ++i) {
            if (!is_nan(r[i])) continue;
            const u32 sources[] = {al[i], ah[i], bl[i], bh[i], c[i]};
            r[i] = kDefaultNan;
            for (const u32 s : sources)
                if (is_nan(s)) {
                    r[i] = s | kQuiet;
                    break;
                }
        }
    }
    for (u32 i = 0; i < kLanes; ++i) d[i] = r[i];
}

void widen_pair_bf16(const u32* v, u32* low, u32* high) {
    for (u32 i = 0; i < kLanes; ++i) {
        low[i] = v[i] << 16;
        high[i] = v[i] & 0xffff0000u;
    }
}

void widen_pair_f16(const u32* v, u32* low, u32* high) {
    for (u32 i = 0; i < kLanes; ++i) {
        low[i] = widen_half(v[i]);
        high[i] = widen_half(v[i] >> 16);
    }
}

u32 dot2_f32_bf16(const u32* a, const u32* b, const u32* c, u32* d, u32) {
    dot2<widen_pair_bf16>(a, b, c, d);
    return 0;
}

u32 dot2_f32_f16(const u32* a, const u32* b, const u32* c, u32* d, u32) {
    dot2<widen_pair_f16>(a, b, c, d);
    return 0;
}

// Mixed-precision FMA: sources arrive widened to f32; the f16 forms round once more.
u32 fma_mix_f16(const u32* a, const u32* b, const u32* c, u32* d, u32 mask) {
    HWY_ALIGN u32 r[kLanes];
    fma_f32(a, b, c, r, mask);
    for (u32 i = 0; i < kLanes; ++i) d[i] = round_f16(r[i]);
    return 0;
}

// --- integer operations -------------------------------------------------------------------------------------------

inline u32 mov(u32 a) { return a; }
inline u32 bit_not(u32 a) { return ~a; }
inline u32 bfrev(u32 a) {
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i) r |= ((a >> i) & 1u) << (31 - i);
    return r;
}
inline u32 ffbh_u32(u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); }
inline u32 ffbl_b32(u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countr_zero(a)); }
inline u32 add(u32 a, u32 b) { return a + b; }
inline u32 sub(u32 a, u32 b) { return a - b; }
inline u32 subrev(u32 a, u32 b) { return b - a; }
inline u32 add_saturating(u32 a, u32 b) { return a + b < a ? ~0u : a + b; }
inline u32 sub_saturating(u32 a, u32 b) { return a < b ? 0u : a - b; }
inline u32 subrev_saturating(u32 a, u32 b) { return sub_saturating(b, a); }
// The arithmetic with and without CLAMP.
template <auto Plain, auto Saturating>
Compute by_clamp(bool clamp, bool, bool) {
    return clamp ? int2<Saturating> : int2<Plain>;
}
inline u32 bit_and(u32 a, u32 b) { return a & b; }
inline u32 bit_or(u32 a, u32 b) { return a | b; }
inline u32 bit_xor(u32 a, u32 b) { return a ^ b; }
inline u32 bit_xnor(u32 a, u32 b) { return ~(a ^ b); }
inline u32 lshlrev(u32 a, u32 b) { return b << (a & 31u); }
inline u32 lshrrev(u32 a, u32 b) { return b >> (a & 31u); }
inline u32 ashrrev(u32 a, u32 b) { return static_cast<u32>(static_cast<i32>(b) >> (a & 31u)); }
inline u32 min_i32(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b) ? a : b; }
inline u32 max_i32(u32 a, u32 b) { return static_cast<i32>(a) > static_cast<i32>(b) ? a : b; }
inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
inline u32 mul_lo(u32 a, u32 b) { return a * b; }
inline u32 mul_hi_u32(u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }
inline u32 mul_hi_i32(u32 a, u32 b) {
    return static_cast<u32>(static_cast<u64>(static_cast<i64>(static_cast<i32>(a)) * static_cast<i32>(b)) >> 32);
}
inline i32 signed24(u32 a) { return static_cast<i32>(a << 8) >> 8; }
inline u32 mul_u32_u24(u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline u32 mul_i32_i24(u32 a, u32 b) { return static_cast<u32>(static_cast<i64>(signed24(a)) * signed24(b)); }
inline u32 mul_hi_u32_u24(u32 a, u32 b) { return mul_hi_u32(a & 0xffffffu, b & 0xffffffu); }
inline u32 mul_hi_i32_i24(u32 a, u32 b) {
    return mul_hi_i32(static_cast<u32>(signed24(a)), static_cast<u32>(signed24(b)));
}
inline u32 add3(u32 a, u32 b, u32 c) { return a + b + c; }
inline u32 lshl_add(u32 a, u32 b, u32 c) { return (a << (b & 31u)) + c; }
inline u32 add_lshl(u32 a, u32 b, u32 c) { return (a + b) << (c & 31u); }
inline u32 lshl_or(u32 a, u32 b, u32 c) { return (a << (b & 31u)) | c; }
inline u32 and_or(u32 a, u32 b, u32 c) { return (a & b) | c; }
inline u32 or3(u32 a, u32 b, u32 c) { return a | b | c; }
inline u32 xor3(u32 a, u32 b, u32 c) { return a ^ b ^ c; }
inline u32 xad(u32 a, u32 b, u32 c) { return (a ^ b) + c; }
inline u32 mad_u32_u24(u32 a, u32 b, u32 c) { return mul_u32_u24(a, b) + c; }
inline u32 mad_i32_i24(u32 a, u32 b, u32 c) { return mul_i32_i24(a, b) + c; }
inline u32 bfe_u32(u32 a, u32 b, u32 c) {
    const u32 width = c & 31u;
    return (a >> (b & 31u)) & ((1u << width) - 1u);
}
inline u32 bfe_i32(u32 a, u32 b, u32 c) {
    const u32 width = c & 31u;
    if (width == 0) return 0;
    const u32 field = ashrrev(b, a) & ((1u << width) - 1u); // past bit 31 the sign goes on
    const u32 sign = 1u << (width - 1u);
    return (field ^ sign) - sign;
}
inline u32 bfi(u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }
inline u32 bfm(u32 a, u32 b) { return ((1u << (a & 31u)) - 1u) << (b & 31u); }
inline u32 alignbit(u32 a, u32 b, u32 c) { return static_cast<u32>((static_cast<u64>(a) << 32 | b) >> (c & 31u)); }
inline u32 alignbyte(u32 a, u32 b, u32 c) {
    return static_cast<u32>((static_cast<u64>(a) << 32 | b) >> (8u * (c & 3u)));
}
// Selector bytes 0..3 take a byte of b, 4..7 of a, 8..11 a sign of one of the four halves, 12 zeros, above that ones.
inline u32 perm(u32 a, u32 b, u32 c) {
    const u64 data = static_cast<u64>(a) << 32 | b;
    u32 r = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u32 select = (c >> (8 * i)) & 0xffu;
        const u32 picked = static_cast<u32>(data >> (8 * (select & 7u))) & 0xffu;
        const u32 sign = ((data >> (16 * (select & 3u) + 15)) & 1u) != 0 ? 0xffu : 0u;
        const u32 byte = select < 8 ? picked : select < 12 ? sign : select == 12 ? 0u : 0xffu;
        r |= byte << (8 * i);
    }
    return r;
}

// A selector that is the same constant in every lane is the usual case: four bytes move, nothing else varies.
u32 perm_b32(const u32* a, const u32* b, const u32* c, u32* d, u32 mask) {
    const u32 selector = c[0];
    bool plain = true;
    for (u32 i = 0; i < 4; ++i) plain = plain && ((selector >> (8 * i)) & 0xffu) < 8;
    u32 varies = 0;
    for (u32 i = 0; i < kLanes; ++i) varies |= c[i] ^ selector;
    if (!plain || varies != 0) return int3<perm>(a, b, c, d, mask);
    const u32 s0 = 8 * (selector & 7u), s1 = 8 * ((selector >> 8) & 7u), s2 = 8 * ((selector >> 16) & 7u),
              s3 = 8 * ((selector >> 24) & 7u);
    const u32* const p0 = s0 < 32 ? b : a;
    const u32* const p1 = s1 < 32 ? b : a;
    const u32* const p2 = s2 < 32 ? b : a;
    const u32* const p3 = s3 < 32 ? b : a;
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i)
        d[i] = ((p0[i] >> (s0 & 31u)) & 0xffu) | ((p1[i] >> (s1 & 31u)) & 0xffu) << 8 |
               ((p2[i] >> (s2 & 31u)) & 0xffu) << 16 | ((p3[i] >> (s3 & 31u)) & 0xffu) << 24;
    return 0;
}

// Bits of a byte pair that a move takes, packed: v_pack_b32_f16 and its like.
inline u32 pack_halves(u32 a, u32 b) { return (a & 0xffffu) | b << 16; }

inline u64 lshlrev64(u32 a, u64 b) { return b << (a & 63u); }
inline u64 lshrrev64(u32 a, u64 b) { return b >> (a & 63u); }
inline u64 ashrrev64(u32 a, u64 b) { return static_cast<u64>(static_cast<i64>(b) >> (a & 63u)); }
inline u64 mad_u64_u32(u32 a, u32 b, u64 c, bool& carry) {
    const u64 product = static_cast<u64>(a) * b;
    carry = product + c < product;
    return product + c;
}
inline u64 mad_i64_i32(u32 a, u32 b, u64 c, bool& carry) {
    const i64 product = static_cast<i64>(static_cast<i32>(a)) * static_cast<i32>(b);
    i64 sum = 0;
    carry = __builtin_add_overflow(product, static_cast<i64>(c), &sum);
    return static_cast<u64>(sum);
}

// Carry chains: the lane mask comes in and goes out.
template <bool Subtract, bool Reverse>
u32 carry(const u32* a, const u32* b, const u32*, u32* d, u32 mask) {
    const u32* const x = Reverse ? b : a;
    const u32* const y = Reverse ? a : b;
    HWY_ALIGN u32 r[kLanes];
    HWY_ALIGN u32 out[kLanes];
    for (u32 i = 0; i < kLanes; ++i) {
        const u32 in = (mask >> i) & 1u;
        if constexpr (Subtract) {
            r[i] = x[i] - y[i] - in;
            out[i] = static_cast<u64>(x[i]) < static_cast<u64>(y[i]) + in ? ~0u : 0u;
        } else {
            r[i] = x[i] + y[i] + in;
            out[i] = (r[i] < x[i] || (r[i] == x[i] && in != 0 && y[i] == ~0u)) ? ~0u : 0u;
        }
    }
    const u32 result = pack_mask(out);
    for (u32 i = 0; i < kLanes; ++i) d[i] = r[i];
    return result;
}

u32 cndmask(const u32* a, const u32* b, const u32*, u32* d, u32 mask) {
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) d[i] = (mask >> i & 1u) != 0 ? b[i] : a[i];
    return 0;
}

// --- float operations ---------------------------------------------------------------------------------------------

inline float fadd(float a, float b) { return a + b; }
inline float fsub(float a, float b) { return a - b; }
inline float fsubrev(float a, float b) { return b - a; }
inline float fmul(float a, float b) { return a * b; }

// IEEE 754-2008 maxNum and minNum, with -0 below +0; a signalling NaN becomes a quiet result.
template <bool Max>
inline u32 pick_f32(u32 a, u32 b) {
    const bool signals = (is_nan(a) && (a & kQuiet) == 0) || (is_nan(b) && (b & kQuiet) == 0);
    if (signals) return (is_nan(a) && (a & kQuiet) == 0 ? a : b) | kQuiet;
    if (is_nan(a)) return is_nan(b) ? a : b;
    if (is_nan(b)) return a;
    const float x = f32(a), y = f32(b);
    if (x == y) return Max ? ((a >> 31) != 0 ? b : a) : ((a >> 31) != 0 ? a : b);
    return (x > y) == Max ? a : b;
}

inline u32 cvt_f32_i32(u32 a) { return bits(static_cast<float>(static_cast<i32>(a))); }
inline u32 cvt_f32_u32(u32 a) { return bits(static_cast<float>(a)); }
template <u32 Byte>
inline u32 cvt_f32_ubyte(u32 a) {
    return bits(static_cast<float>(static_cast<i32>((a >> (8 * Byte)) & 0xffu)));
}
inline u32 cvt_i32_f32(u32 a) {
    if (is_nan(a)) return 0;
    const float v = f32(a);
    if (v >= 0x1p31f) return 0x7fffffffu;
    if (v <= -0x1p31f) return 0x80000000u;
    return static_cast<u32>(static_cast<i32>(v));
}
inline u32 cvt_u32_f32(u32 a) {
    if (is_nan(a) || f32(a) <= 0.0f) return 0;
    if (f32(a) >= 0x1p32f) return ~0u;
    return static_cast<u32>(f32(a));
}
inline u32 cvt_pkrtz(u32 a, u32 b) { return truncate_f16(a) | truncate_f16(b) << 16; }

#define HKC_COMPARE_INT(op, expr)                                                                                      \
    inline bool op##_i32(u32 x, u32 y) {                                                                               \
        const i32 a = static_cast<i32>(x), b = static_cast<i32>(y);                                                    \
        return expr;                                                                                                   \
    }                                                                                                                  \
    inline bool op##_u32(u32 a, u32 b) { return expr; }                                                                \
    inline bool op##_i64(u64 x, u64 y) {                                                                               \
        const i64 a = static_cast<i64>(x), b = static_cast<i64>(y);                                                    \
        return expr;                                                                                                   \
    }                                                                                                                  \
    inline bool op##_u64(u64 a, u64 b) { return expr; }
HKC_COMPARE_INT(lt, a < b)
HKC_COMPARE_INT(eq, a == b)
HKC_COMPARE_INT(le, a <= b)
HKC_COMPARE_INT(gt, a > b)
HKC_COMPARE_INT(ne, a != b)
HKC_COMPARE_INT(ge, a >= b)
#undef HKC_COMPARE_INT

#define HKC_COMPARE_FLOAT(op, expr)                                                                                    \
    inline bool op##_f32(u32 x, u32 y) {                                                                               \
        const float a = f32(x), b = f32(y);                                                                            \
        return expr;                                                                                                   \
    }
HKC_COMPARE_FLOAT(lt, a < b)
HKC_COMPARE_FLOAT(eq, a == b)
HKC_COMPARE_FLOAT(le, a <= b)
HKC_COMPARE_FLOAT(gt, a > b)
HKC_COMPARE_FLOAT(lg, a<b || a> b)
HKC_COMPARE_FLOAT(ge, a >= b)
HKC_COMPARE_FLOAT(o, a == a && b == b)
HKC_COMPARE_FLOAT(u, a != a || b != b)
HKC_COMPARE_FLOAT(nge, !(a >= b))
HKC_COMPARE_FLOAT(nlg, !(a < b || a > b))
HKC_COMPARE_FLOAT(ngt, !(a > b))
HKC_COMPARE_FLOAT(nle, !(a <= b))
HKC_COMPARE_FLOAT(neq, !(a == b))
HKC_COMPARE_FLOAT(nlt, !(a < b))
#undef HKC_COMPARE_FLOAT

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr ShadowRule kAll = ShadowRule::kAll, kMove = ShadowRule::kMove, kCarry = ShadowRule::kCarry,
                     kEqual = ShadowRule::kEqual, kOrder = ShadowRule::kOrder, kOrderSigned = ShadowRule::kOrderSigned;
constexpr std::string_view kDot2Note =
    "low product, then high product, added to the accumulator with one rounding each, subnormals kept; "
    "the ISA leaves the roundings open (at most 2^-23 each, operands and results below 2^-126 may be flushed)";

#define HKC_COMPARES(OP, op, signed_rule, unsigned_rule)                                                               \
    mask_to(row("V_CMP_" OP "_I32", "-:11", compare<op##_i32>, signed_rule)),                                          \
        mask_to(row("V_CMP_" OP "_U32", "-:11", compare<op##_u32>, unsigned_rule)),                                    \
        mask_to(row("V_CMP_" OP "_I64", "-:22", compare64<op##_i64>, signed_rule)),                                    \
        mask_to(row("V_CMP_" OP "_U64", "-:22", compare64<op##_u64>, unsigned_rule)),                                  \
        mask_to(row("V_CMPX_" OP "_I32", "-:11", compare<op##_i32>, signed_rule)),                                     \
        mask_to(row("V_CMPX_" OP "_U32", "-:11", compare<op##_u32>, unsigned_rule)),                                   \
        mask_to(row("V_CMPX_" OP "_I64", "-:22", compare64<op##_i64>, signed_rule)),                                   \
        mask_to(row("V_CMPX_" OP "_U64", "-:22", compare64<op##_u64>, unsigned_rule))
#define HKC_COMPARES_F32(OP, op)                                                                                       \
    floating(mask_to(row("V_CMP_" OP "_F32", "-:11", compare<op##_f32>, kAll))),                                       \
        floating(mask_to(row("V_CMPX_" OP "_F32", "-:11", compare<op##_f32>, kAll)))

constexpr Row kRows[] = {
    row("V_MOV_B32", "1:1", int1<mov>, kMove),
    row("V_MOV_B16", "h:h", int1<mov>, kMove),
    row("V_NOT_B32", "1:1", int1<bit_not>, ShadowRule::kXor),
    row("V_BFREV_B32", "1:1", int1<bfrev>, kMove),
    row("V_FFBH_U32", "1:1", int1<ffbh_u32>, ShadowRule::kFirst),
    row("V_FFBL_B32", "1:1", int1<ffbl_b32>, ShadowRule::kFirst),
    row("V_CLZ_I32_U32", "1:1", int1<ffbh_u32>, ShadowRule::kFirst),
    row("V_CTZ_I32_B32", "1:1", int1<ffbl_b32>, ShadowRule::kFirst),
    row("V_ADD_U32", "1:11", int2<add>, kCarry), // as half of a dual instruction
    with_variants(row("V_ADD_NC_U32", "1:11", int2<add>, kCarry), by_clamp<add, add_saturating>),
    with_variants(row("V_SUB_NC_U32", "1:11", int2<sub>, kCarry), by_clamp<sub, sub_saturating>),
    with_variants(row("V_SUBREV_NC_U32", "1:11", int2<subrev>, kCarry), by_clamp<subrev, subrev_saturating>),
    row("V_AND_B32", "1:11", int2<bit_and>, ShadowRule::kAnd),
    row("V_OR_B32", "1:11", int2<bit_or>, ShadowRule::kOr),
    row("V_XOR_B32", "1:11", int2<bit_xor>, ShadowRule::kXor),
    row("V_XNOR_B32", "1:11", int2<bit_xnor>, ShadowRule::kXor),
    row("V_LSHLREV_B32", "1:11", int2<lshlrev>, kMove, 1, 31),
    row("V_LSHRREV_B32", "1:11", int2<lshrrev>, kMove, 1, 31),
    row("V_ASHRREV_I32", "1:11", int2<ashrrev>, kMove, 1, 31),
    row("V_MIN_I32", "1:11", int2<min_i32>, kAll),
    row("V_MAX_I32", "1:11", int2<max_i32>, kAll),
    row("V_MIN_U32", "1:11", int2<min_u32>, kAll),
    row("V_MAX_U32", "1:11", int2<max_u32>, kAll),
    row("V_MUL_LO_U32", "1:11", int2<mul_lo>, ShadowRule::kProduct),
    row("V_MUL_HI_U32", "1:11", int2<mul_hi_u32>, kAll),
    row("V_MUL_HI_I32", "1:11", int2<mul_hi_i32>, kAll),
    row("V_MUL_U32_U24", "1:11", int2<mul_u32_u24>, ShadowRule::kProduct24),
    row("V_MUL_I32_I24", "1:11", int2<mul_i32_i24>, ShadowRule::kProduct24),
    row("V_MUL_HI_U32_U24", "1:11", int2<mul_hi_u32_u24>, ShadowRule::kAll24),
    row("V_MUL_HI_I32_I24", "1:11", int2<mul_hi_i32_i24>, ShadowRule::kAll24),
    row("V_ADD3_U32", "1:111", int3<add3>, kCarry),
    row("V_LSHL_ADD_U32", "1:111", int3<lshl_add>, ShadowRule::kShlSum),
    row("V_ADD_LSHL_U32", "1:111", int3<add_lshl>, ShadowRule::kSumShl),
    row("V_LSHL_OR_B32", "1:111", int3<lshl_or>, kMove, 2, 31),
    row("V_AND_OR_B32", "1:111", int3<and_or>, ShadowRule::kAndOr),
    row("V_OR3_B32", "1:111", int3<or3>, ShadowRule::kOr),
    row("V_XOR3_B32", "1:111", int3<xor3>, ShadowRule::kXor),
    row("V_XAD_U32", "1:111", int3<xad>, kCarry),
    row("V_MAD_U32_U24", "1:111", int3<mad_u32_u24>, ShadowRule::kProduct24),
    row("V_MAD_I32_I24", "1:111", int3<mad_i32_i24>, ShadowRule::kProduct24),
    row("V_BFE_U32", "1:111", int3<bfe_u32>, kMove, 6, 31),
    row("V_BFE_I32", "1:111", int3<bfe_i32>, kMove, 6, 31),
    row("V_BFI_B32", "1:111", int3<bfi>, ShadowRule::kInsert),
    row("V_BFM_B32", "1:11", int2<bfm>, kAll),
    row("V_ALIGNBIT_B32", "1:111", int3<alignbit>, kMove, 4, 31),
    row("V_ALIGNBYTE_B32", "1:111", int3<alignbyte>, kMove, 4, 3),
    row("V_PERM_B32", "1:111", perm_b32, ShadowRule::kPermute),
    row("V_PACK_B32_F16", "1:hh", int2<pack_halves>, kMove),
    row("V_LSHLREV_B64", "2:12", wide_12<lshlrev64>, kMove, 1, 63),
    row("V_LSHRREV_B64", "2:12", wide_12<lshrrev64>, kMove, 1, 63),
    row("V_ASHRREV_I64", "2:12", wide_12<ashrrev64>, kMove, 1, 63),
    mask_to(row("V_MAD_U64_U32", "2:112", wide_112<mad_u64_u32>, ShadowRule::kProduct64)),
    mask_to(row("V_MAD_I64_I32", "2:112", wide_112<mad_i64_i32>, ShadowRule::kProduct64)),
    mask_to(row("V_MAD_CO_U64_U32", "2:112", wide_112<mad_u64_u32>, ShadowRule::kProduct64)),
    mask_to(row("V_MAD_CO_I64_I32", "2:112", wide_112<mad_i64_i32>, ShadowRule::kProduct64)),
    mask_to(row("V_ADD_CO_U32", "1:11", carry<false, false>, kCarry)),
    mask_to(row("V_SUB_CO_U32", "1:11", carry<true, false>, kCarry)),
    mask_to(row("V_SUBREV_CO_U32", "1:11", carry<true, true>, kCarry)),
    mask_through(row("V_ADD_CO_CI_U32", "1:11", carry<false, false>, kCarry), true, true),
    mask_through(row("V_SUB_CO_CI_U32", "1:11", carry<true, false>, kCarry), true, true),
    mask_through(row("V_SUBREV_CO_CI_U32", "1:11", carry<true, true>, kCarry), true, true),
    mask_through(row("V_CNDMASK_B32", "1:11", cndmask, ShadowRule::kSelect), true, false),

    floating(row("V_ADD_F32", "1:11", float2<fadd>, kAll)),
    floating(row("V_SUB_F32", "1:11", float2<fsub>, kAll)),
    floating(row("V_SUBREV_F32", "1:11", float2<fsubrev>, kAll)),
    floating(row("V_MUL_F32", "1:11", float2<fmul>, kAll)),
    floating(row("V_FMA_F32", "1:111", fma_f32, kAll)),
    floating(accumulating(row("V_FMAC_F32", "1:111", fma_f32, kAll))),
    floating(row("V_FMAAK_F32", "1:111", fma_f32, kAll)),
    floating(row("V_FMAMK_F32", "1:111", fma_f32, kAll)),
    floating(row("V_MAX_F32", "1:11", int2<pick_f32<true>>, kAll)),
    floating(row("V_MIN_F32", "1:11", int2<pick_f32<false>>, kAll)),
    floating(row("V_MAX_NUM_F32", "1:11", int2<pick_f32<true>>, kAll)),
    floating(row("V_MIN_NUM_F32", "1:11", int2<pick_f32<false>>, kAll)),
    floating(row("V_CVT_F32_I32", "1:i", int1<cvt_f32_i32>, kAll)),
    floating(row("V_CVT_F32_U32", "1:i", int1<cvt_f32_u32>, kAll)),
    to_integer(row("V_CVT_I32_F32", "1:1", int1<cvt_i32_f32>, kAll)),
    to_integer(row("V_CVT_U32_F32", "1:1", int1<cvt_u32_f32>, kAll)),
    row("V_CVT_F32_UBYTE0", "1:1", int1<cvt_f32_ubyte<0>>, ShadowRule::kByte, 0),
    row("V_CVT_F32_UBYTE1", "1:1", int1<cvt_f32_ubyte<1>>, ShadowRule::kByte, 1),
    row("V_CVT_F32_UBYTE2", "1:1", int1<cvt_f32_ubyte<2>>, ShadowRule::kByte, 2),
    row("V_CVT_F32_UBYTE3", "1:1", int1<cvt_f32_ubyte<3>>, ShadowRule::kByte, 3),
    floating(row("V_CVT_F16_F32", "h:1", int1<round_f16>, kAll)),
    floating(row("V_CVT_F32_F16", "1:h", int1<widen_half>, kAll)),
    row("V_CVT_PKRTZ_F16_F32", "1:11", int2<cvt_pkrtz>, ShadowRule::kPair),
    row("V_CVT_PK_RTZ_F16_F32", "1:11", int2<cvt_pkrtz>, ShadowRule::kPair),
    floating(row("V_FMA_MIX_F32", "1:mmm", fma_f32, kAll)),
    floating(row("V_FMA_MIXLO_F16", "h:mmm", fma_mix_f16, kAll)),
    floating(row("V_FMA_MIXHI_F16", "H:mmm", fma_mix_f16, kAll)),
    approximate(row("V_DOT2_F32_F16", "1:pp1", dot2_f32_f16, kAll), kDot2Note),
    approximate(row("V_DOT2_F32_BF16", "1:pp1", dot2_f32_bf16, kAll), kDot2Note),
    approximate(accumulating(row("V_DOT2C_F32_F16", "1:pp1", dot2_f32_f16, kAll)), kDot2Note),
    approximate(accumulating(row("V_DOT2ACC_F32_F16", "1:pp1", dot2_f32_f16, kAll)), kDot2Note),
    approximate(accumulating(row("V_DOT2C_F32_BF16", "1:pp1", dot2_f32_bf16, kAll)),
                kDot2Note), // as half of a dual instruction

    HKC_COMPARES("LT", lt, kOrderSigned, kOrder),
    HKC_COMPARES("EQ", eq, kEqual, kEqual),
    HKC_COMPARES("LE", le, kOrderSigned, kOrder),
    HKC_COMPARES("GT", gt, kOrderSigned, kOrder),
    HKC_COMPARES("NE", ne, kEqual, kEqual),
    HKC_COMPARES("GE", ge, kOrderSigned, kOrder),
    HKC_COMPARES_F32("LT", lt),
    HKC_COMPARES_F32("EQ", eq),
    HKC_COMPARES_F32("LE", le),
    HKC_COMPARES_F32("GT", gt),
    HKC_COMPARES_F32("LG", lg),
    HKC_COMPARES_F32("GE", ge),
    HKC_COMPARES_F32("O", o),
    HKC_COMPARES_F32("U", u),
    HKC_COMPARES_F32("NGE", nge),
    HKC_COMPARES_F32("NLG", nlg),
    HKC_COMPARES_F32("NGT", ngt),
    HKC_COMPARES_F32("NLE", nle),
    HKC_COMPARES_F32("NEQ", neq),
    HKC_COMPARES_F32("NLT", nlt),
};
#undef HKC_COMPARES
#undef HKC_COMPARES_F32

} // namespace

std::span<const Row> rows() { return kRows; }

} // namespace pm::emu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pm::emu {

HWY_EXPORT(rows);

std::span<const Row> vector_rows() { return HWY_DYNAMIC_DISPATCH(rows)(); }

} // namespace pm::emu
#endif
