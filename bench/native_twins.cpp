#include "bench/native_twins.h"

#include <cstring>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace {

// The compiler makes no vectors of these conversions by itself.
void to_floats(const std::uint16_t* halves, float* floats) {
#ifdef __F16C__
    for (int i = 0; i < 256; i += 8)
        _mm256_storeu_ps(floats + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + i))));
#else
    for (int i = 0; i < 256; ++i) {
        _Float16 half;
        std::memcpy(&half, halves + i, sizeof half);
        floats[i] = static_cast<float>(half);
    }
#endif
}

// 256 halves as floats, those of one place of each lane's eight together: lane l's j-th is at 32 j + l.
void widen(const std::uint16_t* halves, float* wide) {
    float plain[256];
    to_floats(halves, plain);
    for (int j = 0; j < 8; ++j)
        for (int lane = 0; lane < 32; ++lane) wide[32 * j + lane] = plain[8 * lane + j];
}

} // namespace

void fma_loop_native(float* out, float a, float b, int turns) {
    float x[32];
    for (int lane = 0; lane < 32; ++lane) x[lane] = static_cast<float>(lane);
    for (int i = 0; i < turns; ++i)
        for (int lane = 0; lane < 32; ++lane) x[lane] = __builtin_fmaf(__builtin_fmaf(x[lane], a, b), b, a);
    for (int lane = 0; lane < 32; ++lane) out[lane] = x[lane];
}

void matmul_native(const float* a, const float* b, float* c, int n) {
    std::memset(c, 0, sizeof(float) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int row = 0; row < n; ++row)
        for (int k = 0; k < n; ++k)
            for (int column = 0; column < n; ++column)
                c[row * n + column] = __builtin_fmaf(a[row * n + k], b[k * n + column], c[row * n + column]);
}

void dot2_stream_native(const std::uint16_t* w, const std::uint16_t* x, float* out, int k, int rows) {
    for (int row = 0; row < rows; ++row) {
        float sums[32] = {};
        for (int i = 0; i < k; i += 256) {
            float codes[256], values[256];
            widen(w + row * k + i, codes);
            widen(x + i, values);
            for (int j = 0; j < 8; ++j)
                for (int lane = 0; lane < 32; ++lane)
                    sums[lane] = __builtin_fmaf(codes[32 * j + lane], values[32 * j + lane], sums[lane]);
        }
        std::memcpy(out + row * 32, sums, sizeof sums);
    }
}
