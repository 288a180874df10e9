#include "tests/oracle/exact.h"

namespace exact {

mpq_class power_of_two(int exponent) {
    mpq_class one(1), out;
    if (exponent >= 0)
        mpq_mul_2exp(out.get_mpq_t(), one.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
    else
        mpq_div_2exp(out.get_mpq_t(), one.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
    return out;
}

mpq_class round(const mpq_class& value, Format format, Mode mode) {
    if (value == 0) return value;
    const mpq_class magnitude = abs(value);
    int exponent = static_cast<int>(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
                   static_cast<int>(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
    if (magnitude < power_of_two(exponent)) --exponent;
    const int lsb = std::max(exponent - format.precision + 1, format.least_exponent);
    const mpq_class scaled = value / power_of_two(lsb);
    mpz_class below;
    mpz_fdiv_q(below.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
    const mpq_class rest = scaled - below;
    if (rest == 0) return value;
    bool up = false;
    switch (mode) {
    case Mode::kNearestEven: {
        const mpq_class half(1, 2);
        up = rest > half || (rest == half && mpz_odd_p(below.get_mpz_t()) != 0);
        break;
    }
    case Mode::kDown:
        break;
    case Mode::kUp:
        up = true;
        break;
    case Mode::kTowardZero:
        up = value < 0;
        break;
    case Mode::kAwayFromZero:
        up = value > 0;
        break;
    }
    if (up) ++below;
    return mpq_class(below) * power_of_two(lsb);
}

namespace {

mpq_class value_of(std::uint16_t bits, int fraction_bits, int bias) {
    const int exponent = (bits & 0x7fff) >> fraction_bits;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    mpq_class magnitude(fraction);
    if (exponent != 0) magnitude += 1 << fraction_bits;
    magnitude *= power_of_two((exponent == 0 ? 1 : exponent) - bias - fraction_bits);
    return (bits & 0x8000) != 0 ? mpq_class(-magnitude) : magnitude;
}

} // namespace

mpq_class fp16(std::uint16_t bits) { return value_of(bits, 10, 15); }
mpq_class bf16(std::uint16_t bits) { return value_of(bits, 7, 127); }

} // namespace exact
