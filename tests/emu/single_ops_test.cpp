#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using In = const LaneIn&;
using Real = long double;

constexpr auto kValues = Values::kFloats;

u32 w(u64 v) { return static_cast<u32>(v); }
float f(u64 v) { return std::bit_cast<float>(w(v)); }
u32 bits(float v) { return std::bit_cast<u32>(v); }
bool nan(u64 v) { return kF32.is_nan(w(v)); }
bool signalling(u64 v) { return nan(v) && (v & 0x400000) == 0; }
bool zero(u64 v) { return (v & 0x7fffffff) == 0; }
u32 quiet(u64 v) { return w(kF32.quiet(w(v))); }
u32 flushed(u64 v) { return (v & 0x7f800000) == 0 ? w(v) & 0x80000000 : w(v); }

using Op3 = std::function<u32(u32, u32, u32)>;

u32 number(u32 a, u32 b, bool largest) {
    if (signalling(a)) return quiet(a);
    if (signalling(b)) return quiet(b);
    if (nan(a) || nan(b)) return nan(a) && !nan(b) ? b : a;
    if (f(a) == f(b)) return kF32.negative(a) == largest ? b : a;
    return (f(a) > f(b)) == largest ? a : b;
}
u32 strict(u32 a, u32 b, bool largest) {
    if (nan(a) || nan(b)) return quiet(nan(a) ? a : b);
    return number(a, b, largest);
}
u32 middle(u32 a, u32 b, u32 c) {
    if (nan(a) || nan(b) || nan(c)) return number(number(a, b, false), c, false);
    const auto below = [](u32 x, u32 y) {
        return f(x) < f(y) || (f(x) == f(y) && kF32.negative(x) && !kF32.negative(y));
    };
    std::array<u32, 3> v = {a, b, c};
    std::sort(v.begin(), v.end(), below);
    return v[1];
}

void add_op(std::vector<VectorCase>& all, const std::string& name, unsigned generations, unsigned sources,
            const Op3& op, const char* suffix = "") {
    VectorCase c;
    c.row = "V_" + name + "_F32";
    c.generations = generations;
    c.assembly =
        fmt::format("{}{} v10, v4{}{}", lower(c.row), suffix, sources > 1 ? ", v6" : "", sources > 2 ? ", v8" : "");
    c.values = kValues;
    c.expected = [op](In i) { return word_result(i, op(w(i.a), w(i.b), w(i.c))); };
    all.push_back(std::move(c));
}

void add_choices(std::vector<VectorCase>& all) {
    for (const bool largest : {false, true}) {
        const std::string name = largest ? "MAX" : "MIN", other = largest ? "MIN" : "MAX";
        const std::string strict_name = largest ? "MAXIMUM" : "MINIMUM", strict_other = largest ? "MINIMUM" : "MAXIMUM";
        const Op3 three = [=](u32 a, u32 b, u32 c) { return number(number(a, b, largest), c, largest); };
        const Op3 both = [=](u32 a, u32 b, u32 c) { return number(number(a, b, largest), c, !largest); };
        add_op(all, name + "3", kGen10And11, 3, three);
        add_op(all, name + "3_NUM", kGen12, 3, three);
        add_op(all, name + other, kGen11, 3, both);
        add_op(all, name + other + "_NUM", kGen12, 3, both);
        add_op(all, strict_name, kGen12, 2, [=](u32 a, u32 b, u32) { return strict(a, b, largest); });
        add_op(all, strict_name + "3", kGen12, 3,
               [=](u32 a, u32 b, u32 c) { return strict(strict(a, b, largest), c, largest); });
        add_op(all, strict_name + strict_other, kGen12, 3,
               [=](u32 a, u32 b, u32 c) { return strict(strict(a, b, largest), c, !largest); });
    }
    add_op(all, "MED3", kGen10And11, 3, middle);
    add_op(all, "MED3_NUM", kGen12, 3, middle);
}

