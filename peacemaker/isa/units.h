// Which units of a compute unit an instruction goes to, as MC's description says.
#pragma once

#include "peacemaker/isa/disassembler.h"

namespace pm::isa {

struct Units {
    bool salu = false, valu = false;
    bool program_control = false; // SOPP: of the scalar unit, without registers named
    bool transcendental = false;
    bool scalar_memory = false;
    bool vector_memory = false; // buffer, image, flat, global and scratch
    bool flat = false;          // of these: flat, global and scratch
    bool lds = false;
};

Units units_of(const Disassembler& disassembler, unsigned opcode);

/// The field of S_WAITCNT_DEPCTR, gfx12's S_WAIT_ALU, as far as hazards go: 0 is a wait for all.
struct AluWait {
    std::uint32_t va_vdst = 0; // VALU results in VGPRs
    std::uint32_t va_sdst = 0; // .. in SGPRs
    std::uint32_t va_vcc = 0;  // .. in VCC
    std::uint32_t sa_sdst = 0; // SALU results
};
/// Source: llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp, DepCtr.
AluWait alu_wait_field(std::uint32_t field);

} // namespace pm::isa
