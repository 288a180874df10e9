// The dependency list that a compiler writes: a Makefile rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// The prerequisites of the first rule, each once, in the order written; `\ `, `\#` and `$$` are one character each.
std::vector<std::string> parse_depfile(std::string_view text);

} // namespace hkc
