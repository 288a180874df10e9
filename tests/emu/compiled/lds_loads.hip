// Loads from memory to LDS as the compiler's builtins make them; a workgroup has 64 work-items.

#define KERNEL extern "C" __attribute__((global)) void
#define ITEM __builtin_amdgcn_workitem_id_x()

typedef __attribute__((address_space(3))) void LdsPointer;
typedef __attribute__((address_space(1))) char GlobalBytes;
typedef __attribute__((address_space(1))) void GlobalPointer;
typedef unsigned int u32;

static inline __attribute__((device)) void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// A wave's loads fill 32 dwords from where its pointer says.
KERNEL through_buffer(u32 *in, u32 *out) {
    __attribute__((shared)) static u32 tile[64];
    __amdgpu_buffer_rsrc_t all = __builtin_amdgcn_make_buffer_rsrc(in, 0, 256, 0x31004000);
    __builtin_amdgcn_raw_ptr_buffer_load_lds(all, (LdsPointer *)(tile + ITEM / 32 * 32), 4, ITEM * 4, 0, 0, 0);
    barrier();
    out[ITEM] = tile[63 - ITEM];
}

KERNEL through_global(GlobalBytes *in, u32 *out) {
    __attribute__((shared)) static u32 tile[64];
    __builtin_amdgcn_global_load_lds((GlobalPointer *)(in + ITEM * 4), (LdsPointer *)(tile + ITEM / 32 * 32), 4, 0, 0);
    barrier();
    out[ITEM] = tile[63 - ITEM];
}
