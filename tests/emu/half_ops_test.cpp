#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pm::testing {
namespace {

using u64 = std::uint64_t;
using In = const LaneIn&;

constexpr auto kValues = Values::kHalves;
constexpr Format kHalf = kF16;

u64 h(u64 v) { return v & 0xffff; }
u64 top(u64 v) { return v >> 16 & 0xffff; }
bool nan(u64 v) { return kHalf.is_nan(h(v)); }
bool signalling(u64 v) { return nan(v) && (v & 0x200) == 0; }

using Op3 = std::function<u64(u64, u64, u64)>;

u64 add2(u64 a, u64 b, u64) { return add(kHalf, a, b); }
u64 sub2(u64 a, u64 b, u64) {
    if (nan(a) || nan(b)) return kHalf.quiet(nan(a) ? a : b);
    return add(kHalf, a, b ^ 0x8000);
}
u64 subrev2(u64 a, u64 b, u64) {
    if (nan(a) || nan(b)) return kHalf.quiet(nan(a) ? a : b);
    return add(kHalf, b, a ^ 0x8000);
}
u64 mul2(u64 a, u64 b, u64) { return mul(kHalf, a, b); }
u64 fma3(u64 a, u64 b, u64 c) { return fma(kHalf, a, b, c); }

// Sign-magnitude order, -0 below +0.
int rank(u64 v) { return kHalf.negative(v) ? -1 - static_cast<int>(v & 0x7fff) : static_cast<int>(v); }
u64 number(u64 a, u64 b, bool largest) {
    if (signalling(a)) return kHalf.quiet(a);
    if (signalling(b)) return kHalf.quiet(b);
    if (nan(a) || nan(b)) return nan(a) && !nan(b) ? b : a;
    return (rank(a) > rank(b)) == largest ? a : b;
}
u64 strict(u64 a, u64 b, bool largest) {
    if (nan(a) || nan(b)) return kHalf.quiet(nan(a) ? a : b);
    return (rank(a) > rank(b)) == largest ? a : b;
}
u64 middle(u64 a, u64 b, u64 c) {
    if (nan(a) || nan(b) || nan(c)) return number(number(a, b, false), c, false);
    std::array<u64, 3> v = {a, b, c};
    std::sort(v.begin(), v.end(), [](u64 x, u64 y) { return rank(x) < rank(y); });
    return v[1];
}

void add_scalar(std::vector<VectorCase>& all, const char* name, unsigned generations, unsigned sources, const Op3& op,
                const char* suffix = "_e32") {
    VectorCase c;
    c.row = fmt::format("V_{}_F16", name);
    c.generations = generations;
    c.assembly = fmt::format("{}{} %10, %4{}{}", lower(c.row), sources > 2 ? "" : suffix, sources > 1 ? ", %6" : "",
                             sources > 2 ? ", %8" : "");
    c.values = kValues;
    c.expected = [op](In i) { return half_result(i, op(h(i.a), h(i.b), h(i.c))); };
    add_half_case(all, c);
}

void add_arithmetic(std::vector<VectorCase>& all) {
    add_scalar(all, "ADD", kAllGens, 2, add2);
    add_scalar(all, "SUB", kAllGens, 2, sub2);
    add_scalar(all, "SUBREV", kAllGens, 2, subrev2);
    add_scalar(all, "MUL", kAllGens, 2, mul2);
    add_scalar(all, "FMA", kAllGens, 3, fma3);
    for (const bool largest : {false, true}) {
        const std::string name = largest ? "MAX" : "MIN", other = largest ? "MIN" : "MAX";
        const std::string strict_name = largest ? "MAXIMUM" : "MINIMUM", strict_other = largest ? "MINIMUM" : "MAXIMUM";
        const Op3 two = [=](u64 a, u64 b, u64) { return number(a, b, largest); };
        const Op3 three = [=](u64 a, u64 b, u64 c) { return number(number(a, b, largest), c, largest); };
        const Op3 both = [=](u64 a, u64 b, u64 c) { return number(number(a, b, largest), c, !largest); };
        const Op3 strict_two = [=](u64 a, u64 b, u64) { return strict(a, b, largest); };
        const Op3 strict_three = [=](u64 a, u64 b, u64 c) { return strict(strict(a, b, largest), c, largest); };
        const Op3 strict_both = [=](u64 a, u64 b, u64 c) { return strict(strict(a, b, largest), c, !largest); };
        add_scalar(all, name.c_str(), kGen10And11, 2, two);
        add_scalar(all, (name + "_NUM").c_str(), kGen12, 2, two);
        add_scalar(all, (name + "3").c_str(), kGen10And11, 3, three);
        add_scalar(all, (name + "3_NUM").c_str(), kGen12, 3, three);
        add_scalar(all, (name + other).c_str(), kGen11, 3, both);
        add_scalar(all, (name + other + "_NUM").c_str(), kGen12, 3, both);
        add_scalar(all, strict_name.c_str(), kGen12, 2, strict_two, "");
        add_scalar(all, (strict_name + "3").c_str(), kGen12, 3, strict_three);
        add_scalar(all, (strict_name + strict_other).c_str(), kGen12, 3, strict_both);
    }
    add_scalar(all, "MED3", kGen10And11, 3, middle);
    add_scalar(all, "MED3_NUM", kGen12, 3, middle);
    add_half_case(all, {"V_FMAC_F16", kAllGens, "v_fmac_f16_e32 %10, %4, %6", kValues,
                        [](In i) { return half_result(i, fma(kHalf, h(i.a), h(i.b), h(i.d))); }});
    add_half_case(all, {"V_FMAC_F16", kAllGens, "v_fmac_f16_e32 ^10, %4, ^6", kValues,
                        [](In i) { return high_half_result(i, fma(kHalf, h(i.a), top(i.b), top(i.d))); }});
    add_half_case(all, {"V_FMAAK_F16", kAllGens, "v_fmaak_f16 %10, %4, %6, 0x4248", kValues,
                        [](In i) { return half_result(i, fma(kHalf, h(i.a), h(i.b), 0x4248)); }});
    add_half_case(all, {"V_FMAMK_F16", kAllGens, "v_fmamk_f16 %10, %4, 0x4248, %6", kValues,
                        [](In i) { return half_result(i, fma(kHalf, h(i.a), 0x4248, h(i.b))); }});
    // High halves, modifiers, constants, clamp and output modifiers.
    add_half_case(all, {"V_MUL_F16", kAllGens, "v_mul_f16_e32 ^10, ^4, %6", kValues,
                        [](In i) { return high_half_result(i, mul(kHalf, top(i.a), h(i.b))); }});
    all.push_back({"V_FMA_F16", kGen10 | kGen12, "v_fma_f16 v10, v4, v6, v8 op_sel:[0,1,1,1]", kValues,
                   [](In i) { return high_half_result(i, fma(kHalf, h(i.a), top(i.b), top(i.c))); }});
    add_half_case(all, {"V_ADD_F16", kAllGens, "v_add_f16_e64 %10, -%4, |%6|", kValues,
                        [](In i) { return half_result(i, add(kHalf, h(i.a) ^ 0x8000, h(i.b) & 0x7fff)); }});
    add_half_case(all, {"V_MUL_F16", kAllGens, "v_mul_f16_e64 %10, %4, -2.0", kValues,
                        [](In i) { return half_result(i, mul(kHalf, h(i.a), 0xc000)); }});
    add_half_case(all, {"V_ADD_F16", kAllGens, "v_add_f16_e64 %10, %4, %6 clamp", kValues, [](In i) {
                            const u64 r = add(kHalf, h(i.a), h(i.b));
                            return half_result(i, nan(r) || kHalf.negative(r) ? 0 : std::min(r, u64{0x3c00}));
                        }});
    all.push_back({"V_MUL_F16", kGen10,
                   "v_mul_f16_sdwa v10, v4, v6 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
                   "src1_sel:WORD_0",
                   kValues, [](In i) { return high_half_result(i, mul(kHalf, top(i.a), h(i.b))); }});
}

void add_packed(std::vector<VectorCase>& all) {
    struct Packed {
        std::string name;
        unsigned generations, sources;
        Op3 op;
    };
    std::vector<Packed> packed = {{"ADD", kAllGens, 2, add2}, {"MUL", kAllGens, 2, mul2}, {"FMA", kAllGens, 3, fma3}};
    for (const bool largest : {false, true}) {
        const std::string name = largest ? "MAX" : "MIN";
        packed.push_back({name, kGen10And11, 2, [=](u64 a, u64 b, u64) { return number(a, b, largest); }});
        packed.push_back({name + "_NUM", kGen12, 2, [=](u64 a, u64 b, u64) { return number(a, b, largest); }});
        packed.push_back(
            {largest ? "MAXIMUM" : "MINIMUM", kGen12, 2, [=](u64 a, u64 b, u64) { return strict(a, b, largest); }});
    }
    for (const Packed& p : packed)
        for (const bool modified : {false, true}) {
            VectorCase c;
            c.row = fmt::format("V_PK_{}_F16", p.name);
            c.generations = p.generations;
            c.values = kValues;
            const bool three = p.sources > 2;
            c.assembly = fmt::format("{} v10, v4, v6{}", lower(c.row), three ? ", v8" : "");
            if (modified)
                c.assembly += three ? " op_sel:[1,0,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[0,1,0]"
                                    : " op_sel:[1,0] op_sel_hi:[1,0] neg_lo:[1,0] neg_hi:[0,1]";
            c.expected = [p, modified](In i) {
                if (!modified)
                    return word_result(i, p.op(h(i.a), h(i.b), h(i.c)) | p.op(top(i.a), top(i.b), top(i.c)) << 16);
                return word_result(i, p.op(top(i.a) ^ 0x8000, h(i.b), h(i.c)) |
                                          p.op(top(i.a), h(i.b) ^ 0x8000, top(i.c)) << 16);
            };
            all.push_back(std::move(c));
        }
    all.push_back({"V_PK_FMAC_F16", kAllGens, "v_pk_fmac_f16 v10, v4, v6", kValues, [](In i) {
                       return word_result(i, fma(kHalf, h(i.a), h(i.b), h(i.d)) |
                                                 fma(kHalf, top(i.a), top(i.b), top(i.d)) << 16);
                   }});
    all.push_back({"V_PK_ADD_F16", kAllGens, "v_pk_add_f16 v10, v4, 1.0 op_sel_hi:[1,0]", kValues, [](In i) {
                       return word_result(i, add(kHalf, h(i.a), 0x3c00) | add(kHalf, top(i.a), 0x3c00) << 16);
                   }});
    all.push_back(
        {"V_PK_MUL_F16", kAllGens, "v_pk_mul_f16 v10, v4, v6 clamp", kValues, [](In i) {
             const auto kept = [](u64 r) { return nan(r) || kHalf.negative(r) ? 0 : std::min(r, u64{0x3c00}); };
             return word_result(i, kept(mul(kHalf, h(i.a), h(i.b))) | kept(mul(kHalf, top(i.a), top(i.b))) << 16);
         }});
}

// --- functions of one half ------------------------------------------------------------------------------------------

// Rounds in long double: 64 bits keep any half and what is beside it.
u64 nearest(long double v) {
    if (v == 0) return std::signbit(v) ? 0x8000 : 0;
    if (std::isinf(v)) return v > 0 ? 0x7c00 : 0xfc00;
    int exponent = 0;
    const long double fraction = std::frexp(v, &exponent); // in [1/2, 1)
    mpz_class scaled(static_cast<long>(std::ldexp(fraction, 62)));
    mpq_class value(scaled);
    const long shift = exponent - 62;
    mpz_class p = 1;
    p <<= static_cast<unsigned long>(std::labs(shift));
    value = shift < 0 ? mpq_class(value / p) : mpq_class(value * p);
    return rounded(kHalf, value, Rounding::kNearestEven);
}
long double wide(u64 v) {
    if (kHalf.is_infinite(v)) return kHalf.negative(v) ? -HUGE_VALL : HUGE_VALL;
    return static_cast<long double>(value_of(kHalf, v).get_d()) * (v == 0x8000 ? -1.0L : 1.0L);
}
u64 of_value(u64 v, const std::function<long double(long double)>& f) {
    if (nan(v)) return kHalf.quiet(v);
    const long double x = v == 0x8000 ? -0.0L : wide(v);
    const long double r = f(x);
    return std::isnan(r) ? 0xfe00 : nearest(r);
}

void add_functions(std::vector<VectorCase>& all) {
    const auto one = [&](const char* name, const std::function<long double(long double)>& f) {
        add_scalar(all, name, kAllGens, 1, [f](u64 a, u64, u64) { return of_value(a, f); });
    };
    one("TRUNC", [](long double x) { return std::trunc(x); });
    one("CEIL", [](long double x) { return std::ceil(x); });
    one("FLOOR", [](long double x) { return std::floor(x); });
    one("RNDNE", [](long double x) {
        return x - std::remainder(x, 1.0L) == 0 ? std::copysign(0.0L, x)
               : std::isinf(x)                  ? x
                                                : x - std::remainder(x, 1.0L);
    });
    one("RCP", [](long double x) { return 1 / x; });
    one("RSQ", [](long double x) { return 1 / std::sqrt(x); });
    one("SQRT", [](long double x) { return std::sqrt(x); });
    one("EXP", [](long double x) { return std::exp2(x); });
    one("LOG", [](long double x) { return std::log2(x); });
    // The remainder's turns are exact; sinl and cosl of 2 pi times it miss zeros and ones by 2^-60 or so.
    constexpr long double kTurn = 6.2831853071795864769252867665590057684L;
    const auto tidy = [](long double v) { return std::fabs(v) < 0x1p-50L ? 0.0L : v; };
    one("SIN", [=](long double x) {
        if (std::fabs(x) > 256) return std::isinf(x) ? std::nanl("") : 0.0L;
        return x == 0                         ? x
               : std::remainder(x, 1.0L) == 0 ? std::copysign(0.0L, x)
                                              : tidy(std::sin(kTurn * std::remainder(x, 1.0L)));
    });
    one("COS", [=](long double x) {
        if (std::fabs(x) > 256) return std::isinf(x) ? std::nanl("") : 1.0L;
        return tidy(std::cos(kTurn * std::remainder(x, 1.0L)));
    });
    add_scalar(all, "FRACT", kAllGens, 1, [](u64 a, u64, u64) -> u64 {
        if (kHalf.is_infinite(a)) return 0x7e00;
        return of_value(a, [](long double x) {
            const long double r = x - std::floor(x);
            return std::min(r, 0.99951171875L); // 0x3bff
        });
    });
    add_scalar(all, "FREXP_MANT", kAllGens, 1, [](u64 a, u64, u64) {
        return of_value(a, [](long double x) {
            int e = 0;
            return std::isinf(x) ? x : std::frexp(x, &e);
        });
    });
    add_half_case(all, {"V_FREXP_EXP_I16_F16", kAllGens, "v_frexp_exp_i16_f16_e32 %10, %4", kValues, [](In i) {
                            int e = 0;
                            if (!nan(i.a) && !kHalf.is_infinite(h(i.a))) (void)std::frexp(wide(h(i.a)), &e);
                            return half_result(i, static_cast<u64>(e));
                        }});
    // The exponent is a signed half of its own.
    add_half_case(all,
                  {"V_LDEXP_F16", kAllGens, "v_bfe_i32 v6, v6, 3, 6\n v_ldexp_f16_e64 %10, %4, %6", kValues, [](In i) {
                       const int e = static_cast<int>((i.b >> 3 & 63) ^ 32) - 32;
                       return half_result(i, of_value(h(i.a), [e](long double x) { return std::ldexp(x, e); }));
                   }});
    for (const bool is_signed : {false, true}) {
        const std::string type = is_signed ? "I16" : "U16";
        add_half_case(all, {"V_CVT_F16_" + type, kAllGens, "v_cvt_f16_" + lower(type) + "_e32 %10, %4", kValues,
                            [is_signed](In i) {
                                const long v = is_signed ? static_cast<std::int16_t>(i.a) : static_cast<long>(h(i.a));
                                return half_result(i, rounded(kHalf, mpq_class(v), Rounding::kNearestEven));
                            }});
        add_half_case(all, {"V_CVT_" + type + "_F16", kAllGens, "v_cvt_" + lower(type) + "_f16_e32 %10, %4", kValues,
                            [is_signed](In i) {
                                if (nan(i.a)) return half_result(i, 0);
                                const long double v = std::trunc(wide(h(i.a)));
                                const long double least = is_signed ? -32768 : 0, most = is_signed ? 32767 : 65535;
                                return half_result(i, static_cast<u64>(static_cast<long>(std::clamp(v, least, most))));
                            }});
    }
}

// Quotient, denominator and numerator of a division.
u64 fixed_up(u64 q, u64 d, u64 n) {
    const u64 sign = (d ^ n) & 0x8000;
    const auto zero = [](u64 v) { return (v & 0x7fff) == 0; };
    if (nan(n)) return kHalf.quiet(n);
    if (nan(d)) return kHalf.quiet(d);
    if ((zero(n) && zero(d)) || (kHalf.is_infinite(n) && kHalf.is_infinite(d))) return 0xfe00;
    if (zero(d) || kHalf.is_infinite(n)) return sign | 0x7c00;
    if (zero(n) || kHalf.is_infinite(d)) return sign;
    return nan(q) ? kHalf.quiet(q) : sign | (q & 0x7fff);
}

void add_compares(std::vector<VectorCase>& all) {
    const auto add = [&all](const Predicate& p) {
        for (const bool x : {false, true}) {
            VectorCase c;
            c.row = fmt::format("V_CMP{}_{}_F16", x ? "X" : "", p.name);
            c.generations = p.generations;
            c.assembly = fmt::format("{}_e32 {}%4, %6", lower(c.row), x ? "" : "vcc_lo, ");
            c.values = kValues;
            c.writes_exec = x;
            c.expected = [p](In i) {
                const Outcome outcome =
                    nan(i.a) || nan(i.b) ? kUnordered : outcome_of<long double>(wide(h(i.a)), wide(h(i.b)));
                return mask_result(i, (outcome & p.outcomes) != 0);
            };
            add_half_case(all, c);
        }
    };
    for (const Predicate& p : kFloatPredicates) add(p);
    for (const Predicate& p : kConstantPredicates) add(p);
    for (const bool x : {false, true}) {
        VectorCase c;
        c.row = x ? "V_CMPX_CLASS_F16" : "V_CMP_CLASS_F16";
        c.assembly = lower(c.row) + (x ? "_e32 %4, %6" : "_e32 vcc_lo, %4, %6");
        c.values = kValues;
        c.writes_exec = x;
        c.expected = [](In i) {
            const u64 a = h(i.a), m = a & 0x7fff;
            const bool minus = kHalf.negative(a);
            unsigned bit = 0;
            if (nan(a))
                bit = signalling(a) ? 0 : 1;
            else if (kHalf.is_infinite(a))
                bit = minus ? 2 : 9;
            else if (m >= 0x400)
                bit = minus ? 3 : 8;
            else if (m != 0)
                bit = minus ? 4 : 7;
            else
                bit = minus ? 5 : 6;
            return mask_result(i, (i.b >> bit & 1) != 0);
        };
        add_half_case(all, c);
    }
}

// Rounded once to nearest even.
u64 normalized(u64 v, bool is_signed) {
    if (nan(v)) return 0;
    const long most = is_signed ? 32767 : 65535, least = is_signed ? -32767 : 0;
    if (kHalf.is_infinite(h(v))) return h(static_cast<u64>(kHalf.negative(h(v)) ? least : most));
    const mpq_class x = value_of(kHalf, h(v)) * most;
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    const mpq_class rest = x - whole;
    if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(whole.get_mpz_t()) != 0)) ++whole;
    return h(static_cast<u64>(std::clamp(whole.get_si(), least, most)));
}