void add_products(std::vector<VectorCase>& all) {
    const Op3 product = [](u32 a, u32 b, u32) { return zero(a) || zero(b) ? 0 : mul_f32(a, b); };
    const Op3 sum = [](u32 a, u32 b, u32 c) {
        if (zero(a) || zero(b)) return nan(c) ? quiet(c) : c;
        return fma_f32(a, b, c);
    };
    add_op(all, "MUL_LEGACY", kGen10, 2, product, "_e32");
    add_op(all, "MUL_DX9_ZERO", kGen11And12, 2, product, "_e32");
    add_op(all, "FMA_LEGACY", kGen10, 3, sum);
    add_op(all, "FMA_DX9_ZERO", kGen11And12, 3, sum);
    for (const auto& [row, generations] :
         {std::pair{"V_FMAC_LEGACY_F32", unsigned{kGen10}}, {"V_FMAC_DX9_ZERO_F32", kGen11}})
        all.push_back({row, generations, lower(row) + "_e32 v10, v4, v6", kValues,
                       [sum](In i) { return word_result(i, sum(w(i.a), w(i.b), w(i.d))); }});
    all.push_back({"V_LDEXP_F32", kAllGens, "v_bfe_i32 v6, v6, 3, 9\n v_ldexp_f32 v10, v4, v6", kValues, [](In i) {
                       if (nan(i.a)) return word_result(i, quiet(i.a));
                       if (kF32.is_infinite(w(i.a))) return word_result(i, i.a);
                       const int e = static_cast<int>((i.b >> 3 & 511) ^ 256) - 256;
                       mpz_class p = 1;
                       p <<= static_cast<unsigned long>(std::abs(e));
                       const mpq_class v = value_of(kF32, w(i.a));
                       return word_result(i, rounded(kF32, e < 0 ? mpq_class(v / p) : mpq_class(v * p),
                                                     Rounding::kNearestEven, kF32.negative(w(i.a))));
                   }});
}

// Exact in long double, or rounded once to f32.
void add_exact_function(std::vector<VectorCase>& all, const char* name, const std::function<Real(Real)>& op) {
    add_op(
        all, name, kAllGens, 1,
        [op](u32 a, u32, u32) {
            if (nan(a)) return quiet(a);
            const Real r = op(f(a));
            return std::isnan(r) ? 0x7fc00000u : bits(static_cast<float>(r));
        },
        "_e32");
}

void add_whole(std::vector<VectorCase>& all) {
    add_exact_function(all, "TRUNC", [](Real x) { return std::trunc(x); });
    add_exact_function(all, "CEIL", [](Real x) { return std::ceil(x); });
    add_exact_function(all, "FLOOR", [](Real x) { return std::floor(x); });
    add_exact_function(all, "RNDNE",
                       [](Real x) { return std::isinf(x) ? x : std::copysign(x - std::remainder(x, 1.0L), x); });
    add_exact_function(all, "FRACT", [](Real x) {
        // Rounding to f32 may reach 1, where the result is kept below it.
        return std::isinf(x) ? std::numeric_limits<Real>::quiet_NaN() : std::min(x - std::floor(x), 0x1.fffffep-1L);
    });
    add_exact_function(all, "FREXP_MANT", [](Real x) {
        int e = 0;
        return std::isinf(x) ? x : std::frexp(x, &e);
    });
    all.push_back({"V_FREXP_EXP_I32_F32", kAllGens, "v_frexp_exp_i32_f32_e32 v10, v4", kValues, [](In i) {
                       if (nan(i.a) || kF32.is_infinite(w(i.a)) || zero(i.a)) return word_result(i, 0);
                       return word_result(i, static_cast<u64>(std::int64_t{std::ilogb(f(i.a))} + 1));
                   }});
    // Integers: the exact floor, saturated.
    const auto saturated = [](Real v) {
        return static_cast<u64>(static_cast<long>(std::clamp(v, -0x1p31L, 0x1p31L - 1)));
    };
    for (const auto& [row, generations] :
         {std::pair{"V_CVT_FLR_I32_F32", unsigned{kGen10}}, {"V_CVT_FLOOR_I32_F32", kGen11And12}})
        all.push_back({row, generations, lower(row) + "_e32 v10, v4", kValues,
                       [=](In i) { return word_result(i, nan(i.a) ? 0 : saturated(std::floor(Real{f(i.a)}))); }});
    for (const auto& [row, generations] :
         {std::pair{"V_CVT_RPI_I32_F32", unsigned{kGen10}}, {"V_CVT_NEAREST_I32_F32", kGen11And12}})
        all.push_back({row, generations, lower(row) + "_e32 v10, v4", kValues, [=](In i) {
                           return word_result(i, nan(i.a) ? 0 : saturated(std::floor(Real{f(i.a)} + 0.5L)));
                       }});
    all.push_back({"V_CVT_OFF_F32_I4", kAllGens, "v_cvt_off_f32_i4_e32 v10, v4", Values::kIntegers, [](In i) {
                       static constexpr float kTable[] = {0,      0.0625f,  0.125f,  0.1875f,  0.25f,   0.3125f,
                                                          0.375f, 0.4375f,  -0.5f,   -0.4375f, -0.375f, -0.3125f,
                                                          -0.25f, -0.1875f, -0.125f, -0.0625f};
                       return word_result(i, bits(kTable[i.a & 15]));
                   }});
}

