// What s_clause and s_delay_alu say of the instructions behind them.
//
// Sources: RDNA ISA documents, S_CLAUSE and S_DELAY_ALU; llvm/lib/Target/AMDGPU/SIInsertHardClauses.cpp and
// docs/AMDGPU/gfx11_delay.rst.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/obligation.h"

namespace pm::certify {

/// Clauses of a length that is not allowed, that a branch enters or leaves, or with an instruction of another kind than
/// the first: faults.
std::vector<Obligation> check_clauses(const Chip& chip, const Code& code, const isa::Disassembler& disassembler);

/// Delays with a reserved code, or about an instruction behind the block's end. Not faults: a delay changes no result.
std::vector<Obligation> check_delays(const Code& code, const isa::Disassembler& disassembler);

} // namespace pm::certify
