// LLVM's MC layer for one chip: bytes to MCInst, MCInst to text and back to bytes. No encodings of our own anywhere.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/isa/opcode_name.h"
#include "peacemaker/isa/registers.h"
#include "peacemaker/support/result.h"

#include "llvm/MC/MCInst.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class MCInstrDesc;
}

namespace pm::isa {

/// One decoded instruction.
struct Decoded {
    llvm::MCInst inst;
    std::uint32_t size = 0; // bytes
};

/// Decoder, printer and encoder of one chip in one wave size. Not thread-safe: one a thread, or behind a lock.
class Disassembler {
public:
    /// `wave` is 32 or 64 lanes. Error: LLVM was built without the AMDGPU target.
    static Result<std::unique_ptr<Disassembler>> create(const Chip& chip, std::uint32_t wave = 32);
    ~Disassembler();
    Disassembler(const Disassembler&) = delete;
    Disassembler& operator=(const Disassembler&) = delete;

    /// The instruction at the start of `bytes`, which lies at `address`; nothing where the bytes are none.
    std::optional<Decoded> decode(std::string_view bytes, std::uint64_t address);
    /// As llvm-objdump prints it.
    std::string text(const llvm::MCInst& inst, std::uint64_t address);
    /// The bytes of the instruction.
    std::string encode(const llvm::MCInst& inst);

    const llvm::MCInstrDesc& description(unsigned opcode) const;
    unsigned opcode_count() const;
    std::string_view mc_name(unsigned opcode) const;
    /// Resolved once, when the opcode is first met.
    const OpcodeName& opcode(unsigned opcode) const;
    /// Resolved once at creation, by MC register number.
    RegisterRef register_ref(unsigned mc_register) const { return registers_[mc_register]; }
    /// The MC registers that operand `index` of `opcode` may name, vector ones first; none where it is no register.
    std::vector<unsigned> register_choices(unsigned opcode, unsigned index) const;
    /// Whether operand `index` of `opcode` holds the modifiers of the source after it.
    bool is_modifiers(unsigned opcode, unsigned index) const;

private:
    struct Impl;
    explicit Disassembler(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
    mutable std::vector<OpcodeName> opcodes_; // an empty base: not met yet
    std::vector<RegisterRef> registers_;
    unsigned modifiers_type_ = 0;
};

} // namespace pm::isa
