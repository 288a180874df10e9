// Access to the scratch of a wave: bounds and initialisation by byte, each lane in its own part. SCRATCH, FLAT and
// gfx10's BUFFER instructions use it.
#pragma once

#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// Byte offsets of every lane into its own scratch.
using ScratchOffsets = std::int64_t[kLanes];

/// The lanes of `lanes` whose bytes lie in scratch; a finding for the others.
std::uint32_t lanes_in_scratch(Wave& wave, const ScratchOffsets& at, std::uint32_t lanes, std::uint32_t bytes,
                               bool store);

/// Reads the lanes' bytes, and the masks of their undefined bits.
void read_scratch(const Wave& wave, const ScratchOffsets& at, std::uint32_t lanes, std::uint32_t bytes,
                  LaneWords& words, LaneWords& undefined);

/// Writes a lane's bytes with their masks.
void write_scratch(Wave& wave, std::int64_t at, std::uint32_t lane, std::uint32_t bytes, const std::uint32_t* words,
                   const std::uint32_t* undefined);

/// The row's load for all active lanes, its registers in flight from here on.
void load_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at);

/// Stores `bytes` bytes (at most 16) of the data registers for the lanes.
void store_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at, std::uint32_t lanes, std::uint32_t bytes);

/// gfx10: whether FLAT_SCRATCH holds what the kernel was given for it, as FLAT and SCRATCH instructions need; a finding
/// where it was never set, a stop where it is something else. Later chips need no set-up.
bool scratch_is_set_up(Wave& wave);

} // namespace pm::emu
