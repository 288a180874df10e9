// How a vector instruction runs: sources fetched with their modifiers and lane moves, the row's arithmetic, the result
// written under EXEC. The only code that knows EXEC, DPP, SDWA and output modifiers.
#pragma once

#include "peacemaker/emu/inst.h"

namespace pm::emu {

struct VectorHandlers {
    Handler plain;   // 32- and 64-bit operands as they are
    Handler general; // modifiers, halves, DPP, SDWA, clamp, output modifiers
    Handler dual;    // the first of two that read before either writes; the second follows it in the program
    /// Source `index` as its row computes with it, into two runs of 32 words; with `undefined` the masks of its
    /// undefined bits.
    void (*fetch)(const Wave& wave, const Inst& inst, std::uint32_t index, bool undefined, std::uint32_t* room);
    /// Merges `words` into the register `old` (one run of 32 words) the way the result of `inst` is written, in
    /// `lanes`.
    void (*merge)(const Inst& inst, std::uint32_t* words, std::uint32_t* old, std::uint32_t lanes);
};

/// Chosen for this host's SIMD.
VectorHandlers vector_handlers();

/// The lanes that `inst` writes: EXEC, less what DPP's masks and bounds switch off.
std::uint32_t written_lanes(const Wave& wave, const Inst& inst);
/// DPP: the lane that `lane` reads, or -1 where it lies outside its row.
std::int8_t dpp_source_lane(isa::Encoding encoding, std::uint32_t control, std::uint32_t lane);

} // namespace pm::emu
