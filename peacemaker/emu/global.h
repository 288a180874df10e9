// Access to device memory: bounds against the allocation table, and initialisation by byte. Every lane is checked; one
// that leaves its allocation is a finding, loads 0 and stores nothing.
#pragma once

#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/wave.h"

#include <cstdint>
#include <string>

namespace pm::emu {

/// Every lane's address; `low` and `high` of those that count.
struct Addresses {
    std::uint64_t of[kLanes];
    std::uint64_t low = 0, high = 0;
};
void set_bounds(Addresses& at, std::uint32_t lanes);

/// "4 bytes at 0x10: byte 16 of an allocation of 16 bytes at 0x0".
std::string range_text(const Memory& memory, std::uint64_t address, std::uint64_t bytes);

/// A finding for an access outside (`there` is null) or a store to what is read-only; a stop where the address is that
/// of something the device does not have.
void report_outside(Wave& wave, FindingKind kind, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes,
                    const Allocation* there);

/// The allocation that holds the whole range, or null.
Allocation* allocation_of(Wave& wave, std::uint64_t address, std::uint64_t bytes);

/// What the lanes may access: an allocation each, the lanes that lie in theirs, and whether no byte of any is
/// undefined.
struct Found {
    Allocation* allocations[kLanes];
    std::uint32_t inside = 0;
    bool whole = true;
    bool stored_to = false; // a kernel has stored to one of them
};
void find_allocations(Wave& wave, const Addresses& at, std::uint32_t lanes, std::uint32_t bytes, bool store,
                      Found& out);

/// Loads `Bytes` bytes of the lanes inside. `undefined` is filled where not all is whole.
template <std::uint32_t Bytes>
void read_global(Wave& wave, const Inst& inst, const Addresses& at, const Found& found, std::uint32_t (*words)[kLanes],
                 std::uint32_t (*undefined)[kLanes]);

/// The same for a size that is known only now, at most 16 bytes; of other lanes nothing changes.
void read_words(Wave& wave, const Inst& inst, const Addresses& at, const Found& found, std::uint32_t bytes,
                LaneWords& words, LaneWords& undefined);

/// Stores the data registers of `inst` for the lanes.
template <std::uint32_t Bytes>
void write_global(Wave& wave, const Inst& inst, const Addresses& at, std::uint32_t lanes);

/// The row's atomic for the lanes, in their order; whole against all other atomics, whichever host thread runs them.
void update_global(Wave& wave, const Inst& inst, const Addresses& at, std::uint32_t lanes, LaneWords& words,
                   LaneWords& undefined);

/// Stores what the lanes' words hold, with the masks of their undefined bits; `bytes` is 1, 2, 4, 8, 12 or 16.
void write_words(Wave& wave, const Inst& inst, const Addresses& at, std::uint32_t lanes, std::uint32_t bytes,
                 const LaneWords& words, const LaneWords& undefined);

/// The bytes that a lane stores, or the masks of their undefined bits, from the data registers of `inst`.
inline void stored_words(const Wave& wave, const Inst& inst, std::uint32_t lane, bool undefined, std::uint32_t bytes,
                         std::uint32_t* out) {
    const MemoryOperands& m = inst.memory;
    for (std::uint32_t k = 0; k < (bytes + 3) / 4; ++k) {
        const auto r = static_cast<Register>(m.data + k);
        out[k] = undefined ? wave.undefined_word(r, lane) : wave.v[r][lane];
        if (inst.row->high || m.data_half == isa::Half::kHigh) out[k] >>= 16;
    }
}

} // namespace pm::emu
