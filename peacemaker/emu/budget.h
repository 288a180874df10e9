// How many instructions a wave may execute before its launch is given up as a hang.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>

namespace pm::emu {

inline constexpr const char* kMaxInstructionsVariable = "HKC_MAX_INSTRUCTIONS";
inline constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 40; // and where nobody says otherwise

/// What the variable's value asks for, 1 to kMostInstructions; null is kMostInstructions. Error: what was read and what
/// was expected.
Result<std::uint64_t> instruction_budget(const char* value);

} // namespace pm::emu
