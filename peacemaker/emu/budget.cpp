#include "peacemaker/emu/budget.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace pm::emu {

Result<std::uint64_t> instruction_budget(const char* value) {
    if (value == nullptr) return kMostInstructions;
    const std::string_view text = value;
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc{} && end == text.data() + text.size() && count >= 1 && count <= kMostInstructions)
        return count;
    return Error{fmt::format("{} is \"{}\"; expected a number of instructions from 1 to {}", kMaxInstructionsVariable,
                             text, kMostInstructions)};
}

} // namespace pm::emu
