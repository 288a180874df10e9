// Affine-quantised matrix-vector stream tiles for RDNA, wave32: out = act(x * dequant(W)^T), 1 to 8 rows of x.
//
// W (n, k) is held as codes of `Bits` bits in groups of 64 along k; a row is k*Bits/32 little-endian words and code j is
// bits [j*Bits, (j+1)*Bits) of its row. scale and bias are (n, k/64) in the activation type:
//   y[m,n] = sum over groups g of scale[n,g] * sum(x * code in g) + bias[n,g] * sum(x in g)
// A workgroup is 4 waves; a wave owns R rows by CB columns, its 32 lanes split k in chunks of 32 codes.
// Needs nothing but the compiler: no HIP header, no device library, no LDS.

#define KERNEL extern "C" __attribute__((global))
#define DEVICE static inline __attribute__((device, always_inline))

typedef unsigned int u32;
typedef unsigned short u16;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

constexpr int kWaves = 4;    // waves a workgroup
constexpr int kChunk = 32;   // codes a lane takes at a time: half a group
constexpr int kPairs = kChunk / 2;

// gfx10.3 has no bf16 dot product, so its activations are fp16.
#if defined(__GFX10__)
typedef _Float16 fp16x2 __attribute__((ext_vector_type(2)));

DEVICE float dot2(u32 a, u32 b, float c) {
    return __builtin_amdgcn_fdot2(__builtin_bit_cast(fp16x2, a), __builtin_bit_cast(fp16x2, b), c, false);
}
// Exact for the codes: integers up to 255 are fp16 values.
DEVICE u32 pack(float lo, float hi) { return __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pkrtz(lo, hi)); }
DEVICE float widen(u16 v) { return (float)__builtin_bit_cast(_Float16, v); }
DEVICE u16 narrow(float v) { return __builtin_bit_cast(u16, (_Float16)v); }
constexpr u32 kOnes = 0x3c003c00;
#else
typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));

DEVICE float dot2(u32 a, u32 b, float c) {
    return __builtin_amdgcn_fdot2_f32_bf16(__builtin_bit_cast(bf16x2, a), __builtin_bit_cast(bf16x2, b), c, false);
}
// Exact for the codes: integers up to 255 are bf16 values, so their low half is zero.
DEVICE u32 pack(float lo, float hi) {
    return __builtin_amdgcn_perm(__builtin_bit_cast(u32, hi), __builtin_bit_cast(u32, lo), 0x07060302);
}
DEVICE float widen(u16 v) { return __builtin_bit_cast(float, (u32)v << 16); }
// Round to nearest even; a NaN stays a NaN (its quiet bit is set, so that truncation cannot make an infinity of it).
DEVICE u16 narrow(float v) {
    const u32 u = __builtin_bit_cast(u32, v);
    const u32 rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (u16)(v != v ? (u >> 16) | 0x40u : rounded);
}
constexpr u32 kOnes = 0x3f803f80;
#endif

// Square of the positive part; written as a comparison, not a max, so that a NaN stays a NaN.
DEVICE float relu2(float v) {
    const float r = v < 0.0f ? 0.0f : v;
    return r * r;
}

// 16 bytes at any 4-byte boundary, in one load.
DEVICE u32x4 load16(const void *p) {
    struct __attribute__((packed, aligned(4))) Raw {
        u32x4 v;
    };
    return ((const Raw *)p)->v;
}

// The same value, whose origin the optimiser no longer knows. No instruction.
DEVICE u32 opaque(u32 v) {
    asm("" : "+v"(v));
    return v;
}

template <int Mask> DEVICE float fold_row(float v) {
    constexpr int kRowXmask = 0x160;
    const int moved = __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, v), kRowXmask | Mask, 0xf, 0xf, true);
    return v + __builtin_bit_cast(float, moved);
}

// Sum over the 32 lanes: four steps inside a row of 16 lanes, one across the two rows. The volatile use holds the lane moves where
// all lanes are on: clang 19 sinks them into the branch of the lane that stores, where the others' sums are never made.
DEVICE float fold(float v) {
    v = fold_row<1>(v);
    v = fold_row<2>(v);
    v = fold_row<4>(v);
    v = fold_row<8>(v);
    const int u = __builtin_bit_cast(int, v);
    v += __builtin_bit_cast(float, __builtin_amdgcn_permlanex16(u, u, 0x76543210, 0xfedcba98, false, false));
    asm volatile("" : "+v"(v));
    return v;
}

// The words of a chunk: 16 bytes a load, then what is left.
template <int Bits> DEVICE void load_words(const u32 *src, u32 (&w)[Bits]) {
#pragma unroll
    for (int i = 0; i < Bits / 4; ++i) {
        const u32x4 v = load16(src + 4 * i);
#pragma unroll
        for (int j = 0; j < 4; ++j) w[4 * i + j] = v[j];
    }
#pragma unroll
    for (int i = Bits / 4 * 4; i < Bits; ++i) w[i] = src[i];
}

// Code j of the chunk; it may lie across two words.
template <int Bits> DEVICE float code(const u32 (&w)[Bits], int j) {
    const int word = j * Bits / 32, shift = j * Bits % 32;
    const u32 v = shift + Bits <= 32 ? w[word] >> shift : __builtin_amdgcn_alignbit(w[word + 1], w[word], shift);
    return (float)(v & ((1u << Bits) - 1u));
}

