// Rewrites record files from an audit's lines: all are checked, then each file is replaced whole.
#pragma once

#include "contract/records/lines.h"
#include "contract/registry/registry.h"
#include "contract/toolchain/toolchain.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hkc::records {

/// The symbols that `family` launches on `chip`: what its records must hold, no more and no less.
std::set<std::string, std::less<>> declared_symbols(const Registry& registry, std::string_view family,
                                                    std::string_view chip);

/// One record file as it will be.
struct Change {
    std::filesystem::path path;
    RecordFile after;
    std::vector<std::string> difference; // a line each, for a person; empty: nothing changes
};

/// What the lines ask for; nothing is written. `where` is how messages call the log.
///
/// Lines of the fingerprint that a chip's records hold change the kernels they name; lines of another one replace the
/// chip's records and must name every kernel that the registry declares there. Records of kernels and chips that the
/// registry no longer declares go. Error, listing every fault with its line: an unknown toolchain, chip, family or
/// kernel, lines that contradict one another, a chip that the toolchain does not build, records of a new fingerprint
/// that are not all there, a record file that cannot be read.
pm::Result<std::vector<Change>> plan(const std::filesystem::path& root, const Registry& registry,
                                     std::span<const ToolchainSpec> toolchains, const Log& log,
                                     const std::string& where);

/// Writes those that differ, one after the other, each atomically. Error: the file that could not be written; the ones
/// before it are.
pm::Result<void> write(std::span<const Change> changes);

} // namespace hkc::records
