// Undefined bits travel with the values and decide nothing: the masks that a kernel's output has in the end.
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

enum : unsigned { kGfx1030 = 1, k11 = 6, k11And12 = 14, kAllChips = 15 };

/// v20 and s40 are undefined in every bit; v21 in its high half; v22 in bit 4 alone. The body leaves its result in v2.
/// v5 = 0x5a5a5a5a, v6 = 0xff, s[4:5] the output's address, s[6:7] a buffer of 128 bytes that nobody wrote; v1 is the
/// lane's byte offset.
struct Case {
    const char* name;
    unsigned chips;
    const char* body;
    u32 undefined; // mask of the result of each lane
};

constexpr Case kCases[] = {
    {"moved", kAllChips, "v_mov_b32_e32 v2, v20", 0xffffffff},
    {"moved_part", kAllChips, "v_mov_b32_e32 v2, v21", 0xffff0000},
    {"moved_bit", kAllChips, "v_mov_b32_e32 v2, v22", 0x10},
    {"defined", kAllChips, "v_mov_b32_e32 v2, v5", 0},
    {"from_scalar", kAllChips, "v_mov_b32_e32 v2, s40", 0xffffffff},
    {"scalar_part", kAllChips, "s_and_b32 s20, s40, 0xff00\n v_mov_b32_e32 v2, s20", 0xff00},
    {"scalar_shift", kAllChips, "s_lshl_b32 s20, s40, 24\n v_mov_b32_e32 v2, s20", 0xff000000},
    {"and_mask", kAllChips, "v_and_b32_e32 v2, v6, v20", 0xff},
    {"or_mask", kAllChips, "v_or_b32_e32 v2, v6, v20", 0xffffff00},
    {"xor_itself", kAllChips, "v_xor_b32_e32 v2, v5, v22", 0x10},
    {"not", kAllChips, "v_not_b32_e32 v2, v21", 0xffff0000},
    {"shift_left", kAllChips, "v_lshlrev_b32_e32 v2, 8, v22", 0x1000},
    {"shift_right", kAllChips, "v_lshrrev_b32_e32 v2, 16, v21", 0xffff},
    {"shift_right_signed", kAllChips, "v_ashrrev_i32_e32 v2, 8, v21", 0xffffff00},
    {"shift_by_undefined", kAllChips, "v_lshlrev_b32_e32 v2, v22, v5", 0xffffffff},
    {"field_below", kAllChips, "v_bfe_u32 v2, v21, 0, 16", 0},
    {"field_across", kAllChips, "v_bfe_u32 v2, v21, 8, 16", 0xff00},
    {"insert", kAllChips, "v_bfi_b32 v2, v6, v5, v20", 0xffffff00},
    {"permuted", kAllChips, "v_perm_b32 v2, v5, v21, 0x03000201", 0xff00ff00},
    {"shift_or", kAllChips, "v_lshl_or_b32 v2, v22, 4, v21", 0xffff0100},
    {"sum", kAllChips, "v_add_nc_u32_e32 v2, v5, v22", 0xfffffff0},
    // 0x5a5a5a5a and 0xff00 are even, once and eight times.
    {"product", kAllChips, "v_mul_lo_u32 v2, v5, v21", 0xfffe0000},
    {"product_with_defined_low_bits", kAllChips, "v_mul_lo_u32 v2, v21, 0xac000000", 0},
    {"product_of_low_bits", kAllChips, "v_mul_lo_u32 v2, v22, 0xff00", 0xfffff000},
    {"product_of_two_undefined", kAllChips, "v_mul_lo_u32 v2, v21, v22", 0xfff00000},
    {"product_with_zero", kAllChips, "v_mul_lo_u32 v2, v20, 0", 0},
    {"product_of_24_bits_even", kAllChips, "v_lshlrev_b32_e32 v2, 12, v6\n v_mul_u32_u24_e32 v2, v2, v21", 0xf0000000},
    {"product_and_sum_of_24_bits", kAllChips, "v_mad_u32_u24 v2, v6, v21, v22", 0xfffffff0},
    {"product_of_64_bits_low", kAllChips,
     "v_mov_b32_e32 v12, 0\n v_mov_b32_e32 v13, 0\n v_mov_b32_e32 v14, 0x30000\n "
     "v_mad_u64_u32 v[10:11], vcc_lo, v14, v21, v[12:13]\n v_mov_b32_e32 v2, v10",
     0},
    {"product_of_64_bits_high", kAllChips,
     "v_mov_b32_e32 v12, 0\n v_mov_b32_e32 v13, 0\n v_mov_b32_e32 v14, 0x30000\n "
     "v_mad_u64_u32 v[10:11], vcc_lo, v14, v21, v[12:13]\n v_mov_b32_e32 v2, v11",
     0xffffffff},
    {"product_of_half_saturates", kGfx1030,
     "v_mov_b32_e32 v10, 0x1000\n v_mov_b32_e32 v2, 0\n v_mad_u16 v2, v10, v22, 0 clamp", 0xffff},
    {"product_of_half", kGfx1030, "v_mov_b32_e32 v10, 0x1000\n v_mov_b32_e32 v2, 0\n v_mad_u16 v2, v10, v22, 0", 0},
    {"scalar_product", kAllChips, "s_and_b32 s20, s40, 0xff00\n s_mul_i32 s20, s20, 0x500000\n v_mov_b32_e32 v2, s20",
     0xf0000000},
    // Both choices may have bits in common.
    {"compared_and_selected", kAllChips, "v_cmp_eq_u32_e32 vcc_lo, v5, v20\n v_cndmask_b32_e32 v2, v5, v6, vcc_lo",
     0x5a5a5aa5},
    {"compared_and_selected_undefined", kAllChips,
     "v_cmp_eq_u32_e32 vcc_lo, v5, v20\n v_cndmask_b32_e32 v2, v22, v21, vcc_lo", 0xffff0010},
    {"selected_alike", kAllChips, "v_cmp_eq_u32_e32 vcc_lo, v5, v20\n v_cndmask_b32_e32 v2, v5, v5, vcc_lo", 0},
    // A comparison is decided by bits that are defined.
    {"equal_or_not", kAllChips, "v_cmp_ne_u32_e32 vcc_lo, 16, v22\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 1},
    {"never_equal", kAllChips, "v_cmp_eq_u32_e32 vcc_lo, v5, v22\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 0},
    {"less_in_any_case", kAllChips, "v_cmp_gt_u32_e32 vcc_lo, 17, v22\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 0},
    {"less_or_not", kAllChips, "v_cmp_gt_u32_e32 vcc_lo, 16, v22\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 1},
    {"less_or_equal_in_any_case", kAllChips, "v_cmp_ge_u32_e32 vcc_lo, 16, v22\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo",
     0},
    {"signed_of_undefined_sign", kAllChips, "v_cmp_gt_i32_e32 vcc_lo, 0, v21\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 1},
    {"signed_of_defined_sign", kAllChips,
     "v_or_b32_e32 v10, 0x80000000, v20\n v_cmp_gt_i32_e32 vcc_lo, 0, v10\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 0},
    {"unsigned_of_signs_like_those", kAllChips,
     "v_or_b32_e32 v10, 0x80000000, v20\n v_cmp_gt_u32_e32 vcc_lo, v10, v5\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 0},
    {"signed_ranges_apart", kAllChips,
     "v_mov_b32_e32 v11, 0x80000020\n v_or_b32_e32 v10, 0x80000000, v22\n v_cmp_lt_i32_e32 vcc_lo, v10, v11\n "
     "v_cndmask_b32_e64 v2, 0, 1, vcc_lo",
     0},
    {"wide_low_word_does_not_matter", kAllChips,
     "v_mov_b32_e32 v10, v20\n v_mov_b32_e32 v11, v5\n v_mov_b32_e32 v12, v20\n v_mov_b32_e32 v13, v6\n "
     "v_cmp_lt_i64_e32 vcc_lo, v[10:11], v[12:13]\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo",
     0},
    {"wide_low_word_matters", kAllChips,
     "v_mov_b32_e32 v10, v20\n v_mov_b32_e32 v11, v5\n v_mov_b32_e32 v12, v20\n v_mov_b32_e32 v13, v5\n "
     "v_cmp_lt_u64_e32 vcc_lo, v[10:11], v[12:13]\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo",
     1},
    {"wide_never_equal", kAllChips,
     "v_mov_b32_e32 v10, v20\n v_mov_b32_e32 v11, v5\n v_mov_b32_e32 v12, v20\n v_mov_b32_e32 v13, v6\n "
     "v_cmp_eq_u64_e32 vcc_lo, v[10:11], v[12:13]\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo",
     0},
    {"halves_less_in_any_case", kGfx1030, "v_cmp_lt_i16_e32 vcc_lo, v22, v6\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 0},
    {"halves_of_undefined_sign", kGfx1030, "v_cmp_gt_i16_e32 vcc_lo, 0, v20\n v_cndmask_b32_e64 v2, 0, 1, vcc_lo", 1},
    {"lanes_go_on", kAllChips, "v_mov_b32_e32 v2, v5\n v_cmpx_gt_u32_e32 17, v22\n s_mov_b32 exec_lo, -1", 0},
    {"scalars_equal_or_not", kAllChips, "s_cmp_eq_u32 s40, 7\n s_cselect_b32 s20, 5, 7\n v_mov_b32_e32 v2, s20", 2},
    {"scalars_never_equal", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_cmp_lg_u32 s20, 7\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_less_in_any_case", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_cmp_lt_u32 s20, 17\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_less_or_not", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_cmp_lt_i32 s20, 16\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 3},
    {"scalar_of_defined_sign", kAllChips,
     "s_or_b32 s20, s40, 0x80000000\n s_cmp_lt_i32 s20, 0\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_of_undefined_sign", kAllChips, "s_cmp_gt_i32 s40, -1\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20",
     3},
    {"scalar_result_is_not_0", kAllChips, "s_or_b32 s20, s40, 1\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_result_may_be_0", kAllChips, "s_and_b32 s20, s40, 1\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 3},
    {"scalar_shifted_is_not_0", kAllChips,
     "s_or_b32 s20, s40, 1\n s_lshl_b32 s20, s20, 31\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"selected", kAllChips, "v_cmp_eq_u32_e32 vcc_lo, v5, v5\n v_cndmask_b32_e32 v2, v20, v6, vcc_lo", 0},
    {"selected_other", kAllChips, "v_cmp_eq_u32_e32 vcc_lo, v5, v5\n v_cndmask_b32_e32 v2, v6, v22, vcc_lo", 0x10},
    {"float", kAllChips, "v_add_f32_e32 v2, v5, v22", 0xffffffff},
    {"packed_halves", kAllChips, "v_pk_add_u16 v2, v5, v21", 0xffff0000},
    {"packed_low_half", kAllChips, "v_pk_mul_f16 v2, v5, v22", 0xffff},
    {"packed_halves_swapped", kAllChips, "v_pk_max_i16 v2, v5, v21 op_sel:[0,1] op_sel_hi:[1,0]", 0xffff},
    {"converted_pair_low", kAllChips, "v_cvt_pkrtz_f16_f32 v2, v22, v5", 0xffff},
    {"converted_pair_high", kAllChips, "v_cvt_pk_u16_u32 v2, v5, v22", 0xffff0000},
    {"half_sum", kGfx1030, "v_mov_b32_e32 v2, v5\n v_add_f16_e32 v2, v5, v22", 0xffff},
    {"half_of_defined_half", kGfx1030, "v_mov_b32_e32 v2, v5\n v_add_f16_e32 v2, v5, v21", 0},
    {"true_half_sum", k11, "v_mov_b32_e32 v2, v5\n v_add_f16_e32 v2.h, v5.l, v21.h", 0xffff0000},
    {"double_sum", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v22\n v_fma_f64 v[12:13], v[10:11], 1.0, 1.0\n v_mov_b32_e32 v2, v12",
     0xffffffff},
    {"first_bit", kAllChips, "v_or_b32_e32 v2, v6, v21\n v_ffbl_b32_e32 v2, v2", 0},
    {"first_bit_after_undefined", kAllChips,
     "v_and_b32_e32 v2, 16, v22\n v_or_b32_e32 v2, 0x100, v2\n v_ffbl_b32_e32 v2, v2", 0xffffffff},
    {"last_bit", kAllChips, "v_or_b32_e32 v2, 0x80000000, v21\n v_ffbh_u32_e32 v2, v2", 0},
    {"last_bit_undefined", kAllChips, "v_ffbh_u32_e32 v2, v21", 0xffffffff},
    {"scalar_first_bit", kAllChips, "s_or_b32 s20, s40, 1\n s_ff1_i32_b32 s20, s20\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_first_bit_undefined", kAllChips, "s_ff1_i32_b32 s20, s40\n v_mov_b32_e32 v2, s20", 0xffffffff},
    {"scalar_last_bit", kAllChips, "s_or_b32 s20, s40, 0x80000000\n s_flbit_i32_b32 s20, s20\n v_mov_b32_e32 v2, s20",
     0},
    {"bit_set", kAllChips, "s_mov_b32 s20, s40\n s_bitset1_b32 s20, 4\n v_mov_b32_e32 v2, s20", 0xffffffef},
    {"bit_cleared", kAllChips, "s_mov_b32 s20, s40\n s_bitset0_b32 s20, 31\n v_mov_b32_e32 v2, s20", 0x7fffffff},
    {"bit_set_by_undefined", kAllChips, "s_mov_b32 s20, 5\n s_bitset1_b32 s20, s40\n v_mov_b32_e32 v2, s20",
     0xffffffff},
    {"overwritten", kAllChips, "v_mov_b32_e32 v2, v20\n v_mov_b32_e32 v2, v5", 0},
    {"low_half_loaded", kAllChips, "v_mov_b32_e32 v2, v20\n global_load_short_d16 v2, v1, s[8:9]\n wait_vm 0",
     0xffff0000},
    {"high_half_loaded", kAllChips, "v_mov_b32_e32 v2, v20\n global_load_short_d16_hi v2, v1, s[8:9]\n wait_vm 0",
     0xffff},
    {"half_written", k11, "v_mov_b32_e32 v2, v20\n v_mov_b16_e32 v2.l, v5.l", 0xffff0000},
    {"byte_written", kGfx1030,
     "v_mov_b32_e32 v2, v20\n v_mov_b32_sdwa v2, v5 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
     0xff00ffff},
    {"word_read", kGfx1030, "v_mov_b32_sdwa v2, v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0", 0},
    {"loaded_from_fresh_memory", kAllChips, "global_load_dword v2, v1, s[6:7]\n wait_vm 0", 0xffffffff},
    {"byte_of_fresh_memory", kAllChips, "global_load_ubyte v2, v1, s[6:7]\n wait_vm 0", 0xff},
    {"signed_byte_of_fresh_memory", kAllChips, "global_load_sbyte v2, v1, s[6:7]\n wait_vm 0", 0xffffffff},
    {"byte_of_fresh_lds", kAllChips, "ds_read_u8 v2, v1\n wait_lgkm 0", 0xff},
    {"signed_byte_of_fresh_lds", kAllChips, "ds_read_i8 v2, v1\n wait_lgkm 0", 0xffffffff},
    {"through_fresh_memory", kAllChips,
     "global_store_dword v1, v22, s[6:7]\n global_load_dword v2, v1, s[6:7]\n wait_vm 0", 0x10},
    {"stored_and_overwritten", kAllChips, "global_store_dword v1, v20, s[4:5]\n v_mov_b32_e32 v2, v5", 0},
    {"spilled", kAllChips,
     "scratch_store_dword off, v21, off offset:8\n scratch_load_dword v2, off, off offset:8\n wait_vm 0", 0xffff0000},
    {"spilled_defined", kAllChips,
     "scratch_store_dword off, v5, off offset:8\n scratch_load_dword v2, off, off offset:8\n wait_vm 0", 0},
    {"fresh_scratch", kAllChips, "scratch_load_dword v2, off, off offset:12\n wait_vm 0", 0xffffffff},
    {"spilled_to_buffer", kGfx1030,
     "buffer_store_dword v22, off, s[0:3], 0 offset:8\n buffer_load_dword v2, off, s[0:3], 0 offset:8\n wait_vm 0",
     0x10},
    {"moved_by_dpp", kAllChips, "v_mov_b32_dpp v2, v22 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 0x10},
    {"read_first_lane", kAllChips, "v_readfirstlane_b32 s20, v22\n v_mov_b32_e32 v2, s20", 0x10},
    {"dual", k11And12, "v_dual_mov_b32 v3, v5 :: v_dual_and_b32 v2, v6, v20", 0xff},
    // A work-item's number: v[0:1] = block size * block number + v[0:1], of which v1 was never written.
    {"wide_product_low", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v20\n v_mad_u64_u32 v[12:13], s20, v5, v6, v[10:11]\n v_mov_b32_e32 "
     "v2, v12",
     0},
    {"wide_product_high", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v21\n v_mad_u64_u32 v[12:13], s20, v5, v6, v[10:11]\n v_mov_b32_e32 "
     "v2, v13",
     0xffff0000},
    {"wide_product_of_low", kAllChips,
     "v_mov_b32_e32 v10, v22\n v_mov_b32_e32 v11, v5\n v_mad_u64_u32 v[12:13], s20, v5, v6, v[10:11]\n v_mov_b32_e32 "
     "v2, v12",
     0xfffffff0},
    {"wide_product_carries", kAllChips,
     "v_mov_b32_e32 v10, v22\n v_mov_b32_e32 v11, v5\n v_mad_i64_i32 v[12:13], s20, v5, v6, v[10:11]\n v_mov_b32_e32 "
     "v2, v13",
     0xffffffff},
    {"wide_product_of_factor", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v5\n v_mad_i64_i32 v[12:13], s20, v5, v21, v[10:11]\n v_mov_b32_e32 "
     "v2, v12",
     0xfffe0000},
    {"wide_product_of_factor_high", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v5\n v_mad_i64_i32 v[12:13], s20, v22, v6, v[10:11]\n v_mov_b32_e32 "
     "v2, v13",
     0xffffffff},
    {"wide_shift", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v21\n v_lshrrev_b64 v[12:13], 16, v[10:11]\n v_mov_b32_e32 v2, v12",
     0},
    {"wide_shift_high", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v21\n v_lshrrev_b64 v[12:13], 16, v[10:11]\n v_mov_b32_e32 v2, v13",
     0xffff},
    // Bits of a control that the instruction does not read.
    {"shift_by_unread_bits", kAllChips, "v_lshlrev_b32_e32 v2, v21, v5", 0},
    {"wide_shift_by_unread_bits", kAllChips,
     "v_mov_b32_e32 v10, v5\n v_mov_b32_e32 v11, v5\n v_lshrrev_b64 v[12:13], v21, v[10:11]\n v_mov_b32_e32 v2, v12",
     0},
    {"half_shift_by_unread_bits", kGfx1030, "v_mov_b32_e32 v2, v5\n v_lshlrev_b16 v2, v22, v5", 0},
    {"align_by_unread_bits", kGfx1030, "v_alignbyte_b32 v2, v5, v5, v22", 0},
    {"align_by_unread_bits_of_half", k11, "v_alignbyte_b32 v2, v5, v5, v22.l", 0},
    {"align_by_read_bits", kGfx1030, "v_alignbit_b32 v2, v5, v5, v22", 0xffffffff},
    {"field_by_unread_bits", kAllChips, "v_bfe_u32 v2, v5, v21, v21", 0},
    {"scalar_shift_by_unread_bits", kAllChips,
     "v_readfirstlane_b32 s20, v21\n s_lshl_b32 s20, 5, s20\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_shift_by_read_bits", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_lshl_b32 s20, 5, s20\n v_mov_b32_e32 v2, s20", 0xffffffff},
    {"scalar_field_by_unread_bits", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_lshl_b32 s20, s20, 4\n s_bfe_u32 s20, 5, s20\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_bit_tested", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_bitcmp1_b32 s20, 4\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 3},
    {"other_scalar_bit_tested", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_bitcmp1_b32 s20, 3\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    {"scalar_bit_tested_by_unread_bits", kAllChips,
     "v_readfirstlane_b32 s20, v21\n s_bitcmp0_b32 5, s20\n s_cselect_b32 s20, 1, 2\n v_mov_b32_e32 v2, s20", 0},
    // What two operations in one make of their masks.
    {"scalar_and_not", kAllChips, "s_mov_b32 s21, 0xff00\n s_andn2_b32 s20, s40, s21\n v_mov_b32_e32 v2, s20",
     0xffff00ff},
    {"scalar_or_not", kAllChips, "s_mov_b32 s21, 0xff00\n s_orn2_b32 s20, s40, s21\n v_mov_b32_e32 v2, s20", 0xff00},
    {"scalar_shift_sum", kAllChips,
     "v_readfirstlane_b32 s20, v22\n s_lshl4_add_u32 s20, s20, 5\n v_mov_b32_e32 v2, s20", 0xffffff00},
    {"and_or", kAllChips, "v_and_or_b32 v2, v20, v6, v5", 0xa5},
    {"and_or_of_unread_bits", kAllChips, "v_and_or_b32 v2, v21, v6, v5", 0},
    {"or_of_three", kAllChips, "v_or3_b32 v2, v20, v6, v5", 0xa5a5a500},
    {"shift_sum", kAllChips, "v_lshl_add_u32 v2, v22, 4, v5", 0xffffff00},
    {"shift_sum_by_unread_bits", kAllChips, "v_lshl_add_u32 v2, v5, v21, v5", 0},
    {"shift_sum_by_read_bits", kAllChips, "v_lshl_add_u32 v2, v5, v22, v5", 0xffffffff},
    {"shift_sum_addend", kAllChips, "v_lshl_add_u32 v2, v5, 4, v22", 0xfffffff0},
    {"sum_shift", kAllChips, "v_add_lshl_u32 v2, v22, v5, 4", 0xffffff00},
    {"sum_shift_by_read_bits", kAllChips, "v_add_lshl_u32 v2, v5, v5, v22", 0xffffffff},
    {"product_of_unread_bits", kAllChips, "v_lshlrev_b32_e32 v10, 8, v21\n v_mul_u32_u24_e32 v2, v10, v5", 0},
    {"product_of_24_bits", kAllChips, "v_mad_u32_u24 v2, v21, v5, v5", 0xfffe0000},
    {"product_of_24_bits_addend", kAllChips, "v_mad_i32_i24 v2, v5, v5, v22", 0xfffffff0},
    {"product_of_halves", kGfx1030, "v_mad_u32_u16 v2, v21, v5, v22", 0xfffffff0},
    {"high_product_of_unread_bits", kAllChips, "v_and_b32_e32 v10, 0xff000000, v20\n v_mul_hi_u32_u24_e32 v2, v10, v5",
     0},
    {"high_product_of_24_bits", kAllChips, "v_mul_hi_i32_i24_e32 v2, v22, v5", 0xffffffff},
    // What is counted or multiplied is added to the last source.
    {"counted_and_added", kAllChips, "v_bcnt_u32_b32 v2, v5, v21", 0xffff0000},
    {"undefined_counted", kAllChips, "v_bcnt_u32_b32 v2, v22, v5", 0xffffffff},
    {"lanes_counted_and_added", kAllChips, "v_mbcnt_lo_u32_b32 v2, -1, v22", 0xfffffff0},
    {"distances_added", kAllChips, "v_sad_u8 v2, v5, v6, v21", 0xffff0000},
    {"distances_of_undefined", kAllChips, "v_sad_u32 v2, v22, v6, v5", 0xffffffff},
    {"dot_product_added", kAllChips, "v_dot4_u32_u8 v2, v5, v6, v22", 0xfffffff0},
    {"dot_product_of_undefined", kAllChips, "v_dot4_u32_u8 v2, v5, v22, v6", 0xffffffff},
    {"dot_product_saturated", kAllChips, "v_dot4_u32_u8 v2, v5, v6, v22 clamp", 0xffffffff},
    {"saturated", kAllChips, "v_add_nc_u32_e64 v2, v5, v22 clamp", 0xffffffff},
    {"byte_converted", kAllChips, "v_cvt_f32_ubyte0_e32 v2, v22", 0xffffffff},
    {"other_byte_converted", kAllChips, "v_cvt_f32_ubyte1_e32 v2, v22", 0},
    {"third_byte_converted", kAllChips, "v_cvt_f32_ubyte2_e32 v2, v21", 0xffffffff},
    {"inserted_by_undefined", kAllChips, "v_bfi_b32 v2, v21, v5, v6", 0x5a5a0000},
    {"inserted_alike", kAllChips, "v_bfi_b32 v2, v22, v5, v6", 0},
    {"permuted_constants", kAllChips, "v_perm_b32 v2, v20, v20, 0x0d0c0d0c", 0},
    {"permuted_by_undefined_bytes", kAllChips, "v_perm_b32 v2, v5, v6, v21", 0xffff0000},
    {"permuted_sign", kAllChips, "v_perm_b32 v2, v5, v21, 0x09080908", 0xff00ff00},
};

std::string body_of(const Case& c) {
    return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v5, 0x5a5a5a5a
  v_mov_b32_e32 v6, 0xff
  v_and_b32_e32 v21, 0xffff0000, v20
  v_and_b32_e32 v22, 16, v20
  s_load_dwordx2 s[8:9], s[8:9], 0x10
  wait_scalar
  {}
  global_store_dword v1, v2, s[4:5]
)",
                       c.body);
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, MasksOfTheOutputAreExact) {
    const Chip& chip = chips()[GetParam()];
    std::vector<const Case*> cases;
    std::vector<KernelText> kernels;
    for (const Case& c : kCases) {
        if ((c.chips >> GetParam() & 1u) == 0) continue;
        cases.push_back(&c);
        KernelText k;
        k.name = c.name;
        k.body = body_of(c);
        k.pointers = 3;
        k.lds = 128;
        k.scratch = 16;
        kernels.push_back(std::move(k));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const defined = rig.buffer(std::vector<u32>(32, 0x1234));
    for (const Case* c : cases)
        // An output that was never written, and one that was whole before.
        for (const bool whole : {false, true}) {
            SCOPED_TRACE(chip.name + ": " + c->name + (whole ? ", whole before" : ""));
            emu::Allocation* const out = whole ? rig.buffer(std::vector<u32>(32)) : rig.fresh(128);
            ASSERT_EQ(text_of(rig.launch(c->name, Rig::pack(out, rig.fresh(128), defined))), "");
            std::vector<u32> masks(32, 0);
            if (!out->whole()) std::memcpy(masks.data(), out->undefined.data(), 128);
            EXPECT_EQ(masks, std::vector<u32>(32, c->undefined));
        }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

} // namespace
} // namespace pm::testing
