// receipt.md: the receipt as the text of a pull request.
#pragma once

#include "contract/receipt/receipt.h"

#include <string>
#include <string_view>

namespace hkc::receipt {

/// The lines that the text stands between, so that a pull request may say more before and behind it.
inline constexpr std::string_view kFirstLine = "<!-- hip-kernel-contract receipt -->";
inline constexpr std::string_view kLastLine = "<!-- end of the hip-kernel-contract receipt -->";

/// The text, from kFirstLine to kLastLine and a newline. `seal` is seal_of() the receipt's JSON: a text belongs to one
/// receipt.
std::string to_markdown(const Receipt& receipt, std::string_view seal);

} // namespace hkc::receipt
