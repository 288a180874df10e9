// One affine problem as a test makes it: codes a number each, activations as bit patterns; packs them and asks the
// oracle.
#pragma once

#include "contract/oracle/affine.h"
#include "contract/oracle/oracle.h"

#include <cstdint>
#include <random>
#include <vector>

struct AffineCase {
    pm::Activation kind = pm::Activation::kBf16;
    std::int64_t m = 1, n = 1, k = 64;
    int bits = 4;
    std::vector<std::uint16_t> x, scale, bias;
    std::vector<std::uint32_t> codes; // (n, k)

    /// All zeros.
    AffineCase(pm::Activation kind, std::int64_t m, std::int64_t n, std::int64_t k, int bits);

    std::int64_t groups() const { return k / 64; }

    /// The decoded problem, and the results of the oracles by name; the test fails where the oracle does.
    hkc::AffineProblem problem() const;
    std::vector<hkc::OutputBound> ask(const char* oracle) const;
};

/// The pattern of the activation nearest to `value`, infinite or NaN where it is.
std::uint16_t pattern_of(pm::Activation kind, double value);

/// x normal, codes uniform, scales near 0.01 and biases that centre the codes: the statistics of a quantised layer.
AffineCase random_layer(pm::Activation kind, std::int64_t m, std::int64_t n, std::int64_t k, int bits,
                        std::mt19937_64& random);

/// "fp16" or "bf16".
const char* name_of(pm::Activation kind);
