#include "peacemaker/isa/samples.h"

#include "llvm/MC/MCInstrDesc.h"

#include <algorithm>
#include <array>
#include <optional>

namespace pm::isa {
namespace {

// Immediates that some encoding insists on: one bit (the return flag of atomics), and DPP8's selector for inactive
// lanes (llvm/lib/Target/AMDGPU/SIDefines.h, DPP8Mode).
constexpr std::array<std::int64_t, 2> kImmediates = {1, 0xe9};

// Operand `index` takes the choice number `step` * index, so that operands differ where an encoding wants them to.
unsigned chosen(const std::vector<unsigned>& choices, std::size_t index, std::size_t step) {
    return choices[(index * step) % choices.size()];
}

// `immediate` goes into immediate number `position` (counted from the last), 0 into the others.
llvm::MCInst build(const Disassembler& disassembler, unsigned opcode, const std::vector<std::vector<unsigned>>& choices,
                   std::size_t step, std::int64_t immediate, std::size_t position) {
    const llvm::MCInstrDesc& desc = disassembler.description(opcode);
    llvm::MCInst inst;
    inst.setOpcode(opcode);
    const std::size_t count = desc.getNumOperands();
    const auto is_immediate = [&](std::size_t i) { return choices[i].empty(); };
    for (std::size_t i = 0; i < count; ++i) {
        const int tied = desc.getOperandConstraint(static_cast<unsigned>(i), llvm::MCOI::TIED_TO);
        if (tied >= 0 && static_cast<std::size_t>(tied) < i) {
            inst.addOperand(inst.getOperand(static_cast<unsigned>(tied)));
        } else if (!is_immediate(i)) {
            inst.addOperand(llvm::MCOperand::createReg(chosen(choices[i], i, step)));
        } else {
            std::size_t behind = 0;
            for (std::size_t j = i + 1; j < count; ++j) behind += is_immediate(j) ? 1 : 0;
            inst.addOperand(llvm::MCOperand::createImm(behind == position ? immediate : 0));
        }
    }
    return inst;
}

// MC's format flags of an instruction, which its public headers do not name (llvm/lib/Target/AMDGPU/SIDefines.h,
// SIInstrFlags); the first that is set names the class.
struct ClassFlag {
    unsigned bit;
    std::string_view name;
};
constexpr std::array<ClassFlag, 23> kClasses = {{
    {2, "SOP1"},  {3, "SOP2"}, {4, "SOPC"},  {5, "SOPK"},   {6, "SOPP"},   {12, "VOP3P"}, {13, "VINTERP"}, {10, "VOP3"},
    {7, "VOP1"},  {8, "VOP2"}, {9, "VOPC"},  {17, "MUBUF"}, {18, "MTBUF"}, {19, "SMEM"},  {20, "MIMG"},    {21, "MIMG"},
    {22, "MIMG"}, {23, "EXP"}, {24, "FLAT"}, {25, "DS"},    {14, "VOP2"},  {15, "VOP2"},  {1, "other"},
}};

std::optional<std::string> sample(Disassembler& disassembler, unsigned opcode) {
    const llvm::MCInstrDesc& desc = disassembler.description(opcode);
    if (desc.isPseudo() || desc.getSize() == 0) return std::nullopt;
    std::vector<std::vector<unsigned>> choices;
    std::size_t immediates = 0;
    for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
        choices.push_back(disassembler.register_choices(opcode, i));
        immediates += choices.back().empty() ? 1 : 0;
    }
    const auto attempt = [&](std::size_t step, std::int64_t immediate,
                             std::size_t position) -> std::optional<std::string> {
        std::string bytes = disassembler.encode(build(disassembler, opcode, choices, step, immediate, position));
        const auto decoded = disassembler.decode(bytes, 0);
        if (!decoded || decoded->inst.getOpcode() != opcode || decoded->size != bytes.size()) return std::nullopt;
        return bytes;
    };
    for (const std::size_t step : {4u, 5u, 1u})
        if (auto bytes = attempt(step, 0, 0)) return bytes;
    for (const std::int64_t immediate : kImmediates)
        for (std::size_t position = 0; position < immediates; ++position)
            if (auto bytes = attempt(4, immediate, position)) return bytes;
    return std::nullopt;
}

} // namespace

std::vector<Sample> samples_of(Disassembler& disassembler) {
    std::vector<Sample> all;
    for (unsigned opcode = 0; opcode < disassembler.opcode_count(); ++opcode)
        if (auto bytes = sample(disassembler, opcode)) all.push_back({opcode, std::move(*bytes)});
    return all;
}

std::string_view class_of(const Disassembler& disassembler, unsigned opcode) {
    if (disassembler.opcode(opcode).base.starts_with("V_DUAL_")) return "VOPD";
    const std::uint64_t flags = disassembler.description(opcode).TSFlags;
    for (const ClassFlag& c : kClasses)
        if (((flags >> c.bit) & 1u) != 0) return c.name;
    return "other";
}

bool is_compute(std::string_view cls) { return cls != "MIMG" && cls != "EXP" && cls != "VINTERP"; }

} // namespace pm::isa
