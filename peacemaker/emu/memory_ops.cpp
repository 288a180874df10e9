// Vector memory instructions: global, flat and scratch ones (scratch also through gfx10's swizzled buffer).
//
// A load's value is taken when it is issued and its registers are in flight from then on (waits.h). A flat instruction
// goes, lane by lane, where the aperture of its address says: memory, LDS or scratch.
//
// Sources: RDNA ISA documents, chapters "Vector memory buffer instructions", "Flat memory instructions";
// llvm/docs/AMDGPUUsage.rst, "Private segment"; llvm/lib/Target/AMDGPU/GCNSubtarget.h (hasFlatLgkmVMemCountInOrder).
#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/buffer.h"
#include "peacemaker/emu/global.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row_builders.h"
#include "peacemaker/emu/scratch.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

#include <cstring>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 kAllLanes = ~0u;

// --- global -------------------------------------------------------------------------------------------------------

// Every active lane's address; findings where an undefined value decides one.
void global_addresses(Wave& wave, const Inst& inst, Addresses& out) {
    const MemoryOperands& m = inst.memory;
    const u32 exec = wave.exec();
    u64 base = static_cast<u64>(m.offset);
    if (m.base_dwords != 0) {
        require_defined_scalar(wave, m.base, 2, "an address");
        base += wave.scalar64(m.base);
    }
    for (u32 k = 0; k < m.address_dwords; ++k)
        require_defined_lanes(wave, static_cast<Register>(m.address + k), exec, "an address");
    const u32* const low = wave.v[m.address];
    if (m.address_dwords == 2) {
        const u32* const high = wave.v[m.address + 1];
        for (u32 lane = 0; lane < kLanes; ++lane)
            out.of[lane] = base + (low[lane] | static_cast<u64>(high[lane]) << 32);
    } else if (m.address_dwords == 1) {
        for (u32 lane = 0; lane < kLanes; ++lane) out.of[lane] = base + low[lane];
    } else {
        for (u32 lane = 0; lane < kLanes; ++lane) out.of[lane] = base;
    }
    set_bounds(out, exec);
}

template <u32 Bytes>
void global_load(Wave& wave, const Inst& inst) {
    constexpr u32 kDwords = (Bytes + 3) / 4;
    Addresses at;
    global_addresses(wave, inst, at);
    const u32 exec = wave.exec();
    if (exec == 0) return;
    Found found;
    find_allocations(wave, at, exec, Bytes, false, found);
    alignas(64) u32 words[kDwords][kLanes];
    if (found.inside != kAllLanes) std::memset(words, 0, sizeof words);
    if (found.whole) {
        read_global<Bytes>(wave, inst, at, found, words, nullptr);
        deliver(wave, inst, ReturnClass::kVectorLoad, words, nullptr, exec);
        return;
    }
    alignas(64) u32 undefined[kDwords][kLanes] = {};
    read_global<Bytes>(wave, inst, at, found, words, undefined);
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, exec);
}

template <u32 Bytes>
void global_store(Wave& wave, const Inst& inst) {
    Addresses at;
    global_addresses(wave, inst, at);
    if (wave.exec() != 0) write_global<Bytes>(wave, inst, at, wave.exec());
}

void global_atomic(Wave& wave, const Inst& inst) {
    Addresses at;
    global_addresses(wave, inst, at);
    if (wave.exec() == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    update_global(wave, inst, at, wave.exec(), words, undefined);
    if (inst.memory.data_dwords != 0) deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, wave.exec());
}

// --- flat ---------------------------------------------------------------------------------------------------------

// Which memory each active lane's address names, and where in it.
struct FlatLanes {
    Addresses at;
    u32 global = 0, lds = 0, scratch = 0; // lanes
    ScratchOffsets scratch_at;
    u64 lds_at(u32 lane) const { return at.of[lane] - kSharedAperture; }
};

// False: the launch stops. The aperture is that of the address without the instruction's offset, which cannot lead from
// one memory into another.
bool flat_lanes(Wave& wave, const Inst& inst, FlatLanes& out) {
    global_addresses(wave, inst, out.at);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        const u64 base = out.at.of[lane] - static_cast<u64>(inst.memory.offset);
        const u32 bit = 1u << lane;
        if (base - kSharedAperture < kApertureBytes) {
            out.lds |= bit;
        } else if (base - kPrivateAperture < kApertureBytes) {
            out.scratch |= bit;
            out.scratch_at[lane] = static_cast<i64>(out.at.of[lane] - kPrivateAperture);
        } else {
            out.global |= bit;
        }
    }
    set_bounds(out.at, out.global);
    return out.scratch == 0 || scratch_is_set_up(wave);
}

