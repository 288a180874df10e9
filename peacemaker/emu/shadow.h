// Initialisation: masks of undefined bits that travel with values through registers, and decide nothing without a
// finding.
//
// A register with no undefined bit costs one flag (its state). Only where a touched register has some does the checked
// path compute the masks of a result, by the row's ShadowRule.
//
// Not detected: an undefined value that is compared and whose outcome is thrown away; that is no fault.
#pragma once

#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// Masks that the results of one instruction will have, computed before it runs (its sources may be its results).
struct ResultShadow {
    alignas(64) std::uint32_t words[2][kLanes];
    bool defined = false;      // no operand had an undefined bit; `words` is not filled
    std::uint32_t mask = 0;    // undefined lanes of the lane mask that goes out
    std::uint32_t written = 0; // lanes
    std::uint64_t scalar = 0;  // scalar results
    bool scc = false;
};

void shadow_before(const Wave& wave, const Inst& inst, ResultShadow& out);
void shadow_after(Wave& wave, const Inst& inst, ResultShadow& shadow);
/// The same where everything read was defined; of a vector instruction without a byte selector in `written` lanes.
void set_results_defined(Wave& wave, const Inst& inst, std::uint32_t written);

/// Sets the undefined bits of a vector register in `lanes` (one word a lane); keeps the state flag true to the masks.
void set_undefined(Wave& wave, Register r, const std::uint32_t* words, std::uint32_t lanes);
/// Marks the register defined in `lanes`; only bits of `half`.
void set_defined(Wave& wave, Register r, std::uint32_t lanes, isa::Half half = isa::Half::kWhole);
/// Sets the undefined bits of a scalar register.
void set_scalar_undefined(Wave& wave, Register r, std::uint32_t undefined);
/// The undefined bits of a scalar register.
std::uint32_t scalar_undefined(const Wave& wave, Register r);
/// The undefined bits of a scalar source; none in a constant.
std::uint64_t scalar_undefined(const Wave& wave, const Source& source);
/// The lanes of `lanes` in which the register has an undefined bit.
std::uint32_t undefined_lanes(const Wave& wave, Register r, std::uint32_t lanes);
/// A finding where an undefined value decides `what` (an address, a branch, EXEC).
void require_defined_lanes(Wave& wave, Register r, std::uint32_t lanes, const char* what);
void require_defined_scalar(Wave& wave, Register r, unsigned dwords, const char* what);

} // namespace pm::emu
