// Prints the devices, runs a kernel on the one that the first argument names, and ends with the second argument. With the
// word no-binary in its place, the kernel must not run, for the program has no code for the device.
#include "check.h"

#include <cstring>

__global__ void answer(int* out) { *out = 42; }

int main(int argc, char** argv) {
    int count = 0;
    CHECK(hipGetDeviceCount(&count));
    for (int i = 0; i < count; ++i) {
        hipDeviceProp_t properties;
        CHECK(hipGetDeviceProperties(&properties, i));
        std::printf("device %d: %s\n", i, properties.gcnArchName);
    }
    if (argc < 3) return 0;
    CHECK(hipSetDevice(std::atoi(argv[1])));
    int* out;
    int result = 0;
    CHECK(hipMalloc(&out, sizeof *out));
    answer<<<1, 1>>>(out);
    const hipError_t error = hipGetLastError();
    if (std::strcmp(argv[2], "no-binary") == 0) {
        EXPECT(error == hipErrorNoBinaryForGpu);
        std::printf("devices: %s\n", hipGetErrorString(error));
        return 0;
    }
    CHECK(error);
    CHECK(hipMemcpy(&result, out, sizeof result, hipMemcpyDeviceToHost));
    EXPECT(result == 42);
    CHECK(hipFree(out));
    return std::atoi(argv[2]);
}
