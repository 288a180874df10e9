// LDS instructions: loads, stores, atomics, and the lane permutations that use its crossbar.
//
// Operations of one wave take effect in issue order, so a value is read and written when the instruction issues; the
// registers it fills are in flight until a wait (waits.h), and other waves are ordered by barriers alone (workgroup.h).
//
// Sources: RDNA ISA documents, chapter "Local data share operations" and the DS instruction listings.
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"
#include "peacemaker/emu/workgroup.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

using Words = u32[4][kLanes];

// A lane's byte address; false (and a finding) where the access does not fit into the LDS that the launch declared.
bool address_of(Wave& wave, const Inst& inst, u32 lane, i64 offset, u32 bytes, u32& at) {
    const u64 wanted = wave.v[inst.memory.address][lane] + static_cast<u64>(offset);
    const u64 size = wave.group->lds.size();
    if (wanted + bytes <= size) {
        at = static_cast<u32>(wanted);
        return true;
    }
    report(wave, FindingKind::kLdsOutOfBounds, lane, wanted,
           fmt::format("{} bytes at LDS byte {} of {}", bytes, wanted, size));
    return false;
}

template <typename F>
void for_each_active(const Wave& wave, F f) {
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((wave.exec() >> lane) & 1u) != 0) f(lane);
}

// An operation that fills no register still counts.
void count(Wave& wave) { issue(wave, {ReturnClass::kLdsOp, isa::kNull, 0, 0, isa::Half::kWhole}); }

void load_bytes(Wave& wave, u32 lane, u32 at, u32 bytes, u32 first_word, Words& words, Words& undefined) {
    note_access(wave, lane, at, bytes, false, false);
    for (u32 i = 0; i < bytes; ++i) {
        words[first_word + i / 4][lane] |= static_cast<u32>(wave.group->lds[at + i]) << (8 * (i % 4));
        undefined[first_word + i / 4][lane] |= static_cast<u32>(wave.group->undefined[at + i]) << (8 * (i % 4));
    }
}

void store_bytes(Wave& wave, u32 lane, u32 at, u32 bytes, Register first, u32 shift) {
    note_access(wave, lane, at, bytes, true, false);
    for (u32 i = 0; i < bytes; ++i) {
        const auto r = static_cast<Register>(first + i / 4);
        const u32 by = shift + 8 * (i % 4);
        wave.group->lds[at + i] = static_cast<u8>(wave.v[r][lane] >> by);
        wave.group->undefined[at + i] = static_cast<u8>(wave.undefined_word(r, lane) >> by);
    }
}

