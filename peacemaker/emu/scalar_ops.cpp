// Scalar instructions: one pure function and one row each.
//
// Sources: RDNA ISA documents, chapters "Scalar ALU operations" (SOP1, SOP2, SOPC, SOPK) and the instruction listings.
#include "peacemaker/emu/scalar_execute.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/wave.h"

#include <bit>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

u32 low(u64 v) { return static_cast<u32>(v); }
i32 sig(u64 v) { return static_cast<i32>(static_cast<u32>(v)); }

u64 mov(u64 a, u64, bool&) { return a; }
u64 not32(u64 a, u64, bool& scc) { return scc = low(~a) != 0, low(~a); }
u64 brev32(u64 a, u64, bool&) {
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i) r |= ((low(a) >> i) & 1u) << (31 - i);
    return r;
}
u64 bcnt1_32(u64 a, u64, bool& scc) {
    const auto n = static_cast<u32>(std::popcount(low(a)));
    return scc = n != 0, n;
}
u64 ff1_32(u64 a, u64, bool&) { return low(a) == 0 ? ~0u : static_cast<u32>(std::countr_zero(low(a))); }
u64 flbit_32(u64 a, u64, bool&) { return low(a) == 0 ? ~0u : static_cast<u32>(std::countl_zero(low(a))); }
u64 not64(u64 a, u64, bool& scc) { return scc = ~a != 0, ~a; }
u64 brev64(u64 a, u64, bool&) {
    u64 r = 0;
    for (u32 i = 0; i < 64; ++i) r |= ((a >> i) & 1u) << (63 - i);
    return r;
}
u64 bcnt0_32(u64 a, u64, bool& scc) {
    const auto n = 32 - static_cast<u32>(std::popcount(low(a)));
    return scc = n != 0, n;
}
u64 bcnt_64(u64 a, bool& scc) {
    const auto n = static_cast<u32>(std::popcount(a));
    return scc = n != 0, n;
}
u64 bcnt0_64(u64 a, u64, bool& scc) { return bcnt_64(~a, scc); }
u64 bcnt1_64(u64 a, u64, bool& scc) { return bcnt_64(a, scc); }
u64 ff1_64(u64 a, u64, bool&) { return a == 0 ? ~0u : static_cast<u32>(std::countr_zero(a)); }
u64 ff0_32(u64 a, u64 b, bool& scc) { return ff1_32(~a, b, scc); }
u64 ff0_64(u64 a, u64 b, bool& scc) { return ff1_64(~a, b, scc); }
u64 flbit_64(u64 a, u64, bool&) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); }
// Leading bits equal to the sign; all of them: -1.
u64 signs_32(u64 a, u64 b, bool& scc) { return flbit_32(sig(a) < 0 ? ~a : a, b, scc); }
u64 signs_64(u64 a, u64 b, bool& scc) { return flbit_64(static_cast<i64>(a) < 0 ? ~a : a, b, scc); }
u64 bitreplicate(u64 a, u64, bool&) {
    u64 r = 0;
    for (u32 i = 0; i < 32; ++i) r |= ((a >> i) & 1u) * (u64{3} << (2 * i));
    return r;
}
// One bit a quad: whether any of its four is set; WQM sets all four.
u64 quads(u64 a, u32 bits, bool whole) {
    u64 r = 0;
    for (u32 i = 0; i < bits / 4; ++i)
        if (((a >> (4 * i)) & 15u) != 0) r |= whole ? u64{15} << (4 * i) : u64{1} << i;
    return r;
}
template <u32 Bits, bool Whole>
u64 quad_mask(u64 a, u64, bool& scc) {
    const u64 r = quads(a, Bits, Whole);
    return scc = r != 0, r;
}
u64 bitset0(u64 a, u64 b, bool&) { return b & ~(u64{1} << (a & 31u)); }
u64 bitset1(u64 a, u64 b, bool&) { return b | u64{1} << (a & 31u); }
u64 bitset0_64(u64 a, u64 b, bool&) { return b & ~(u64{1} << (a & 63u)); }
u64 bitset1_64(u64 a, u64 b, bool&) { return b | u64{1} << (a & 63u); }
u64 sext_i8(u64 a, u64, bool&) { return static_cast<u32>(static_cast<std::int8_t>(a)); }
u64 sext_i16(u64 a, u64, bool&) { return static_cast<u32>(static_cast<std::int16_t>(a)); }
u64 abs32(u64 a, u64, bool& scc) {
    const u32 r = sig(a) < 0 ? 0u - low(a) : low(a);
    return scc = r != 0, r;
}

