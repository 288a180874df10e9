// A report of two chips, made by hand.
#pragma once

#include "contract/runner/outcome_json.h"
#include "tests/runner/outcomes.h"

#include <string>
#include <utility>

namespace hkc::page {

inline Cost cost_of(std::string kernel, std::uint32_t vgprs, std::uint32_t waves) {
    Cost cost{std::move(kernel), {}, waves};
    cost.resources.vgpr = vgprs;
    cost.resources.sgpr = 20;
    cost.resources.wave = 32;
    return cost;
}

inline KernelOutcome kernel_on(const std::string& name, const std::string& chip, std::vector<GateResult> gates) {
    KernelOutcome kernel;
    kernel.name = name;
    kernel.family = "tiles";
    kernel.chip = chip;
    kernel.gates = std::move(gates);
    return kernel;
}

/// "tile" passes on gfx1030 and fails gate 2 on gfx1151 at k.hip:4; "wide" passes on gfx1151; a control is missed.
inline ReadReport two_chips() {
    ReadReport report;
    report.outcome.chips = {"gfx1030", "gfx1151"};
    report.outcome.gates = {1, 2};
    report.outcome.kernels = {
        kernel_on("tile", "gfx1030", {gate_result(1, Status::kPass), gate_result(2, Status::kPass)}),
        kernel_on("tile", "gfx1151",
                  {gate_result(1, Status::kPass),
                   gate_result(2, Status::kFail, {{"out-of-bounds read", "v_x <b>\"it\"</b> & 'more'", "k.hip:4"}})}),
        kernel_on("wide", "gfx1151", {gate_result(1, Status::kPass), gate_result(2, Status::kPass)})};
    report.outcome.kernels[0].costs = {cost_of("tile", 10, 16)};
    report.outcome.kernels[1].costs = {cost_of("tile", 64, 16)};
    report.outcome.kernels[2].costs = {cost_of("wide", 128, 8)};
    ControlOutcome control;
    control.name = "</script><script>alert(1)</script>";
    control.of = "tile";
    control.chip = "gfx1151";
    control.verdict = ControlVerdict::kMissed;
    control.why = "no gate failed";
    report.outcome.controls = {control};
    report.description.device = "embedded";
    report.description.commit = "0123abc";
    return report;
}

} // namespace hkc::page
