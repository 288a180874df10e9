#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::hip {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// One side of a copy. Pinned host memory is the host's: what it holds is as defined as any host byte.
struct Side {
    Place place;
    bool on_device = false;

    emu::Allocation& allocation() const { return *place.allocation; }
};

/// False where the range begins in an allocation and leaves it.
bool resolve(Runtime& runtime, const void* pointer, std::size_t size, Side& side) {
    side.place = runtime.place_of(pointer);
    if (side.place.allocation == nullptr) return true;
    const auto owned = side.place.device->owned.find(side.place.allocation->address);
    side.on_device = owned == side.place.device->owned.end() || owned->second == Owner::kDevice;
    return side.allocation().contains(address_of(pointer), size);
}

void note_undefined(Runtime& runtime, const emu::Allocation& from, std::uint64_t address, std::size_t size) {
    const std::uint64_t first = emu::Memory::first_undefined(from, address, size);
    if (first == 0) return;
    const auto begin = from.undefined.begin() + static_cast<std::ptrdiff_t>(address - from.address);
    const auto count =
        std::count_if(begin, begin + static_cast<std::ptrdiff_t>(size), [](auto mask) { return mask != 0; });
    emu::Finding finding;
    finding.kind = emu::FindingKind::kUndefinedOutput;
    finding.address = first;
    finding.detail =
        fmt::format("{} of {} bytes that the host reads are undefined; the first is byte {} of an allocation of "
                    "{} bytes",
                    count, size, first - from.address, from.size);
    runtime.pending.add(finding);
}

void copy_shadow(const emu::Allocation& from, std::uint64_t source, emu::Allocation& to, std::uint64_t target,
                 std::size_t size) {
    if (from.whole()) {
        emu::Memory::set_defined(to, target, size);
        return;
    }
    if (to.whole()) to.undefined.assign(to.size, 0);
    std::memmove(to.undefined.data() + (target - to.address), from.undefined.data() + (source - from.address), size);
}

hipError_t copy_now(Runtime& runtime, void* dst, const void* src, std::size_t size, hipMemcpyKind kind) {
    if (size == 0) return hipSuccess;
    Side to;
    Side from;
    if (!resolve(runtime, dst, size, to) || !resolve(runtime, src, size, from)) return hipErrorInvalidValue;
    const bool needs_device_source = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    const bool needs_device_target = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    if (needs_device_source && from.place.allocation == nullptr) return hipErrorInvalidValue;
    if (needs_device_target && to.place.allocation == nullptr) return hipErrorInvalidValue;

    std::memmove(dst, src, size);
    if (to.on_device && from.on_device) {
        copy_shadow(from.allocation(), address_of(src), to.allocation(), address_of(dst), size);
        emu::Memory::settle(to.allocation());
    } else if (to.on_device) {
        emu::Memory::set_defined(to.allocation(), address_of(dst), size);
        emu::Memory::settle(to.allocation());
    } else if (from.on_device) {
        note_undefined(runtime, from.allocation(), address_of(src), size);
    }
    return hipSuccess;
}

template <typename Element>
hipError_t fill_now(Runtime& runtime, void* dst, Element value, std::size_t count) {
    if (count == 0) return hipSuccess;
    if (count > SIZE_MAX / sizeof(Element)) return hipErrorInvalidValue;
    const std::size_t size = count * sizeof(Element);
    const Place place = runtime.place_of(dst);
    if (place.allocation == nullptr || !place.allocation->contains(address_of(dst), size)) return hipErrorInvalidValue;
    std::fill_n(static_cast<Element*>(dst), count, value);
    emu::Memory::set_defined(*place.allocation, address_of(dst), size);
    emu::Memory::settle(*place.allocation);
    return hipSuccess;
}

hipError_t check_copy(const void* dst, const void* src, std::size_t size, hipMemcpyKind kind) {
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
    if (size != 0 && (dst == nullptr || src == nullptr)) return hipErrorInvalidValue;
    return hipSuccess;
}

/// Copies on no stream: the host waits, which a capture forbids.
hipError_t copy(void* dst, const void* src, std::size_t size, hipMemcpyKind kind) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_copy(dst, src, size, kind); error != hipSuccess) return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return copy_now(runtime, dst, src, size, kind);
    });
}

