#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

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
    emu::LaunchRequest request;
    request.kernel = launch.function.kernel;
    request.grid = launch.grid;
    request.block = launch.block;
    request.dynamic_lds = launch.dynamic_lds;
    request.kernarg = launch.kernarg;
    request.threads = runtime.threads;
    Device& device = *runtime.devices[static_cast<std::size_t>(launch.function.device)];
    const Result<emu::Report> report = emu::launch(device.memory, *launch.function.code, request);
    if (!report) {
        runtime.refuse(fmt::format("{}: {}", launch.function.kernel, report.error().text));
        return hipErrorInvalidConfiguration;
    }
    runtime.pending.merge(*report);
    return report->unsupported.empty() ? hipSuccess : hipErrorNotSupported;
}

} // namespace
} // namespace pm::hip

PM_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                           unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                           unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                           void** kernelParams, void** extra) {
    return pm::hip::api([&](pm::hip::Runtime& runtime) {
        const pm::hip::Function* function = runtime.functions.find(f);
        if (function == nullptr || !runtime.valid(stream)) return hipErrorInvalidHandle;
        if (runtime.device_of(stream) != function->device) return hipErrorInvalidDevice;
        const pm::Kernel* kernel = pm::emu::code_object_of(*function->code).find_kernel(function->kernel);
        if (kernel == nullptr) return hipErrorInvalidDeviceFunction;
        if (kernelParams != nullptr && extra != nullptr) return hipErrorInvalidValue;

        pm::hip::Launch launch{
            *function, {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, {}};
        const auto zero = [](std::uint32_t n) { return n == 0; };
        if (std::any_of(launch.grid.begin(), launch.grid.end(), zero) ||
            std::any_of(launch.block.begin(), launch.block.end(), zero))
            return hipErrorInvalidConfiguration;
        if (extra != nullptr || kernelParams != nullptr) {
            auto kernarg = extra != nullptr ? pm::hip::unpack(*kernel, extra) : pm::hip::pack(*kernel, kernelParams);
            if (!kernarg) return hipErrorInvalidValue;
            launch.kernarg = std::move(*kernarg);
        } else if (pm::hip::explicit_bytes(*kernel) != 0) {
            return hipErrorInvalidValue;
        }
        return runtime.enqueue(stream, [launch = std::move(launch)](pm::hip::Runtime& r) { return run(r, launch); });
    });
}
