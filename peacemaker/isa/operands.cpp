#include "peacemaker/isa/operands.h"

#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInstrDesc.h"

#include <span>
#include <utility>

namespace pm::isa {
namespace {

// Bits of MC's source-modifier operand (llvm/lib/Target/AMDGPU/SIDefines.h, SISrcMods).
constexpr std::int64_t kNeg = 1, kAbs = 2, kOpSel = 4, kOpSelHi = 8, kSignExtend = 16;

// What DPP8 encodes as its source 0 where inactive lanes are read (SIDefines.h, DPP8FI); without them it is another
// number, not 0.
constexpr std::int64_t kDpp8FetchInactive = 0xea;

// The immediates that an encoding appends after its sources.
enum class Field : std::uint8_t {
    kDppControl,
    kRowMask,
    kBankMask,
    kBoundControl,
    kFetchInactive,
    kResultSelect,
    kResultUnused,
    kSourceSelect
};

void set_field(Operands& out, Field field, std::int64_t value, std::size_t source) {
    switch (field) {
    case Field::kDppControl:
        out.dpp.control = static_cast<std::uint32_t>(value);
        break;
    case Field::kRowMask:
        out.dpp.row_mask = static_cast<std::uint8_t>(value);
        break;
    case Field::kBankMask:
        out.dpp.bank_mask = static_cast<std::uint8_t>(value);
        break;
    case Field::kBoundControl:
        out.dpp.bound_ctrl = value != 0;
        break;
    case Field::kFetchInactive:
        out.dpp.fetch_inactive = value == 1 || value == kDpp8FetchInactive;
        break;
    case Field::kResultSelect:
        out.result_select = static_cast<SdwaSelect>(value);
        break;
    case Field::kResultUnused:
        out.result_unused = static_cast<SdwaUnused>(value);
        break;
    case Field::kSourceSelect:
        out.sources[source].select = static_cast<SdwaSelect>(value);
        break;
    }
}

// Takes the encoding's own fields off the end of the immediates; what stays in front is clamp and omod.
void take_encoding_fields(Operands& out, Encoding encoding, bool compares) {
    static constexpr std::array kDpp16 = {Field::kDppControl, Field::kRowMask, Field::kBankMask, Field::kBoundControl,
                                          Field::kFetchInactive};
    static constexpr std::array kDpp8 = {Field::kDppControl, Field::kFetchInactive};
    static constexpr std::array kSdwa = {Field::kResultSelect, Field::kResultUnused, Field::kSourceSelect,
                                         Field::kSourceSelect};
    std::span<const Field> fields;
    if (encoding == Encoding::kDpp16) fields = kDpp16;
    if (encoding == Encoding::kDpp8) fields = kDpp8;
    if (encoding == Encoding::kSdwa) {
        const std::span<const Field> all(kSdwa);
        const std::size_t selects = out.sources.size() < 2 ? 1 : 2;
        fields = compares ? all.subspan(2, selects) : all.first(2 + selects);
    }
    if (fields.size() > out.immediates.size()) return;
    const std::size_t first = out.immediates.size() - fields.size();
    std::size_t source = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        set_field(out, fields[i], out.immediates[first + i], source);
        if (fields[i] == Field::kSourceSelect) ++source;
    }
    out.immediates.resize(first);
}

// FLAT forms: MC lists the scalar base of a global load before its address, and the data of a scratch store before its
// address.
void order_flat(Operands& out, const OpcodeName& name) {
    if (out.sources.size() < 2) return;
    const auto scalar = [&](std::size_t i) {
        return out.sources[i].is_register && !is_vector(out.sources[i].reg.first);
    };
    const bool scratch = name.base.starts_with("SCRATCH_");
    const bool global = name.base.starts_with("GLOBAL_") || name.base.starts_with("FLAT_");
    const bool base_first = global && scalar(0) && !scalar(1);
    const bool data_first = scratch && out.results.empty() && !scalar(1);
    if (base_first || data_first) std::swap(out.sources[0], out.sources[1]);
}

// VOP3's DPP forms of accumulating instructions name the register's old value a second time, in front of the sources.
bool is_second_old(const Disassembler& disassembler, unsigned opcode, unsigned index) {
    const llvm::MCInstrDesc& desc = disassembler.description(opcode);
    const Encoding encoding = disassembler.opcode(opcode).encoding;
    if (encoding != Encoding::kDpp16 && encoding != Encoding::kDpp8) return false;
    if (index != desc.getNumDefs() || !disassembler.is_modifiers(opcode, index + 1)) return false;
    for (unsigned i = index + 1; i < desc.getNumOperands(); ++i)
        if (desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) == 0) return true;
    return false;
}

