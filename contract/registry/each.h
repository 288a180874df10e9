// `each`: one declaration, expanded over a matrix of values.
#pragma once

#include "contract/registry/entry.h"

#include <vector>

namespace hkc {

/// One cell of the matrix.
struct Variant {
    Substitution names; // every value as text, for "{name}"
    NamedExprs params;  // the integer ones, as parameters
};

/// The cells of the table's `each` in order, the first axis slowest; one empty cell where there is no `each`.
/// Problems are reported and give no cell.
std::vector<Variant> expand_each(const toml::table& table, const std::string& what, const std::string& file,
                                 Diagnostics& diagnostics);

} // namespace hkc
