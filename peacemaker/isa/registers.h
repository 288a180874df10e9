// Register numbers of the lifted program: one dense space for vector and scalar registers.
#pragma once

#include <cstdint>
#include <string_view>

namespace pm::isa {

/// Registers 0..255 are v0..v255; scalar ones follow, at kScalar plus a fixed number.
using Register = std::uint16_t;

inline constexpr Register kScalar = 256;
inline constexpr Register kVccLo = kScalar + 106;
inline constexpr Register kTtmp0 = kScalar + 108;
inline constexpr Register kM0 = kScalar + 124;
inline constexpr Register kNull = kScalar + 125;
inline constexpr Register kExecLo = kScalar + 126;
inline constexpr Register kScc = kScalar + 128;
inline constexpr Register kFlatScratchLo = kScalar + 130;
inline constexpr Register kSharedBaseLo = kScalar + 132;
inline constexpr Register kSharedLimitLo = kScalar + 134;
inline constexpr Register kPrivateBaseLo = kScalar + 136;
inline constexpr Register kPrivateLimitLo = kScalar + 138;
inline constexpr Register kMode = kScalar + 140;
inline constexpr Register kRegisterCount = kScalar + 144;

inline constexpr bool is_vector(Register r) { return r < kScalar; }

/// Which 16 bits of a 32-bit register an operand names.
enum class Half : std::uint8_t { kWhole, kLow, kHigh };

/// A register or a run of them, as an operand names it. `dwords` is 0 for a register that the device does not model.
struct RegisterRef {
    Register first = kNull;
    std::uint8_t dwords = 0;
    Half half = Half::kWhole;
};

/// The register an LLVM MC name stands for (`VGPR2_VGPR3`, `SGPR4`, `VCC_LO`, `VGPR2_HI16`, `TTMP7_gfx9plus`, ..).
RegisterRef register_of_mc_name(std::string_view name);

} // namespace pm::isa
