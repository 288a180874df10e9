#include "peacemaker/emu/buffer.h"

#include "peacemaker/emu/shadow.h"

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 field(u32 word, u32 shift, u32 width) { return (word >> shift) & ((1u << width) - 1u); }

// One lane's place in a buffer.
struct Place {
    u32 index = 0;
    u64 offset = 0; // of the instruction and its register, in bytes
};

// Whether an access lies in the range: all of it, nothing, or a part; kOpen: no document says.
enum class Range : u8 { kInside, kOutside, kCut, kOpen };

Range within(u64 from, u32 bytes, u64 limit) {
    return from + bytes <= limit ? Range::kInside : from >= limit ? Range::kOutside : Range::kCut;
}

// `offset` as far as it counts.
Range range_of(const Wave& wave, const BufferResource& r, u32 index, u64 offset, u32 bytes) {
    const bool gfx10 = wave.worker->chip->generation == 10;
    RangeCheck check = r.check;
    if (check == RangeCheck::kOffset && r.element != 0) {
        if (gfx10) return Range::kOpen;
        if (r.stride != 0) check = RangeCheck::kIndexAndOffset;
    }
    Range range = Range::kInside;
    switch (check) {
    case RangeCheck::kIndexAndOffset:
        if (index >= r.records)
            range = Range::kOutside;
        else
            range = r.stride == 0 ? Range::kOpen : within(offset, bytes, r.stride);
        break;
    case RangeCheck::kIndex:
        range = index >= r.records ? Range::kOutside : Range::kInside;
        break;
    case RangeCheck::kNoRecords:
        range = r.records == 0 ? Range::kOutside : Range::kInside;
        break;
    case RangeCheck::kOffset:
        range = within(offset, bytes, r.records);
        break;
    }
    return range == Range::kCut && !gfx10 ? Range::kOutside : range;
}

// The same with the scalar offset, which counts in gfx12's check of bytes; elsewhere it must not decide.
Range range_with_scalar(const Wave& wave, const BufferResource& r, const Place& place, u32 more, u32 bytes) {
    const Range without = range_of(wave, r, place.index, place.offset, bytes);
    const Range with = range_of(wave, r, place.index, place.offset + more, bytes);
    const bool counts = wave.worker->chip->generation >= 12 && r.check == RangeCheck::kOffset && r.element == 0;
    return counts || with == without ? with : Range::kOpen;
}

// The address of a byte of a swizzled buffer: blocks of index_stride records, in them first the first elements of all
// records, then the second ones. gfx12 swizzles the scalar offset, too.
u64 swizzled_address(const Wave& wave, const BufferResource& r, const Place& place, u32 more) {
    const bool gfx12 = wave.worker->chip->generation >= 12;
    const u64 offset = gfx12 ? (place.offset + more) & 0xffffffffu : place.offset;
    const u64 block = u64{place.index / r.index_stride} * r.stride + offset / r.element * r.element;
    return r.base + (gfx12 ? 0 : more) + block * r.index_stride + u64{place.index % r.index_stride} * r.element +
           offset % r.element;
}

// An access must lie in one element, and a stride be made of whole ones.
bool fits_elements(const Wave& wave, const BufferResource& r, const Place& place, u32 more, u32 bytes) {
    const u64 offset = place.offset + (wave.worker->chip->generation >= 12 ? more : 0);
    return r.stride % r.element == 0 && offset % r.element + bytes <= r.element;
}

// Each lane's place; the registers' values are defined, or a finding is made.
Place place_of(const Wave& wave, const Inst& inst, const BufferResource& r, u32 lane) {
    const MemoryOperands& m = inst.memory;
    Place place;
    place.offset = static_cast<u64>(m.offset);
    if (m.indexed) place.index = wave.v[m.address][lane];
    if (r.adds_lane) place.index += wave.first_lane + lane;
    if (m.address_dwords > (m.indexed ? 1u : 0u)) place.offset += wave.v[m.indexed ? m.address + 1 : m.address][lane];
    return place;
}

} // namespace

