// Where something stands in a source: `FILE:LINE`, as findings name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pm {

struct FileLine {
    std::string file;
    std::uint32_t line = 0; // 0 where a compiler says that there is none
};

/// Nothing where `text` does not end with a colon and a number; the file may hold colons itself.
std::optional<FileLine> parse_file_line(std::string_view text);

} // namespace pm
