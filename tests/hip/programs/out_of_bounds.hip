// A planted fault: the last block writes past the end of a buffer, and the program sees nothing of it.
#include "check.h"

__global__ void fill(int* out, int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value; // no bound
}

int main() {
    const int count = 100;
    int* out;
    CHECK(hipMalloc(&out, count * sizeof(int)));
    fill<<<2, 64>>>(out, 7);
    CHECK(hipDeviceSynchronize());
    int first = 0;
    CHECK(hipMemcpy(&first, out, sizeof first, hipMemcpyDeviceToHost));
    EXPECT(first == 7);
    CHECK(hipFree(out));
    std::printf("out_of_bounds: done\n");
}