std::int64_t value_of(const llvm::MCOperand& operand) {
    if (operand.isImm()) return operand.getImm();
    std::int64_t value = 0;
    if (operand.isExpr()) (void)operand.getExpr()->evaluateAsAbsolute(value);
    return value;
}

} // namespace

Operands operands_of(const Disassembler& disassembler, const llvm::MCInst& inst) {
    const unsigned opcode = inst.getOpcode();
    const llvm::MCInstrDesc& desc = disassembler.description(opcode);
    const OpcodeName& name = disassembler.opcode(opcode);
    Operands out;
    std::int64_t modifiers = 0;
    bool has_modifiers = false;
    for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
        const llvm::MCOperand& operand = inst.getOperand(i);
        if (i < desc.getNumDefs()) {
            out.results.push_back(disassembler.register_ref(operand.getReg().id()));
            continue;
        }
        if (i < desc.getNumOperands() && desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0) continue;
        if (operand.isReg() && is_second_old(disassembler, opcode, i)) continue;
        if (disassembler.is_modifiers(opcode, i)) {
            modifiers = operand.getImm();
            has_modifiers = true;
            continue;
        }
        const unsigned type = i < desc.getNumOperands() ? unsigned{desc.operands()[i].OperandType}
                                                        : unsigned{llvm::MCOI::OPERAND_IMMEDIATE};
        if (!operand.isReg() && (type == llvm::MCOI::OPERAND_IMMEDIATE || type == llvm::MCOI::OPERAND_UNKNOWN ||
                                 type == llvm::MCOI::OPERAND_PCREL)) {
            out.immediates.push_back(value_of(operand));
            continue;
        }
        SourceOperand source;
        source.is_register = operand.isReg();
        if (operand.isReg())
            source.reg = disassembler.register_ref(operand.getReg().id());
        else
            source.constant = value_of(operand);
        source.has_modifiers = has_modifiers;
        source.neg = (modifiers & kNeg) != 0;
        source.abs_or_neg_hi = (modifiers & kAbs) != 0;
        source.op_sel = (modifiers & kOpSel) != 0;
        source.op_sel_hi = (modifiers & kOpSelHi) != 0;
        source.sign_extend = (modifiers & kSignExtend) != 0;
        modifiers = 0;
        has_modifiers = false;
        out.sources.push_back(source);
    }
    for (const llvm::MCPhysReg reg : desc.implicit_uses())
        out.reads_vcc |= disassembler.register_ref(reg).first == kVccLo;
    for (const llvm::MCPhysReg reg : desc.implicit_defs()) {
        out.writes_vcc |= disassembler.register_ref(reg).first == kVccLo;
        out.writes_exec |= disassembler.register_ref(reg).first == kExecLo;
    }
    const bool compares = name.base.starts_with("V_CMP");
    take_encoding_fields(out, name.encoding, compares);
    order_flat(out, name);
    const bool has_output_fields = name.vop3 || name.encoding == Encoding::kVop3 || name.encoding == Encoding::kSdwa ||
                                   name.base.starts_with("V_");
    if (has_output_fields && !out.immediates.empty()) out.clamp = out.immediates[0] != 0;
    if (has_output_fields && out.immediates.size() > 1)
        out.output_modifier = static_cast<std::uint8_t>(out.immediates[1]);
    return out;
}

} // namespace pm::isa
