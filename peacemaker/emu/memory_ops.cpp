// Memory instructions: scalar loads, global loads and stores, scratch (also through gfx10's swizzled buffer).
//
// Every byte is checked against the allocation table; a lane that leaves its allocation is a finding, loads 0 and
// stores nothing. A load's value is taken when it is issued and its registers are in flight from then on (waits.h).
//
// Sources: RDNA ISA documents, chapters "Scalar memory operations", "Vector memory buffer instructions", "Flat memory
// instructions"; llvm/docs/AMDGPUUsage.rst, "Private segment".
#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"
#include "peacemaker/emu/wave.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kMaxDwords = 4;
constexpr u32 kAllLanes = ~0u;
/// No allocation lies below: an address there is a null pointer with an index or a member's offset added.
constexpr u64 kNullPage = 64 * 1024;

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

// The allocation that holds the whole range, or null.
Allocation* allocation_of(Wave& wave, u64 address, u64 bytes) {
    Worker& worker = *wave.worker;
    Allocation*& cached = worker.cache[wave.pc];
    if (cached != nullptr && cached->contains(address, bytes)) return cached;
    Allocation* found = worker.memory->find(address);
    if (found == nullptr || !found->contains(address, bytes)) return nullptr;
    cached = found;
    return found;
}

// --- scalar loads -------------------------------------------------------------------------------------------------

// Explicit argument bytes that the caller never supplied are a finding; padding and what a wide load takes past the end
// are not.
void check_kernarg(Wave& wave, u64 address, u64 bytes) {
    const Worker& worker = *wave.worker;
    const u64 first = address - worker.kernarg_address;
    for (const KernelArgument& argument : worker.descriptor->arguments) {
        if (argument.hidden()) continue;
        const u64 from = std::max<u64>(first, argument.offset),
                  to = std::min<u64>(first + bytes, argument.offset + argument.size);
        for (u64 at = from; at < to; ++at) {
            if (at < worker.kernarg_supplied) continue;
            report(wave, FindingKind::kKernargNotSupplied, 0, worker.kernarg_address + at,
                   fmt::format("argument bytes from offset {} are read, the caller supplied {} bytes", at,
                               worker.kernarg_supplied));
            return;
        }
    }
}

void scalar_load(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    require_defined_scalar(wave, m.base, 2, "an address");
    u64 address = wave.scalar64(m.base) + static_cast<u64>(m.offset);
    if (m.offset_dwords != 0) {
        require_defined_scalar(wave, m.offset_register, 1, "an address");
        address += wave.scalar(m.offset_register);
    }
    address &= ~u64{3};
    const u64 bytes = inst.row->bytes;
    Outstanding o{ReturnClass::kScalarLoad, m.data, static_cast<u8>(bytes / 4), 1, isa::Half::kWhole};
    issue(wave, o);
    const Allocation* const allocation = allocation_of(wave, address, bytes);
    if (allocation == nullptr)
        report(wave, FindingKind::kReadOutOfBounds, 0, address, range_text(*wave.worker->memory, address, bytes));
    else if (allocation->address == wave.worker->kernarg_address)
        check_kernarg(wave, address, bytes);
    for (u32 i = 0; i < bytes / 4; ++i) {
        u32 value = 0, undefined = 0;
        if (allocation != nullptr) {
            const u64 at = address - allocation->address + 4 * i;
            std::memcpy(&value, allocation->data + at, 4);
            if (!allocation->whole()) std::memcpy(&undefined, allocation->undefined.data() + at, 4);
        }
        const auto r = static_cast<Register>(m.data + i);
        if (m.data == isa::kNull) continue;
        set_scalar(wave, r, value);
        set_scalar_undefined(wave, r, undefined);
    }
}

// --- vector loads and stores --------------------------------------------------------------------------------------

struct Addresses {
    u64 of[kLanes];
    u64 low = 0, high = 0; // of the active lanes
};

