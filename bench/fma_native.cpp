#include "bench/fma_native.h"

void fma_loop_native(float* out, float a, float b, int turns) {
    float x[32];
    for (int lane = 0; lane < 32; ++lane) x[lane] = static_cast<float>(lane);
    for (int i = 0; i < turns; ++i)
        for (int lane = 0; lane < 32; ++lane) x[lane] = __builtin_fmaf(__builtin_fmaf(x[lane], a, b), b, a);
    for (int lane = 0; lane < 32; ++lane) out[lane] = x[lane];
}
