// The plain offload bundle: a table of entries, one code object each, as hipcc and clang-offload-bundler write it.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pm {

/// One device entry: the chip it is for, and its bytes within the bundle.
struct BundleEntry {
    std::string id; // hipv4-amdgcn-amd-amdhsa--gfx1151
    std::uint64_t offset = 0;
    std::string_view bytes;
};

bool is_bundle(std::string_view bytes);
bool is_compressed_bundle(std::string_view bytes);

/// The device entry for `want`; where `want` is null, the only device entry. Entries without bytes do not count.
Result<BundleEntry> find_bundle_entry(std::string_view bytes, const std::string& where, const Chip* want);

} // namespace pm
