#include "peacemaker/emu/atomic_operands.h"

#include "peacemaker/emu/row.h"

#include <fmt/format.h>

namespace pm::emu {
namespace {

std::uint64_t lane_value(const Wave& wave, Register r, std::uint32_t lane, std::uint32_t bytes) {
    return wave.v[r][lane] | (bytes == 8 ? static_cast<std::uint64_t>(wave.v[r + 1][lane]) << 32 : 0u);
}

bool lane_undefined(const Wave& wave, Register r, std::uint32_t lane, std::uint32_t bytes) {
    for (std::uint32_t k = 0; k < bytes / 4; ++k)
        if (wave.undefined_word(static_cast<Register>(r + k), lane) != 0) return true;
    return false;
}

} // namespace

AtomicOperands atomic_operands(const Wave& wave, const Inst& inst, std::uint32_t lane) {
    const MemoryOperands& m = inst.memory;
    const std::uint32_t bytes = inst.row->bytes;
    AtomicOperands operands;
    operands.data = lane_value(wave, m.operand, lane, bytes);
    operands.undefined = lane_undefined(wave, m.operand, lane, bytes);
    if (m.second_dwords != 0) {
        operands.second = lane_value(wave, m.second_data, lane, bytes);
        operands.undefined |= lane_undefined(wave, m.second_data, lane, bytes);
    }
    return operands;
}

std::uint64_t masks_after(const Inst& inst, const AtomicOperands& operands, std::uint64_t masks) {
    return operands.undefined || (masks != 0 && !inst.row->replaces) ? ~std::uint64_t{0} : 0;
}

void put_old(std::uint32_t lane, std::uint32_t bytes, std::uint32_t first_word, std::uint64_t old, std::uint64_t masks,
             LaneWords& words, LaneWords& undefined) {
    for (std::uint32_t k = 0; k < bytes / 4; ++k) {
        words[first_word + k][lane] = static_cast<std::uint32_t>(old >> (32 * k));
        undefined[first_word + k][lane] = masks != 0 ? ~0u : 0u;
    }
}

bool aligned(Wave& wave, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
    if (address % bytes == 0) return true;
    report(wave, FindingKind::kMisaligned, lane, address,
           fmt::format("an atomic on {} bytes at 0x{:x}, which is no multiple of {}", bytes, address, bytes));
    return false;
}

} // namespace pm::emu
