// The square of the positive part, relu^2: on a set of possible results, and as an oracle of its own.
#pragma once

#include "contract/oracle/oracle.h"

namespace hkc {

/// What round(r * r), r = max(v, 0), may be where `v` may be what `in` says: r*r in f32, then rounded to the activation
/// type. Both steps are monotone, so the ends of the interval carry. NaN stays NaN, -Inf becomes 0, a square too large
/// becomes +Inf.
OutputBound relu2_bound(pm::Activation kind, const OutputBound& in);

/// The oracle "relu2": buffer `v` to `out`, element by element; one result is legal an element.
pm::Result<OracleOutput> relu2_oracle(const OracleInput& input);

} // namespace hkc
