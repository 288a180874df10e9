#include "peacemaker/emu/row.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace pm::testing {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;
using In = const LaneIn&;

constexpr auto kValues = Values::kIntegers;

// Fields as numbers, by division: the references never shift.
i64 power(unsigned n) { return i64{1} << n; }
i64 uns(u64 v, unsigned bits) { return static_cast<i64>(v % static_cast<u64>(power(bits))); }
i64 sig(u64 v, unsigned bits) { return uns(v, bits) >= power(bits - 1) ? uns(v, bits) - power(bits) : uns(v, bits); }
i64 number(u64 v, unsigned bits, bool is_signed) { return is_signed ? sig(v, bits) : uns(v, bits); }
u64 field(u64 v, unsigned index, unsigned bits) { return v / static_cast<u64>(power(bits * index)); }
i64 kept(i64 v, unsigned bits, bool is_signed) {
    return is_signed ? std::clamp(v, -power(bits - 1), power(bits - 1) - 1) : std::clamp(v, i64{0}, power(bits) - 1);
}

struct Type {
    const char* name;
    unsigned bits;
    bool is_signed;
    i64 operator()(u64 v) const { return number(v, bits, is_signed); }
};
constexpr Type kI32{"I32", 32, true}, kU32{"U32", 32, false}, kI16{"I16", 16, true}, kU16{"U16", 16, false};

// The result where 16 bits keep the other half.
LaneOut result(In i, const Type& t, i64 v) {
    return t.bits == 16 ? half_result(i, static_cast<u64>(v)) : word_result(i, static_cast<u64>(v));
}

// `name` is the row's, `mnemonic` the assembler's; operands are spelled by width.
void add_typed(std::vector<VectorCase>& all, const std::string& name, unsigned generations, const std::string& mnemonic,
               unsigned sources, const Type& t, const std::function<i64(i64, i64, i64)>& op, const char* more = "") {
    VectorCase c;
    c.row = name;
    c.generations = generations;
    const char mark = t.bits == 16 ? '%' : 'v';
    c.assembly = fmt::format("{} {}10, {}4, {}6", mnemonic, mark, mark, mark);
    if (sources > 2) c.assembly += fmt::format(", {}8", mark);
    c.assembly += more;
    c.expected = [t, op](In i) { return result(i, t, op(t(i.a), t(i.b), t(i.c))); };
    add_half_case(all, c);
}

void add_choices(std::vector<VectorCase>& all) {
    const auto middle = [](i64 a, i64 b, i64 c) {
        std::array<i64, 3> v = {a, b, c};
        std::sort(v.begin(), v.end());
        return v[1];
    };
    for (const Type& t : {kI32, kU32, kI16, kU16}) {
        const std::string type = t.name, low = lower(type);
        add_typed(all, "V_MIN3_" + type, kAllGens, "v_min3_" + low, 3, t, [](i64 a, i64 b, i64 c) {
            return std::min({a, b, c});
        });
        add_typed(all, "V_MAX3_" + type, kAllGens, "v_max3_" + low, 3, t, [](i64 a, i64 b, i64 c) {
            return std::max({a, b, c});
        });
        add_typed(all, "V_MED3_" + type, kAllGens, "v_med3_" + low, 3, t, middle);
        if (t.bits == 32) {
            add_typed(all, "V_MINMAX_" + type, kGen11And12, "v_minmax_" + low, 3, t,
                      [](i64 a, i64 b, i64 c) { return std::max(std::min(a, b), c); });
            add_typed(all, "V_MAXMIN_" + type, kGen11And12, "v_maxmin_" + low, 3, t,
                      [](i64 a, i64 b, i64 c) { return std::min(std::max(a, b), c); });
        } else {
            add_typed(all, "V_MIN_" + type, kAllGens, "v_min_" + low, 2, t,
                      [](i64 a, i64 b, i64) { return std::min(a, b); });
            add_typed(all, "V_MAX_" + type, kAllGens, "v_max_" + low, 2, t,
                      [](i64 a, i64 b, i64) { return std::max(a, b); });
        }
    }
}

