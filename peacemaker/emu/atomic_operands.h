// The registers of an atomic, lane by lane, and how undefined bits travel through it: as a whole.
#pragma once

#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// What one lane brings to an atomic.
struct AtomicOperands {
    std::uint64_t data = 0, second = 0; // zero-extended
    bool undefined = false;             // some bit of them
};
AtomicOperands atomic_operands(const Wave& wave, const Inst& inst, std::uint32_t lane);

/// The masks of the undefined bits that the operation leaves, from those that memory had.
std::uint64_t masks_after(const Inst& inst, const AtomicOperands& operands, std::uint64_t masks);

/// What the lane's result takes, from `first_word` on: what memory held, undefined as a whole where some bit of it was.
void put_old(std::uint32_t lane, std::uint32_t bytes, std::uint32_t first_word, std::uint64_t old, std::uint64_t masks,
             LaneWords& words, LaneWords& undefined);

/// Whether the address is a multiple of the atomic's size; a finding where not.
bool aligned(Wave& wave, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes);

} // namespace pm::emu
