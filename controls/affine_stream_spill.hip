// The affine stream tiles built with too few VGPRs: the same results, through scratch.
#define BOUNDS __attribute__((amdgpu_flat_work_group_size(32 * kWaves, 32 * kWaves), amdgpu_num_vgpr(40)))
#include "../kernels/affine_stream.hip"
