#include "peacemaker/emu/loads.h"

#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

namespace pm::emu {

using u32 = std::uint32_t;

u32 extended(u32 value, const Row& row) {
    if (row.extend == Extend::kNone) return value;
    const u32 width = 8u * row.bytes;
    if (row.extend == Extend::kZero || width == 32) return value;
    const u32 sign = 1u << (width - 1);
    return (value ^ sign) - sign;
}

u32 extended_mask(u32 mask, const Row& row) {
    const u32 sign = 8u * row.bytes - 1u;
    return row.extend == Extend::kSign && ((mask >> sign) & 1u) != 0 ? mask | ~0u << sign : mask;
}

void deliver(Wave& wave, const Inst& inst, ReturnClass cls, const u32 (*words)[kLanes], const u32 (*undefined)[kLanes],
             u32 lanes) {
    const MemoryOperands& m = inst.memory;
    const Row& row = *inst.row;
    const isa::Half half = !row.half ? isa::Half::kWhole : row.high ? isa::Half::kHigh : isa::Half::kLow;
    issue(wave, {cls, m.data, m.data_dwords, lanes, half});
    for (u32 k = 0; k < m.data_dwords; ++k) {
        const auto r = static_cast<Register>(m.data + k);
        u32* const to = wave.v[r];
        for (u32 lane = 0; lane < kLanes; ++lane) {
            if (((lanes >> lane) & 1u) == 0) continue;
            const u32 value = extended(words[k][lane], row);
            if (half == isa::Half::kWhole)
                to[lane] = value;
            else if (half == isa::Half::kLow)
                to[lane] = (to[lane] & 0xffff0000u) | (value & 0xffffu);
            else
                to[lane] = (to[lane] & 0xffffu) | value << 16;
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
