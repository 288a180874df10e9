// The files that decide what a run says of a root, besides this program: declarations, toolchains, records, sources.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace hkc {

/// A source and the files that it may include, built with those flags: by its lines (included_names) and theirs, or by
/// a flag. As far as they lie under `root`; from `root`, sorted. Where folders hold files of one name, all of them.
/// Error: `source` cannot be read.
pm::Result<std::vector<std::string>> source_files(const std::filesystem::path& root, const std::string& source,
                                                  const std::vector<std::string>& flags);

/// toolchains.toml, registry/*.toml, all of records/, and the source_files of every registration and control; from the
/// root, sorted, each once. Error: a source that cannot be read.
pm::Result<std::vector<std::string>> input_files(const Registry& registry);

/// The SHA-256 of the names and bytes of `files` of `root`. Error: one that cannot be read.
pm::Result<std::string> hash_of_files(const std::filesystem::path& root, const std::vector<std::string>& files);

} // namespace hkc
