// One instruction of every opcode that a chip has: the list that coverage is measured against.
//
// MC describes the opcodes of all AMD chips at once. An opcode belongs to a chip if a sample of it, encoded, decodes
// back to the same opcode there; operands are chosen from MC's own register classes.
#pragma once

#include "peacemaker/isa/disassembler.h"

#include <string>
#include <string_view>
#include <vector>

namespace pm::isa {

struct Sample {
    unsigned opcode = 0;
    std::string bytes; // the encoded instruction
};

/// The samples of a chip, by opcode. Takes some tenths of a second.
std::vector<Sample> samples_of(Disassembler& disassembler);

/// The class of an instruction as the ISA documents group them: SOP1, VOP2, VOP3, VOPD, SMEM, FLAT, DS, ..; "other"
/// where MC's flags name none.
std::string_view class_of(const Disassembler& disassembler, unsigned opcode);

/// Whether a kernel of the compute path may hold instructions of the class: not images, exports, interpolation.
bool is_compute(std::string_view cls);

} // namespace pm::isa
