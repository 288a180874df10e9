// A histogram: atomics in LDS within a block, and in memory between blocks; the input is the program's own memory,
// registered, and the result is managed.
#include "check.h"

#include <vector>

constexpr int kBins = 64;
__device__ int over = 0;

__global__ void histogram(const unsigned char* in, int count, unsigned* bins) {
    __shared__ unsigned mine[kBins];
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        if (in[i] >= kBins)
            atomicAdd(&over, 1);
        else
            atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

int main() {
    const int count = 20011;
    std::vector<unsigned char> in(count);
    unsigned expected[kBins] = {};
    int expected_over = 0;
    unsigned state = 1;
    for (unsigned char& value : in) {
        state = state * 1664525u + 1013904223u;
        value = (state >> 24) % 70;
        if (value >= kBins)
            ++expected_over;
        else
            ++expected[value];
    }
    CHECK(hipHostRegister(in.data(), in.size(), hipHostRegisterDefault));
    unsigned char* device_in;
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_in), in.data(), 0));
    unsigned* bins;
    CHECK(hipMallocManaged(&bins, sizeof expected));
    for (int i = 0; i < kBins; ++i) bins[i] = 0;
    histogram<<<7, 96>>>(device_in, count, bins);
    CHECK(hipGetLastError());
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < kBins; ++i) EXPECT(bins[i] == expected[i]);
    int found_over = 0;
    void* address = nullptr;
    CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(over)));
    CHECK(hipMemcpy(&found_over, address, sizeof found_over, hipMemcpyDeviceToHost));
    EXPECT(found_over == expected_over);
    CHECK(hipHostUnregister(in.data()));
    CHECK(hipFree(bins));
    std::printf("histogram: %d values, %d over\n", count, found_over);
}
