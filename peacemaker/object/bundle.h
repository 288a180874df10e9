// The plain offload bundle: a table of entries, one code object each, as hipcc and clang-offload-bundler write it.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One device entry: the chip it is for, and its bytes within the bundle.
struct BundleEntry {
    std::string id; // hipv4-amdgcn-amd-amdhsa--gfx1151
    std::uint64_t offset = 0;
    std::string_view bytes;
};

bool is_bundle(std::string_view bytes);
bool is_compressed_bundle(std::string_view bytes);

/// The chip that an entry is for, as its id names it: gfx1151 of hipv4-amdgcn-amd-amdhsa--gfx1151:xnack-. Empty for the
/// host's.
std::string_view chip_of_entry(std::string_view id);

/// The device entries that hold bytes. Error: a table or an entry that leaves the file, with its offset.
Result<std::vector<BundleEntry>> bundle_entries(std::string_view bytes, const std::string& where);

/// The device entry for `want`; where `want` is null, the only device entry. Entries without bytes do not count.
Result<BundleEntry> find_bundle_entry(std::string_view bytes, const std::string& where, const Chip* want);

} // namespace pm
