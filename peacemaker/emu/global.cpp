#include "peacemaker/emu/global.h"

#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/atomic_operands.h"
#include "peacemaker/emu/global_race.h"
#include "peacemaker/emu/hostcall.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kAllLanes = ~0u;
constexpr u32 kMaxDwords = 4;
/// No allocation lies below: an address there is a null pointer with an index or a member's offset added.
constexpr u64 kNullPage = 64 * 1024;

// The allocation of each lane where not all lanes share one.
void resolve_lanes(Wave& wave, const Addresses& at, u32 lanes, u32 bytes, bool store, Found& out) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        Allocation* const there = allocation_of(wave, at.of[lane], bytes);
        out.allocations[lane] = there;
        if (there != nullptr && !(store && there->read_only)) {
            out.inside |= 1u << lane;
            out.whole = out.whole && there->whole();
            out.stored_to = out.stored_to || there->stored_to();
            continue;
        }
        const FindingKind kind = there != nullptr ? FindingKind::kReadOnlyWritten
                                 : store          ? FindingKind::kWriteOutOfBounds
                                                  : FindingKind::kReadOutOfBounds;
        report_outside(wave, kind, lane, at.of[lane], bytes, there);
    }
}

bool data_undefined(const Wave& wave, const MemoryOperands& m) {
    for (u32 k = 0; k < m.data_dwords; ++k)
        if ((wave.state[m.data + k] & kUndefinedBits) != 0) return true;
    return false;
}

// Keeps masks for an allocation that has none yet.
void store_late(Wave& wave, Allocation& allocation, u64 address, const u8* masks, u32 bytes) {
    for (u32 i = 0; i < bytes; i += 4) {
        LateShadow late{&allocation, address + i, {}, std::min(4u, bytes - i)};
        std::memcpy(late.undefined.data(), masks + i, late.bytes);
        wave.worker->late_shadows.push_back(late);
    }
}

// Whether kernel and host talk there by rules of their own.
bool in_protocol(const Found& found) {
    return found.inside != 0 && found.allocations[std::countr_zero(found.inside)]->protocol;
}

void note_loads(Wave& wave, const Inst& inst, const Addresses& at, const Found& found, u32 bytes) {
    if (in_protocol(found)) return;
    if (inst.memory.device_scope)
        wave.worker->accesses->acquire(wave);
    else if (found.stored_to)
        wave.worker->accesses->note(wave, at, found, found.inside, bytes, AccessKind::kRead);
}

void note_stores(Wave& wave, const Addresses& at, const Found& found, u32 lanes, u32 bytes, AccessKind kind) {
    if (lanes == 0 || in_protocol(found)) return;
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((lanes >> lane) & 1u) != 0) found.allocations[lane]->note_store();
    wave.worker->accesses->note(wave, at, found, lanes, bytes, kind);
}

void store_undefined(Wave& wave, Allocation& allocation, u64 address, const u32* masks, u32 bytes) {
    const auto* const raw = reinterpret_cast<const u8*>(masks);
    if (allocation.whole())
        store_late(wave, allocation, address, raw, bytes);
    else
        std::memcpy(allocation.undefined.data() + (address - allocation.address), raw, bytes);
}

// --- atomics ------------------------------------------------------------------------------------------------------

template <typename T>
u64 update(u64 address, const Row& row, const AtomicOperands& operands) {
    const std::atomic_ref<T> memory(*reinterpret_cast<T*>(address));
    T old = memory.load();
    while (!memory.compare_exchange_weak(old, static_cast<T>(row.atomic(old, operands.data, operands.second)))) {
    }
    return old;
}

// The masks of an atomic's bytes. Each is read and written on its own: they change only where something undefined meets
// them, and then they stay.
u64 masks_at(Allocation& allocation, u64 address, u32 bytes) {
    if (allocation.whole()) return 0;
    u64 masks = 0;
    for (u32 i = 0; i < bytes; ++i) {
        const std::atomic_ref<u8> mask(allocation.undefined[address - allocation.address + i]);
        masks |= static_cast<u64>(mask.load(std::memory_order_relaxed)) << (8 * i);
    }
    return masks;
}

void set_masks(Wave& wave, Allocation& allocation, u64 address, u64 before, u64 masks, u32 bytes) {
    const auto* const raw = reinterpret_cast<const u8*>(&masks);
    if (allocation.whole()) {
        if (masks != 0 || !wave.worker->late_shadows.empty()) store_late(wave, allocation, address, raw, bytes);
        return;
    }
    for (u32 i = 0; i < bytes; ++i) {
        if (static_cast<u8>(before >> (8 * i)) == raw[i]) continue;
        const std::atomic_ref<u8> mask(allocation.undefined[address - allocation.address + i]);
        mask.store(raw[i], std::memory_order_relaxed);
    }
}

} // namespace