// Within half a unit of the last place (and the reference's own error) of what the function is, or that value itself
// where it has a name. The ISA's bound is one unit.
bool is_nearest(u32 got, Real value) {
    if (std::isnan(value)) return got == 0xffc00000;
    if (value == 0 || std::isinf(value)) return got == bits(static_cast<float>(value));
    if (std::fabs(value) < 0x1p-126L) return zero(got) && kF32.negative(got) == (value < 0);
    if (nan(got)) return false;
    if (std::fabs(value) >= 0x1.ffffffp127L) return kF32.is_infinite(got) && kF32.negative(got) == (value < 0);
    int e = 0;
    (void)std::frexp(value, &e);
    return std::fabs(Real{f(got)} - value) <= std::ldexp(0.5001L, e - 24);
}

void add_bounded(std::vector<VectorCase>& all) {
    constexpr Real kTurn = 6.2831853071795864769252867665590057684L;
    struct Function {
        const char* name;
        std::function<Real(Real)> value;
        bool flushes;
    };
    const std::vector<Function> functions = {
        {"RCP", [](Real x) { return 1 / x; }, true},
        {"RCP_IFLAG", [](Real x) { return 1 / x; }, true},
        {"RSQ", [](Real x) { return 1 / std::sqrt(x); }, true},
        {"SQRT", [](Real x) { return std::sqrt(x); }, true},
        {"EXP", [](Real x) { return std::exp2(x); }, true},
        {"LOG", [](Real x) { return std::log2(x); }, true},
    };
    for (const Function& function : functions)
        all.push_back({.row = fmt::format("V_{}_F32", function.name),
                       .assembly = fmt::format("v_{}_f32_e32 v10, v4", lower(function.name)),
                       .values = kValues,
                       .expected = {},
                       .accepts = [function](In i, u64 got) {
                           if (got >> 32 != i.d >> 32) return false;
                           if (nan(i.a)) return w(got) == quiet(i.a);
                           return is_nearest(w(got), function.value(f(flushed(i.a))));
                       }});
    for (const bool cosine : {false, true})
        all.push_back({.row = cosine ? "V_COS_F32" : "V_SIN_F32",
                       .assembly = cosine ? "v_cos_f32_e32 v10, v4" : "v_sin_f32_e32 v10, v4",
                       .values = kValues,
                       .expected = {},
                       .accepts = [=](In i, u64 got) {
                           if (nan(i.a)) return w(got) == quiet(i.a);
                           const Real x = f(i.a);
                           if (std::isinf(x)) return w(got) == 0xffc00000;
                           if (std::fabs(x) > 256) return w(got) == (cosine ? 0x3f800000u : 0u);
                           const Real turns = std::remainder(x, 1.0L);
                           const Real value = cosine ? std::cos(kTurn * turns) : std::sin(kTurn * turns);
                           // Zeros are those of the function, not of its rounded argument.
                           if (std::fabs(value) < 0x1p-60L && std::fabs(x) >= 0.25L) return zero(got);
                           if (x == 0 && !cosine) return w(got) == w(i.a);
                           return std::fabs(value) < 0x1p-126L ? std::fabs(Real{f(got)} - value) <= 0x1p-150L
                                                               : is_nearest(w(got), value);
                       }});
}

// --- division -------------------------------------------------------------------------------------------------------

u32 fixed_up(u32 q, u32 den, u32 num) {
    const u32 sign = (den ^ num) & 0x80000000;
    if (nan(num)) return quiet(num);
    if (nan(den)) return quiet(den);
    if ((zero(num) && zero(den)) || (kF32.is_infinite(num) && kF32.is_infinite(den))) return 0xffc00000;
    if (zero(den) || kF32.is_infinite(num)) return sign | 0x7f800000;
    if (zero(num) || kF32.is_infinite(den)) return sign;
    const auto exponent = [](u32 v) { return static_cast<int>(v >> 23 & 255); };
    if (exponent(num) - exponent(den) < -150) return sign;
    return sign | (nan(q) ? 0x7f800000 : q & 0x7fffffff); // a NaN is an overflow of the steps
}

