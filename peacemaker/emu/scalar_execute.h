// How a scalar instruction runs, and how its rows are written.
#pragma once

#include "peacemaker/emu/row.h"

namespace pm::emu {

/// Sources, the row's arithmetic, result and SCC.
void execute_scalar(Wave& wave, const Inst& inst);

/// What an instruction does with SCC.
enum SccUse : std::uint8_t { kNoScc = 0, kSccIn = 1, kSccOut = 2, kSccInOut = 3 };

constexpr Row scalar_row(std::string_view name, std::string_view shape, ScalarOp op, std::uint8_t scc,
                         ShadowRule shadow, std::uint8_t controls = 0) {
    Row r;
    r.name = name;
    r.unit = Unit::kScalar;
    r.shape = shape;
    r.scalar = op;
    r.handler = execute_scalar;
    r.scc_in = (scc & kSccIn) != 0;
    r.scc_out = (scc & kSccOut) != 0;
    r.shadow = shadow;
    r.controls = controls;
    return r;
}

} // namespace pm::emu
