#include "tests/emu/vector_cases.h"

#include <bitset>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using i128 = __int128;

// All arithmetic here is in 128 bits, and reduced at the end.
i128 uns(u64 v) { return static_cast<u32>(v); }
i128 sig(u64 v) { return static_cast<std::int32_t>(static_cast<u32>(v)); }
u64 low(i128 v) { return static_cast<u32>(static_cast<u64>(v)); }
i128 power(unsigned n) { return i128{1} << n; }
// The lowest n bits of v, as a number.
i128 part(i128 v, unsigned n) { return ((v % power(n)) + power(n)) % power(n); }
i128 signed_part(i128 v, unsigned n) {
    const i128 p = part(v, n);
    return n != 0 && p >= power(n - 1) ? p - power(n) : p;
}
i128 floor_shift(i128 v, unsigned n) { return v < 0 ? -((-v + power(n) - 1) / power(n)) : v / power(n); }
unsigned five(u64 v) { return static_cast<unsigned>(v % 32); }

// A 32-bit result leaves the second register of the pair alone.
LaneOut word(const LaneIn& in, i128 v) { return {(in.d >> 32 << 32) | low(v), in.mask}; }
LaneOut pair(const LaneIn& in, i128 v) { return {static_cast<u64>(v), in.mask}; }
LaneOut carried(const LaneIn& in, i128 v, bool carry) { return {(in.d >> 32 << 32) | low(v), carry}; }

u64 bitwise(u64 a, u64 b, bool (*op)(bool, bool)) {
    std::bitset<32> x(a & 0xffffffff), y(b & 0xffffffff), r;
    for (std::size_t i = 0; i < 32; ++i) r[i] = op(x[i], y[i]);
    return r.to_ullong();
}
bool op_and(bool a, bool b) { return a && b; }
bool op_or(bool a, bool b) { return a || b; }
bool op_xor(bool a, bool b) { return a != b; }
bool op_xnor(bool a, bool b) { return a == b; }

i128 leading_zeros(u64 v) {
    for (int i = 31; i >= 0; --i)
        if ((v >> i & 1) != 0) return 31 - i;
    return -1;
}
i128 trailing_zeros(u64 v) {
    for (int i = 0; i < 32; ++i)
        if ((v >> i & 1) != 0) return i;
    return -1;
}

// ISA documents, V_PERM_B32: bytes 0..3 of the combined value come from S1, 4..7 from S0.
u64 permuted(u64 s0, u64 s1, u64 selectors) {
    const auto byte = [&](unsigned select) -> u64 {
        if (select <= 3) return (s1 >> (8 * select)) & 255;
        if (select <= 7) return (s0 >> (8 * (select - 4))) & 255;
        switch (select) {
        case 8:
            return (s1 >> 15 & 1) * 255;
        case 9:
            return (s1 >> 31 & 1) * 255;
        case 10:
            return (s0 >> 15 & 1) * 255;
        case 11:
            return (s0 >> 31 & 1) * 255;
        case 12:
            return 0;
        default:
            return 255;
        }
    };
    u64 r = 0;
    for (unsigned i = 4; i-- > 0;) r = r * 256 + byte(selectors >> (8 * i) & 255);
    return r;
}

} // namespace

