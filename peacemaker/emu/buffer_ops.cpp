// Buffer instructions: loads, stores and atomics through a buffer resource (untyped), with a data format of the
// resource or of the instruction (format instructions, typed buffers), and gfx10's scratch through its swizzled
// resource.
//
// Sources: RDNA ISA documents, chapter "Vector memory buffer instructions"; llvm/docs/AMDGPUUsage.rst, "Private
// segment".
#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/buffer.h"
#include "peacemaker/emu/buffer_format.h"
#include "peacemaker/emu/global.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/memory_row_builders.h"
#include "peacemaker/emu/scratch.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

#include <algorithm>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// --- gfx10's private segment --------------------------------------------------------------------------------------

// Its resource is recognised by its base; it swizzles by lane, so that a scalar offset counts for all lanes at once
// (AMDGPUUsage, "Private segment buffer").
bool is_private_segment(const Wave& wave, const Inst& inst) {
    return wave.worker->chip->generation == 10 &&
           (wave.scalar64(inst.memory.base) & 0xffffffffffffull) == kScratchAperture;
}

bool private_offsets(Wave& wave, const Inst& inst, ScratchOffsets& out) {
    const MemoryOperands& m = inst.memory;
    if (m.indexed) {
        stop_unsupported(wave, "unsupported index into the private segment");
        return false;
    }
    const i64 base = m.offset + scalar_offset(wave, inst) / wave.lanes();
    if (m.address_dwords != 0) require_defined_lanes(wave, m.address, wave.exec(), "an address");
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = base + (m.address_dwords != 0 ? wave.v[m.address][lane] : 0u);
    return true;
}

bool stops_at_private_segment(Wave& wave, const Inst& inst) {
    if (!is_private_segment(wave, inst)) return false;
    stop_unsupported(wave, "unsupported access to the private segment");
    return true;
}

// --- loads and stores ---------------------------------------------------------------------------------------------

// Calls f(part of the instruction, addresses, lanes, first dword, bytes): once for the whole access, or for each dword
// where a resource cuts some lane's access.
template <typename F>
void for_each_part(const Inst& inst, const BufferLanes& lanes, u32 bytes, F f) {
    if (lanes.uncut()) {
        if (lanes.in_range[0] != 0) f(inst, lanes.at, lanes.in_range[0], 0u, bytes);
        return;
    }
    for (u32 k = 0; k < lanes.parts; ++k) {
        if (lanes.in_range[k] == 0) continue;
        Inst part = inst;
        part.memory.data = static_cast<Register>(inst.memory.data + k);
        part.memory.data_dwords = 1;
        Addresses at;
        for (u32 lane = 0; lane < kLanes; ++lane) at.of[lane] = lanes.at.of[lane] + u64{4} * k;
        set_bounds(at, lanes.in_range[k]);
        f(part, at, lanes.in_range[k], k, 4u);
    }
}

template <u32 Bytes>
void buffer_load(Wave& wave, const Inst& inst) {
    if (is_private_segment(wave, inst)) {
        ScratchOffsets at;
        if (private_offsets(wave, inst, at)) load_scratch(wave, inst, at);
        return;
    }
    BufferLanes lanes;
    if (!buffer_lanes(wave, inst, Bytes, Bytes > 4, lanes) || wave.exec() == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    for_each_part(inst, lanes, Bytes, [&](const Inst&, const Addresses& at, u32 inside, u32 first, u32 bytes) {
        Found found;
        find_allocations(wave, at, inside, bytes, false, found);
        if (bytes == Bytes)
            read_global<Bytes>(wave, inst, at, found, words, undefined);
        else
            read_global<4>(wave, inst, at, found, words + first, undefined + first);
    });
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, wave.exec());
}

template <u32 Bytes>
void buffer_store(Wave& wave, const Inst& inst) {
    if (is_private_segment(wave, inst)) {
        ScratchOffsets at;
        if (private_offsets(wave, inst, at)) store_scratch(wave, inst, at, wave.exec(), Bytes);
        return;
    }
    BufferLanes lanes;
    if (!buffer_lanes(wave, inst, Bytes, Bytes > 4, lanes)) return;
    for_each_part(inst, lanes, Bytes, [&](const Inst& part, const Addresses& at, u32 inside, u32, u32 bytes) {
        if (bytes == Bytes)
            write_global<Bytes>(wave, part, at, inside);
        else
            write_global<4>(wave, part, at, inside);
    });
}

void buffer_atomic(Wave& wave, const Inst& inst) {
    if (stops_at_private_segment(wave, inst)) return;
    BufferLanes lanes;
    if (!buffer_lanes(wave, inst, inst.row->bytes, false, lanes) || wave.exec() == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    if (lanes.in_range[0] != 0) update_global(wave, inst, lanes.at, lanes.in_range[0], words, undefined);
    if (inst.memory.data_dwords != 0) deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, wave.exec());
}

// --- data formats -------------------------------------------------------------------------------------------------

