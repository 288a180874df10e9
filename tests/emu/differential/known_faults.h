// Functions that a compiler gets wrong where neither a flag nor the generator can keep it from that. Each entry was
// proved by reading the code that the compiler made, and must still occur.
#pragma once

#include "tests/emu/differential/compare.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pm::testing {

/// On every chip or on some.
struct KnownFault {
    std::uint64_t seed = 0;
    std::uint32_t function = 0;
    std::string_view compiler, level; // as in Build
    std::string_view reason;
};

std::span<const KnownFault> known_faults();

/// The entry of `faults` that excuses a difference of `function` in `build`; null where there is none.
const KnownFault* excuse(std::span<const KnownFault> faults, std::uint64_t seed, std::uint32_t function,
                         const Build& build);

} // namespace pm::testing
