// The files that decide what a run says of a root, besides this program: declarations, toolchains, records, sources.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace hkc {

/// A source and the files that its `#include "..."` lines name, theirs included, as far as they lie under `root`; from
/// `root`, sorted. Lines that the preprocessor would skip count too. Error: `source` cannot be read.
pm::Result<std::vector<std::string>> source_files(const std::filesystem::path& root, const std::string& source);

/// toolchains.toml, registry/*.toml, all of records/, and the source_files of every registration and control; from the
/// root, sorted, each once. Error: a source that cannot be read.
pm::Result<std::vector<std::string>> input_files(const Registry& registry);

/// The SHA-256 of the names and bytes of `files` of `root`. Error: one that cannot be read.
pm::Result<std::string> hash_of_files(const std::filesystem::path& root, const std::vector<std::string>& files);

} // namespace hkc
