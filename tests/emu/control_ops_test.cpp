// Branches, waits, hints, barriers, and what moves values between lanes.
#include "peacemaker/emu/row.h"
#include "peacemaker/isa/disassembler.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <random>
#include <set>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

enum : unsigned { kGen10 = 1, kGen11 = 2, kGen12 = 4, kGen10And11 = 3, kGen11And12 = 6, kAllGens = 7 };

constexpr std::uint64_t kSeed = 20260708;

/// Lane values before: v5 = a, v6 = b, v2 = old. `exec` holds during the body.
struct Lanes {
    std::array<u32, 32> a, b, old;
    u32 exec;
    bool active(unsigned lane) const { return (exec >> lane & 1u) != 0; }
};

struct Case {
    const char* row; // base name of an instruction of the body
    unsigned generations;
    std::string body;
    u32 exec;
    std::function<u32(const Lanes&, unsigned lane)> expected; // v2 afterwards
};

u32 keep(const Lanes& l, unsigned lane) { return l.old[lane]; }
std::function<u32(const Lanes&, unsigned)> all_lanes(u32 value) {
    return [value](const Lanes& l, unsigned lane) { return l.active(lane) ? value : l.old[lane]; };
}

// --- DPP, from the definition of each control
// -------------------------------------------------------------------------

using From = std::function<int(int lane)>; // the lane read, or -1

int in_row(int lane, int other) { return other < 0 || other > 15 ? -1 : lane / 16 * 16 + other; }

struct Dpp {
    const char* control;
    From from;
};

