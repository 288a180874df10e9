// Outstanding operations: a late result is visible in its registers only after a wait that covers it.
//
// Life of an operation: issue() marks the registers it will write as in flight, by lane and 16-bit half; a wait that
// makes its completion certain clears them. Until then a read is a finding, and a write is one unless the writer's
// results return in order behind it. What is certain after "counter <= n" follows from return order alone: of a class
// that returns in order, an operation with k younger ones of its class outstanding is done if k >= n; of a class
// without order, only n = 0 tells.
//
// Not detected: a source register overwritten while an export still reads it (no exports on the compute path).
#pragma once

#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// Registers a new outstanding operation. A result that would land in a register still in flight is a finding, unless
/// both are of one class that writes registers in issue order on this chip. A full counter first forces its oldest
/// operation to complete. What the two halves of a wave64 issue for one instruction is one operation.
void issue(Wave& half, const Outstanding& operation);

/// The program waited until at most `n` operations of the counter are outstanding.
void wait_for(Wave& wave, Counter counter, std::uint32_t n);

/// What fills the scalar register is done, whatever its counter says.
void complete(Wave& wave, Register r);

/// The lanes of `lanes` in which `half` of the register is in flight.
std::uint32_t lanes_in_flight(const Wave& wave, Register r, std::uint32_t lanes, isa::Half half);

/// Findings for an access to `r` in `lanes`: in flight, or outside the allocation. `writes` chooses the kind.
void check_register(Wave& wave, Register r, std::uint32_t lanes, isa::Half half, bool writes);

} // namespace pm::emu
