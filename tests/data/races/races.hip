// The races of undrained.s and mailbox.s, and with FIXED their right forms. A barrier by itself orders nothing: what
// makes LDS stores visible to other waves is the fence before it.
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void
#define SHARED __attribute__((shared))
// Accesses that stay in LDS, each as it stands here.
typedef volatile __attribute__((address_space(3))) unsigned* Lds;
#define FENCE(order) __builtin_amdgcn_fence(order, "workgroup")

static __attribute__((device)) inline void meet() {
    FENCE(__ATOMIC_RELEASE);
    __builtin_amdgcn_s_barrier();
    FENCE(__ATOMIC_ACQUIRE);
}

KERNEL undrained(unsigned* out) {
    static SHARED unsigned memory[64];
    const Lds words = (Lds)memory;
    const unsigned id = __builtin_amdgcn_workitem_id_x();
    words[id] = id;
#if FIXED
    meet();
#else
    __builtin_amdgcn_s_barrier();
#endif
    out[id] = words[id ^ 32];
}

KERNEL mailbox(unsigned* out) {
    static SHARED unsigned memory;
    const Lds box = (Lds)&memory;
    const unsigned id = __builtin_amdgcn_workitem_id_x();
    unsigned sum = 0;
#pragma clang loop unroll(disable)
    for (unsigned round = 4; round != 0; --round) {
        if (id < 32) *box = round;
        meet();
        sum += *box;
#if FIXED
        meet();
#endif
    }
    out[id] = sum;
}
