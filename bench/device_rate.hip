// The workloads of device_rate_bench. Sizes are those of native_twins.h.
using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Word4 = unsigned __attribute__((ext_vector_type(4)));

#define KERNEL(items) extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(items, items)))

// Two dependent FMAs a lane and turn, nothing else.
KERNEL(32) fma_loop(float *out, float a, float b, int turns) {
    const unsigned lane = __builtin_amdgcn_workitem_id_x();
    float x = (float)lane;
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
        x = __builtin_fmaf(x, a, b);
        x = __builtin_fmaf(x, b, a);
    }
    out[__builtin_amdgcn_workgroup_id_x() * 32 + lane] = x;
}

// c = a b, square matrices of n rows; a workgroup makes a tile of 16 x 16 by way of LDS.
KERNEL(256) matmul(const float *a, const float *b, float *c, int n) {
    __attribute__((shared)) static float tile_a[16][16], tile_b[16][16];
    const int item = __builtin_amdgcn_workitem_id_x(), x = item % 16, y = item / 16;
    const int row = __builtin_amdgcn_workgroup_id_y() * 16 + y, column = __builtin_amdgcn_workgroup_id_x() * 16 + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        for (int i = 0; i < 16; ++i) sum = __builtin_fmaf(tile_a[y][i], tile_b[i][x], sum);
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    c[row * n + column] = sum;
}

// A wave streams a row of k halves of w against x, eight halves a lane and turn; each lane stores its own sum.
KERNEL(32) dot2_stream(const Word4 *w, const Word4 *x, float *out, int k) {
    const unsigned lane = __builtin_amdgcn_workitem_id_x(), row = __builtin_amdgcn_workgroup_id_x();
    float sum = 0.0f;
    for (int i = (int)lane; i < k / 8; i += 32) {
        const Word4 codes = w[row * (unsigned)(k / 8) + (unsigned)i], values = x[i];
        for (int j = 0; j < 4; ++j) {
            const unsigned both = codes[j], by = values[j]; // clang 22 takes the bits of element 0 of a vector's element
            sum = __builtin_amdgcn_fdot2(__builtin_bit_cast(Half2, both), __builtin_bit_cast(Half2, by), sum, false);
        }
    }
    out[row * 32 + lane] = sum;
}

// Straight code of more than 20,000 instructions, to be loaded. One loop of so many turns would not be unrolled whole.
KERNEL(32) straight(unsigned *out, unsigned a) {
    const unsigned lane = __builtin_amdgcn_workitem_id_x();
    unsigned x = lane;
#define STRETCH(step)                                                                                                  \
    _Pragma("unroll") for (unsigned i = 0; i < 1000; ++i) x = (x * (a + step * i)) ^ (x >> 3);
    STRETCH(1) STRETCH(3) STRETCH(5) STRETCH(7) STRETCH(9) STRETCH(11)
    out[lane] = x;
}