template <u32 Bytes>
void flat_load(Wave& wave, const Inst& inst) {
    FlatLanes lanes;
    if (!flat_lanes(wave, inst, lanes) || wave.exec() == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    if (lanes.global != 0) {
        Found found;
        find_allocations(wave, lanes.at, lanes.global, Bytes, false, found);
        read_global<Bytes>(wave, inst, lanes.at, found, words, undefined);
    }
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((lanes.lds >> lane) & 1u) != 0 && fits_lds(wave, lane, lanes.lds_at(lane), Bytes))
            read_lds(wave, lane, static_cast<u32>(lanes.lds_at(lane)), Bytes, 0, words, undefined);
    const u32 inside = lanes_in_scratch(wave, lanes.scratch_at, lanes.scratch, Bytes, false);
    read_scratch(wave, lanes.scratch_at, inside, Bytes, words, undefined);
    deliver(wave, inst, ReturnClass::kFlat, words, undefined, wave.exec());
}

// Registers of a flat instruction that returns nothing are free at once, but LDS and the store counter count it.
void count_lds_operation(Wave& wave) { issue(wave, {ReturnClass::kLdsOp, isa::kNull, 0, 0, isa::Half::kWhole}); }

template <u32 Bytes>
void store_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at, u32 lanes) {
    const u32 inside = lanes_in_scratch(wave, at, lanes, Bytes, true);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((inside >> lane) & 1u) == 0) continue;
        u32 words[(Bytes + 3) / 4], undefined[(Bytes + 3) / 4];
        stored_words<Bytes>(wave, inst, lane, false, words);
        stored_words<Bytes>(wave, inst, lane, true, undefined);
        write_scratch(wave, at[lane], lane, Bytes, words, undefined);
    }
}

template <u32 Bytes>
void flat_store(Wave& wave, const Inst& inst) {
    FlatLanes lanes;
    if (!flat_lanes(wave, inst, lanes) || wave.exec() == 0) return;
    count_lds_operation(wave);
    if (lanes.global != 0) write_global<Bytes>(wave, inst, lanes.at, lanes.global);
    const bool high = inst.row->high || inst.memory.data_half == isa::Half::kHigh;
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((lanes.lds >> lane) & 1u) != 0 && fits_lds(wave, lane, lanes.lds_at(lane), Bytes))
            write_lds(wave, lane, static_cast<u32>(lanes.lds_at(lane)), Bytes, inst.memory.data, high ? 16 : 0);
    store_scratch<Bytes>(wave, inst, lanes.scratch_at, lanes.scratch);
}

void flat_atomic(Wave& wave, const Inst& inst) {
    FlatLanes lanes;
    if (!flat_lanes(wave, inst, lanes) || wave.exec() == 0) return;
    if (lanes.scratch != 0) {
        stop_unsupported(wave, "unsupported flat atomic on scratch");
        return;
    }
    alignas(64) LaneWords words = {}, undefined = {};
    if (inst.memory.data_dwords == 0) count_lds_operation(wave);
    if (lanes.global != 0) update_global(wave, inst, lanes.at, lanes.global, words, undefined);
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((lanes.lds >> lane) & 1u) != 0) update_lds(wave, inst, lane, lanes.lds_at(lane), words, undefined);
    if (inst.memory.data_dwords != 0) deliver(wave, inst, ReturnClass::kFlat, words, undefined, wave.exec());
}

// --- scratch ------------------------------------------------------------------------------------------------------

// Each active lane's byte offset into its own scratch.
bool scratch_offsets(Wave& wave, const Inst& inst, ScratchOffsets& out) {
    if (!scratch_is_set_up(wave)) return false;
    const MemoryOperands& m = inst.memory;
    i64 base = m.offset;
    if (m.base_dwords == 1) {
        require_defined_scalar(wave, m.base, 1, "an address");
        base += static_cast<i32>(wave.scalar(m.base));
    }
    if (m.address_dwords != 0) require_defined_lanes(wave, m.address, wave.exec(), "an address");
    for (u32 lane = 0; lane < kLanes; ++lane)
        out[lane] = base + (m.address_dwords != 0 ? static_cast<i32>(wave.v[m.address][lane]) : 0);
    return true;
}