u64 add_u32(u64 a, u64 b, bool& scc) {
    const u64 r = u64{low(a)} + low(b);
    return scc = (r >> 32) != 0, low(r);
}
u64 sub_u32(u64 a, u64 b, bool& scc) { return scc = low(b) > low(a), low(low(a) - low(b)); }
u64 addc_u32(u64 a, u64 b, bool& scc) {
    const u64 r = u64{low(a)} + low(b) + (scc ? 1u : 0u);
    return scc = (r >> 32) != 0, low(r);
}
u64 subb_u32(u64 a, u64 b, bool& scc) {
    const u64 take = u64{low(b)} + (scc ? 1u : 0u);
    const u32 r = low(u64{low(a)} - take);
    return scc = take > low(a), r;
}
u64 add_i32(u64 a, u64 b, bool& scc) {
    i32 r = 0;
    return scc = __builtin_add_overflow(sig(a), sig(b), &r), static_cast<u32>(r);
}
u64 sub_i32(u64 a, u64 b, bool& scc) {
    i32 r = 0;
    return scc = __builtin_sub_overflow(sig(a), sig(b), &r), static_cast<u32>(r);
}
u64 add_u64(u64 a, u64 b, bool&) { return a + b; }
u64 sub_u64(u64 a, u64 b, bool&) { return a - b; }
u64 mul_u64(u64 a, u64 b, bool&) { return a * b; }
u64 mul_i32(u64 a, u64 b, bool&) { return low(low(a) * low(b)); }
u64 mul_hi_u32(u64 a, u64 b, bool&) { return u64{low(a)} * low(b) >> 32; }
u64 mul_hi_i32(u64 a, u64 b, bool&) { return low(static_cast<u64>(i64{sig(a)} * sig(b)) >> 32); }
u64 min_i32(u64 a, u64 b, bool& scc) { return scc = sig(a) < sig(b), sig(a) < sig(b) ? low(a) : low(b); }
u64 max_i32(u64 a, u64 b, bool& scc) { return scc = sig(a) > sig(b), sig(a) > sig(b) ? low(a) : low(b); }
u64 min_u32(u64 a, u64 b, bool& scc) { return scc = low(a) < low(b), low(a) < low(b) ? low(a) : low(b); }
u64 max_u32(u64 a, u64 b, bool& scc) { return scc = low(a) > low(b), low(a) > low(b) ? low(a) : low(b); }
u64 absdiff_i32(u64 a, u64 b, bool& scc) {
    const u32 d = low(a) - low(b);
    const u32 r = sig(d) < 0 ? 0u - d : d; // of the difference in 32 bits
    return scc = r != 0, r;
}

