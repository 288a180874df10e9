// Buffer resources: four scalar registers that name a range of memory, its stride, and what lies outside.
//
// Sources: RDNA ISA documents, "Buffer resource descriptor", "Buffer range checking".
#pragma once

#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// When an access is out of range (OOB_SELECT).
enum class RangeCheck : std::uint8_t {
    kIndexAndOffset, // index >= records, or offset >= stride
    kIndex,          // index >= records
    kNoRecords,      // there are none
    kOffset,         // offset >= records (bytes)
};

struct BufferResource {
    std::uint64_t base = 0;
    std::uint32_t stride = 0;  // bytes
    std::uint32_t records = 0; // bytes, or of `stride` bytes each
    RangeCheck check = RangeCheck::kOffset;
    bool special = false; // swizzled, with the lane added, or no buffer: not modelled
};

/// The resource in four registers from `first`.
BufferResource buffer_resource(const Wave& wave, Register first);

} // namespace pm::emu
