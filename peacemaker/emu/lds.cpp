#include "peacemaker/emu/lds.h"

#include "peacemaker/emu/atomic_operands.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"
#include "peacemaker/emu/workgroup.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace pm::emu {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

bool fits_lds(Wave& wave, u32 lane, u64 at, u32 bytes) {
    const u64 size = wave.group->lds.size();
    if (bytes <= size && at <= size - bytes) return true;
    report(wave, FindingKind::kLdsOutOfBounds, lane, at, fmt::format("{} bytes at LDS byte {} of {}", bytes, at, size));
    return false;
}

void read_lds(Wave& wave, u32 lane, u32 at, u32 bytes, u32 first_word, LaneWords& words, LaneWords& undefined) {
    note_access(wave, lane, at, bytes, LdsAccess::kRead);
    const u8* const values = wave.group->lds.data() + at;
    const u8* const masks = wave.group->undefined.data() + at;
    for (u32 i = 0; i < bytes; i += 4) {
        u32 word = 0, mask = 0;
        if (bytes - i >= 4) {
            std::memcpy(&word, values + i, 4);
            std::memcpy(&mask, masks + i, 4);
        } else {
            std::memcpy(&word, values + i, bytes - i);
            std::memcpy(&mask, masks + i, bytes - i);
        }
        words[first_word + i / 4][lane] |= word;
        undefined[first_word + i / 4][lane] |= mask;
    }
}

bool read_lds_words(Wave& wave, u32 lanes, const u32* at, u32 bytes, u32 first_word, LaneWords& words,
                    LaneWords& undefined) {
    const u64 size = wave.group->lds.size();
    if (bytes % kWordBytes != 0 || bytes > size) return false;
    u32 highest = 0, low_bits = 0;
    for (u32 i = 0; i < kLanes; ++i) {
        const u32 counted = ((lanes >> i) & 1u) != 0 ? at[i] : 0u;
        highest = std::max(highest, counted);
        low_bits |= counted;
    }
    if (highest > size - bytes || low_bits % kWordBytes != 0) return false;
    note_words(wave, lanes, at, bytes, LdsAccess::kRead);
    const u8* const values = wave.group->lds.data();
    const u8* const masks = wave.group->undefined.data();
    for (u32 k = 0; k < bytes / kWordBytes; ++k)
        for (u32 lane = 0; lane < kLanes; ++lane) {
            if (((lanes >> lane) & 1u) == 0) continue;
            std::memcpy(&words[first_word + k][lane], values + at[lane] + k * kWordBytes, kWordBytes);
            std::memcpy(&undefined[first_word + k][lane], masks + at[lane] + k * kWordBytes, kWordBytes);
        }
    return true;
}

void write_lds(Wave& wave, u32 lane, u32 at, u32 bytes, Register first, u32 shift) {
    note_access(wave, lane, at, bytes, LdsAccess::kWrite);
    for (u32 i = 0; i < bytes; i += 4) {
        const auto r = static_cast<Register>(first + i / 4);
        const u32 word = wave.v[r][lane] >> shift, mask = wave.undefined_word(r, lane) >> shift;
        const u32 count = std::min(4u, bytes - i);
        std::memcpy(wave.group->lds.data() + at + i, &word, count);
        std::memcpy(wave.group->undefined.data() + at + i, &mask, count);
    }
}

bool lds_address_of_wave(Wave& wave, const Inst& inst, u32& at) {
    require_defined_scalar(wave, isa::kM0, 1, "an LDS address");
    const u32 base = wave.scalar(isa::kM0);
    if (base > 0xffffu) stop_unsupported(wave, "unsupported LDS base in M0 (over 16 bits)");
    at = base + static_cast<u32>(inst.memory.offset);
    return base <= 0xffffu;
}

void load_to_lds(Wave& wave, const Inst& inst, const u32* words, const u32* undefined, u32 lanes) {
    u32 first = 0;
    if (!lds_address_of_wave(wave, inst, first)) return;
    first += 4 * wave.first_lane;
    Outstanding load{.cls = ReturnClass::kVectorLoad};
    load.to_lds = true;
    issue(wave, load);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        const u32 at = first + 4 * lane;
        if (((lanes >> lane) & 1u) == 0 || !fits_lds(wave, lane, at, 4)) continue;
        note_access(wave, lane, at, 4, LdsAccess::kLateWrite);
        const u32 word = extended(words[lane], *inst.row);
        const u32 masks = undefined != nullptr ? extended_mask(undefined[lane], *inst.row) : 0;
        std::memcpy(wave.group->lds.data() + at, &word, 4);
        std::memcpy(wave.group->undefined.data() + at, &masks, 4);
    }
}

namespace {

struct Old {
    u64 value = 0, masks = 0;
};

// One atomic: `change` gives the new value and its masks from the old ones.
template <typename F>
Old update(Wave& wave, u32 lane, u32 at, u32 bytes, F change) {
    note_access(wave, lane, at, bytes, LdsAccess::kAtomic);
    Old old;
    std::memcpy(&old.value, wave.group->lds.data() + at, bytes);
    std::memcpy(&old.masks, wave.group->undefined.data() + at, bytes);
    const Old after = change(old);
    std::memcpy(wave.group->lds.data() + at, &after.value, bytes);
    std::memcpy(wave.group->undefined.data() + at, &after.masks, bytes);
    return old;
}

bool takes_atomic(Wave& wave, u32 lane, u64 at, u32 bytes) {
    return fits_lds(wave, lane, at, bytes) && aligned(wave, lane, at, bytes);
}

} // namespace

void update_lds(Wave& wave, const Inst& inst, u32 lane, u64 at, LaneWords& words, LaneWords& undefined) {
    const u32 bytes = inst.row->bytes;
    if (!takes_atomic(wave, lane, at, bytes)) return;
    const AtomicOperands operands = atomic_operands(wave, inst, lane);
    const Old old = update(wave, lane, static_cast<u32>(at), bytes, [&](const Old& o) {
        return Old{inst.row->atomic(o.value, operands.data, operands.second), masks_after(inst, operands, o.masks)};
    });
    put_old(lane, bytes, 0, old.value, old.masks, words, undefined);
}

void exchange_lds(Wave& wave, u32 lane, u32 at, u32 bytes, Register data, u32 first_word, LaneWords& words,
                  LaneWords& undefined) {
    if (!takes_atomic(wave, lane, at, bytes)) return;
    const Old old = update(wave, lane, at, bytes, [&](const Old&) {
        Old after;
        for (u32 k = 0; k < bytes / 4; ++k) {
            const auto r = static_cast<Register>(data + k);
            after.value |= static_cast<u64>(wave.v[r][lane]) << (32 * k);
            after.masks |= static_cast<u64>(wave.undefined_word(r, lane)) << (32 * k);
        }
        return after;
    });
    put_old(lane, bytes, first_word, old.value, old.masks, words, undefined);
}

void add_lds(Wave& wave, u32 lane, u32 at, u32 value, LaneWords& words, LaneWords& undefined) {
    if (!takes_atomic(wave, lane, at, 4)) return;
    const Old old = update(wave, lane, at, 4, [&](const Old& o) {
        return Old{static_cast<u32>(o.value + value), o.masks != 0 ? ~u64{0} : 0};
    });
    for (u32 i = 0; i < kLanes; ++i) put_old(i, 4, 0, old.value, old.masks, words, undefined);
}

} // namespace pm::emu
