// LDS: every address of every lane of every wave of a workgroup within bounds, and no two waves that touch a byte, one
// of them writing, without a barrier between.
//
// Each wave is run on partly known registers (lane_values.h), from the entry and from each barrier to the next ones.
// What the waves do between the same two barriers may happen in any order; what happens in different such intervals
// may not. Branches that are not known go both ways, but one that all waves take alike is taken alike.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/lane_values.h"
#include "peacemaker/certify/obligation.h"
#include "peacemaker/certify/uniformity.h"
#include "peacemaker/emu/program.h"

#include <vector>

namespace pm::certify {

/// What the verdict on LDS holds for.
struct LdsRequest {
    Launched launched;
    std::uint32_t static_lds = 0; // bytes
    /// The workgroup is neither given nor bounded by the kernel's author: what goes wrong with it proves nothing.
    bool block_is_guessed = false;
};

/// Bounds and order of every LDS access; flat accesses count where the kernel makes flat pointers into LDS. Faults
/// where a wave does it for sure once it gets there, else what was not shown.
std::vector<Obligation> check_lds(const Chip& chip, const Kernel& kernel, const Code& code,
                                  const Uniformity& uniformity, const emu::Program& program, const LdsRequest& request);

/// Whether a kernel's flat accesses may touch LDS: only a kernel that reads the aperture can make such a pointer.
bool makes_flat_lds_pointers(const Code& code);

} // namespace pm::certify