BufferResource buffer_resource(const Wave& wave, Register first) {
    const auto word = [&](unsigned i) { return wave.scalar(static_cast<Register>(first + i)); };
    const u32 generation = wave.worker->chip->generation;
    BufferResource r;
    r.base = word(0) | static_cast<u64>(field(word(1), 0, 16)) << 32;
    r.stride = field(word(1), 16, 14);
    r.records = word(2);
    for (u32 i = 0; i < 4; ++i) r.select[i] = static_cast<u8>(field(word(3), 3 * i, 3));
    r.format = static_cast<u8>(field(word(3), 12, generation == 10 ? 7 : 6));
    r.index_stride = 8u << field(word(3), 21, 2);
    r.adds_lane = field(word(3), 23, 1) != 0;
    r.check = static_cast<RangeCheck>(field(word(3), 28, 2));
    r.reserved = field(word(3), 30, 2) != 0;
    if (generation == 10) {
        // Elements of one dword (AMDGPUUsage, "Private segment buffer").
        r.element = field(word(1), 31, 1) != 0 ? 4 : 0;
        return r;
    }
    static constexpr u32 kElements[4] = {0, 4, 0, 16};
    const u32 swizzle = field(word(1), 30, 2);
    r.element = kElements[swizzle];
    r.reserved |= swizzle == 2;
    static constexpr u32 kScales[4] = {1, 4, 8, 32};
    if (generation >= 12) r.stride *= kScales[field(word(3), 18, 2)];
    return r;
}

bool BufferLanes::uncut() const {
    for (u32 k = 1; k < parts; ++k)
        if (in_range[k] != in_range[0]) return false;
    return true;
}

u32 scalar_offset(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    if (m.offset_dwords == 0) return static_cast<u32>(m.second_offset);
    require_defined_scalar(wave, m.offset_register, 1, "an address");
    return wave.scalar(m.offset_register);
}

bool buffer_lanes(Wave& wave, const Inst& inst, u32 bytes, bool by_dwords, BufferLanes& out) {
    const MemoryOperands& m = inst.memory;
    require_defined_scalar(wave, m.base, 4, "a buffer resource");
    const u32 more = scalar_offset(wave, inst);
    for (u32 k = 0; k < m.address_dwords; ++k)
        require_defined_lanes(wave, static_cast<Register>(m.address + k), wave.exec(), "an address");
    out.resource = buffer_resource(wave, m.base);
    const BufferResource& r = out.resource;
    out.parts = by_dwords ? bytes / 4 : 1;
    const u32 part_bytes = by_dwords ? 4 : bytes;
    if (r.reserved) {
        stop_unsupported(wave, "unsupported buffer resource (of another type, or a reserved swizzle)");
        return false;
    }
    if (r.unbound()) return true;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        const Place place = place_of(wave, inst, r, lane);
        bool any = false;
        for (u32 k = 0; k < out.parts; ++k) {
            Place part = place;
            part.offset += u64{4} * k;
            const Range range = range_with_scalar(wave, r, part, more, part_bytes);
            if (range == Range::kCut || range == Range::kOpen) {
                stop_unsupported(wave, range == Range::kCut
                                           ? "unsupported access at a buffer's end (in part)"
                                           : "unsupported range check of a buffer (no document says what counts)");
                return false;
            }
            if (range == Range::kOutside) continue;
            any = true;
            out.in_range[k] |= 1u << lane;
        }
        if (!any) continue;
        if (r.element == 0) {
            out.at.of[lane] = r.base + more + u64{place.index} * r.stride + place.offset;
        } else if (fits_elements(wave, r, place, more, bytes)) {
            out.at.of[lane] = swizzled_address(wave, r, place, more);
        } else {
            stop_unsupported(wave, "unsupported access to a swizzled buffer (across its elements)");
            return false;
        }
    }
    set_bounds(out.at, out.any());
    return true;
}

} // namespace pm::emu