void add_sums(std::vector<VectorCase>& all) {
    struct SumCase {
        const char* name;
        unsigned sources;
        std::vector<Type> types;
        std::function<i64(i64, i64, i64)> op;
        bool clamps;
    };
    const std::vector<SumCase> sums = {
        {"ADD_NC", 2, {kI32, kU32, kI16, kU16}, [](i64 a, i64 b, i64) { return a + b; }, true},
        {"SUB_NC", 2, {kI32, kU32, kI16, kU16}, [](i64 a, i64 b, i64) { return a - b; }, true},
        {"SUBREV_NC", 2, {kU32}, [](i64 a, i64 b, i64) { return b - a; }, true},
        {"MUL_LO", 2, {kU16}, [](i64 a, i64 b, i64) { return a * b; }, false},
        {"MAD", 3, {kI16, kU16}, [](i64 a, i64 b, i64 c) { return a * b + c; }, true},
    };
    for (const SumCase& s : sums)
        for (const Type& t : s.types) {
            const std::string row = fmt::format("V_{}_{}", s.name, t.name);
            std::string mnemonic = lower(row);
            if (t.bits == 32 && !t.is_signed) mnemonic += "_e64"; // for CLAMP
            add_typed(all, row, kAllGens, mnemonic, s.sources, t, s.op);
            if (!s.clamps) continue;
            add_typed(
                all, row, kAllGens, mnemonic, s.sources, t,
                [t, op = s.op](i64 a, i64 b, i64 c) { return kept(op(a, b, c), t.bits, t.is_signed); }, " clamp");
        }
}

void add_packed(std::vector<VectorCase>& all) {
    struct Packed {
        const char* name;
        unsigned sources;
        Type type;
        std::function<i64(i64, i64, i64)> op;
        bool clamps = false;
    };
    const auto shift = [](i64 a) { return power(static_cast<unsigned>(((a % 16) + 16) % 16)); };
    const std::vector<Packed> packed = {
        {"ADD_U16", 2, kU16, [](i64 a, i64 b, i64) { return a + b; }, true},
        {"SUB_U16", 2, kU16, [](i64 a, i64 b, i64) { return a - b; }, true},
        {"ADD_I16", 2, kI16, [](i64 a, i64 b, i64) { return a + b; }, true},
        {"SUB_I16", 2, kI16, [](i64 a, i64 b, i64) { return a - b; }, true},
        {"MUL_LO_U16", 2, kU16, [](i64 a, i64 b, i64) { return a * b; }},
        {"MAD_U16", 3, kU16, [](i64 a, i64 b, i64 c) { return a * b + c; }, true},
        {"MAD_I16", 3, kI16, [](i64 a, i64 b, i64 c) { return a * b + c; }, true},
        {"MIN_I16", 2, kI16, [](i64 a, i64 b, i64) { return std::min(a, b); }},
        {"MAX_I16", 2, kI16, [](i64 a, i64 b, i64) { return std::max(a, b); }},
        {"MIN_U16", 2, kU16, [](i64 a, i64 b, i64) { return std::min(a, b); }},
        {"MAX_U16", 2, kU16, [](i64 a, i64 b, i64) { return std::max(a, b); }},
        {"LSHLREV_B16", 2, kU16, [=](i64 a, i64 b, i64) { return b * shift(a); }},
        {"LSHRREV_B16", 2, kU16, [=](i64 a, i64 b, i64) { return b / shift(a); }},
        {"ASHRREV_I16", 2, kI16, [=](i64 a, i64 b, i64) { return (b - (b < 0 ? shift(a) - 1 : 0)) / shift(a); }},
    };
    for (const Packed& p : packed)
        for (const bool clamp : {false, true}) {
            if (clamp && !p.clamps) continue;
            for (const bool swapped : {false, true}) {
                VectorCase c;
                c.row = fmt::format("V_PK_{}", p.name);
                c.assembly = fmt::format("{} v10, v4, v6{}{}{}", lower(c.row), p.sources > 2 ? ", v8" : "",
                                         !swapped        ? ""
                                         : p.sources > 2 ? " op_sel:[1,0,0] op_sel_hi:[0,1,1]"
                                                         : " op_sel:[1,0] op_sel_hi:[0,1]",
                                         clamp ? " clamp" : "");
                c.expected = [p, clamp, swapped](In i) {
                    u64 r = 0;
                    for (const unsigned half : {1u, 0u}) {
                        const Type& t = p.type;
                        i64 v = p.op(t(field(i.a, swapped ? 1 - half : half, 16)), t(field(i.b, half, 16)),
                                     t(field(i.c, half, 16)));
                        if (clamp) v = kept(v, 16, t.is_signed);
                        r = r * 65536 + static_cast<u64>(uns(static_cast<u64>(v), 16));
                    }
                    return word_result(i, r);
                };
                all.push_back(std::move(c));
            }
        }
}

