// For a compiler without HIP's device headers: waves of 64 lanes count odd values by ballots.
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __HIP_DISABLE_CPP_FUNCTIONS__

#include <hip/hip_runtime_api.h>

#include <cstdio>

__global__ void odd(const int* in, int count, unsigned* out) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 160 + __builtin_amdgcn_workitem_id_x();
    const unsigned long mask = __builtin_amdgcn_ballot_w64(i < count && in[i] % 2 == 1);
    const unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    if (lane == 0) __scoped_atomic_fetch_add(out, static_cast<unsigned>(__builtin_popcountl(mask)), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

int main() {
    const int count = 1000;
    int host[count];
    for (int i = 0; i < count; ++i) host[i] = i % 3;
    int* in;
    unsigned* out;
    unsigned result = 0;
    if (hipMalloc(reinterpret_cast<void**>(&in), sizeof host) != hipSuccess) return 2;
    if (hipMalloc(reinterpret_cast<void**>(&out), sizeof *out) != hipSuccess) return 2;
    if (hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess) return 2;
    if (hipMemset(out, 0, sizeof *out) != hipSuccess) return 2;
    odd<<<8, 160>>>(in, count, out);
    if (hipGetLastError() != hipSuccess) return 3;
    if (hipMemcpy(&result, out, sizeof result, hipMemcpyDeviceToHost) != hipSuccess) return 2;
    std::printf("wave64: %u odd\n", result);
    return 0;
}
