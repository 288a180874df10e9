#include "peacemaker/hip/kernel_facts.h"

#include <algorithm>
#include <thread>

namespace pm::hip {

KernelFacts facts_of(Runtime& runtime, const Function& function) {
    KernelFacts facts;
    facts.chip = runtime.devices[static_cast<std::size_t>(function.device)]->chip;
    facts.kernel = emu::code_object_of(*function.code).find_kernel(function.kernel);
    if (facts.kernel == nullptr) return facts;
    const Resources& use = facts.kernel->resources;
    facts.max_block = std::min(use.max_block, facts.chip->max_workgroup);
    facts.dynamic_lds = use.lds < facts.chip->lds_bytes ? facts.chip->lds_bytes - use.lds : 0;
    return facts;
}

std::uint32_t compute_units() { return std::max(1U, std::thread::hardware_concurrency()); }

} // namespace pm::hip
