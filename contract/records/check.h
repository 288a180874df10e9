// Whether the record files say what the registry asks of them.
#pragma once

#include "contract/records/records.h"
#include "contract/registry/registry.h"
#include "contract/toolchain/toolchain.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace hkc::records {

struct CheckReport {
    std::vector<std::string> problems; // a line each
    std::vector<std::string> notes;    // toolchains that have no records
    std::uint64_t records = 0;         // kernels, chips and toolchains that were looked at
};

/// Whether a known finding of gate 5 says that a kernel which launches `symbol` uses scratch on `chip`.
bool scratch_is_known(const Registry& registry, std::string_view symbol, std::string_view chip);

/// Every kernel of every chip that a toolchain builds has a record, there are no others, and none has scratch or spills
/// unless a known finding of gate 5 names them. Error: a record file, or the folder, that cannot be read.
pm::Result<CheckReport> check(const std::filesystem::path& root, const Registry& registry,
                              std::span<const ToolchainSpec> toolchains);

} // namespace hkc::records
