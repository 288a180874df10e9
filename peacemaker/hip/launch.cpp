#include "peacemaker/hip/event.h"
#include "peacemaker/hip/export.h"
#include "peacemaker/hip/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace pm::hip {
namespace {

/// One launch with all it needs, so that a graph can hold it.
struct Launch {
    Function function;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::uint32_t dynamic_lds = 0;
    std::vector<std::byte> kernarg;
};

/// Where the arguments that a caller gives end; hidden ones are the device's.
std::size_t explicit_bytes(const Kernel& kernel) {
    std::size_t end = 0;
    for (const KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) end = std::max<std::size_t>(end, argument.offset + argument.size);
    return end;
}

/// HIP's array of pointers, one an explicit argument.
std::optional<std::vector<std::byte>> pack(const Kernel& kernel, void** params) {
    std::vector<std::byte> kernarg(explicit_bytes(kernel));
    std::size_t index = 0;
    for (const KernelArgument& argument : kernel.arguments) {
        if (argument.hidden()) continue;
        const void* value = params[index++];
        if (value == nullptr) return std::nullopt;
        std::memcpy(kernarg.data() + argument.offset, value, argument.size);
    }
    return kernarg;
}

/// HIP's `extra`: a buffer and its size, in either order. The bytes given are the kernarg that was supplied, no more.
std::optional<std::vector<std::byte>> unpack(const Kernel& kernel, void** extra) {
    const void* buffer = nullptr;
    const std::size_t* size = nullptr;
    for (std::size_t i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
            size = static_cast<const std::size_t*>(extra[i + 1]);
        else
            return std::nullopt;
    }
    if (size == nullptr || (buffer == nullptr && *size != 0)) return std::nullopt;
    const std::size_t taken = std::min(*size, explicit_bytes(kernel));
    std::vector<std::byte> kernarg(taken);
    if (buffer != nullptr && taken != 0) std::memcpy(kernarg.data(), buffer, taken);
    return kernarg;
}

/// Executes a launch. A launch that is refused is hipErrorInvalidConfiguration; one that an unsupported instruction
/// stopped is hipErrorNotSupported, so that nobody takes what it left behind for a result. The report has the text of
/// both.
hipError_t run(Runtime& runtime, const Launch& launch) {
    if (!runtime.max_instructions) {
        runtime.refuse(fmt::format("{}: {}", launch.function.kernel, runtime.max_instructions.error().text));
        return hipErrorInvalidConfiguration;
    }
    emu::LaunchRequest request;
    request.kernel = launch.function.kernel;
    request.grid = launch.grid;
    request.block = launch.block;
    request.dynamic_lds = launch.dynamic_lds;
    request.kernarg = launch.kernarg;
    request.threads = runtime.threads;
    request.max_instructions = *runtime.max_instructions;
    Device& device = *runtime.devices[static_cast<std::size_t>(launch.function.device)];
    const Result<emu::Report> report = emu::launch(device.memory, *launch.function.code, request);
    if (!report) {
        runtime.refuse(fmt::format("{}: {}", launch.function.kernel, report.error().text));
        return hipErrorInvalidConfiguration;
    }
    runtime.note(*report);
    return report->unsupported.empty() ? hipSuccess : hipErrorNotSupported;
}

struct Shape {
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::size_t dynamic_lds = 0;
};

Shape shape_of(dim3 grid, dim3 block, std::size_t dynamic_lds) {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_lds};
}

/// Checks a launch and enqueues it.
hipError_t start(Runtime& runtime, const Function& function, const Shape& shape, hipStream_t stream, void** params,
                 void** extra) {
    if (runtime.device_of(stream) != function.device) return hipErrorInvalidDevice;
    const Kernel* kernel = emu::code_object_of(*function.code).find_kernel(function.kernel);
    if (kernel == nullptr) return hipErrorInvalidDeviceFunction;
    if (params != nullptr && extra != nullptr) return hipErrorInvalidValue;
    const auto zero = [](std::uint32_t n) { return n == 0; };
    if (std::any_of(shape.grid.begin(), shape.grid.end(), zero) ||
        std::any_of(shape.block.begin(), shape.block.end(), zero) || shape.dynamic_lds > UINT32_MAX)
        return hipErrorInvalidConfiguration;

    Launch launch{function, shape.grid, shape.block, static_cast<std::uint32_t>(shape.dynamic_lds), {}};
    if (extra != nullptr || params != nullptr) {
        auto kernarg = extra != nullptr ? unpack(*kernel, extra) : pack(*kernel, params);
        if (!kernarg) return hipErrorInvalidValue;
        launch.kernarg = std::move(*kernarg);
    } else if (explicit_bytes(*kernel) != 0) {
        return hipErrorInvalidValue;
    }
    return runtime.enqueue(
        stream,
        {hipGraphNodeTypeKernel, [launch = std::move(launch)](Runtime& r) { return run(r, launch); }, function.kernel});
}

/// Launches what a host address stands for, on the stream's device.
hipError_t start_host_function(Runtime& runtime, const void* address, const Shape& shape, hipStream_t stream,
                               void** params) {
    if (runtime.devices.empty()) return hipErrorNoDevice;
    if (!runtime.valid(stream)) return hipErrorInvalidHandle;
    Function function;
    const hipError_t error = find_host_function(runtime, address, runtime.device_of(stream), function);
    return error != hipSuccess ? error : start(runtime, function, shape, stream, params, nullptr);
}