template <u32 Bytes>
void load_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at) {
    const u32 exec = wave.exec();
    if (exec == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    read_scratch(wave, at, lanes_in_scratch(wave, at, exec, Bytes, false), Bytes, words, undefined);
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, exec);
}

template <u32 Bytes>
void scratch_load(Wave& wave, const Inst& inst) {
    ScratchOffsets at;
    if (scratch_offsets(wave, inst, at)) load_scratch<Bytes>(wave, inst, at);
}
template <u32 Bytes>
void scratch_store(Wave& wave, const Inst& inst) {
    ScratchOffsets at;
    if (scratch_offsets(wave, inst, at)) store_scratch<Bytes>(wave, inst, at, wave.exec());
}
// --- buffers ------------------------------------------------------------------------------------------------------

// gfx10: the private segment's buffer resource is recognised by its base; it swizzles by lane, so that a scalar offset
// counts for all 32 lanes at once (AMDGPUUsage, "Private segment buffer").
bool is_private_segment(const Wave& wave, const Inst& inst) {
    return wave.worker->chip->generation == 10 &&
           (wave.scalar64(inst.memory.base) & 0xffffffffffffull) == kScratchAperture;
}

// The scalar offset, a register or a constant.
u32 scalar_offset(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    if (m.offset_dwords == 0) return static_cast<u32>(m.second_offset);
    require_defined_scalar(wave, m.offset_register, 1, "an address");
    return wave.scalar(m.offset_register);
}

bool private_offsets(Wave& wave, const Inst& inst, ScratchOffsets& out) {
    const MemoryOperands& m = inst.memory;
    if (m.indexed) {
        stop_unsupported(wave, "unsupported index into the private segment");
        return false;
    }
    const i64 base = m.offset + scalar_offset(wave, inst) / kLanes;
    if (m.address_dwords != 0) require_defined_lanes(wave, m.address, wave.exec(), "an address");
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = base + (m.address_dwords != 0 ? wave.v[m.address][lane] : 0u);
    return true;
}

// One lane's place in a buffer.
struct Place {
    u32 index = 0;
    u64 offset = 0; // of the instruction and its register, in bytes
};

// Whether an access lies in the buffer's range: all of it, nothing, or a part.
enum class Range : u8 { kInside, kOutside, kPart };

Range range_of(const BufferResource& r, const Place& place, u64 more, u32 bytes) {
    const auto of = [&](u64 limit) {
        const u64 from = place.offset + more;
        return from + bytes <= limit ? Range::kInside : from >= limit ? Range::kOutside : Range::kPart;
    };
    switch (r.check) {
    case RangeCheck::kIndexAndOffset:
        return place.index >= r.records ? Range::kOutside : r.stride == 0 ? Range::kInside : of(r.stride);
    case RangeCheck::kIndex:
        return place.index >= r.records ? Range::kOutside : Range::kInside;
    case RangeCheck::kNoRecords:
        return r.records == 0 ? Range::kOutside : Range::kInside;
    case RangeCheck::kOffset:
        return of(r.records);
    }
    return Range::kPart;
}

// The lanes in range and their addresses. Outside a load gives 0 and a store does nothing, by definition; where chips
// differ (a scalar offset in the check, a part in range) the launch stops: false.
bool buffer_addresses(Wave& wave, const Inst& inst, Addresses& at, u32& lanes) {
    const MemoryOperands& m = inst.memory;
    require_defined_scalar(wave, m.base, 4, "a buffer resource");
    const BufferResource r = buffer_resource(wave, m.base);
    if (r.special) {
        stop_unsupported(wave, "unsupported buffer resource (swizzled, with the lane added, or none)");
        return false;
    }
    const u32 more = scalar_offset(wave, inst);
    for (u32 k = 0; k < m.address_dwords; ++k)
        require_defined_lanes(wave, static_cast<Register>(m.address + k), wave.exec(), "an address");
    lanes = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        Place place;
        place.offset = static_cast<u64>(m.offset);
        if (m.indexed) place.index = wave.v[m.address][lane];
        if (m.address_dwords > (m.indexed ? 1u : 0u))
            place.offset += wave.v[m.indexed ? m.address + 1 : m.address][lane];
        const Range range = range_of(r, place, 0, inst.row->bytes);
        if (range == Range::kPart || range != range_of(r, place, more, inst.row->bytes)) {
            stop_unsupported(wave, "unsupported access at a buffer's end (in part, or by its scalar offset)");
            return false;
        }
        if (range == Range::kOutside) continue;
        lanes |= 1u << lane;
        at.of[lane] = r.base + more + u64{place.index} * r.stride + place.offset;
    }
    set_bounds(at, lanes);
    return true;
}

