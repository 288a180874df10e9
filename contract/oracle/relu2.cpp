#include "contract/oracle/relu2.h"

#include "contract/oracle/activation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hkc {
namespace {

// The square of an activation needs 22 bits, so it is exact in double, and in f32 too unless it leaves f32's range.
double rounded_square(pm::Activation kind, double value) {
    const double r = std::max(value, 0.0);
    return round_to_activation(kind, static_cast<double>(static_cast<float>(r * r)));
}

} // namespace

OutputBound relu2_bound(pm::Activation kind, const OutputBound& in) {
    OutputBound out{0, 0, false, in.pos_inf, false, in.nan};
    if (in.finite) {
        const double lo = rounded_square(kind, in.lo);
        const double hi = rounded_square(kind, in.hi);
        out.finite = std::isfinite(lo);
        out.pos_inf |= std::isinf(hi);
        if (out.finite) {
            out.lo = lo;
            out.hi = std::min(hi, activation_max(kind));
        }
    }
    if (in.neg_inf) {
        out.lo = 0;
        out.finite = true;
    }
    return out;
}

pm::Result<OracleOutput> relu2_oracle(const OracleInput& input) {
    const auto found = input.buffers.find("v");
    if (found == input.buffers.end())
        return pm::Error{"oracle relu2: no input buffer \"v\"; expected an argument of that name"};
    const std::span<const std::byte> bytes = found->second;
    if (bytes.size() % 2 != 0)
        return pm::Error{"oracle relu2: buffer \"v\" has " + std::to_string(bytes.size()) +
                         " bytes; expected a whole number of 2-byte activations"};
    const pm::Activation kind = input.chip->activation;
    std::vector<OutputBound> out(bytes.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes.data() + 2 * i, sizeof bits);
        const double v = activation_value(kind, bits);
        OutputBound in;
        in.finite = std::isfinite(v);
        if (in.finite) in.lo = in.hi = v;
        in.nan = std::isnan(v);
        in.pos_inf = std::isinf(v) && v > 0;
        in.neg_inf = std::isinf(v) && v < 0;
        out[i] = relu2_bound(kind, in);
    }
    OracleOutput result;
    result.emplace("out", std::move(out));
    return result;
}

} // namespace hkc