template <typename T>
T cut(u64 v) {
    return static_cast<T>(v);
}
template <typename T>
u64 bit_and(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(a & b) != 0, cut<T>(a & b);
}
template <typename T>
u64 bit_or(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(a | b) != 0, cut<T>(a | b);
}
template <typename T>
u64 bit_xor(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(a ^ b) != 0, cut<T>(a ^ b);
}
template <typename T>
u64 andn2(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(a & ~b) != 0, cut<T>(a & ~b);
}
template <typename T>
u64 orn2(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(a | ~b) != 0, cut<T>(a | ~b);
}
template <typename T>
u64 nand(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(~(a & b)) != 0, cut<T>(~(a & b));
}
template <typename T>
u64 nor(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(~(a | b)) != 0, cut<T>(~(a | b));
}
template <typename T>
u64 xnor(u64 a, u64 b, bool& scc) {
    return scc = cut<T>(~(a ^ b)) != 0, cut<T>(~(a ^ b));
}
template <typename T>
u64 lshl(u64 a, u64 b, bool& scc) {
    const T r = static_cast<T>(cut<T>(a) << (b & (sizeof(T) * 8 - 1)));
    return scc = r != 0, r;
}
template <typename T>
u64 lshr(u64 a, u64 b, bool& scc) {
    const T r = static_cast<T>(cut<T>(a) >> (b & (sizeof(T) * 8 - 1)));
    return scc = r != 0, r;
}
u64 ashr32(u64 a, u64 b, bool& scc) {
    const u32 r = static_cast<u32>(sig(a) >> (b & 31u));
    return scc = r != 0, r;
}
u64 ashr64(u64 a, u64 b, bool& scc) {
    const u64 r = static_cast<u64>(static_cast<i64>(a) >> (b & 63u));
    return scc = r != 0, r;
}
template <u32 Shift>
u64 lshl_add(u64 a, u64 b, bool& scc) {
    const u64 r = (u64{low(a)} << Shift) + low(b);
    return scc = (r >> 32) != 0, low(r);
}
u64 bfm32(u64 a, u64 b, bool&) { return low(((u64{1} << (a & 31u)) - 1u) << (b & 31u)); }
u64 bfe_u32(u64 a, u64 b, bool& scc) {
    const u32 width = low(b >> 16) & 0x7fu, offset = low(b) & 31u;
    const u64 r = (u64{low(a)} >> offset) & (width >= 32 ? 0xffffffffull : (u64{1} << width) - 1u);
    return scc = r != 0, r;
}
u64 bfe_i32(u64 a, u64 b, bool& scc) {
    const u32 width = low(b >> 16) & 0x7fu, offset = low(b) & 31u;
    if (width == 0) return scc = false, 0;
    const u32 bits = width > 32 - offset ? 32 - offset : width;
    const u32 r = static_cast<u32>(static_cast<i32>(low(a) << (32 - offset - bits)) >> (32 - bits));
    return scc = r != 0, r;
}
u64 bfm64(u64 a, u64 b, bool&) { return ((u64{1} << (a & 63u)) - 1u) << (b & 63u); }
u64 bfe_u64(u64 a, u64 b, bool& scc) {
    const u32 width = low(b >> 16) & 0x7fu, offset = low(b) & 63u;
    const u64 r = (a >> offset) & (width >= 64 ? ~u64{0} : (u64{1} << width) - 1u);
    return scc = r != 0, r;
}
u64 bfe_i64(u64 a, u64 b, bool& scc) {
    const u32 width = low(b >> 16) & 0x7fu, offset = low(b) & 63u;
    if (width == 0) return scc = false, 0;
    const u32 bits = width > 64 - offset ? 64 - offset : width;
    const u64 r = static_cast<u64>(static_cast<i64>(a << (64 - offset - bits)) >> (64 - bits));
    return scc = r != 0, r;
}
u64 pack_hl(u64 a, u64 b, bool&) { return ((a >> 16) & 0xffffu) | low(b << 16); }
u64 pack_ll(u64 a, u64 b, bool&) { return (a & 0xffffu) | low(b << 16); }
u64 pack_lh(u64 a, u64 b, bool&) { return (a & 0xffffu) | (b & 0xffff0000u); }
u64 pack_hh(u64 a, u64 b, bool&) { return ((a >> 16) & 0xffffu) | (b & 0xffff0000u); }
u64 cselect(u64 a, u64 b, bool& scc) { return scc ? a : b; }

