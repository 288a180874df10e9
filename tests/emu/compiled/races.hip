// Pairs of kernels, NAME_race and NAME_clean, that differ in what orders accesses to device memory.

typedef unsigned int u32;
typedef unsigned short u16;

#define KERNEL extern "C" __attribute__((global)) void
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
constexpr u32 kItems = 64; // two waves

static inline __attribute__((device)) void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// A workspace that workgroups ought not to share.
KERNEL workspace_race(const u32 *in, u32 *work, u32 *out) {
    work[ITEM] = in[GROUP * kItems + ITEM] * 3;
    barrier();
    out[GROUP * kItems + ITEM] = work[ITEM ^ 1];
}
KERNEL workspace_clean(const u32 *in, u32 *work, u32 *out) {
    work[GROUP * kItems + ITEM] = in[GROUP * kItems + ITEM] * 3;
    barrier();
    out[GROUP * kItems + ITEM] = work[GROUP * kItems + (ITEM ^ 1)];
}

// In place, from the left neighbour or from the right one.
KERNEL left_race(const u32 *, u32 *work, u32 *) {
    const u32 i = GROUP * kItems + ITEM, value = work[i == 0 ? 0 : i - 1];
    barrier();
    work[i] = value;
}
KERNEL left_clean(const u32 *, u32 *work, u32 *) {
    const u32 i = GROUP * kItems + ITEM, value = work[ITEM == 0 ? i : i - 1];
    barrier();
    work[i] = value;
}
KERNEL right_race(const u32 *, u32 *work, u32 *) {
    const u32 i = GROUP * kItems + ITEM, value = work[i + 1];
    barrier();
    work[i] = value;
}
KERNEL right_clean(const u32 *, u32 *work, u32 *) {
    const u32 i = GROUP * kItems + ITEM, value = work[ITEM + 1 == kItems ? i : i + 1];
    barrier();
    work[i] = value;
}

// From wave to wave.
KERNEL waves_race(const u32 *in, u32 *work, u32 *out) {
    const u32 i = GROUP * kItems + ITEM;
    work[i] = in[i] + 1;
    out[i] = work[GROUP * kItems + (ITEM ^ 32)];
}
KERNEL waves_clean(const u32 *in, u32 *work, u32 *out) {
    const u32 i = GROUP * kItems + ITEM;
    work[i] = in[i] + 1;
    barrier();
    out[i] = work[GROUP * kItems + (ITEM ^ 32)];
}

// A result that the workgroup which comes last adds up.
KERNEL last_race(const u32 *in, u32 *work, u32 *out) {
    const u32 groups = 4;
    if (ITEM == 0) {
        work[1 + GROUP] = in[GROUP];
        const u32 ticket = work[0];
        work[0] = ticket + 1;
        if (ticket + 1 == groups)
            for (u32 g = 0; g < groups; ++g) out[0] += work[1 + g];
    }
}
KERNEL last_clean(const u32 *in, u32 *work, u32 *out) {
    const u32 groups = 4;
    if (ITEM == 0) {
        work[1 + GROUP] = in[GROUP];
        const u32 ticket = __hip_atomic_fetch_add(work, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
        if (ticket + 1 == groups)
            for (u32 g = 0; g < groups; ++g) out[0] += work[1 + g];
    }
}

// One workgroup leaves something for the next.
KERNEL flag_race(const u32 *in, u32 *work, u32 *out) {
    if (GROUP == 0) {
        work[32 + ITEM] = in[ITEM] + 5;
        barrier();
        if (ITEM == 0) work[0] = 1;
    } else {
        out[GROUP * kItems + ITEM] = work[0] == 1 ? work[32 + ITEM] : 0;
    }
}
KERNEL flag_clean(const u32 *in, u32 *work, u32 *out) {
    if (GROUP == 0) {
        work[32 + ITEM] = in[ITEM] + 5;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
        __builtin_amdgcn_s_barrier();
        if (ITEM == 0) __hip_atomic_store(work, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    } else {
        const bool there = __hip_atomic_load(work, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 1;
        out[GROUP * kItems + ITEM] = there ? work[32 + ITEM] : 0;
    }
}

KERNEL histogram_race(const u32 *in, u32 *work, u32 *) {
    work[in[GROUP * kItems + ITEM] % 7] += 1;
}
KERNEL histogram_clean(const u32 *in, u32 *work, u32 *) {
    __hip_atomic_fetch_add(work + in[GROUP * kItems + ITEM] % 7, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// An atomic beside a plain access.
KERNEL reset_race(const u32 *in, u32 *work, u32 *) {
    if (GROUP == 0 && ITEM == 0) work[0] = in[0] + 1;
    if (GROUP != 0) __hip_atomic_fetch_add(work, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL reset_clean(const u32 *in, u32 *work, u32 *) {
    if (GROUP == 0 && ITEM == 0) __hip_atomic_fetch_add(work, in[0] + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (GROUP != 0) __hip_atomic_fetch_add(work, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// A plain access hidden by an atomic of the same wave: between workgroups and, in the first, between waves.
KERNEL counter_race(const u32 *in, u32 *work, u32 *) {
    if (GROUP == 0 && ITEM == 0) work[0] = in[0] + 5;
    __hip_atomic_fetch_add(work, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL counter_clean(const u32 *in, u32 *work, u32 *) {
    if (GROUP == 0 && ITEM == 0) __hip_atomic_fetch_add(work, in[0] + 5, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(work, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Workgroups may agree on a value.
KERNEL answer_race(const u32 *, u32 *work, u32 *) {
    if (ITEM == 0) work[3] = 100 + GROUP;
}
KERNEL answer_clean(const u32 *, u32 *work, u32 *) {
    if (ITEM == 0) work[3] = 100;
}

// Results of workgroups that meet inside a word.
KERNEL halves_race(const u32 *in, u32 *work, u32 *) {
    ((u16 *)work)[GROUP * (kItems - 1) + ITEM] = (u16)(in[ITEM] + 2 + GROUP);
}
KERNEL halves_clean(const u32 *in, u32 *work, u32 *) {
    if (ITEM < kItems - 1) ((u16 *)work)[GROUP * (kItems - 1) + ITEM] = (u16)(in[ITEM] + 2 + GROUP);
}