struct FormatAccess {
    const BufferFormat* format = nullptr; // null: no buffer is bound
    BufferLanes lanes;
};

// The lanes in range, at an address that the format takes. False: the launch stops.
bool format_lanes(Wave& wave, const Inst& inst, FormatAccess& out) {
    if (stops_at_private_segment(wave, inst)) return false;
    const u32 number = inst.row->typed ? inst.memory.format : buffer_resource(wave, inst.memory.base).format;
    out.format = buffer_format(*wave.worker->chip, number);
    if (out.format == nullptr && number != 0) {
        stop_unsupported(wave, fmt::format("unsupported buffer format {} (reserved)", number));
        return false;
    }
    const u32 bytes = out.format == nullptr ? 4 : out.format->bytes();
    if (!buffer_lanes(wave, inst, bytes, false, out.lanes)) return false;
    if (out.format == nullptr) out.lanes.in_range = {};
    const u32 alignment = std::min(bytes, 4u);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((out.lanes.in_range[0] >> lane) & 1u) == 0 || out.lanes.at.of[lane] % alignment == 0) continue;
        report(wave, FindingKind::kMisaligned, lane, out.lanes.at.of[lane],
               fmt::format("a buffer format of {} bytes at 0x{:x}, which is no multiple of {}", bytes,
                           out.lanes.at.of[lane], alignment));
        out.lanes.in_range[0] &= ~(1u << lane);
    }
    set_bounds(out.lanes.at, out.lanes.in_range[0]);
    return true;
}

// What component `i` of the result is: a component of memory, zero or one.
u32 selected(const Inst& inst, const FormatAccess& access, u32 i) {
    if (!inst.row->typed) return access.lanes.resource.select[i];
    return i < access.format->components() ? kSelectFirst + i : kSelectZero;
}

u32 one_of(const BufferFormat& format, bool halves) { return format.integer() ? 1u : halves ? 0x3c00u : 0x3f800000u; }

// All bits of a result that comes from undefined ones; of whole dwords just those.
u32 undefined_result(u32 masks, u32 width, bool halves) {
    if (width == 32 && !halves) return masks;
    return masks == 0 ? 0 : halves ? 0xffffu : ~0u;
}

// Places a result in the lane's words: a register each, or two to a register.
void place_result(LaneWords& words, u32 lane, u32 i, u32 value, bool halves) {
    if (halves)
        words[i / 2][lane] |= value << (16 * (i % 2));
    else
        words[i][lane] = value;
}

void format_load(Wave& wave, const Inst& inst) {
    FormatAccess access;
    if (!format_lanes(wave, inst, access) || wave.exec() == 0) return;
    const Row& row = *inst.row;
    alignas(64) LaneWords raw = {}, masks = {}, words = {}, undefined = {};
    if (access.lanes.in_range[0] != 0) {
        Found found;
        find_allocations(wave, access.lanes.at, access.lanes.in_range[0], access.format->bytes(), false, found);
        read_words(wave, inst, access.lanes.at, found, access.format->bytes(), raw, masks);
    }
    for (u32 lane = 0; lane < kLanes && access.format != nullptr; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        const bool inside = ((access.lanes.in_range[0] >> lane) & 1u) != 0;
        for (u32 i = 0; i < row.components; ++i) {
            const u32 select = selected(inst, access, i);
            if (select == kSelectOne) place_result(words, lane, i, one_of(*access.format, row.halves), row.halves);
            if (select < kSelectFirst || select - kSelectFirst >= access.format->components() || !inside) continue;
            const ComponentPlace at = place_of_component(*access.format, select - kSelectFirst);
            const auto value = from_component(*access.format, select - kSelectFirst,
                                              (raw[at.word][lane] >> at.shift) & at.mask, row.halves);
            if (!value) {
                stop_unsupported(wave, "unsupported conversion of a 32-bit integer to 16 bits");
                return;
            }
            place_result(words, lane, i, *value, row.halves);
            place_result(undefined, lane, i,
                         undefined_result((masks[at.word][lane] >> at.shift) & at.mask,
                                          access.format->bits[select - kSelectFirst], row.halves),
                         row.halves);
        }
        // Of three halves the last register keeps its upper one.
        if (row.halves && row.components == 3) {
            const auto last = static_cast<Register>(inst.memory.data + 1);
            words[1][lane] |= wave.v[last][lane] & 0xffff0000u;
            undefined[1][lane] |= wave.undefined_word(last, lane) & 0xffff0000u;
        }
    }
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, wave.exec());
}

// Component `i` of what a lane stores, or the mask of its undefined bits.
u32 stored_component(const Wave& wave, const Inst& inst, u32 lane, u32 i, bool undefined) {
    const bool halves = inst.row->halves;
    const auto r = static_cast<Register>(inst.memory.data + (halves ? i / 2 : i));
    const u32 word = undefined ? wave.undefined_word(r, lane) : wave.v[r][lane];
    const bool high = inst.row->high || inst.memory.data_half == isa::Half::kHigh || i % 2 == 1;
    return halves ? (word >> (high ? 16 : 0)) & 0xffffu : word;
}

