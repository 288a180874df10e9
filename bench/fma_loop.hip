// The loop of fma_rate_bench: two dependent FMAs a lane and turn, nothing else.
extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(32, 32)))
fma_loop(float *out, float a, float b, int turns) {
    const unsigned lane = __builtin_amdgcn_workitem_id_x();
    float x = (float)lane;
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
        x = __builtin_fmaf(x, a, b);
        x = __builtin_fmaf(x, b, a);
    }
    out[__builtin_amdgcn_workgroup_id_x() * 32 + lane] = x;
}