template <typename T, auto Op>
u64 compare(u64 a, u64 b, bool& scc) {
    return scc = Op(static_cast<T>(a), static_cast<T>(b)), 0;
}
constexpr auto kEq = [](auto a, auto b) { return a == b; };
constexpr auto kNe = [](auto a, auto b) { return a != b; };
constexpr auto kLt = [](auto a, auto b) { return a < b; };
constexpr auto kLe = [](auto a, auto b) { return a <= b; };
constexpr auto kGt = [](auto a, auto b) { return a > b; };
constexpr auto kGe = [](auto a, auto b) { return a >= b; };
// SOPK's constant is sign-extended, but these take its 16 bits.
template <auto Op>
u64 compare_k(u64 a, u64 b, bool& scc) {
    return scc = Op(low(a), low(b) & 0xffffu), 0;
}
u64 bitcmp0_64(u64 a, u64 b, bool& scc) { return scc = ((a >> (b & 63u)) & 1u) == 0, 0; }
u64 bitcmp1_64(u64 a, u64 b, bool& scc) { return scc = ((a >> (b & 63u)) & 1u) != 0, 0; }
u64 bitcmp0(u64 a, u64 b, bool& scc) { return scc = ((low(a) >> (b & 31u)) & 1u) == 0, 0; }
u64 bitcmp1(u64 a, u64 b, bool& scc) { return scc = ((low(a) >> (b & 31u)) & 1u) != 0, 0; }

// D = EXEC; EXEC = op(source, EXEC); SCC = EXEC != 0. EXEC itself is always defined.
template <typename T, u64 (*Op)(u64 source, u64 exec)>
void save_exec(Wave& wave, const Inst& inst) {
    constexpr u32 kWords = sizeof(T) / 4;
    const u64 exec = kWords == 2 ? wave.scalar64(isa::kExecLo) : wave.exec();
    const u64 s = scalar_value(wave, inst.sources[0]);
    const u64 result = cut<T>(Op(s, exec));
    const u64 decided = scalar_undefined(wave, inst.sources[0]) & cut<T>(Op(~u64{0}, exec) ^ Op(0, exec));
    for (u32 k = 0; k < kWords; ++k) {
        const auto to = static_cast<Register>(inst.result == isa::kNull ? isa::kNull : inst.result + k);
        const auto exec_word = static_cast<Register>(isa::kExecLo + k);
        set_scalar(wave, to, low(exec >> (32 * k)));
        set_scalar_undefined(wave, to, 0);
        set_scalar_undefined(wave, exec_word, low(decided >> (32 * k)));
        set_scalar(wave, exec_word, low(result >> (32 * k)));
    }
    set_scalar(wave, isa::kScc, result != 0 ? 1u : 0u);
    set_scalar_undefined(wave, isa::kScc, 0);
}
u64 exec_and(u64 s, u64 e) { return s & e; }
u64 exec_or(u64 s, u64 e) { return s | e; }
u64 exec_xor(u64 s, u64 e) { return s ^ e; }
u64 exec_andn2(u64 s, u64 e) { return s & ~e; } // S_ANDN2_SAVEEXEC: source and not EXEC
u64 exec_andn1(u64 s, u64 e) { return ~s & e; }
u64 exec_orn2(u64 s, u64 e) { return s | ~e; }
u64 exec_orn1(u64 s, u64 e) { return ~s | e; }
u64 exec_nand(u64 s, u64 e) { return ~(s & e); }
u64 exec_nor(u64 s, u64 e) { return ~(s | e); }
u64 exec_xnor(u64 s, u64 e) { return ~(s ^ e); }

// The same with the new EXEC as the result.
template <typename T, u64 (*Op)(u64 source, u64 exec)>
void write_exec(Wave& wave, const Inst& inst) {
    save_exec<T, Op>(wave, inst);
    set_scalar(wave, inst.result, wave.exec());
    if (sizeof(T) == 8 && inst.result != isa::kNull)
        set_scalar(wave, static_cast<Register>(inst.result + 1), wave.scalar(isa::kExecLo + 1));
}

constexpr ShadowRule kAll = ShadowRule::kAll, kMove = ShadowRule::kMove, kCarry = ShadowRule::kCarry,
                     kEqual = ShadowRule::kEqual, kOrder = ShadowRule::kOrder, kOrderSigned = ShadowRule::kOrderSigned;
