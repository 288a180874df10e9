// Scalar floats of gfx1151 and gfx1201, on random and edge operands.
#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <random>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

constexpr std::uint64_t kSeed = 20260711;
constexpr std::size_t kCases = 512; // workgroups of one row

/// s16 = a, s18 = b, s24 = the result's old value.
struct In {
    u32 a, b, d;
};

struct Case {
    std::string row;
    bool only_gfx12 = false;
    std::string assembly;
    bool halves = false;                      // of a and b, and of the result
    std::function<u32(const In&)> expected{}; // s24, or SCC of a comparison
    std::function<bool(u32 a, u32 got)> accepts{};
};

u32 narrow(std::uint64_t v) { return static_cast<u32>(v); }

struct Kind {
    const char* name;
    Format format;
    u32 mask, sign;
    bool nan(u32 v) const { return format.is_nan(v); }
    u32 quiet(u32 v) const { return narrow(format.quiet(v)); }
    bool signalling(u32 v) const { return nan(v) && quiet(v) != v; }
    double value(u32 v) const {
        if (format.is_infinite(v)) return format.negative(v) ? -HUGE_VAL : HUGE_VAL;
        return std::copysign(value_of(format, v).get_d(), format.negative(v) ? -1.0 : 1.0);
    }
    // Whole numbers and halves of theirs only: exact.
    u32 bits(double v) const {
        if (std::isinf(v)) return narrow(format.infinity() | (v < 0 ? format.sign() : 0));
        return narrow(rounded(format, mpq_class(v), Rounding::kNearestEven, std::signbit(v)));
    }
    u32 number(u32 a, u32 b, bool largest) const {
        if (signalling(a)) return quiet(a);
        if (signalling(b)) return quiet(b);
        if (nan(a) || nan(b)) return nan(a) && !nan(b) ? b : a;
        if (value(a) == value(b)) return format.negative(a) == largest ? b : a;
        return (value(a) > value(b)) == largest ? a : b;
    }
};
const Kind kSingle{"F32", kF32, 0xffffffff, 0x80000000}, kHalf{"F16", kF16, 0xffff, 0x8000};

void add_typed(std::vector<Case>& all, const Kind& k) {
    const auto op = [&](const std::string& name, bool two, bool only_gfx12,
                        const std::function<u32(u32, u32, u32)>& f) {
        const std::string row = fmt::format("S_{}_{}", name, k.name);
        all.push_back({row,
                       only_gfx12,
                       lower(row) + (two ? " s24, s16, s18" : " s24, s16"),
                       k.mask == 0xffff,
                       [f, k](const In& i) { return f(i.a & k.mask, i.b & k.mask, i.d & k.mask); },
                       {}});
    };
    op("ADD", true, false, [k](u32 a, u32 b, u32) { return narrow(add(k.format, a, b)); });
    op("SUB", true, false, [k](u32 a, u32 b, u32) {
        return k.nan(a) || k.nan(b) ? k.quiet(k.nan(a) ? a : b) : narrow(add(k.format, a, b ^ k.sign));
    });
    op("MUL", true, false, [k](u32 a, u32 b, u32) { return narrow(mul(k.format, a, b)); });
    op("FMAC", true, false, [k](u32 a, u32 b, u32 d) { return narrow(fma(k.format, a, b, d)); });
    for (const bool largest : {false, true}) {
        const std::string row = fmt::format("S_{}_{}", largest ? "MAX" : "MIN", k.name);
        for (const bool gfx12 : {false, true}) // gfx12 spells it min_num
            all.push_back({row,
                           gfx12,
                           lower(row) + " s24, s16, s18",
                           k.mask == 0xffff,
                           [k, largest](const In& i) { return k.number(i.a & k.mask, i.b & k.mask, largest); },
                           {}});
        op(largest ? "MAXIMUM" : "MINIMUM", true, true, [k, largest](u32 a, u32 b, u32) {
            return k.nan(a) || k.nan(b) ? k.quiet(k.nan(a) ? a : b) : k.number(a, b, largest);
        });
    }
    const auto whole = [&](const char* name, double (*f)(double)) {
        op(name, false, false, [k, f](u32 a, u32, u32) { return k.nan(a) ? k.quiet(a) : k.bits(f(k.value(a))); });
    };
    whole("TRUNC", [](double x) { return std::trunc(x); });
    whole("CEIL", [](double x) { return std::ceil(x); });
    whole("FLOOR", [](double x) { return std::floor(x); });
    whole("RNDNE", [](double x) { return std::isinf(x) ? x : std::copysign(x - std::remainder(x, 1.0), x); });
    for (const Predicate& p : kFloatPredicates) {
        const std::string row = fmt::format("S_CMP_{}_{}", p.name, k.name);
        all.push_back({row,
                       false,
                       lower(row) + " s16, s18\n s_cselect_b32 s24, 1, 0",
                       false,
                       [p, k](const In& i) {
                           const u32 a = i.a & k.mask, b = i.b & k.mask;
                           const Outcome outcome =
                               k.nan(a) || k.nan(b) ? kUnordered : outcome_of(k.value(a), k.value(b));
                           return u32{(outcome & p.outcomes) != 0};
                       },
                       {}});
    }
}