// Every active lane's address; findings where an undefined value decides one.
void global_addresses(Wave& wave, const Inst& inst, Addresses& out) {
    const MemoryOperands& m = inst.memory;
    const u32 exec = wave.exec();
    u64 base = static_cast<u64>(m.offset);
    if (m.base_dwords != 0) {
        require_defined_scalar(wave, m.base, 2, "an address");
        base += wave.scalar64(m.base);
    }
    for (u32 k = 0; k < m.address_dwords; ++k)
        require_defined_lanes(wave, static_cast<Register>(m.address + k), exec, "an address");
    const u32* const low = wave.v[m.address];
    if (m.address_dwords == 2) {
        const u32* const high = wave.v[m.address + 1];
        for (u32 lane = 0; lane < kLanes; ++lane)
            out.of[lane] = base + (low[lane] | static_cast<u64>(high[lane]) << 32);
    } else if (m.address_dwords == 1) {
        for (u32 lane = 0; lane < kLanes; ++lane) out.of[lane] = base + low[lane];
    } else {
        for (u32 lane = 0; lane < kLanes; ++lane) out.of[lane] = base;
    }
    out.low = ~u64{0};
    out.high = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((exec >> lane) & 1u) == 0) continue;
        out.low = std::min(out.low, out.of[lane]);
        out.high = std::max(out.high, out.of[lane]);
    }
}

// The allocation of each lane where not all lanes share one; lanes outside are reported and left out of what is
// returned.
u32 resolve_lanes(Wave& wave, const Addresses& at, u32 bytes, bool store, Allocation** allocations) {
    u32 inside = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        allocations[lane] = allocation_of(wave, at.of[lane], bytes);
        if (allocations[lane] != nullptr && !(store && allocations[lane]->read_only)) {
            inside |= 1u << lane;
            continue;
        }
        report(wave, store ? FindingKind::kWriteOutOfBounds : FindingKind::kReadOutOfBounds, lane, at.of[lane],
               range_text(*wave.worker->memory, at.of[lane], bytes) +
                   (allocations[lane] != nullptr ? ", which is read-only" : ""));
    }
    return inside;
}

// Fills `allocations` and gives the lanes that may access their bytes. Usually one allocation serves all.
u32 find_allocations(Wave& wave, const Addresses& at, u32 bytes, bool store, Allocation** allocations, bool& whole) {
    const u32 exec = wave.exec();
    Allocation* const shared = at.high >= at.low ? allocation_of(wave, at.low, at.high - at.low + bytes) : nullptr;
    if (shared != nullptr && !(store && shared->read_only)) {
        for (u32 lane = 0; lane < kLanes; ++lane) allocations[lane] = shared;
        whole = shared->whole();
        return exec;
    }
    const u32 inside = resolve_lanes(wave, at, bytes, store, allocations);
    whole = true;
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((inside >> lane) & 1u) != 0) whole = whole && allocations[lane]->whole();
    return inside;
}

template <u32 Bytes>
void gather(const Addresses& at, u32 lanes, u32 (*words)[kLanes]) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (lanes != kAllLanes && ((lanes >> lane) & 1u) == 0) continue;
        u32 part[(Bytes + 3) / 4] = {};
        std::memcpy(part, reinterpret_cast<const void*>(at.of[lane]), Bytes);
        for (u32 k = 0; k < (Bytes + 3) / 4; ++k) words[k][lane] = part[k];
    }
}

void gather_undefined(const Addresses& at, u32 lanes, u32 bytes, Allocation* const* allocations, u32 (*words)[kLanes]) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0 || allocations[lane]->whole()) continue;
        u32 part[kMaxDwords] = {};
        std::memcpy(part, allocations[lane]->undefined.data() + (at.of[lane] - allocations[lane]->address), bytes);
        for (u32 k = 0; k < (bytes + 3) / 4; ++k) words[k][lane] = part[k];
    }
}

template <u32 Bytes>
void global_load(Wave& wave, const Inst& inst) {
    Addresses at;
    global_addresses(wave, inst, at);
    const u32 exec = wave.exec();
    if (exec == 0) return;
    Allocation* allocations[kLanes];
    bool whole = true;
    const u32 inside = find_allocations(wave, at, Bytes, false, allocations, whole);
    alignas(64) u32 words[(Bytes + 3) / 4][kLanes];
    if (inside != kAllLanes) std::memset(words, 0, sizeof words);
    gather<Bytes>(at, inside, words);
    if (whole) {
        deliver(wave, inst, ReturnClass::kVectorLoad, words, nullptr, exec);
        return;
    }
    alignas(64) u32 undefined[kMaxDwords][kLanes] = {};
    gather_undefined(at, inside, Bytes, allocations, undefined);
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, exec);
}

