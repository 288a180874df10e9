// LLVM MC opcode names taken apart: V_ADD_F32_e64_dpp_gfx11 is V_ADD_F32 in the VOP3 DPP16 encoding.
//
// This file and registers.cpp are the only places that look into MC's names; all else works on the parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pm::isa {

/// How sources of a vector instruction are encoded.
enum class Encoding : std::uint8_t { kPlain, kVop3, kDpp16, kDpp8, kSdwa };

/// How a memory instruction forms its address.
enum class Addressing : std::uint8_t {
    kDefault,
    kSaddr,
    kSvs,
    kSt,
    kImm,
    kSgpr,
    kSgprImm,
    kOffset,
    kOffen,
    kIdxen,
    kBothen
};

struct OpcodeName {
    std::string base; // V_ADD_F32, GLOBAL_LOAD_DWORDX4, S_LOAD_DWORDX2, V_DUAL_FMAC_F32_X_MOV_B32
    Encoding encoding = Encoding::kPlain;
    bool vop3 = false; // VOP3 fields (clamp, omod) are there, also under DPP
    Addressing addressing = Addressing::kDefault;
    bool returns = false; // atomics: _RTN
};

OpcodeName parse_opcode_name(std::string_view mc_name);

} // namespace pm::isa