std::vector<Case> all_cases() {
    std::vector<Case> all;
    add_typed(all, kSingle);
    add_typed(all, kHalf);
    const auto clamped = [](u32 a, double least, double most) {
        return kSingle.nan(a) ? 0
                              : narrow(static_cast<std::uint64_t>(
                                    static_cast<std::int64_t>(std::fmin(std::fmax(kSingle.value(a), least), most))));
    };
    const std::vector<Case> others = {
        {"S_FMAAK_F32",
         false,
         "s_fmaak_f32 s24, s16, s18, 0x40490fdb",
         false,
         [](const In& i) { return fma_f32(i.a, i.b, 0x40490fdb); },
         {}},
        {"S_FMAMK_F32",
         false,
         "s_fmamk_f32 s24, s16, 0x40490fdb, s18",
         false,
         [](const In& i) { return fma_f32(i.a, 0x40490fdb, i.b); },
         {}},
        {"S_CVT_F32_I32",
         false,
         "s_cvt_f32_i32 s24, s16",
         false,
         [](const In& i) {
             return narrow(
                 rounded(kF32, mpq_class(static_cast<long>(static_cast<std::int32_t>(i.a))), Rounding::kNearestEven));
         },
         {}},
        {"S_CVT_F32_U32",
         false,
         "s_cvt_f32_u32 s24, s16",
         false,
         [](const In& i) {
             return narrow(rounded(kF32, mpq_class(static_cast<unsigned long>(i.a)), Rounding::kNearestEven));
         },
         {}},
        {"S_CVT_I32_F32",
         false,
         "s_cvt_i32_f32 s24, s16",
         false,
         [=](const In& i) { return clamped(i.a, -0x1p31, 0x1p31 - 1); },
         {}},
        {"S_CVT_U32_F32",
         false,
         "s_cvt_u32_f32 s24, s16",
         false,
         [=](const In& i) { return clamped(i.a, 0, 0x1p32 - 1); },
         {}},
        {"S_CVT_F16_F32",
         false,
         "s_cvt_f16_f32 s24, s16",
         true,
         [](const In& i) { return narrow(converted(kF32, kF16, i.a, Rounding::kNearestEven)); },
         {}},
        {"S_CVT_F32_F16",
         false,
         "s_cvt_f32_f16 s24, s16",
         false,
         [](const In& i) { return narrow(converted(kF16, kF32, i.a & 0xffff, Rounding::kNearestEven)); },
         {}},
        {"S_CVT_HI_F32_F16",
         false,
         "s_cvt_hi_f32_f16 s24, s16",
         false,
         [](const In& i) { return narrow(converted(kF16, kF32, i.a >> 16, Rounding::kNearestEven)); },
         {}},
        {"S_CVT_PK_RTZ_F16_F32",
         false,
         "s_cvt_pk_rtz_f16_f32 s24, s16, s18",
         false,
         [](const In& i) {
             return narrow(converted(kF32, kF16, i.a, Rounding::kTowardsZero) |
                           converted(kF32, kF16, i.b, Rounding::kTowardsZero) << 16);
         },
         {}},
    };
    all.insert(all.end(), others.begin(), others.end());
    struct Bounded {
        const char* name;
        long double (*f)(long double);
    };
    for (const Bounded& b : {Bounded{"RCP", [](long double x) { return 1 / x; }},
                             {"RSQ", [](long double x) { return 1 / std::sqrt(x); }},
                             {"SQRT", [](long double x) { return std::sqrt(x); }},
                             {"EXP", [](long double x) { return std::exp2(x); }},
                             {"LOG", [](long double x) { return std::log2(x); }}})
        all.push_back({fmt::format("V_S_{}_F32", b.name),
                       true,
                       fmt::format("v_s_{}_f32 s24, s16", lower(b.name)),
                       false,
                       {},
                       [b](u32 a, u32 got) {
                           if (kSingle.nan(a)) return got == kSingle.quiet(a);
                           const u32 operand = (a & 0x7f800000) == 0 ? a & 0x80000000 : a; // subnormals are zeros
                           const long double want = b.f(kSingle.value(operand));
                           if (std::isnan(want)) return got == 0xffc00000;
                           if (std::fabs(want) < 0x1p-126L || std::isinf(want) || std::fabs(want) >= 0x1.ffffffp127L)
                               return std::fabs(want) < 1 ? (got & 0x7fffffff) == 0 : (got & 0x7fffffff) == 0x7f800000;
                           int e = 0;
                           (void)std::frexp(want, &e);
                           return std::fabs(kSingle.value(got) - want) <= std::ldexp(0.5001L, e - 24);
                       }});
    for (const Bounded& b : {Bounded{"RCP", [](long double x) { return 1 / x; }},
                             {"RSQ", [](long double x) { return 1 / std::sqrt(x); }},
                             {"SQRT", [](long double x) { return std::sqrt(x); }},
                             {"EXP", [](long double x) { return std::exp2(x); }},
                             {"LOG", [](long double x) { return std::log2(x); }}})
        all.push_back({fmt::format("V_S_{}_F16", b.name),
                       true,
                       fmt::format("v_s_{}_f16 s24, s16", lower(b.name)),
                       true,
                       {},
                       [b](u32 a, u32 got) {
                           a &= 0xffff;
                           if (kHalf.nan(a)) return got == kHalf.quiet(a);
                           const long double want = b.f(kHalf.value(a));
                           if (std::isnan(want)) return got == 0xfe00;
                           if (std::isinf(want) || std::fabs(want) >= 65520) return (got & 0x7fff) == 0x7c00;
                           int e = 0;
                           (void)std::frexp(want, &e);
                           return std::fabs(kHalf.value(got) - want) <= std::ldexp(0.5001L, std::max(e - 11, -24));
                       }});
    return all;
}