// The component that the instruction stores for component `i` of memory. gfx12 takes the first one for those that it
// does not have; for earlier chips no document says.
bool stored_source(Wave& wave, const Inst& inst, const FormatAccess& access, u32 i, u32& source) {
    const bool identity = inst.row->typed || access.lanes.resource.select[i] == kSelectFirst + i;
    source = i < inst.row->components ? i : 0;
    if (identity && (i < inst.row->components || (inst.row->typed && wave.worker->chip->generation >= 12))) return true;
    stop_unsupported(wave, identity ? "unsupported store of fewer components than the buffer's format has"
                                    : "unsupported store with components in another order");
    return false;
}

void format_store(Wave& wave, const Inst& inst) {
    FormatAccess access;
    if (!format_lanes(wave, inst, access) || access.lanes.in_range[0] == 0) return;
    const BufferFormat& format = *access.format;
    alignas(64) LaneWords words = {}, undefined = {};
    for (u32 i = 0; i < format.components(); ++i) {
        u32 source = 0;
        if (!stored_source(wave, inst, access, i, source)) return;
        const ComponentPlace at = place_of_component(format, i);
        for (u32 lane = 0; lane < kLanes; ++lane) {
            if (((access.lanes.in_range[0] >> lane) & 1u) == 0) continue;
            const u32 masks = stored_component(wave, inst, lane, source, true);
            const auto bits =
                to_component(format, i, stored_component(wave, inst, lane, source, false), inst.row->halves);
            if (!bits && masks == 0) {
                stop_unsupported(wave, fmt::format("unsupported store of a number that {} cannot hold", format.name));
                return;
            }
            words[at.word][lane] |= (bits.value_or(0) & at.mask) << at.shift;
            const u32 lost = format.bits[i] == 32 && !inst.row->halves ? masks : masks != 0 ? at.mask : 0;
            undefined[at.word][lane] |= lost << at.shift;
        }
    }
    write_words(wave, inst, access.lanes.at, access.lanes.in_range[0], format.bytes(), words, undefined);
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr std::string_view kFormatNote = "integers and floats as they are, unorm and snorm to the nearest number, f32 "
                                         "to fp16 towards zero; the ISA leaves the "
                                         "rounding of unorm and snorm open";

constexpr Row format_row(std::string_view name, Handler handler, u8 components, bool store, bool typed, bool halves) {
    Row r = memory_row(name, Unit::kBuffer, handler, static_cast<u8>(components * (halves ? 2 : 4)), store);
    r.components = components;
    r.typed = typed;
    r.halves = halves;
    // A single half leaves the other one of its register.
    r.half = halves && components == 1 && !store;
    return approximate(r, kFormatNote);
}

#define HKC_COMPONENTS(SPACE, OP, handler, store, typed)                                                               \
    format_row(SPACE OP "_FORMAT_X", handler, 1, store, typed, false),                                                 \
        format_row(SPACE OP "_FORMAT_XY", handler, 2, store, typed, false),                                            \
        format_row(SPACE OP "_FORMAT_XYZ", handler, 3, store, typed, false),                                           \
        format_row(SPACE OP "_FORMAT_XYZW", handler, 4, store, typed, false),                                          \
        format_row(SPACE OP "_FORMAT_D16_X", handler, 1, store, typed, true),                                          \
        format_row(SPACE OP "_FORMAT_D16_XY", handler, 2, store, typed, true),                                         \
        format_row(SPACE OP "_FORMAT_D16_XYZ", handler, 3, store, typed, true),                                        \
        format_row(SPACE OP "_FORMAT_D16_XYZW", handler, 4, store, typed, true)

constexpr Row high(Row r) {
    r.high = true;
    return r;
}

constexpr Row kRows[] = {
    HKC_SPACE("BUFFER", Unit::kBuffer, buffer_load, buffer_store),
    HKC_LDS_LOADS("BUFFER_LOAD_", "_LDS", Unit::kBuffer, buffer_load),
    filling_lds(format_row("BUFFER_LOAD_FORMAT_X_LDS", format_load, 1, false, false, false)),
    HKC_ATOMICS("BUFFER", "CSUB", Unit::kBuffer, buffer_atomic),
    HKC_COMPONENTS("BUFFER", "_LOAD", format_load, false, false),
    HKC_COMPONENTS("BUFFER", "_STORE", format_store, true, false),
    HKC_COMPONENTS("TBUFFER", "_LOAD", format_load, false, true),
    HKC_COMPONENTS("TBUFFER", "_STORE", format_store, true, true),
    high(format_row("BUFFER_LOAD_FORMAT_D16_HI_X", format_load, 1, false, false, true)),
    high(format_row("BUFFER_STORE_FORMAT_D16_HI_X", format_store, 1, true, false, true)),
};
#undef HKC_COMPONENTS

} // namespace

std::span<const Row> buffer_rows() { return kRows; }

} // namespace pm::emu
