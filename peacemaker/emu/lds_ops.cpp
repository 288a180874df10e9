// LDS instructions: loads, stores, atomics, and the lane permutations that use its crossbar.
//
// Operations of one wave take effect in issue order, so a value is read and written when the instruction issues; the
// registers it fills are in flight until a wait (waits.h), and other waves are ordered by barriers alone (workgroup.h).
//
// Sources: RDNA ISA documents, chapter "Local data share operations" and the DS instruction listings.
#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row_builders.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

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

// The two addends are 32 bits wide, and so is their sum: a base below zero with an offset is right.
u32 address_of(const Wave& wave, const Inst& inst, u32 lane, i64 offset) {
    return wave.v[inst.memory.address][lane] + static_cast<u32>(offset);
}

template <typename F>
void for_each_active(const Wave& wave, F f) {
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((wave.exec() >> lane) & 1u) != 0) f(lane);
}

// An operation that fills no register still counts.
void count(Wave& wave) { issue(wave, {ReturnClass::kLdsOp, isa::kNull, 0, 0, isa::Half::kWhole}); }

// One run of `bytes` bytes of every active lane, to its words from `first_word` on.
void read_lanes(Wave& wave, const Inst& inst, i64 offset, u32 bytes, u32 first_word, LaneWords& words,
                LaneWords& undefined) {
    u32 at[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) at[lane] = address_of(wave, inst, lane, offset);
    if (read_lds_words(wave, wave.exec(), at, bytes, first_word, words, undefined)) return;
    for_each_active(wave, [&](u32 lane) {
        if (fits_lds(wave, lane, at[lane], bytes)) read_lds(wave, lane, at[lane], bytes, first_word, words, undefined);
    });
}

void lds_load(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    LaneWords words = {}, undefined = {};
    read_lanes(wave, inst, inst.memory.offset, inst.row->bytes, 0, words, undefined);
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

void lds_store(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    count(wave);
    for_each_active(wave, [&](u32 lane) {
        const u32 at = address_of(wave, inst, lane, inst.memory.offset);
        if (fits_lds(wave, lane, at, inst.row->bytes))
            write_lds(wave, lane, at, inst.row->bytes, inst.memory.data, inst.row->high ? 16 : 0);
    });
}

// Two accesses at offsets counted in elements (times 64 in the stride forms).
template <u32 Stride>
void lds_load2(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    LaneWords words = {}, undefined = {};
    const u32 bytes = inst.row->bytes / 2;
    read_lanes(wave, inst, inst.memory.offset * bytes * Stride, bytes, 0, words, undefined);
    read_lanes(wave, inst, inst.memory.second_offset * bytes * Stride, bytes, bytes / 4, words, undefined);
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
            const u32 at = address_of(wave, inst, lane, offset);
            if (fits_lds(wave, lane, at, bytes))
                write_lds(wave, lane, at, bytes, half == 0 ? inst.memory.data : inst.memory.second_data, 0);
        }
    });
}

// --- atomics: lanes in order, each seeing what the one before left
// -----------------------------------------------------

void lds_atomic(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    LaneWords words = {}, undefined = {};
    for_each_active(wave, [&](u32 lane) {
        update_lds(wave, inst, lane, address_of(wave, inst, lane, inst.memory.offset), words, undefined);
    });
    if (inst.memory.data_dwords != 0)
        deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
    else
        count(wave);
}

// Each half is written where its top bit is set, without that bit. The address is cut to a multiple of 8 below 64 KiB.
std::uint64_t exchange_flagged(std::uint64_t m, std::uint64_t d, std::uint64_t) {
    const auto half = [](u32 old, u32 data) { return (data >> 31) != 0 ? data & 0x7fffffffu : old; };
    return half(static_cast<u32>(m), static_cast<u32>(d)) |
           static_cast<u64>(half(static_cast<u32>(m >> 32), static_cast<u32>(d >> 32))) << 32;
}

