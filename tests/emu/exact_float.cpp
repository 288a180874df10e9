#include "tests/emu/exact_float.h"

namespace pm::testing {
namespace {

int bias(Format f) { return (1 << (f.exponent_bits - 1)) - 1; }

mpq_class power_of_two(long e) {
    mpz_class p = 1;
    mpz_mul_2exp(p.get_mpz_t(), p.get_mpz_t(), static_cast<mp_bitcnt_t>(e < 0 ? -e : e));
    return e < 0 ? mpq_class(1, p) : mpq_class(p);
}

constexpr std::uint32_t kDefaultNan = 0x7fc00000;

std::uint32_t first_nan(std::initializer_list<std::uint32_t> operands) {
    for (const std::uint32_t v : operands)
        if (kF32.is_nan(v)) return static_cast<std::uint32_t>(kF32.quiet(v));
    return kDefaultNan;
}

} // namespace

mpq_class value_of(Format f, std::uint64_t bits) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << f.mantissa_bits) - 1);
    const auto exponent = static_cast<long>((bits & ~f.sign()) >> f.mantissa_bits);
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << f.mantissa_bits;
    const long e = (exponent == 0 ? 1 : exponent) - bias(f) - static_cast<long>(f.mantissa_bits);
    const mpq_class magnitude = mpq_class(static_cast<unsigned long>(significand)) * power_of_two(e);
    return f.negative(bits) ? mpq_class(-magnitude) : magnitude;
}

std::uint64_t rounded(Format f, const mpq_class& value, Rounding rounding, bool negative_zero) {
    if (value == 0) return negative_zero ? f.sign() : 0;
    const std::uint64_t sign = value < 0 ? f.sign() : 0;
    const mpq_class magnitude = abs(value);
    // The exponent e with 2^e <= magnitude < 2^(e+1), not below the smallest normal one.
    const auto length = [](const mpz_class& z) { return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)); };
    long e = length(magnitude.get_num()) - length(magnitude.get_den());
    if (power_of_two(e) > magnitude) --e;
    e = std::max(e, 1L - bias(f));
    const mpq_class scaled = magnitude * power_of_two(static_cast<long>(f.mantissa_bits) - e);
    mpz_class whole = scaled.get_num() / scaled.get_den();
    const mpq_class rest = scaled - whole;
    if (rounding == Rounding::kNearestEven &&
        (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(whole.get_mpz_t()) != 0)))
        ++whole;
    // The significand's own carry makes the exponent right: subnormals have exponent field 0, and 2^(mantissa bits) is
    // the next step.
    mpz_class encoded = whole + (mpz_class(e + bias(f) - 1) << f.mantissa_bits);
    const std::uint64_t largest = f.infinity() - 1;
    if (encoded > mpz_class(static_cast<unsigned long>(largest)))
        return sign | (rounding == Rounding::kTowardsZero ? largest : f.infinity());
    return sign | encoded.get_ui();
}

std::uint32_t fma_f32(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (kF32.is_nan(a) || kF32.is_nan(b) || kF32.is_nan(c)) return first_nan({a, b, c});
    const bool product_negative = kF32.negative(a) != kF32.negative(b);
    const bool a_zero = (a & 0x7fffffff) == 0, b_zero = (b & 0x7fffffff) == 0;
    if (kF32.is_infinite(a) || kF32.is_infinite(b)) {
        if (a_zero || b_zero) return kDefaultNan;
        if (kF32.is_infinite(c) && kF32.negative(c) != product_negative) return kDefaultNan;
        return product_negative ? 0xff800000u : 0x7f800000u;
    }
    if (kF32.is_infinite(c)) return c;
    const mpq_class sum = value_of(kF32, a) * value_of(kF32, b) + value_of(kF32, c);
    // An exact zero is -0 only where both addends are.
    return static_cast<std::uint32_t>(rounded(kF32, sum, Rounding::kNearestEven, product_negative && kF32.negative(c)));
}

std::uint32_t add_f32(std::uint32_t a, std::uint32_t b) {
    if (kF32.is_nan(a) || kF32.is_nan(b)) return first_nan({a, b});
    if (kF32.is_infinite(a) && kF32.is_infinite(b)) return a == b ? a : kDefaultNan;
    if (kF32.is_infinite(a)) return a;
    if (kF32.is_infinite(b)) return b;
    return static_cast<std::uint32_t>(rounded(kF32, value_of(kF32, a) + value_of(kF32, b), Rounding::kNearestEven,
                                              kF32.negative(a) && kF32.negative(b)));
}

std::uint32_t mul_f32(std::uint32_t a, std::uint32_t b) {
    if (kF32.is_nan(a) || kF32.is_nan(b)) return first_nan({a, b});
    const bool negative = kF32.negative(a) != kF32.negative(b);
    if (kF32.is_infinite(a) || kF32.is_infinite(b)) {
        if ((a & 0x7fffffff) == 0 || (b & 0x7fffffff) == 0) return kDefaultNan;
        return negative ? 0xff800000u : 0x7f800000u;
    }
    return static_cast<std::uint32_t>(
        rounded(kF32, value_of(kF32, a) * value_of(kF32, b), Rounding::kNearestEven, negative));
}

std::uint64_t converted(Format from, Format to, std::uint64_t bits, Rounding rounding) {
    const std::uint64_t sign = from.negative(bits) ? to.sign() : 0;
    if (from.is_infinite(bits)) return sign | to.infinity();
    if (from.is_nan(bits)) {
        const std::uint64_t payload = bits & ((std::uint64_t{1} << from.mantissa_bits) - 1);
        const std::uint64_t kept = to.mantissa_bits >= from.mantissa_bits
                                       ? payload << (to.mantissa_bits - from.mantissa_bits)
                                       : payload >> (from.mantissa_bits - to.mantissa_bits);
        return sign | to.quiet(to.infinity() | kept);
    }
    return rounded(to, value_of(from, bits), rounding, sign != 0);
}

} // namespace pm::testing
