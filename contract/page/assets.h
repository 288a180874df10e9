// The page's style and script, which stand in the page itself.
#pragma once

#include <string_view>

namespace hkc::page {

extern const std::string_view kStyle;
extern const std::string_view kScript;

} // namespace hkc::page
