// A HIP device that says one register too many of each function: the embedded device, but for one function. Only tests
// load it.

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) hipError_t
hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
    using Function = hipError_t (*)(int*, hipFunction_attribute, hipFunction_t);
    const auto truth = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "hipFuncGetAttribute"));
    if (truth == nullptr) return hipErrorUnknown;
    const hipError_t error = truth(value, attribute, function);
    if (error == hipSuccess && attribute == HIP_FUNC_ATTRIBUTE_NUM_REGS) ++*value;
    // A runtime may know fewer attributes than the header does.
    return attribute == HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES ? hipErrorNotSupported : error;
}
