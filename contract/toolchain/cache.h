// The build cache's files: JSON behind the SHA-256 of its own text, so that a damaged one is seen and made anew; and
// the identity of a file.
#pragma once

#include "peacemaker/support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hkc {

/// What tells one state of a large file (a compiler) from another without reading it.
struct FileStamp {
    std::string path;
    std::uint64_t size = 0;
    std::int64_t changed_ns = 0; // time of last change of the inode: no program sets it back

    bool operator==(const FileStamp&) const = default;
};

/// Nothing where the file is not there. Links are followed.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

nlohmann::json to_json(const FileStamp& stamp);
/// Nothing where `json` is no stamp.
std::optional<FileStamp> stamp_from(const nlohmann::json& json);

/// Writes atomically. Error: the path, the reason, and that HKC_CACHE_DIR names another place.
pm::Result<void> write_sealed(const std::filesystem::path& path, const nlohmann::json& json);
/// Nothing where the file is not there or is not what write_sealed wrote.
std::optional<nlohmann::json> read_sealed(const std::filesystem::path& path);

/// Makes `folder` and all above it. Error as for write_sealed.
pm::Result<void> make_cache_folder(const std::filesystem::path& folder);

} // namespace hkc