template <u32 Bytes>
void buffer_load(Wave& wave, const Inst& inst) {
    if (is_private_segment(wave, inst)) {
        ScratchOffsets at;
        if (private_offsets(wave, inst, at)) load_scratch<Bytes>(wave, inst, at);
        return;
    }
    Addresses at;
    u32 lanes = 0;
    if (!buffer_addresses(wave, inst, at, lanes) || wave.exec() == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    if (lanes != 0) {
        Found found;
        find_allocations(wave, at, lanes, Bytes, false, found);
        read_global<Bytes>(wave, inst, at, found, words, undefined);
    }
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, wave.exec());
}

template <u32 Bytes>
void buffer_store(Wave& wave, const Inst& inst) {
    if (is_private_segment(wave, inst)) {
        ScratchOffsets at;
        if (private_offsets(wave, inst, at)) store_scratch<Bytes>(wave, inst, at, wave.exec());
        return;
    }
    Addresses at;
    u32 lanes = 0;
    if (buffer_addresses(wave, inst, at, lanes) && lanes != 0) write_global<Bytes>(wave, inst, at, lanes);
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row row(std::string_view name, Unit unit, Handler handler, u8 bytes, bool store = false,
                  Extend extend = Extend::kNone) {
    Row r;
    r.name = name;
    r.unit = unit;
    r.handler = handler;
    r.bytes = bytes;
    r.store = store;
    r.extend = extend;
    return r;
}
constexpr Row d16(Row r, bool high) {
    r.half = !r.store;
    r.high = high;
    return r;
}

#define HKC_SPACE(SPACE, unit, load, store)                                                                            \
    row(SPACE "_LOAD_UBYTE", unit, load<1>, 1, false, Extend::kZero),                                                  \
        row(SPACE "_LOAD_SBYTE", unit, load<1>, 1, false, Extend::kSign),                                              \
        row(SPACE "_LOAD_USHORT", unit, load<2>, 2, false, Extend::kZero),                                             \
        row(SPACE "_LOAD_SSHORT", unit, load<2>, 2, false, Extend::kSign), row(SPACE "_LOAD_DWORD", unit, load<4>, 4), \
        row(SPACE "_LOAD_DWORDX2", unit, load<8>, 8), row(SPACE "_LOAD_DWORDX3", unit, load<12>, 12),                  \
        row(SPACE "_LOAD_DWORDX4", unit, load<16>, 16),                                                                \
        d16(row(SPACE "_LOAD_UBYTE_D16", unit, load<1>, 1, false, Extend::kZero), false),                              \
        d16(row(SPACE "_LOAD_UBYTE_D16_HI", unit, load<1>, 1, false, Extend::kZero), true),                            \
        d16(row(SPACE "_LOAD_SBYTE_D16", unit, load<1>, 1, false, Extend::kSign), false),                              \
        d16(row(SPACE "_LOAD_SBYTE_D16_HI", unit, load<1>, 1, false, Extend::kSign), true),                            \
        d16(row(SPACE "_LOAD_SHORT_D16", unit, load<2>, 2, false, Extend::kZero), false),                              \
        d16(row(SPACE "_LOAD_SHORT_D16_HI", unit, load<2>, 2, false, Extend::kZero), true),                            \
        row(SPACE "_STORE_BYTE", unit, store<1>, 1, true),                                                             \
        d16(row(SPACE "_STORE_BYTE_D16_HI", unit, store<1>, 1, true), true),                                           \
        row(SPACE "_STORE_SHORT", unit, store<2>, 2, true),                                                            \
        d16(row(SPACE "_STORE_SHORT_D16_HI", unit, store<2>, 2, true), true),                                          \
        row(SPACE "_STORE_DWORD", unit, store<4>, 4, true), row(SPACE "_STORE_DWORDX2", unit, store<8>, 8, true),      \
        row(SPACE "_STORE_DWORDX3", unit, store<12>, 12, true), row(SPACE "_STORE_DWORDX4", unit, store<16>, 16, true)

constexpr Row atomic(std::string_view name, Unit unit, Handler handler, u8 bytes, atomics::Op op,
                     std::string_view note = {}) {
    Row r = row(name, unit, handler, bytes);
    r.atomic = op;
    return note.empty() ? r : approximate(r, note);
}

#define HKC_ATOMICS_OF(SPACE, X, unit, handler, bytes, U, I, F)                                                        \
    replacing(atomic(SPACE "_ATOMIC_SWAP" X, unit, handler, bytes, atomics::exchange<U>)),                             \
        atomic(SPACE "_ATOMIC_CMPSWAP" X, unit, handler, bytes, atomics::compare_second<U>),                           \
        atomic(SPACE "_ATOMIC_ADD" X, unit, handler, bytes, atomics::add<U>),                                          \
        atomic(SPACE "_ATOMIC_SUB" X, unit, handler, bytes, atomics::sub<U>),                                          \
        atomic(SPACE "_ATOMIC_SMIN" X, unit, handler, bytes, atomics::smallest<I>),                                    \
        atomic(SPACE "_ATOMIC_UMIN" X, unit, handler, bytes, atomics::smallest<U>),                                    \
        atomic(SPACE "_ATOMIC_SMAX" X, unit, handler, bytes, atomics::largest<I>),                                     \
        atomic(SPACE "_ATOMIC_UMAX" X, unit, handler, bytes, atomics::largest<U>),                                     \
        atomic(SPACE "_ATOMIC_AND" X, unit, handler, bytes, atomics::both<U>),                                         \
        atomic(SPACE "_ATOMIC_OR" X, unit, handler, bytes, atomics::either<U>),                                        \
        atomic(SPACE "_ATOMIC_XOR" X, unit, handler, bytes, atomics::differ<U>),                                       \
        atomic(SPACE "_ATOMIC_INC" X, unit, handler, bytes, atomics::increment<U>),                                    \
        atomic(SPACE "_ATOMIC_DEC" X, unit, handler, bytes, atomics::decrement<U>),                                    \
        atomic(SPACE "_ATOMIC_FCMPSWAP" X, unit, handler, bytes, atomics::float_compare_second<F>),                    \
        atomic(SPACE "_ATOMIC_FMIN" X, unit, handler, bytes, atomics::float_extreme<F, false>,                         \
               atomics::kFloatMinMaxNote),                                                                             \
        atomic(SPACE "_ATOMIC_FMAX" X, unit, handler, bytes, atomics::float_extreme<F, true>,                          \
               atomics::kFloatMinMaxNote)
#define HKC_ATOMICS(SPACE, CSUB, unit, handler)                                                                        \
    HKC_ATOMICS_OF(SPACE, "", unit, handler, 4, u32, i32, float),                                                      \
        HKC_ATOMICS_OF(SPACE, "_X2", unit, handler, 8, u64, i64, double),                                              \
        atomic(SPACE "_ATOMIC_" CSUB, unit, handler, 4, atomics::sub_clamp),                                           \
        atomic(SPACE "_ATOMIC_COND_SUB_U32", unit, handler, 4, atomics::sub_if),                                       \
        atomic(SPACE "_ATOMIC_ADD_F32", unit, handler, 4, atomics::float_add<float>, atomics::kFloatAddNote),          \
        atomic(SPACE "_ATOMIC_PK_ADD_F16", unit, handler, 4, atomics::packed_add<widen_half, round_f16>,               \
               atomics::kFloatAddNote),                                                                                \
        atomic(SPACE "_ATOMIC_PK_ADD_BF16", unit, handler, 4, atomics::packed_add<widen_bfloat, round_bfloat>,         \
               atomics::kFloatAddNote)

constexpr Row kRows[] = {
    HKC_SPACE("GLOBAL", Unit::kGlobal, global_load, global_store),
    HKC_SPACE("FLAT", Unit::kFlat, flat_load, flat_store),
    HKC_SPACE("SCRATCH", Unit::kScratch, scratch_load, scratch_store),
    HKC_SPACE("BUFFER", Unit::kBuffer, buffer_load, buffer_store),
    HKC_ATOMICS("GLOBAL", "CSUB", Unit::kGlobal, global_atomic),
    HKC_ATOMICS("FLAT", "CSUB_U32", Unit::kFlat, flat_atomic),
};
#undef HKC_SPACE
#undef HKC_ATOMICS
#undef HKC_ATOMICS_OF

} // namespace

std::span<const Row> memory_rows() { return kRows; }

} // namespace pm::emu
