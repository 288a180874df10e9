// out[r] = the sum of row r of x, (rows, n) in f32. A workgroup of 256 sums a row: each work-item a part of it, then LDS
// folds the parts.
#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(256) row_sum(const float* x, float* out, int n) {
    __shared__ float part[256];
    const int lane = static_cast<int>(threadIdx.x);
    const float* const row = x + static_cast<size_t>(blockIdx.x) * static_cast<size_t>(n);
    float sum = 0.0f;
    for (int i = lane; i < n; i += 256) sum += row[i];
    part[lane] = sum;
    __syncthreads();
    for (int width = 128; width > 0; width /= 2) {
        if (lane < width) part[lane] += part[lane + width];
        __syncthreads(); // before the next fold
    }
    if (lane == 0) out[blockIdx.x] = part[0];
}
