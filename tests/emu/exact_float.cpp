#include "tests/emu/exact_float.h"

namespace pm::testing {
namespace {

int bias(Format f) { return (1 << (f.exponent_bits - 1)) - 1; }

mpq_class power_of_two(long e) {
    mpz_class p = 1;
    mpz_mul_2exp(p.get_mpz_t(), p.get_mpz_t(), static_cast<mp_bitcnt_t>(e < 0 ? -e : e));
    return e < 0 ? mpq_class(1, p) : mpq_class(p);
}

std::uint64_t default_nan(Format f) { return f.quiet(f.infinity()); }

std::uint64_t first_nan(Format f, std::initializer_list<std::uint64_t> operands) {
    for (const std::uint64_t v : operands)
        if (f.is_nan(v)) return f.quiet(v);
    return default_nan(f);
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

bool rounds_to(Format f, const mpq_class& value, const mpq_class& slack, std::uint64_t bits) {
    const std::uint64_t least = rounded(f, value - slack, Rounding::kNearestEven),
                        most = rounded(f, value + slack, Rounding::kNearestEven);
    if (f.is_nan(bits) || f.is_infinite(bits)) return bits == least || bits == most;
    const mpq_class v = value_of(f, bits);
    return (f.is_infinite(least) ? f.negative(least) : v >= value_of(f, least)) &&
           (f.is_infinite(most) ? !f.negative(most) : v <= value_of(f, most));
}

std::uint64_t fma(Format f, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    if (f.is_nan(a) || f.is_nan(b) || f.is_nan(c)) return first_nan(f, {a, b, c});
    const bool product_negative = f.negative(a) != f.negative(b);
    const bool a_zero = (a & ~f.sign()) == 0, b_zero = (b & ~f.sign()) == 0;
    if (f.is_infinite(a) || f.is_infinite(b)) {
        if (a_zero || b_zero) return default_nan(f);
        if (f.is_infinite(c) && f.negative(c) != product_negative) return default_nan(f);
        return product_negative ? f.sign() | f.infinity() : f.infinity();
    }
    if (f.is_infinite(c)) return c;
    const mpq_class sum = value_of(f, a) * value_of(f, b) + value_of(f, c);
    // An exact zero is -0 only where both addends are.
    return rounded(f, sum, Rounding::kNearestEven, product_negative && f.negative(c));
}

std::uint64_t add(Format f, std::uint64_t a, std::uint64_t b) {
    if (f.is_nan(a) || f.is_nan(b)) return first_nan(f, {a, b});
    if (f.is_infinite(a) && f.is_infinite(b)) return a == b ? a : default_nan(f);
    if (f.is_infinite(a)) return a;
    if (f.is_infinite(b)) return b;
    return rounded(f, value_of(f, a) + value_of(f, b), Rounding::kNearestEven, f.negative(a) && f.negative(b));
}

std::uint64_t mul(Format f, std::uint64_t a, std::uint64_t b) {
    if (f.is_nan(a) || f.is_nan(b)) return first_nan(f, {a, b});
    const bool negative = f.negative(a) != f.negative(b);
    if (f.is_infinite(a) || f.is_infinite(b)) {
        if ((a & ~f.sign()) == 0 || (b & ~f.sign()) == 0) return default_nan(f);
        return negative ? f.sign() | f.infinity() : f.infinity();
    }
    return rounded(f, value_of(f, a) * value_of(f, b), Rounding::kNearestEven, negative);
}

std::uint32_t fma_f32(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return static_cast<std::uint32_t>(fma(kF32, a, b, c));
}
std::uint32_t add_f32(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>(add(kF32, a, b)); }
std::uint32_t mul_f32(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>(mul(kF32, a, b)); }

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