constexpr auto kIn = kSccIn, kOut = kSccOut, kInOut = kSccInOut;
constexpr Row row(std::string_view name, std::string_view shape, ScalarOp op, u8 scc, ShadowRule shadow,
                  u8 controls = 0, std::uint32_t control_bits = ~0u) {
    Row r = scalar_row(name, shape, op, scc, shadow, controls);
    r.control_bits = control_bits;
    return r;
}

constexpr Row exec_row(std::string_view name, std::string_view shape, Handler handler) {
    Row r;
    r.name = name;
    r.unit = Unit::kControl;
    r.shape = shape;
    r.handler = handler;
    return r;
}

constexpr Row onto_result(Row r) {
    r.accumulates = true;
    return r;
}

#define HKC_COMPARES_K(name, op, signed_rule, unsigned_rule)                                                           \
    row("S_CMPK_" name "_I32", "-:11", compare<i32, op>, kOut, signed_rule),                                           \
        row("S_CMPK_" name "_U32", "-:11", compare_k<op>, kOut, unsigned_rule)
#define HKC_LOGIC(name, op, rule)                                                                                      \
    row("S_" name "_B32", "1:11", op<u32>, kOut, rule), row("S_" name "_B64", "2:22", op<u64>, kOut, rule)
#define HKC_COMPARES(name, op, signed_rule, unsigned_rule)                                                             \
    row("S_CMP_" name "_I32", "-:11", compare<i32, op>, kOut, signed_rule),                                            \
        row("S_CMP_" name "_U32", "-:11", compare<u32, op>, kOut, unsigned_rule)

