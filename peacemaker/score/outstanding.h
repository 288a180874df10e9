// How many operations a counter can hold where an instruction runs, at most, on any path: what proves that a wait does
// nothing.
//
// A kernel begins with nothing outstanding. An operation raises its counters (lift/structure.h), a scalar one by two: a
// load of several words counts so. A wait "counter <= n" leaves n. Where paths join, the larger number counts, and
// numbers past the counter's capacity stay there. So a number here is never less than what the hardware counts.
// Cache invalidations (gfx12's global_inv, which the load counter counts) are counted apart as well: nothing waits for
// one, since the wave's later loads follow it in order (llvm/lib/Target/AMDGPU/SIMemoryLegalizer.cpp,
// SIGfx12CacheControl::insertAcquire, puts no wait behind it).
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/lift/file.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <map>
#include <string>

namespace pm::score {

/// How many operations a counter may hold, and how many of them are more than invalidations.
struct Held {
    std::uint32_t all = 0, with_effect = 0;
};

/// By counter (vmcnt, dscnt, ..) that any operation of the kernel raises.
using Outstanding = std::map<std::string, Held, std::less<>>;

/// What may be outstanding before each instruction that control reaches, by bytes from the kernel's entry. Error: a
/// kernel whose control cannot be followed, or that cannot be read as a whole.
/// `lifted` is the object's file.
Result<std::map<std::uint64_t, Outstanding>> outstanding_before(const CodeObject& object, const lift::File& lifted,
                                                                const Kernel& kernel);

} // namespace pm::score