void add_division(std::vector<VectorCase>& all) {
    add_op(all, "DIV_FIXUP", kAllGens, 3, fixed_up);
    // What compilers put behind to bring the mask back that the test watches.
    const std::string restore = "\n v_and_b32_e32 v12, 1, v8\n v_cmp_ne_u32_e32 vcc_lo, 0, v12";
    all.push_back({"V_DIV_FMAS_F32", kAllGens, "s_mov_b32 vcc_lo, 0\n v_div_fmas_f32 v10, v4, v6, v8" + restore,
                   kValues, [](In i) { return word_result(i, fma_f32(w(i.a), w(i.b), w(i.c))); }});
    // The whole division as compilers write it: its answer is IEEE's.
    all.push_back({"V_DIV_SCALE_F32", kAllGens,
                   "v_div_scale_f32 v14, s20, v6, v6, v4\n"
                   " v_div_scale_f32 v15, vcc_lo, v4, v6, v4\n"
                   " v_rcp_f32_e32 v16, v14\n"
                   " v_fma_f32 v17, -v14, v16, 1.0\n"
                   " v_fma_f32 v16, v17, v16, v16\n"
                   " v_mul_f32_e32 v17, v15, v16\n"
                   " v_fma_f32 v18, -v14, v17, v15\n"
                   " v_fma_f32 v17, v18, v16, v17\n"
                   " v_fma_f32 v14, -v14, v17, v15\n"
                   " v_div_fmas_f32 v14, v14, v16, v17\n"
                   " v_div_fixup_f32 v10, v14, v6, v4" +
                       restore,
                   kValues, [](In i) {
                       if (nan(i.a) || nan(i.b)) return word_result(i, quiet(nan(i.a) ? i.a : i.b));
                       const float q = f(i.a) / f(i.b);
                       return word_result(i, std::isnan(q) ? 0xffc00000 : bits(q));
                   }});
}

void add_compares(std::vector<VectorCase>& all) {
    for (const bool x : {false, true}) {
        for (const auto& [name, generations, value] :
             {std::tuple{"F", unsigned{kGen10And11}, false}, {"TRU", kGen10, true}, {"T", kGen11, true}})
            all.push_back({fmt::format("V_CMP{}_{}_F32", x ? "X" : "", name), generations,
                           fmt::format("v_cmp{}_{}_f32_e32 {}v4, v6", x ? "x" : "", lower(name), x ? "" : "vcc_lo, "),
                           kValues, [value = value](In i) { return mask_result(i, value); }, x});
        all.push_back(
            {x ? "V_CMPX_CLASS_F32" : "V_CMP_CLASS_F32", kAllGens,
             fmt::format("v_bfe_u32 v6, v6, 3, 10\n v_cmp{}v4, v6", x ? "x_class_f32_e32 " : "_class_f32_e32 vcc_lo, "),
             kValues,
             [](In i) {
                 const bool minus = std::signbit(f(i.a));
                 unsigned bit = 0;
                 switch (std::fpclassify(f(i.a))) {
                 case FP_NAN:
                     bit = signalling(i.a) ? 0 : 1;
                     break;
                 case FP_INFINITE:
                     bit = minus ? 2 : 9;
                     break;
                 case FP_NORMAL:
                     bit = minus ? 3 : 8;
                     break;
                 case FP_SUBNORMAL:
                     bit = minus ? 4 : 7;
                     break;
                 default:
                     bit = minus ? 5 : 6;
                 }
                 return mask_result(i, (i.b >> (3 + bit) & 1) != 0);
             },
             x});
    }
}

// Accumulating forms that name the old value twice.
void add_accumulating_dpp(std::vector<VectorCase>& all) {
    all.push_back({"V_FMAC_F32", kGen11And12,
                   "v_fmac_f32_e64_dpp v10, v4, -v6 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", kValues,
                   [](In i) { return word_result(i, fma_f32(w(i.a), w(i.b) ^ 0x80000000, w(i.d))); }});
}

// Rounded once to nearest even and kept in range.
i64 nearest_integer(const mpq_class& x, long least, long most) {
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    const mpq_class rest = x - whole;
    if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(whole.get_mpz_t()) != 0)) ++whole;
    return whole < least ? least : whole > most ? most : whole.get_si();
}
i64 scaled_integer(u64 v, long scale, long least, long most) {
    if (nan(v)) return 0;
    if (kF32.is_infinite(w(v))) return kF32.negative(w(v)) ? least : most;
    return nearest_integer(value_of(kF32, w(v)) * scale, least, most);
}

