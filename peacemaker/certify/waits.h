// Outstanding operations along every path, back edges included: what may still be in flight when an instruction uses a
// register or signals a barrier.
//
// The state at a step is the set of operations that some path leaves outstanding there, each with the least number of
// younger operations of its class on any such path. A wait "counter <= n" then makes sure of an operation of an ordered
// class where n does not exceed that number; of one without order, only n = 0 does. Both sets and numbers only ever get
// more pessimistic where paths join, so the fixed point holds for all of them.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/certify/obligation.h"

#include <map>

namespace pm::certify {

/// Reads and overwrites of registers in flight. Faults, each with a path from the operation.
std::vector<Obligation> check_waits(const Chip& chip, const Code& code);

/// LDS stores outstanding where their wave says that it has reached a barrier. Faults.
std::vector<Obligation> check_drains(const Chip& chip, const Code& code);

/// By each step that signals a barrier, the steps whose LDS operations may be outstanding there, sorted.
std::map<std::uint32_t, std::vector<std::uint32_t>> lds_across_barriers(const Chip& chip, const Code& code);

/// "v2", "s[4:7]", "v3.h": a run of registers for people.
std::string span_text(const Span& span);

} // namespace pm::certify