// The codes of one chunk as pairs of activations, in the order of x.
template <int Bits> DEVICE void decode(const u32 (&w)[Bits], u32 (&codes)[kPairs]) {
    if constexpr (Bits == 4) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // One mask for four codes, then a byte conversion each; left visible, the compiler extracts every code alone.
            const u32 even = opaque(w[i] & 0x0f0f0f0fu);
            const u32 odd = opaque((w[i] >> 4) & 0x0f0f0f0fu);
#pragma unroll
            for (int j = 0; j < 4; ++j)
                codes[4 * i + j] = pack((float)((even >> (8 * j)) & 0xffu), (float)((odd >> (8 * j)) & 0xffu));
        }
    } else {
#pragma unroll
        for (int i = 0; i < kPairs; ++i) codes[i] = pack(code<Bits>(w, 2 * i), code<Bits>(w, 2 * i + 1));
    }
}

template <int Bits, int R, int CB, bool Relu2>
DEVICE void tile(const u16 *x, const u32 *words, const u16 *scale, const u16 *bias, u16 *out, int m, int n, int k) {
    const int lane = __builtin_amdgcn_workitem_id_x() & 31;
    const int wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() >> 5);
    const int col0 = (__builtin_amdgcn_workgroup_id_x() * kWaves + wave) * CB;
    const int row0 = __builtin_amdgcn_workgroup_id_y() * R;
    if (col0 >= n) return;
    const int groups = k / 64;
    const int chunks = k / kChunk;

    float acc[R][CB] = {};
    for (int chunk = lane; chunk < chunks; chunk += 32) {
        u32 xs[R][kPairs];
        float sum[R];
#pragma unroll
        for (int r = 0; r < R; ++r) {
            // A row past the end reads the last one; it is not stored.
            const int row = row0 + r < m ? row0 + r : m - 1;
            const u16 *src = x + (long)row * k + chunk * kChunk;
#pragma unroll
            for (int i = 0; i < kPairs / 4; ++i) {
                const u32x4 v = load16(src + 8 * i);
#pragma unroll
                for (int j = 0; j < 4; ++j) xs[r][4 * i + j] = v[j];
            }
            sum[r] = 0.0f;
#pragma unroll
            for (int i = 0; i < kPairs; ++i) sum[r] = dot2(xs[r][i], kOnes, sum[r]);
        }
#pragma unroll
        for (int c = 0; c < CB; ++c) {
            const int col = col0 + c < n ? col0 + c : n - 1;
            const long group = (long)col * groups + chunk / 2;
            const float s = widen(scale[group]);
            const float b = widen(bias[group]);
            u32 w[Bits];
            load_words<Bits>(words + (long)col * (k / 32 * Bits) + chunk * Bits, w);
            u32 codes[kPairs];
            decode<Bits>(w, codes);
#pragma unroll
            for (int r = 0; r < R; ++r) {
                float dot = 0.0f;
#pragma unroll
                for (int i = 0; i < kPairs; ++i) dot = dot2(xs[r][i], codes[i], dot);
                acc[r][c] = __builtin_fmaf(s, dot, acc[r][c]);
                acc[r][c] = __builtin_fmaf(b, sum[r], acc[r][c]);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
        for (int c = 0; c < CB; ++c) {
            u16 y = narrow(fold(acc[r][c]));
            if (Relu2) y = narrow(relu2(widen(y)));
            if (lane == 0 && row0 + r < m && col0 + c < n) out[(long)(row0 + r) * n + col0 + c] = y;
        }
    }
}

#ifndef BOUNDS
#define BOUNDS __attribute__((amdgpu_flat_work_group_size(32 * kWaves, 32 * kWaves)))
#endif
#define ARGS const u16 *x, const u32 *words, const u16 *scale, const u16 *bias, u16 *out, int m, int n, int k
#define TILE(W, R, CB)                                                                                                 \
    KERNEL void BOUNDS affine_stream_w##W##_r##R##x##CB(ARGS) {                                                        \
        tile<W, R, CB, false>(x, words, scale, bias, out, m, n, k);                                                    \
    }                                                                                                                  \
    KERNEL void BOUNDS affine_stream_relu2_w##W##_r##R##x##CB(ARGS) {                                                  \
        tile<W, R, CB, true>(x, words, scale, bias, out, m, n, k);                                                     \
    }
#define TILES(W) TILE(W, 1, 1) TILE(W, 1, 2) TILE(W, 1, 4) TILE(W, 1, 8) TILE(W, 2, 4) TILE(W, 4, 2) TILE(W, 4, 4) TILE(W, 8, 2)

// What a build holds; another build may want fewer.
#ifndef KERNELS
#define KERNELS TILES(4) TILES(5) TILES(6) TILES(8)
#endif
KERNELS

// out[i] = relu2(v[i]); eight elements a lane where all eight are there, one at a time in the tail.
KERNEL void __attribute__((amdgpu_flat_work_group_size(256, 256))) relu2(const u16 *v, u16 *out, int count) {
    const int first = (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x()) * 8;
    struct __attribute__((packed, aligned(2))) Raw {
        u32x4 v;
    };
    if (first + 8 <= count) {
        u32x4 w = ((const Raw *)(v + first))->v;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            w[i] = (u32)narrow(relu2(widen((u16)w[i]))) | (u32)narrow(relu2(widen((u16)(w[i] >> 16)))) << 16;
        ((Raw *)(out + first))->v = w;
    } else {
        for (int i = first; i < count; ++i) out[i] = narrow(relu2(widen(v[i])));
    }
}