std::string body_of(const Case& c) {
    return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_all
  s_lshl_b32 s13, s10, 4
  s_load_dwordx4 s[20:23], s[4:5], s13
  wait_all
  s_mov_b32 s16, s20
  s_mov_b32 s18, s21
  s_mov_b32 s24, s22
  {}
  {}
  v_mov_b32_e32 v2, s10
  v_lshlrev_b32_e32 v2, 2, v2
  v_mov_b32_e32 v4, s24
  s_mov_b32 exec_lo, 1
  global_store_dword v2, v4, s[6:7]
)",
                       c.assembly, c.halves ? "s_and_b32 s24, s24, 0xffff" : "");
}

TEST(ScalarFloats, GiveTheBitsOfTheIsa) {
    constexpr u32 kEdges[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
                              0x3f000000, 0x40200000, 0x477ff000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000,
                              0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3c004000, 0x7c007bff,
                              0xfc000001, 0x7e007c01, 0x80000400, 0x00013555, 0x7c00bc00};
    std::mt19937_64 random(kSeed);
    const auto word = [&]() -> u32 {
        switch (random() % 4) {
        case 0:
            return static_cast<u32>(random());
        case 1: // halves of like magnitude
            return static_cast<u32>((random() & 0x83ff83ff) | 0x38003800 | (random() & 0x04000400));
        case 2:
            return static_cast<u32>((random() & 0x807fffff) | (0x3f000000 + (random() % 8) * 0x800000));
        default:
            return kEdges[random() % std::size(kEdges)];
        }
    };
    std::vector<In> ins(kCases);
    std::vector<u32> words;
    for (In& i : ins) {
        i = {word(), word(), word()};
        words.insert(words.end(), {i.a, i.b, i.d, 0});
    }
    for (const Chip& chip : chips()) {
        if (chip.name != "gfx1151" && chip.name != "gfx1201") continue;
        std::vector<Case> cases;
        std::vector<KernelText> kernels;
        for (const Case& c : all_cases()) {
            if (c.only_gfx12 && chip.generation < 12) continue;
            KernelText k;
            k.name = fmt::format("case{}", cases.size());
            k.body = body_of(c);
            kernels.push_back(std::move(k));
            cases.push_back(c);
        }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const in = rig.buffer(words);
        for (std::size_t n = 0; n < cases.size(); ++n) {
            SCOPED_TRACE(fmt::format("{}: {}, seed {}", chip.name, cases[n].assembly, kSeed));
            emu::Allocation* const out = rig.fresh(4 * kCases);
            ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out), {kCases, 1, 1})), "");
            EXPECT_TRUE(out->whole() ||
                        std::all_of(out->undefined.begin(), out->undefined.end(), [](auto b) { return b == 0; }));
            const auto got = words_of<u32>(out);
            int shown = 0;
            for (std::size_t i = 0; i < kCases && shown < 3; ++i) {
                const bool good =
                    cases[n].accepts ? cases[n].accepts(ins[i].a, got[i]) : got[i] == cases[n].expected(ins[i]);
                if (good) continue;
                ++shown;
                ADD_FAILURE() << fmt::format("a={:08x} b={:08x} d={:08x}: {:08x}, expected {:08x}", ins[i].a, ins[i].b,
                                             ins[i].d, got[i], cases[n].expected ? cases[n].expected(ins[i]) : 0);
            }
        }
    }
}

