// Host oracles: for one shape and its inputs, the set of results that the declared arithmetic allows, an interval an
// output.
//
// An oracle computes in double and returns rigorous bounds; it knows neither devices nor gates. Oracles are named
// functions.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hkc {

/// What one output element may be. Finite results lie in [lo, hi] (values of the output type, so comparing is exact).
/// With `finite` false no finite result is legal.
struct OutputBound {
    double lo = 0, hi = 0;
    bool finite = true;
    bool pos_inf = false, neg_inf = false, nan = false; // classes that some legal evaluation order gives
};

/// The inputs an oracle sees: the bytes of every buffer argument with dir in or inout, before the launch.
struct OracleInput {
    const Kernel* kernel = nullptr;
    const pm::Chip* chip = nullptr;
    Scope scope; // params and shape variables
    std::map<std::string, std::span<const std::byte>> buffers;
};

/// The bounds of every element of every out or inout buffer, by argument name.
using OracleOutput = std::map<std::string, std::vector<OutputBound>>;

using Oracle = std::function<pm::Result<OracleOutput>(const OracleInput&)>;

/// The oracle of that name, or null.
const Oracle* find_oracle(std::string_view name);
std::vector<std::string> oracle_names();

/// Whether `value` (the exact value of an output element, NaN and infinities included) is in the set.
bool contains(const OutputBound& bound, double value);

} // namespace hkc
