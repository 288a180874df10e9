// What a source's text says that it includes: a text search, not a preprocessor.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// The files that a text asks for, by `#include`, `#include_next`, `#import`, `#embed` or `__has_include`, whether in
/// quotes or in angle brackets. Lines that the preprocessor would skip count too.
struct IncludedNames {
    std::vector<std::string> names; // as written, in order
    bool computed = false;          // a name is made by a macro, or stands on another line: it is not among `names`
};
IncludedNames included_names(std::string_view text);

/// The folders in which the compiler may look for a name, from the root that it is started in: `from`, the folder of
/// the file that asks; the root itself; and whatever the flags may name as a folder.
std::vector<std::filesystem::path> include_folders(const std::filesystem::path& from,
                                                   std::span<const std::string> flags);

/// What flags may name as a file or folder, such as the file of `-include`; from the root, whether it is there or not.
std::vector<std::filesystem::path> paths_in_flags(std::span<const std::string> flags);

} // namespace hkc
