// The files of the tree, as the tests of this folder read them.
#pragma once

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hkc::tree {

/// Paths from the root of the tree, sorted: every file but those of .git, caches and build folders.
inline std::vector<std::string> files() {
    const std::filesystem::path root = HKC_SOURCE_DIR;
    std::vector<std::string> all;
    for (std::filesystem::recursive_directory_iterator it(root), end; it != end; ++it) {
        const std::string name = it->path().filename().string();
        if (it->is_directory() && (name == ".git" || name == ".cache" || name.starts_with("build")))
            it.disable_recursion_pending();
        else if (it->is_regular_file() && name != ".git")
            all.push_back(it->path().lexically_relative(root).generic_string());
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// The text of a file, by its path from the root.
inline std::string text_of(const std::string& file) {
    const auto text = pm::read_file(std::filesystem::path(HKC_SOURCE_DIR) / file);
    if (!text) {
        ADD_FAILURE() << text.error().text;
        return {};
    }
    return *text;
}

/// Lines without their ends; line i + 1 of the file is element i.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace hkc::tree
