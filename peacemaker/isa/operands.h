// The operands of a decoded instruction by role: results, sources with their modifiers, and the fields of its encoding.
//
// MC gives a flat list. Its order is a property of the encoding, kept as rows in operands.cpp and proved by a test that
// assembles, decodes and re-encodes one instruction of every row.
#pragma once

#include "peacemaker/isa/disassembler.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pm::isa {

/// Which part of a 32-bit source SDWA takes (values of the encoding): bytes 0..3, words 0..1, the whole.
enum class SdwaSelect : std::uint8_t { kByte0, kByte1, kByte2, kByte3, kWord0, kWord1, kDword };
/// What SDWA does with the bits of the destination that it does not select.
enum class SdwaUnused : std::uint8_t { kPad, kSignExtend, kPreserve };

/// A source: a register or a constant (already the operand's bits, as MC decodes inline constants and literals).
struct SourceOperand {
    bool is_register = false;
    RegisterRef reg;
    std::int64_t constant = 0;
    bool has_modifiers = false; // the encoding has modifiers for this source
    bool neg = false;           // also neg_lo of packed formats
    bool abs_or_neg_hi = false;
    bool op_sel = false;
    bool op_sel_hi = false; // packed formats; of source 0 in VOP3 it is the destination's half
    SdwaSelect select = SdwaSelect::kDword;
    bool sign_extend = false; // SDWA: of the selected part
};

/// DPP's lane permutation of source 0.
struct DppFields {
    std::uint32_t control = 0; // DPP16: dpp_ctrl; DPP8: eight 3-bit selectors
    std::uint8_t row_mask = 0xf, bank_mask = 0xf;
    bool bound_ctrl = false, fetch_inactive = false;
};

struct Operands {
    std::vector<RegisterRef> results;
    /// Registers and constants that are read, tied ones left out, in MC order; those of FLAT, GLOBAL and SCRATCH are
    /// put in the order vector address, data, scalar base, as far as they are there.
    std::vector<SourceOperand> sources;
    std::vector<std::int64_t> immediates; // offsets, counts and policy fields, in MC order
    bool clamp = false;
    std::uint8_t output_modifier = 0; // omod: 0 none, 1 *2, 2 *4, 3 /2
    DppFields dpp;
    SdwaSelect result_select = SdwaSelect::kDword;
    SdwaUnused result_unused = SdwaUnused::kPad;
    bool reads_vcc = false, writes_vcc = false, writes_exec = false; // implicit
};

/// Whether a cache policy of gfx12 has device scope or wider. Source: llvm/lib/Target/AMDGPU/SIDefines.h, CPol::SCOPE.
constexpr bool reaches_device(std::int64_t policy) { return (policy >> 3 & 3) >= 2; }

Operands operands_of(const Disassembler& disassembler, const llvm::MCInst& inst);

} // namespace pm::isa
