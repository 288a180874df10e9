#include "peacemaker/isa/units.h"

#include "llvm/MC/MCInstrDesc.h"

namespace pm::isa {

Units units_of(const Disassembler& disassembler, unsigned opcode) {
    // MC's public headers do not name these bits: llvm/lib/Target/AMDGPU/SIDefines.h, SIInstrFlags.
    constexpr unsigned kSalu = 0, kValu = 1, kSopp = 6, kTrans = 16, kMubuf = 17, kMtbuf = 18, kSmrd = 19, kMimg = 20,
                       kVimage = 21, kVsample = 22, kFlat = 24, kDs = 25;
    const std::uint64_t flags = disassembler.description(opcode).TSFlags;
    const auto any = [flags](auto... bits) { return (((flags >> bits & 1U) != 0) || ...); };
    Units units;
    units.salu = any(kSalu);
    units.valu = any(kValu);
    units.program_control = any(kSopp);
    units.transcendental = any(kTrans);
    units.scalar_memory = any(kSmrd);
    units.vector_memory = any(kMubuf, kMtbuf, kMimg, kVimage, kVsample, kFlat);
    units.flat = any(kFlat);
    units.lds = any(kDs);
    return units;
}

AluWait alu_wait_field(std::uint32_t field) {
    return {field >> 12 & 15U, field >> 9 & 7U, field >> 1 & 1U, field & 1U};
}

} // namespace pm::isa
