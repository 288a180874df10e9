; An LDS store is still on its way when its wave signals the barrier that publishes it: the other wave may read what was
; there before. Two waves, a word each work-item, which reads its neighbour's of the other wave.
    s_load_dwordx2 s[4:5], s[8:9], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x80, v1
    ds_write_b32 v1, v0
.if FIXED
    wait_ds 0
.endif
    barrier
    ds_read_b32 v3, v2
    wait_ds 0
    wait_km 0
    global_store_dword v1, v3, s[4:5]