void add_dots(std::vector<VectorCase>& all) {
    struct Dot {
        const char* row;
        unsigned generations, bits;
        bool signed_a, signed_b, signed_sum;
        const char* modifiers;
    };
    for (const Dot& d : {Dot{"V_DOT2_I32_I16", kGen10, 16, true, true, true, ""},
                         {"V_DOT2_U32_U16", kGen10, 16, false, false, false, ""},
                         {"V_DOT4_I32_I8", kGen10, 8, true, true, true, ""},
                         {"V_DOT8_I32_I4", kGen10, 4, true, true, true, ""},
                         {"V_DOT4_U32_U8", kAllGens, 8, false, false, false, ""},
                         {"V_DOT8_U32_U4", kAllGens, 4, false, false, false, ""},
                         {"V_DOT4_I32_IU8", kGen11And12, 8, false, false, true, ""},
                         {"V_DOT4_I32_IU8", kGen11And12, 8, true, false, true, " neg_lo:[1,0,0]"},
                         {"V_DOT4_I32_IU8", kGen11And12, 8, false, true, true, " neg_lo:[0,1,0]"},
                         {"V_DOT4_I32_IU8", kGen11And12, 8, true, true, true, " neg_lo:[1,1,0]"},
                         {"V_DOT8_I32_IU4", kGen11And12, 4, true, false, true, " neg_lo:[1,0,0]"},
                         {"V_DOT8_I32_IU4", kGen11And12, 4, true, true, true, " neg_lo:[1,1,0]"}})
        for (const bool clamp : {false, true}) {
            VectorCase c;
            c.row = d.row;
            c.generations = d.generations;
            c.assembly = fmt::format("{} v10, v4, v6, v8{}{}", lower(d.row), d.modifiers, clamp ? " clamp" : "");
            c.expected = [d, clamp](In i) {
                i64 sum = number(i.c, 32, d.signed_sum);
                for (unsigned k = 0; k < 32 / d.bits; ++k)
                    sum += number(field(i.a, k, d.bits), d.bits, d.signed_a) *
                           number(field(i.b, k, d.bits), d.bits, d.signed_b);
                return word_result(i, static_cast<u64>(clamp ? kept(sum, 32, d.signed_sum) : sum));
            };
            all.push_back(std::move(c));
        }
    all.push_back({"V_DOT4C_I32_I8", kGen10, "v_dot4c_i32_i8_e32 v10, v4, v6", kValues, [](In i) {
                       i64 sum = sig(i.d, 32);
                       for (unsigned k = 0; k < 4; ++k) sum += sig(field(i.a, k, 8), 8) * sig(field(i.b, k, 8), 8);
                       return word_result(i, static_cast<u64>(sum));
                   }});
}

i64 sum_of_differences(u64 a, u64 b, unsigned bits, bool masked) {
    i64 sum = 0;
    for (unsigned k = 0; k < 32 / bits; ++k) {
        const i64 x = uns(field(a, k, bits), bits), y = uns(field(b, k, bits), bits);
        if (!masked || y != 0) sum += std::max(x, y) - std::min(x, y);
    }
    return sum;
}

u64 four_sums(In i, bool masked) {
    u64 r = 0;
    for (unsigned k = 4; k-- > 0;) {
        const i64 sum = sum_of_differences(field(i.a, k, 8) % 0x100000000, i.b % 0x100000000, 8, masked);
        r = r * 65536 + static_cast<u64>(uns(static_cast<u64>(sum + uns(field(i.c, k, 16), 16)), 16));
    }
    return r;
}

