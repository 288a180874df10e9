// The arithmetic of integer vector instructions beyond the common ones of vector_ops.cpp: 16-bit and packed forms, sums
// of absolute differences, integer dot products, saturation.
//
// Sources: RDNA 2, RDNA 3, RDNA 3.5 and RDNA 4 ISA documents, instruction listings.
#include "peacemaker/emu/lane_loops.h"
#include "peacemaker/emu/row_builders.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pm::emu {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// --- 32 bits --------------------------------------------------------------------------------------------------------

template <typename T, bool Max>
u32 pick(u32 a, u32 b) {
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    return static_cast<u32>((x > y) == Max ? x : y);
}
template <typename T, bool Max>
u32 pick3(u32 a, u32 b, u32 c) {
    return pick<T, Max>(pick<T, Max>(a, b), c);
}
template <typename T>
u32 median(u32 a, u32 b, u32 c) {
    return pick<T, true>(pick<T, false>(a, b), pick<T, false>(pick<T, true>(a, b), c));
}
template <typename T, bool MaxFirst>
u32 clamped(u32 a, u32 b, u32 c) {
    return pick<T, !MaxFirst>(pick<T, MaxFirst>(a, b), c);
}

// Into the range of T.
template <typename T>
u32 saturated(i64 v) {
    return static_cast<u32>(
        static_cast<T>(std::clamp<i64>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
}
enum class Sum { kAdd, kSub, kSubReversed, kMul };
template <typename T, Sum Operation>
i64 exact(u32 a, u32 b) {
    const i64 x = static_cast<T>(a), y = static_cast<T>(b);
    return Operation == Sum::kAdd           ? x + y
           : Operation == Sum::kSub         ? x - y
           : Operation == Sum::kSubReversed ? y - x
                                            : x * y;
}
template <typename T, Sum Operation>
u32 wrapping(u32 a, u32 b) {
    return static_cast<u32>(static_cast<T>(exact<T, Operation>(a, b)));
}
template <typename T, Sum Operation>
u32 saturating(u32 a, u32 b) {
    return saturated<T>(exact<T, Operation>(a, b));
}
template <typename T>
u32 mad_wrapping(u32 a, u32 b, u32 c) {
    return static_cast<u32>(static_cast<T>(exact<T, Sum::kMul>(a, b) + static_cast<T>(c)));
}
template <typename T>
u32 mad_saturating(u32 a, u32 b, u32 c) {
    return saturated<T>(exact<T, Sum::kMul>(a, b) + static_cast<T>(c));
}

// The arithmetic with and without CLAMP.
template <auto Plain, auto Saturating>
Compute by_clamp(bool clamp, bool, bool) {
    return clamp ? Compute{lanes<Saturating>} : Compute{lanes<Plain>};
}

u32 mad_32_16_unsigned(u32 a, u32 b, u32 c) { return (a & 0xffffu) * (b & 0xffffu) + c; }
u32 mad_32_16_signed(u32 a, u32 b, u32 c) { return static_cast<u32>(static_cast<i16>(a) * static_cast<i16>(b)) + c; }
u32 count_bits(u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; }
// Leading bits equal to the sign; all of them: -1.
u32 leading_signs(u32 a) {
    const u32 other = static_cast<i32>(a) < 0 ? ~a : a;
    return other == 0 ? ~0u : static_cast<u32>(std::countl_zero(other));
}
u32 sign_extended(u32 a) { return static_cast<u32>(static_cast<i16>(a)); }
u32 zero_extended(u32 a) { return a & 0xffffu; }
u32 bit_not(u32 a) { return ~a; }
u32 bit_and(u32 a, u32 b) { return a & b; }
u32 bit_or(u32 a, u32 b) { return a | b; }
u32 bit_xor(u32 a, u32 b) { return a ^ b; }
u32 lshlrev16(u32 a, u32 b) { return (b << (a & 15u)) & 0xffffu; }
u32 lshrrev16(u32 a, u32 b) { return (b & 0xffffu) >> (a & 15u); }
u32 ashrrev16(u32 a, u32 b) { return static_cast<u32>(static_cast<i16>(b) >> (a & 15u)); }

u32 mbcnt_lo(const u32* a, const u32* b, const u32*, u32* d, u32) {
    for (u32 i = 0; i < kLanes; ++i) d[i] = static_cast<u32>(std::popcount(a[i] & ((1u << i) - 1u))) + b[i];
    return 0;
}
// No lane of the lower half stands in the high word; all bits of the low word stand before those of the upper half.
u32 mbcnt_hi(u32, u32 b) { return b; }

u32 cndmask16(const u32* a, const u32* b, const u32*, u32* d, u32 mask) {
    for (u32 i = 0; i < kLanes; ++i) d[i] = ((mask >> i) & 1u) != 0 ? b[i] : a[i];
    return 0;
}

// --- bytes ----------------------------------------------------------------------------------------------------------

u32 byte_of(u32 v, u32 index) { return (v >> (8 * index)) & 0xffu; }
u32 difference(u32 a, u32 b) { return a > b ? a - b : b - a; }

// With `Masked` a byte counts only where the second operand's is not 0.
template <bool Masked>
u32 sad(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 4; ++i)
        if (!Masked || byte_of(b, i) != 0) c += difference(byte_of(a, i), byte_of(b, i));
    return c;
}
u32 sad_hi(u32 a, u32 b, u32 c) { return (sad<false>(a, b, 0) << 16) + c; }
u32 sad_u16(u32 a, u32 b, u32 c) { return c + difference(a & 0xffffu, b & 0xffffu) + difference(a >> 16, b >> 16); }
u32 sad_u32(u32 a, u32 b, u32 c) { return c + difference(a, b); }
template <bool Masked>
u64 quad_sad(u64 a, u32 b, u64 c) {
    u64 r = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u32 sum = sad<Masked>(static_cast<u32>(a >> (8 * i)), b, static_cast<u32>(c >> (16 * i)) & 0xffffu);
        r |= u64{sum & 0xffffu} << (16 * i);
    }
    return r;
}
u32 lerp(u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (u32 i = 0; i < 4; ++i) r |= ((byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1u)) >> 1) << (8 * i);
    return r;
}
u32 saturate_pack(u32 a) {
    const auto byte = [](i32 v) { return static_cast<u32>(std::clamp(v, 0, 255)); };
    return byte(static_cast<i16>(a)) | byte(static_cast<i16>(a >> 16)) << 8;
}
u32 pack_i16(u32 a, u32 b) {
    return (saturated<i16>(static_cast<i32>(a)) & 0xffffu) | saturated<i16>(static_cast<i32>(b)) << 16;
}
u32 pack_u16(u32 a, u32 b) { return saturated<u16>(a) | saturated<u16>(b) << 16; }

