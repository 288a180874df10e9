// Barriers: that all waves of a workgroup meet them equally often, and that signals and waits pair.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/obligation.h"

namespace pm::certify {

/// Barriers that depend on a branch not shown to go the same way in all waves of a workgroup. Shown is what is computed
/// by scalar instructions from kernel arguments, workgroup ids and constants; memory that the scalar loads read is
/// taken to be constant during the launch.
std::vector<Obligation> check_divergence(const Chip& chip, const Kernel& kernel, const Code& code);

/// gfx12: a wait without a signal before it, a second signal, or a path that decides.
std::vector<Obligation> check_pairing(const Code& code);

} // namespace pm::certify