void add_bytes(std::vector<VectorCase>& all) {
    const auto low = [](u64 v) { return v % 0x100000000; };
    const std::vector<VectorCase> cases = {
        {"V_SAD_U8", kAllGens, "v_sad_u8 v10, v4, v6, v8", kValues,
         [=](In i) {
             return word_result(i, low(i.c) + static_cast<u64>(sum_of_differences(low(i.a), i.b, 8, false)));
         }},
        {"V_MSAD_U8", kAllGens, "v_msad_u8 v10, v4, v6, v8", kValues,
         [=](In i) { return word_result(i, low(i.c) + static_cast<u64>(sum_of_differences(low(i.a), i.b, 8, true))); }},
        {"V_SAD_HI_U8", kAllGens, "v_sad_hi_u8 v10, v4, v6, v8", kValues,
         [=](In i) {
             return word_result(i, low(i.c) + 65536 * static_cast<u64>(sum_of_differences(low(i.a), i.b, 8, false)));
         }},
        {"V_SAD_U16", kAllGens, "v_sad_u16 v10, v4, v6, v8", kValues,
         [=](In i) {
             return word_result(i, low(i.c) + static_cast<u64>(sum_of_differences(low(i.a), i.b, 16, false)));
         }},
        {"V_SAD_U32", kAllGens, "v_sad_u32 v10, v4, v6, v8", kValues,
         [=](In i) {
             return word_result(i, low(i.c) + static_cast<u64>(sum_of_differences(low(i.a), i.b, 32, false)));
         }},
        {"V_QSAD_PK_U16_U8", kAllGens, "v_qsad_pk_u16_u8 v[10:11], v[4:5], v6, v[8:9]", kValues,
         [](In i) { return pair_result(i, four_sums(i, false)); }},
        {"V_MQSAD_PK_U16_U8", kAllGens, "v_mqsad_pk_u16_u8 v[10:11], v[4:5], v6, v[8:9]", kValues,
         [](In i) { return pair_result(i, four_sums(i, true)); }},
        {"V_LERP_U8", kAllGens, "v_lerp_u8 v10, v4, v6, v8", kValues,
         [](In i) {
             u64 r = 0;
             for (unsigned k = 4; k-- > 0;)
                 r = r * 256 +
                     static_cast<u64>(
                         (uns(field(i.a, k, 8), 8) + uns(field(i.b, k, 8), 8) + uns(field(i.c, k, 8), 8) % 2) / 2);
             return word_result(i, r);
         }},
        {"V_CVT_PK_I16_I32", kAllGens, "v_cvt_pk_i16_i32 v10, v4, v6", kValues,
         [](In i) {
             return word_result(i, static_cast<u64>(uns(static_cast<u64>(kept(sig(i.a, 32), 16, true)), 16) +
                                                    65536 * uns(static_cast<u64>(kept(sig(i.b, 32), 16, true)), 16)));
         }},
        {"V_CVT_PK_U16_U32", kAllGens, "v_cvt_pk_u16_u32 v10, v4, v6", kValues,
         [](In i) {
             return word_result(
                 i, static_cast<u64>(kept(uns(i.a, 32), 16, false) + 65536 * kept(uns(i.b, 32), 16, false)));
         }},
    };
    all.insert(all.end(), cases.begin(), cases.end());
    add_half_case(all, {"V_SAT_PK_U8_I16", kAllGens, "v_sat_pk_u8_i16_e32 %10, v4", kValues, [](In i) {
                            return half_result(i, static_cast<u64>(kept(sig(i.a, 16), 8, false) +
                                                                   256 * kept(sig(field(i.a, 1, 16), 16), 8, false)));
                        }});
}