std::vector<VectorCase> integer_cases() {
    using In = const LaneIn&;
    const auto v = Values::kIntegers;
    std::vector<VectorCase> c = {
        {"V_MOV_B32", kAllGens, "v_mov_b32_e32 v10, v4", v, [](In i) { return word(i, i.a); }},
        {"V_MOV_B16", kGen11, "v_mov_b16_e32 v10.h, v4.l", v,
         [](In i) {
             return LaneOut{(i.d >> 32 << 32) | (i.a & 0xffff) << 16 | (i.d & 0xffff), i.mask};
         }},
        {"V_MOV_B16", kGen11, "v_mov_b16_e32 v10.l, v4.h", v,
         [](In i) {
             return LaneOut{(i.d >> 16 << 16) | ((i.a >> 16) & 0xffff), i.mask};
         }},
        {"V_NOT_B32", kAllGens, "v_not_b32_e32 v10, v4", v, [](In i) { return word(i, -1 - uns(i.a)); }},
        {"V_BFREV_B32", kAllGens, "v_bfrev_b32_e32 v10, v4", v,
         [](In i) {
             u64 r = 0;
             for (unsigned k = 0; k < 32; ++k) r = r * 2 + (i.a >> k & 1);
             return word(i, r);
         }},
        {"V_FFBH_U32", kGen10, "v_ffbh_u32_e32 v10, v4", v,
         [](In i) { return word(i, leading_zeros(i.a & 0xffffffff)); }},
        {"V_FFBL_B32", kGen10, "v_ffbl_b32_e32 v10, v4", v,
         [](In i) { return word(i, trailing_zeros(i.a & 0xffffffff)); }},
        {"V_CLZ_I32_U32", kGen11And12, "v_clz_i32_u32_e32 v10, v4", v,
         [](In i) { return word(i, leading_zeros(i.a & 0xffffffff)); }},
        {"V_CTZ_I32_B32", kGen11And12, "v_ctz_i32_b32_e32 v10, v4", v,
         [](In i) { return word(i, trailing_zeros(i.a & 0xffffffff)); }},
        {"V_ADD_NC_U32", kAllGens, "v_add_nc_u32_e32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.a) + uns(i.b)); }},
        {"V_ADD_U32", kGen11And12, "v_dual_mov_b32 v13, v5 :: v_dual_add_nc_u32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.a) + uns(i.b)); }},
        {"V_SUB_NC_U32", kAllGens, "v_sub_nc_u32_e32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.a) - uns(i.b)); }},
        {"V_SUBREV_NC_U32", kAllGens, "v_subrev_nc_u32_e32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.b) - uns(i.a)); }},
        {"V_AND_B32", kAllGens, "v_and_b32_e32 v10, v4, v6", v,
         [](In i) { return word(i, bitwise(i.a, i.b, op_and)); }},
        {"V_OR_B32", kAllGens, "v_or_b32_e32 v10, v4, v6", v, [](In i) { return word(i, bitwise(i.a, i.b, op_or)); }},
        {"V_XOR_B32", kAllGens, "v_xor_b32_e32 v10, v4, v6", v,
         [](In i) { return word(i, bitwise(i.a, i.b, op_xor)); }},
        {"V_XNOR_B32", kAllGens, "v_xnor_b32_e32 v10, v4, v6", v,
         [](In i) { return word(i, bitwise(i.a, i.b, op_xnor)); }},
        {"V_LSHLREV_B32", kAllGens, "v_lshlrev_b32_e32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.b) * power(five(i.a))); }},
        {"V_LSHRREV_B32", kAllGens, "v_lshrrev_b32_e32 v10, v4, v6", v,
         [](In i) { return word(i, uns(i.b) / power(five(i.a))); }},
        {"V_ASHRREV_I32", kAllGens, "v_ashrrev_i32_e32 v10, v4, v6", v,
         [](In i) { return word(i, floor_shift(sig(i.b), five(i.a))); }},
        {"V_MIN_I32", kAllGens, "v_min_i32_e32 v10, v4, v6", v,
         [](In i) { return word(i, std::min(sig(i.a), sig(i.b))); }},
        {"V_MAX_I32", kAllGens, "v_max_i32_e32 v10, v4, v6", v,
         [](In i) { return word(i, std::max(sig(i.a), sig(i.b))); }},
        {"V_MIN_U32", kAllGens, "v_min_u32_e32 v10, v4, v6", v,
         [](In i) { return word(i, std::min(uns(i.a), uns(i.b))); }},
        {"V_MAX_U32", kAllGens, "v_max_u32_e32 v10, v4, v6", v,
         [](In i) { return word(i, std::max(uns(i.a), uns(i.b))); }},
        {"V_MUL_LO_U32", kAllGens, "v_mul_lo_u32 v10, v4, v6", v, [](In i) { return word(i, uns(i.a) * uns(i.b)); }},
        {"V_MUL_HI_U32", kAllGens, "v_mul_hi_u32 v10, v4, v6", v,
         [](In i) { return word(i, floor_shift(uns(i.a) * uns(i.b), 32)); }},
        {"V_MUL_HI_U32_U24", kAllGens, "v_mul_hi_u32_u24_e32 v10, v4, v6", v,
         [](In i) { return word(i, floor_shift(part(uns(i.a), 24) * part(uns(i.b), 24), 32)); }},
        {"V_MUL_HI_I32_I24", kAllGens, "v_mul_hi_i32_i24_e32 v10, v4, v6", v,
         [](In i) { return word(i, floor_shift(signed_part(uns(i.a), 24) * signed_part(uns(i.b), 24), 32)); }},
        {"V_MUL_HI_I32", kAllGens, "v_mul_hi_i32 v10, v4, v6", v,
         [](In i) { return word(i, floor_shift(sig(i.a) * sig(i.b), 32)); }},
        {"V_MUL_U32_U24", kAllGens, "v_mul_u32_u24_e32 v10, v4, v6", v,
         [](In i) { return word(i, part(uns(i.a), 24) * part(uns(i.b), 24)); }},
        {"V_MUL_I32_I24", kAllGens, "v_mul_i32_i24_e32 v10, v4, v6", v,
         [](In i) { return word(i, signed_part(uns(i.a), 24) * signed_part(uns(i.b), 24)); }},
        {"V_ADD3_U32", kAllGens, "v_add3_u32 v10, v4, v6, v8", v,
         [](In i) { return word(i, uns(i.a) + uns(i.b) + uns(i.c)); }},
        {"V_LSHL_ADD_U32", kAllGens, "v_lshl_add_u32 v10, v4, v6, v8", v,
         [](In i) { return word(i, uns(i.a) * power(five(i.b)) + uns(i.c)); }},
        {"V_ADD_LSHL_U32", kAllGens, "v_add_lshl_u32 v10, v4, v6, v8", v,
         [](In i) { return word(i, (uns(i.a) + uns(i.b)) * power(five(i.c))); }},
        {"V_LSHL_OR_B32", kAllGens, "v_lshl_or_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, bitwise(low(uns(i.a) * power(five(i.b))), i.c, op_or)); }},
        {"V_AND_OR_B32", kAllGens, "v_and_or_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, bitwise(bitwise(i.a, i.b, op_and), i.c, op_or)); }},
        {"V_OR3_B32", kAllGens, "v_or3_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, bitwise(bitwise(i.a, i.b, op_or), i.c, op_or)); }},
        {"V_XOR3_B32", kAllGens, "v_xor3_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, bitwise(bitwise(i.a, i.b, op_xor), i.c, op_xor)); }},
        {"V_XAD_U32", kAllGens, "v_xad_u32 v10, v4, v6, v8", v,
         [](In i) { return word(i, uns(bitwise(i.a, i.b, op_xor)) + uns(i.c)); }},
        {"V_MAD_U32_U24", kAllGens, "v_mad_u32_u24 v10, v4, v6, v8", v,
         [](In i) { return word(i, part(uns(i.a), 24) * part(uns(i.b), 24) + uns(i.c)); }},
        {"V_MAD_I32_I24", kAllGens, "v_mad_i32_i24 v10, v4, v6, v8", v,
         [](In i) { return word(i, signed_part(uns(i.a), 24) * signed_part(uns(i.b), 24) + sig(i.c)); }},
        {"V_BFE_U32", kAllGens, "v_bfe_u32 v10, v4, v6, v8", v,
         [](In i) { return word(i, part(floor_shift(uns(i.a), five(i.b)), five(i.c))); }},
        {"V_BFE_I32", kAllGens, "v_bfe_i32 v10, v4, v6, v8", v,
         [](In i) { return word(i, signed_part(floor_shift(sig(i.a), five(i.b)), five(i.c))); }},
        {"V_BFI_B32", kAllGens, "v_bfi_b32 v10, v4, v6, v8", v,
         [](In i) {
             const std::bitset<32> select(i.a & 0xffffffff), yes(i.b & 0xffffffff), no(i.c & 0xffffffff);
             std::bitset<32> r;
             for (std::size_t k = 0; k < 32; ++k) r[k] = select[k] ? yes[k] : no[k];
             return word(i, static_cast<i128>(r.to_ullong()));
         }},
        {"V_BFM_B32", kAllGens, "v_bfm_b32 v10, v4, v6", v,
         [](In i) { return word(i, (power(five(i.a)) - 1) * power(five(i.b))); }},
        {"V_ALIGNBIT_B32", kAllGens, "v_alignbit_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, floor_shift(uns(i.a) * power(32) + uns(i.b), five(i.c))); }},
        {"V_ALIGNBYTE_B32", kAllGens, "v_alignbyte_b32 v10, v4, v6, v8", v,
         [](In i) {
             return word(i, floor_shift(uns(i.a) * power(32) + uns(i.b), 8 * static_cast<unsigned>(i.c % 4)));
         }},
        {"V_PERM_B32", kAllGens, "v_perm_b32 v10, v4, v6, v8", v,
         [](In i) { return word(i, permuted(i.a, i.b, i.c)); }},
        {"V_PERM_B32", kAllGens, "v_perm_b32 v10, v4, v6, 0x07060302", v,
         [](In i) { return word(i, permuted(i.a, i.b, 0x07060302)); }},
        {"V_PERM_B32", kAllGens, "v_perm_b32 v10, v4, v6, 0x0d0b0400", v,
         [](In i) { return word(i, permuted(i.a, i.b, 0x0d0b0400)); }},
        {"V_PERM_B32", kAllGens, "v_perm_b32 v10, v10, v4, 0x03020706", v,
         [](In i) { return word(i, permuted(i.d, i.a, 0x03020706)); }},
        {"V_LSHLREV_B64", kAllGens, "v_lshlrev_b64 v[10:11], v4, v[6:7]", v,
         [](In i) { return pair(i, static_cast<i128>(i.b) * power(i.a % 64)); }},
        {"V_LSHRREV_B64", kAllGens, "v_lshrrev_b64 v[10:11], v4, v[6:7]", v,
         [](In i) { return pair(i, static_cast<i128>(i.b) / power(i.a % 64)); }},
        {"V_ASHRREV_I64", kAllGens, "v_ashrrev_i64 v[10:11], v4, v[6:7]", v,
         [](In i) { return pair(i, floor_shift(static_cast<i64>(i.b), i.a % 64)); }},
        {"V_CNDMASK_B32", kAllGens, "v_cndmask_b32_e32 v10, v4, v6, vcc_lo", v,
         [](In i) { return word(i, i.mask ? uns(i.b) : uns(i.a)); }},
        {"V_ADD_CO_U32", kAllGens, "v_add_co_u32 v10, vcc_lo, v4, v6", v,
         [](In i) { return carried(i, uns(i.a) + uns(i.b), uns(i.a) + uns(i.b) >= power(32)); }},
        {"V_SUB_CO_U32", kAllGens, "v_sub_co_u32 v10, s20, v4, v6", v,
         [](In i) { return carried(i, uns(i.a) - uns(i.b), uns(i.a) < uns(i.b)); }, false, "s20"},
        {"V_SUBREV_CO_U32", kAllGens, "v_subrev_co_u32 v10, vcc_lo, v4, v6", v,
         [](In i) { return carried(i, uns(i.b) - uns(i.a), uns(i.b) < uns(i.a)); }},
        {"V_ADD_CO_CI_U32", kAllGens, "v_add_co_ci_u32_e32 v10, vcc_lo, v4, v6, vcc_lo", v,
         [](In i) { return carried(i, uns(i.a) + uns(i.b) + i.mask, uns(i.a) + uns(i.b) + i.mask >= power(32)); }},
        {"V_SUB_CO_CI_U32", kAllGens, "v_sub_co_ci_u32_e64 v10, s20, v4, v6, vcc_lo", v,
         [](In i) { return carried(i, uns(i.a) - uns(i.b) - i.mask, uns(i.a) < uns(i.b) + i.mask); }, false, "s20"},
        {"V_SUBREV_CO_CI_U32", kAllGens, "v_subrev_co_ci_u32_e32 v10, vcc_lo, v4, v6, vcc_lo", v,
         [](In i) { return carried(i, uns(i.b) - uns(i.a) - i.mask, uns(i.b) < uns(i.a) + i.mask); }},
    };
    for (const auto& [row, generations] :
         {std::pair{"V_MAD_U64_U32", unsigned{kGen10And11}}, {"V_MAD_CO_U64_U32", kGen12}})
        c.push_back({row, generations, "v_mad_u64_u32 v[10:11], s20, v4, v6, v[8:9]", v,
                     [](In i) {
                         const unsigned __int128 sum = static_cast<unsigned __int128>(uns(i.a) * uns(i.b)) + i.c;
                         return LaneOut{static_cast<u64>(sum), sum >> 64 != 0};
                     },
                     false, "s20"});
    // The carry of the signed form is its overflow, in 65 bits.
    for (const auto& [row, generations] :
         {std::pair{"V_MAD_I64_I32", unsigned{kGen10And11}}, {"V_MAD_CO_I64_I32", kGen12}})
        c.push_back({row, generations, "v_mad_i64_i32 v[10:11], s20, v4, v6, v[8:9]", v,
                     [](In i) {
                         const i128 sum = sig(i.a) * sig(i.b) + static_cast<i64>(i.c);
                         return LaneOut{static_cast<u64>(sum), sum != static_cast<i64>(static_cast<u64>(sum))};
                     },
                     false, "s20"});
    return c;
}

} // namespace pm::testing
