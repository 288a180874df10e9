#include "peacemaker/support/hex.h"

namespace pm {
namespace {

std::optional<int> digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

} // namespace

std::optional<std::string> bytes_of_hex(std::string_view text) {
    std::string bytes;
    int high = -1;
    for (const char c : text) {
        if (c == ' ') continue;
        const auto digit = digit_of(c);
        if (!digit) return std::nullopt;
        if (high >= 0) bytes += static_cast<char>(high * 16 + *digit);
        high = high >= 0 ? -1 : *digit;
    }
    if (bytes.empty() || high >= 0) return std::nullopt;
    return bytes;
}

std::string hex_of_bytes(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += kDigits[byte >> 4U];
        hex += kDigits[byte & 15U];
    }
    return hex;
}

} // namespace pm