void add_bits(std::vector<VectorCase>& all) {
    const auto count = [](u64 v, unsigned bits) {
        i64 n = 0;
        for (unsigned k = 0; k < bits; ++k) n += uns(field(v, k, 1), 1);
        return n;
    };
    // Bits from the top that equal the sign; -1 where all do.
    const auto signs = [](u64 v) {
        for (int k = 30; k >= 0; --k)
            if ((v >> k & 1) != (v >> 31 & 1)) return i64{31 - k};
        return i64{-1};
    };
    all.push_back({"V_BCNT_U32_B32", kAllGens, "v_bcnt_u32_b32 v10, v4, v6", kValues,
                   [=](In i) { return word_result(i, static_cast<u64>(count(i.a, 32) + uns(i.b, 32))); }});
    all.push_back({"V_FFBH_I32", kGen10, "v_ffbh_i32_e32 v10, v4", kValues,
                   [=](In i) { return word_result(i, static_cast<u64>(signs(i.a))); }});
    all.push_back({"V_CLS_I32", kGen11And12, "v_cls_i32_e32 v10, v4", kValues,
                   [=](In i) { return word_result(i, static_cast<u64>(signs(i.a))); }});
    all.push_back({"V_MBCNT_HI_U32_B32", kAllGens, "v_mbcnt_hi_u32_b32 v10, v4, v6", kValues,
                   [](In i) { return word_result(i, i.b); }});
    // Counted from a mask that is the same in all lanes: the difference to the lane's number tells.
    all.push_back({"V_MBCNT_LO_U32_B32", kAllGens, "v_mbcnt_lo_u32_b32 v10, -1, v6\n v_sub_nc_u32_e32 v10, v10, v0",
                   kValues, [](In i) { return word_result(i, i.b); }});
    all.push_back({"V_MBCNT_LO_U32_B32", kAllGens, // two of the lanes below: 0, 2, 4, ..
                   "v_mbcnt_lo_u32_b32 v10, 0x55555555, v6\n v_add_nc_u32_e32 v14, 1, v0\n v_lshrrev_b32_e32 v14, 1, "
                   "v14\n v_sub_nc_u32_e32 v10, v10, v14",
                   kValues, [](In i) { return word_result(i, i.b); }});

    const auto each = [](u64 a, u64 b, bool (*op)(bool, bool)) {
        u64 r = 0;
        for (unsigned k = 0; k < 16; ++k) r |= u64{op((a >> k & 1) != 0, (b >> k & 1) != 0)} << k;
        return r;
    };
    add_half_case(all, {"V_NOT_B16", kGen11And12, "v_not_b16_e32 %10, %4", kValues,
                        [=](In i) { return half_result(i, each(i.a, 0, [](bool a, bool) { return !a; })); }});
    add_half_case(all, {"V_AND_B16", kGen11And12, "v_and_b16 %10, %4, %6", kValues,
                        [=](In i) { return half_result(i, each(i.a, i.b, [](bool a, bool b) { return a && b; })); }});
    add_half_case(all, {"V_OR_B16", kGen11And12, "v_or_b16 %10, %4, %6", kValues,
                        [=](In i) { return half_result(i, each(i.a, i.b, [](bool a, bool b) { return a || b; })); }});
    add_half_case(all, {"V_XOR_B16", kGen11And12, "v_xor_b16 %10, %4, %6", kValues,
                        [=](In i) { return half_result(i, each(i.a, i.b, [](bool a, bool b) { return a != b; })); }});
    add_half_case(all, {"V_CNDMASK_B16", kGen11And12, "v_cndmask_b16 %10, %4, %6, vcc_lo", kValues,
                        [](In i) { return half_result(i, i.mask ? i.b : i.a); }});
    const auto shift = [](u64 a) { return power(static_cast<unsigned>(a % 16)); };
    add_half_case(all, {"V_LSHLREV_B16", kAllGens, "v_lshlrev_b16 %10, %4, %6", kValues,
                        [=](In i) { return half_result(i, static_cast<u64>(uns(i.b, 16) * shift(i.a))); }});
    add_half_case(all, {"V_LSHRREV_B16", kAllGens, "v_lshrrev_b16 %10, %4, %6", kValues,
                        [=](In i) { return half_result(i, static_cast<u64>(uns(i.b, 16) / shift(i.a))); }});
    add_half_case(all, {"V_ASHRREV_I16", kAllGens, "v_ashrrev_i16 %10, %4, %6", kValues, [=](In i) {
                            const i64 v = sig(i.b, 16);
                            return half_result(i, static_cast<u64>((v - (v < 0 ? shift(i.a) - 1 : 0)) / shift(i.a)));
                        }});
    add_half_case(all, {"V_CVT_I32_I16", kGen11And12, "v_cvt_i32_i16_e32 v10, %4", kValues,
                        [](In i) { return word_result(i, static_cast<u64>(sig(i.a, 16))); }});
    add_half_case(all, {"V_CVT_U32_U16", kGen11And12, "v_cvt_u32_u16_e32 v10, %4", kValues,
                        [](In i) { return word_result(i, static_cast<u64>(uns(i.a, 16))); }});
    add_half_case(all, {"V_MAD_U32_U16", kAllGens, "v_mad_u32_u16 v10, %4, %6, v8", kValues, [](In i) {
                            return word_result(i, static_cast<u64>(uns(i.a, 16) * uns(i.b, 16) + uns(i.c, 32)));
                        }});
    add_half_case(all, {"V_MAD_I32_I16", kAllGens, "v_mad_i32_i16 v10, %4, %6, v8", kValues, [](In i) {
                            return word_result(i, static_cast<u64>(sig(i.a, 16) * sig(i.b, 16) + sig(i.c, 32)));
                        }});
    // Halves by name and by OP_SEL.
    add_half_case(all, {"V_ADD_NC_U16", kAllGens, "v_add_nc_u16 ^10, ^4, %6", kValues,
                        [](In i) { return high_half_result(i, field(i.a, 1, 16) + i.b); }});
    all.push_back({"V_ADD_NC_U16", kGen10 | kGen12, "v_add_nc_u16 v10, v4, v6 op_sel:[1,0,1]", kValues,
                   [](In i) { return high_half_result(i, field(i.a, 1, 16) + i.b); }});
    all.push_back({"V_ALIGNBIT_B32", kGen11, "v_alignbit_b32 v10, v4, v6, v8.h", kValues, [](In i) {
                       const u64 both = (i.a << 32) | (i.b % 0x100000000);
                       return word_result(i, both / static_cast<u64>(power(static_cast<unsigned>(i.c / 65536 % 32))));
                   }});
    // SDWA: the sign of the selected part goes on.
    all.push_back({"V_ADD_NC_U32", kGen10,
                   "v_add_nc_u32_sdwa v10, sext(v4), v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 "
                   "src1_sel:WORD_1",
                   kValues, [](In i) {
                       return word_result(i, static_cast<u64>(sig(field(i.a, 1, 8), 8) + uns(field(i.b, 1, 16), 16)));
                   }});
}

