// Scalar memory instructions. Every byte is checked against the allocation table, and argument bytes against what the
// caller supplied; registers are in flight until a wait (waits.h).
//
// Sources: RDNA ISA documents, chapter "Scalar memory operations".
#include "peacemaker/emu/buffer.h"
#include "peacemaker/emu/global.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

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

// The low bits that loads of words ignore; parts of a word must lie at a multiple of their size.
u64 aligned_down(u64 address, u32 bytes) { return address & ~u64{std::min(bytes, 4u) - 1}; }

u64 offset_of(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    auto offset = static_cast<u64>(m.offset);
    if (m.offset_dwords == 0) return offset;
    require_defined_scalar(wave, m.offset_register, 1, "an address");
    return offset + wave.scalar(m.offset_register);
}

// Takes the bytes from memory; where `there` is false, zeros.
void load_from(Wave& wave, const Inst& inst, u64 address, bool there) {
    const MemoryOperands& m = inst.memory;
    const u32 bytes = inst.row->bytes;
    issue(wave, {ReturnClass::kScalarLoad, m.data, m.data_dwords, 1, isa::Half::kWhole});
    const Allocation* const allocation = there ? allocation_of(wave, address, bytes) : nullptr;
    if (there && allocation == nullptr)
        report_outside(wave, FindingKind::kReadOutOfBounds, 0, address, bytes, nullptr);
    else if (there && allocation->address == wave.worker->kernarg_address)
        check_kernarg(wave, address, bytes);
    if (m.data == isa::kNull) return;
    for (u32 i = 0; i < m.data_dwords; ++i) {
        u32 value = 0, undefined = 0;
        if (allocation != nullptr) {
            const u64 at = address - allocation->address + 4 * i;
            const u32 part = std::min(bytes, 4u);
            std::memcpy(&value, allocation->data + at, part);
            if (!allocation->whole()) std::memcpy(&undefined, allocation->undefined.data() + at, part);
        }
        const auto r = static_cast<Register>(m.data + i);
        set_scalar(wave, r, extended(value, *inst.row));
        set_scalar_undefined(wave, r, extended_mask(undefined, *inst.row));
    }
}

void scalar_load(Wave& wave, const Inst& inst) {
    require_defined_scalar(wave, inst.memory.base, 2, "an address");
    const u64 address = wave.scalar64(inst.memory.base) + offset_of(wave, inst);
    load_from(wave, inst, aligned_down(address, inst.row->bytes), true);
}

// The offset counts up to num_records, in bytes, or in strides where there is one. Beyond it a load gives zeros, by
// definition; what lies half within is not defined alike on all chips.
void scalar_buffer_load(Wave& wave, const Inst& inst) {
    const MemoryOperands& m = inst.memory;
    require_defined_scalar(wave, m.base, 4, "a buffer resource");
    const BufferResource resource = buffer_resource(wave, m.base);
    const u64 size = u64{resource.records} * std::max(resource.stride, 1u);
    const u64 offset = aligned_down(offset_of(wave, inst) & 0xffffffffu, inst.row->bytes);
    const bool inside = offset + inst.row->bytes <= size;
    const bool special = resource.reserved || resource.element != 0 || resource.adds_lane;
    if (special || (!inside && offset < size)) {
        stop_unsupported(wave, special ? "unsupported buffer resource" : "unsupported load across a buffer's end");
        return;
    }
    load_from(wave, inst, aligned_down(resource.base, inst.row->bytes) + offset, inside);
}

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row row(std::string_view name, Handler handler, u8 bytes, Extend extend = Extend::kNone) {
    Row r;
    r.name = name;
    r.unit = Unit::kScalarMemory;
    r.handler = handler;
    r.bytes = bytes;
    r.extend = extend;
    return r;
}

#define HKC_LOADS(NAME, handler)                                                                                       \
    row(NAME "_DWORD", handler, 4), row(NAME "_DWORDX2", handler, 8), row(NAME "_DWORDX4", handler, 16),               \
        row(NAME "_DWORDX8", handler, 32), row(NAME "_DWORDX16", handler, 64), row(NAME "_B32", handler, 4),           \
        row(NAME "_B64", handler, 8), row(NAME "_B96", handler, 12), row(NAME "_B128", handler, 16),                   \
        row(NAME "_B256", handler, 32), row(NAME "_B512", handler, 64), row(NAME "_U8", handler, 1, Extend::kZero),    \
        row(NAME "_I8", handler, 1, Extend::kSign), row(NAME "_U16", handler, 2, Extend::kZero),                       \
        row(NAME "_I16", handler, 2, Extend::kSign)

constexpr Row kRows[] = {HKC_LOADS("S_LOAD", scalar_load), HKC_LOADS("S_BUFFER_LOAD", scalar_buffer_load)};
#undef HKC_LOADS

} // namespace

std::span<const Row> scalar_memory_rows() { return kRows; }

} // namespace pm::emu
