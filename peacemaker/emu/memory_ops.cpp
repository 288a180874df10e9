// Vector memory instructions: global, flat and scratch ones.
//
// A load's value is taken when it is issued and its registers are in flight from then on (waits.h). A flat instruction
// goes, lane by lane, where the aperture of its address says: memory, LDS or scratch.
//
// Sources: RDNA ISA documents, chapter "Flat memory instructions";
// llvm/docs/AMDGPUUsage.rst, "Private segment"; llvm/lib/Target/AMDGPU/GCNSubtarget.h (hasFlatLgkmVMemCountInOrder).
#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/global.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/memory_row_builders.h"
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
    if (m.address_dwords == 0) {
        for (u32 lane = 0; lane < kLanes; ++lane)
            out.of[lane] = base + (inst.row->adds_lane ? 4 * (wave.first_lane + lane) : 0);
    } else if (m.address_dwords == 1) {
        const u32* const address = wave.v[m.address];
        for (u32 lane = 0; lane < kLanes; ++lane) out.of[lane] = base + address[lane];
    } else {
        const u32 *const low = wave.v[m.address], *const high = wave.v[m.address + 1];
        for (u32 lane = 0; lane < kLanes; ++lane)
            out.of[lane] = base + (low[lane] | static_cast<u64>(high[lane]) << 32);
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
void flat_store(Wave& wave, const Inst& inst) {
    FlatLanes lanes;
    if (!flat_lanes(wave, inst, lanes) || wave.exec() == 0) return;
    count_lds_operation(wave);
    if (lanes.global != 0) write_global<Bytes>(wave, inst, lanes.at, lanes.global);
    const bool high = inst.row->high || inst.memory.data_half == isa::Half::kHigh;
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((lanes.lds >> lane) & 1u) != 0 && fits_lds(wave, lane, lanes.lds_at(lane), Bytes))
            write_lds(wave, lane, static_cast<u32>(lanes.lds_at(lane)), Bytes, inst.memory.data, high ? 16 : 0);
    store_scratch(wave, inst, lanes.scratch_at, lanes.scratch, Bytes);
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

template <u32>
void scratch_load(Wave& wave, const Inst& inst) {
    ScratchOffsets at;
    if (scratch_offsets(wave, inst, at)) load_scratch(wave, inst, at);
}
template <u32>
void scratch_store(Wave& wave, const Inst& inst) {
    ScratchOffsets at;
    if (scratch_offsets(wave, inst, at)) store_scratch(wave, inst, at, wave.exec(), inst.row->bytes);
}

// --- blocks of registers ------------------------------------------------------------------------------------------

// gfx12: M0 names which of 32 registers are moved; memory is stepped over for the others, too. One operation for all.
// `move(n, register)` moves one of them.
template <typename F>
u32 for_each_of_block(Wave& wave, const Inst& inst, F move) {
    require_defined_scalar(wave, isa::kM0, 1, "a register");
    const u32 chosen = wave.scalar(isa::kM0);
    for (u32 n = 0; n < inst.memory.data_dwords; ++n)
        if (((chosen >> n) & 1u) != 0) move(n, static_cast<Register>(inst.memory.data + n));
    return chosen;
}

// `read(n, words, undefined)` takes the n-th dword of every lane from memory.
template <typename F>
void load_block(Wave& wave, const Inst& inst, F read) {
    const u32 exec = wave.exec();
    if (exec == 0) return;
    const u32 chosen = for_each_of_block(wave, inst, [](u32, Register) {});
    issue(wave,
          {ReturnClass::kVectorLoad, inst.memory.data, inst.memory.data_dwords, exec, isa::Half::kWhole, 0, chosen});
    for_each_of_block(wave, inst, [&](u32 n, Register r) {
        alignas(64) LaneWords words = {}, undefined = {};
        read(n, words, undefined);
        for (u32 lane = 0; lane < kLanes; ++lane)
            if (((exec >> lane) & 1u) != 0) wave.v[r][lane] = words[0][lane];
        set_undefined(wave, r, undefined[0], exec);
    });
}

// One register of the block as a store of its own.
Inst part_of_block(Wave& wave, const Inst& inst, Register r) {
    check_register(wave, r, wave.exec(), isa::Half::kWhole, false);
    Inst part = inst;
    part.memory.data = r;
    part.memory.data_dwords = 1;
    return part;
}

void shift(Addresses& at, u64 by) {
    for (u64& address : at.of) address += by;
    at.low += by;
    at.high += by;
}

void global_load_block(Wave& wave, const Inst& inst) {
    Addresses first;
    global_addresses(wave, inst, first);
    load_block(wave, inst, [&](u32 n, LaneWords& words, LaneWords& undefined) {
        Addresses at = first;
        shift(at, u64{4} * n);
        Found found;
        find_allocations(wave, at, wave.exec(), 4, false, found);
        read_global<4>(wave, inst, at, found, words, undefined);
    });
}

void global_store_block(Wave& wave, const Inst& inst) {
    Addresses first;
    global_addresses(wave, inst, first);
    if (wave.exec() == 0) return;
    for_each_of_block(wave, inst, [&](u32 n, Register r) {
        Addresses at = first;
        shift(at, u64{4} * n);
        write_global<4>(wave, part_of_block(wave, inst, r), at, wave.exec());
    });
}

void scratch_load_block(Wave& wave, const Inst& inst) {
    ScratchOffsets first;
    if (!scratch_offsets(wave, inst, first)) return;
    load_block(wave, inst, [&](u32 n, LaneWords& words, LaneWords& undefined) {
        ScratchOffsets at;
        for (u32 lane = 0; lane < kLanes; ++lane) at[lane] = first[lane] + i64{4} * n;
        read_scratch(wave, at, lanes_in_scratch(wave, at, wave.exec(), 4, false), 4, words, undefined);
    });
}

void scratch_store_block(Wave& wave, const Inst& inst) {
    ScratchOffsets first;
    if (!scratch_offsets(wave, inst, first)) return;
    for_each_of_block(wave, inst, [&](u32 n, Register r) {
        ScratchOffsets at;
        for (u32 lane = 0; lane < kLanes; ++lane) at[lane] = first[lane] + i64{4} * n;
        Inst part = part_of_block(wave, inst, r);
        store_scratch(wave, part, at, wave.exec(), 4);
    });
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row adding_lane(Row r) {
    r.adds_lane = true;
    return r;
}

constexpr Row block(std::string_view name, Unit unit, Handler handler, bool store) {
    Row r = memory_row(name, unit, handler, 128, store);
    r.block = true;
    return r;
}

constexpr Row kRows[] = {
    adding_lane(memory_row("GLOBAL_LOAD_DWORD_ADDTID", Unit::kGlobal, global_load<4>, 4)),
    adding_lane(memory_row("GLOBAL_STORE_DWORD_ADDTID", Unit::kGlobal, global_store<4>, 4, true)),
    block("GLOBAL_LOAD_BLOCK", Unit::kGlobal, global_load_block, false),
    block("GLOBAL_STORE_BLOCK", Unit::kGlobal, global_store_block, true),
    block("SCRATCH_LOAD_BLOCK", Unit::kScratch, scratch_load_block, false),
    block("SCRATCH_STORE_BLOCK", Unit::kScratch, scratch_store_block, true),
    HKC_SPACE("GLOBAL", Unit::kGlobal, global_load, global_store),
    HKC_SPACE("FLAT", Unit::kFlat, flat_load, flat_store),
    HKC_SPACE("SCRATCH", Unit::kScratch, scratch_load, scratch_store),
    HKC_LDS_LOADS("GLOBAL_LOAD_LDS_", "", Unit::kGlobal, global_load),
    HKC_LDS_LOADS("SCRATCH_LOAD_LDS_", "", Unit::kScratch, scratch_load),
    HKC_ATOMICS("GLOBAL", "CSUB", Unit::kGlobal, global_atomic),
    HKC_ATOMICS("FLAT", "CSUB_U32", Unit::kFlat, flat_atomic),
};

} // namespace

std::span<const Row> memory_rows() { return kRows; }

} // namespace pm::emu
