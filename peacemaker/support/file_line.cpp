#include "peacemaker/support/file_line.h"

#include <charconv>
#include <system_error>

namespace pm {

std::optional<FileLine> parse_file_line(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    FileLine place{std::string(text.substr(0, colon)), 0};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, place.line);
    if (error != std::errc() || rest != end) return std::nullopt;
    return place;
}

} // namespace pm
