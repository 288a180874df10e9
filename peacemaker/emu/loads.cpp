#include "peacemaker/emu/loads.h"

#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

#include <array>

namespace pm::emu {

using u32 = std::uint32_t;

namespace {

/// The sign bit of a value that is to be extended by it, 0 for any other.
u32 sign_to_extend(const Row& row) {
    return row.extend == Extend::kSign && row.bytes < 4 ? 1u << (8u * row.bytes - 1) : 0;
}

u32 extended_by(u32 value, u32 sign) { return (value ^ sign) - sign; }

constexpr std::array<u32, kLanes> kLaneBits = [] {
    std::array<u32, kLanes> bits{};
    for (u32 lane = 0; lane < kLanes; ++lane) bits[lane] = 1u << lane;
    return bits;
}();

bool any_bit(const u32 (*words)[kLanes], u32 count) {
    u32 bits = 0;
    for (u32 k = 0; k < count; ++k)
        for (u32 lane = 0; lane < kLanes; ++lane) bits |= words[k][lane];
    return bits != 0;
}

} // namespace

u32 extended(u32 value, const Row& row) { return extended_by(value, sign_to_extend(row)); }

u32 extended_mask(u32 mask, const Row& row) {
    const u32 sign = 8u * row.bytes - 1u;
    return row.extend == Extend::kSign && ((mask >> sign) & 1u) != 0 ? mask | ~0u << sign : mask;
}

void deliver(Wave& wave, const Inst& inst, ReturnClass cls, const u32 (*words)[kLanes], const u32 (*undefined)[kLanes],
             u32 lanes) {
    const MemoryOperands& m = inst.memory;
    const Row& row = *inst.row;
    if (row.to_lds) {
        load_to_lds(wave, inst, words[0], undefined != nullptr ? undefined[0] : nullptr, lanes);
        return;
    }
    const isa::Half half = !row.half ? isa::Half::kWhole : row.high ? isa::Half::kHigh : isa::Half::kLow;
    issue(wave, {cls, m.data, m.data_dwords, lanes, half});
    // An allocation or LDS that has undefined bits somewhere: most loads meet none.
    if (undefined != nullptr && !any_bit(undefined, m.data_dwords)) undefined = nullptr;
    const u32 sign = sign_to_extend(row);
    const u32 shift = half == isa::Half::kHigh ? 16 : 0;
    const u32 taken = half == isa::Half::kWhole ? ~0u : 0xffffu << shift;
    for (u32 k = 0; k < m.data_dwords; ++k) {
        const auto r = static_cast<Register>(m.data + k);
        u32* const to = wave.v[r];
        // Free of branches, so that the compiler makes vectors of it.
        for (u32 lane = 0; lane < kLanes; ++lane) {
            const u32 mask = (lanes & kLaneBits[lane]) != 0 ? taken : 0;
            to[lane] = (to[lane] & ~mask) | (extended_by(words[k][lane], sign) << shift & mask);
        }
        if (undefined == nullptr) {
            set_defined(wave, r, lanes, half);
            continue;
        }
        u32 masks[kLanes];
        for (u32 lane = 0; lane < kLanes; ++lane) {
            const u32 before = wave.undefined_word(r, lane);
            u32 mask = extended_mask(undefined[k][lane], row);
            if (half == isa::Half::kLow) mask = (before & 0xffff0000u) | (mask & 0xffffu);
            if (half == isa::Half::kHigh) mask = (before & 0xffffu) | mask << 16;
            masks[lane] = mask;
        }
        set_undefined(wave, r, masks, lanes);
    }
}

} // namespace pm::emu
