// Text from a kernel: every kind of argument, lanes that go apart, and the count that printf gives back.
#include "check.h"

#include <cstring>

__device__ const char* const kNames[3] = {"zero", "one, which is a longer string than fits a packet of fifty-six bytes",
                                          ""};

__global__ void tell(const double* values, int* counts) {
    const int i = threadIdx.x;
    counts[i] = 0;
    if (i % 2 == 1) return;
    if (i < 6)
        counts[i] = printf("%d: %s, %.3f %lx\n", i, kNames[i / 2 % 3], values[i], 0x123456789abcul + i);
    else if (i == 32)
        counts[i] = printf("second wave\n");
    else if (i == 34)
        counts[i] = printf("%c%c%5u|%-4d|%%|%e|%g|%hhd|%lld|%s\n", 'o', 'k', 7u, -8, values[1], 0.5, static_cast<signed char>(-1),
                           -1234567890123ll, "end");
}

__global__ void count_blocks() {
    const unsigned block = blockIdx.x, blocks = gridDim.x;
    if (threadIdx.x == 0) printf("block %u of %u\n", block, blocks);
}

int main() {
    double values[64];
    for (int i = 0; i < 64; ++i) values[i] = i * 1.25;
    double* device_values;
    int* counts;
    CHECK(hipMalloc(&device_values, sizeof values));
    CHECK(hipMallocManaged(&counts, 64 * sizeof(int)));
    CHECK(hipMemcpy(device_values, values, sizeof values, hipMemcpyHostToDevice));
    std::printf("before\n");
    tell<<<1, 64>>>(device_values, counts);
    CHECK(hipDeviceSynchronize());
    EXPECT(counts[0] == static_cast<int>(std::strlen("0: zero, 0.000 123456789abc\n")));
    EXPECT(counts[1] == 0);
    EXPECT(counts[32] == static_cast<int>(std::strlen("second wave\n")));
    std::printf("between\n");
    count_blocks<<<20, 32>>>();
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(device_values));
    CHECK(hipFree(counts));
    std::printf("after\n");
}
