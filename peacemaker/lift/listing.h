// A kernel's instructions in order, as text with their places.
#pragma once

#include "peacemaker/isa/disassembler.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pm::lift {

struct Instruction {
    std::uint64_t at = 0; // bytes from the kernel's entry
    std::uint32_t size = 0;
    std::string text; // as llvm-objdump prints it
    /// Where a direct branch leads, in bytes from the kernel's entry; it may lie before it.
    std::optional<std::int64_t> target;
};

/// Error: a kernel whose size is not known, or bytes that are no instruction of the object's chip, with their offset.
Result<std::vector<Instruction>> instructions_of(const CodeObject& object, const Kernel& kernel);

/// Where a direct branch of `size` bytes at `at` leads, in bytes from where `at` counts; nothing for any other
/// instruction.
std::optional<std::int64_t> branch_target(const isa::Disassembler& disassembler, const llvm::MCInst& inst,
                                          std::uint32_t size, std::uint64_t at);

} // namespace pm::lift
