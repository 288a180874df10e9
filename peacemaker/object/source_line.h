// Which line of the source an instruction came from, by the line table (DWARF) that a code object may carry.
//
// Objects built without -g or -gline-tables-only have none.
#pragma once

#include "peacemaker/object/code_object.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pm {

/// `FILE:LINE` for each virtual address of `object`, in order; empty where no table tells, a damaged one included. FILE
/// is as the compiler was given it, so it is relative where its command was; an inlined instruction has the line of the
/// function that it was written in.
std::vector<std::string> source_lines(const CodeObject& object, std::span<const std::uint64_t> addresses);

} // namespace pm
