#include "peacemaker/hip/copy.h"
#include "peacemaker/hip/export.h"
#include "peacemaker/hip/registration.h"

namespace pm::hip {
namespace {

enum class Direction : std::uint8_t { kTo, kFrom };

/// The variable's bytes [offset, offset + size) on a device.
hipError_t bytes_of(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t size, int device,
                    void*& bytes) {
    Variable variable;
    if (const hipError_t error = find_host_variable(runtime, symbol, device, variable); error != hipSuccess)
        return error;
    if (offset > variable.size || size > variable.size - offset) return hipErrorInvalidValue;
    bytes = reinterpret_cast<void*>(variable.address + offset);
    return hipSuccess;
}

/// Neither end of a copy to or from a symbol is chosen by the kind alone: the symbol is on the device.
bool fits(Direction direction, hipMemcpyKind kind) {
    return kind == hipMemcpyDefault || kind == hipMemcpyDeviceToDevice ||
           kind == (direction == Direction::kTo ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost);
}

hipError_t copy_symbol(Direction direction, const void* symbol, void* host, std::size_t size, std::size_t offset,
                       hipMemcpyKind kind, const hipStream_t* stream,
                       const char* call = __builtin_FUNCTION()) { // the function of HIP that calls this
    return api([&](Runtime& runtime) {
        if (symbol == nullptr) return hipErrorInvalidSymbol;
        if (host == nullptr) return hipErrorInvalidValue;
        if (!fits(direction, kind)) return hipErrorInvalidMemcpyDirection;
        if (stream == nullptr && runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        if (stream != nullptr && !runtime.valid(*stream)) return hipErrorInvalidHandle;
        void* bytes = nullptr;
        const int device = stream != nullptr ? runtime.device_of(*stream) : current_ordinal();
        if (const hipError_t error = bytes_of(runtime, symbol, offset, size, device, bytes); error != hipSuccess)
            return error;
        void* const to = direction == Direction::kTo ? bytes : host;
        const void* const from = direction == Direction::kTo ? host : bytes;
        if (stream == nullptr) return copy_now(runtime, call, to, from, size, kind);
        return runtime.enqueue(
            *stream, {hipGraphNodeTypeMemcpy, [=](Runtime& r) { return copy_now(r, call, to, from, size, kind); }, {}});
    });
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::Direction;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol) {
    return api([&](Runtime& runtime) {
        if (devPtr == nullptr) return hipErrorInvalidValue;
        pm::hip::Variable variable;
        const hipError_t error = pm::hip::find_host_variable(runtime, symbol, pm::hip::current_ordinal(), variable);
        if (error == hipSuccess) *devPtr = reinterpret_cast<void*>(variable.address);
        return error;
    });
}

PM_EXPORT hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
    return api([&](Runtime& runtime) {
        if (size == nullptr) return hipErrorInvalidValue;
        pm::hip::Variable variable;
        const hipError_t error = pm::hip::find_host_variable(runtime, symbol, pm::hip::current_ordinal(), variable);
        if (error == hipSuccess) *size = variable.size;
        return error;
    });
}

PM_EXPORT hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                       hipMemcpyKind kind) {
    return pm::hip::copy_symbol(Direction::kTo, symbol, const_cast<void*>(src), sizeBytes, offset, kind, nullptr);
}
PM_EXPORT hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                            hipMemcpyKind kind, hipStream_t stream) {
    return pm::hip::copy_symbol(Direction::kTo, symbol, const_cast<void*>(src), sizeBytes, offset, kind, &stream);
}
PM_EXPORT hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                         hipMemcpyKind kind) {
    return pm::hip::copy_symbol(Direction::kFrom, symbol, dst, sizeBytes, offset, kind, nullptr);
}
PM_EXPORT hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                              hipMemcpyKind kind, hipStream_t stream) {
    return pm::hip::copy_symbol(Direction::kFrom, symbol, dst, sizeBytes, offset, kind, &stream);
}
