#include "tests/oracle/affine_case.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

AffineCase::AffineCase(pm::Activation kind_, std::int64_t m_, std::int64_t n_, std::int64_t k_, int bits_)
    : kind(kind_), m(m_), n(n_), k(k_), bits(bits_), x(static_cast<std::size_t>(m * k)),
      scale(static_cast<std::size_t>(n * (k / 64))), bias(scale.size()), codes(static_cast<std::size_t>(n * k)) {}

namespace {

// The buffers and the input that names them.
struct Packed {
    pm::Chip chip;
    std::vector<std::uint8_t> words;
    hkc::OracleInput input;

    explicit Packed(const AffineCase& c) : words(c.codes.size() * static_cast<std::size_t>(c.bits) / 8) {
        for (std::size_t row = 0; row < static_cast<std::size_t>(c.n); ++row) {
            const std::size_t k = static_cast<std::size_t>(c.k);
            const std::size_t bits = static_cast<std::size_t>(c.bits);
            for (std::size_t i = 0; i < k * bits; ++i) {
                const std::uint32_t bit = (c.codes[row * k + i / bits] >> (i % bits)) & 1;
                const std::size_t at = row * k * bits + i;
                words[at / 8] = static_cast<std::uint8_t>(words[at / 8] | bit << (at % 8));
            }
        }
        chip.activation = c.kind;
        input.chip = &chip;
        input.scope = {{"m", c.m}, {"n", c.n}, {"k", c.k}, {"bits", c.bits}, {"group", 64}};
        input.buffers = {{"x", std::as_bytes(std::span(c.x))},
                         {"words", std::as_bytes(std::span(words))},
                         {"scale", std::as_bytes(std::span(c.scale))},
                         {"bias", std::as_bytes(std::span(c.bias))}};
    }
    Packed(const Packed&) = delete;
    Packed& operator=(const Packed&) = delete;
};

} // namespace

hkc::AffineProblem AffineCase::problem() const {
    const Packed packed(*this);
    pm::Result<hkc::AffineProblem> p = hkc::read_affine(packed.input);
    if (!p) {
        ADD_FAILURE() << p.error().text;
        return {};
    }
    return *p;
}

std::vector<hkc::OutputBound> AffineCase::ask(const char* oracle) const {
    const Packed packed(*this);
    const hkc::Oracle* found = hkc::find_oracle(oracle);
    if (found == nullptr) {
        ADD_FAILURE() << "no oracle " << oracle;
        return {};
    }
    pm::Result<hkc::OracleOutput> out = (*found)(packed.input);
    if (!out) {
        ADD_FAILURE() << out.error().text;
        return {};
    }
    return out->at("out");
}

std::uint16_t pattern_of(pm::Activation kind, double value) {
    if (kind == pm::Activation::kBf16) {
        const std::uint32_t u = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        if (std::isnan(value)) return 0x7fc0;
        return static_cast<std::uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
    }
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::abs(value);
    if (std::isnan(value)) return 0x7e00;
    if (magnitude >= 65520) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    exponent = magnitude == 0 ? -13 : std::max(exponent, -13);
    const double quotient = std::nearbyint(std::ldexp(magnitude, 11 - exponent));
    const int pattern = ((exponent + 13) << 10) + static_cast<int>(quotient);
    return static_cast<std::uint16_t>(sign | pattern);
}

AffineCase random_layer(pm::Activation kind, std::int64_t m, std::int64_t n, std::int64_t k, int bits,
                        std::mt19937_64& random) {
    AffineCase c(kind, m, n, k, bits);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> near_one(0.5, 1.5);
    for (auto& v : c.x) v = pattern_of(kind, normal(random));
    for (std::size_t i = 0; i < c.scale.size(); ++i) {
        const double scale = 0.01 * near_one(random);
        c.scale[i] = pattern_of(kind, scale);
        c.bias[i] = pattern_of(kind, -scale * static_cast<double>(1 << (bits - 1)) * near_one(random));
    }
    for (auto& code : c.codes) code = static_cast<std::uint32_t>(random() >> (64 - bits));
    return c;
}

const char* name_of(pm::Activation kind) { return kind == pm::Activation::kFp16 ? "fp16" : "bf16"; }
