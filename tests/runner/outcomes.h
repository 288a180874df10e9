// Outcomes of a run, made by hand.
#pragma once

#include "contract/runner/judge.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hkc {

inline GateResult gate_result(std::uint32_t gate, Status status, std::vector<Finding> findings = {},
                              std::vector<std::string> unchecked = {}) {
    GateResult result;
    result.gate = gate;
    result.status = status;
    result.findings = std::move(findings);
    result.unchecked = std::move(unchecked);
    return result;
}

/// A run of the registration "tile" of "tiles" on gfx1151.
inline RunOutcome run_of_tile(std::vector<GateResult> gates) {
    RunOutcome run;
    run.chips = {"gfx1151"};
    KernelOutcome kernel;
    kernel.name = "tile";
    kernel.family = "tiles";
    kernel.chip = "gfx1151";
    kernel.gates = std::move(gates);
    run.kernels.push_back(std::move(kernel));
    return run;
}

} // namespace hkc
