#include "peacemaker/certify/clauses.h"

#include "peacemaker/chip/hazards.h"

#include <fmt/format.h>
#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <array>

namespace pm::certify {
namespace {

std::string_view name_of(const isa::Disassembler& disassembler, const Step& step) {
    return disassembler.opcode(step.inst.getOpcode()).base;
}

std::uint32_t field_of(const Step& step) { return static_cast<std::uint32_t>(step.inst.getOperand(0).getImm()); }

/// What may share a clause. gfx10 tells loads from stores only in what benefits; from gfx11 on they are kinds.
enum class Kind : std::uint8_t { kNone, kInternal, kScalar, kVector, kFlat, kLds, kValu };

struct Member {
    Kind kind = Kind::kNone;
    bool loads = false, stores = false;

    bool operator==(const Member&) const = default;
};

Member member_of(const Chip& chip, const isa::Disassembler& disassembler, const Step& step) {
    constexpr std::array<std::string_view, 3> kInternal = {"S_NOP", "S_SLEEP", "S_DELAY_ALU"};
    const std::string_view name = name_of(disassembler, step);
    const isa::Units& units = step.effects.units;
    if (std::find(kInternal.begin(), kInternal.end(), name) != kInternal.end()) return {Kind::kInternal};
    if (units.scalar_memory) return {Kind::kScalar};
    if (units.vector_memory) {
        Member member{name.starts_with("FLAT_") ? Kind::kFlat : Kind::kVector};
        if (chip.generation > 10) {
            const llvm::MCInstrDesc& description = disassembler.description(step.inst.getOpcode());
            member.loads = description.mayLoad();
            member.stores = description.mayStore();
        }
        return member;
    }
    if (units.lds) return {Kind::kLds};
    return {units.valu ? Kind::kValu : Kind::kNone};
}

/// What is wrong with the clause that `step` begins; empty where nothing is. `at` becomes the instruction it is about.
std::string clause_fault(const Chip& chip, const Code& code, const isa::Disassembler& disassembler, std::uint32_t step,
                         std::uint32_t& at) {
    constexpr std::uint32_t kLengthBits = 63, kLeast = 2, kMost = 63;
    const std::uint32_t length = (field_of(code.steps[step]) & kLengthBits) + 1;
    if (length < kLeast || length > kMost)
        return fmt::format("{} instructions; expected {} to {}", length, kLeast, kMost);
    constexpr std::uint32_t kLong = 32;
    const HazardRule* const rule = hazard_of(chip, Hazard::kLongClause);
    if (rule != nullptr && length > kLong) return fmt::format("{} instructions; {}", length, rule->must);
    const Block& block = code.blocks[block_of(code, step)];
    Member first;
    for (std::uint32_t i = 1; i <= length; ++i) {
        if (step + i >= block.first + block.count) {
            at = step;
            return fmt::format("{} instructions, and a branch comes or goes behind {} of them", length, i - 1);
        }
        const Member member = member_of(chip, disassembler, code.steps[step + i]);
        if (member.kind == Kind::kInternal && i != 1) continue;
        at = step + i;
        if (member.kind == Kind::kNone || member.kind == Kind::kInternal)
            return fmt::format("an instruction that no clause may have, in that of +{:#x}", code.steps[step].at);
        if (i == 1)
            first = member;
        else if (member != first)
            return fmt::format("another kind of instruction than the first, in the clause of +{:#x}",
                               code.steps[step].at);
    }
    return {};
}

} // namespace

std::vector<Obligation> check_clauses(const Chip& chip, const Code& code, const isa::Disassembler& disassembler) {
    std::vector<Obligation> found;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step) {
        if (name_of(disassembler, code.steps[step]) != "S_CLAUSE") continue;
        std::uint32_t at = step;
        std::string fault = clause_fault(chip, code, disassembler, step, at);
        if (fault.empty()) continue;
        found.push_back({kind::kClause, at, std::move(fault), {}, true});
    }
    return found;
}

std::vector<Obligation> check_delays(const Code& code, const isa::Disassembler& disassembler) {
    constexpr std::uint32_t kIds = 12, kSkips = 6;
    std::vector<Obligation> found;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step) {
        if (name_of(disassembler, code.steps[step]) != "S_DELAY_ALU") continue;
        const std::uint32_t field = field_of(code.steps[step]);
        const std::uint32_t first = field & 15U, skip = field >> 4 & 7U, second = field >> 7 & 15U;
        const Block& block = code.blocks[block_of(code, step)];
        const std::uint32_t left = block.first + block.count - step - 1; // instructions behind it in its block
        std::string why;
        if (first >= kIds || second >= kIds || skip >= kSkips || field >> 11 != 0)
            why = fmt::format("{:#x} has a reserved code", field);
        else if ((first != 0 && left < 1) || (second != 0 && left < 1 + skip))
            why = "it is about an instruction behind the block's end";
        if (!why.empty()) found.push_back({kind::kDelay, step, std::move(why), {}, false});
    }
    return found;
}

} // namespace pm::certify
