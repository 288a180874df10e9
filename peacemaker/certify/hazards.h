// Pipeline hazards that a chip leaves to the program, by its [[hazard]] rows: along every path, back edges included.
//
// One analysis for all: an instruction leaves something pending (a transcendental its result, v_cmpx the mask, ..),
// what runs after it ages it and ends it, and an instruction that needs it while it is pending has the hazard. Where
// paths join, what either leaves pending counts, with the lesser age. A rule per hazard says what raises, ends and
// needs.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/obligation.h"

namespace pm::certify {

/// Faults, each with a path from the instruction that leaves it pending; what sources do not agree on is not shown.
std::vector<Obligation> check_hazards(const Chip& chip, const Code& code, const isa::Disassembler& disassembler);

} // namespace pm::certify
