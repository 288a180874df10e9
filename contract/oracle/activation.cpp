#include "contract/oracle/activation.h"

#include <bit>
#include <cmath>
#include <limits>

namespace hkc {
namespace {

// significand bits with the hidden one, exponent of the least subnormal, the largest finite value
struct Format {
    int precision;
    int least_exponent;
    double max;
};
constexpr Format kFp16{11, -24, 0x1.ffcp15};
constexpr Format kBf16{8, -133, 0x1.fep127};

const Format& format_of(pm::Activation kind) { return kind == pm::Activation::kFp16 ? kFp16 : kBf16; }

double fp16_value(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1f;
    const int fraction = bits & 0x3ff;
    double magnitude = 0;
    if (exponent == 0x1f)
        magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -24);
    else
        magnitude = std::ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

} // namespace

double activation_value(pm::Activation kind, std::uint16_t bits) {
    if (kind == pm::Activation::kFp16) return fp16_value(bits);
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

bool activation_is_subnormal(pm::Activation kind, std::uint16_t bits) {
    const std::uint16_t exponent_mask = kind == pm::Activation::kFp16 ? 0x7c00 : 0x7f80;
    return (bits & exponent_mask) == 0 && (bits & 0x7fff) != 0;
}

double activation_max(pm::Activation kind) { return format_of(kind).max; }

double round_to_activation(pm::Activation kind, double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const Format& format = format_of(kind);
    int exponent = 0;
    std::frexp(value, &exponent);
    const int step = std::max(exponent - format.precision, format.least_exponent);
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
    if (std::abs(rounded) > format.max) return std::copysign(std::numeric_limits<double>::infinity(), value);
    return rounded;
}

} // namespace hkc