bool data_undefined(const Wave& wave, const MemoryOperands& m) {
    for (u32 k = 0; k < m.data_dwords; ++k)
        if ((wave.state[m.data + k] & kUndefinedBits) != 0) return true;
    return false;
}

// The bytes that lane `lane` stores, or the masks of their undefined bits.
template <u32 Bytes>
void stored_words(const Wave& wave, const Inst& inst, u32 lane, bool undefined, u32* out) {
    const MemoryOperands& m = inst.memory;
    for (u32 k = 0; k < (Bytes + 3) / 4; ++k) {
        const auto r = static_cast<Register>(m.data + k);
        if (undefined)
            out[k] = wave.undefined_word(r, lane);
        else
            out[k] = wave.v[r][lane];
        if (inst.row->high || inst.memory.data_half == isa::Half::kHigh) out[k] >>= 16;
    }
}

void store_undefined(Wave& wave, Allocation& allocation, u64 address, const u32* masks, u32 bytes) {
    const auto* const raw = reinterpret_cast<const u8*>(masks);
    if (!allocation.whole()) {
        std::memcpy(allocation.undefined.data() + (address - allocation.address), raw, bytes);
        return;
    }
    for (u32 i = 0; i < bytes; i += 4) {
        LateShadow late{&allocation, address + i, {}, std::min(4u, bytes - i)};
        std::memcpy(late.undefined.data(), raw + i, late.bytes);
        wave.worker->late_shadows.push_back(late);
    }
}

template <u32 Bytes>
void global_store(Wave& wave, const Inst& inst) {
    Addresses at;
    global_addresses(wave, inst, at);
    if (wave.exec() == 0) return;
    Allocation* allocations[kLanes];
    bool whole = true;
    const u32 inside = find_allocations(wave, at, Bytes, true, allocations, whole);
    // Once something undefined was kept for later, what overwrites it is kept as well.
    const bool late = !wave.worker->late_shadows.empty();
    const bool shadows = !whole || late || data_undefined(wave, inst.memory);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((inside >> lane) & 1u) == 0) continue;
        u32 part[(Bytes + 3) / 4];
        stored_words<Bytes>(wave, inst, lane, false, part);
        std::memcpy(reinterpret_cast<void*>(at.of[lane]), part, Bytes);
        if (!shadows) continue;
        stored_words<Bytes>(wave, inst, lane, true, part);
        u32 any = 0;
        for (u32 k = 0; k < (Bytes + 3) / 4; ++k)
            any |= Bytes < 4 ? part[k] & ((1u << (8u * (Bytes & 3u))) - 1u) : part[k];
        if (any != 0 || late || !allocations[lane]->whole())
            store_undefined(wave, *allocations[lane], at.of[lane], part, Bytes);
    }
}

// --- scratch ------------------------------------------------------------------------------------------------------

// Each active lane's byte offset into its own scratch.
void scratch_offsets(Wave& wave, const Inst& inst, std::int64_t (&out)[kLanes]) {
    const MemoryOperands& m = inst.memory;
    std::int64_t base = m.offset;
    if (m.base_dwords == 1) {
        require_defined_scalar(wave, m.base, 1, "an address");
        base += static_cast<std::int32_t>(wave.scalar(m.base));
    }
    if (m.address_dwords != 0) require_defined_lanes(wave, m.address, wave.exec(), "an address");
    for (u32 lane = 0; lane < kLanes; ++lane)
        out[lane] = base + (m.address_dwords != 0 ? static_cast<std::int32_t>(wave.v[m.address][lane]) : 0);
}

// gfx10: the private segment's buffer resource is recognised by its base; it swizzles by lane, so that a scalar offset
// counts for all 32 lanes at once (AMDGPUUsage, "Private segment buffer").
bool buffer_offsets(Wave& wave, const Inst& inst, std::int64_t (&out)[kLanes]) {
    const MemoryOperands& m = inst.memory;
    const u64 resource_base = wave.scalar64(m.base) & 0xffffffffffffull;
    if (resource_base != kScratchAperture) {
        stop_unsupported(wave, "unsupported buffer resource (not the private segment)");
        return false;
    }
    std::int64_t base = m.offset;
    if (m.offset_dwords != 0) {
        require_defined_scalar(wave, m.offset_register, 1, "an address");
        base += wave.scalar(m.offset_register) / kLanes;
    }
    if (m.address_dwords != 0) require_defined_lanes(wave, m.address, wave.exec(), "an address");
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = base + (m.address_dwords != 0 ? wave.v[m.address][lane] : 0u);
    return true;
}

