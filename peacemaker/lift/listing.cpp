#include "peacemaker/lift/listing.h"

#include <fmt/format.h>
#include <llvm/MC/MCInstrDesc.h>

namespace pm::lift {
namespace {

constexpr std::int64_t kWord = 4; // bytes; what a branch counts in

} // namespace

std::optional<std::int64_t> branch_target(const isa::Disassembler& disassembler, const llvm::MCInst& inst,
                                          std::uint32_t size, std::uint64_t at) {
    const llvm::MCInstrDesc& description = disassembler.description(inst.getOpcode());
    if (!description.isBranch() || description.isIndirectBranch()) return std::nullopt;
    if (inst.getNumOperands() == 0 || !inst.getOperand(0).isImm()) return std::nullopt;
    const auto words = static_cast<std::int16_t>(inst.getOperand(0).getImm());
    return static_cast<std::int64_t>(at) + size + kWord * words;
}

Result<std::vector<Instruction>> instructions_of(const CodeObject& object, const Kernel& kernel) {
    const std::string_view code = object.at(kernel.entry_address, kernel.code_size);
    if (code.empty()) return Error{fmt::format("the size of {} is not known, for it has no symbol", kernel.name)};
    const auto disassembler = isa::Disassembler::create(*object.chip);
    if (!disassembler) return disassembler.error();
    std::vector<Instruction> found;
    for (std::uint64_t at = 0; at < code.size();) {
        const std::uint64_t address = kernel.entry_address + at;
        const auto decoded = (*disassembler)->decode(code.substr(at), address);
        if (!decoded) return Error{fmt::format("{}+{:#x}: no instruction of {}", kernel.name, at, object.chip->name)};
        found.push_back({at, decoded->size, (*disassembler)->text(decoded->inst, address),
                         branch_target(**disassembler, decoded->inst, decoded->size, at)});
        at += decoded->size;
    }
    return found;
}

} // namespace pm::lift
