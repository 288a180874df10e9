// What XML and HTML have in common.
#pragma once

#include <string_view>

namespace hkc {

/// The entity that stands for one of `& < > "`; empty for any other character.
std::string_view markup_entity(char c);

} // namespace hkc
