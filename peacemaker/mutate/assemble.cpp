#include "peacemaker/mutate/assemble.h"

#include "peacemaker/isa/disassembler.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <vector>

namespace pm::mutate {
namespace {

/// Keeps the instructions, and counts what else a line can hold beside one.
class Instructions : public llvm::MCStreamer {
public:
    explicit Instructions(llvm::MCContext& context) : MCStreamer(context) {}

    void emitInstruction(const llvm::MCInst& inst, const llvm::MCSubtargetInfo&) override { found.push_back(inst); }
    void emitLabel(llvm::MCSymbol*, llvm::SMLoc) override { ++others; }
    bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return ++others != 0; }
    void emitCommonSymbol(llvm::MCSymbol*, std::uint64_t, llvm::Align) override { ++others; }

    std::vector<llvm::MCInst> found;
    int others = 0;
};

void keep_message(const llvm::SMDiagnostic& diagnostic, void* out) {
    auto& message = *static_cast<std::string*>(out);
    if (message.empty()) message = diagnostic.getMessage().str();
}

} // namespace

Result<std::string> assemble(const Chip& chip, std::string_view text) {
    // The disassembler sets LLVM's target up and knows whether it has the chip.
    if (const auto known = isa::Disassembler::create(chip); !known) return known.error();
    const auto bad = [&](const std::string& why) {
        return Error{fmt::format("\"{}\" for {}: {}; expected one instruction", text, chip.name, why)};
    };
    if (text.find_first_of("\n\r") != std::string_view::npos) return bad("more than one line");
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string message;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
    if (target == nullptr) return bad(message);

    const llvm::MCTargetOptions options;
    const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
    const std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, options));
    const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
    const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
        target->createMCSubtargetInfo(triple, chip.name, "+wavefrontsize32,-wavefrontsize64"));

    llvm::SourceMgr source;
    source.setDiagHandler(keep_message, &message);
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())), {});
    llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &source, &options);
    const std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, /*PIC=*/true));
    context.setObjectFileInfo(sections.get());

    Instructions streamer(context);
    target->createNullTargetStreamer(streamer);
    const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(source, context, streamer, *assembly));
    const std::unique_ptr<llvm::MCTargetAsmParser> syntax(
        target->createMCAsmParser(*subtarget, *parser, *instructions, options));
    const std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
    if (!syntax || !emitter) return bad("LLVM's MC layer has no assembler for it");
    parser->setTargetParser(*syntax);
    const bool failed = parser->Run(/*NoInitialTextSection=*/false);
    if (failed || context.hadError()) return bad(message.empty() ? "it does not assemble" : message);
    if (streamer.found.size() != 1 || streamer.others != 0)
        return bad(fmt::format("{} instructions and {} other statements", streamer.found.size(), streamer.others));

    llvm::SmallVector<char, 16> bytes;
    llvm::SmallVector<llvm::MCFixup, 4> fixups;
    emitter->encodeInstruction(streamer.found.front(), bytes, fixups, *subtarget);
    if (!fixups.empty()) return bad("it names what only a linker knows");
    return std::string(bytes.begin(), bytes.end());
}

} // namespace pm::mutate
