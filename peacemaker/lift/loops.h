// The innermost loops of a kernel and what a round of each executes.
#pragma once

#include "peacemaker/lift/listing.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pm::lift {

/// Instructions from the target of a backward branch to the branch; branches within are counted as not taken.
struct Loop {
    std::size_t first = 0, count = 0; // in the listing
};

/// Loops that hold no other, by place. Branches to one head close one loop; one that leads between instructions closes
/// none.
std::vector<Loop> innermost_loops(std::span<const Instruction> listing);

/// Instructions by what they occupy, and by name. A dual-issued pair is one vector instruction.
struct Mix {
    std::size_t vector = 0, scalar = 0, memory = 0;
    std::map<std::string, std::size_t> by_name;

    std::size_t total() const { return vector + scalar + memory; }
};

Mix mix_of(std::span<const Instruction> instructions);

/// Each innermost loop of `kernel` with its mix, for people; counts also as a share of `per`, the work items (codes,
/// ..) of a round, where that is not 0. Ends with a newline.
std::string loops_text(const Kernel& kernel, std::span<const Instruction> listing, std::uint32_t per);

} // namespace pm::lift
