// The table of instructions against the device itself: what it calls unsupported stops a launch, and nothing else does.
#include "peacemaker/emu/coverage.h"
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace pm::testing {
namespace {

// Made once a chip.
const std::vector<emu::InstructionSupport>& table_of(const Chip& chip) {
    static std::map<std::string, std::vector<emu::InstructionSupport>> tables;
    std::vector<emu::InstructionSupport>& table = tables[chip.name];
    if (!table.empty()) return table;
    auto disassembler = isa::Disassembler::create(chip);
    if (disassembler)
        table = emu::coverage_of(chip, **disassembler);
    else
        ADD_FAILURE() << disassembler.error().text;
    return table;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, TheTableSaysWhatTheDeviceDoes) {
    const Chip& chip = chips()[GetParam()];
    const std::vector<emu::InstructionSupport>& table = table_of(chip);
    ASSERT_GT(table.size(), 2000u);
    std::vector<KernelText> kernels;
    for (const emu::InstructionSupport& i : table) {
        KernelText k;
        k.name = fmt::format("sample{}", kernels.size());
        k.body = "  .byte ";
        for (std::size_t n = 0; n < i.bytes.size(); ++n)
            k.body += fmt::format("{}0x{:02x}", n == 0 ? "" : ", ", static_cast<unsigned char>(i.bytes[n]));
        k.vgprs = 128;
        kernels.push_back(std::move(k));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const buffer = rig.fresh(64);
    for (std::size_t n = 0; n < table.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}: {}", chip.name, table[n].name, table[n].text));
        const emu::Report report = rig.launch(kernels[n].name, Rig::pack(buffer, buffer));
        const bool stopped = std::any_of(report.unsupported.begin(), report.unsupported.end(),
                                         [](const auto& text) { return text.starts_with("unsupported instruction"); });
        const bool executed =
            table[n].support == emu::Support::kExact || table[n].support == emu::Support::kApproximate;
        EXPECT_EQ(stopped, !executed);
        EXPECT_TRUE(table[n].support != emu::Support::kNotCompute || !table[n].note.empty());
        if (table[n].support == emu::Support::kApproximate) {
            EXPECT_FALSE(table[n].note.empty());
            EXPECT_GE(report.approximate, 1u);
        }
    }
}

TEST_P(OnChip, ItHoldsWhatTheChipHasAndNothingElse) {
    const Chip& chip = chips()[GetParam()];
    std::map<std::string, std::string_view> cls;
    for (const emu::InstructionSupport& i : table_of(chip)) cls[i.name] = i.cls;
    struct Known {
        const char* name;
        const char* cls;
        int first, last; // generations
    };
    for (const Known& k : {Known{"V_ADD_F32_e32_gfx10", "VOP2", 10, 10},
                           {"V_ADD_F32_sdwa_gfx10", "VOP2", 10, 10},
                           {"V_ADD_F32_e32_gfx11", "VOP2", 11, 11},
                           {"V_ADD_F32_e32_gfx12", "VOP2", 12, 12},
                           {"V_ADD_F32_e64_dpp_gfx11", "VOP3", 11, 11},
                           {"V_DOT2_F32_F16_gfx10", "VOP3P", 10, 10},
                           {"V_DUAL_MOV_B32_e32_X_MOV_B32_e32_gfx11", "VOPD", 11, 11},
                           {"S_ADD_F32_gfx12", "SOP2", 12, 12},
                           {"S_CMPK_EQ_I32_gfx10", "SOPK", 10, 10},
                           {"S_WAIT_LOADCNT_gfx12", "SOPP", 12, 12},
                           {"S_MOV_B32_gfx10", "SOP1", 10, 10},
                           {"S_CMP_EQ_I32_gfx11", "SOPC", 11, 11},
                           {"V_CMP_EQ_F32_e32_gfx12", "VOPC", 12, 12},
                           {"V_RCP_F32_e32_gfx11", "VOP1", 11, 11},
                           {"DS_ADD_U32_gfx10", "DS", 10, 10},
                           {"GLOBAL_LOAD_DWORD_SADDR_gfx10", "FLAT", 10, 10},
                           {"GLOBAL_LOAD_DWORD_SADDR_gfx11", "FLAT", 11, 11},
                           {"S_LOAD_B32_IMM_gfx12", "SMEM", 12, 12}}) {
        const bool there = chip.generation >= static_cast<std::uint32_t>(k.first) &&
                           chip.generation <= static_cast<std::uint32_t>(k.last);
        EXPECT_EQ(cls.contains(k.name), there) << k.name;
        if (there) {
            EXPECT_EQ(cls[k.name], k.cls) << k.name;
        }
    }
    // SALU floats came with gfx1150.
    EXPECT_EQ(cls.contains("S_ADD_F32_gfx11"), chip.name == "gfx1151");
    for (const auto& [name, c] : cls) {
        EXPECT_FALSE(name.starts_with("IMAGE_")) << name;
        EXPECT_NE(c, "EXP") << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(CoverageText, CountsEachClassAndListsWhatIsAskedFor) {
    const std::vector<emu::InstructionSupport> table = {
        {"V_A_e32", "v_a v0", "VOP1", emu::Support::kExact, "", ""},
        {"V_B_e32", "v_b v0", "VOP1", emu::Support::kApproximate, "within 1 ulp", ""},
        {"DS_C", "ds_c v0", "DS", emu::Support::kUnsupported, "", ""},
        {"DS_D", "ds_d v0", "DS", emu::Support::kNotCompute, "for graphics", ""}};
    EXPECT_EQ(emu::coverage_summary(table), "class       all  exact approx unsupp no-cmp\n"
                                            "DS            2      0      0      1      1\n"
                                            "VOP1          2      1      1      0      0\n"
                                            "total         4      1      1      1      1\n");
    EXPECT_EQ(emu::coverage_text(table, "not-compute"),
              "DS       not-compute DS_D                                             ds_d v0  [for graphics]\n\n" +
                  emu::coverage_summary(table));
    EXPECT_EQ(emu::coverage_text(table, "approximate"),
              "VOP1     approximate V_B_e32                                          v_b v0  [within 1 ulp]\n\n" +
                  emu::coverage_summary(table));
    EXPECT_EQ(emu::coverage_text(table, "").substr(0, 29), "VOP1     exact       V_A_e32 ");
}

} // namespace
} // namespace pm::testing
