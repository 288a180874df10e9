// Names that belong to one machine or person and have no place in a receipt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hkc::receipt {

/// The host's and the user's name on this machine; words that say nothing (root, localhost, runner, ..) left out.
std::vector<std::string> own_names();

/// What `text` holds of absolute paths (two folders deep at least, a home folder, a drive), NAME@HOST, and `names` as
/// whole words; each once.
std::vector<std::string> private_names_in(std::string_view text, const std::vector<std::string>& names);

} // namespace hkc::receipt
