// Pairs of kernels, one faulty and one right, for each kind of finding.
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

namespace pm::testing {
namespace {

using emu::FindingKind;
using K = FindingKind;
using u32 = std::uint32_t;

enum : unsigned { kGfx1030 = 1, kGfx1201 = 8, k11 = 6, k10And11 = 7, k11And12 = 14, kAllChips = 15 };

/// s[4:5] is `in` (32 words, 0..31), s[6:7] `out` (32 words), v1 the lane's byte offset into either; v20.. and s40..
/// were never written. The body ends with v2 stored to `out`.
struct Pair {
    const char* name;
    unsigned chips;
    std::string faulty, right;      // an empty `right` has no twin
    std::vector<FindingKind> kinds; // by place, then in the order of the enumeration
    std::string detail;             // part of a finding's detail
};

constexpr const char* kLoad = "global_load_dword v2, v1, s[4:5]\n";

// v[6:7] = the lane's address in `in`.
constexpr const char* kToMemory = "v_add_co_u32 v6, vcc_lo, s4, v1\n v_add_co_ci_u32_e64 v7, s15, s5, 0, vcc_lo\n ";
// v[6:7] = the lane's four bytes of LDS.
constexpr const char* kToLds = "s_mov_b64 s[14:15], src_shared_base\n v_mov_b32_e32 v6, v1\n v_mov_b32_e32 v7, s15\n ";
constexpr const char* kToScratch =
    "s_mov_b64 s[14:15], src_private_base\n v_mov_b32_e32 v6, 0\n v_mov_b32_e32 v7, s15\n ";

std::vector<Pair> flat_pairs() {
    const std::string memory = kToMemory, lds = kToLds, scratch = kToScratch;
    const std::string flat = "flat_load_dword v2, v[6:7]\n ", global = "global_load_dword v2, v1, s[4:5]\n ";
    return {
        // A flat load is done when both of its counters say so, wherever it went.
        {"flat_read_after_vm",
         kAllChips,
         memory + flat + "wait_vm 0\n v_mov_b32_e32 v3, v2\n wait_all",
         memory + flat + "wait_all\n v_mov_b32_e32 v3, v2",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"flat_read_after_lgkm",
         kAllChips,
         lds + flat + "wait_lgkm 0\n v_mov_b32_e32 v3, v2\n wait_all",
         lds + flat + "wait_lgkm 0\n wait_vm 0\n v_mov_b32_e32 v3, v2",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        // Each counter goes down in order: three behind it may still be under way.
        {"flat_in_order",
         kAllChips,
         memory + flat + "flat_load_dword v3, v[6:7]\n wait_vm 1\n wait_lgkm 0\n v_mov_b32_e32 v5, v3\n wait_all",
         memory + flat + "flat_load_dword v3, v[6:7]\n wait_vm 1\n wait_lgkm 1\n v_mov_b32_e32 v5, v2\n wait_all",
         {K::kUsedBeforeWait},
         "v3 is read while"},
        {"flat_over_global",
         kAllChips,
         memory + global + flat + "wait_all",
         memory + global + "wait_vm 0\n " + flat + "wait_all",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        {"flat_over_flat",
         kAllChips,
         memory + flat + flat + "wait_all",
         memory + flat + "wait_all\n " + flat + "wait_all",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        // Once LDS has answered, the rest of a flat load is in order with the other loads of memory, where they are.
        {"global_over_flat",
         k10And11,
         memory + flat + global + "wait_all",
         memory + flat + "wait_lgkm 0\n " + global + "wait_all",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        {"flat_store_of_loaded",
         kAllChips,
         memory + global + lds + "flat_store_dword v[6:7], v2\n wait_all",
         memory + global + lds + "wait_vm 0\n flat_store_dword v[6:7], v2\n wait_all",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"flat_address_of_loaded",
         kAllChips,
         memory + "global_load_dword v6, v1, s[4:5]\n flat_load_dword v3, v[6:7]\n wait_all",
         memory + "global_load_dword v5, v1, s[4:5]\n flat_load_dword v3, v[6:7]\n wait_all",
         {K::kReadOutOfBounds, K::kUsedBeforeWait},
         "v6 is read while"},
        {"flat_undefined_address",
         kAllChips,
         memory + "v_and_b32_e32 v3, 4, v20\n v_add_co_u32 v6, vcc_lo, s4, v3\n flat_load_dword v3, v[6:7]\n wait_all",
         memory + "v_and_b32_e32 v3, 0, v20\n v_add_co_u32 v6, vcc_lo, s4, v3\n flat_load_dword v3, v[6:7]\n wait_all",
         {K::kUndefinedDecides},
         "v6 holds an undefined value"},
        {"flat_read_past_memory",
         kAllChips,
         memory + "flat_load_dword v3, v[6:7] offset:4\n wait_all",
         memory + "flat_load_dword v3, v[6:7]\n wait_all",
         {K::kReadOutOfBounds},
         "byte 128 of an allocation of 128"},
        {"flat_write_past_memory",
         kAllChips,
         memory + "flat_store_short v[6:7], v0 offset:127",
         memory + "v_mov_b32_e32 v3, 7\n v_mov_b32_e32 v6, s6\n v_mov_b32_e32 v7, s7\n flat_store_short v[6:7], v0 "
                  "offset:126",
         {K::kWriteOutOfBounds},
         "byte 127 of an allocation of 128"},
        {"flat_read_past_lds",
         kAllChips,
         lds + "flat_load_dword v3, v[6:7] offset:4\n wait_all",
         lds + "flat_load_dword v3, v[6:7]\n wait_all",
         {K::kLdsOutOfBounds},
         "4 bytes at LDS byte 128 of 128"},
        {"flat_write_past_lds",
         kAllChips,
         lds + "flat_store_dwordx2 v[6:7], v[0:1] offset:4",
         "s_mov_b32 exec_lo, 1\n " + lds + "flat_store_dwordx2 v[6:7], v[0:1] offset:120\n s_mov_b32 exec_lo, -1",
         {K::kLdsOutOfBounds},
         "8 bytes at LDS byte 124 of 128"},
        {"flat_read_past_scratch",
         k11And12,
         scratch + "flat_load_dword v3, v[6:7] offset:8\n wait_all",
         "",
         {K::kReadOutOfBounds},
         "4 bytes at offset 8 of 0 bytes of scratch"},
        {"flat_write_past_scratch",
         k11And12,
         scratch + "flat_store_byte v[6:7], v0",
         "",
         {K::kWriteOutOfBounds},
         "1 bytes at offset 0 of 0 bytes of scratch"},
        {"flat_undefined_lds",
         kAllChips,
         lds + "flat_load_dword v3, v[6:7]\n wait_all\n v_and_b32_e32 v3, 4, v3\n global_load_dword v5, v3, s[4:5]\n "
               "wait_vm 0",
         lds + "flat_store_dword v[6:7], v0\n flat_load_dword v3, v[6:7]\n wait_all\n v_and_b32_e32 v3, 4, v3\n "
               "global_load_dword v5, v3, s[4:5]\n wait_vm 0",
         {K::kUndefinedDecides},
         "v3 holds an undefined value"},
    };
}

std::vector<Pair> atomic_pairs() {
    // A lane's old value decides a branch.
    const std::string decides =
        "wait_all\n v_readfirstlane_b32 s20, v3\n s_cmp_eq_u32 s20, 7\n s_cbranch_scc1 1f\n s_nop 0\n1:";
    const std::string load = "global_load_dword v3, v1, s[6:7]\n ";
    std::vector<Pair> all = {
        {"atomic_past_the_end",
         kAllChips,
         "global_atomic_add v1, v0, s[6:7] offset:4",
         "global_atomic_add v1, v0, s[6:7]",
         {K::kWriteOutOfBounds},
         "byte 128 of an allocation of 128"},
        {"atomic_on_arguments",
         kAllChips,
         "s_mov_b32 exec_lo, 1\n global_atomic_add v4, v0, s[8:9]\n s_mov_b32 exec_lo, -1",
         "s_mov_b32 exec_lo, 1\n global_atomic_add v4, v0, s[6:7]\n s_mov_b32 exec_lo, -1",
         {K::kReadOnlyWritten},
         "which is read-only"},
        {"atomic_misaligned",
         kAllChips,
         "v_mov_b32_e32 v3, 2\n global_atomic_add v3, v0, s[6:7]",
         "v_mov_b32_e32 v3, 4\n global_atomic_add v3, v0, s[6:7]",
         {K::kMisaligned},
         "an atomic on 4 bytes"},
        {"wide_atomic_misaligned",
         kAllChips,
         "v_mov_b32_e32 v3, 4\n global_atomic_add_x2 v3, v[0:1], s[6:7]",
         "v_mov_b32_e32 v3, 8\n global_atomic_add_x2 v3, v[0:1], s[6:7]",
         {K::kMisaligned},
         "an atomic on 8 bytes"},
        {"lds_atomic_misaligned",
         kAllChips,
         "v_mov_b32_e32 v3, 2\n ds_add_u32 v3, v0",
         "v_mov_b32_e32 v3, 4\n ds_add_u32 v3, v0",
         {K::kMisaligned},
         "an atomic on 4 bytes at 0x2"},
        {"lds_atomic_past_the_end",
         kAllChips,
         std::string(kToLds) + "flat_atomic_add v[6:7], v0 offset:4",
         std::string(kToLds) + "flat_atomic_add v[6:7], v0",
         {K::kLdsOutOfBounds},
         "4 bytes at LDS byte 128 of 128"},
        {"atomic_data_of_loaded",
         kAllChips,
         "global_load_dword v3, v1, s[4:5]\n global_atomic_add v1, v3, s[6:7]\n wait_vm 0",
         "global_load_dword v3, v1, s[4:5]\n wait_vm 0\n global_atomic_add v1, v3, s[6:7]",
         {K::kUsedBeforeWait},
         "v3 is read while"},
        // What was never written stays undefined under an addition; an exchange defines it.
        {"atomic_on_undefined",
         kAllChips,
         "global_atomic_add v1, v0, s[6:7]\n " + load + decides,
         "global_store_dword v1, v0, s[6:7]\n global_atomic_add v1, v0, s[6:7]\n " + load + decides,
         {K::kUndefinedDecides},
         "scc holds an undefined"},
        {"exchange_of_undefined",
         kAllChips,
         "global_atomic_swap v1, v20, s[6:7]\n " + load + decides,
         "global_atomic_swap v1, v0, s[6:7]\n " + load + decides,
         {K::kUndefinedDecides},
         "scc holds an undefined"},
        {"append_undefined_address",
         kAllChips,
         "ds_append v3\n wait_lgkm 0",
         "s_mov_b32 m0, 0\n ds_append v3\n wait_lgkm 0",
         {K::kUndefinedDecides},
         "m0 holds an undefined value"},
        {"append_past_the_end",
         kAllChips,
         "s_movk_i32 m0, 0x7c\n ds_append v3 offset:4\n wait_lgkm 0",
         "s_movk_i32 m0, 0x7c\n ds_append v3\n wait_lgkm 0",
         {K::kLdsOutOfBounds},
         "4 bytes at LDS byte 128 of 128"},
    };
    // What an atomic returns is in flight like a loaded value.
    for (const bool gfx12 : {false, true}) {
        const std::string returns = gfx12 ? " th:TH_ATOMIC_RETURN\n " : " glc\n ";
        const unsigned chips = gfx12 ? unsigned{kGfx1201} : unsigned{k10And11};
        const char* const use = "v_mov_b32_e32 v5, v3\n ";
        all.push_back({gfx12 ? "atomic_result_12" : "atomic_result",
                       chips,
                       "global_atomic_add v3, v1, v0, s[6:7]" + returns + use + "wait_all",
                       "global_atomic_add v3, v1, v0, s[6:7]" + returns + "wait_vm 0\n " + use,
                       {K::kUsedBeforeWait},
                       "v3 is read while"});
        all.push_back({gfx12 ? "flat_atomic_result_12" : "flat_atomic_result",
                       chips,
                       kToLds + ("flat_atomic_add v3, v[6:7], v0" + returns) + "wait_lgkm 0\n " + use + "wait_all",
                       kToLds + ("flat_atomic_add v3, v[6:7], v0" + returns) + "wait_all\n " + use,
                       {K::kUsedBeforeWait},
                       "v3 is read while"});
    }
    return all;
}

std::vector<Pair> jump_pairs() {
    const std::string here = "s_getpc_b64 s[20:21]\n1:\n s_add_u32 s20, s20, 2f-1b\n s_addc_u32 s21, s21, 0\n ";
    return {
        {"jump_to_undefined",
         kAllChips,
         "s_setpc_b64 s[40:41]",
         here + "s_setpc_b64 s[20:21]\n s_nop 0\n2:",
         {K::kReadOutOfBounds, K::kUndefinedDecides},
         "s40 holds an undefined value that decides a jump"},
        {"call_of_null",
         kAllChips,
         "s_mov_b64 s[20:21], 0\n s_swappc_b64 s[30:31], s[20:21]",
         here + "s_swappc_b64 s[30:31], s[20:21]\n s_nop 0\n2:",
         {K::kReadOutOfBounds},
         "a jump to 0x0, where no instruction starts"},
    };
}

std::vector<Pair> pairs() {
    const std::string load = kLoad;
    std::vector<Pair> all = {
        // Reads before the wait.
        {"vector_read",
         kAllChips,
         load + "v_add_nc_u32_e32 v2, 1, v2\n wait_vm 0",
         load + "wait_vm 0\n v_add_nc_u32_e32 v2, 1, v2",
         {K::kUsedBeforeWait, K::kOverwrittenBeforeWait},
         "v2 is read while"},
        {"store_of_loaded",
         kAllChips,
         load + "global_store_dword v1, v2, s[6:7]\n wait_vm 0",
         load + "wait_vm 0\n global_store_dword v1, v2, s[6:7]",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"address_of_loaded",
         kAllChips,
         load + "global_load_dword v3, v2, s[4:5] \n wait_vm 0",
         load + "wait_vm 0\n global_load_dword v3, v2, s[4:5]\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"second_word_read",
         kAllChips,
         "global_load_dwordx2 v[2:3], v4, s[4:5]\n v_mov_b32_e32 v5, v3\n wait_vm 0",
         "global_load_dwordx2 v[2:3], v4, s[4:5]\n wait_vm 0\n v_mov_b32_e32 v5, v3",
         {K::kUsedBeforeWait},
         "v3 is read while"},
        {"scalar_read",
         kAllChips,
         "s_load_dword s20, s[4:5], 0x8\n s_add_u32 s21, s20, 1\n wait_scalar\n v_mov_b32_e32 v2, s21",
         "s_load_dword s20, s[4:5], 0x8\n wait_scalar\n s_add_u32 s21, s20, 1\n v_mov_b32_e32 v2, s21",
         {K::kUsedBeforeWait},
         "s20 is read while"},
        {"scalar_read_by_vector",
         kAllChips,
         "s_load_dwordx2 s[20:21], s[4:5], 0x8\n v_mov_b32_e32 v2, s21\n wait_scalar",
         "s_load_dwordx2 s[20:21], s[4:5], 0x8\n wait_scalar\n v_mov_b32_e32 v2, s21",
         {K::kUsedBeforeWait},
         "s21 is read while"},
        {"crossing_lanes",
         kAllChips,
         "s_mov_b32 exec_lo, 0xffff\n" + load +
             "s_mov_b32 exec_lo, 0xffff0000\n v_readlane_b32 s20, v2, 3\n s_mov_b32 exec_lo, -1\n wait_vm 0\n "
             "v_mov_b32_e32 v2, s20",
         "s_mov_b32 exec_lo, 0xffff\n" + load +
             "wait_vm 0\n s_mov_b32 exec_lo, 0xffff0000\n v_readlane_b32 s20, v2, 3\n s_mov_b32 exec_lo, -1\n "
             "v_mov_b32_e32 v2, s20",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        // Lanes and halves that are not in flight may be read.
        {"other_lanes",
         kAllChips,
         "s_mov_b32 exec_lo, 0xffff\n" + load + "s_mov_b32 exec_lo, -1\n v_mov_b32_e32 v3, v2\n wait_vm 0",
         "s_mov_b32 exec_lo, 0xffff\n" + load +
             "s_mov_b32 exec_lo, 0xffff0000\n v_mov_b32_e32 v3, v2\n s_mov_b32 exec_lo, -1\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"other_half",
         kGfx1030,
         "global_load_short_d16_hi v2, v1, s[4:5]\n v_pack_b32_f16 v3, v1, v2 op_sel:[0,1,0]\n wait_vm 0",
         "global_load_short_d16_hi v2, v1, s[4:5]\n v_pack_b32_f16 v3, v1, v2\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"other_half_low",
         kGfx1030,
         "global_load_short_d16 v2, v1, s[4:5]\n v_pack_b32_f16 v3, v1, v2\n wait_vm 0",
         "global_load_short_d16 v2, v1, s[4:5]\n v_pack_b32_f16 v3, v1, v2 op_sel:[0,1,0]\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"other_half_of_true16",
         k11,
         "global_load_d16_hi_b16 v2, v1, s[4:5]\n v_mov_b16_e32 v3.l, v2.h\n wait_vm 0",
         "global_load_d16_hi_b16 v2, v1, s[4:5]\n v_mov_b16_e32 v3.l, v2.l\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v2 is read while"},

        // Writes before the wait.
        {"overwritten",
         kAllChips,
         load + "v_mov_b32_e32 v2, 7\n wait_vm 0",
         load + "wait_vm 0\n v_mov_b32_e32 v2, 7",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        {"overwritten_scalar",
         kAllChips,
         "s_load_dword s20, s[4:5], 0x8\n s_mov_b32 s20, 7\n wait_scalar",
         "s_load_dword s20, s[4:5], 0x8\n wait_scalar\n s_mov_b32 s20, 7",
         {K::kOverwrittenBeforeWait},
         "s20 is still to be written"},
        {"overwritten_other_lanes",
         kAllChips,
         "s_mov_b32 exec_lo, 0xff\n" + load +
             "s_mov_b32 exec_lo, 0x1ff\n v_mov_b32_e32 v2, 7\n s_mov_b32 exec_lo, -1\n wait_vm 0",
         "s_mov_b32 exec_lo, 0xff\n" + load +
             "s_mov_b32 exec_lo, 0x100\n v_mov_b32_e32 v2, 7\n s_mov_b32 exec_lo, -1\n wait_vm 0",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        // Loads of one type come back in order on gfx10 and gfx11, not on gfx12; scalar loads nowhere.
        {"load_over_load",
         kGfx1201,
         load + load + "wait_vm 0",
         load + "wait_vm 0\n" + load + "wait_vm 0",
         {K::kOverwrittenBeforeWait},
         "v2 is still to be written"},
        {"load_over_load_in_order", k10And11, "", load + load + "wait_vm 0", {}, ""},
        {"scalar_load_over_scalar_load",
         kAllChips,
         "s_load_dword s20, s[4:5], 0x8\n s_load_dword s20, s[4:5], 0xc\n wait_scalar",
         "s_load_dword s20, s[4:5], 0x8\n wait_scalar\n s_load_dword s20, s[4:5], 0xc\n wait_scalar",
         {K::kOverwrittenBeforeWait},
         "s20 is still to be written"},

        // What a wait makes certain.
        {"count_releases_the_older",
         kAllChips,
         load + "global_load_dword v3, v1, s[4:5]\n global_load_dword v4, v1, s[4:5]\n wait_vm 1\n v_mov_b32_e32 v5, "
                "v4\n wait_vm 0",
         load + "global_load_dword v3, v1, s[4:5]\n global_load_dword v4, v1, s[4:5]\n wait_vm 1\n v_add_nc_u32_e32 "
                "v5, v2, v3\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v4 is read while"},
        {"count_two_keeps_two",
         kAllChips,
         load + "global_load_dword v3, v1, s[4:5]\n global_load_dword v4, v1, s[4:5]\n wait_vm 2\n v_mov_b32_e32 v5, "
                "v3\n wait_vm 0",
         load + "global_load_dword v3, v1, s[4:5]\n global_load_dword v4, v1, s[4:5]\n wait_vm 2\n v_mov_b32_e32 v5, "
                "v2\n wait_vm 0",
         {K::kUsedBeforeWait},
         "v3 is read while"},
        {"scalar_loads_need_zero",
         k10And11,
         "s_load_dword s20, s[4:5], 0x8\n s_load_dword s21, s[4:5], 0xc\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s22, s20\n "
         "wait_scalar",
         "s_load_dword s20, s[4:5], 0x8\n s_load_dword s21, s[4:5], 0xc\n s_waitcnt lgkmcnt(0)\n s_mov_b32 s22, s20",
         {K::kUsedBeforeWait},
         "s20 is read while"},
        {"scalar_loads_need_zero_km",
         kGfx1201,
         "s_load_dword s20, s[4:5], 0x8\n s_load_dword s21, s[4:5], 0xc\n s_wait_kmcnt 1\n s_mov_b32 s22, s20\n "
         "wait_scalar",
         "s_load_dword s20, s[4:5], 0x8\n s_load_dword s21, s[4:5], 0xc\n s_wait_kmcnt 0\n s_mov_b32 s22, s20",
         {K::kUsedBeforeWait},
         "s20 is read while"},
        {"other_counter",
         k10And11,
         load + "s_waitcnt lgkmcnt(0)\n v_mov_b32_e32 v3, v2\n wait_vm 0",
         load + "s_waitcnt vmcnt(0)\n v_mov_b32_e32 v3, v2",
         {K::kUsedBeforeWait},
         "v2 is read while"},
        {"other_counter_gfx12",
         kGfx1201,
         load + "s_wait_dscnt 0\n s_wait_kmcnt 0\n s_wait_storecnt 0\n v_mov_b32_e32 v3, v2\n wait_vm 0",
         load + "s_wait_loadcnt_dscnt 0x0\n v_mov_b32_e32 v3, v2",
         {K::kUsedBeforeWait},
         "v2 is read while"},

        // Bounds, to the byte.
        {"read_past_the_end",
         kAllChips,
         "global_load_ubyte v2, v4, s[4:5] offset:128\n wait_vm 0",
         "global_load_ubyte v2, v4, s[4:5] offset:127\n wait_vm 0",
         {K::kReadOutOfBounds},
         "byte 128 of an allocation of 128 bytes"},
        {"read_before_the_start",
         kAllChips,
         "global_load_ubyte v2, v4, s[4:5] offset:-1\n wait_vm 0",
         "global_load_ubyte v2, v4, s[4:5]\n wait_vm 0",
         {K::kReadOutOfBounds},
         "1 bytes before an allocation of 128 bytes"},
        {"wide_read_past_the_end",
         kAllChips,
         "global_load_dwordx4 v[8:11], v4, s[4:5] offset:116\n wait_vm 0",
         "global_load_dwordx4 v[8:11], v4, s[4:5] offset:112\n wait_vm 0",
         {K::kReadOutOfBounds},
         "16 bytes at"},
        {"one_lane_past_the_end",
         kAllChips,
         "global_load_dword v2, v1, s[4:5] offset:4\n wait_vm 0",
         "s_mov_b32 exec_lo, 0x7fffffff\n global_load_dword v2, v1, s[4:5] offset:4\n s_mov_b32 exec_lo, -1\n wait_vm "
         "0",
         {K::kReadOutOfBounds},
         "byte 128 of an allocation of 128 bytes"},
        {"write_past_the_end",
         kAllChips,
         "global_store_byte v4, v0, s[6:7] offset:128",
         "global_store_byte v4, v0, s[6:7] offset:127",
         {K::kWriteOutOfBounds},
         "byte 128 of an allocation of 128 bytes"},
        {"write_before_the_start",
         kAllChips,
         "global_store_byte v4, v0, s[6:7] offset:-1",
         "global_store_byte v4, v0, s[6:7]",
         {K::kWriteOutOfBounds},
         "1 bytes before an allocation of 128 bytes"},
        {"scalar_read_past_the_end",
         kAllChips,
         "s_load_dwordx2 s[20:21], s[4:5], 0x7c\n wait_scalar",
         "s_load_dwordx2 s[20:21], s[4:5], 0x78\n wait_scalar",
         {K::kReadOutOfBounds},
         "8 bytes at"},
        {"write_to_code", kAllChips, "global_store_byte v4, v0, s[8:9]", "", {K::kReadOnlyWritten}, "read-only"},
        {"null_read",
         kAllChips,
         "s_mov_b64 s[20:21], 0\n global_load_dword v2, v4, s[20:21]\n wait_vm 0",
         "",
         {K::kReadOutOfBounds},
         "at 0x0"},

        // Undefined values that decide.
        {"undefined_address",
         kAllChips,
         "v_and_b32_e32 v3, 4, v20\n global_load_dword v2, v3, s[4:5]\n wait_vm 0",
         "v_and_b32_e32 v3, 0, v20\n global_load_dword v2, v3, s[4:5]\n wait_vm 0",
         {K::kUndefinedDecides},
         "v3 holds an undefined value that decides an address"},
        {"undefined_scalar_address",
         kAllChips,
         "s_and_b32 s20, s40, 4\n s_load_dword s21, s[4:5], s20 offset:0x0\n wait_scalar",
         "s_and_b32 s20, s40, 0\n s_load_dword s21, s[4:5], s20 offset:0x0\n wait_scalar",
         {K::kUndefinedDecides},
         "s20 holds an undefined value that decides an address"},
        {"undefined_address_of_a_store",
         kAllChips,
         "v_and_b32_e32 v3, 4, v20\n global_store_dword v3, v0, s[6:7]",
         "v_and_b32_e32 v3, 0, v20\n global_store_dword v3, v0, s[6:7]",
         {K::kUndefinedDecides},
         "v3 holds an undefined value"},
        {"undefined_branch_scc",
         kAllChips,
         "s_cmp_eq_u32 s40, 5\n s_cbranch_scc1 .Lscc_faulty\n.Lscc_faulty:",
         "s_and_b32 s40, s40, 0\n s_cmp_eq_u32 s40, 5\n s_cbranch_scc1 .Lscc_right\n.Lscc_right:",
         {K::kUndefinedDecides},
         "scc holds an undefined value that decides a branch"},
        {"undefined_branch_vcc",
         kAllChips,
         "v_cmp_eq_u32_e32 vcc_lo, 5, v20\n s_cbranch_vccnz .Lvcc_faulty\n.Lvcc_faulty:",
         "v_cmp_eq_u32_e32 vcc_lo, 5, v0\n s_cbranch_vccnz .Lvcc_right\n.Lvcc_right:",
         {K::kUndefinedDecides},
         "vcc_lo holds an undefined value that decides a branch"},
        {"undefined_exec",
         kAllChips,
         "v_cmpx_eq_u32_e32 5, v20\n s_mov_b32 exec_lo, -1",
         "v_cmpx_eq_u32_e32 5, v0\n s_mov_b32 exec_lo, -1",
         {K::kUndefinedDecides},
         "EXEC is written from an undefined value"},
        {"undefined_exec_moved",
         kAllChips,
         "s_mov_b32 exec_lo, s40\n s_mov_b32 exec_lo, -1",
         "",
         {K::kUndefinedDecides},
         "EXEC is written from an undefined value"},
        {"undefined_saveexec",
         kAllChips,
         "s_and_saveexec_b32 s20, s40\n s_mov_b32 exec_lo, -1",
         "s_and_b32 s40, s40, 0\n s_and_saveexec_b32 s20, s40\n s_mov_b32 exec_lo, -1",
         {K::kUndefinedDecides},
         "EXEC is written from an undefined value"},
        {"undefined_lane_number",
         kAllChips,
         "v_readlane_b32 s20, v0, s40",
         "s_and_b32 s40, s40, 0\n v_readlane_b32 s20, v0, s40",
         {K::kUndefinedDecides},
         "s40 holds an undefined value that decides a lane number"},
        {"undefined_lane_out_of_exec",
         kAllChips,
         "s_mov_b32 exec_lo, 1\n v_mov_b32_e32 v3, 0\n s_mov_b32 exec_lo, 3\n global_load_dword v2, v3, s[4:5]\n "
         "s_mov_b32 exec_lo, -1\n wait_vm 0",
         "s_mov_b32 exec_lo, 3\n v_mov_b32_e32 v3, 0\n global_load_dword v2, v3, s[4:5]\n s_mov_b32 exec_lo, -1\n "
         "wait_vm 0",
         {K::kReadOutOfBounds, K::kUndefinedDecides},
         "v3 holds an undefined value"},

        // Registers beyond what the descriptor grants (32 VGPRs).
        {"register_written",
         kAllChips,
         "v_mov_b32_e32 v40, v0",
         "v_mov_b32_e32 v31, v0",
         {K::kRegisterOutsideAllocation},
         "v40 is written"},
        {"register_read", kAllChips, "v_mov_b32_e32 v3, v40", "", {K::kRegisterOutsideAllocation}, "v40 is read"},
        {"register_loaded",
         kAllChips,
         "global_load_dword v40, v1, s[4:5]\n wait_vm 0",
         "",
         {K::kRegisterOutsideAllocation},
         "v40 is written"},
        {"register_loaded_from_lds",
         kAllChips,
         "ds_read_b32 v40, v1\n wait_lgkm 0",
         "",
         {K::kRegisterOutsideAllocation},
         "v40 is written"},
        {"lds_read",
         kAllChips,
         "ds_write_b32 v1, v0\n ds_read_b32 v3, v1\n v_mov_b32_e32 v5, v3\n wait_lgkm 0",
         "ds_write_b32 v1, v0\n ds_read_b32 v3, v1\n wait_lgkm 0\n v_mov_b32_e32 v5, v3",
         {K::kUsedBeforeWait},
         "v3 is read while"},
        {"lds_past_the_end",
         kAllChips,
         "ds_write_b8 v4, v0 offset:128",
         "ds_write_b8 v4, v0 offset:127",
         {K::kLdsOutOfBounds},
         "1 bytes at LDS byte 128 of 128"},
        {"lds_undefined_address",
         kAllChips,
         "v_and_b32_e32 v3, 4, v20\n ds_write_b32 v3, v0",
         "v_and_b32_e32 v3, 0, v20\n ds_write_b32 v3, v0",
         {K::kUndefinedDecides},
         "v3 holds an undefined value"},
        // The sum of address and offset is 32 bits wide.
        {"lds_below_zero",
         kAllChips,
         "v_mov_b32_e32 v3, -8\n ds_write_b32 v3, v0 offset:4",
         "v_mov_b32_e32 v3, -8\n ds_write_b32 v3, v0 offset:8",
         {K::kLdsOutOfBounds},
         "4 bytes at LDS byte 4294967292 of 128"},
    };
    for (const auto& more : {flat_pairs(), atomic_pairs(), jump_pairs()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::string body_of(const std::string& middle) {
    return "  s_load_dwordx4 s[4:7], s[8:9], 0x0\n  wait_scalar\n  v_lshlrev_b32_e32 v1, 2, v0\n  v_mov_b32_e32 v2, "
           "0\n  v_mov_b32_e32 v4, 0\n" +
           middle + "\n  global_store_dword v1, v2, s[6:7]\n";
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, FaultIsFoundAndItsTwinIsSilent) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Pair> mine;
    std::vector<KernelText> kernels;
    for (Pair& p : pairs()) {
        if ((p.chips >> GetParam() & 1u) == 0) continue;
        for (const bool faulty : {true, false}) {
            const std::string& middle = faulty ? p.faulty : p.right;
            if (middle.empty()) continue;
            KernelText k;
            k.name = std::string(p.name) + (faulty ? "_faulty" : "_right");
            k.body = body_of(middle);
            k.lds = 128;
            kernels.push_back(std::move(k));
        }
        mine.push_back(std::move(p));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    std::vector<u32> iota(32);
    std::iota(iota.begin(), iota.end(), 0u);
    emu::Allocation* const in = rig.buffer(iota);
    for (const Pair& p : mine) {
        SCOPED_TRACE(chip.name + ": " + p.name);
        if (!p.faulty.empty()) {
            emu::Allocation* const out = rig.fresh(128);
            const emu::Report report = rig.launch(std::string(p.name) + "_faulty", Rig::pack(in, out));
            std::vector<FindingKind> kinds = kinds_of(report);
            EXPECT_EQ(kinds, p.kinds) << text_of(report);
            EXPECT_NE(text_of(report).find(p.detail), std::string::npos) << text_of(report);
            if (!report.findings.empty()) {
                EXPECT_EQ(report.findings[0].kernel, std::string(p.name) + "_faulty");
            }
            EXPECT_TRUE(report.unsupported.empty()) << text_of(report);
        }
        if (!p.right.empty()) {
            emu::Allocation* const out = rig.fresh(128);
            EXPECT_EQ(text_of(rig.launch(std::string(p.name) + "_right", Rig::pack(in, out))), "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

// --- where a fault is
// -------------------------------------------------------------------------------------------------

TEST(Finding, SaysWhereItIs) {
    for (const Chip& chip : chips()) {
        SCOPED_TRACE(chip.name);
        KernelText k;
        k.name = "where";
        // Of two workgroups of two waves, lane 5 of the second wave of the second workgroup stores 8 bytes past the
        // end.
        k.body = R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  wait_scalar
  v_lshl_add_u32 v1, s10, 6, v0
  v_lshlrev_b32_e32 v2, 2, v1
  v_cmp_eq_u32_e32 vcc_lo, 101, v1
  v_mov_b32_e32 v3, 0x208
  v_cndmask_b32_e32 v2, v2, v3, vcc_lo
  global_store_dword v2, v1, s[4:5]
)";
        k.pointers = 1;
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const out = rig.buffer(std::vector<u32>(128));
        const emu::Report report = rig.launch("where", Rig::pack(out), {2, 1, 1}, {64, 1, 1});
        ASSERT_EQ(report.findings.size(), 1u) << text_of(report);
        const emu::Finding& f = report.findings[0];
        EXPECT_EQ(f.kind, K::kWriteOutOfBounds);
        EXPECT_EQ(f.kernel, "where");
        EXPECT_EQ(f.instruction.substr(0, 13), "global_store_");
        EXPECT_EQ(f.workgroup, (std::array<u32, 3>{1, 0, 0}));
        EXPECT_EQ(f.wave, 1u);
        EXPECT_EQ(f.lane, 5u);
        EXPECT_EQ(f.address, out->address + 0x208);
        EXPECT_EQ(f.count, 1u);
        // The instruction before s_endpgm (4 bytes) is the store.
        const std::uint64_t size = rig.object().find_kernel("where")->code_size;
        EXPECT_GT(f.offset, 0);
        EXPECT_EQ(f.offset, static_cast<std::int64_t>(size) - 4 - (chip.generation >= 12 ? 12 : 8));
        // Nothing else was lost, and nothing outside was written.
        std::vector<u32> want(128);
        std::iota(want.begin(), want.end(), 0u);
        want[101] = 0;
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

// An address below 64 KiB is a null pointer and an offset, whatever lies nearest; from there on it is an address.
TEST(Finding, OfANullPointerSaysSo) {
    for (const Chip& chip : chips()) {
        SCOPED_TRACE(chip.name);
        KernelText k;
        k.name = "null";
        k.body = "  s_load_dwordx4 s[4:7], s[8:9], 0x0\n  wait_scalar\n  v_mov_b32_e32 v1, 0\n"
                 "  global_load_dword v2, v1, s[4:5]\n  s_load_dword s20, s[4:5], 0x10\n  wait_all\n"
                 "  global_store_dword v1, v2, s[4:5] offset:20\n";
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        emu::Allocation* const other = rig.buffer(std::vector<u32>(32));
        const auto details = [&](std::uint64_t address) {
            std::vector<std::string> out;
            for (const emu::Finding& f : rig.launch("null", Rig::pack(address, other)).findings)
                out.push_back(f.detail);
            return out;
        };
        using Details = std::vector<std::string>;
        EXPECT_EQ(details(0), (Details{"4 bytes at 0x0: a null pointer", "4 bytes at 0x10: byte 16 from a null pointer",
                                       "4 bytes at 0x14: byte 20 from a null pointer"}));
        EXPECT_EQ(details(0xFFE8), (Details{"4 bytes at 0xffe8: byte 65512 from a null pointer",
                                            "4 bytes at 0xfff8: byte 65528 from a null pointer",
                                            "4 bytes at 0xfffc: byte 65532 from a null pointer"}));
        for (const std::string& detail : details(0x10000)) {
            EXPECT_EQ(detail.find("null"), std::string::npos) << detail;
            EXPECT_NE(detail.find("an allocation of"), std::string::npos) << detail;
        }
    }
}

TEST(Finding, CountsWhatHappensAgain) {
    const Chip& chip = chips()[1];
    KernelText k;
    k.name = "again";
    k.body = "  s_load_dwordx2 s[4:5], s[8:9], 0x0\n  wait_scalar\n  v_lshlrev_b32_e32 v1, 2, v0\n  global_load_dword "
             "v2, v1, s[4:5]\n"
             "  v_mov_b32_e32 v3, v2\n  wait_vm 0\n";
    k.pointers = 1;
    Rig rig(chip, {k});
    ASSERT_TRUE(rig.ok());
    const emu::Report report = rig.launch("again", Rig::pack(rig.buffer(std::vector<u32>(64))), {5, 1, 1}, {64, 1, 1});
    ASSERT_EQ(report.findings.size(), 1u) << text_of(report);
    EXPECT_EQ(report.findings[0].count, 10u);
    EXPECT_EQ(report.findings[0].workgroup, (std::array<u32, 3>{0, 0, 0}));
    EXPECT_EQ(report.findings[0].wave, 0u);
}

// What two waves do to one word a lane, v6, byte by byte: a finding names the first byte that they share and counts
// those of all lanes.
TEST(Finding, BytesOfAnLdsWordRaceEachOnItsOwn) {
    struct Race {
        const char* name;
        std::string first, second; // of wave 0, and of wave 1 later
        const char* detail;        // "": none
        std::uint64_t count;
    };
    const std::string word = "ds_write_b32 v6, v0\n ", read = "ds_read_b32 v3, v6\n ";
    const std::vector<Race> races = {
        {"apart", "ds_write_b8 v6, v0\n ", "ds_write_b8 v6, v0 offset:1\n ds_read_u8 v3, v6 offset:3\n ", "", 0},
        {"halves_apart", "ds_write_b16 v6, v0 offset:2\n ", "ds_read_u16 v3, v6\n ", "", 0},
        {"byte_of_word", word, "ds_read_u8 v3, v6 offset:2\n ", "LDS byte 2: read by wave 1 and a write of wave 0", 32},
        {"word_of_byte", "ds_write_b8 v6, v0 offset:1\n ", read, "LDS byte 1: read by wave 1 and a write of wave 0",
         32},
        {"word", word, word, "LDS byte 0: written by wave 1 and a write of wave 0", 128},
        {"word_read_first", read, word, "LDS byte 0: written by wave 1 and a read of wave 0", 128},
        {"byte_read_first", "ds_read_u8 v3, v6 offset:3\n ", word, "LDS byte 3: written by wave 1 and a read of wave 0",
         32},
        // A word that one wave knows by bytes and whole: each byte has both in its past.
        {"byte_then_word", "ds_write_b8 v6, v0 offset:1\n " + word, "ds_read_u8 v3, v6 offset:3\n ",
         "LDS byte 3: read by wave 1 and a write of wave 0", 32},
        {"read_by_both", read + "ds_read_u8 v4, v6\n ", read, "", 0},
        {"atomic_behind_own_store", word + "ds_add_u32 v6, v0\n ", "ds_add_u32 v6, v0\n ",
         "LDS byte 0: written by wave 1 and a write of wave 0", 128},
        {"atomic_behind_own_byte", "ds_write_b8 v6, v0 offset:2\n ds_add_u32 v6, v0\n ds_add_u32 v6, v0\n ",
         "ds_add_u32 v6, v0\n ", "LDS byte 2: written by wave 1 and a write of wave 0", 32},
        {"atomics", "ds_add_u32 v6, v0\n ", "ds_add_u32 v6, v0\n ", "", 0},
        {"across_words", "ds_write_b8 v6, v0 offset:4\n ", "ds_read_u16 v3, v6 offset:3\n ",
         "LDS byte 4: read by wave 1 and a write of wave 0", 32},
    };
    for (const Chip& chip : chips()) {
        std::vector<KernelText> kernels;
        for (const Race& race : races) {
            KernelText k;
            k.name = race.name;
            k.body = "  v_readfirstlane_b32 s20, v0\n s_lshr_b32 s20, s20, 5\n v_lshlrev_b32_e32 v1, 2, v0\n "
                     "v_and_b32_e32 v6, 0x7c, v1\n s_cmp_eq_u32 s20, 0\n s_cbranch_scc0 1f\n " +
                     race.first + "s_branch 2f\n1:\n " + race.second + "2:\n wait_all\n";
            k.lds = 136;
            kernels.push_back(std::move(k));
        }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        for (const Race& race : races) {
            SCOPED_TRACE(chip.name + " " + race.name);
            const emu::Report report = rig.launch(race.name, {}, {1, 1, 1}, {64, 1, 1});
            if (race.count == 0) {
                EXPECT_EQ(text_of(report), "");
                continue;
            }
            ASSERT_EQ(kinds_of(report), std::vector{K::kLdsRace}) << text_of(report);
            EXPECT_EQ(report.findings[0].count, race.count);
            EXPECT_EQ(report.findings[0].detail.substr(0, std::string_view(race.detail).size()), race.detail);
        }
    }
}

// Two waves meet in LDS through flat addresses: v[6:7], the same 128 bytes for both.
TEST(Finding, FlatAccessesRaceInLds) {
    struct Race {
        const char* name;
        std::string faulty, right; // BARRIER stands for the chip's
    };
    const std::string store = "flat_store_dword v[6:7], v0\n ", load = "flat_load_dword v3, v[6:7]\n wait_all\n ";
    const std::vector<Race> races = {
        {"store_store", store + "wait_all", "flat_atomic_add v[6:7], v0\n wait_all"},
        {"store_load", store + "wait_all\n " + load,
         "s_cmp_eq_u32 s20, 0\n s_cbranch_scc0 1f\n " + store + "1:\n wait_all\n BARRIER\n " + load},
        // Not drained at the barrier, the store belongs to the next interval as well.
        {"undrained", "s_cmp_eq_u32 s20, 0\n s_cbranch_scc0 1f\n " + store + "1:\n BARRIER\n " + load,
         "s_cmp_eq_u32 s20, 0\n s_cbranch_scc0 1f\n " + store + "1:\n wait_lgkm 0\n BARRIER\n " + load},
        {"atomic_store", "flat_atomic_add v[6:7], v0\n " + store + "wait_all",
         "flat_atomic_add v[6:7], v0\n wait_all\n BARRIER\n s_cmp_eq_u32 s20, 0\n s_cbranch_scc0 1f\n " + store + "1:"},
    };
    for (const Chip& chip : chips()) {
        const std::string barrier = chip.generation >= 12 ? "s_barrier_signal -1\n s_barrier_wait 0xffff" : "s_barrier";
        std::vector<KernelText> kernels;
        for (const Race& race : races)
            for (const bool faulty : {true, false}) {
                std::string body = faulty ? race.faulty : race.right;
                for (std::size_t at; (at = body.find("BARRIER")) != std::string::npos;) body.replace(at, 7, barrier);
                KernelText k;
                k.name = std::string(race.name) + (faulty ? "_faulty" : "_right");
                // s20 = the wave's number.
                k.body = "  v_readfirstlane_b32 s20, v0\n s_lshr_b32 s20, s20, 5\n v_lshlrev_b32_e32 v1, 2, v0\n "
                         "s_mov_b64 s[14:15], src_shared_base\n v_and_b32_e32 v6, 0x7c, v1\n v_mov_b32_e32 v7, s15\n " +
                         body + "\n";
                k.lds = 128;
                kernels.push_back(std::move(k));
            }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        const auto kernarg = Rig::pack(std::uint64_t{0}, std::uint64_t{0});
        for (const Race& race : races) {
            SCOPED_TRACE(chip.name + ": " + race.name);
            const auto kinds = kinds_of(rig.launch(std::string(race.name) + "_faulty", kernarg, {1, 1, 1}, {64, 1, 1}));
            ASSERT_FALSE(kinds.empty());
            EXPECT_EQ(kinds[0], K::kLdsRace);
            EXPECT_EQ(text_of(rig.launch(std::string(race.name) + "_right", kernarg, {1, 1, 1}, {64, 1, 1})), "");
        }
    }
}

// A loaded value is the one that memory held, whether or not its use was a fault; what is out of bounds reads as 0.
TEST(Finding, DoesNotChangeTheOtherLanes) {
    for (const Chip& chip : chips()) {
        KernelText k;
        k.name = "zero";
        k.body = body_of("global_load_dword v2, v1, s[4:5] offset:4\n wait_vm 0");
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        std::vector<u32> iota(32);
        std::iota(iota.begin(), iota.end(), 100u);
        emu::Allocation* const out = rig.fresh(128);
        const emu::Report report = rig.launch("zero", Rig::pack(rig.buffer(iota), out));
        EXPECT_EQ(kinds_of(report), std::vector{K::kReadOutOfBounds}) << text_of(report);
        auto got = words_of<u32>(out);
        EXPECT_EQ(got.back(), 0u);
        got.pop_back();
        EXPECT_EQ(got, std::vector<u32>(iota.begin() + 1, iota.end()));
    }
}

} // namespace
} // namespace pm::testing
