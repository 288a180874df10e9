// A sum by shuffles within a wave, LDS between the waves of a block, and an atomic between blocks; the block size is the
// one that the occupancy query proposes, the input is pinned, the count a managed variable.
#include "check.h"

__managed__ int blocks_done = 0;
__constant__ int scale[2];

__global__ void sum(const int* in, int count, unsigned long long* out) {
    __shared__ int of_wave[32];
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) mine += in[i] * scale[i & 1];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) mine += __shfl_down(mine, offset);
    const int wave = threadIdx.x / warpSize;
    if (threadIdx.x % warpSize == 0) of_wave[wave] = mine;
    __syncthreads();
    if (threadIdx.x != 0) return;
    int all = 0;
    for (int w = 0; w < (blockDim.x + warpSize - 1) / warpSize; ++w) all += of_wave[w];
    atomicAdd(out, static_cast<unsigned long long>(all));
    atomicAdd(&blocks_done, 1);
}

int main() {
    const int count = 50000;
    int grid = 0, block = 0;
    CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, sum, 0, 256));
    EXPECT(grid > 0 && block > 0 && block <= 256);
    int resident = 0;
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sum, block, 0));
    EXPECT(resident > 0);

    int* in;
    CHECK(hipHostMalloc(&in, count * sizeof(int)));
    unsigned long long expected = 0;
    const int factors[2] = {1, 3};
    for (int i = 0; i < count; ++i) {
        in[i] = i % 1000;
        expected += in[i] * factors[i & 1];
    }
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(scale), factors, sizeof factors));
    int back[2] = {};
    CHECK(hipMemcpyFromSymbol(back, HIP_SYMBOL(scale), sizeof back));
    EXPECT(back[0] == 1 && back[1] == 3);
    size_t size = 0;
    CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(scale)));
    EXPECT(size == sizeof factors);

    unsigned long long* out;
    unsigned long long result = 0;
    CHECK(hipMalloc(&out, sizeof *out));
    CHECK(hipMemset(out, 0, sizeof *out));
    hipLaunchKernelGGL(sum, dim3(grid), dim3(block), 0, 0, in, count, out);
    CHECK(hipGetLastError());
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(&result, out, sizeof result, hipMemcpyDeviceToHost));
    EXPECT(result == expected);
    EXPECT(blocks_done == grid);
    CHECK(hipFree(out));
    CHECK(hipHostFree(in));
    std::printf("reduction: %llu\n", result);
}