std::string range_text(const Memory& memory, u64 address, u64 bytes) {
    std::string text = fmt::format("{} bytes at 0x{:x}", bytes, address);
    if (address == 0) return text + ": a null pointer";
    if (address < kNullPage) return text + fmt::format(": byte {} from a null pointer", address);
    const Allocation* near = memory.nearest(address);
    if (near == nullptr) return text + "; there is no allocation";
    if (address >= near->address)
        return text + fmt::format(": byte {} of an allocation of {} bytes at 0x{:x}", address - near->address,
                                  near->size, near->address);
    return text + fmt::format(": {} bytes before an allocation of {} bytes at 0x{:x}", near->address - address,
                              near->size, near->address);
}

void report_outside(Wave& wave, FindingKind kind, u32 lane, u64 address, u32 bytes, const Allocation* there) {
    static constexpr std::string_view kNames[] = {
        "the queue",         "the printf buffer",     "the device heap",
        "the default queue", "the completion action", "the multi-grid synchronisation"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Absent::kCount));
    const u64 absent = (address - kAbsentAperture) / kApertureBytes;
    if (address >= kAbsentAperture && absent < std::size(kNames)) {
        if (wave.status == WaveStatus::kRunning)
            stop_unsupported(wave, fmt::format("unsupported access to {}", kNames[absent]));
        return;
    }
    report(wave, kind, lane, address,
           range_text(*wave.worker->memory, address, bytes) + (there != nullptr ? ", which is read-only" : ""));
}

Allocation* allocation_of(Wave& wave, u64 address, u64 bytes) {
    Worker& worker = *wave.worker;
    Allocation*& cached = worker.cache[wave.pc];
    if (cached != nullptr && cached->contains(address, bytes)) return cached;
    Allocation* found = worker.memory->find(address);
    if (found == nullptr || !found->contains(address, bytes)) return nullptr;
    cached = found;
    return found;
}

void set_bounds(Addresses& at, u32 lanes) {
    at.low = ~u64{0};
    at.high = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        at.low = std::min(at.low, at.of[lane]);
        at.high = std::max(at.high, at.of[lane]);
    }
}

// Usually one allocation serves all lanes.
void find_allocations(Wave& wave, const Addresses& at, u32 lanes, u32 bytes, bool store, Found& out) {
    out.inside = 0;
    out.whole = true;
    out.stored_to = false;
    Allocation* const shared = at.high >= at.low ? allocation_of(wave, at.low, at.high - at.low + bytes) : nullptr;
    if (shared == nullptr || (store && shared->read_only)) {
        resolve_lanes(wave, at, lanes, bytes, store, out);
        return;
    }
    for (u32 lane = 0; lane < kLanes; ++lane) out.allocations[lane] = shared;
    out.whole = shared->whole();
    out.stored_to = shared->stored_to();
    out.inside = lanes;
}

template <u32 Bytes>
void read_global(Wave& wave, const Inst& inst, const Addresses& at, const Found& found, u32 (*words)[kLanes],
                 u32 (*undefined)[kLanes]) {
    constexpr u32 kDwords = (Bytes + 3) / 4;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (found.inside != kAllLanes && ((found.inside >> lane) & 1u) == 0) continue;
        u32 part[kDwords] = {};
        std::memcpy(part, reinterpret_cast<const void*>(at.of[lane]), Bytes);
        for (u32 k = 0; k < kDwords; ++k) words[k][lane] = part[k];
    }
    note_loads(wave, inst, at, found, Bytes);
    if (found.whole) return;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((found.inside >> lane) & 1u) == 0 || found.allocations[lane]->whole()) continue;
        const Allocation& allocation = *found.allocations[lane];
        u32 part[kMaxDwords] = {};
        std::memcpy(part, allocation.undefined.data() + (at.of[lane] - allocation.address), Bytes);
        for (u32 k = 0; k < kDwords; ++k) undefined[k][lane] = part[k];
    }
}

void read_words(Wave& wave, const Inst& inst, const Addresses& at, const Found& found, u32 bytes, LaneWords& words,
                LaneWords& undefined) {
    note_loads(wave, inst, at, found, bytes);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((found.inside >> lane) & 1u) == 0) continue;
        const Allocation& allocation = *found.allocations[lane];
        u32 part[kMaxDwords] = {}, masks[kMaxDwords] = {};
        std::memcpy(part, reinterpret_cast<const void*>(at.of[lane]), bytes);
        if (!allocation.whole())
            std::memcpy(masks, allocation.undefined.data() + (at.of[lane] - allocation.address), bytes);
        for (u32 k = 0; k < (bytes + 3) / 4; ++k) {
            words[k][lane] = part[k];
            undefined[k][lane] = masks[k];
        }
    }
}

