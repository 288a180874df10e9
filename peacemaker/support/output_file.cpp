#include "peacemaker/support/output_file.h"

#include <filesystem>
#include <system_error>

namespace pm {

std::string missing_folder(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code unknown;
    if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return {};
    return path + ": there is no folder " + folder.string();
}

} // namespace pm