void add_compares(std::vector<VectorCase>& all) {
    struct Predicate {
        const char* name;
        bool less, equal, greater;
    };
    for (const Predicate& p : {Predicate{"LT", true, false, false},
                               {"EQ", false, true, false},
                               {"LE", true, true, false},
                               {"GT", false, false, true},
                               {"NE", true, false, true},
                               {"GE", false, true, true}})
        for (const Type& t : {kI16, kU16})
            for (const bool x : {false, true}) {
                VectorCase c;
                c.row = fmt::format("V_CMP{}_{}_{}", x ? "X" : "", p.name, t.name);
                c.assembly = fmt::format("{}_e32 {}%4, %6", lower(c.row), x ? "" : "vcc_lo, ");
                c.writes_exec = x;
                c.expected = [p, t](In i) {
                    const i64 a = t(i.a), b = t(i.b);
                    return mask_result(i, a < b ? p.less : a > b ? p.greater : p.equal);
                };
                add_half_case(all, c);
            }
    for (const bool value : {false, true})
        for (const char* const type : {"I32", "U32", "I64", "U64"})
            for (const bool x : {false, true}) {
                VectorCase c;
                c.row = fmt::format("V_CMP{}_{}_{}", x ? "X" : "", value ? "T" : "F", type);
                c.generations = kGen10And11;
                c.assembly = fmt::format("{}_e32 {}{}", lower(c.row), x ? "" : "vcc_lo, ",
                                         type[1] == '6' ? "v[4:5], v[6:7]" : "v4, v6");
                c.writes_exec = x;
                c.expected = [value](In i) { return mask_result(i, value); };
                all.push_back(std::move(c));
            }
}

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all;
    add_choices(all);
    add_sums(all);
    add_packed(all);
    add_dots(all);
    add_bytes(all);
    add_bits(all);
    add_compares(all);
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryIntegerInstructionGivesTheBitsOfTheIsa) { expect_vector_cases(chips()[GetParam()], all_cases()); }

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(IntegerRows, EachHasATest) { expect_rows_covered(emu::integer_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
