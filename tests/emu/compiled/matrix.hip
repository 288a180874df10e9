// Matrix products as users write them with the compiler's builtins, one tile a wave of 32, for matrix_compiled_test.cpp.
// Matrices are row-major. Lanes hold elements as GPUOpen's articles on WMMA say for RDNA 3 and RDNA 4; of the sparse
// product as AMD's Matrix Instruction Calculator does.
typedef unsigned int u32;
typedef float Float8 __attribute__((ext_vector_type(8)));
typedef int Int2 __attribute__((ext_vector_type(2)));
typedef int Int4 __attribute__((ext_vector_type(4)));
typedef int Int8 __attribute__((ext_vector_type(8)));
typedef _Float16 Half8 __attribute__((ext_vector_type(8)));
typedef _Float16 Half16 __attribute__((ext_vector_type(16)));
typedef short Short8 __attribute__((ext_vector_type(8)));
typedef short Short16 __attribute__((ext_vector_type(16)));

#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device)) inline

#if defined(__gfx1201__)
#define SPLIT 1
constexpr u32 kElements = 8; // of a factor in a lane
typedef Half8 HalfFactor;
typedef Short8 ShortFactor;
typedef Int2 ByteFactor;
#else
#define SPLIT 0
constexpr u32 kElements = 16;
typedef Half16 HalfFactor;
typedef Short16 ShortFactor;
typedef Int4 ByteFactor;
#endif

DEVICE u32 lane() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE u32 side() { return lane() % 16; }
DEVICE u32 first_k() { return SPLIT ? 8 * (lane() / 16) : 0; }
DEVICE u32 row_of(u32 element) { return SPLIT ? 8 * (lane() / 16) + element : 2 * element + lane() / 16; }

template <typename Vector, typename T>
DEVICE void load(const T *a, const T *b, Vector &row, Vector &column) {
    for (u32 e = 0; e < kElements; ++e) {
        row[e] = a[16 * side() + first_k() + e];
        column[e] = b[16 * (first_k() + e) + side()];
    }
}
template <typename Vector, typename T>
DEVICE Vector tile(const T *c) {
    Vector v;
    for (u32 e = 0; e < 8; ++e) v[e] = c[16 * row_of(e) + side()];
    return v;
}
template <typename Vector, typename T>
DEVICE void store(T *d, Vector v) {
    for (u32 e = 0; e < 8; ++e) d[16 * row_of(e) + side()] = v[e];
}

KERNEL void multiply_f16(const _Float16 *a, const _Float16 *b, float *c) {
    HalfFactor row, column;
    load(a, b, row, column);
#if SPLIT
    store(c, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(row, column, tile<Float8>(c)));
#else
    store(c, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(row, column, tile<Float8>(c)));
#endif
}

KERNEL void multiply_bf16(const short *a, const short *b, float *c) {
    ShortFactor row, column;
    load(a, b, row, column);
#if SPLIT
    store(c, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(row, column, tile<Float8>(c)));
#else
    store(c, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(row, column, tile<Float8>(c)));
#endif
}

// Sums in half; gfx11 puts them into one half of its registers.
KERNEL void multiply_halves(const _Float16 *a, const _Float16 *b, _Float16 *c) {
    HalfFactor row, column;
    load(a, b, row, column);
#if SPLIT
    store(c, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(row, column, tile<Half8>(c)));
#else
    Half16 sums = 0;
    for (u32 e = 0; e < 8; ++e) sums[2 * e + 1] = c[16 * row_of(e) + side()];
    sums = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(row, column, sums, true);
    for (u32 e = 0; e < 8; ++e) c[16 * row_of(e) + side()] = sums[2 * e + 1];
#endif
}

// a is signed, b is not.
KERNEL void multiply_bytes(const signed char *a, const unsigned char *b, int *c) {
    ByteFactor row = 0, column = 0;
    for (u32 e = 0; e < kElements; ++e) {
        row[e / 4] |= (int)((u32)(unsigned char)a[16 * side() + first_k() + e] << 8 * (e % 4));
        column[e / 4] |= (int)((u32)b[16 * (first_k() + e) + side()] << 8 * (e % 4));
    }
#if SPLIT
    store(c, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, row, false, column, tile<Int8>(c), false));
#else
    store(c, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, row, false, column, tile<Int8>(c), false));
#endif
}

#if SPLIT
// Floats are made FP8 on the way.
DEVICE int pack_fp8(const float *from, u32 stride) {
    int word = __builtin_amdgcn_cvt_pk_fp8_f32(from[0], from[stride], 0, false);
    return __builtin_amdgcn_cvt_pk_fp8_f32(from[2 * stride], from[3 * stride], word, true);
}
KERNEL void multiply_fp8(const float *a, const float *b, float *c) {
    Int2 row, column;
    for (u32 e = 0; e < 2; ++e) {
        row[e] = pack_fp8(a + 16 * side() + first_k() + 4 * e, 1);
        column[e] = pack_fp8(b + 16 * (first_k() + 4 * e) + side(), 16);
    }
    store(c, __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(row, column, tile<Float8>(c)));
}

// a (16 x 32) has two elements of every four in a row that are not 0.
KERNEL void multiply_sparse(const _Float16 *a, const _Float16 *b, float *c) {
    Half8 row = 0;
    Half16 column;
    u32 index = 0;
    for (u32 group = 0; group < 4; ++group) {
        const u32 k = 16 * (group / 2) + 8 * (lane() / 16) + 4 * (group % 2);
        u32 found = 0;
        for (u32 e = 0; e < 4; ++e) {
            const _Float16 x = a[32 * side() + k + e];
            if (x == 0 || found == 2) continue;
            row[2 * group + found] = x;
            index |= e << (4 * group + 2 * found);
            ++found;
        }
        for (u32 e = 0; e < 4; ++e) column[4 * group + e] = b[16 * (k + e) + side()];
    }
    store(c, __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(row, column, tile<Float8>(c), index));
}
#endif