// --- packed 16-bit --------------------------------------------------------------------------------------------------

template <auto Op>
u32 packed2(u32 a, u32 b) {
    return (Op(a & 0xffffu, b & 0xffffu) & 0xffffu) | Op(a >> 16, b >> 16) << 16;
}
template <auto Op>
u32 packed3(u32 a, u32 b, u32 c) {
    return (Op(a & 0xffffu, b & 0xffffu, c & 0xffffu) & 0xffffu) | Op(a >> 16, b >> 16, c >> 16) << 16;
}

// --- integer dot products -------------------------------------------------------------------------------------------

// Element `index` of `Bits` bits.
template <u32 Bits, bool Signed>
i64 element(u32 v, u32 index) {
    const u32 field = (v >> (Bits * index)) & ((1u << Bits) - 1u);
    return Signed ? static_cast<i32>(field << (32 - Bits)) >> (32 - Bits) : i64{field};
}
// The exact sum, wrapped or saturated to the accumulator's type.
template <u32 Bits, bool SignedA, bool SignedB, bool Clamp, typename Accumulator>
u32 dot(u32 a, u32 b, u32 c) {
    i64 sum = static_cast<Accumulator>(c);
    for (u32 i = 0; i < 32 / Bits; ++i) sum += element<Bits, SignedA>(a, i) * element<Bits, SignedB>(b, i);
    return Clamp ? saturated<Accumulator>(sum) : static_cast<u32>(sum);
}
template <u32 Bits, bool Signed, typename Accumulator>
Compute dot_by_clamp(bool clamp, bool, bool) {
    return clamp ? Compute{lanes<dot<Bits, Signed, Signed, true, Accumulator>>}
                 : Compute{lanes<dot<Bits, Signed, Signed, false, Accumulator>>};
}
// The NEG bits of the first two sources say which are signed.
template <u32 Bits>
Compute dot_by_sign(bool clamp, bool a, bool b) {
    static constexpr Compute kAll[2][2][2] = {
        {{lanes<dot<Bits, false, false, false, i32>>, lanes<dot<Bits, false, true, false, i32>>},
         {lanes<dot<Bits, true, false, false, i32>>, lanes<dot<Bits, true, true, false, i32>>}},
        {{lanes<dot<Bits, false, false, true, i32>>, lanes<dot<Bits, false, true, true, i32>>},
         {lanes<dot<Bits, true, false, true, i32>>, lanes<dot<Bits, true, true, true, i32>>}}};
    return kAll[clamp ? 1 : 0][a ? 1 : 0][b ? 1 : 0];
}

