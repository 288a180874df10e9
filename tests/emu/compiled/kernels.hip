// Kernels as users write them, for compiled_test.cpp: flat pointers into every memory, functions that are called, called
// through pointers and call themselves, structures on the stack, atomics on LDS and memory. No headers, no device
// libraries.
typedef unsigned int u32;
typedef unsigned long u64;
typedef unsigned char u8;

#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define NOINLINE __attribute__((device, noinline))
#define SHARED __attribute__((shared))

constexpr u32 kBlock = 64;

DEVICE inline u32 item() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE inline u32 group() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE inline void sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// How often each byte occurs: in LDS first, then added to memory.
KERNEL void histogram(const u8 *in, u32 *out, u32 each) {
    SHARED u32 bins[256];
    for (u32 i = item(); i < 256; i += kBlock) bins[i] = 0;
    sync();
    for (u32 i = 0; i < each; ++i) {
        const u32 at = (group() * each + i) * kBlock + item();
        __scoped_atomic_fetch_add(&bins[in[at]], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    }
    sync();
    for (u32 i = item(); i < 256; i += kBlock)
        __scoped_atomic_fetch_add(&out[i], bins[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Inclusive sums of 64 numbers.
KERNEL void scan(const u32 *in, u32 *out) {
    SHARED u32 sums[2][kBlock];
    const u32 i = item();
    u32 now = 0;
    sums[0][i] = in[i];
    sync();
    for (u32 d = 1; d < kBlock; d *= 2) {
        sums[1 - now][i] = sums[now][i] + (i >= d ? sums[now][i - d] : 0);
        now = 1 - now;
        sync();
    }
    out[i] = sums[now][i];
}

struct Node {
    const Node *next;
    u32 value;
};

NOINLINE u32 walk(const Node *node) {
    u32 sum = 0;
    for (; node != nullptr; node = node->next) sum += node->value;
    return sum;
}

// Lists in memory, in LDS and on the stack, walked by one function.
KERNEL void chase(Node *nodes, u32 *out) {
    SHARED Node shared[kBlock];
    const u32 i = item();
    nodes[i] = {i + 1 < kBlock ? &nodes[i + 1] : nullptr, i};
    shared[i] = {i + 1 < kBlock ? &shared[i + 1] : nullptr, 2 * i};
    sync();
    const Node mine[2] = {{&mine[1], i}, {nullptr, 1000}};
    out[i] = walk((i & 3) == 0 ? nodes : (i & 3) == 1 ? shared : mine);
}

NOINLINE u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

NOINLINE u32 add_three(u32 a) { return a + 3; }
NOINLINE u32 twice(u32 a) { return a * 2; }
typedef u32 (*Function)(u32);
DEVICE Function functions[2] = {add_three, twice};

KERNEL void calls(u32 *out, u32 which) { out[item()] = functions[(item() ^ which) & 1](fibonacci(item() & 7)); }

struct Record {
    u8 a;
    u32 b[6];
    u64 c;
};

NOINLINE Record turned(Record r, u32 by) {
    Record out = r;
    for (u32 i = 0; i < 6; ++i) out.b[i] = r.b[(i + by) % 6] + by;
    out.c += r.a;
    return out;
}

KERNEL void records(const Record *in, Record *out) { out[item()] = turned(in[item()], item() & 3); }

// Ids and sizes in three dimensions, from the hidden arguments and the dispatch packet.
KERNEL void ids(u32 *out) {
    const u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
              z = __builtin_amdgcn_workitem_id_z();
    const u32 sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y(),
              sz = __builtin_amdgcn_workgroup_size_z();
    const u32 gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
              gz = __builtin_amdgcn_workgroup_id_z();
    // Two workgroups a dimension.
    const u32 group = (gz * 2 + gy) * 2 + gx, at = (z * sy + y) * sx + x;
    out[group * sx * sy * sz + at] = group * 1000 + at;
}
