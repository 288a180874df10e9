// What the API tells of a kernel before it runs.
#pragma once

#include "peacemaker/hip/registration.h"

namespace pm::hip {

struct KernelFacts {
    const Chip* chip = nullptr;
    const Kernel* kernel = nullptr; // null where the module has no such kernel
    std::uint32_t max_block = 0;    // work-items
    std::uint32_t dynamic_lds = 0;  // bytes that a launch may add to the static ones
};

KernelFacts facts_of(Runtime& runtime, const Function& function);

/// Compute units that a device has: one a core of the host.
std::uint32_t compute_units();

} // namespace pm::hip
