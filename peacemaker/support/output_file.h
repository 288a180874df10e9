// Files that a user asks for on a command line.
#pragma once

#include <string>

namespace pm {

/// Why a file of that name cannot be written, known before there is anything to write: its folder is not there. Empty
/// where it is. CLI11 takes it as a check of an option.
std::string missing_folder(const std::string& path);

} // namespace pm
