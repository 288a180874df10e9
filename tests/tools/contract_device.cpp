// A HIP device whose launches crash the process: the embedded device, but for one function. Only tests load it.

#include <hip/hip_runtime_api.h>

#include <csignal>

extern "C" __attribute__((visibility("default"))) hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned,
                                                                                   unsigned, unsigned, unsigned,
                                                                                   unsigned, unsigned, hipStream_t,
                                                                                   void**, void**) {
    (void)raise(SIGSEGV);
    return hipErrorUnknown;
}
