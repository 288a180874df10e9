// Data formats of buffers: how many bits each component has, and what number they stand for. Typed buffer instructions
// name one by number, format instructions of untyped buffers take the resource's.
//
// Integers and floats travel as they are, as far as they fit. unorm and snorm numbers are rounded to the nearest; f32
// to fp16 towards zero (RDNA ISA documents, "D16 instructions"). What no document says is refused: an integer that does
// not fit, a float that a format without a sign or with few bits cannot hold.
//
// Sources: llvm/lib/Target/AMDGPU/Utils/AMDGPUAsmUtils.cpp (UfmtSymbolicGFX10, UfmtSymbolicGFX11) for the numbers;
// Mesa, src/amd/common/ac_formats.c for the order of the components (the last one named lies lowest in 10_11_11 and its
// like); RDNA ISA documents, "Buffer data", "D16 instructions".
#pragma once

#include "peacemaker/chip/chip.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pm::emu {

enum class Numbers : std::uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat };

struct BufferFormat {
    std::string_view name;              // without BUF_FMT_
    std::array<std::uint8_t, 4> bits{}; // of X, Y, Z and W, from the lowest on; 0: there is none
    Numbers numbers{};
    bool from_gfx11 = true; // later chips have it, too

    std::uint32_t components() const;
    std::uint32_t bytes() const;
    bool integer() const { return numbers == Numbers::kUint || numbers == Numbers::kSint; }
};

/// The format of that number, or null: 0 (no buffer is bound) and reserved ones.
const BufferFormat* buffer_format(const Chip& chip, std::uint32_t number);

/// All formats, in the order of gfx10's numbers from 1 on.
std::span<const BufferFormat> buffer_formats();

/// A register's bits (the low 16 of them where `halves`) for the bits of a component; nothing where no document says.
std::optional<std::uint32_t> from_component(const BufferFormat& format, std::uint32_t component, std::uint32_t bits,
                                            bool halves);
/// The bits of a component for a register's.
std::optional<std::uint32_t> to_component(const BufferFormat& format, std::uint32_t component, std::uint32_t value,
                                          bool halves);

/// Where a component lies in the dwords of an element.
struct ComponentPlace {
    std::uint32_t word = 0, shift = 0, mask = 0; // the mask of its bits before the shift
};
ComponentPlace place_of_component(const BufferFormat& format, std::uint32_t component);

} // namespace pm::emu
