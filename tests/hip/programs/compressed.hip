// For a compiler without HIP's device headers: a compressed bundle of two chips, and an argument that is a structure.
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __HIP_DISABLE_CPP_FUNCTIONS__

#include <hip/hip_runtime_api.h>

#include <cstdio>

struct Line {
    int factor;
    long addend;
};

__global__ void evaluate(Line line, long* out) {
    const int i = __builtin_amdgcn_workitem_id_x();
    out[i] = line.factor * i + line.addend;
}

int main() {
    long* out;
    long host[8] = {};
    if (hipMalloc(reinterpret_cast<void**>(&out), sizeof host) != hipSuccess) return 2;
    evaluate<<<1, 8>>>(Line{5, -3}, out);
    if (const hipError_t error = hipGetLastError(); error != hipSuccess) {
        std::printf("compressed: %s\n", hipGetErrorName(error));
        return 4;
    }
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess) return 2;
    for (int i = 0; i < 8; ++i)
        if (host[i] != 5 * i - 3) return 5;
    std::printf("compressed: 8 values\n");
    return 0;
}
