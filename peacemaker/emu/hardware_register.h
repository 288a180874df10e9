// What S_GETREG and S_SETREG name: a field of a hardware register (llvm/lib/Target/AMDGPU/SIDefines.h, Hwreg).
#pragma once

#include <cstdint>

namespace pm::emu {

inline constexpr std::uint32_t kHardwareMode = 1;
inline constexpr std::uint32_t kHardwareCyclesLow = 29, kHardwareCyclesHigh = 30;   // the second one from gfx12 on
inline constexpr std::uint32_t kHardwareScratchLow = 20, kHardwareScratchHigh = 21; // gfx10

/// A field of `size` bits (1..32) from bit `offset` of register `id`.
struct HardwareField {
    std::uint32_t id = 0, offset = 0, size = 32;
    std::uint32_t mask() const { return (size >= 32 ? ~0u : (1u << size) - 1u) << offset; }
};

/// The 16-bit constant of the instruction taken apart.
constexpr HardwareField hardware_field(std::uint32_t constant) {
    return {constant & 63u, (constant >> 6) & 31u, ((constant >> 11) & 31u) + 1};
}

} // namespace pm::emu
