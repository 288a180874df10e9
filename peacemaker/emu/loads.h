// What a load leaves in its registers, whatever memory it came from.
#pragma once

#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// A loaded value of the row's size, extended as the row says.
std::uint32_t extended(std::uint32_t value, const Row& row);
/// The masks of its undefined bits: copies of an undefined sign are undefined.
std::uint32_t extended_mask(std::uint32_t mask, const Row& row);

/// Delivers loaded words (a run of 32 a register), extended and placed as the row says, to the registers of `inst` in
/// `lanes`, or to LDS (load_to_lds); they are in flight from here on. `undefined` holds the masks of their undefined
/// bits; null: there are none.
void deliver(Wave& wave, const Inst& inst, ReturnClass cls, const std::uint32_t (*words)[kLanes],
             const std::uint32_t (*undefined)[kLanes], std::uint32_t lanes);

} // namespace pm::emu