// s24 to s28, to the buffer of s[6:7].
const std::string kStoreFive = R"(
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v4, s24
  v_mov_b32_e32 v5, s25
  v_mov_b32_e32 v6, s26
  v_mov_b32_e32 v7, s27
  v_mov_b32_e32 v8, s28
  global_store_dwordx4 v2, v[4:7], s[6:7]
  global_store_dword v2, v8, s[6:7] offset:16
)";

// Roots and reciprocals of powers of two are exact, whatever else is approximate.
TEST(ScalarFloats, SourcesMayBeNegatedOrAbsolute) {
    for (const Chip& chip : chips()) {
        if (chip.name != "gfx1201") continue;
        KernelText k;
        k.name = "k";
        k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_all
  s_mov_b32 s20, 0xc0800000
  s_mov_b32 s21, 0x1234c400
  v_s_sqrt_f32 s24, |s20|
  v_s_sqrt_f32 s25, -s20
  v_s_rcp_f32 s26, -|s20|
  v_s_sqrt_f16 s27, -s21
  v_s_rcp_f16 s28, |s21|
  s_and_b32 s27, s27, 0xffff
  s_and_b32 s28, s28, 0xffff
)" + kStoreFive;
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const out = rig.fresh(20);
        ASSERT_EQ(text_of(rig.launch("k", Rig::pack(rig.fresh(4), out), {1, 1, 1}, {1, 1, 1})), "");
        // -4 and (of the half) -4.
        EXPECT_EQ(words_of<u32>(out), (std::vector<u32>{0x40000000, 0x40000000, 0xbe800000, 0x4000, 0x3400}));
    }
}

// Under the flush mode an f32 subnormal is a zero of its sign; integers and halves are what they are.
TEST(ScalarFloats, FlushSubnormalsWhereTheModeSaysSo) {
    for (const Chip& chip : chips()) {
        if (chip.name != "gfx1151" && chip.name != "gfx1201") continue;
        KernelText k;
        k.name = "k";
        k.flush = true;
        k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_all
  s_mov_b32 s20, 0x80400000
  s_mov_b32 s21, 0x00800001
  s_add_f32 s24, s20, s20
  s_sub_f32 s25, s21, 0x00800000
  s_cvt_f32_i32 s26, 3
  s_cvt_i32_f32 s27, 3.0
  s_cvt_hi_f32_f16 s28, 0x00010000
)" + kStoreFive;
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const out = rig.fresh(20);
        ASSERT_EQ(text_of(rig.launch("k", Rig::pack(rig.fresh(4), out), {1, 1, 1}, {1, 1, 1})), "");
        EXPECT_EQ(words_of<u32>(out), (std::vector<u32>{0x80000000, 0, 0x40400000, 3, 0x33800000})) << chip.name;
    }
}

// What lies beside a 16-bit result is not stated, and nothing may depend on it.
TEST(ScalarFloats, LeaveTheUpperHalfOfAHalfUndefined) {
    for (const Chip& chip : chips()) {
        if (chip.name != "gfx1151" && chip.name != "gfx1201") continue;
        KernelText k;
        k.name = "k";
        k.body = "s_cvt_f16_f32 s20, 1.0\n s_cmp_eq_u32 s20, 0x3c00\n s_cbranch_scc1 .Lend\n.Lend:";
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        const emu::Report report = rig.launch("k", Rig::pack(rig.fresh(4), rig.fresh(4)));
        EXPECT_EQ(kinds_of(report), std::vector<emu::FindingKind>{emu::FindingKind::kUndefinedDecides});
    }
}

TEST(ScalarFloatRows, EachHasATest) { expect_rows_covered(emu::scalar_float_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
