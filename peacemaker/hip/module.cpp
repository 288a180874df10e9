#include "peacemaker/hip/export.h"
#include "peacemaker/hip/image.h"
#include "peacemaker/hip/kernel_facts.h"

#include "peacemaker/support/file.h"

#include <fmt/format.h>

namespace pm::hip {
namespace {

hipError_t load(Runtime& runtime, hipModule_t* module, std::string_view bytes, const std::string& where) {
    Device* device = runtime.current_device();
    if (device == nullptr) return hipErrorNoDevice;
    auto parsed = parse_image(bytes, where, *device->chip);
    if (const LoadFailure* failure = std::get_if<LoadFailure>(&parsed)) {
        runtime.refuse(failure->text);
        return failure->code;
    }
    auto code = emu::load_module(std::move(std::get<CodeObject>(parsed)), device->memory);
    if (!code) {
        runtime.refuse(fmt::format("{}: {}", where, code.error().text));
        return hipErrorOutOfMemory;
    }
    *module = runtime.modules.add({current_ordinal(), std::move(*code), {}});
    return hipSuccess;
}

hipError_t load_data(hipModule_t* module, const void* image) {
    return api([&](Runtime& runtime) {
        if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
        *module = nullptr;
        const Result<std::string> bytes = read_image(image);
        if (!bytes) {
            runtime.refuse("hipModuleLoadData: " + bytes.error().text);
            return hipErrorInvalidImage;
        }
        return load(runtime, module, *bytes, "hipModuleLoadData");
    });
}

hipError_t attribute_of(Runtime& runtime, const Function& function, hipFunction_attribute attribute, int& value) {
    const KernelFacts facts = facts_of(runtime, function);
    if (facts.kernel == nullptr) return hipErrorInvalidDeviceFunction;
    const Resources& use = facts.kernel->resources;
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        value = static_cast<int>(facts.max_block);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        value = static_cast<int>(use.lds);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        value = static_cast<int>(use.scratch);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        value = static_cast<int>(use.vgpr);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        value = static_cast<int>(facts.dynamic_lds);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        value = 0;
        return hipSuccess;
    // Generations are what an instruction set version can mean here.
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        value = static_cast<int>(facts.chip->generation) * 10;
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipModuleLoad(hipModule_t* module, const char* fname) {
    return api([&](Runtime& runtime) {
        if (module == nullptr || fname == nullptr) return hipErrorInvalidValue;
        *module = nullptr;
        const pm::Result<std::string> bytes = pm::read_file(fname);
        if (!bytes) {
            runtime.refuse("hipModuleLoad: " + bytes.error().text);
            return hipErrorFileNotFound;
        }
        return pm::hip::load(runtime, module, *bytes, fname);
    });
}

PM_EXPORT hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
    return pm::hip::load_data(module, image);
}

PM_EXPORT hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int /*numOptions*/,
                                         hipJitOption* /*options*/, void** /*optionValues*/) {
    return pm::hip::load_data(module, image);
}

PM_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
    return api([&](Runtime& runtime) {
        pm::hip::Module* found = runtime.modules.find(module);
        if (found == nullptr) return hipErrorInvalidHandle;
        for (const auto& [name, function] : found->functions) runtime.functions.remove(function);
        runtime.modules.remove(module);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname) {
    return api([&](Runtime& runtime) {
        if (function == nullptr || kname == nullptr) return hipErrorInvalidValue;
        *function = nullptr;
        pm::hip::Module* found = runtime.modules.find(module);
        if (found == nullptr) return hipErrorInvalidHandle;
        if (pm::emu::code_object_of(*found->code).find_kernel(kname) == nullptr) return hipErrorNotFound;
        auto at = found->functions.find(kname);
        if (at == found->functions.end())
            at = found->functions.emplace(kname, runtime.functions.add({found->device, found->code, kname})).first;
        *function = at->second;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, hipModule_t hmod, const char* name) {
    return api([&](Runtime& runtime) {
        if ((dptr == nullptr && bytes == nullptr) || name == nullptr) return hipErrorInvalidValue;
        pm::hip::Module* found = runtime.modules.find(hmod);
        if (found == nullptr) return hipErrorInvalidHandle;
        const auto global = pm::emu::find_global(*found->code, name);
        if (!global) return hipErrorNotFound;
        if (dptr != nullptr) *dptr = reinterpret_cast<hipDeviceptr_t>(global->first);
        if (bytes != nullptr) *bytes = global->second;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc) {
    return api([&](Runtime& runtime) {
        if (value == nullptr) return hipErrorInvalidValue;
        const pm::hip::Function* found = runtime.functions.find(hfunc);
        if (found == nullptr) return hipErrorInvalidHandle;
        return pm::hip::attribute_of(runtime, *found, attrib, *value);
    });
}

PM_EXPORT hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func) {
    return api([&](Runtime& runtime) {
        if (attr == nullptr) return hipErrorInvalidValue;
        pm::hip::Function function;
        const hipError_t error = pm::hip::find_host_function(runtime, func, pm::hip::current_ordinal(), function);
        if (error != hipSuccess) return error;
        const pm::hip::KernelFacts facts = pm::hip::facts_of(runtime, function);
        const pm::Resources& use = facts.kernel->resources;
        hipFuncAttributes out{};
        out.binaryVersion = static_cast<int>(facts.chip->generation) * 10;
        out.ptxVersion = out.binaryVersion;
        out.localSizeBytes = use.scratch;
        out.sharedSizeBytes = use.lds;
        out.maxDynamicSharedSizeBytes = static_cast<int>(facts.dynamic_lds);
        out.maxThreadsPerBlock = static_cast<int>(facts.max_block);
        out.numRegs = static_cast<int>(use.vgpr);
        *attr = out;
        return hipSuccess;
    });
}

// A launch may take all LDS that a workgroup has, and there are no caches to prefer.
PM_EXPORT hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute /*attr*/, int value) {
    return api([&](Runtime& runtime) {
        if (runtime.host_functions.count(func) == 0) return hipErrorInvalidDeviceFunction;
        return value < 0 ? hipErrorInvalidValue : hipSuccess;
    });
}
PM_EXPORT hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t /*config*/) {
    return hipFuncSetAttribute(func, hipFuncAttributePreferredSharedMemoryCarveout, 0);
}
PM_EXPORT hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig /*config*/) {
    return hipFuncSetAttribute(func, hipFuncAttributePreferredSharedMemoryCarveout, 0);
}
