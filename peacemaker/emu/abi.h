// Fixed points of the kernel ABI that launch and memory instructions agree on (llvm/docs/AMDGPUUsage.rst, "Initial
// kernel execution state").
#pragma once

#include <cstdint>

namespace pm::emu {

/// Base of the private segment's buffer resource on gfx10, and what FLAT_SCRATCH holds there: 48 bits, outside every
/// host address.
inline constexpr std::uint64_t kScratchAperture = 0x800000000000ull;

/// Scratch of a work-item, at least, where the kernel cannot tell how deep its calls go (recursion, calls through
/// pointers): HIP's default stack limit.
inline constexpr std::uint32_t kDynamicStackBytes = 1024;

/// Flat addresses of the workgroup's LDS and of the work-item's scratch: 2^32 bytes from each base, outside every host
/// address (the bases that the Linux driver chooses for gfx9 and later; any would do).
inline constexpr std::uint64_t kSharedAperture = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kPrivateAperture = std::uint64_t{2} << 48;
inline constexpr std::uint64_t kApertureBytes = std::uint64_t{1} << 32;

/// Where pointers lead that a kernel is given and that stand for nothing here: 2^32 bytes each, outside every host
/// address. Following one is no fault of the kernel's.
inline constexpr std::uint64_t kAbsentAperture = std::uint64_t{3} << 48;
enum class Absent : std::uint8_t {
    kQueue,
    kPrintf,
    kHeap,
    kDefaultQueue,
    kCompletionAction,
    kMultigridSync,
    kCount,
};
constexpr std::uint64_t absent_pointer(Absent what) {
    return kAbsentAperture + static_cast<std::uint64_t>(what) * kApertureBytes;
}

} // namespace pm::emu