u32 scratch_lanes(Wave& wave, const std::int64_t (&offset)[kLanes], u32 bytes, bool store) {
    u32 inside = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        if (offset[lane] >= 0 && offset[lane] + bytes <= wave.scratch.bytes) {
            inside |= 1u << lane;
            continue;
        }
        report(wave, store ? FindingKind::kWriteOutOfBounds : FindingKind::kReadOutOfBounds, lane,
               static_cast<u64>(offset[lane]),
               fmt::format("{} bytes at offset {} of {} bytes of scratch", bytes, offset[lane], wave.scratch.bytes));
    }
    return inside;
}

u8 scratch_byte(const std::vector<u32>& words, u32 lane, u64 offset) {
    return static_cast<u8>(words[offset / 4 * kLanes + lane] >> (8 * (offset % 4)));
}
void set_scratch_byte(std::vector<u32>& words, u32 lane, u64 offset, u8 value) {
    u32& word = words[offset / 4 * kLanes + lane];
    const u32 shift = 8 * (offset % 4);
    word = (word & ~(0xffu << shift)) | static_cast<u32>(value) << shift;
}

template <u32 Bytes>
void private_load(Wave& wave, const Inst& inst, const std::int64_t (&offset)[kLanes]) {
    const u32 exec = wave.exec();
    if (exec == 0) return;
    const u32 inside = scratch_lanes(wave, offset, Bytes, false);
    alignas(64) u32 words[kMaxDwords][kLanes] = {}, undefined[kMaxDwords][kLanes] = {};
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((inside >> lane) & 1u) == 0) continue;
        for (u32 i = 0; i < Bytes; ++i) {
            const u64 at = static_cast<u64>(offset[lane]) + i;
            words[i / 4][lane] |= static_cast<u32>(scratch_byte(wave.scratch.words, lane, at)) << (8 * (i % 4));
            undefined[i / 4][lane] |= static_cast<u32>(scratch_byte(wave.scratch.undefined, lane, at)) << (8 * (i % 4));
        }
    }
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, exec);
}

template <u32 Bytes>
void private_store(Wave& wave, const Inst& inst, const std::int64_t (&offset)[kLanes]) {
    const u32 inside = scratch_lanes(wave, offset, Bytes, true);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((inside >> lane) & 1u) == 0) continue;
        u32 words[kMaxDwords], undefined[kMaxDwords];
        stored_words<Bytes>(wave, inst, lane, false, words);
        stored_words<Bytes>(wave, inst, lane, true, undefined);
        for (u32 i = 0; i < Bytes; ++i) {
            const u64 at = static_cast<u64>(offset[lane]) + i;
            set_scratch_byte(wave.scratch.words, lane, at, static_cast<u8>(words[i / 4] >> (8 * (i % 4))));
            set_scratch_byte(wave.scratch.undefined, lane, at, static_cast<u8>(undefined[i / 4] >> (8 * (i % 4))));
        }
    }
}