constexpr Row kRows[] = {
    row("S_MOV_B32", "1:1", mov, kNoScc, kMove),
    row("S_MOV_B64", "2:2", mov, kNoScc, kMove),
    row("S_MOVK_I32", "1:1", mov, kNoScc, kMove),
    row("S_NOT_B32", "1:1", not32, kOut, ShadowRule::kXor),
    row("S_BREV_B32", "1:1", brev32, kNoScc, kMove),
    row("S_BCNT1_I32_B32", "1:1", bcnt1_32, kOut, kAll),
    row("S_FF1_I32_B32", "1:1", ff1_32, kNoScc, ShadowRule::kFirst),
    row("S_FLBIT_I32_B32", "1:1", flbit_32, kNoScc, ShadowRule::kFirst),
    row("S_SEXT_I32_I8", "1:1", sext_i8, kNoScc, kMove),
    row("S_SEXT_I32_I16", "1:1", sext_i16, kNoScc, kMove),
    row("S_ABS_I32", "1:1", abs32, kOut, kAll),
    row("S_ADD_U32", "1:11", add_u32, kOut, kCarry),
    row("S_SUB_U32", "1:11", sub_u32, kOut, kCarry),
    row("S_ADDC_U32", "1:11", addc_u32, kInOut, kCarry),
    row("S_SUBB_U32", "1:11", subb_u32, kInOut, kCarry),
    row("S_ADD_I32", "1:11", add_i32, kOut, kCarry),
    row("S_SUB_I32", "1:11", sub_i32, kOut, kCarry),
    row("S_ADD_U64", "2:22", add_u64, kNoScc, kCarry),
    row("S_SUB_U64", "2:22", sub_u64, kNoScc, kCarry),
    row("S_MUL_U64", "2:22", mul_u64, kNoScc, ShadowRule::kProduct),
    row("S_MUL_I32", "1:11", mul_i32, kNoScc, ShadowRule::kProduct),
    row("S_MUL_HI_U32", "1:11", mul_hi_u32, kNoScc, kAll),
    row("S_MUL_HI_I32", "1:11", mul_hi_i32, kNoScc, kAll),
    row("S_MIN_I32", "1:11", min_i32, kOut, kAll),
    row("S_MAX_I32", "1:11", max_i32, kOut, kAll),
    row("S_MIN_U32", "1:11", min_u32, kOut, kAll),
    row("S_MAX_U32", "1:11", max_u32, kOut, kAll),
    row("S_ABSDIFF_I32", "1:11", absdiff_i32, kOut, kAll),
    HKC_LOGIC("AND", bit_and, ShadowRule::kAnd),
    HKC_LOGIC("OR", bit_or, ShadowRule::kOr),
    HKC_LOGIC("XOR", bit_xor, ShadowRule::kXor),
    HKC_LOGIC("ANDN2", andn2, ShadowRule::kAndNot),
    HKC_LOGIC("ORN2", orn2, ShadowRule::kOrNot),
    HKC_LOGIC("NAND", nand, ShadowRule::kAnd),
    HKC_LOGIC("NOR", nor, ShadowRule::kOr),
    HKC_LOGIC("XNOR", xnor, ShadowRule::kXor),
    row("S_LSHL_B32", "1:11", lshl<u32>, kOut, kMove, 2, 31),
    row("S_LSHR_B32", "1:11", lshr<u32>, kOut, kMove, 2, 31),
    row("S_ASHR_I32", "1:11", ashr32, kOut, kMove, 2, 31),
    row("S_LSHL_B64", "2:21", lshl<u64>, kOut, kMove, 2, 63),
    row("S_LSHR_B64", "2:21", lshr<u64>, kOut, kMove, 2, 63),
    row("S_ASHR_I64", "2:21", ashr64, kOut, kMove, 2, 63),
    row("S_LSHL1_ADD_U32", "1:11", lshl_add<1>, kOut, ShadowRule::kShlSum, 1),
    row("S_LSHL2_ADD_U32", "1:11", lshl_add<2>, kOut, ShadowRule::kShlSum, 2),
    row("S_LSHL3_ADD_U32", "1:11", lshl_add<3>, kOut, ShadowRule::kShlSum, 3),
    row("S_LSHL4_ADD_U32", "1:11", lshl_add<4>, kOut, ShadowRule::kShlSum, 4),
    row("S_BFM_B32", "1:11", bfm32, kNoScc, kAll),
    row("S_BFE_U32", "1:11", bfe_u32, kOut, kMove, 2, 0x7f001f),
    row("S_BFE_I32", "1:11", bfe_i32, kOut, kMove, 2, 0x7f001f),
    row("S_PACK_LL_B32_B16", "1:11", pack_ll, kNoScc, kMove),
    row("S_PACK_LH_B32_B16", "1:11", pack_lh, kNoScc, kMove),
    row("S_PACK_HH_B32_B16", "1:11", pack_hh, kNoScc, kMove),
    row("S_CSELECT_B32", "1:11", cselect, kIn, ShadowRule::kSelect),
    row("S_CSELECT_B64", "2:22", cselect, kIn, ShadowRule::kSelect),
    HKC_COMPARES("EQ", kEq, kEqual, kEqual),
    HKC_COMPARES("LG", kNe, kEqual, kEqual),
    HKC_COMPARES("LT", kLt, kOrderSigned, kOrder),
    HKC_COMPARES("LE", kLe, kOrderSigned, kOrder),
    HKC_COMPARES("GT", kGt, kOrderSigned, kOrder),
    HKC_COMPARES("GE", kGe, kOrderSigned, kOrder),
    row("S_CMP_EQ_U64", "-:22", compare<u64, kEq>, kOut, kEqual),
    row("S_CMP_LG_U64", "-:22", compare<u64, kNe>, kOut, kEqual),
    row("S_BITCMP0_B32", "-:11", bitcmp0, kOut, ShadowRule::kBitTest, 0, 31),
    row("S_BITCMP1_B32", "-:11", bitcmp1, kOut, ShadowRule::kBitTest, 0, 31),
    exec_row("S_AND_SAVEEXEC_B32", "1:1", save_exec<u32, exec_and>),
    exec_row("S_OR_SAVEEXEC_B32", "1:1", save_exec<u32, exec_or>),
    exec_row("S_XOR_SAVEEXEC_B32", "1:1", save_exec<u32, exec_xor>),
    exec_row("S_ANDN2_SAVEEXEC_B32", "1:1", save_exec<u32, exec_andn2>),
    exec_row("S_ANDN1_SAVEEXEC_B32", "1:1", save_exec<u32, exec_andn1>),
    exec_row("S_ORN2_SAVEEXEC_B32", "1:1", save_exec<u32, exec_orn2>),
    exec_row("S_ORN1_SAVEEXEC_B32", "1:1", save_exec<u32, exec_orn1>),
    exec_row("S_NAND_SAVEEXEC_B32", "1:1", save_exec<u32, exec_nand>),
    exec_row("S_NOR_SAVEEXEC_B32", "1:1", save_exec<u32, exec_nor>),
    exec_row("S_XNOR_SAVEEXEC_B32", "1:1", save_exec<u32, exec_xnor>),
    exec_row("S_ANDN1_WREXEC_B32", "1:1", write_exec<u32, exec_andn1>),
    exec_row("S_ANDN2_WREXEC_B32", "1:1", write_exec<u32, exec_andn2>),
    exec_row("S_AND_SAVEEXEC_B64", "2:2", save_exec<u64, exec_and>),
    exec_row("S_OR_SAVEEXEC_B64", "2:2", save_exec<u64, exec_or>),
    exec_row("S_XOR_SAVEEXEC_B64", "2:2", save_exec<u64, exec_xor>),
    exec_row("S_ANDN2_SAVEEXEC_B64", "2:2", save_exec<u64, exec_andn2>),
    exec_row("S_ANDN1_SAVEEXEC_B64", "2:2", save_exec<u64, exec_andn1>),
    exec_row("S_ORN2_SAVEEXEC_B64", "2:2", save_exec<u64, exec_orn2>),
    exec_row("S_ORN1_SAVEEXEC_B64", "2:2", save_exec<u64, exec_orn1>),
    exec_row("S_NAND_SAVEEXEC_B64", "2:2", save_exec<u64, exec_nand>),
    exec_row("S_NOR_SAVEEXEC_B64", "2:2", save_exec<u64, exec_nor>),
    exec_row("S_XNOR_SAVEEXEC_B64", "2:2", save_exec<u64, exec_xnor>),
    exec_row("S_ANDN1_WREXEC_B64", "2:2", write_exec<u64, exec_andn1>),
    exec_row("S_ANDN2_WREXEC_B64", "2:2", write_exec<u64, exec_andn2>),

    row("S_NOT_B64", "2:2", not64, kOut, ShadowRule::kXor),
    row("S_BREV_B64", "2:2", brev64, kNoScc, kMove),
    row("S_BCNT0_I32_B32", "1:1", bcnt0_32, kOut, kAll),
    row("S_BCNT0_I32_B64", "1:2", bcnt0_64, kOut, kAll),
    row("S_BCNT1_I32_B64", "1:2", bcnt1_64, kOut, kAll),
    row("S_FF0_I32_B32", "1:1", ff0_32, kNoScc, ShadowRule::kFirst),
    row("S_FF0_I32_B64", "1:2", ff0_64, kNoScc, ShadowRule::kFirst),
    row("S_FF1_I32_B64", "1:2", ff1_64, kNoScc, ShadowRule::kFirst),
    row("S_FLBIT_I32_B64", "1:2", flbit_64, kNoScc, ShadowRule::kFirst),
    row("S_FLBIT_I32", "1:1", signs_32, kNoScc, kAll),
    row("S_FLBIT_I32_I64", "1:2", signs_64, kNoScc, kAll),
    row("S_BITREPLICATE_B64_B32", "2:1", bitreplicate, kNoScc, kMove),
    row("S_QUADMASK_B32", "1:1", quad_mask<32, false>, kOut, kAll),
    row("S_QUADMASK_B64", "2:2", quad_mask<64, false>, kOut, kAll),
    row("S_WQM_B32", "1:1", quad_mask<32, true>, kOut, kAll),
    row("S_WQM_B64", "2:2", quad_mask<64, true>, kOut, kAll),
    onto_result(row("S_BITSET0_B32", "1:11", bitset0, kNoScc, ShadowRule::kBitSet, 0, 31)),
    onto_result(row("S_BITSET1_B32", "1:11", bitset1, kNoScc, ShadowRule::kBitSet, 0, 31)),
    onto_result(row("S_BITSET0_B64", "2:12", bitset0_64, kNoScc, ShadowRule::kBitSet, 0, 63)),
    onto_result(row("S_BITSET1_B64", "2:12", bitset1_64, kNoScc, ShadowRule::kBitSet, 0, 63)),
    onto_result(row("S_CMOV_B32", "1:11", cselect, kIn, ShadowRule::kSelect)),
    onto_result(row("S_CMOV_B64", "2:22", cselect, kIn, ShadowRule::kSelect)),
    onto_result(row("S_CMOVK_I32", "1:11", cselect, kIn, ShadowRule::kSelect)),
    onto_result(row("S_ADDK_I32", "1:11", add_i32, kOut, kCarry)),
    onto_result(row("S_MULK_I32", "1:11", mul_i32, kNoScc, ShadowRule::kProduct)),
    row("S_BFM_B64", "2:11", bfm64, kNoScc, kAll),
    row("S_BFE_U64", "2:21", bfe_u64, kOut, kMove, 2, 0x7f003f),
    row("S_BFE_I64", "2:21", bfe_i64, kOut, kMove, 2, 0x7f003f),
    row("S_PACK_HL_B32_B16", "1:11", pack_hl, kNoScc, kMove),
    row("S_BITCMP0_B64", "-:21", bitcmp0_64, kOut, ShadowRule::kBitTest, 0, 63),
    row("S_BITCMP1_B64", "-:21", bitcmp1_64, kOut, ShadowRule::kBitTest, 0, 63),
    HKC_COMPARES_K("EQ", kEq, kEqual, kEqual),
    HKC_COMPARES_K("LG", kNe, kEqual, kEqual),
    HKC_COMPARES_K("LT", kLt, kOrderSigned, kOrder),
    HKC_COMPARES_K("LE", kLe, kOrderSigned, kOrder),
    HKC_COMPARES_K("GT", kGt, kOrderSigned, kOrder),
    HKC_COMPARES_K("GE", kGe, kOrderSigned, kOrder),
};
#undef HKC_LOGIC
#undef HKC_COMPARES
#undef HKC_COMPARES_K

} // namespace