template <typename T>
bool never(T, T) {
    return false;
}
template <typename T>
bool always(T, T) {
    return true;
}
template <typename T, bool Less, bool Equal, bool Greater>
bool compared(u32 a, u32 b) {
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    return x < y ? Less : x > y ? Greater : Equal;
}

constexpr ShadowRule kAll = ShadowRule::kAll, kCarry = ShadowRule::kCarry, kMove = ShadowRule::kMove,
                     kXor = ShadowRule::kXor, kHalves = ShadowRule::kHalves, kAddend = ShadowRule::kAddend,
                     kEqual = ShadowRule::kEqual, kOrder = ShadowRule::kOrder, kOrderSigned = ShadowRule::kOrderSigned;

#define HKC_CLAMPING(name, shape, plain, saturating, shadow)                                                           \
    with_variants(row(name, shape, lanes<plain>, shadow), by_clamp<plain, saturating>)
#define HKC_SUM(name, shape, T, sum, shadow)                                                                           \
    HKC_CLAMPING(name, shape, (wrapping<T, Sum::sum>), (saturating<T, Sum::sum>), shadow)
#define HKC_PACKED_SUM(name, T, sum)                                                                                   \
    HKC_CLAMPING("V_PK_" name, "p:pp", (packed2<wrapping<T, Sum::sum>>), (packed2<saturating<T, Sum::sum>>), kHalves)
#define HKC_PACKED(name, op) row("V_PK_" name, "p:pp", lanes<packed2<op>>, kHalves)
#define HKC_OF_THREE(suffix, shape, T)                                                                                 \
    row("V_MIN3_" suffix, shape, lanes<pick3<T, false>>, kAll),                                                        \
        row("V_MAX3_" suffix, shape, lanes<pick3<T, true>>, kAll),                                                     \
        row("V_MED3_" suffix, shape, lanes<median<T>>, kAll)
#define HKC_CONSTANT(T, suffix, shape)                                                                                 \
    mask_to(row("V_CMP_F_" suffix, shape, lanes<never<T>>, kAll)),                                                     \
        mask_to(row("V_CMPX_F_" suffix, shape, lanes<never<T>>, kAll)),                                                \
        mask_to(row("V_CMP_T_" suffix, shape, lanes<always<T>>, kAll)),                                                \
        mask_to(row("V_CMPX_T_" suffix, shape, lanes<always<T>>, kAll))
#define HKC_COMPARE16(OP, less, equal, greater, signed_rule, unsigned_rule)                                            \
    mask_to(row("V_CMP_" OP "_I16", "-:hh", lanes<compared<i16, less, equal, greater>>, signed_rule)),                 \
        mask_to(row("V_CMP_" OP "_U16", "-:hh", lanes<compared<u16, less, equal, greater>>, unsigned_rule)),           \
        mask_to(row("V_CMPX_" OP "_I16", "-:hh", lanes<compared<i16, less, equal, greater>>, signed_rule)),            \
        mask_to(row("V_CMPX_" OP "_U16", "-:hh", lanes<compared<u16, less, equal, greater>>, unsigned_rule))

