// One instruction from text to bytes, by LLVM's assembler.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <string>
#include <string_view>

namespace pm::mutate {

/// The bytes of one instruction of `chip` in wave32. Error: what the assembler says, or that it is not one instruction
/// which stands for itself (a label, a directive, a name to be linked).
Result<std::string> assemble(const Chip& chip, std::string_view text);

} // namespace pm::mutate