void add_packing(std::vector<VectorCase>& all) {
    for (const bool is_signed : {false, true}) {
        const std::string type = is_signed ? "I16" : "U16", small = lower(type);
        const auto both = [](In i, const std::function<i64(u64)>& one) {
            return word_result(i, (static_cast<u64>(one(i.a)) & 0xffff) | (static_cast<u64>(one(i.b)) & 0xffff) << 16);
        };
        const auto norm = [=](In i) {
            return both(i, [=](u64 v) {
                return is_signed ? scaled_integer(v, 32767, -32767, 32767) : scaled_integer(v, 65535, 0, 65535);
            });
        };
        all.push_back(
            {"V_CVT_PKNORM_" + type + "_F32", kGen10, "v_cvt_pknorm_" + small + "_f32 v10, v4, v6", kValues, norm});
        all.push_back({"V_CVT_PK_NORM_" + type + "_F32", kGen11And12, "v_cvt_pk_norm_" + small + "_f32 v10, v4, v6",
                       kValues, norm});
        all.push_back(
            {"V_CVT_PK_" + type + "_F32", kGen11And12, "v_cvt_pk_" + small + "_f32 v10, v4, v6", kValues, [=](In i) {
                 return both(i, [=](u64 v) -> i64 {
                     const Real least = is_signed ? -32768 : 0, most = is_signed ? 32767 : 65535;
                     return nan(v) ? 0 : static_cast<i64>(std::clamp(std::trunc(Real{f(v)}), least, most));
                 });
             }});
    }
    all.push_back({"V_CVT_PK_U8_F32", kAllGens, "v_mul_f32_e32 v4, 0x41200000, v4\n v_cvt_pk_u8_f32 v10, v4, v7, v8",
                   kValues, [](In i) {
                       const u32 shift = 8 * (i.b >> 32 & 3);
                       const u32 ten = mul_f32(w(i.a), 0x41200000);
                       return word_result(i, (w(i.c) & ~(0xffu << shift)) |
                                                 static_cast<u32>(scaled_integer(ten, 1, 0, 255)) << shift);
                   }});
}

// ISA documents, V_CUBEID and its like: the coordinate that is largest, later ones first.
void add_cube(std::vector<VectorCase>& all) {
    const auto axis = [](u64 x, u64 y, u64 z) {
        const float ax = std::fabs(f(x)), ay = std::fabs(f(y)), az = std::fabs(f(z));
        return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
    };
    const auto settled = [](u32 v) { return nan(v) ? quiet(v) : v; };
    add_op(all, "CUBEID", kAllGens, 3, [=](u32 x, u32 y, u32 z) {
        const u32 v[] = {x, y, z};
        const int a = axis(x, y, z);
        return bits(static_cast<float>(2 * a + (f(v[a]) < 0 ? 1 : 0)));
    });
    add_op(all, "CUBESC", kAllGens, 3, [=](u32 x, u32 y, u32 z) {
        const int a = axis(x, y, z);
        if (a == 2) return settled(f(z) < 0 ? x ^ 0x80000000 : x);
        if (a == 1) return settled(x);
        return settled(f(x) < 0 ? z : z ^ 0x80000000);
    });
    add_op(all, "CUBETC", kAllGens, 3, [=](u32 x, u32 y, u32 z) {
        if (axis(x, y, z) == 1) return settled(f(y) < 0 ? z ^ 0x80000000 : z);
        return settled(y ^ 0x80000000);
    });
    add_op(all, "CUBEMA", kAllGens, 3, [=](u32 x, u32 y, u32 z) {
        const u32 v[] = {x, y, z};
        return settled(mul_f32(v[axis(x, y, z)], 0x40000000));
    });
    add_op(all, "MULLIT", kAllGens, 3, [](u32 a, u32 b, u32 c) -> u32 {
        if (nan(b) || nan(c) || b == 0xff7fffff || b == 0xff800000 || f(c) <= 0) return 0xff7fffff;
        return zero(a) || zero(b) ? 0 : mul_f32(a, b);
    });
}

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all;
    add_packing(all);
    add_cube(all);
    add_choices(all);
    add_products(all);
    add_whole(all);
    add_bounded(all);
    add_division(all);
    add_compares(all);
    add_accumulating_dpp(all);
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EverySingleInstructionGivesTheBitsOfTheIsa) { expect_vector_cases(chips()[GetParam()], all_cases()); }

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(SingleRows, EachHasATest) { expect_rows_covered(emu::single_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