constexpr Row kRows[] = {
    HKC_SUM("V_ADD_NC_I32", "1:11", i32, kAdd, kCarry),
    HKC_SUM("V_SUB_NC_I32", "1:11", i32, kSub, kCarry),
    HKC_OF_THREE("I32", "1:111", i32),
    HKC_OF_THREE("U32", "1:111", u32),
    HKC_OF_THREE("I16", "h:hhh", i16),
    HKC_OF_THREE("U16", "h:hhh", u16),
    row("V_MINMAX_I32", "1:111", lanes<clamped<i32, false>>, kAll),
    row("V_MAXMIN_I32", "1:111", lanes<clamped<i32, true>>, kAll),
    row("V_MINMAX_U32", "1:111", lanes<clamped<u32, false>>, kAll),
    row("V_MAXMIN_U32", "1:111", lanes<clamped<u32, true>>, kAll),
    row("V_BCNT_U32_B32", "1:11", lanes<count_bits>, kAddend),
    row("V_FFBH_I32", "1:1", lanes<leading_signs>, kAll),
    row("V_CLS_I32", "1:1", lanes<leading_signs>, kAll),
    in_upper_half(row("V_MBCNT_LO_U32_B32", "1:11", mbcnt_lo, kAddend), lanes<count_bits>),
    in_upper_half(row("V_MBCNT_HI_U32_B32", "1:11", lanes<mbcnt_hi>, kAddend), mbcnt_lo),

    HKC_SUM("V_ADD_NC_U16", "h:hh", u16, kAdd, kCarry),
    HKC_SUM("V_SUB_NC_U16", "h:hh", u16, kSub, kCarry),
    HKC_SUM("V_ADD_NC_I16", "h:hh", i16, kAdd, kCarry),
    HKC_SUM("V_SUB_NC_I16", "h:hh", i16, kSub, kCarry),
    row("V_MUL_LO_U16", "h:hh", lanes<wrapping<u16, Sum::kMul>>, ShadowRule::kProduct),
    HKC_CLAMPING("V_MAD_U16", "h:hhh", mad_wrapping<u16>, mad_saturating<u16>, ShadowRule::kProduct),
    HKC_CLAMPING("V_MAD_I16", "h:hhh", mad_wrapping<i16>, mad_saturating<i16>, ShadowRule::kProduct),
    row("V_MAD_U32_U16", "1:hh1", lanes<mad_32_16_unsigned>, ShadowRule::kProduct),
    row("V_MAD_I32_I16", "1:hh1", lanes<mad_32_16_signed>, ShadowRule::kProduct),
    row("V_MIN_I16", "h:hh", lanes<pick<i16, false>>, kAll),
    row("V_MAX_I16", "h:hh", lanes<pick<i16, true>>, kAll),
    row("V_MIN_U16", "h:hh", lanes<pick<u16, false>>, kAll),
    row("V_MAX_U16", "h:hh", lanes<pick<u16, true>>, kAll),
    row("V_LSHLREV_B16", "h:hh", lanes<lshlrev16>, kMove, 1, 15),
    row("V_LSHRREV_B16", "h:hh", lanes<lshrrev16>, kMove, 1, 15),
    row("V_ASHRREV_I16", "h:hh", lanes<ashrrev16>, kMove, 1, 15),
    row("V_NOT_B16", "h:h", lanes<bit_not>, kXor),
    row("V_AND_B16", "h:hh", lanes<bit_and>, ShadowRule::kAnd),
    row("V_OR_B16", "h:hh", lanes<bit_or>, ShadowRule::kOr),
    row("V_XOR_B16", "h:hh", lanes<bit_xor>, kXor),
    row("V_CVT_I32_I16", "1:h", lanes<sign_extended>, kMove),
    row("V_CVT_U32_U16", "1:h", lanes<zero_extended>, kMove),
    mask_through(row("V_CNDMASK_B16", "h:hh", cndmask16, ShadowRule::kSelect), true, false),

    row("V_SAD_U8", "1:111", lanes<sad<false>>, kAddend),
    row("V_MSAD_U8", "1:111", lanes<sad<true>>, kAddend),
    row("V_SAD_HI_U8", "1:111", lanes<sad_hi>, kAddend),
    row("V_SAD_U16", "1:111", lanes<sad_u16>, kAddend),
    row("V_SAD_U32", "1:111", lanes<sad_u32>, kAddend),
    row("V_QSAD_PK_U16_U8", "2:212", lanes<quad_sad<false>>, kAll),
    row("V_MQSAD_PK_U16_U8", "2:212", lanes<quad_sad<true>>, kAll),
    row("V_LERP_U8", "1:111", lanes<lerp>, kAll),
    row("V_SAT_PK_U8_I16", "h:1", lanes<saturate_pack>, kAll),
    row("V_CVT_PK_I16_I32", "1:11", lanes<pack_i16>, ShadowRule::kPair),
    row("V_CVT_PK_U16_U32", "1:11", lanes<pack_u16>, ShadowRule::kPair),

    HKC_PACKED_SUM("ADD_U16", u16, kAdd),
    HKC_PACKED_SUM("SUB_U16", u16, kSub),
    HKC_PACKED_SUM("ADD_I16", i16, kAdd),
    HKC_PACKED_SUM("SUB_I16", i16, kSub),
    HKC_PACKED("MUL_LO_U16", (wrapping<u16, Sum::kMul>)),
    HKC_CLAMPING("V_PK_MAD_U16", "p:ppp", packed3<mad_wrapping<u16>>, packed3<mad_saturating<u16>>, kHalves),
    HKC_CLAMPING("V_PK_MAD_I16", "p:ppp", packed3<mad_wrapping<i16>>, packed3<mad_saturating<i16>>, kHalves),
    HKC_PACKED("MIN_I16", (pick<i16, false>)),
    HKC_PACKED("MAX_I16", (pick<i16, true>)),
    HKC_PACKED("MIN_U16", (pick<u16, false>)),
    HKC_PACKED("MAX_U16", (pick<u16, true>)),
    HKC_PACKED("LSHLREV_B16", lshlrev16),
    HKC_PACKED("LSHRREV_B16", lshrrev16),
    HKC_PACKED("ASHRREV_I16", ashrrev16),

    with_variants(row("V_DOT2_I32_I16", "1:pp1", lanes<dot<16, true, true, false, i32>>, kAddend),
                  dot_by_clamp<16, true, i32>),
    with_variants(row("V_DOT2_U32_U16", "1:pp1", lanes<dot<16, false, false, false, u32>>, kAddend),
                  dot_by_clamp<16, false, u32>),
    with_variants(row("V_DOT4_I32_I8", "1:111", lanes<dot<8, true, true, false, i32>>, kAddend),
                  dot_by_clamp<8, true, i32>),
    with_variants(row("V_DOT4_U32_U8", "1:111", lanes<dot<8, false, false, false, u32>>, kAddend),
                  dot_by_clamp<8, false, u32>),
    with_variants(row("V_DOT8_I32_I4", "1:111", lanes<dot<4, true, true, false, i32>>, kAddend),
                  dot_by_clamp<4, true, i32>),
    with_variants(row("V_DOT8_U32_U4", "1:111", lanes<dot<4, false, false, false, u32>>, kAddend),
                  dot_by_clamp<4, false, u32>),
    with_variants(row("V_DOT4_I32_IU8", "1:111", lanes<dot<8, false, false, false, i32>>, kAddend), dot_by_sign<8>),
    with_variants(row("V_DOT8_I32_IU4", "1:111", lanes<dot<4, false, false, false, i32>>, kAddend), dot_by_sign<4>),
    accumulating(row("V_DOT4C_I32_I8", "1:111", lanes<dot<8, true, true, false, i32>>, kAddend)),

    HKC_COMPARE16("LT", true, false, false, kOrderSigned, kOrder),
    HKC_COMPARE16("EQ", false, true, false, kEqual, kEqual),
    HKC_COMPARE16("LE", true, true, false, kOrderSigned, kOrder),
    HKC_COMPARE16("GT", false, false, true, kOrderSigned, kOrder),
    HKC_COMPARE16("NE", true, false, true, kEqual, kEqual),
    HKC_COMPARE16("GE", false, true, true, kOrderSigned, kOrder),
    HKC_CONSTANT(u32, "I32", "-:11"),
    HKC_CONSTANT(u32, "U32", "-:11"),
    HKC_CONSTANT(u64, "I64", "-:22"),
    HKC_CONSTANT(u64, "U64", "-:22"),
};
#undef HKC_CLAMPING
#undef HKC_SUM
#undef HKC_PACKED_SUM
#undef HKC_PACKED
#undef HKC_OF_THREE
#undef HKC_CONSTANT
#undef HKC_COMPARE16

} // namespace

std::span<const Row> integer_rows() { return kRows; }

} // namespace pm::emu
