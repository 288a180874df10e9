// The two 16-bit activation types as exact doubles, and rounding to them.
//
// Every fp16 and bf16 value, and every product of two, is exact in double, so comparing decoded values is comparing
// results.
#pragma once

#include "peacemaker/chip/chip.h"

#include <cstdint>

namespace hkc {

/// The exact value of an activation's bit pattern; NaN payloads are not kept.
double activation_value(pm::Activation kind, std::uint16_t bits);

/// Whether the bit pattern is a subnormal (zeros are not).
bool activation_is_subnormal(pm::Activation kind, std::uint16_t bits);

/// The largest finite value of the type.
double activation_max(pm::Activation kind);

/// `value` rounded to nearest even, as a double; infinite from half an ulp past the largest finite value on. NaN stays
/// NaN.
double round_to_activation(pm::Activation kind, double value);

} // namespace hkc
