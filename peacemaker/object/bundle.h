// The offload bundle: a table of entries, one code object each, as hipcc and clang-offload-bundler write it, plain or
// compressed.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One entry: what it is for, and its bytes within the bundle.
struct BundleEntry {
    std::string id; // hipv4-amdgcn-amd-amdhsa--gfx1151
    std::uint64_t offset = 0;
    std::string_view bytes;
};

/// A bundle's table.
struct Bundle {
    std::vector<BundleEntry> entries; // all of them, the host's and those without bytes too
    std::uint64_t table_size = 0;     // bytes
    std::uint64_t size = 0;           // bytes up to the end of the table and of every entry
};

bool is_bundle(std::string_view bytes);

/// The chip that an entry is for, as its id names it: gfx1151 of hipv4-amdgcn-amd-amdhsa--gfx1151:xnack-. Empty for the
/// host's.
std::string_view chip_of_entry(std::string_view id);

/// The table of the bundle at the start of `bytes`, which may go on behind it. Error: a table or an entry that leaves
/// the bytes, with its offset.
Result<Bundle> read_bundle(std::string_view bytes);
/// The bytes of a bundle's table.
std::string table_bytes(const Bundle& bundle);

/// The device entries that hold bytes. Error: as read_bundle.
Result<std::vector<BundleEntry>> bundle_entries(std::string_view bytes, const std::string& where);

} // namespace pm
