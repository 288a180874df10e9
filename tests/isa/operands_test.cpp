#include "peacemaker/isa/operands.h"

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace {

using pm::isa::Half;
using pm::isa::Operands;
using pm::isa::RegisterRef;
using pm::isa::SdwaSelect;
using pm::isa::SdwaUnused;
using pm::isa::SourceOperand;
namespace isa = pm::isa;

std::string text_of(const RegisterRef& ref) {
    if (ref.dwords == 0) return "?";
    const bool vector = isa::is_vector(ref.first);
    const unsigned first = vector ? ref.first : unsigned{ref.first} - isa::kScalar;
    const char kind = vector ? 'v' : 's';
    std::string text = ref.dwords == 1 ? fmt::format("{}{}", kind, first)
                                       : fmt::format("{}[{}:{}]", kind, first, first + ref.dwords - 1u);
    if (ref.half == Half::kLow) text += ".l";
    if (ref.half == Half::kHigh) text += ".h";
    return text;
}

std::string text_of(const SourceOperand& source) {
    std::string text =
        source.is_register ? text_of(source.reg) : fmt::format("0x{:x}", static_cast<std::uint64_t>(source.constant));
    if (source.abs_or_neg_hi) text = fmt::format("|{}|", text);
    if (source.neg) text = fmt::format("-{}", text);
    if (source.op_sel) text += "^"; // the high half for the low lane of the operation
    if (source.op_sel_hi) text += "'";
    if (source.select != SdwaSelect::kDword) text += fmt::format("@{}", static_cast<int>(source.select));
    return text;
}

// Roles as one line: results = sources ; immediates ; fields that differ from their defaults.
std::string text_of(const Operands& operands) {
    std::string text;
    for (const RegisterRef& r : operands.results) text += text_of(r) + " ";
    text += "=";
    for (const SourceOperand& s : operands.sources) text += fmt::format(" {}", text_of(s));
    if (operands.clamp) text += " clamp";
    if (operands.output_modifier != 0) text += fmt::format(" omod:{}", operands.output_modifier);
    const isa::DppFields none, &dpp = operands.dpp;
    if (dpp.control != none.control || dpp.row_mask != none.row_mask || dpp.bank_mask != none.bank_mask)
        text += fmt::format(" dpp:{:x}/{:x}/{:x}", dpp.control, dpp.row_mask, dpp.bank_mask);
    if (dpp.bound_ctrl) text += " bc";
    if (dpp.fetch_inactive) text += " fi";
    if (operands.result_select != SdwaSelect::kDword || operands.result_unused != SdwaUnused::kPad)
        text += fmt::format(" to:{}/{}", static_cast<int>(operands.result_select),
                            static_cast<int>(operands.result_unused));
    if (operands.reads_vcc) text += " reads-vcc";
    if (operands.writes_vcc) text += " writes-vcc";
    if (operands.writes_exec) text += " writes-exec";
    return text;
}

enum : unsigned {
    kGfx1030 = 1,
    kGfx1100 = 2,
    kGfx1151 = 4,
    kGfx1201 = 8,
    k11 = 6,
    k10And11 = 7,
    k11And12 = 14,
    kAllChips = 15
};

struct Case {
    unsigned chips;
    const char* assembly;
    const char* roles;
    int first_immediate = -1; // where the row has one: offsets, counts, branch words
};

const Case kCases[] = {
    // Plain vector encodings.
    {kAllChips, "v_mov_b32_e32 v1, v2", "v1 = v2"},
    {kAllChips, "v_mov_b32_e32 v255, s105", "v255 = s105"},
    {kAllChips, "v_mov_b32_e32 v1, 0x12345678", "v1 = 0x12345678"},
    {kAllChips, "v_mov_b32_e32 v1, -1", "v1 = 0xffffffffffffffff"},
    {kAllChips, "v_mov_b32_e32 v1, 1.0", "v1 = 0x3f800000"},
    {kAllChips, "v_mov_b32_e32 v1, m0", "v1 = s124"},
    {kAllChips, "v_add_f32_e32 v1, 0.5, v3", "v1 = 0x3f000000 v3"},
    {kAllChips, "v_fmac_f32_e32 v1, v2, v3", "v1 = v2 v3"},
    {kAllChips, "v_fmaak_f32 v1, v2, v3, 0x40490fdb", "v1 = v2 v3 0x40490fdb"},
    {kAllChips, "v_fmamk_f32 v1, v2, 0x40490fdb, v3", "v1 = v2 0x40490fdb v3"},
    {kAllChips, "v_cndmask_b32_e32 v1, v2, v3, vcc_lo", "v1 = v2 v3 reads-vcc"},
    {kAllChips, "v_add_co_ci_u32_e32 v1, vcc_lo, v2, v3, vcc_lo", "v1 = v2 v3 reads-vcc writes-vcc"},
    {kAllChips, "v_cmp_lt_f32_e32 vcc_lo, v2, v3", "= v2 v3 writes-vcc"},
    {kAllChips, "v_cmpx_ne_u32_e32 5, v3", "= 0x5 v3 writes-exec"},
    {kAllChips, "v_readfirstlane_b32 s5, v3", "s5 = v3"},
    {k11, "v_mov_b16_e32 v1.h, v2.l", "v1.h = v2.l"},
    {kGfx1030 | kGfx1201, "v_cvt_f16_f32_e32 v1, v2", "v1 = v2"},
    {k11, "v_cvt_f16_f32_e32 v1.h, v2", "v1.h = v2"},
    {k11, "v_cvt_f32_f16_e32 v1, v2.h", "v1 = v2.h"},
    {k11And12, "v_clz_i32_u32_e32 v1, v2", "v1 = v2"},

    // VOP3.
    {kAllChips, "v_add_f32_e64 v1, -v2, |v3|", "v1 = -v2 |v3|"},
    {kAllChips, "v_add_f32_e64 v1, v2, -|s3| clamp mul:2", "v1 = v2 -|s3| clamp omod:1"},
    {kAllChips, "v_mul_f32_e64 v1, v2, v3 mul:4", "v1 = v2 v3 omod:2"},
    {kAllChips, "v_mul_f32_e64 v1, v2, v3 div:2", "v1 = v2 v3 omod:3"},
    {kAllChips, "v_fma_f32 v1, v2, -v3, |v4| clamp", "v1 = v2 -v3 |v4| clamp"},
    {kAllChips, "v_fma_f32 v1, s2, s2, 2.0", "v1 = s2 s2 0x40000000"},
    {kAllChips, "v_perm_b32 v1, v2, v3, 0x7060302", "v1 = v2 v3 0x7060302"},
    {kAllChips, "v_cndmask_b32_e64 v1, -v2, |v3|, s5", "v1 = -v2 |v3| s5"},
    {kAllChips, "v_add_co_u32 v1, s5, v2, v3", "v1 s5 = v2 v3"},
    {kAllChips, "v_add_co_ci_u32_e64 v1, s5, v2, v3, s7", "v1 s5 = v2 v3 s7"},
    {kAllChips, "v_cmp_lt_f32_e64 s5, -v2, |v3|", "s5 = -v2 |v3|"},
    {kAllChips, "v_cmp_gt_i64_e64 s5, v[2:3], s[4:5]", "s5 = v[2:3] s[4:5]"},
    {kAllChips, "v_cmpx_lt_f32_e64 -v2, v3", "= -v2 v3 writes-exec"},
    {kAllChips, "v_lshrrev_b64 v[2:3], 5, v[6:7]", "v[2:3] = 0x5 v[6:7]"},
    {kAllChips, "v_mad_u64_u32 v[2:3], s5, v4, v5, v[6:7]", "v[2:3] s5 = v4 v5 v[6:7]"},
    {kAllChips, "v_mad_u64_u32 v[2:3], null, v4, v5, 0", "v[2:3] s125 = v4 v5 0x0"},
    {kAllChips, "v_readlane_b32 s5, v3, 31", "s5 = v3 0x1f"},
    {kAllChips, "v_writelane_b32 v3, s5, m0", "v3 = s5 s124"},
    {kAllChips, "v_permlanex16_b32 v1, v2, s3, s4", "v1 = v2 s3 s4"},
    {kAllChips, "v_permlane16_b32 v1, v2, s3, s4 op_sel:[1,1]", "v1 = v2^ s3^ s4"},
    {kGfx1030, "v_pack_b32_f16 v1, -v2, |v3| op_sel:[1,0,0]", "v1 = -v2^ |v3|"},
    {kGfx1030, "v_alignbit_b32 v1, v2, v3, v4", "v1 = v2 v3 v4"},

    // VOP3P; ' is op_sel_hi.
    {kAllChips, "v_dot2_f32_f16 v1, v2, v3, v4", "v1 = v2' v3' v4'"},
    {kAllChips, "v_dot2_f32_f16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[1,0,0] neg_hi:[0,1,0]",
     "v1 = -v2^ |v3|' v4'"},
    {k11And12, "v_dot2_f32_bf16 v1, v2, s3, v4", "v1 = v2' s3' v4'"},
    {kAllChips, "v_fma_mix_f32 v1, v2, v3, v4", "v1 = v2 v3 v4"},
    {kAllChips, "v_fma_mix_f32 v1, -v2, |v3|, v4 op_sel:[1,0,0] op_sel_hi:[1,0,1]", "v1 = -v2^' |v3| v4'"},
    {kAllChips, "v_fma_mixhi_f16 v1, v2, v3, v4 op_sel_hi:[1,1,0] clamp", "v1 = v2' v3' v4 clamp"},

    // Matrices: the old value of a sparse product's result is tied, its third source the index.
    {k11, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[24:31] neg_lo:[1,0,1] neg_hi:[0,0,1]",
     "v[0:7] = -v[8:15] v[16:23] -|v[24:31]|"},
    {k11, "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[16:19], v[24:31] neg_lo:[0,1,0] clamp",
     "v[0:7] = v[8:11] -v[16:19] v[24:31] clamp"},
    {kGfx1201, "v_wmma_f32_16x16x16_fp8_bf8 v[0:7], v[8:9], v[16:17], v[24:31] neg_lo:[0,0,1]",
     "v[0:7] = v[8:9] v[16:17] -v[24:31]"},
    {kGfx1201, "v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[16:23], v24", "v[0:7] = v[8:11] v[16:23] v24"},
    {kGfx1201, "v_swmmac_i32_16x16x64_iu4 v[0:7], v[8:9], v[16:19], v24 neg_lo:[1,0,0] clamp",
     "v[0:7] = -v[8:9] v[16:19] v24 clamp"},

    // DPP16.
    {kAllChips, "v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xa bank_mask:0x5", "v1 = v2 dpp:b1/a/5"},
    {kAllChips, "v_mov_b32_dpp v1, v2 row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:1", "v1 = v2 dpp:103/f/f bc"},
    {kAllChips, "v_mov_b32_dpp v1, v2 row_share:5 row_mask:0xf bank_mask:0xf fi:1", "v1 = v2 dpp:155/f/f fi"},
    {kAllChips, "v_add_f32_dpp v1, -v2, |v3| row_xmask:8 row_mask:0xf bank_mask:0xf bound_ctrl:1",
     "v1 = -v2 |v3| dpp:168/f/f bc"},
    {kAllChips, "v_add_nc_u32_dpp v1, v2, v3 row_mirror row_mask:0x3 bank_mask:0xf", "v1 = v2 v3 dpp:140/3/f"},
    {kAllChips, "v_fmac_f32_dpp v1, v2, v3 row_ror:1 row_mask:0xf bank_mask:0xe", "v1 = v2 v3 dpp:121/f/e"},
    {k11And12, "v_add_f32_e64_dpp v1, -v2, |v3| clamp mul:2 row_shr:1 row_mask:0xf bank_mask:0xf",
     "v1 = -v2 |v3| clamp omod:1 dpp:111/f/f"},
    {k11And12, "v_cmp_lt_f32_e64_dpp s5, v2, v3 row_shr:2 row_mask:0xf bank_mask:0xf", "s5 = v2 v3 dpp:112/f/f"},
    {k11And12, "v_cmp_lt_u32_dpp vcc_lo, v2, v3 row_shr:2 row_mask:0xf bank_mask:0xf",
     "= v2 v3 dpp:112/f/f writes-vcc"},

    // DPP8.
    {kAllChips, "v_mov_b32_dpp v1, v2 dpp8:[7,6,5,4,3,2,1,0]", "v1 = v2 dpp:53977/f/f"},
    {kAllChips, "v_add_nc_u32_dpp v1, v2, v3 dpp8:[1,0,3,2,5,4,7,6] fi:1", "v1 = v2 v3 dpp:de54c1/f/f fi"},

    // SDWA.
    {kGfx1030, "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1", "v1 = v2@5 to:1/2"},
    {kGfx1030,
     "v_add_f32_sdwa v1, -v2, |v3| clamp mul:2 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 src1_sel:WORD_0",
     "v1 = -v2@3 |v3|@4 clamp omod:1 to:5/1"},
    {kGfx1030, "v_or_b32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0",
     "v1 = v2 v3@0"},
    {kGfx1030, "v_cmp_eq_u32_sdwa s5, v2, v3 src0_sel:BYTE_2 src1_sel:WORD_1", "s5 = v2@2 v3@5"},
    {kGfx1030,
     "v_cndmask_b32_sdwa v1, v2, v3, vcc_lo dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
     "v1 = v2@5 v3 reads-vcc"},

    // Dual instructions: X's operands, then Y's.
    {k11And12, "v_dual_mov_b32 v1, v2 :: v_dual_add_f32 v4, v5, v3", "v1 v4 = v2 v5 v3"},
    {k11And12, "v_dual_fmac_f32 v1, v2, v3 :: v_dual_mul_f32 v4, s5, v6", "v1 v4 = v2 v3 s5 v6"},
    {k11And12, "v_dual_fmaak_f32 v1, v2, v3, 0x40490fdb :: v_dual_mov_b32 v4, v5", "v1 v4 = v2 v3 0x40490fdb v5"},
    {k11And12, "v_dual_cndmask_b32 v1, v2, v3 :: v_dual_lshlrev_b32 v4, 3, v5", "v1 v4 = v2 v3 0x3 v5 reads-vcc"},

    // Scalar instructions.
    {kAllChips, "s_mov_b32 s1, 0xdeadbeef", "s1 = 0xdeadbeef"},
    {kAllChips, "s_mov_b64 s[2:3], -1", "s[2:3] = 0xffffffffffffffff"},
    {kAllChips, "s_and_b64 s[2:3], s[4:5], vcc", "s[2:3] = s[4:5] s[106:107]"},
    {kAllChips, "s_cmp_lt_i32 s1, 64", "= s1 0x40"},
    {kAllChips, "s_and_saveexec_b32 s1, vcc_lo", "s1 = s106 writes-exec"},
    {kAllChips, "s_movk_i32 s1, 0x8000", "s1 =", 0x8000},
    {kGfx1201, "s_mov_b32 s1, ttmp9", "s1 = s117"},
    {kGfx1201, "s_add_nc_u64 s[2:3], s[4:5], 1", "s[2:3] = s[4:5] 0x1"},

    // Scalar loads.
    {kAllChips, "s_load_dword s5, s[2:3], 0x10", "s5 = s[2:3]", 0x10},
    {kAllChips, "s_load_dwordx4 s[4:7], s[2:3], -0x10", "s[4:7] = s[2:3]", -0x10},
    {kAllChips, "s_load_dwordx16 s[16:31], s[2:3], s9 offset:0x20", "s[16:31] = s[2:3] s9", 0x20},
    {k10And11, "s_load_dwordx2 s[4:5], s[2:3], s9", "s[4:5] = s[2:3] s9"},

    // Global.
    {kAllChips, "global_load_dword v1, v[2:3], off offset:-8", "v1 = v[2:3]", -8},
    {kAllChips, "global_load_dwordx4 v[4:7], v2, s[6:7] offset:16", "v[4:7] = v2 s[6:7]", 16},
    {kAllChips, "global_store_dwordx2 v[2:3], v[4:5], off offset:8", "= v[2:3] v[4:5]", 8},
    {kAllChips, "global_store_byte v2, v3, s[6:7] offset:-1", "= v2 v3 s[6:7]", -1},
    {kGfx1030 | kGfx1201, "global_load_short_d16_hi v1, v2, s[6:7]", "v1 = v2 s[6:7]", 0},

    // Scratch.
    {kAllChips, "scratch_load_dword v1, v2, off offset:4", "v1 = v2", 4},
    {kAllChips, "scratch_load_dword v1, off, s3 offset:-4", "v1 = s3", -4},
    {kAllChips, "scratch_load_dword v1, off, off offset:12", "v1 =", 12},
    {k11And12, "scratch_load_dwordx2 v[4:5], v2, s3 offset:8", "v[4:5] = v2 s3", 8},
    {kAllChips, "scratch_store_dword v2, v3, off offset:4", "= v2 v3", 4},
    {kAllChips, "scratch_store_dwordx4 off, v[4:7], s3 offset:16", "= v[4:7] s3", 16},
    {kAllChips, "scratch_store_dword off, v3, off offset:8", "= v3", 8},
    {k11And12, "scratch_store_dword v2, v3, s3 offset:8", "= v2 v3 s3", 8},

    // Buffer.
    {k10And11, "buffer_load_dword v1, off, s[4:7], 0 offset:8", "v1 = s[4:7] 0x0", 8},
    {kAllChips, "buffer_load_dwordx4 v[4:7], off, s[8:11], s3 offset:16", "v[4:7] = s[8:11] s3", 16},
    {kAllChips, "buffer_load_ubyte v1, v2, s[4:7], s3 offen offset:4", "v1 = v2 s[4:7] s3", 4},
    {kAllChips, "buffer_store_dword v1, off, s[4:7], s3 offset:4", "= v1 s[4:7] s3", 4},
    {kAllChips, "buffer_store_dword v1, v2, s[4:7], s3 offen offset:4", "= v1 v2 s[4:7] s3", 4},
};

std::int64_t sign_extended(std::int64_t value, unsigned bits) {
    const std::int64_t sign = std::int64_t{1} << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

unsigned offset_bits(const pm::Chip& chip, std::string_view assembly) {
    if (assembly.starts_with("s_load")) return chip.smem_offset_bits;
    if (assembly.starts_with("global") || assembly.starts_with("scratch")) return chip.flat_offset_bits;
    return 32;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

// One file a chip holds every row of that chip; each is decoded, put into roles and encoded again.
TEST_P(OnChip, RolesAreAsAssembledAndTheBytesComeBack) {
    const pm::Chip& chip = pm::chips()[GetParam()];
    std::string text;
    std::vector<const Case*> cases;
    for (const Case& c : kCases) {
        if ((c.chips >> GetParam() & 1u) == 0) continue;
        cases.push_back(&c);
        text += std::string(c.assembly) + "\n";
    }
    const auto object = pm::testing::assemble(chip.name, text);
    ASSERT_TRUE(object) << object.error().text;
    const auto code = pm::testing::code_of(*object);
    ASSERT_TRUE(code) << code.error().text;
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler) << disassembler.error().text;
    std::size_t at = 0;
    for (const Case* c : cases) {
        SCOPED_TRACE(c->assembly);
        const auto decoded = (*disassembler)->decode(std::string_view(*code).substr(at), at);
        ASSERT_TRUE(decoded);
        EXPECT_EQ((*disassembler)->encode(decoded->inst), code->substr(at, decoded->size));
        const Operands operands = isa::operands_of(**disassembler, decoded->inst);
        EXPECT_EQ(text_of(operands), c->roles);
        const bool asks =
            c->first_immediate != -1 || std::string_view(c->assembly).find("offset:-1") != std::string_view::npos;
        if (asks) {
            EXPECT_FALSE(operands.immediates.empty());
            if (!operands.immediates.empty()) {
                EXPECT_EQ(sign_extended(operands.immediates[0], offset_bits(chip, c->assembly)), c->first_immediate);
            }
        }
        at += decoded->size;
    }
    EXPECT_EQ(at, code->size());
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(pm::chips().size())),
                         [](const auto& info) { return pm::chips()[info.param].name; });

} // namespace
