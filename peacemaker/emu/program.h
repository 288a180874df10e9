// From a kernel's bytes to its lifted program: every instruction decoded once, its operands resolved, its jumps turned
// into indices.
#pragma once

#include "peacemaker/emu/inst.h"
#include "peacemaker/isa/disassembler.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <memory>

namespace pm::emu {

/// Lifts `kernel` of `object`; `disassembler` is of the kernel's wave size. Bytes that are no instruction, and
/// instructions without a semantic row, become entries that stop the launch when they are reached (never before).
/// Error: the kernel's code does not lie in the file.
Result<std::unique_ptr<Program>> lift(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler);

} // namespace pm::emu