void lds_exchange_flagged(Wave& wave, const Inst& inst) {
    require_defined_lanes(wave, inst.memory.address, wave.exec(), "an LDS address");
    LaneWords words = {}, undefined = {};
    for_each_active(wave, [&](u32 lane) {
        update_lds(wave, inst, lane, address_of(wave, inst, lane, inst.memory.offset) & 0xfff8u, words, undefined);
    });
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

// Two exchanges, at offsets counted like those of the two loads.
template <u32 Stride>
void lds_exchange2(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    require_defined_lanes(wave, m.address, wave.exec(), "an LDS address");
    LaneWords words = {}, undefined = {};
    const u32 bytes = inst.row->bytes / 2;
    for_each_active(wave, [&](u32 lane) {
        for (u32 half = 0; half < 2; ++half) {
            const i64 offset = (half == 0 ? m.offset : m.second_offset) * bytes * Stride;
            exchange_lds(wave, lane, address_of(wave, inst, lane, offset), bytes, half == 0 ? m.operand : m.second_data,
                         half * bytes / 4, words, undefined);
        }
    });
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

// The number of active lanes is added, or taken away, once for the wave; every lane gets what was there.
template <bool Add>
void lds_append(Wave& wave, const Inst& inst) {
    const u64 exec = wave.whole_exec();
    u32 at = 0;
    if (exec == 0 || !lds_address_of_wave(wave, inst, at)) return;
    const auto count = static_cast<u32>(std::popcount(exec)), first = static_cast<u32>(std::countr_zero(exec));
    LaneWords words = {}, undefined = {};
    add_lds(wave.half_of(first), first % kLanes, at, Add ? count : 0u - count, words, undefined);
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
    if (wave.upper != nullptr) deliver(*wave.upper, inst, ReturnClass::kLdsOp, words, undefined, wave.upper->exec());
}

// Lane l at four times l from what M0 and the offset name.
void lds_load_addtid(Wave& wave, const Inst& inst) {
    u32 first = 0;
    if (!lds_address_of_wave(wave, inst, first)) return;
    first += 4 * wave.first_lane;
    LaneWords words = {}, undefined = {};
    for_each_active(wave, [&](u32 lane) {
        if (fits_lds(wave, lane, first + 4 * lane, 4)) read_lds(wave, lane, first + 4 * lane, 4, 0, words, undefined);
    });
    deliver(wave, inst, ReturnClass::kLdsOp, words, undefined, wave.exec());
}

void lds_store_addtid(Wave& wave, const Inst& inst) {
    u32 first = 0;
    if (!lds_address_of_wave(wave, inst, first)) return;
    first += 4 * wave.first_lane;
    count(wave);
    for_each_active(wave, [&](u32 lane) {
        if (fits_lds(wave, lane, first + 4 * lane, 4)) write_lds(wave, lane, first + 4 * lane, 4, inst.memory.data, 0);
    });
}

// --- lane permutations
// ------------------------------------------------------------------------------------------------

void deliver_lanes(Wave& wave, const Inst& inst, const u32* value, const u32* undefined) {
    LaneWords words = {}, masks = {};
    std::copy(value, value + kLanes, words[0]);
    std::copy(undefined, undefined + kLanes, masks[0]);
    deliver(wave, inst, ReturnClass::kLdsOp, words, masks, wave.exec());
}

u32 undefined_bits(const Wave& wave, Register r, u32 lane) { return wave.undefined_word(r, lane); }

// What the lanes of the wave, or of one half of it, get.
struct PermutedLanes {
    u32 value[2 * kLanes] = {}, undefined[2 * kLanes] = {};
};

// Calls f(half, lane of it, lane of the permutation, lane number named) for every active lane, in order.
template <typename F>
void for_each_permuted(Wave& wave, const Inst& inst, u32 lanes, F f) {
    const MemoryOperands& m = inst.memory;
    for (u32 first = 0; first < lanes; first += kLanes) {
        Wave& half = wave.half_of(first);
        require_defined_lanes(half, m.address, half.exec(), "a lane number");
        for_each_active(half, [&](u32 lane) {
            const u32 named = (half.v[m.address][lane] + static_cast<u32>(m.offset)) / 4;
            f(half, lane, first + lane, named % lanes);
        });
    }
}

void deliver_permuted(Wave& wave, const Inst& inst, u32 lanes, const PermutedLanes& permuted) {
    for (u32 first = 0; first < lanes; first += kLanes)
        deliver_lanes(wave.half_of(first), inst, permuted.value + first, permuted.undefined + first);
}

u32 permuted_lanes(const Wave& wave) {
    return wave.upper != nullptr && permutes_whole_wave(*wave.worker->chip) ? 2 * kLanes : kLanes;
}

// Each lane reads the lane its address names; an inactive one gives 0, or its value too.
template <bool FetchInactive>
void bpermute(Wave& wave, const Inst& inst) {
    const Register data = inst.memory.operand;
    const u32 lanes = permuted_lanes(wave);
    PermutedLanes out;
    for_each_permuted(wave, inst, lanes, [&](const Wave&, u32, u32 to, u32 named) {
        const Wave& source = wave.half_of(named);
        const u32 from = named % kLanes;
        if (!FetchInactive && ((source.exec() >> from) & 1u) == 0) return;
        out.value[to] = source.v[data][from];
        out.undefined[to] = undefined_bits(source, data, from);
    });
    deliver_permuted(wave, inst, lanes, out);
}

// Each lane writes the lane its address names; the highest writer wins, a lane nobody writes gets 0.
void permute(Wave& wave, const Inst& inst) {
    const Register data = inst.memory.operand;
    const u32 lanes = permuted_lanes(wave);
    PermutedLanes out;
    for_each_permuted(wave, inst, lanes, [&](const Wave& half, u32 lane, u32, u32 to) {
        out.value[to] = half.v[data][lane];
        out.undefined[to] = undefined_bits(half, data, lane);
    });
    deliver_permuted(wave, inst, lanes, out);
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
    r.store = form == LdsForm::kStore || form == LdsForm::kStore2 || form == LdsForm::kStoreAddTid;
    r.extend = extend;
    return r;
}

constexpr LdsForm kLoad = LdsForm::kLoad, kStore = LdsForm::kStore;

constexpr Row atomic(std::string_view name, u8 bytes, LdsForm form, atomics::Op op) {
    Row r = row(name, lds_atomic, bytes, form);
    r.atomic = op;
    return r;
}

constexpr Row exchanging(Row r) {
    r.atomic = exchange_flagged;
    return r;
}

#define HKC_ATOMIC(NAME, suffix, bytes, op)                                                                            \
    atomic("DS_" NAME "_" suffix, bytes, LdsForm::kAtomic, atomics::op),                                               \
        atomic("DS_" NAME "_RTN_" suffix, bytes, LdsForm::kAtomicReturn, atomics::op)
#define HKC_NOTED(NAME, suffix, bytes, note, ...)                                                                      \
    approximate(atomic("DS_" NAME "_" suffix, bytes, LdsForm::kAtomic, atomics::__VA_ARGS__), note),                   \
        approximate(atomic("DS_" NAME "_RTN_" suffix, bytes, LdsForm::kAtomicReturn, atomics::__VA_ARGS__), note)
#define HKC_ATOMICS(suffix_u, suffix_i, suffix_b, suffix_f, bytes, U, I, F)                                            \
    HKC_ATOMIC("ADD", suffix_u, bytes, add<U>), HKC_ATOMIC("SUB", suffix_u, bytes, sub<U>),                            \
        HKC_ATOMIC("RSUB", suffix_u, bytes, reverse_sub<U>), HKC_ATOMIC("MIN", suffix_u, bytes, smallest<U>),          \
        HKC_ATOMIC("MAX", suffix_u, bytes, largest<U>), HKC_ATOMIC("MIN", suffix_i, bytes, smallest<I>),               \
        HKC_ATOMIC("MAX", suffix_i, bytes, largest<I>), HKC_ATOMIC("AND", suffix_b, bytes, both<U>),                   \
        HKC_ATOMIC("OR", suffix_b, bytes, either<U>), HKC_ATOMIC("XOR", suffix_b, bytes, differ<U>),                   \
        HKC_ATOMIC("INC", suffix_u, bytes, increment<U>), HKC_ATOMIC("DEC", suffix_u, bytes, decrement<U>),            \
        HKC_ATOMIC("MSKOR", suffix_b, bytes, masked_or<U>),                                                            \
        replacing(atomic("DS_WRXCHG_RTN_" suffix_b, bytes, LdsForm::kAtomicReturn, atomics::exchange<U>)),             \
        HKC_ATOMIC("CMPST", suffix_b, bytes, compare_first<U>),                                                        \
        HKC_ATOMIC("CMPSTORE", suffix_b, bytes, compare_second<U>),                                                    \
        HKC_ATOMIC("CMPST", suffix_f, bytes, float_compare_first<F>),                                                  \
        HKC_ATOMIC("CMPSTORE", suffix_f, bytes, float_compare_second<F>),                                              \
        HKC_NOTED("MIN", suffix_f, bytes, atomics::kFloatMinMaxNote, float_extreme<F, false>),                         \
        HKC_NOTED("MAX", suffix_f, bytes, atomics::kFloatMinMaxNote, float_extreme<F, true>)

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
    HKC_ATOMICS("U32", "I32", "B32", "F32", 4, u32, i32, float),
    HKC_ATOMICS("U64", "I64", "B64", "F64", 8, u64, i64, double),
    HKC_NOTED("ADD", "F32", 4, atomics::kFloatAddNote, float_add<float>),
    HKC_NOTED("PK_ADD", "F16", 4, atomics::kFloatAddNote, packed_add<widen_half, round_f16>),
    HKC_NOTED("PK_ADD", "BF16", 4, atomics::kFloatAddNote, packed_add<widen_bfloat, round_bfloat>),
    HKC_ATOMIC("SUB_CLAMP", "U32", 4, sub_clamp),
    HKC_ATOMIC("COND_SUB", "U32", 4, sub_if),
    atomic("DS_WRAP_RTN_B32", 4, LdsForm::kAtomicReturn, atomics::wrap),
    exchanging(row("DS_CONDXCHG32_RTN_B64", lds_exchange_flagged, 8, LdsForm::kAtomicReturn)),
    row("DS_WRXCHG2_RTN_B32", lds_exchange2<1>, 8, LdsForm::kExchange2),
    row("DS_WRXCHG2_RTN_B64", lds_exchange2<1>, 16, LdsForm::kExchange2),
    row("DS_WRXCHG2ST64_RTN_B32", lds_exchange2<64>, 8, LdsForm::kExchange2),
    row("DS_WRXCHG2ST64_RTN_B64", lds_exchange2<64>, 16, LdsForm::kExchange2),
    whole_wave(row("DS_APPEND", lds_append<true>, 4, LdsForm::kAppend)),
    whole_wave(row("DS_CONSUME", lds_append<false>, 4, LdsForm::kAppend)),
    row("DS_READ_ADDTID_B32", lds_load_addtid, 4, LdsForm::kAppend),
    row("DS_WRITE_ADDTID_B32", lds_store_addtid, 4, LdsForm::kStoreAddTid),
    row("DS_BPERMUTE_B32", bpermute<false>, 4, LdsForm::kPermute),
    row("DS_BPERMUTE_FI_B32", bpermute<true>, 4, LdsForm::kPermute),
    row("DS_PERMUTE_B32", permute, 4, LdsForm::kPermute),
    row("DS_SWIZZLE_B32", swizzle, 4, kLoad),
};
#undef HKC_ATOMIC
#undef HKC_NOTED
#undef HKC_ATOMICS

} // namespace

std::span<const Row> lds_rows() { return kRows; }

} // namespace pm::emu