void lds_load(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    Words words = {}, undefined = {};
    for_each_active(wave, [&](u32 lane) {
        u32 at = 0;
        if (address_of(wave, inst, lane, inst.memory.offset, inst.row->bytes, at))
            load_bytes(wave, lane, at, inst.row->bytes, 0, words, undefined);
    });
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

void lds_store(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    count(wave);
    for_each_active(wave, [&](u32 lane) {
        u32 at = 0;
        if (address_of(wave, inst, lane, inst.memory.offset, inst.row->bytes, at))
            store_bytes(wave, lane, at, inst.row->bytes, inst.memory.data, inst.row->high ? 16 : 0);
    });
}

// Two accesses at offsets counted in elements (times 64 in the stride forms).
template <u32 Stride>
void lds_load2(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    Words words = {}, undefined = {};
    const u32 bytes = inst.row->bytes / 2;
    for_each_active(wave, [&](u32 lane) {
        for (u32 half = 0; half < 2; ++half) {
            const i64 offset = (half == 0 ? inst.memory.offset : inst.memory.second_offset) * bytes * Stride;
            u32 at = 0;
            if (address_of(wave, inst, lane, offset, bytes, at))
                load_bytes(wave, lane, at, bytes, half * bytes / 4, words, undefined);
        }
    });
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

template <u32 Stride>
void lds_store2(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    count(wave);
    const u32 bytes = inst.row->bytes / 2;
    for_each_active(wave, [&](u32 lane) {
        for (u32 half = 0; half < 2; ++half) {
            const i64 offset = (half == 0 ? inst.memory.offset : inst.memory.second_offset) * bytes * Stride;
            u32 at = 0;
            if (address_of(wave, inst, lane, offset, bytes, at))
                store_bytes(wave, lane, at, bytes, half == 0 ? inst.memory.data : inst.memory.second_data, 0);
        }
    });
}

// --- atomics: lanes in order, each seeing what the one before left
// -----------------------------------------------------

u64 lane_value(const Wave& wave, Register r, u32 lane, u32 bytes) {
    return wave.v[r][lane] | (bytes == 8 ? static_cast<u64>(wave.v[r + 1][lane]) << 32 : 0u);
}

bool lane_undefined(const Wave& wave, Register r, u32 lane, u32 bytes) {
    for (u32 k = 0; k < bytes / 4; ++k)
        if (wave.undefined_word(static_cast<Register>(r + k), lane) != 0) return true;
    return false;
}

using AtomicOp = u64 (*)(u64 memory, u64 data, u64 second);

template <AtomicOp Op, bool Returns>
void lds_atomic(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    const u32 bytes = inst.row->bytes;
    const MemoryOperands& m = inst.memory;
    Words words = {}, undefined = {};
    for_each_active(wave, [&](u32 lane) {
        u32 at = 0;
        if (!address_of(wave, inst, lane, m.offset, bytes, at)) return;
        note_access(wave, lane, at, bytes, true, true);
        u64 old = 0;
        std::memcpy(&old, wave.group->lds.data() + at, bytes);
        u8* const masks = wave.group->undefined.data() + at;
        const bool unknown = std::any_of(masks, masks + bytes, [](u8 b) { return b != 0; });
        const Register second = m.second_data == isa::kNull ? m.operand : m.second_data;
        const u64 result = Op(old, lane_value(wave, m.operand, lane, bytes), lane_value(wave, second, lane, bytes));
        std::memcpy(wave.group->lds.data() + at, &result, bytes);
        for (u32 k = 0; k < bytes / 4; ++k) {
            words[k][lane] = static_cast<u32>(old >> (32 * k));
            undefined[k][lane] = unknown ? ~0u : 0u;
        }
        const bool taints =
            unknown || lane_undefined(wave, m.operand, lane, bytes) || lane_undefined(wave, second, lane, bytes);
        std::fill_n(masks, bytes, taints ? u8{0xff} : u8{0});
    });
    if constexpr (Returns)
        deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
    else
        count(wave);
}

template <typename T>
u64 add(u64 m, u64 d, u64) {
    return static_cast<T>(m + d);
}
template <typename T>
u64 sub(u64 m, u64 d, u64) {
    return static_cast<T>(m - d);
}
template <typename T>
u64 smallest(u64 m, u64 d, u64) {
    return static_cast<u64>(static_cast<std::make_unsigned_t<T>>(std::min(static_cast<T>(m), static_cast<T>(d))));
}
template <typename T>
u64 largest(u64 m, u64 d, u64) {
    return static_cast<u64>(static_cast<std::make_unsigned_t<T>>(std::max(static_cast<T>(m), static_cast<T>(d))));
}
template <typename T>
u64 both(u64 m, u64 d, u64) {
    return static_cast<T>(m & d);
}
template <typename T>
u64 either(u64 m, u64 d, u64) {
    return static_cast<T>(m | d);
}
template <typename T>
u64 differ(u64 m, u64 d, u64) {
    return static_cast<T>(m ^ d);
}
template <typename T>
u64 exchange(u64, u64 d, u64) {
    return static_cast<T>(d);
}
template <typename T>
u64 increment(u64 m, u64 d, u64) {
    return static_cast<T>(m) >= static_cast<T>(d) ? 0 : static_cast<T>(m + 1);
}
template <typename T>
u64 decrement(u64 m, u64 d, u64) {
    return static_cast<T>(m) == 0 || static_cast<T>(m) > static_cast<T>(d) ? static_cast<T>(d) : static_cast<T>(m - 1);
}
// gfx10 CMPST: the first data is compared with; gfx11 and later CMPSTORE: the first data is stored.
template <typename T>
u64 compare_first(u64 m, u64 d, u64 s) {
    return static_cast<T>(m) == static_cast<T>(d) ? static_cast<T>(s) : static_cast<T>(m);
}
template <typename T>
u64 compare_second(u64 m, u64 d, u64 s) {
    return static_cast<T>(m) == static_cast<T>(s) ? static_cast<T>(d) : static_cast<T>(m);
}

// --- lane permutations
// ------------------------------------------------------------------------------------------------

void deliver_lanes(Wave& wave, const Inst& inst, const u32* value, const u32* undefined) {
    Words words = {}, masks = {};
    std::copy(value, value + kLanes, words[0]);
    std::copy(undefined, undefined + kLanes, masks[0]);
    deliver(wave, inst, ReturnClass::kLdsOp, words, masks, wave.exec());
}

u32 undefined_bits(const Wave& wave, Register r, u32 lane) { return wave.undefined_word(r, lane); }

// Each lane reads the lane its address names; an inactive one gives 0.
void bpermute(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    require_defined_lanes(wave, m.address, wave.exec(), "a lane number");
    u32 value[kLanes] = {}, undefined[kLanes] = {};
    for_each_active(wave, [&](u32 lane) {
        const u32 from = ((wave.v[m.address][lane] + static_cast<u32>(m.offset)) / 4) & 31u;
        if (((wave.exec() >> from) & 1u) == 0) return;
        value[lane] = wave.v[m.operand][from];
        undefined[lane] = undefined_bits(wave, m.operand, from);
    });
    deliver_lanes(wave, inst, value, undefined);
}

// Each lane writes the lane its address names; the highest writer wins, a lane nobody writes gets 0.
void permute(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    require_defined_lanes(wave, m.address, wave.exec(), "a lane number");
    u32 value[kLanes] = {}, undefined[kLanes] = {};
    for_each_active(wave, [&](u32 lane) {
        const u32 to = ((wave.v[m.address][lane] + static_cast<u32>(m.offset)) / 4) & 31u;
        value[to] = wave.v[m.operand][lane];
        undefined[to] = undefined_bits(wave, m.operand, lane);
    });
    deliver_lanes(wave, inst, value, undefined);
}

// offset bit 15: four lanes by 2-bit selectors; else and/or/xor masks of five bits on the lane number. Inactive sources
// give 0.
void swizzle(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    const auto pattern = static_cast<u32>(m.offset);
    if ((pattern & 0xe000u) == 0xe000u || (pattern & 0xe000u) == 0xc000u) {
        stop_unsupported(wave, "unsupported swizzle pattern");
        return;
    }
    u32 value[kLanes] = {}, undefined[kLanes] = {};
    for_each_active(wave, [&](u32 lane) {
        const u32 from = (pattern & 0x8000u) != 0
                             ? (lane & ~3u) | ((pattern >> (2 * (lane & 3u))) & 3u)
                             : (((lane & pattern & 31u) | ((pattern >> 5) & 31u)) ^ ((pattern >> 10) & 31u)) & 31u;
        if (((wave.exec() >> from) & 1u) == 0) return;
        value[lane] = wave.v[m.address][from];
        undefined[lane] = undefined_bits(wave, m.address, from);
    });
    deliver_lanes(wave, inst, value, undefined);
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row row(std::string_view name, Handler handler, u8 bytes, LdsForm form, Extend extend = Extend::kNone) {
    Row r;
    r.name = name;
    r.unit = Unit::kLds;
    r.handler = handler;
    r.bytes = bytes;
    r.lds_form = form;
    r.store = form == LdsForm::kStore || form == LdsForm::kStore2;
    r.extend = extend;
    return r;
}
constexpr Row d16(Row r, bool high) {
    r.half = !r.store;
    r.high = high;
    return r;
}

constexpr LdsForm kLoad = LdsForm::kLoad, kStore = LdsForm::kStore;

#define HKC_ATOMIC(NAME, suffix, bytes, op)                                                                            \
    row("DS_" NAME "_" suffix, lds_atomic<op, false>, bytes, LdsForm::kAtomic),                                        \
        row("DS_" NAME "_RTN_" suffix, lds_atomic<op, true>, bytes, LdsForm::kAtomicReturn)
#define HKC_ATOMICS(suffix_u, suffix_i, suffix_b, bytes, U, I)                                                         \
    HKC_ATOMIC("ADD", suffix_u, bytes, add<U>), HKC_ATOMIC("SUB", suffix_u, bytes, sub<U>),                            \
        HKC_ATOMIC("MIN", suffix_u, bytes, smallest<U>), HKC_ATOMIC("MAX", suffix_u, bytes, largest<U>),               \
        HKC_ATOMIC("MIN", suffix_i, bytes, smallest<I>), HKC_ATOMIC("MAX", suffix_i, bytes, largest<I>),               \
        HKC_ATOMIC("AND", suffix_b, bytes, both<U>), HKC_ATOMIC("OR", suffix_b, bytes, either<U>),                     \
        HKC_ATOMIC("XOR", suffix_b, bytes, differ<U>), HKC_ATOMIC("INC", suffix_u, bytes, increment<U>),               \
        HKC_ATOMIC("DEC", suffix_u, bytes, decrement<U>),                                                              \
        row("DS_WRXCHG_RTN_" suffix_b, lds_atomic<exchange<U>, true>, bytes, LdsForm::kAtomicReturn),                  \
        HKC_ATOMIC("CMPST", suffix_b, bytes, compare_first<U>),                                                        \
        HKC_ATOMIC("CMPSTORE", suffix_b, bytes, compare_second<U>)

constexpr Row kRows[] = {
    row("DS_READ_U8", lds_load, 1, kLoad, Extend::kZero),
    row("DS_READ_I8", lds_load, 1, kLoad, Extend::kSign),
    row("DS_READ_U16", lds_load, 2, kLoad, Extend::kZero),
    row("DS_READ_I16", lds_load, 2, kLoad, Extend::kSign),
    row("DS_READ_B32", lds_load, 4, kLoad),
    row("DS_READ_B64", lds_load, 8, kLoad),
    row("DS_READ_B96", lds_load, 12, kLoad),
    row("DS_READ_B128", lds_load, 16, kLoad),
    d16(row("DS_READ_U8_D16", lds_load, 1, kLoad, Extend::kZero), false),
    d16(row("DS_READ_U8_D16_HI", lds_load, 1, kLoad, Extend::kZero), true),
    d16(row("DS_READ_I8_D16", lds_load, 1, kLoad, Extend::kSign), false),
    d16(row("DS_READ_I8_D16_HI", lds_load, 1, kLoad, Extend::kSign), true),
    d16(row("DS_READ_U16_D16", lds_load, 2, kLoad, Extend::kZero), false),
    d16(row("DS_READ_U16_D16_HI", lds_load, 2, kLoad, Extend::kZero), true),
    row("DS_READ2_B32", lds_load2<1>, 8, LdsForm::kLoad2),
    row("DS_READ2_B64", lds_load2<1>, 16, LdsForm::kLoad2),
    row("DS_READ2ST64_B32", lds_load2<64>, 8, LdsForm::kLoad2),
    row("DS_READ2ST64_B64", lds_load2<64>, 16, LdsForm::kLoad2),
    row("DS_WRITE_B8", lds_store, 1, kStore),
    row("DS_WRITE_B16", lds_store, 2, kStore),
    row("DS_WRITE_B32", lds_store, 4, kStore),
    row("DS_WRITE_B64", lds_store, 8, kStore),
    row("DS_WRITE_B96", lds_store, 12, kStore),
    row("DS_WRITE_B128", lds_store, 16, kStore),
    d16(row("DS_WRITE_B8_D16_HI", lds_store, 1, kStore), true),
    d16(row("DS_WRITE_B16_D16_HI", lds_store, 2, kStore), true),
    row("DS_WRITE2_B32", lds_store2<1>, 8, LdsForm::kStore2),
    row("DS_WRITE2_B64", lds_store2<1>, 16, LdsForm::kStore2),
    row("DS_WRITE2ST64_B32", lds_store2<64>, 8, LdsForm::kStore2),
    row("DS_WRITE2ST64_B64", lds_store2<64>, 16, LdsForm::kStore2),
    HKC_ATOMICS("U32", "I32", "B32", 4, u32, i32),
    HKC_ATOMICS("U64", "I64", "B64", 8, u64, i64),
    row("DS_BPERMUTE_B32", bpermute, 4, LdsForm::kPermute),
    row("DS_PERMUTE_B32", permute, 4, LdsForm::kPermute),
    row("DS_SWIZZLE_B32", swizzle, 4, kLoad),
};
#undef HKC_ATOMIC
#undef HKC_ATOMICS

} // namespace

std::span<const Row> lds_rows() { return kRows; }

} // namespace pm::emu
