#include "peacemaker/emu/buffer.h"

namespace pm::emu {
namespace {

std::uint32_t field(std::uint32_t word, std::uint32_t shift, std::uint32_t width) {
    return (word >> shift) & ((1u << width) - 1u);
}

} // namespace

BufferResource buffer_resource(const Wave& wave, Register first) {
    const auto word = [&](unsigned i) { return wave.scalar(static_cast<Register>(first + i)); };
    // Swizzling: bit 31 of the second word on gfx10, bits 31:30 from gfx11 on.
    const bool gfx10 = wave.worker->chip->generation == 10;
    const bool swizzled = field(word(1), gfx10 ? 31 : 30, gfx10 ? 1 : 2) != 0;
    const bool adds_lane = field(word(3), 23, 1) != 0, is_image = field(word(3), 30, 2) != 0;
    BufferResource r;
    r.base = word(0) | static_cast<std::uint64_t>(field(word(1), 0, 16)) << 32;
    r.stride = field(word(1), 16, 14);
    r.records = word(2);
    r.check = static_cast<RangeCheck>(field(word(3), 28, 2));
    r.special = swizzled || adds_lane || is_image;
    return r;
}

} // namespace pm::emu
