// Which instructions of a chip the embedded device executes: asked of the code that lifts programs, so that the table
// cannot say what the device does not do.
//
// Not covered: operands. An instruction that is executed may still stop at a message number, a barrier number or a
// modifier that is not modelled; such a launch says so.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/isa/disassembler.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::emu {

/// kNotCompute: not executed, and no compute kernel can hold it.
enum class Support : std::uint8_t { kExact, kApproximate, kUnsupported, kNotCompute };

std::string_view support_name(Support support);

struct InstructionSupport {
    std::string name;     // LLVM's opcode name
    std::string text;     // a sample, as llvm-objdump prints it
    std::string_view cls; // SOP1, VOP3, DS, ..
    Support support{};
    std::string_view note; // kApproximate: which answer, which bound; not executed: why not, where that is known
    std::string bytes;     // the sample
};

/// Every opcode of the chip that a compute kernel may hold, by class and name.
std::vector<InstructionSupport> coverage_of(const Chip& chip, isa::Disassembler& disassembler);

/// A line an instruction that `only` selects (empty: all), then the counts of each class and of all of them.
/// `only` is a support_name.
std::string coverage_text(const std::vector<InstructionSupport>& table, std::string_view only);

/// The counts alone, a line a class.
std::string coverage_summary(const std::vector<InstructionSupport>& table);

} // namespace pm::emu
