// Bytes written as hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pm {

/// The bytes, high digit first, or nothing where the text is not whole bytes in hex, which blanks may part; one at
/// least.
std::optional<std::string> bytes_of_hex(std::string_view text);

/// Two lower-case digits a byte.
std::string hex_of_bytes(std::string_view bytes);

} // namespace pm