void execute_scalar(Wave& wave, const Inst& inst) {
    const Row& row = *inst.row;
    bool scc = wave.scc();
    const bool flush = row.is_float && wave.flushes_f32();
    // An f32 subnormal as a zero of its sign.
    const auto flushed = [&](u64 v, char form) {
        return flush && form == '1' && (v & 0x7f800000u) == 0 ? v & 0x80000000u : v;
    };
    const auto source = [&](std::size_t i) {
        const Source& from = inst.sources[i];
        const u64 sign = from.form == 'h' ? 0x8000u : 0x80000000u;
        u64 v = flushed(scalar_value(wave, from), from.form);
        if (from.abs_or_neg_hi) v &= ~sign;
        if (from.neg) v ^= sign;
        return v;
    };
    const u64 a = source(0), b = source(1);
    u64 r = row.scalar3 != nullptr ? row.scalar3(a, b, source(2), scc) : row.scalar(a, b, scc);
    if (!row.integer_result) r = flushed(r, inst.result_form);
    if (inst.result != isa::kNull) {
        set_scalar(wave, inst.result, low(r));
        if (inst.result_form == '2') set_scalar(wave, static_cast<Register>(inst.result + 1), low(r >> 32));
    }
    if (row.scc_out) set_scalar(wave, isa::kScc, scc ? 1u : 0u);
}

std::span<const Row> scalar_rows() { return kRows; }

} // namespace pm::emu