template <u32 Bytes>
void scratch_load(Wave& wave, const Inst& inst) {
    std::int64_t offset[kLanes];
    scratch_offsets(wave, inst, offset);
    private_load<Bytes>(wave, inst, offset);
}
template <u32 Bytes>
void scratch_store(Wave& wave, const Inst& inst) {
    std::int64_t offset[kLanes];
    scratch_offsets(wave, inst, offset);
    private_store<Bytes>(wave, inst, offset);
}
template <u32 Bytes>
void buffer_load(Wave& wave, const Inst& inst) {
    std::int64_t offset[kLanes];
    if (buffer_offsets(wave, inst, offset)) private_load<Bytes>(wave, inst, offset);
}
template <u32 Bytes>
void buffer_store(Wave& wave, const Inst& inst) {
    std::int64_t offset[kLanes];
    if (buffer_offsets(wave, inst, offset)) private_store<Bytes>(wave, inst, offset);
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row row(std::string_view name, Unit unit, Handler handler, u8 bytes, bool store = false,
                  Extend extend = Extend::kNone) {
    Row r;
    r.name = name;
    r.unit = unit;
    r.handler = handler;
    r.bytes = bytes;
    r.store = store;
    r.extend = extend;
    return r;
}
constexpr Row d16(Row r, bool high) {
    r.half = !r.store;
    r.high = high;
    return r;
}

#define HKC_SPACE(SPACE, unit, load, store)                                                                            \
    row(SPACE "_LOAD_UBYTE", unit, load<1>, 1, false, Extend::kZero),                                                  \
        row(SPACE "_LOAD_SBYTE", unit, load<1>, 1, false, Extend::kSign),                                              \
        row(SPACE "_LOAD_USHORT", unit, load<2>, 2, false, Extend::kZero),                                             \
        row(SPACE "_LOAD_SSHORT", unit, load<2>, 2, false, Extend::kSign), row(SPACE "_LOAD_DWORD", unit, load<4>, 4), \
        row(SPACE "_LOAD_DWORDX2", unit, load<8>, 8), row(SPACE "_LOAD_DWORDX3", unit, load<12>, 12),                  \
        row(SPACE "_LOAD_DWORDX4", unit, load<16>, 16),                                                                \
        d16(row(SPACE "_LOAD_UBYTE_D16", unit, load<1>, 1, false, Extend::kZero), false),                              \
        d16(row(SPACE "_LOAD_UBYTE_D16_HI", unit, load<1>, 1, false, Extend::kZero), true),                            \
        d16(row(SPACE "_LOAD_SBYTE_D16", unit, load<1>, 1, false, Extend::kSign), false),                              \
        d16(row(SPACE "_LOAD_SBYTE_D16_HI", unit, load<1>, 1, false, Extend::kSign), true),                            \
        d16(row(SPACE "_LOAD_SHORT_D16", unit, load<2>, 2, false, Extend::kZero), false),                              \
        d16(row(SPACE "_LOAD_SHORT_D16_HI", unit, load<2>, 2, false, Extend::kZero), true),                            \
        row(SPACE "_STORE_BYTE", unit, store<1>, 1, true),                                                             \
        d16(row(SPACE "_STORE_BYTE_D16_HI", unit, store<1>, 1, true), true),                                           \
        row(SPACE "_STORE_SHORT", unit, store<2>, 2, true),                                                            \
        d16(row(SPACE "_STORE_SHORT_D16_HI", unit, store<2>, 2, true), true),                                          \
        row(SPACE "_STORE_DWORD", unit, store<4>, 4, true), row(SPACE "_STORE_DWORDX2", unit, store<8>, 8, true),      \
        row(SPACE "_STORE_DWORDX3", unit, store<12>, 12, true), row(SPACE "_STORE_DWORDX4", unit, store<16>, 16, true)

constexpr Row kRows[] = {
    row("S_LOAD_DWORD", Unit::kScalarMemory, scalar_load, 4),
    row("S_LOAD_DWORDX2", Unit::kScalarMemory, scalar_load, 8),
    row("S_LOAD_DWORDX4", Unit::kScalarMemory, scalar_load, 16),
    row("S_LOAD_DWORDX8", Unit::kScalarMemory, scalar_load, 32),
    row("S_LOAD_DWORDX16", Unit::kScalarMemory, scalar_load, 64),
    row("S_LOAD_B32", Unit::kScalarMemory, scalar_load, 4),
    row("S_LOAD_B64", Unit::kScalarMemory, scalar_load, 8),
    row("S_LOAD_B96", Unit::kScalarMemory, scalar_load, 12),
    row("S_LOAD_B128", Unit::kScalarMemory, scalar_load, 16),
    row("S_LOAD_B256", Unit::kScalarMemory, scalar_load, 32),
    row("S_LOAD_B512", Unit::kScalarMemory, scalar_load, 64),
    HKC_SPACE("GLOBAL", Unit::kGlobal, global_load, global_store),
    HKC_SPACE("SCRATCH", Unit::kScratch, scratch_load, scratch_store),
    HKC_SPACE("BUFFER", Unit::kBuffer, buffer_load, buffer_store),
};
#undef HKC_SPACE

} // namespace

std::span<const Row> memory_rows() { return kRows; }

} // namespace pm::emu
