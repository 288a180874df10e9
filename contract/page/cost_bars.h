// What kernels cost, as bars: each resource beside what the chip has, and its change against a base.
#pragma once

#include "contract/runner/judge.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hkc::page {

/// One figure of a kernel.
struct Bar {
    std::string name; // "VGPR", "SGPR", "LDS", "scratch", "waves"
    std::uint32_t value = 0;
    std::uint32_t most = 1; // what the chip has; never 0
    bool fewer_is_worse = false;
    std::int64_t change = 0; // against the base; 0 where the base lacks the kernel
};

/// Whether a change that is not 0 costs more than the base, or leaves fewer waves.
bool is_worse(const Bar& bar);

/// A kernel of an object on a chip: several registrations may launch it.
struct CostRow {
    std::string chip, kernel;
    std::vector<Bar> bars;
    bool in_base = false;
};

/// The kernels of a run, chip by chip in its order, each once. `base` may be null. Where a chip is not of chips.toml,
/// or has no such limit (scratch), the most is that of the run.
std::vector<CostRow> cost_rows(const RunOutcome& run, const RunOutcome* base);

} // namespace hkc::page
