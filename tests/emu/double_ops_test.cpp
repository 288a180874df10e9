#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using In = const LaneIn&;

constexpr auto kValues = Values::kDoubles;

double d(u64 v) { return std::bit_cast<double>(v); }
u64 bits(double v) { return std::bit_cast<u64>(v); }
bool nan(u64 v) { return kF64.is_nan(v); }
bool signalling(u64 v) { return nan(v) && (v & 0x8000000000000) == 0; }
u64 magnitude(u64 v) { return v & 0x7fffffffffffffff; }

u64 number(u64 a, u64 b, bool largest) {
    if (signalling(a)) return kF64.quiet(a);
    if (signalling(b)) return kF64.quiet(b);
    if (nan(a) || nan(b)) return nan(a) && !nan(b) ? b : a;
    if (d(a) == d(b)) return kF64.negative(a) == largest ? b : a;
    return (d(a) > d(b)) == largest ? a : b;
}
u64 strict(u64 a, u64 b, bool largest) {
    if (nan(a) || nan(b)) return kF64.quiet(nan(a) ? a : b);
    return number(a, b, largest);
}

void add_arithmetic(std::vector<VectorCase>& all) {
    // gfx12 has the first two in a short encoding too.
    using Op2 = u64 (*)(Format, u64, u64);
    for (const auto& [name, op] : {std::pair<const char*, Op2>{"add", add}, {"mul", mul}})
        for (const char* const suffix : {"", "_e32"}) {
            VectorCase c;
            c.row = *name == 'a' ? "V_ADD_F64" : "V_MUL_F64";
            c.generations = *suffix == 0 ? kGen10And11 : unsigned{kGen12};
            c.assembly = fmt::format("v_{}_f64{} v[10:11], v[4:5], v[6:7]", name, suffix);
            c.values = kValues;
            c.expected = [op = op](In i) { return pair_result(i, op(kF64, i.a, i.b)); };
            all.push_back(c);
            c.assembly = fmt::format("v_{}_f64{} v[10:11], -v[4:5], |v[6:7]|", name, *suffix == 0 ? "" : "_e64");
            c.expected = [op = op](In i) { return pair_result(i, op(kF64, i.a ^ 0x8000000000000000, magnitude(i.b))); };
            all.push_back(c);
            c.assembly = fmt::format("v_{}_f64{} v[10:11], v[4:5], 2.0 clamp", name, *suffix == 0 ? "" : "_e64");
            c.expected = [op = op](In i) {
                const u64 r = op(kF64, i.a, bits(2.0));
                return pair_result(i, nan(r) || kF64.negative(r) ? 0 : std::min(r, bits(1.0)));
            };
            all.push_back(c);
        }
    all.push_back({"V_FMA_F64", kAllGens, "v_fma_f64 v[10:11], v[4:5], v[6:7], v[8:9]", kValues,
                   [](In i) { return pair_result(i, fma(kF64, i.a, i.b, i.c)); }});
    for (const bool largest : {false, true}) {
        const std::string name = largest ? "MAX" : "MIN", word = largest ? "MAXIMUM" : "MINIMUM";
        all.push_back({"V_" + name + "_F64", kGen10And11, "v_" + lower(name) + "_f64 v[10:11], v[4:5], v[6:7]", kValues,
                       [=](In i) { return pair_result(i, number(i.a, i.b, largest)); }});
        all.push_back({"V_" + name + "_NUM_F64", kGen12, "v_" + lower(name) + "_num_f64_e32 v[10:11], v[4:5], v[6:7]",
                       kValues, [=](In i) { return pair_result(i, number(i.a, i.b, largest)); }});
        all.push_back({"V_" + word + "_F64", kGen12, "v_" + lower(word) + "_f64 v[10:11], v[4:5], v[6:7]", kValues,
                       [=](In i) { return pair_result(i, strict(i.a, i.b, largest)); }});
    }
    all.push_back(
        {"V_LDEXP_F64", kAllGens, "v_bfe_i32 v6, v6, 3, 9\n v_ldexp_f64 v[10:11], v[4:5], v6", kValues, [](In i) {
             if (nan(i.a)) return pair_result(i, kF64.quiet(i.a));
             if (kF64.is_infinite(i.a)) return pair_result(i, i.a);
             const int e = static_cast<int>((i.b >> 3 & 511) ^ 256) - 256;
             mpz_class p = 1;
             p <<= static_cast<unsigned long>(std::abs(e));
             const mpq_class v = value_of(kF64, i.a);
             return pair_result(i, rounded(kF64, e < 0 ? mpq_class(v / p) : mpq_class(v * p), Rounding::kNearestEven,
                                           kF64.negative(i.a)));
         }});
}

