// Fixed points of the kernel ABI that launch and memory instructions agree on (llvm/docs/AMDGPUUsage.rst, "Initial
// kernel execution state").
#pragma once

#include <cstdint>

namespace pm::emu {

/// Base of the private segment's buffer resource on gfx10: 48 bits, outside every host address.
inline constexpr std::uint64_t kScratchAperture = 0x800000000000ull;

} // namespace pm::emu