/// What <<<>>> was given, until the kernel's host function takes it. The arguments that hipSetupArgument adds lie in
/// `arguments`.
struct Configuration {
    dim3 grid, block;
    std::size_t dynamic_lds = 0;
    hipStream_t stream = nullptr;
    std::vector<std::byte> arguments;
};

std::vector<Configuration>& configurations() {
    thread_local std::vector<Configuration> stack;
    return stack;
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::Configuration;
using pm::hip::configurations;
using pm::hip::Runtime;
using pm::hip::shape_of;

PM_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                           unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                           unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                           void** kernelParams, void** extra) {
    return api([&](Runtime& runtime) {
        const pm::hip::Function* function = runtime.functions.find(f);
        if (function == nullptr || !runtime.valid(stream)) return hipErrorInvalidHandle;
        return pm::hip::start(runtime, *function,
                              {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes},
                              stream, kernelParams, extra);
    });
}

PM_EXPORT hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
    return api([&](Runtime&) {
        configurations().push_back({gridDim, blockDim, sharedMem, stream, {}});
        return hipSuccess;
    });
}

PM_EXPORT hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, hipStream_t* stream) {
    return api([&](Runtime&) {
        if (configurations().empty()) return hipErrorMissingConfiguration;
        const Configuration& top = configurations().back();
        if (gridDim != nullptr) *gridDim = top.grid;
        if (blockDim != nullptr) *blockDim = top.block;
        if (sharedMem != nullptr) *sharedMem = top.dynamic_lds;
        if (stream != nullptr) *stream = top.stream;
        configurations().pop_back();
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                                     size_t sharedMemBytes, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        return pm::hip::start_host_function(runtime, function_address, shape_of(numBlocks, dimBlocks, sharedMemBytes),
                                            stream, args);
    });
}

PM_EXPORT hipError_t hipExtLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                                        size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                                        hipEvent_t stopEvent, int /*flags*/) {
    return api([&](Runtime& runtime) {
        if (startEvent != nullptr)
            if (const hipError_t error = pm::hip::record(runtime, startEvent, stream); error != hipSuccess)
                return error;
        const hipError_t error = pm::hip::start_host_function(
            runtime, function_address, shape_of(numBlocks, dimBlocks, sharedMemBytes), stream, args);
        if (error != hipSuccess || stopEvent == nullptr) return error;
        return pm::hip::record(runtime, stopEvent, stream);
    });
}

// Workgroups run to their end one after another on few host threads, so that a barrier of the whole grid would never
// end: hipDeviceAttributeCooperativeLaunch is 0, and this is what such a device answers.
PM_EXPORT hipError_t hipLaunchCooperativeKernel(const void* f, dim3 /*gridDim*/, dim3 /*blockDimX*/,
                                                void** /*kernelParams*/, unsigned int /*sharedMemBytes*/,
                                                hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (runtime.devices.empty()) return hipErrorNoDevice;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        if (runtime.host_functions.count(f) == 0) return hipErrorInvalidDeviceFunction;
        runtime.refuse("hipLaunchCooperativeKernel: this device has no cooperative launches");
        return hipErrorNotSupported;
    });
}

// The way of launching before hipLaunchKernel: a configuration, arguments one by one, the launch.
PM_EXPORT hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
    return __hipPushCallConfiguration(gridDim, blockDim, sharedMem, stream);
}

PM_EXPORT hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset) {
    return api([&](Runtime&) {
        if (configurations().empty()) return hipErrorMissingConfiguration;
        constexpr std::size_t kMost = 1 << 20;
        if (arg == nullptr || size > kMost || offset > kMost) return hipErrorInvalidValue;
        std::vector<std::byte>& arguments = configurations().back().arguments;
        arguments.resize(std::max(arguments.size(), offset + size));
        std::memcpy(arguments.data() + offset, arg, size);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipLaunchByPtr(const void* func) {
    return api([&](Runtime& runtime) {
        if (configurations().empty()) return hipErrorMissingConfiguration;
        Configuration top = std::move(configurations().back());
        configurations().pop_back();
        if (!runtime.valid(top.stream)) return hipErrorInvalidHandle;
        pm::hip::Function function;
        const hipError_t error = pm::hip::find_host_function(runtime, func, runtime.device_of(top.stream), function);
        if (error != hipSuccess) return error;
        std::size_t size = top.arguments.size();
        std::array<void*, 5> extra{HIP_LAUNCH_PARAM_BUFFER_POINTER, top.arguments.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE,
                                   &size, HIP_LAUNCH_PARAM_END};
        return pm::hip::start(runtime, function, shape_of(top.grid, top.block, top.dynamic_lds), top.stream, nullptr,
                              extra.data());
    });
}

// A host function runs where it is enqueued; the runtime is locked, for it must not call HIP.
PM_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData) {
    return api([&](Runtime& runtime) {
        if (fn == nullptr) return hipErrorInvalidValue;
        return runtime.enqueue(stream, {hipGraphNodeTypeHost,
                                        [=](Runtime&) {
                                            fn(userData);
                                            return hipSuccess;
                                        },
                                        {}});
    });
}

PM_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData,
                                          unsigned int flags) {
    return api([&](Runtime& runtime) {
        if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
        return runtime.enqueue(stream, {hipGraphNodeTypeHost,
                                        [=](Runtime&) {
                                            callback(stream, hipSuccess, userData);
                                            return hipSuccess;
                                        },
                                        {}});
    });
}