// A function of the value on finite numbers and infinities; NaN are made quiet, and invalid operations give `invalid`.
void add_function(std::vector<VectorCase>& all, const char* name, u64 invalid, const std::function<double(double)>& f) {
    VectorCase c;
    c.row = fmt::format("V_{}_F64", name);
    c.assembly = lower(c.row) + "_e32 v[10:11], v[4:5]";
    c.values = kValues;
    c.expected = [f, invalid](In i) {
        if (nan(i.a)) return pair_result(i, kF64.quiet(i.a));
        const double r = f(d(i.a));
        return pair_result(i, std::isnan(r) ? invalid : bits(r));
    };
    all.push_back(std::move(c));
}

void add_functions(std::vector<VectorCase>& all) {
    constexpr u64 kNan = 0x7ff8000000000000, kNegativeNan = 0xfff8000000000000;
    // Whole numbers begin at 2^52.
    const auto whole = [](double x, int direction) {
        if (!(std::fabs(x) < 0x1p52)) return x;
        auto n = static_cast<double>(static_cast<long>(x));
        if (direction < 0 && n > x) n -= 1;
        if (direction > 0 && n < x) n += 1;
        return std::copysign(n, x);
    };
    add_function(all, "TRUNC", kNan, [=](double x) { return whole(x, 0); });
    add_function(all, "CEIL", kNan, [=](double x) { return whole(x, 1); });
    add_function(all, "FLOOR", kNan, [=](double x) { return whole(x, -1); });
    add_function(all, "RNDNE", kNan, [](double x) {
        if (!(std::fabs(x) < 0x1p52)) return x;
        volatile double shifted = std::fabs(x) + 0x1p52; // the adder rounds
        return std::copysign(shifted - 0x1p52, x);
    });
    add_function(all, "FRACT", kNan, [=](double x) {
        if (std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
        return std::min(x - whole(x, -1), 0x1.fffffffffffffp-1);
    });
    add_function(all, "RCP", kNegativeNan, [](double x) { return 1 / x; });
    add_function(all, "SQRT", kNegativeNan, [](double x) { return std::sqrt(x); });
    add_function(all, "RSQ", kNegativeNan, [](double x) { return 1 / std::sqrt(x); });
    add_function(all, "FREXP_MANT", kNan, [](double x) {
        int e = 0;
        return std::isinf(x) ? x : std::frexp(x, &e);
    });
    all.push_back({"V_FREXP_EXP_I32_F64", kAllGens, "v_frexp_exp_i32_f64_e32 v10, v[4:5]", kValues, [](In i) {
                       if (nan(i.a) || kF64.is_infinite(i.a) || magnitude(i.a) == 0) return word_result(i, 0);
                       return word_result(i, static_cast<u64>(std::int64_t{std::ilogb(d(i.a))} + 1));
                   }});
}

void add_conversions(std::vector<VectorCase>& all) {
    all.push_back({"V_CVT_F64_F32", kAllGens, "v_cvt_f64_f32_e32 v[10:11], v4", Values::kFloats, [](In i) {
                       return pair_result(i, converted(kF32, kF64, static_cast<u32>(i.a), Rounding::kNearestEven));
                   }});
    all.push_back({"V_CVT_F32_F64", kAllGens, "v_cvt_f32_f64_e32 v10, v[4:5]", kValues,
                   [](In i) { return word_result(i, converted(kF64, kF32, i.a, Rounding::kNearestEven)); }});
    for (const bool is_signed : {false, true}) {
        const std::string type = is_signed ? "I32" : "U32";
        all.push_back({"V_CVT_F64_" + type, kAllGens, "v_cvt_f64_" + lower(type) + "_e32 v[10:11], v4",
                       Values::kIntegers, [=](In i) {
                           const auto w = static_cast<u32>(i.a);
                           const long v = is_signed ? static_cast<std::int32_t>(w) : static_cast<long>(w);
                           return pair_result(i, rounded(kF64, mpq_class(v), Rounding::kNearestEven));
                       }});
        all.push_back(
            {"V_CVT_" + type + "_F64", kAllGens, "v_cvt_" + lower(type) + "_f64_e32 v10, v[4:5]", kValues, [=](In i) {
                 if (nan(i.a)) return word_result(i, 0);
                 const double least = is_signed ? -0x1p31 : 0, most = is_signed ? 0x1.fffffffcp30 : 0x1.fffffffep31;
                 const double kept = std::fmin(std::fmax(d(i.a), least), most);
                 return word_result(i, static_cast<u64>(static_cast<long>(kept)));
             }});
    }
}

// --- division -------------------------------------------------------------------------------------------------------

u64 fixed_up(u64 q, u64 den, u64 num) {
    const u64 sign = (den ^ num) & 0x8000000000000000;
    if (nan(num)) return kF64.quiet(num);
    if (nan(den)) return kF64.quiet(den);
    const bool zero_over_zero = d(num) == 0 && d(den) == 0;
    if (zero_over_zero || (kF64.is_infinite(num) && kF64.is_infinite(den))) return 0xfff8000000000000;
    if (d(den) == 0 || kF64.is_infinite(num)) return sign | kF64.infinity();
    if (d(num) == 0 || kF64.is_infinite(den)) return sign;
    const auto exponent = [](u64 v) { return static_cast<int>(v >> 52 & 2047); };
    if (exponent(num) - exponent(den) < -1075) return sign;
    return sign | (nan(q) ? kF64.infinity() : magnitude(q)); // a NaN is an overflow of the steps
}

void add_division(std::vector<VectorCase>& all) {
    all.push_back({"V_DIV_FIXUP_F64", kAllGens, "v_div_fixup_f64 v[10:11], v[4:5], v[6:7], v[8:9]", kValues,
                   [](In i) { return pair_result(i, fixed_up(i.a, i.b, i.c)); }});
    // Without a scale to take back it is a fused multiply-add.
    all.push_back({"V_DIV_FMAS_F64", kAllGens,
                   "s_mov_b32 vcc_lo, 0\n v_div_fmas_f64 v[10:11], v[4:5], v[6:7], v[8:9]\n v_and_b32_e32 v12, 1, v8\n "
                   "v_cmp_ne_u32_e32 vcc_lo, 0, v12",
                   kValues, [](In i) { return pair_result(i, fma(kF64, i.a, i.b, i.c)); }});
    // The whole division as compilers write it: its answer is IEEE's.
    all.push_back({"V_DIV_SCALE_F64", kAllGens,
                   "v_div_scale_f64 v[14:15], s20, v[6:7], v[6:7], v[4:5]\n"
                   " v_div_scale_f64 v[16:17], vcc_lo, v[4:5], v[6:7], v[4:5]\n"
                   " v_rcp_f64_e32 v[18:19], v[14:15]\n"
                   " v_fma_f64 v[20:21], -v[14:15], v[18:19], 1.0\n"
                   " v_fma_f64 v[18:19], v[18:19], v[20:21], v[18:19]\n"
                   " v_fma_f64 v[20:21], -v[14:15], v[18:19], 1.0\n"
                   " v_fma_f64 v[18:19], v[18:19], v[20:21], v[18:19]\n"
                   " v_mul_f64 v[22:23], v[16:17], v[18:19]\n"
                   " v_fma_f64 v[14:15], -v[14:15], v[22:23], v[16:17]\n"
                   " v_div_fmas_f64 v[14:15], v[14:15], v[18:19], v[22:23]\n"
                   " v_div_fixup_f64 v[10:11], v[14:15], v[6:7], v[4:5]\n"
                   " v_and_b32_e32 v12, 1, v8\n v_cmp_ne_u32_e32 vcc_lo, 0, v12",
                   kValues, [](In i) {
                       if (nan(i.a) || nan(i.b)) return pair_result(i, kF64.quiet(nan(i.a) ? i.a : i.b));
                       const double q = d(i.a) / d(i.b);
                       return pair_result(i, std::isnan(q) ? 0xfff8000000000000 : bits(q));
                   }});
}

void add_compares(std::vector<VectorCase>& all) {
    const auto add = [&all](const Predicate& p) {
        for (const bool x : {false, true}) {
            VectorCase c;
            c.row = fmt::format("V_CMP{}_{}_F64", x ? "X" : "", p.name);
            c.generations = p.generations;
            c.assembly = fmt::format("{}_e32 {}v[4:5], v[6:7]", lower(c.row), x ? "" : "vcc_lo, ");
            c.values = kValues;
            c.writes_exec = x;
            c.expected = [p](In i) { return mask_result(i, (outcome_of(d(i.a), d(i.b)) & p.outcomes) != 0); };
            all.push_back(std::move(c));
        }
    };
    for (const Predicate& p : kFloatPredicates) add(p);
    for (const Predicate& p : kConstantPredicates) add(p);
    for (const bool x : {false, true})
        all.push_back({x ? "V_CMPX_CLASS_F64" : "V_CMP_CLASS_F64", kAllGens,
                       fmt::format("v_bfe_u32 v6, v9, 3, 10\n v_cmp{}v[4:5], v6",
                                   x ? "x_class_f64_e32 " : "_class_f64_e32 vcc_lo, "),
                       kValues,
                       [](In i) {
                           const bool minus = std::signbit(d(i.a));
                           unsigned bit = 0;
                           switch (std::fpclassify(d(i.a))) {
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
                           return mask_result(i, (i.c >> (32 + 3 + bit) & 1) != 0);
                       },
                       x});
}

// 2 / pi in units of 2^-1400, by Machin's formula.
const mpz_class& two_by_pi() {
    static const mpz_class kValue = [] {
        constexpr unsigned kBits = 1400;
        const auto arc_cotangent = [](unsigned long n) {
            mpz_class sum = 0, power = (mpz_class(1) << kBits) / n;
            for (unsigned long k = 1; power != 0; k += 2, power /= n * n) {
                const mpz_class term = power / k;
                if (k % 4 == 1)
                    sum += term;
                else
                    sum -= term;
            }
            return sum;
        };
        const mpz_class pi = 4 * (4 * arc_cotangent(5) - arc_cotangent(239));
        return mpz_class((mpz_class(2) << (2 * kBits)) / pi);
    }();
    return kValue;
}

// ISA documents, V_TRIG_PREOP_F64; the chip's table ends after 1184 bits.
u64 trig_preop(u64 v, u64 segment) {
    if (std::isnan(d(v))) return v | 0x8000000000000;
    const int exponent = static_cast<int>(v >> 52 & 0x7ff);
    const int shift = static_cast<int>(segment & 31) * 53 + std::max(exponent - 1077, 0);
    if (shift / 32 + 2 >= 37) return 0;
    const mpz_class from = two_by_pi() >> static_cast<unsigned>(1400 - shift - 53);
    const mpz_class part = from & ((mpz_class(1) << 53) - 1);
    return bits(std::ldexp(part.get_d(), -53 - shift + (exponent >= 1968 ? 128 : 0)));
}

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all;
    // A few segments, so that most are inside the table.
    all.push_back({"V_TRIG_PREOP_F64", kAllGens, "v_and_b32_e32 v6, 7, v6\n v_trig_preop_f64 v[10:11], v[4:5], v6",
                   kValues, [](In i) { return pair_result(i, trig_preop(i.a, i.b & 7)); }});
    all.push_back({"V_TRIG_PREOP_F64", kAllGens, "v_trig_preop_f64 v[10:11], |v[4:5]|, v7", kValues,
                   [](In i) { return pair_result(i, trig_preop(i.a & 0x7fffffffffffffff, i.b >> 32)); }});
    add_arithmetic(all);
    add_functions(all);
    add_conversions(all);
    add_division(all);
    add_compares(all);
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryDoubleInstructionGivesTheBitsOfTheIsa) { expect_vector_cases(chips()[GetParam()], all_cases()); }

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(DoubleRows, EachHasATest) { expect_rows_covered(emu::double_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
