// Kernels that depend on the size of a wave, for compiled_waves_test.cpp: ballots, shuffles, scans, reductions of a
// workgroup in which every wave has its part, divergent loops. kWave is 32 or 64.
typedef unsigned int u32;
typedef unsigned long u64;

#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

constexpr u32 kWave = WAVE;

DEVICE inline u32 item() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE inline u32 lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
DEVICE inline void sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#if WAVE == 64
DEVICE inline u64 ballot(bool b) { return __builtin_amdgcn_ballot_w64(b); }
#else
DEVICE inline u64 ballot(bool b) { return __builtin_amdgcn_ballot_w32(b); }
#endif

// The lanes of the wave whose number is odd, and how many of them stand before this one.
KERNEL void ballots(const u32 *in, u64 *masks, u32 *before) {
    const u64 odd = ballot(in[item()] % 2 == 1);
    masks[item()] = odd;
    before[item()] = __builtin_amdgcn_mbcnt_hi(static_cast<u32>(odd >> 32), __builtin_amdgcn_mbcnt_lo(static_cast<u32>(odd), 0u));
    if (in[item()] % 3 == 0) masks[item()] = ballot(true);
}

// The wave's first and last number, and the first of its active lanes.
KERNEL void lanes(const u32 *in, u32 *out) {
    const u32 x = in[item()];
    u32 sum = __builtin_amdgcn_readlane(x, 0) + 2 * __builtin_amdgcn_readlane(x, kWave - 1);
    if (lane() >= kWave / 2 + 3) sum += 5 * __builtin_amdgcn_readfirstlane(x);
    out[item()] = sum + 1000000 * lane();
}

// The number of the lane 5 further on within the 32 lanes, and of the neighbour in its row.
KERNEL void shuffles(const u32 *in, u32 *out) {
    const u32 x = in[item()];
    const u32 from = (lane() & ~31u) | ((lane() + 5) & 31u);
    const u32 far = __builtin_amdgcn_ds_bpermute(static_cast<int>(from * 4), static_cast<int>(x));
    const u32 near = __builtin_amdgcn_update_dpp(7, static_cast<int>(x), 0x111, 0xf, 0xf, false);
    out[item()] = far + 3 * near;
}

// Inclusive sums over the workgroup: rows and halves of each wave in registers, waves through LDS.
KERNEL void sums(const u32 *in, u32 *out) {
    SHARED u32 totals[32];
    u32 sum = in[item()];
    sum += __builtin_amdgcn_update_dpp(0, static_cast<int>(sum), 0x111, 0xf, 0xf, true);
    sum += __builtin_amdgcn_update_dpp(0, static_cast<int>(sum), 0x112, 0xf, 0xf, true);
    sum += __builtin_amdgcn_update_dpp(0, static_cast<int>(sum), 0x114, 0xf, 0xf, true);
    sum += __builtin_amdgcn_update_dpp(0, static_cast<int>(sum), 0x118, 0xf, 0xf, true);
    const u32 row = __builtin_amdgcn_permlanex16(0, sum, ~0u, ~0u, false, false);
    if (lane() % 32 >= 16) sum += row;
    // Read where all lanes are active.
    const u32 lower = __builtin_amdgcn_readlane(sum, 31);
    if (lane() >= 32) sum += lower;
    if (lane() == kWave - 1) totals[item() / kWave] = sum;
    sync();
    for (u32 w = 0; w < item() / kWave; ++w) sum += totals[w];
    out[item()] = sum;
}

// Steps until 1 is reached; lanes leave the loop one after the other.
KERNEL void steps(const u32 *in, u32 *out) {
    u32 n = in[item()], count = 0;
    while (n > 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        ++count;
        if (count == 200) break;
    }
    out[item()] = count;
}

// Every item adds to one place: compilers add up the wave's lanes first.
KERNEL void counts(const u32 *in, u32 *out) {
    if (in[item()] % 5 != 0) __scoped_atomic_fetch_add(&out[0], in[item()], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_add(&out[1], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_max(&out[2], in[item()], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// 64-bit arithmetic with carries, quotients, and an array on the stack.
KERNEL void wide(const u64 *in, u64 *out) {
    const u64 x = in[item()], y = in[(item() + 1) % 100];
    u64 table[4] = {x + y, x - y, x / (y | 1), x % (y | 1)};
    for (u32 i = 0; i < 4; ++i) table[(x + i) % 4] += table[(y + i) % 4] >> 1;
    out[item()] = table[x % 4] ^ (x * y);
}

// Quotients and roots of floats.
KERNEL void floats(const float *in, float *out) {
    const float x = in[item()], y = in[(item() + 1) % 100];
    out[item()] = x < y ? x / y : y * x - 2.0f;
}