namespace {

AccessKind kind_of_store(const Inst& inst) {
    return inst.memory.device_scope ? AccessKind::kAtomic : AccessKind::kWrite;
}

// `fill(lane, undefined, out)` gives a lane's words, or the masks of their undefined bits; `any_undefined`: there may
// be some.
template <u32 Bytes, typename Fill>
void write_lanes(Wave& wave, const Addresses& at, u32 lanes, bool any_undefined, AccessKind kind, Fill fill) {
    Found found;
    find_allocations(wave, at, lanes, Bytes, true, found);
    // Once something undefined was kept for later, what overwrites it is kept as well.
    const bool late = !wave.worker->late_shadows.empty();
    const bool shadows = !found.whole || late || any_undefined;
    u32 changed = 0; // lanes
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((found.inside >> lane) & 1u) == 0) continue;
        u32 part[(Bytes + 3) / 4];
        fill(lane, false, part);
        auto* const there = reinterpret_cast<void*>(at.of[lane]);
        if (std::memcmp(there, part, Bytes) != 0) changed |= 1u << lane;
        std::memcpy(there, part, Bytes);
        if (!shadows) continue;
        fill(lane, true, part);
        u32 any = 0;
        for (u32 k = 0; k < (Bytes + 3) / 4; ++k)
            any |= Bytes < 4 ? part[k] & ((1u << (8u * (Bytes & 3u))) - 1u) : part[k];
        if (any != 0 || late || !found.allocations[lane]->whole())
            store_undefined(wave, *found.allocations[lane], at.of[lane], part, Bytes);
    }
    note_stores(wave, at, found, changed, Bytes, kind);
}

} // namespace

template <u32 Bytes>
void write_global(Wave& wave, const Inst& inst, const Addresses& at, u32 lanes) {
    write_lanes<Bytes>(
        wave, at, lanes, data_undefined(wave, inst.memory), kind_of_store(inst),
        [&](u32 lane, bool undefined, u32* out) { stored_words(wave, inst, lane, undefined, Bytes, out); });
}

void update_global(Wave& wave, const Inst& inst, const Addresses& at, u32 lanes, LaneWords& words,
                   LaneWords& undefined) {
    const u32 bytes = inst.row->bytes;
    Found found;
    find_allocations(wave, at, lanes, bytes, true, found);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((found.inside >> lane) & 1u) == 0 || !aligned(wave, lane, at.of[lane], bytes)) continue;
        Allocation& allocation = *found.allocations[lane];
        const AtomicOperands operands = atomic_operands(wave, inst, lane);
        const u64 masks = masks_at(allocation, at.of[lane], bytes);
        const u64 old =
            bytes == 8 ? update<u64>(at.of[lane], *inst.row, operands) : update<u32>(at.of[lane], *inst.row, operands);
        set_masks(wave, allocation, at.of[lane], masks, masks_after(inst, operands, masks), bytes);
        put_old(lane, bytes, 0, old, masks, words, undefined);
    }
    if (in_protocol(found)) {
        if (wave.worker->hostcall != nullptr) wave.worker->hostcall->after_atomic(wave, at.of, found.inside);
        return;
    }
    note_stores(wave, at, found, found.inside, bytes, AccessKind::kAtomic);
    if (inst.memory.data_dwords != 0) wave.worker->accesses->acquire(wave);
}

#define HKC_SIZES(use) use(1) use(2) use(4) use(8) use(12) use(16)

void write_words(Wave& wave, const Inst& inst, const Addresses& at, u32 lanes, u32 bytes, const LaneWords& words,
                 const LaneWords& undefined) {
    const auto store = [&]<u32 Bytes>() {
        write_lanes<Bytes>(wave, at, lanes, true, kind_of_store(inst), [&](u32 lane, bool masks, u32* out) {
            for (u32 k = 0; k < (Bytes + 3) / 4; ++k) out[k] = masks ? undefined[k][lane] : words[k][lane];
        });
    };
    switch (bytes) {
#define HKC_CASE(BYTES)                                                                                                \
    case BYTES:                                                                                                        \
        return store.template operator()<BYTES>();
        HKC_SIZES(HKC_CASE)
#undef HKC_CASE
    default:
        return;
    }
}

#define HKC_INSTANTIATE(BYTES)                                                                                         \
    template void read_global<BYTES>(Wave&, const Inst&, const Addresses&, const Found&, u32(*)[kLanes],               \
                                     u32(*)[kLanes]);                                                                  \
    template void write_global<BYTES>(Wave&, const Inst&, const Addresses&, u32);
HKC_SIZES(HKC_INSTANTIATE)
#undef HKC_INSTANTIATE
#undef HKC_SIZES

} // namespace pm::emu
