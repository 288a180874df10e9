// Whole files in and out; a file that is written is there whole or not at all.
#pragma once

#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace pm {

/// The bytes of `path`. Error: the path and the system's reason.
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes `bytes` to a temporary file beside `path`, fsyncs it, renames it over `path`, fsyncs the folder.
/// Missing parent folders are made. On error the old file is untouched and the temporary one is gone.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The SHA-256 of `bytes` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

} // namespace pm
