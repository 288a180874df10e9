// Small text helpers that error messages and command lines share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// The candidate with the least edit distance to `name`; empty if none is within a third of its length plus one.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// ` (did you mean "x"?)`, or nothing where no candidate is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// Shell-style match of the whole text: `*` any run, `?` any one character.
bool glob_match(std::string_view pattern, std::string_view text);

/// The parts between separators; an empty text has none.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` as one word of a shell, in single quotes.
std::string shell_quoted(std::string_view text);

} // namespace pm
