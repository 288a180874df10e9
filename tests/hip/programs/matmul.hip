// C = A B in tiles through LDS, with pitched rows: a template, a size that is no multiple of the tile, both static and
// dynamic LDS.
#include "check.h"

#include <vector>

template <int Tile>
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int pitch_a, int pitch_b, int pitch_c) {
    __shared__ float tile_a[Tile][Tile + 1];
    extern __shared__ float tile_b[];
    const int row = blockIdx.y * Tile + threadIdx.y;
    const int column = blockIdx.x * Tile + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += Tile) {
        tile_a[threadIdx.y][threadIdx.x] = row < m && at + threadIdx.x < k ? a[row * pitch_a + at + threadIdx.x] : 0;
        tile_b[threadIdx.y * Tile + threadIdx.x] =
            column < n && at + threadIdx.y < k ? b[(at + threadIdx.y) * pitch_b + column] : 0;
        __syncthreads();
        for (int i = 0; i < Tile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i * Tile + threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * pitch_c + column] = sum;
}

struct Matrix {
    float* data = nullptr;
    size_t pitch = 0; // bytes
    int floats() const { return static_cast<int>(pitch / sizeof(float)); }
};

Matrix make(int rows, int columns) {
    Matrix out;
    CHECK(hipMallocPitch(reinterpret_cast<void**>(&out.data), &out.pitch, columns * sizeof(float), rows));
    return out;
}

int main() {
    const int m = 45, n = 37, k = 53;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = i % 7 - 3;
    for (int i = 0; i < k * n; ++i) b[i] = i % 5 - 2;
    const Matrix da = make(m, k), db = make(k, n), dc = make(m, n);
    CHECK(hipMemcpy2D(da.data, da.pitch, a.data(), k * 4, k * 4, m, hipMemcpyHostToDevice));
    CHECK(hipMemcpy2DAsync(db.data, db.pitch, b.data(), n * 4, n * 4, k, hipMemcpyHostToDevice, 0));
    CHECK(hipMemset2D(dc.data, dc.pitch, 0xff, n * 4, m));
    constexpr int tile = 16;
    matmul<tile><<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile), tile * tile * sizeof(float)>>>(
        da.data, db.data, dc.data, m, n, k, da.floats(), db.floats(), dc.floats());
    CHECK(hipGetLastError());
    CHECK(hipMemcpy2D(c.data(), n * 4, dc.data, dc.pitch, n * 4, m, hipMemcpyDeviceToHost));
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0; // small integers: exact in any order
            for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
            EXPECT(c[row * n + column] == sum);
        }
    hipFuncAttributes attributes;
    CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&matmul<tile>)));
    EXPECT(attributes.sharedSizeBytes == tile * (tile + 1) * sizeof(float));
    for (const Matrix& matrix : {da, db, dc}) CHECK(hipFree(matrix.data));
    std::printf("matmul: %d x %d\n", m, n);
}
