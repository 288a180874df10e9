// Barriers: that all waves of a workgroup meet them equally often, and that signals and waits pair.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/obligation.h"
#include "peacemaker/certify/uniformity.h"

namespace pm::certify {

/// Barriers that depend on a branch not shown to go the same way in all waves of a workgroup.
std::vector<Obligation> check_divergence(const Code& code, const Uniformity& uniformity);

/// gfx12: a wait without a signal before it, a second signal, or a path that decides.
std::vector<Obligation> check_pairing(const Code& code);

} // namespace pm::certify