hipError_t copy_async(void* dst, const void* src, std::size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_copy(dst, src, size, kind); error != hipSuccess) return error;
        return runtime.enqueue(stream, [=](Runtime& r) { return copy_now(r, dst, src, size, kind); });
    });
}

template <typename Element>
hipError_t check_fill(const void* dst, std::size_t count) {
    if (count == 0) return hipSuccess;
    return dst == nullptr || address_of(dst) % sizeof(Element) != 0 ? hipErrorInvalidValue : hipSuccess;
}

template <typename Element>
hipError_t fill(void* dst, Element value, std::size_t count) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_fill<Element>(dst, count); error != hipSuccess) return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return fill_now(runtime, dst, value, count);
    });
}

template <typename Element>
hipError_t fill_async(void* dst, Element value, std::size_t count, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_fill<Element>(dst, count); error != hipSuccess) return error;
        return runtime.enqueue(stream, [=](Runtime& r) { return fill_now(r, dst, value, count); });
    });
}

hipError_t allocate(void** ptr, std::size_t size, Owner owner) {
    return api([&](Runtime& runtime) {
        if (ptr == nullptr) return hipErrorInvalidValue;
        *ptr = nullptr;
        Device* device = runtime.current_device();
        if (device == nullptr) return hipErrorNoDevice;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        if (size == 0) return hipSuccess;
        emu::Allocation* allocation = device->memory.allocate(size);
        if (allocation == nullptr) return hipErrorOutOfMemory;
        // The host writes pinned memory behind our back, so none of it can be known to be undefined.
        if (owner == Owner::kHost) {
            emu::Memory::set_defined(*allocation, allocation->address, size);
            emu::Memory::settle(*allocation);
        }
        device->owned.emplace(allocation->address, owner);
        *ptr = allocation->data;
        return hipSuccess;
    });
}

hipError_t release(void* ptr, Owner owner) {
    return api([&](Runtime& runtime) {
        if (ptr == nullptr) return hipSuccess;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        const Place place = runtime.place_of(ptr);
        if (place.device == nullptr) return hipErrorInvalidValue;
        const auto owned = place.device->owned.find(address_of(ptr));
        if (owned == place.device->owned.end() || owned->second != owner) return hipErrorInvalidValue;
        place.device->owned.erase(owned);
        place.device->memory.free(address_of(ptr));
        return hipSuccess;
    });
}

} // namespace
} // namespace pm::hip

PM_EXPORT hipError_t hipMalloc(void** ptr, size_t size) {
    return pm::hip::allocate(ptr, size, pm::hip::Owner::kDevice);
}
PM_EXPORT hipError_t hipFree(void* ptr) { return pm::hip::release(ptr, pm::hip::Owner::kDevice); }
PM_EXPORT hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int /*flags*/) {
    return pm::hip::allocate(ptr, size, pm::hip::Owner::kHost);
}
PM_EXPORT hipError_t hipHostFree(void* ptr) { return pm::hip::release(ptr, pm::hip::Owner::kHost); }

PM_EXPORT hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
    return pm::hip::copy(dst, src, sizeBytes, kind);
}
PM_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void* src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyHostToDevice);
}
PM_EXPORT hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyDeviceToHost);
}
PM_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyDeviceToDevice);
}
PM_EXPORT hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, kind, stream);
}
PM_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void* src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyHostToDevice, stream);
}
PM_EXPORT hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream);
}
PM_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream);
}

PM_EXPORT hipError_t hipMemset(void* dst, int value, size_t sizeBytes) {
    return pm::hip::fill(dst, static_cast<std::uint8_t>(value), sizeBytes);
}
PM_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::fill_async(dst, static_cast<std::uint8_t>(value), sizeBytes, stream);
}
PM_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dest, value, count, stream);
}
PM_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dest, value, count, stream);
}
PM_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dst, value, count, stream);
}

PM_EXPORT hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    return pm::hip::api([&](pm::hip::Runtime& runtime) {
        const pm::hip::Device* device = runtime.current_device();
        if (device == nullptr) return hipErrorNoDevice;
        if (free == nullptr || total == nullptr) return hipErrorInvalidValue;
        *total = device->memory.capacity();
        *free = device->memory.capacity() - device->memory.allocated_bytes();
        return hipSuccess;
    });
}
