// Counters of outstanding operations, as far as they fill registers or write LDS, and what a wait for them makes sure
// of.
//
// Sources: RDNA ISA documents, "Data dependency resolution"; llvm/lib/Target/AMDGPU/SIInsertWaitcnts.cpp and
// Utils/AMDGPUBaseInfo.cpp (decodeWaitcnt).
#pragma once

#include "peacemaker/chip/chip.h"

#include <cstddef>
#include <cstdint>

namespace pm::isa {

/// Under gfx10's names; gfx12 splits lgkm into ds (kept as kLgkm) and km.
enum class Counter : std::uint8_t { kLoad, kLgkm, kKm };
inline constexpr std::size_t kCounters = 3;

/// Operations whose results come back in issue order among themselves, scalar loads apart, which have no order.
enum class ReturnClass : std::uint8_t {
    kVectorLoad,
    kLdsOp,
    kScalarLoad,
    kFlat, // issued alone: it counts as a vector load and as an LDS operation, and is done when both are
};
inline constexpr std::size_t kReturnClasses = 3; // of operations outstanding

/// The counter that an operation of this class raises on this chip.
Counter counter_of(const Chip& chip, ReturnClass cls);
/// How many operations a counter counts at most; a full one holds the next operation back.
std::uint32_t capacity_of(const Chip& chip, Counter counter);

/// Whether an older operation of the class is done before a younger one.
bool returns_in_order(ReturnClass cls);
/// Whether a younger operation of the class also writes its registers after an older one.
bool writes_in_order(const Chip& chip, ReturnClass cls);

/// What an instruction that waits for both leaves outstanding at most.
struct LoadAndLgkm {
    std::uint32_t load = 0, lgkm = 0;
};
/// The field of S_WAITCNT, which gfx10 lays out otherwise than gfx11.
LoadAndLgkm waitcnt_field(const Chip& chip, std::uint32_t field);
/// The field of S_WAIT_LOADCNT_DSCNT.
LoadAndLgkm loadcnt_dscnt_field(std::uint32_t field);

} // namespace pm::isa