void add_normalized(std::vector<VectorCase>& all) {
    for (const bool is_signed : {false, true}) {
        const std::string type = is_signed ? "I16" : "U16", small = lower(type);
        add_half_case(all, {"V_CVT_NORM_" + type + "_F16", kAllGens, "v_cvt_norm_" + small + "_f16_e32 %10, %4",
                            kValues, [=](In i) { return half_result(i, normalized(i.a, is_signed)); }});
        const auto both = [=](In i) {
            return word_result(i, normalized(i.a, is_signed) | normalized(i.b >> 16, is_signed) << 16);
        };
        all.push_back({"V_CVT_PKNORM_" + type + "_F16", kGen10,
                       "v_cvt_pknorm_" + small + "_f16 v10, v4, v6 op_sel:[0,1,0]", kValues, both});
        all.push_back({"V_CVT_PK_NORM_" + type + "_F16", kGen11, "v_cvt_pk_norm_" + small + "_f16 v10, v4.l, v6.h",
                       kValues, both});
        all.push_back({"V_CVT_PK_NORM_" + type + "_F16", kGen12,
                       "v_cvt_pk_norm_" + small + "_f16 v10, v4, v6 op_sel:[0,1,0]", kValues, both});
    }
}

// The exact sum rounded, but for what binary64 cannot hold beside the largest term.
bool dot_accepts(Format f, u64 a, u64 b, u64 c, u64 got) {
    const u64 default_nan = f.quiet(f.infinity());
    const u64 x[] = {a & 0xffff, a >> 16 & 0xffff}, y[] = {b & 0xffff, b >> 16 & 0xffff};
    bool not_a_number = f.is_nan(c), infinite[2] = {c == f.infinity(), c == (f.infinity() | f.sign())};
    mpq_class sum = f.is_nan(c) || f.is_infinite(c) ? mpq_class(0) : value_of(f, c), terms = abs(sum);
    for (int n = 0; n < 2; ++n) {
        not_a_number |= f.is_nan(x[n]) || f.is_nan(y[n]);
        if (not_a_number) continue;
        if (f.is_infinite(x[n]) || f.is_infinite(y[n])) {
            not_a_number |= (x[n] & 0x7fff) == 0 || (y[n] & 0x7fff) == 0;
            infinite[(x[n] ^ y[n]) >> 15] = true;
        } else {
            const mpq_class product = value_of(f, x[n]) * value_of(f, y[n]);
            sum += product;
            terms += abs(product);
        }
    }
    if (not_a_number || (infinite[0] && infinite[1])) return got == default_nan;
    if (infinite[0] || infinite[1]) return got == (f.infinity() | (infinite[1] ? f.sign() : 0));
    return rounds_to(f, sum, terms / mpq_class(mpz_class(1) << 51), got);
}

