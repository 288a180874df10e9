// A kernel that waits for what never comes.
#include "check.h"

__global__ void wait_for(const volatile int* flag) {
    while (*flag == 0) {
    }
}

int main() {
    int* flag;
    CHECK(hipMalloc(&flag, sizeof *flag));
    CHECK(hipMemset(flag, 0, sizeof *flag));
    wait_for<<<1, 1>>>(flag);
    std::printf("endless: %s\n", hipGetErrorName(hipGetLastError()));
}
