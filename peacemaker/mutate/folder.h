// A folder of mutants as files, for whatever judges files: 00000.co, 00001.co, .. and index.json.
#pragma once

#include "peacemaker/mutate/weaken.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace pm::mutate {

/// Writes a copy of `object`, which was read from `file`, for each mutant and, last, their index. The folder then holds
/// these alone: what an earlier index in it names is removed first. Error, with nothing removed: the folder holds what
/// no index of ours names; or a file cannot be written.
Result<void> write_folder(const std::filesystem::path& folder, std::string_view file, const CodeObject& object,
                          const std::vector<Mutant>& mutants);

} // namespace pm::mutate