const std::vector<Dpp>& dpp_controls() {
    static const std::vector<Dpp> all = {
        {"quad_perm:[1,0,3,2]", [](int l) { return l ^ 1; }},
        {"quad_perm:[3,3,0,1]",
         [](int l) {
             return l / 4 * 4 + std::array{3, 3, 0, 1}[static_cast<std::size_t>(l % 4)];
         }},
        {"row_shl:3", [](int l) { return in_row(l, l % 16 + 3); }},
        {"row_shr:5", [](int l) { return in_row(l, l % 16 - 5); }},
        {"row_ror:4", [](int l) { return in_row(l, (l % 16 + 16 - 4) % 16); }},
        {"row_mirror", [](int l) { return in_row(l, 15 - l % 16); }},
        {"row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
        {"row_share:9", [](int l) { return in_row(l, 9); }},
        {"row_xmask:6", [](int l) { return l ^ 6; }},
    };
    return all;
}

std::vector<Case> dpp_cases() {
    std::vector<Case> all;
    for (const Dpp& dpp : dpp_controls())
        for (const u32 exec : {~0u, 0xa5f0317eu})
            for (const bool bound : {false, true})
                for (const bool inactive : {false, true}) {
                    const u32 rows = exec == ~0u ? 0xf : 0x1, banks = bound ? 0xf : 0xb;
                    all.push_back(
                        {"V_MOV_B32", kAllGens,
                         fmt::format("v_mov_b32_dpp v2, v5 {} row_mask:0x{:x} bank_mask:0x{:x}{}{}", dpp.control, rows,
                                     banks, bound ? " bound_ctrl:1" : "", inactive ? " fi:1" : ""),
                         exec, [=, from = dpp.from](const Lanes& l, unsigned lane) {
                             const int source = from(static_cast<int>(lane));
                             const bool valid = source >= 0 && (inactive || l.active(static_cast<unsigned>(source)));
                             const bool masked = (rows >> lane / 16 & 1) == 0 || (banks >> lane % 16 / 4 & 1) == 0;
                             if (!l.active(lane) || masked || (!valid && !bound)) return l.old[lane];
                             return valid ? l.a[static_cast<std::size_t>(source)] : 0u;
                         }});
                }
    for (const bool inactive : {false, true})
        for (const u32 exec : {~0u, 0x7e93ff01u})
            all.push_back(
                {"V_SUB_NC_U32", kAllGens,
                 std::string("v_sub_nc_u32_dpp v2, v5, v6 dpp8:[7,0,5,5,1,2,3,6]") + (inactive ? " fi:1" : ""), exec,
                 [inactive](const Lanes& l, unsigned lane) {
                     const unsigned source = lane / 8 * 8 + std::array{7u, 0u, 5u, 5u, 1u, 2u, 3u, 6u}[lane % 8];
                     if (!l.active(lane)) return l.old[lane];
                     // An inactive source gives 0: DPP8 writes every active lane.
                     return (inactive || l.active(source) ? l.a[source] : 0u) - l.b[lane];
                 }});
    return all;
}

// --- SDWA
// -------------------------------------------------------------------------------------------------------------

std::vector<Case> sdwa_cases() {
    std::vector<Case> all;
    const std::array<const char*, 7> names = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
    const auto part = [](u32 v, std::size_t select) {
        return select < 4 ? v >> 8 * select & 0xff : select < 6 ? v >> 16 * (select - 4) & 0xffff : v;
    };
    for (std::size_t from = 0; from < 7; ++from)
        for (std::size_t to = 0; to < 6; ++to)
            for (const char* const unused : {"PAD", "SEXT", "PRESERVE"})
                all.push_back(
                    {"V_OR_B32", kGen10,
                     fmt::format("v_or_b32_sdwa v2, v5, v6 dst_sel:{} dst_unused:UNUSED_{} src0_sel:{} src1_sel:{}",
                                 names[to], unused, names[from], names[6 - from]),
                     0xffff0ff3, [=, mode = unused[1]](const Lanes& l, unsigned lane) {
                         if (!l.active(lane)) return l.old[lane];
                         const u32 value = part(l.a[lane], from) | part(l.b[lane], 6 - from);
                         const unsigned width = to < 4 ? 8 : 16, shift = to < 4 ? 8 * static_cast<unsigned>(to)
                                                                                : 16 * static_cast<unsigned>(to - 4);
                         const std::uint64_t field = ((std::uint64_t{1} << width) - 1) << shift,
                                             placed = std::uint64_t{value} << shift & field;
                         if (mode == 'R') return static_cast<u32>((l.old[lane] & ~field) | placed);
                         const bool negative = (value >> (width - 1) & 1) != 0;
                         const std::uint64_t above = mode == 'E' && negative ? ~std::uint64_t{0} << (shift + width) : 0;
                         return static_cast<u32>(placed | above);
                     }});
    return all;
}

// --- lanes
// ------------------------------------------------------------------------------------------------------------

std::vector<Case> lane_cases() {
    std::vector<Case> all = {
        {"V_READFIRSTLANE_B32", kAllGens, "v_readfirstlane_b32 s20, v5\n v_mov_b32_e32 v2, s20", 0xfff0,
         [](const Lanes& l, unsigned lane) { return l.active(lane) ? l.a[4] : l.old[lane]; }},
        {"V_READFIRSTLANE_B32", kAllGens,
         "s_mov_b32 exec_lo, 0\n v_readfirstlane_b32 s20, v5\n s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v2, s20", ~0u,
         [](const Lanes& l, unsigned) { return l.a[0]; }},
        {"V_READLANE_B32", kAllGens, "s_mov_b32 s21, 37\n v_readlane_b32 s20, v5, s21\n v_mov_b32_e32 v2, s20", 3,
         [](const Lanes& l, unsigned lane) { return l.active(lane) ? l.a[5] : l.old[lane]; }},
        {"V_READLANE_B32", kAllGens, "v_readlane_b32 s20, v5, 31\n v_mov_b32_e32 v2, s20", ~0u,
         [](const Lanes& l, unsigned) { return l.a[31]; }},
        // EXEC does not stop it.
        {"V_WRITELANE_B32", kAllGens, "s_mov_b32 s20, 0x1234\n v_writelane_b32 v2, s20, 9", 1,
         [](const Lanes& l, unsigned lane) { return lane == 9 ? 0x1234u : l.old[lane]; }},
    };
    for (const u32 exec : {~0u, 0x3c7ef18du}) {
        all.push_back({"V_SWAP_B32", kAllGens, "v_swap_b32 v2, v5", exec,
                       [](const Lanes& l, unsigned lane) { return l.active(lane) ? l.a[lane] : l.old[lane]; }});
        all.push_back({"V_SWAP_B32", kAllGens, "v_swap_b32 v5, v2\n s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v2, v5", exec,
                       [](const Lanes& l, unsigned lane) { return l.active(lane) ? l.old[lane] : l.a[lane]; }});
        const auto low = [](u32 v) { return v & 0xffffu; };
        const auto when = [](const std::function<u32(const Lanes&, unsigned)>& active) {
            return [active](const Lanes& l, unsigned lane) { return l.active(lane) ? active(l, lane) : l.old[lane]; };
        };
        const auto moved = when([](const Lanes& l, unsigned lane) { return l.a[lane]; });
        all.push_back({"V_SWAP_B16", kGen11, "v_swap_b16 v2.h, v5.l", exec,
                       when([=](const Lanes& l, unsigned lane) { return low(l.a[lane]) << 16 | low(l.old[lane]); })});
        all.push_back({"V_SWAP_B16", kGen11, "v_swap_b16 v5.l, v2.h\n s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v2, v5",
                       exec, [=](const Lanes& l, unsigned lane) {
                           return l.active(lane) ? (l.a[lane] & 0xffff0000u) | l.old[lane] >> 16 : l.a[lane];
                       }});
        all.push_back({"V_SWAP_B16", kGen11, "v_swap_b16 v2.h, v2.l", exec,
                       when([=](const Lanes& l, unsigned lane) { return l.old[lane] << 16 | l.old[lane] >> 16; })});
        all.push_back({"V_MOVRELS_B32", kAllGens, "s_mov_b32 m0, 2\n v_movrels_b32_e32 v2, v3", exec, moved});
        all.push_back({"V_MOVRELD_B32", kAllGens, "s_mov_b32 m0, 1\n v_movreld_b32_e32 v1, v5", exec, moved});
        all.push_back({"V_MOVRELD_B32", kAllGens, "s_mov_b32 m0, 1\n v_movreld_b32_e64 v1, 0x11", exec,
                       when([](const Lanes&, unsigned) { return 0x11u; })});
        all.push_back({"V_MOVRELSD_B32", kAllGens, "s_mov_b32 m0, 1\n v_movrelsd_b32_e32 v1, v4", exec, moved});
        all.push_back(
            {"V_MOVRELSD_2_B32", kAllGens, "s_mov_b32 m0, 0x20004\n v_movrelsd_2_b32_e32 v0, v1", exec, moved});
        all.push_back({"V_SWAPREL_B32", kAllGens, "s_mov_b32 m0, 0x20004\n v_swaprel_b32 v0, v1", exec, moved});
        all.push_back({"V_SWAPREL_B32", kAllGens,
                       "s_mov_b32 m0, 0x20004\n v_swaprel_b32 v0, v1\n s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v2, v5",
                       exec, [](const Lanes& l, unsigned lane) { return l.active(lane) ? l.old[lane] : l.a[lane]; }});
        for (const bool other : {false, true})
            for (const unsigned modifiers : {0u, 1u, 2u, 3u}) {
                const bool inactive = (modifiers & 1) != 0, bound = (modifiers & 2) != 0;
                all.push_back({other ? "V_PERMLANEX16_VAR_B32" : "V_PERMLANE16_VAR_B32", kGen12,
                               fmt::format("v_permlane{}16_var_b32 v2, v5, v6 op_sel:[{},{}]", other ? "x" : "",
                                           inactive ? 1 : 0, bound ? 1 : 0),
                               exec, [=](const Lanes& l, unsigned lane) {
                                   const unsigned source = (lane / 16 * 16 ^ (other ? 16u : 0u)) + l.b[lane] % 16;
                                   const bool valid = inactive || l.active(source);
                                   if (!l.active(lane) || (!valid && !bound)) return l.old[lane];
                                   return valid ? l.a[source] : 0u;
                               }});
            }
    }
    const u32 low = 0x0f1e2d3c, high = 0x4b5a6978;
    for (const bool other : {false, true})
        for (const u32 exec : {~0u, 0x3c7ef18du})
            for (const unsigned modifiers : {0u, 1u, 2u, 3u}) {
                const bool inactive = (modifiers & 1) != 0, bound = (modifiers & 2) != 0;
                all.push_back({other ? "V_PERMLANEX16_B32" : "V_PERMLANE16_B32", kAllGens,
                               fmt::format("s_mov_b32 s20, 0x{:x}\n s_mov_b32 s21, 0x{:x}\n v_permlane{}16_b32 v2, v5, "
                                           "s20, s21 op_sel:[{},{}]",
                                           low, high, other ? "x" : "", inactive ? 1 : 0, bound ? 1 : 0),
                               exec, [=](const Lanes& l, unsigned lane) {
                                   const std::uint64_t selectors = low | std::uint64_t{high} << 32;
                                   const auto source = static_cast<unsigned>((lane / 16 * 16 ^ (other ? 16u : 0u)) +
                                                                             (selectors >> 4 * (lane % 16) & 15));
                                   const bool valid = inactive || l.active(source);
                                   if (!l.active(lane) || (!valid && !bound)) return l.old[lane];
                                   return valid ? l.a[source] : 0u;
                               }});
            }
    return all;
}

// --- branches, waits, hints
// -------------------------------------------------------------------------------------------

// Taken and not taken: v2 is 1 where the branch is taken, else 2.
void add_branch(std::vector<Case>& all, const char* row, const char* mnemonic, const char* taken, const char* untaken,
                int number) {
    for (const bool takes : {true, false})
        all.push_back({row, kAllGens,
                       fmt::format("s_mov_b32 s20, 1\n {2}\n {0} .Lbranch{1}\n s_mov_b32 s20, 2\n.Lbranch{1}:\n "
                                   "s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v2, s20",
                                   mnemonic, 2 * number + (takes ? 1 : 0), takes ? taken : untaken),
                       ~0u, all_lanes(takes ? 1 : 2)});
}

std::vector<Case> flow_cases() {
    std::vector<Case> all;
    const char* const scc1 = "s_cmp_eq_u32 s20, 1";
    const char* const scc0 = "s_cmp_lg_u32 s20, 1";
    add_branch(all, "S_CBRANCH_SCC0", "s_cbranch_scc0", scc0, scc1, 0);
    add_branch(all, "S_CBRANCH_SCC1", "s_cbranch_scc1", scc1, scc0, 1);
    add_branch(all, "S_CBRANCH_VCCZ", "s_cbranch_vccz", "s_mov_b32 vcc_lo, 0", "s_mov_b32 vcc_lo, 0x80000000", 2);
    add_branch(all, "S_CBRANCH_VCCNZ", "s_cbranch_vccnz", "s_mov_b32 vcc_lo, 4", "s_mov_b32 vcc_lo, 0", 3);
    add_branch(all, "S_CBRANCH_EXECZ", "s_cbranch_execz", "s_mov_b32 exec_lo, 0", "s_mov_b32 exec_lo, 2", 4);
    add_branch(all, "S_CBRANCH_EXECNZ", "s_cbranch_execnz", "s_mov_b32 exec_lo, 2", "s_mov_b32 exec_lo, 0", 5);
    all.push_back({"S_BRANCH", kAllGens, "v_mov_b32_e32 v2, 1\n s_branch .Lfar\n v_mov_b32_e32 v2, 2\n.Lfar:", ~0u,
                   all_lanes(1)});
    // Backwards: 10 + 9 + .. + 1.
    all.push_back({"S_CBRANCH_SCC1", kAllGens,
                   "s_mov_b32 s20, 10\n s_mov_b32 s21, 0\n.Lback:\n s_add_u32 s21, s21, s20\n s_sub_u32 s20, s20, 1\n "
                   "s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 .Lback\n "
                   "v_mov_b32_e32 v2, s21",
                   ~0u, all_lanes(55)});
    all.push_back({"S_ENDPGM", kAllGens, "", ~0u, keep});
    // The distance of two places in the code: an instruction of four bytes, one of eight, and the second itself.
    all.push_back({"S_GETPC_B64", kAllGens,
                   "s_getpc_b64 s[20:21]\n s_nop 0\n s_mov_b32 s24, 0x12345\n s_getpc_b64 s[22:23]\n s_sub_u32 s24, "
                   "s22, s20\n s_subb_u32 s25, s23, s21\n s_add_u32 s24, s24, s25\n v_mov_b32_e32 v2, s24",
                   ~0u, all_lanes(16)});
    const char* const jump = "v_mov_b32_e32 v2, 1\n s_getpc_b64 s[20:21]\n.L{0}_here:\n s_add_u32 s20, s20, "
                             ".L{0}_to-.L{0}_here\n s_addc_u32 s21, s21, 0\n ";
    all.push_back({"S_SETPC_B64", kAllGens,
                   fmt::format(fmt::runtime(jump), "set") +
                       "s_setpc_b64 s[20:21]\n v_mov_b32_e32 v2, 2\n.Lset_to:\n v_add_nc_u32_e32 v2, 4, v2",
                   ~0u, all_lanes(5)});
    // Called twice, it comes back to where each call was; then the target and the return address share registers.
    const char* const function = "v_add_nc_u32_e32 v2, 8, v2\n s_branch .L{0}_end\n.L{0}_to:\n v_lshlrev_b32_e32 v2, "
                                 "1, v2\n s_setpc_b64 s[30:31]\n.L{0}_end:";
    all.push_back({"S_SWAPPC_B64", kAllGens,
                   fmt::format(fmt::runtime(jump), "swap") +
                       "s_swappc_b64 s[30:31], s[20:21]\n s_swappc_b64 s[30:31], s[20:21]\n s_mov_b64 s[30:31], "
                       "s[20:21]\n s_swappc_b64 s[30:31], s[30:31]\n " +
                       fmt::format(fmt::runtime(function), "swap"),
                   ~0u, all_lanes(16)});
    all.push_back({"S_CALL_B64", kAllGens,
                   "v_mov_b32_e32 v2, 3\n s_call_b64 s[30:31], .Lcall_to\n s_call_b64 s[30:31], .Lcall_to\n " +
                       fmt::format(fmt::runtime(function), "call"),
                   ~0u, all_lanes(20)});

    struct Plain {
        const char* row;
        unsigned generations;
        const char* assembly;
    };
    // Without an effect of their own on results; a move on both sides shows that the program goes on.
    for (const Plain& p : {Plain{"S_NOP", kAllGens, "s_nop 3"},
                           {"S_SLEEP", kAllGens, "s_sleep 1"},
                           {"DS_NOP", kAllGens, "ds_nop"},
                           {"S_SETREG_B32", kGen10, "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20"},
                           {"S_CLAUSE", kAllGens, "s_clause 0x1"},
                           {"S_DELAY_ALU", kGen11And12, "s_delay_alu instid0(VALU_DEP_1)"},
                           {"S_INST_PREFETCH", kGen10, "s_inst_prefetch 0x3"},
                           {"S_INST_PREFETCH", kGen11, "s_set_inst_prefetch_distance 0x3"},
                           {"S_SETPRIO", kAllGens, "s_setprio 2"},
                           {"S_WAITCNT_DEPCTR", kAllGens, "s_waitcnt_depctr 0xfffe"},
                           {"S_SENDMSG", kGen11And12, "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
                           {"S_ICACHE_INV", kAllGens, "s_icache_inv"},
                           {"S_DCACHE_INV", kAllGens, "s_dcache_inv"},
                           {"S_GL1_INV", kGen10And11, "s_gl1_inv"},
                           {"S_ATC_PROBE", kAllGens, "s_atc_probe 1, s[4:5], 0x0"},
                           {"S_ATC_PROBE_BUFFER", kAllGens, "s_atc_probe_buffer 1, s[4:7], 0x0"},
                           {"S_PREFETCH_DATA", kGen12, "s_prefetch_data s[4:5], 0x0, s20, 0"},
                           {"S_PREFETCH_DATA_PC_REL", kGen12, "s_prefetch_data_pc_rel 0x0, s20, 0"},
                           {"S_PREFETCH_INST", kGen12, "s_prefetch_inst s[4:5], 0x0, s20, 0"},
                           {"S_PREFETCH_INST_PC_REL", kGen12, "s_prefetch_inst_pc_rel 0x0, s20, 0"},
                           {"S_BUFFER_PREFETCH_DATA", kGen12, "s_buffer_prefetch_data s[4:7], 0x0, s20, 0"},
                           {"S_TRAP", kAllGens, "s_trap 3"}, // without a debugger
                           {"S_SETHALT", kAllGens, "s_sethalt 0"},
                           {"S_CBRANCH_CDBGSYS", kGen10And11, "s_cbranch_cdbgsys .Lcdbg1\n.Lcdbg1:"},
                           {"S_CBRANCH_CDBGSYS", kGen10And11,
                            "s_cbranch_cdbgsys .Lcdbg2\n s_branch .Lcdbg3\n.Lcdbg2:\n s_endpgm\n.Lcdbg3:"},
                           {"S_CBRANCH_CDBGUSER", kGen10And11,
                            "s_cbranch_cdbguser .Lcdbg4\n s_branch .Lcdbg5\n.Lcdbg4:\n s_endpgm\n.Lcdbg5:"},
                           {"S_CBRANCH_CDBGSYS_OR_USER", kGen10And11,
                            "s_cbranch_cdbgsys_or_user .Lcdbg6\n s_branch .Lcdbg7\n.Lcdbg6:\n s_endpgm\n.Lcdbg7:"},
                           {"S_CBRANCH_CDBGSYS_AND_USER", kGen10And11,
                            "s_cbranch_cdbgsys_and_user .Lcdbg8\n s_branch .Lcdbg9\n.Lcdbg8:\n s_endpgm\n.Lcdbg9:"},
                           {"BUFFER_GL0_INV", kGen10And11, "buffer_gl0_inv"},
                           {"BUFFER_GL1_INV", kGen10And11, "buffer_gl1_inv"},
                           {"GLOBAL_INV", kGen12, "global_inv scope:SCOPE_DEV"},
                           {"GLOBAL_WB", kGen12, "global_wb scope:SCOPE_DEV"},
                           {"GLOBAL_WBINV", kGen12, "global_wbinv scope:SCOPE_DEV"},
                           {"S_WAITCNT_VSCNT", kGen10And11, "s_waitcnt_vscnt null, 0x0"},
                           {"S_WAITCNT_EXPCNT", kGen10And11, "s_waitcnt_expcnt null, 0x0"},
                           {"S_WAIT_STORECNT", kGen12, "s_wait_storecnt 0x0"},
                           {"S_WAIT_EXPCNT", kGen12, "s_wait_expcnt 0x0"},
                           {"S_WAIT_SAMPLECNT", kGen12, "s_wait_samplecnt 0x0"},
                           {"S_WAIT_BVHCNT", kGen12, "s_wait_bvhcnt 0x0"},
                           {"S_WAIT_STORECNT_DSCNT", kGen12, "s_wait_storecnt_dscnt 0x0"},
                           {"S_WAIT_IDLE", kAllGens, "s_wait_idle"},
                           {"S_WAIT_EVENT", kGen11And12, "s_wait_event 0x0"},
                           {"S_WAKEUP", kAllGens, "s_wakeup"},
                           {"S_SLEEP_VAR", kGen12, "s_sleep_var s20"},
                           {"S_VERSION", kAllGens, "s_version 0x2006"},
                           {"S_INCPERFLEVEL", kAllGens, "s_incperflevel 1"},
                           {"S_DECPERFLEVEL", kAllGens, "s_decperflevel 1"},
                           {"S_TTRACEDATA", kAllGens, "s_ttracedata"},
                           {"S_TTRACEDATA", kAllGens, "s_ttracedata_imm 1"},
                           {"V_NOP", kAllGens, "v_nop"},
                           {"V_PIPEFLUSH", kAllGens, "v_pipeflush"},
                           {"V_CLREXCP", kGen10, "v_clrexcp"},
                           {"V_PERMLANE64_B32", kGen11And12, "v_permlane64_b32 v2, v5"},
                           {"S_CODE_END", kAllGens, "s_branch .Lcode_end\n s_code_end\n.Lcode_end:"},
                           {"S_BARRIER", kGen10And11, "s_barrier"},
                           {"S_BARRIER_SIGNAL", kGen12, "s_barrier_signal -1\n s_barrier_wait 0xffff"},
                           {"S_BARRIER_WAIT", kGen12, "s_barrier_signal -1\n s_barrier_wait 0xffff"}})
        all.push_back(
            {p.row, p.generations,
             fmt::format("s_mov_b32 s20, 5\n v_mov_b32_e32 v2, s20\n {}\n v_add_nc_u32_e32 v2, 1, v2", p.assembly), ~0u,
             all_lanes(6)});
    // Waits that make a loaded register usable: the launch would report its use otherwise.
    const auto loaded = [](const Lanes& l, unsigned lane) { return l.a[lane]; };
    const char* const vector = "global_load_dword v2, v1, s[4:5]\n {}";
    const char* const scalar = "s_load_dword s20, s[4:5], 0x0\n {}\n v_mov_b32_e32 v2, s20";
    const auto first = [](const Lanes& l, unsigned) { return l.a[0]; };
    for (const Plain& p : {Plain{"S_WAITCNT", kGen10And11, "s_waitcnt vmcnt(0)"},
                           {"S_WAITCNT_VMCNT", kGen10And11, "s_waitcnt_vmcnt null, 0x0"},
                           {"S_WAIT_LOADCNT", kGen12, "s_wait_loadcnt 0x0"},
                           {"S_WAIT_LOADCNT_DSCNT", kGen12, "s_wait_loadcnt_dscnt 0x0"}})
        all.push_back({p.row, p.generations,
                       fmt::format(fmt::runtime(vector), p.assembly) + "\n v_add_nc_u32_e32 v2, 0, v2", ~0u, loaded});
    for (const Plain& p : {Plain{"S_WAITCNT", kGen10And11, "s_waitcnt lgkmcnt(0)"},
                           {"S_WAITCNT_LGKMCNT", kGen10And11, "s_waitcnt_lgkmcnt null, 0x0"},
                           {"S_WAIT_KMCNT", kGen12, "s_wait_kmcnt 0x0"}})
        all.push_back({p.row, p.generations, fmt::format(fmt::runtime(scalar), p.assembly), ~0u, first});
    all.push_back({"S_WAIT_DSCNT", kGen12,
                   "ds_store_b32 v1, v5\n ds_load_b32 v2, v1\n s_wait_dscnt 0x0\n v_add_nc_u32_e32 v2, 1, v2", ~0u,
                   [](const Lanes& l, unsigned lane) { return l.a[lane] + 1; }});
    return all;
}

// --- clocks, barriers' answers, registers that M0 chooses ---------------------------------------------------------

std::vector<Case> answer_cases() {
    // The clock goes on: the second reading less the first is some, but not much.
    const auto clocks = [](const std::string& read, const char* wait) {
        return fmt::format(fmt::runtime(read + "\n {1}\n s_mov_b64 s[22:23], s[20:21]\n" + read +
                                        "\n {1}\n s_sub_u32 s24, s20, s22\n s_subb_u32 s25, s21, s23\n s_add_u32 s24, "
                                        "s24, -1\n s_cmp_lt_u32 s24, 0x400\n s_cselect_b32 s24, 1, 0\n s_add_u32 s24, "
                                        "s24, s25\n v_mov_b32_e32 v2, s24"),
                           "", wait);
    };
    const char* const scalar10 = "s_waitcnt lgkmcnt(0)";
    const char* const scalar12 = "s_wait_kmcnt 0x0";
    const std::string message = "s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_REALTIME)";
    const std::string half = "s_mov_b32 s21, 0\n s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_REALTIME)";
    const std::string cycles = "s_mov_b32 s21, 0\n s_getreg_b32 s20, hwreg(29, 0, 20)";
    std::vector<Case> all = {
        {"S_MEMTIME", kGen10, clocks("s_memtime s[20:21]", scalar10), ~0u, all_lanes(1)},
        {"S_MEMREALTIME", kGen10, clocks("s_memrealtime s[20:21]", scalar10), ~0u, all_lanes(1)},
        {"S_SENDMSG_RTN_B64", kGen11, clocks(message, scalar10), ~0u, all_lanes(1)},
        {"S_SENDMSG_RTN_B64", kGen12, clocks(message, scalar12), ~0u, all_lanes(1)},
        {"S_SENDMSG_RTN_B32", kGen11, clocks(half, scalar10), ~0u, all_lanes(1)},
        {"S_SENDMSG_RTN_B32", kGen12, clocks(half, scalar12), ~0u, all_lanes(1)},
        {"S_GETREG_B32", kAllGens, clocks(cycles, "s_nop 0"), ~0u, all_lanes(1)},
        // One wave: it is the first, and the only member.
        {"S_BARRIER_SIGNAL_ISFIRST", kGen12,
         "s_cmp_eq_u32 s4, s4\n s_cselect_b32 s20, 0, 1\n s_cmp_lg_u32 s20, 0\n s_barrier_signal_isfirst -1\n "
         "s_barrier_wait 0xffff\n s_cselect_b32 s20, 7, 9\n v_mov_b32_e32 v2, s20",
         ~0u, all_lanes(7)},
        {"S_BARRIER_SIGNAL_ISFIRST", kGen12,
         "s_barrier_signal_isfirst -1\n s_wait_kmcnt 0x0\n s_cselect_b32 s20, 7, 9\n s_barrier_wait 0xffff\n "
         "v_mov_b32_e32 v2, s20",
         ~0u, all_lanes(7)},
        {"S_GET_BARRIER_STATE", kGen12, "s_get_barrier_state s20, -1\n s_wait_kmcnt 0x0\n v_mov_b32_e32 v2, s20", ~0u,
         all_lanes(0x11)},
        {"S_MOVRELS_B32", kAllGens,
         "s_mov_b32 s20, 1\n s_mov_b32 s23, 5\n s_mov_b32 m0, 3\n s_movrels_b32 s30, s20\n v_mov_b32_e32 v2, s30", ~0u,
         all_lanes(5)},
        {"S_MOVRELS_B64", kAllGens,
         "s_mov_b32 s24, 6\n s_mov_b32 s25, 70\n s_mov_b32 m0, 4\n s_movrels_b64 s[30:31], s[20:21]\n s_add_u32 s30, "
         "s30, s31\n v_mov_b32_e32 v2, s30",
         ~0u, all_lanes(76)},
        {"S_MOVRELD_B32", kAllGens,
         "s_mov_b32 s20, 11\n s_mov_b32 s33, 5\n s_mov_b32 m0, 3\n s_movreld_b32 s30, s20\n v_mov_b32_e32 v2, s33", ~0u,
         all_lanes(11)},
        {"S_MOVRELD_B32", kAllGens,
         "s_mov_b32 s33, 5\n s_mov_b32 m0, 3\n s_movreld_b32 s30, 0x12345\n v_mov_b32_e32 v2, s33", ~0u,
         all_lanes(0x12345)},
        {"S_MOVRELD_B64", kAllGens,
         "s_mov_b32 s20, 12\n s_mov_b32 s21, 300\n s_mov_b32 m0, 6\n s_movreld_b64 s[30:31], s[20:21]\n s_add_u32 s30, "
         "s36, s37\n v_mov_b32_e32 v2, s30",
         ~0u, all_lanes(312)},
        {"S_MOVRELSD_2_B32", kAllGens,
         "s_mov_b32 s22, 13\n s_mov_b32 m0, 0x50002\n s_movrelsd_2_b32 s30, s20\n v_mov_b32_e32 v2, s35", ~0u,
         all_lanes(13)},
    };
    return all;
}

// --- the mode register
// ------------------------------------------------------------------------------------------------------------

// 2^-149 + 2^-149: 2^-148 where subnormals are kept, else 0.
constexpr const char* kTinySum = "s_mov_b32 s21, 1\n v_add_f32_e64 v2, s21, s21";

std::vector<Case> mode_cases() {
    const auto sum = [](const char* change) { return fmt::format("{}\n {}", change, kTinySum); };
    std::vector<Case> all = {
        {"S_DENORM_MODE", kAllGens, sum("s_denorm_mode 0xc"), ~0u, all_lanes(0)},
        {"S_DENORM_MODE", kAllGens, sum("s_denorm_mode 0xc\n s_denorm_mode 0xf"), ~0u, all_lanes(2)},
        {"S_ROUND_MODE", kAllGens, sum("s_round_mode 0x0"), ~0u, all_lanes(2)},
        {"S_SETREG_IMM32_B32", kAllGens, sum("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0"), ~0u, all_lanes(0)},
        {"S_SETREG_B32", kAllGens, sum("s_mov_b32 s20, 0xf0\n s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20"), ~0u,
         all_lanes(2)},
        {"S_GETREG_B32", kAllGens, "s_getreg_b32 s20, hwreg(HW_REG_MODE, 4, 4)\n v_mov_b32_e32 v2, s20", ~0u,
         all_lanes(15)},
        {"S_GETREG_B32", kAllGens,
         "s_denorm_mode 0xc\n s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)\n v_mov_b32_e32 v2, s20", ~0u,
         all_lanes(0xc0)},
        {"S_SETREG_B32", kGen10,
         "s_mov_b32 s20, 0x1234567\n s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20\n s_setreg_imm32_b32 "
         "hwreg(HW_REG_FLAT_SCR_LO, 8, 8), 0xab\n s_getreg_b32 s20, hwreg(HW_REG_FLAT_SCR_LO)\n v_mov_b32_e32 v2, s20",
         ~0u, all_lanes(0x123ab67)},
    };
    return all;
}

std::vector<Case> all_cases() {
    std::vector<Case> all = flow_cases();
    for (const auto& more : {answer_cases(), mode_cases(), lane_cases(), dpp_cases(), sdwa_cases()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::string body_of(const Case& c) {
    return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 2, v0
  global_load_dword v5, v1, s[4:5]
  global_load_dword v6, v1, s[4:5] offset:128
  global_load_dword v2, v1, s[4:5] offset:256
  wait_vm 0
  s_mov_b32 exec_lo, 0x{:x}
  {}
  s_mov_b32 exec_lo, -1
  global_store_dword v1, v2, s[6:7]
)",
                       c.exec, c.body);
}

// The base names of a kernel's instructions, by decoding it: hints are left out of the lifted program.
std::set<std::string> names_in(Rig& rig, const std::string& kernel, isa::Disassembler& disassembler) {
    std::set<std::string> names;
    const Kernel& k = *rig.object().find_kernel(kernel);
    const std::string_view code = rig.object().at(k.entry_address, k.code_size);
    for (std::size_t at = 0; at < code.size();) {
        const auto decoded = disassembler.decode(code.substr(at), at);
        if (!decoded) break;
        names.insert(disassembler.opcode(decoded->inst.getOpcode()).base);
        at += decoded->size;
    }
    return names;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryInstructionDoesWhatItSays) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Case> cases;
    std::vector<KernelText> kernels;
    for (Case& c : all_cases()) {
        if ((c.generations >> (chip.generation - 10) & 1u) == 0) continue;
        KernelText k;
        k.name = fmt::format("case{}", cases.size());
        k.body = body_of(c);
        k.lds = 128;
        kernels.push_back(std::move(k));
        cases.push_back(std::move(c));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    std::mt19937_64 random(kSeed);
    Lanes lanes{};
    for (auto* values : {&lanes.a, &lanes.b, &lanes.old})
        for (u32& v : *values) v = static_cast<u32>(random());
    std::vector<u32> words;
    for (const auto* values : {&lanes.a, &lanes.b, &lanes.old})
        words.insert(words.end(), values->begin(), values->end());
    emu::Allocation* const in = rig.buffer(words);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}, exec {:x}, seed {}", chip.name, cases[n].body, cases[n].exec, kSeed));
        EXPECT_TRUE(names_in(rig, kernels[n].name, **disassembler).contains(cases[n].row));
        emu::Allocation* const out = rig.fresh(128);
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out))), "");
        lanes.exec = cases[n].exec;
        std::vector<u32> want;
        for (unsigned lane = 0; lane < 32; ++lane) want.push_back(cases[n].expected(lanes, lane));
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(ModeRegister, OtherRoundingAndHalfModesStopTheLaunch) {
    for (const Chip& chip : chips()) {
        struct Stop {
            const char* body;
            const char* message;
        };
        const Stop stops[] = {
            {"s_round_mode 0x1", "unsupported float rounding mode"},
            {"s_denorm_mode 0xd", "unsupported float denormal mode"},
            {"s_denorm_mode 0x3", "unsupported float denormal mode"},
            {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3", "unsupported float rounding mode"},
            {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 1", "unsupported change of the mode register"},
            {"s_getreg_b32 s20, hwreg(3, 0, 32)", "unsupported hardware register"}};
        std::vector<KernelText> kernels;
        for (const Stop& stop : stops) {
            KernelText k;
            k.name = fmt::format("stop{}", kernels.size());
            k.body = stop.body;
            kernels.push_back(std::move(k));
        }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        for (std::size_t n = 0; n < kernels.size(); ++n) {
            SCOPED_TRACE(chip.name + ": " + stops[n].body);
            const std::string text = text_of(rig.launch(kernels[n].name, Rig::pack(rig.fresh(4), rig.fresh(4))));
            EXPECT_NE(text.find(stops[n].message), std::string::npos) << text;
        }
    }
}

// What is no result: findings, and stops with their reasons.
TEST(Control, TrapsMessagesAndRegistersThatDoNotExist) {
    struct One {
        const char* body;
        unsigned generations;
        const char* text;
    };
    const One all[] = {
        {"s_trap 2", kAllGens, "trap at s_trap 2"},
        {"s_trap 1", kAllGens, "unsupported trap number"},
        {"s_sethalt 1", kAllGens, "unsupported halt"},
        {"s_sendmsg sendmsg(MSG_INTERRUPT)", kAllGens, "unsupported message"},
        {"s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)", kGen11And12, "unsupported message"},
        {"s_mov_b32 m0, 99\n s_movrels_b32 s20, s21", kAllGens, "register outside the allocation"},
        {"s_movrels_b32 s20, s21", kAllGens, "undefined value decides"},
        {"s_mov_b32 m0, 1\n s_load_dword s22, s[8:9], 0x0\n s_movrels_b32 s20, s21", kAllGens,
         "register used before its wait"},
        {"s_mov_b32 m0, 1\n s_load_dword s22, s[8:9], 0x0\n s_movreld_b32 s21, s8", kAllGens,
         "register overwritten before its wait"},
        {"s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_REALTIME)\n s_mov_b32 s22, s20", kGen11And12,
         "register used before its wait"},
        {"s_memtime s[20:21]\n s_mov_b32 s22, s21", kGen10, "register used before its wait"},
        {"s_barrier_signal_isfirst -1\n s_cselect_b32 s20, 1, 0", kGen12, "register used before its wait"},
        {"s_barrier_signal_isfirst -1\n s_cbranch_scc1 .Lscc\n.Lscc:", kGen12, "register used before its wait"},
        {"s_barrier_signal_isfirst -1\n s_add_u32 s20, s8, s9", kGen12, "register overwritten before its wait"},
        {"s_barrier_signal_isfirst 1", kGen12, "unsupported barrier number"},
        {"s_get_barrier_state s20, 2", kGen12, "unsupported barrier number"},
        {"s_barrier_init 1", kGen12, "unsupported instruction s_barrier_init 1 (named barriers"},
        {"s_rfe_b64 s[8:9]", kAllGens, "(for trap handlers alone"},
    };
    for (const Chip& chip : chips()) {
        std::vector<KernelText> kernels;
        std::vector<const One*> there;
        for (const One& one : all) {
            if ((one.generations >> (chip.generation - 10) & 1u) == 0) continue;
            KernelText k;
            k.name = fmt::format("one{}", kernels.size());
            k.body = one.body;
            kernels.push_back(std::move(k));
            there.push_back(&one);
        }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        for (std::size_t n = 0; n < kernels.size(); ++n) {
            SCOPED_TRACE(chip.name + ": " + there[n]->body);
            const std::string text = text_of(rig.launch(kernels[n].name, Rig::pack(rig.fresh(4), rig.fresh(4))));
            EXPECT_NE(text.find(there[n]->text), std::string::npos) << text;
        }
    }
}

// Of the waves of a workgroup one is the first at each barrier, and each sees who has signalled.
TEST(Barriers, TellWhoIsFirstAndHowManySignalled) {
    for (const Chip& chip : chips()) {
        if (chip.generation < 12) continue;
        KernelText k;
        k.name = "first";
        k.body = R"(
  s_load_b64 s[4:5], s[8:9], 0x0
  s_get_barrier_state s22, -1
  s_wait_kmcnt 0x0
  s_barrier_signal_isfirst -1
  s_barrier_wait 0xffff
  s_cselect_b32 s20, 1, 0
  s_barrier_signal_isfirst -1
  s_barrier_wait 0xffff
  s_cselect_b32 s21, 1, 0
  v_lshlrev_b32_e32 v1, 4, v0
  v_mov_b32_e32 v4, s20
  v_mov_b32_e32 v5, s21
  v_mov_b32_e32 v6, s22
  v_mov_b32_e32 v7, 0
  global_store_b128 v1, v[4:7], s[4:5]
)";
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const out = rig.fresh(96 * 16);
        ASSERT_EQ(text_of(rig.launch("first", Rig::pack(out, out), {1, 1, 1}, {96, 1, 1})), "");
        const auto got = words_of<u32>(out);
        u32 firsts = 0, seconds = 0;
        std::set<u32> states;
        for (unsigned wave = 0; wave < 3; ++wave) {
            firsts += got[128 * wave];
            seconds += got[128 * wave + 1];
            states.insert(got[128 * wave + 2]);
        }
        EXPECT_EQ(firsts, 1u);
        EXPECT_EQ(seconds, 1u);
        // Three members; none, one and two have signalled.
        EXPECT_EQ(states, (std::set<u32>{0x31, 0x10031, 0x20031}));
    }
}

TEST(ControlRows, EachHasATest) { expect_rows_covered(emu::control_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
