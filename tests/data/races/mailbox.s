; A word of LDS is reused by the next round without a barrier: wave 0 overwrites it while wave 1 may still have to read
; it. Each work-item adds up what wave 0 posts: 4, 3, 2, 1.
    s_load_dwordx2 s[4:5], s[8:9], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_cmp_gt_u32 vcc_lo, 32, v0
    s_mov_b32 s6, 4
round:
    v_mov_b32 v6, s6
    s_and_saveexec_b32 s7, vcc_lo
    ds_write_b32 v4, v6
    wait_salu
    s_mov_b32 exec_lo, s7
    wait_ds 0
    barrier
    ds_read_b32 v7, v4
    wait_ds 0
    v_add_nc_u32 v5, v5, v7
.if FIXED
    barrier
.endif
    s_sub_i32 s6, s6, 1
    wait_salu
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 round
    wait_km 0
    global_store_dword v1, v5, s[4:5]
