// The 8-bit floats of gfx12 against exact arithmetic over all their values.
#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using In = const LaneIn&;

/// A format of bytes: what its largest finite number is, what comes after it, and what a NaN becomes.
struct Byte {
    const char* name;
    Format format;
    u32 largest, beyond, nan;
    bool is_nan(u32 v) const { return (v & 0x7f) > (largest == 0x7e ? largest : beyond); }
    bool is_infinite(u32 v) const { return largest != 0x7e && (v & 0x7f) == beyond; }
};
constexpr Byte kFp8{"FP8", {4, 3}, 0x7e, 0x7f, 0xff}, kBf8{"BF8", {5, 2}, 0x7b, 0x7c, 0xfe};

u32 w(u64 v) { return static_cast<u32>(v); }

u32 widened(const Byte& f, u64 byte) {
    const u32 v = w(byte & 0xff), sign = (v & 0x80) << 24;
    if (f.is_nan(v)) return sign | 0x7fc00000 | (f.format.mantissa_bits == 2 ? (v & 3) << 21 : 0);
    if (f.is_infinite(v)) return sign | 0x7f800000;
    return w(rounded(kF32, value_of(f.format, v), Rounding::kNearestEven, sign != 0));
}

// The nearest of all values, what comes after the largest being one; of two the one with an even code.
u32 narrowed(const Byte& f, u64 v) {
    const u32 bits = w(v), sign = bits >> 24 & 0x80;
    if (kF32.is_nan(bits)) return f.nan;
    if (kF32.is_infinite(bits)) return sign | f.beyond;
    const mpq_class x = abs(value_of(kF32, bits));
    u32 best = 0;
    for (u32 code = 1; code <= f.beyond; ++code) {
        const mpq_class here = abs(value_of(f.format, code) - x), there = abs(value_of(f.format, best) - x);
        if (here < there || (here == there && code % 2 == 0)) best = code;
    }
    return sign | (x > value_of(f.format, f.beyond) ? f.beyond : best);
}

// Counts steps of the format at the number, cut off to as many fraction bits as the seed gives; their sum's whole part
// counts the result's steps.
u32 stochastic(const Byte& f, u64 v, u64 seed) {
    const u32 bits = w(v), sign = bits >> 24 & 0x80;
    if (kF32.is_nan(bits)) return f.nan;
    if (kF32.is_infinite(bits)) return sign | f.beyond;
    const int mantissa = static_cast<int>(f.format.mantissa_bits), seed_bits = 23 - mantissa;
    const int least = 1 - ((1 << (f.format.exponent_bits - 1)) - 1); // exponent of the least normal number
    const double x = std::fabs(value_of(kF32, bits).get_d());
    int e = 0;
    (void)std::frexp(x, &e);
    const int exponent = x == 0 ? least : std::max(e - 1, least);
    const auto steps = static_cast<u64>(std::floor(std::ldexp(x, mantissa - exponent + seed_bits)));
    const u64 whole = (steps + (seed >> (32 - seed_bits))) >> seed_bits;
    // 2^mantissa steps are the power of two itself; exponents count from the least one as 1.
    const u64 code = whole + (static_cast<u64>(exponent - least) << mantissa);
    return sign | w(std::min<u64>(code, f.beyond));
}

