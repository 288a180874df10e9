// Buffer resources: four scalar registers that name a range of memory, its stride, and what lies outside; and where in
// it the lanes of an access are.
//
// Outside the range a load gives zeros and a store does nothing, by definition. What the ISA documents leave open, and
// where chips differ, stops the launch.
//
// Sources: RDNA ISA documents, "Buffer resource", "Range checking", "Swizzled buffer addressing"; for gfx10's checks
// also Mesa, src/amd/common/ac_descriptors.c (ac_build_buffer_descriptor).
#pragma once

#include "peacemaker/emu/global.h"
#include "peacemaker/emu/wave.h"

#include <array>
#include <cstdint>

namespace pm::emu {

/// When an access is out of range (OOB_SELECT). From gfx11 on an offset counts with the bytes that are accessed.
enum class RangeCheck : std::uint8_t {
    kIndexAndOffset, // index >= records, or offset >= stride
    kIndex,          // index >= records
    kNoRecords,      // there are none
    kOffset,         // offset >= records (bytes); of a swizzled buffer with a stride as kIndexAndOffset
};

/// DST_SEL: what a component of a format load is.
inline constexpr std::uint8_t kSelectZero = 0, kSelectOne = 1, kSelectFirst = 4; // from there on a component's number

struct BufferResource {
    std::uint64_t base = 0;
    std::uint32_t stride = 0;  // bytes
    std::uint32_t records = 0; // bytes, or of `stride` bytes each
    RangeCheck check = RangeCheck::kOffset;
    std::uint8_t format = 0; // the chip's number of it (buffer_format.h); 0 where no buffer is bound
    std::array<std::uint8_t, 4> select{};
    std::uint32_t element = 0;      // bytes that swizzling keeps together; 0: linear
    std::uint32_t index_stride = 8; // indices whose elements lie side by side
    bool adds_lane = false;         // to the index
    bool reserved = false;          // not a buffer's type, or a reserved kind of swizzling

    /// Loads give zeros and stores do nothing.
    bool unbound() const { return format == 0 && !adds_lane; }
};

/// The resource in four registers from `first`.
BufferResource buffer_resource(const Wave& wave, Register first);

/// Where the lanes of one access are. An access is checked dword by dword, or as a whole.
struct BufferLanes {
    BufferResource resource;
    Addresses at;                            // of lanes with any part in range
    std::uint32_t parts = 1;                 // dwords that are checked apart
    std::array<std::uint32_t, 4> in_range{}; // lanes, a part
    std::uint32_t any() const { return in_range[0] | in_range[1] | in_range[2] | in_range[3]; }
    /// Whether each lane is in range with all its parts or none.
    bool uncut() const;
};

/// Finds them for an access of `bytes` bytes; `by_dwords` where it is more than one dword and not all or nothing.
/// False: the launch stops.
bool buffer_lanes(Wave& wave, const Inst& inst, std::uint32_t bytes, bool by_dwords, BufferLanes& out);

/// The scalar offset of a buffer instruction, a register or a constant.
std::uint32_t scalar_offset(Wave& wave, const Inst& inst);

} // namespace pm::emu
