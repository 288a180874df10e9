#include "peacemaker/isa/disassembler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <array>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUDisassembler();
}

namespace pm::isa {

struct Disassembler::Impl {
    llvm::MCTargetOptions options;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembly;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> decoder;
    std::unique_ptr<llvm::MCInstPrinter> printer;
    std::unique_ptr<llvm::MCCodeEmitter> emitter;
};

Result<std::unique_ptr<Disassembler>> Disassembler::create(const Chip& chip, std::uint32_t wave) {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUAsmParser();
        LLVMInitializeAMDGPUDisassembler();
    });
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string message;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
    if (target == nullptr) return Error{"LLVM's MC layer has no AMDGPU target (" + message + "); install libllvm22"};

    auto impl = std::make_unique<Impl>();
    impl->registers.reset(target->createMCRegInfo(triple));
    impl->assembly.reset(target->createMCAsmInfo(*impl->registers, triple, impl->options));
    impl->instructions.reset(target->createMCInstrInfo());
    impl->subtarget.reset(target->createMCSubtargetInfo(
        triple, chip.name, wave == 64 ? "-wavefrontsize32,+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64"));
    if (!impl->subtarget || !impl->subtarget->isCPUStringValid(chip.name))
        return Error{"LLVM's MC layer does not know the chip " + chip.name};
    impl->context =
        std::make_unique<llvm::MCContext>(triple, impl->assembly.get(), impl->registers.get(), impl->subtarget.get());
    impl->decoder.reset(target->createMCDisassembler(*impl->subtarget, *impl->context));
    impl->printer.reset(target->createMCInstPrinter(triple, 0, *impl->assembly, *impl->instructions, *impl->registers));
    impl->emitter.reset(target->createMCCodeEmitter(*impl->instructions, *impl->context));
    if (!impl->decoder || !impl->printer || !impl->emitter)
        return Error{"LLVM's MC layer has no decoder, printer or encoder for " + chip.name};
    return std::unique_ptr<Disassembler>(new Disassembler(std::move(impl)));
}

Disassembler::Disassembler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
    opcodes_.resize(impl_->instructions->getNumOpcodes());
    // MC keeps its operand types private; the first source of any VOP3 float add is a modifiers operand.
    for (unsigned op = 0; op < opcodes_.size(); ++op)
        if (impl_->instructions->getName(op) == "V_ADD_F32_e64_gfx11")
            modifiers_type_ = impl_->instructions->get(op).operands()[1].OperandType;
    for (unsigned reg = 0; reg < impl_->registers->getNumRegs(); ++reg)
        registers_.push_back(reg == 0 ? RegisterRef{} : register_of_mc_name(impl_->registers->getName(reg)));
}

Disassembler::~Disassembler() = default;

std::optional<Decoded> Disassembler::decode(std::string_view bytes, std::uint64_t address) {
    Decoded decoded;
    std::uint64_t size = 0;
    // LLVM's decoder crashes where a literal is cut off, so it never sees the end of the bytes.
    constexpr std::size_t kLongest = 20;
    std::array<std::uint8_t, kLongest> padded{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), kLongest), padded.begin());
    const llvm::ArrayRef<std::uint8_t> data(padded);
    // A soft failure is a field that the hardware ignores and the encoder would set otherwise; the instruction is
    // known.
    if (impl_->decoder->getInstruction(decoded.inst, size, data, address, llvm::nulls()) == llvm::MCDisassembler::Fail)
        return std::nullopt;
    if (size == 0 || size > bytes.size()) return std::nullopt;
    decoded.size = static_cast<std::uint32_t>(size);
    return decoded;
}

std::string Disassembler::text(const llvm::MCInst& inst, std::uint64_t address) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    impl_->printer->printInst(&inst, address, "", *impl_->subtarget, stream);
    const std::size_t first = out.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : out.substr(first);
}

std::string Disassembler::encode(const llvm::MCInst& inst) {
    llvm::SmallVector<char, 16> bytes;
    llvm::SmallVector<llvm::MCFixup, 4> fixups;
    impl_->emitter->encodeInstruction(inst, bytes, fixups, *impl_->subtarget);
    return {bytes.begin(), bytes.end()};
}

const llvm::MCInstrDesc& Disassembler::description(unsigned opcode) const { return impl_->instructions->get(opcode); }
unsigned Disassembler::opcode_count() const { return impl_->instructions->getNumOpcodes(); }
const OpcodeName& Disassembler::opcode(unsigned opcode) const {
    OpcodeName& name = opcodes_[opcode];
    if (name.base.empty()) name = parse_opcode_name(impl_->instructions->getName(opcode));
    return name;
}

std::string_view Disassembler::mc_name(unsigned opcode) const { return impl_->instructions->getName(opcode); }

std::vector<unsigned> Disassembler::register_choices(unsigned opcode, unsigned index) const {
    const llvm::MCOperandInfo& info = impl_->instructions->get(opcode).operands()[index];
    const unsigned mode = impl_->subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo);
    const std::int16_t id = impl_->instructions->getOpRegClassID(info, mode);
    std::vector<unsigned> choices;
    if (id < 0) return choices;
    for (const llvm::MCPhysReg reg : impl_->registers->getRegClass(static_cast<unsigned>(id)))
        if (registers_[reg].dwords != 0) choices.push_back(reg);
    std::stable_partition(choices.begin(), choices.end(),
                          [this](unsigned reg) { return is_vector(registers_[reg].first); });
    return choices;
}

bool Disassembler::is_modifiers(unsigned opcode, unsigned index) const {
    const llvm::MCInstrDesc& desc = impl_->instructions->get(opcode);
    return index < desc.getNumOperands() && desc.operands()[index].OperandType == modifiers_type_;
}

} // namespace pm::isa
