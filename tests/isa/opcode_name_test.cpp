#include "peacemaker/isa/opcode_name.h"

#include <gtest/gtest.h>

namespace {

using pm::isa::Addressing;
using pm::isa::Encoding;
using pm::isa::OpcodeName;
using pm::isa::parse_opcode_name;

struct Case {
    const char* mc_name;
    const char* base;
    Encoding encoding = Encoding::kPlain;
    bool vop3 = false;
    Addressing addressing = Addressing::kDefault;
    bool returns = false;
};

TEST(ParseOpcodeName, TakesNamesApart) {
    using E = Encoding;
    using A = Addressing;
    const Case cases[] = {
        {"V_ADD_F32_e32_gfx10", "V_ADD_F32"},
        {"V_ADD_F32_e64_gfx11", "V_ADD_F32", E::kVop3, true},
        {"V_ADD_F32_e64_dpp_gfx11", "V_ADD_F32", E::kDpp16, true},
        {"V_ADD_F32_e64_dpp8_gfx12", "V_ADD_F32", E::kDpp8, true},
        {"V_ADD_F32_dpp_gfx10", "V_ADD_F32", E::kDpp16},
        {"V_ADD_F32_dpp8_gfx10", "V_ADD_F32", E::kDpp8},
        {"V_ADD_F32_sdwa_gfx10", "V_ADD_F32", E::kSdwa},
        {"V_MOV_B16_t16_e32_gfx11", "V_MOV_B16"},
        {"V_CVT_F16_F32V_CVT_F16_F32_t16_e32_gfx11", "V_CVT_F16_F32"},
        {"V_CVT_F16_F32V_CVT_F16_F32_fake16_e64_gfx12", "V_CVT_F16_F32", E::kVop3, true},
        {"V_CVT_F32_F16V_CVT_F32_F16_fake16_e64_dpp_gfx12", "V_CVT_F32_F16", E::kDpp16, true},
        {"V_ADD_NC_I16V_ADD_I16_t16_e64_gfx11", "V_ADD_NC_I16", E::kVop3, true},
        {"V_PACK_B32_F16V_PACK_B32_F16_t16_e64_dpp8_gfx11", "V_PACK_B32_F16", E::kDpp8, true},
        {"V_ALIGNBIT_B32_opsel_gfx10", "V_ALIGNBIT_B32"},
        {"V_BFREV_B32_e32_gfx10", "V_BFREV_B32"},
        {"V_INTERP_P1LV_F16_gfx10", "V_INTERP_P1LV_F16"},
        {"V_MAD_U64_U32_gfx11_e64_gfx11", "V_MAD_U64_U32", E::kVop3, true},
        {"V_CMPX_LT_I32_e32_gfx10", "V_CMPX_LT_I32"},
        {"V_DUAL_FMAC_F32_e32_X_MOV_B32_e32_gfx11", "V_DUAL_FMAC_F32_X_MOV_B32"},
        {"V_DUAL_FMAAK_F32_X_ADD_U32_e32_gfx12", "V_DUAL_FMAAK_F32_X_ADD_U32"},
        {"S_MOV_B32_gfx10", "S_MOV_B32"},
        {"S_LOAD_DWORDX4_IMM_gfx10", "S_LOAD_DWORDX4", E::kPlain, false, A::kImm},
        {"S_LOAD_B64_SGPR_gfx11", "S_LOAD_B64", E::kPlain, false, A::kSgpr},
        {"S_LOAD_B64_SGPR_IMM_gfx12", "S_LOAD_B64", E::kPlain, false, A::kSgprImm},
        {"GLOBAL_LOAD_DWORDX4_gfx10", "GLOBAL_LOAD_DWORDX4"},
        {"GLOBAL_LOAD_DWORDX4_SADDR_gfx11", "GLOBAL_LOAD_DWORDX4", E::kPlain, false, A::kSaddr},
        {"GLOBAL_ATOMIC_ADD_SADDR_RTN_gfx11", "GLOBAL_ATOMIC_ADD", E::kPlain, false, A::kSaddr, true},
        {"SCRATCH_STORE_SHORT_D16_HI_SVS_gfx12", "SCRATCH_STORE_SHORT_D16_HI", E::kPlain, false, A::kSvs},
        {"SCRATCH_LOAD_DWORD_ST_gfx10", "SCRATCH_LOAD_DWORD", E::kPlain, false, A::kSt},
        {"BUFFER_LOAD_DWORD_OFFSET_gfx10", "BUFFER_LOAD_DWORD", E::kPlain, false, A::kOffset},
        {"BUFFER_LOAD_DWORD_VBUFFER_OFFEN_gfx12", "BUFFER_LOAD_DWORD", E::kPlain, false, A::kOffen},
        {"BUFFER_STORE_DWORD_IDXEN_gfx11", "BUFFER_STORE_DWORD", E::kPlain, false, A::kIdxen},
        {"BUFFER_STORE_DWORD_BOTHEN_gfx11", "BUFFER_STORE_DWORD", E::kPlain, false, A::kBothen},
    };
    for (const Case& c : cases) {
        const OpcodeName name = parse_opcode_name(c.mc_name);
        EXPECT_EQ(name.base, c.base) << c.mc_name;
        EXPECT_EQ(name.encoding, c.encoding) << c.mc_name;
        EXPECT_EQ(name.vop3, c.vop3) << c.mc_name;
        EXPECT_EQ(name.addressing, c.addressing) << c.mc_name;
        EXPECT_EQ(name.returns, c.returns) << c.mc_name;
    }
}

} // namespace