void add_conversions(std::vector<VectorCase>& all, const Byte& f) {
    const std::string name = f.name, small = lower(name);
    const auto one = [&](const char* suffix, unsigned byte) {
        all.push_back({"V_CVT_F32_" + name, kGen12, fmt::format("v_cvt_f32_{}{}", small, suffix), Values::kIntegers,
                       [f, byte](In i) { return word_result(i, widened(f, i.a >> 8 * byte)); }});
    };
    one("_e32 v10, v4", 0);
    one("_e64 v10, v4 byte_sel:2", 2);
    one("_e64 v10, v4 byte_sel:3", 3);
    for (const bool high : {false, true})
        all.push_back(
            {"V_CVT_PK_F32_" + name, kGen12,
             fmt::format("v_cvt_pk_f32_{}_e{} v[10:11], v4{}", small, high ? "64" : "32", high ? " op_sel:[1,0]" : ""),
             Values::kIntegers, [f, high](In i) {
                 const u64 half = i.a >> (high ? 16 : 0);
                 return pair_result(i, widened(f, half) | u64{widened(f, half >> 8)} << 32);
             }});
    const std::string pack = fmt::format("v_cvt_pk_{}_f32 v10, ", small);
    all.push_back({"V_CVT_PK_" + name + "_F32", kGen12, pack + "v4, v6", Values::kFloats,
                   [f](In i) { return half_result(i, narrowed(f, i.a) | narrowed(f, i.b) << 8); }});
    all.push_back({"V_CVT_PK_" + name + "_F32", kGen12, pack + "-v4, |v6| op_sel:[0,0,1]", Values::kFloats, [f](In i) {
                       return high_half_result(i, narrowed(f, i.a ^ 0x80000000) | narrowed(f, i.b & 0x7fffffff) << 8);
                   }});
    for (const unsigned byte : {0u, 3u})
        all.push_back({"V_CVT_SR_" + name + "_F32", kGen12,
                       fmt::format("v_cvt_sr_{}_f32 v10, -v4, v9 byte_sel:{}", small, byte), Values::kFloats,
                       [f, byte](In i) {
                           const u32 shift = 8 * byte, keep = ~(0xffu << shift) & w(i.d);
                           return word_result(i, keep | stochastic(f, i.a ^ 0x80000000, i.c >> 32) << shift);
                       }});
}

void add_dot(std::vector<VectorCase>& all, const Byte& a, const Byte& b) {
    for (const bool modified : {false, true})
        all.push_back({.row = fmt::format("V_DOT4_F32_{}_{}", a.name, b.name),
                       .generations = kGen12,
                       .assembly = fmt::format("v_dot4_f32_{}_{} v10, v4, v6, v8{}", lower(a.name), lower(b.name),
                                               modified ? " neg_lo:[0,0,1] neg_hi:[0,0,1]" : ""),
                       .values = Values::kFloats,
                       .expected = {},
                       .accepts = [a, b, modified](In i, u64 got) {
                           if (got >> 32 != i.d >> 32) return false;
                           const u32 c = modified ? w(i.c) | 0x80000000 : w(i.c);
                           bool nan = kF32.is_nan(c);
                           int infinite[2] = {kF32.is_infinite(c) && c >> 31 == 0, kF32.is_infinite(c) && c >> 31 != 0};
                           mpq_class sum = nan || kF32.is_infinite(c) ? mpq_class(0) : value_of(kF32, c);
                           mpq_class terms = abs(sum);
                           for (int n = 0; n < 4; ++n) {
                               const u32 x = i.a >> 8 * n & 0xff, y = i.b >> 8 * n & 0xff;
                               nan |= a.is_nan(x) || b.is_nan(y);
                               if (a.is_infinite(x) || b.is_infinite(y)) {
                                   nan |= (x & 0x7f) == 0 || (y & 0x7f) == 0;
                                   ++infinite[(x ^ y) >> 7];
                               } else if (!nan) {
                                   const mpq_class product = value_of(a.format, x) * value_of(b.format, y);
                                   sum += product;
                                   terms += abs(product);
                               }
                           }
                           if (nan || (infinite[0] != 0 && infinite[1] != 0)) return w(got) == 0x7fc00000;
                           if (infinite[0] + infinite[1] != 0)
                               return w(got) == (infinite[1] != 0 ? 0xff800000u : 0x7f800000u);
                           // But for what binary64 cannot hold beside the largest term.
                           return rounds_to(kF32, sum, terms / mpq_class(mpz_class(1) << 50), w(got));
                       }});
}

std::vector<VectorCase> all_cases() {
    std::vector<VectorCase> all;
    for (const Byte& a : {kFp8, kBf8}) {
        add_conversions(all, a);
        for (const Byte& b : {kFp8, kBf8}) add_dot(all, a, b);
    }
    return all;
}

TEST(ByteFloats, EveryInstructionGivesTheBitsOfTheFormats) {
    for (const Chip& chip : chips())
        if (chip.generation >= 12) expect_vector_cases(chip, all_cases());
}

TEST(ByteFloatRows, EachHasATest) { expect_rows_covered(emu::byte_float_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
