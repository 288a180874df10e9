// Scalar memory instructions. Every byte is checked against the allocation table, and argument bytes against what the
// caller supplied; registers are in flight until a wait (waits.h).
//
// Sources: RDNA ISA documents, chapter "Scalar memory operations".
#include "peacemaker/emu/global.h"
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

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr Row row(std::string_view name, u8 bytes) {
    Row r;
    r.name = name;
    r.unit = Unit::kScalarMemory;
    r.handler = scalar_load;
    r.bytes = bytes;
    return r;
}

constexpr Row kRows[] = {
    row("S_LOAD_DWORD", 4),     row("S_LOAD_DWORDX2", 8), row("S_LOAD_DWORDX4", 16), row("S_LOAD_DWORDX8", 32),
    row("S_LOAD_DWORDX16", 64), row("S_LOAD_B32", 4),     row("S_LOAD_B64", 8),      row("S_LOAD_B96", 12),
    row("S_LOAD_B128", 16),     row("S_LOAD_B256", 32),   row("S_LOAD_B512", 64),
};

} // namespace

std::span<const Row> scalar_memory_rows() { return kRows; }

} // namespace pm::emu