void add_dots(std::vector<VectorCase>& all) {
    for (const bool brain : {false, true}) {
        const Format f = brain ? kBf16 : kF16;
        VectorCase c;
        c.row = brain ? "V_DOT2_BF16_BF16" : "V_DOT2_F16_F16";
        c.values = brain ? Values::kBrainHalves : Values::kHalves;
        for (const bool high : {false, true}) {
            c.accepts = [=](In i, u64 d) {
                const u64 kept = high ? i.d & 0xffffffff0000ffff : i.d & 0xffffffffffff0000;
                const u64 mask = high ? 0xffff0000u : 0xffffu;
                return (d & ~mask) == kept && dot_accepts(f, i.a, i.b, high ? top(i.c) : h(i.c), high ? top(d) : h(d));
            };
            c.generations = kGen11;
            c.assembly = lower(c.row) + (high ? " v10.h, v4, v6, v8.h" : " v10.l, v4, v6, v8.l");
            all.push_back(c);
            c.generations = kGen12;
            c.assembly = lower(c.row) + (high ? " v10, v4, v6, v8 op_sel:[0,0,1,1]" : " v10, v4, v6, v8");
            all.push_back(c);
        }
    }
}

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all;
    add_normalized(all);
    add_dots(all);
    add_arithmetic(all);
    add_packed(all);
    add_functions(all);
    add_scalar(all, "DIV_FIXUP", kAllGens, 3, fixed_up);
    add_compares(all);
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryHalfInstructionGivesTheBitsOfTheIsa) { expect_vector_cases(chips()[GetParam()], all_cases()); }

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(HalfRows, EachHasATest) { expect_rows_covered(emu::half_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
