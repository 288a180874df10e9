#include "peacemaker/hip/export.h"
#include "peacemaker/hip/host_memory.h"
#include "peacemaker/hip/program.h"
#include "peacemaker/hip/runtime.h"

namespace pm::hip {
namespace {

/// Rows of pitched memory begin where any vector load is aligned, as on a card.
constexpr std::size_t kPitchAlignment = 128;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Memory of a device; a size of 0 gives a null pointer and is no error.
hipError_t allocate_on(Device& device, void** ptr, std::size_t size) {
    if (size == 0) return hipSuccess;
    const emu::Allocation* allocation = device.memory.allocate(size);
    if (allocation == nullptr) return hipErrorOutOfMemory;
    device.owned.insert(allocation->address);
    *ptr = allocation->data;
    return hipSuccess;
}

hipError_t allocate(void** ptr, std::size_t size) {
    return api([&](Runtime& runtime) {
        if (ptr == nullptr) return hipErrorInvalidValue;
        *ptr = nullptr;
        Device* device = runtime.current_device();
        if (device == nullptr) return hipErrorNoDevice;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return allocate_on(*device, ptr, size);
    });
}

hipError_t release_now(Runtime& runtime, void* ptr) {
    const auto host = runtime.host_memory.find(address_of(ptr));
    if (host != runtime.host_memory.end() && host->second.kind == HostMemory::Kind::kManaged)
        return drop_host_memory(runtime, ptr);
    const Place place = runtime.place_of(ptr);
    if (place.device == nullptr || place.device->owned.erase(address_of(ptr)) == 0) return hipErrorInvalidValue;
    place.device->memory.free(address_of(ptr));
    return hipSuccess;
}

hipError_t allocate_pitched(void** ptr, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr || ptr == nullptr) return api([](Runtime&) { return hipErrorInvalidValue; });
    *pitch = 0;
    if (width > SIZE_MAX - kPitchAlignment) return api([](Runtime&) { return hipErrorOutOfMemory; });
    const std::size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    if (row != 0 && height > SIZE_MAX / row) return api([](Runtime&) { return hipErrorOutOfMemory; });
    const hipError_t error = allocate(ptr, row * height);
    if (error == hipSuccess) *pitch = row;
    return error;
}

/// Work on a stream is done when it is enqueued: memory is there, or gone, at once. A graph that allocates is not
/// supported.
bool capturing(Runtime& runtime, hipStream_t stream) {
    return !is_default_stream(stream) && runtime.streams.find(stream)->capture != nullptr;
}

hipError_t allocate_async(void** ptr, std::size_t size, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (ptr == nullptr) return hipErrorInvalidValue;
        *ptr = nullptr;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        if (capturing(runtime, stream)) return hipErrorStreamCaptureUnsupported;
        return allocate_on(*runtime.device(runtime.device_of(stream)), ptr, size);
    });
}

/// The pool of a device, which is all of its memory: a handle that no other object has.
hipMemPool_t pool_of(int device) {
    return reinterpret_cast<hipMemPool_t>(std::uintptr_t{0x100} + 16U * static_cast<unsigned>(device));
}

Device* device_of_pool(Runtime& runtime, hipMemPool_t pool) {
    for (int i = 0; i < static_cast<int>(runtime.devices.size()); ++i)
        if (pool_of(i) == pool) return runtime.device(i);
    return nullptr;
}

hipError_t get_pool(hipMemPool_t* pool, int device) {
    return api([&](Runtime& runtime) {
        if (pool == nullptr) return hipErrorInvalidValue;
        if (runtime.device(device) == nullptr) return hipErrorInvalidDevice;
        *pool = pool_of(device);
        return hipSuccess;
    });
}

/// How hipMemoryType numbers memory: HIP 6 moved the numbers, and calls unregistered memory one.
int memory_type(int generation, bool on_device, bool managed) {
    if (generation < 6) return on_device ? hipMemoryTypeDevice : hipMemoryTypeHost;
    constexpr int kHost = 1, kDevice = 2, kManaged = 3;
    if (managed) return kManaged;
    return on_device ? kDevice : kHost;
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::HostMemory;
using pm::hip::Place;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipMalloc(void** ptr, size_t size) { return pm::hip::allocate(ptr, size); }
PM_EXPORT hipError_t hipExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags) {
    // Memory is fine-grained whatever was asked for; signal memory is a thing of the real runtime.
    if (flags != hipDeviceMallocDefault && flags != hipDeviceMallocFinegrained)
        return api([](Runtime&) { return hipErrorInvalidValue; });
    return pm::hip::allocate(ptr, sizeBytes);
}
PM_EXPORT hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
    return pm::hip::allocate_pitched(ptr, pitch, width, height);
}
PM_EXPORT hipError_t hipMemAllocPitch(hipDeviceptr_t* dptr, size_t* pitch, size_t widthInBytes, size_t height,
                                      unsigned int /*elementSizeBytes*/) {
    return pm::hip::allocate_pitched(dptr, pitch, widthInBytes, height);
}

PM_EXPORT hipError_t hipFree(void* ptr) {
    return api([&](Runtime& runtime) {
        if (ptr == nullptr) return hipSuccess;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return pm::hip::release_now(runtime, ptr);
    });
}

PM_EXPORT hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
    return pm::hip::allocate_async(dev_ptr, size, stream);
}
PM_EXPORT hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (dev_ptr == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        if (pm::hip::capturing(runtime, stream)) return hipErrorStreamCaptureUnsupported;
        return pm::hip::release_now(runtime, dev_ptr);
    });
}

PM_EXPORT hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (dev_ptr == nullptr) return hipErrorInvalidValue;
        *dev_ptr = nullptr;
        pm::hip::Device* device = pm::hip::device_of_pool(runtime, mem_pool);
        if (device == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        if (pm::hip::capturing(runtime, stream)) return hipErrorStreamCaptureUnsupported;
        return pm::hip::allocate_on(*device, dev_ptr, size);
    });
}
PM_EXPORT hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
    return pm::hip::get_pool(mem_pool, device);
}
PM_EXPORT hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
    return pm::hip::get_pool(mem_pool, device);
}
PM_EXPORT hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
    return api([&](Runtime& runtime) {
        if (runtime.device(device) == nullptr) return hipErrorInvalidDevice;
        return mem_pool == pm::hip::pool_of(device) ? hipSuccess : hipErrorInvalidValue;
    });
}
// Nothing is kept back for reuse, so that there is nothing to trim and a threshold changes nothing.
PM_EXPORT hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t /*min_bytes_to_hold*/) {
    return api([&](Runtime& runtime) {
        return pm::hip::device_of_pool(runtime, mem_pool) != nullptr ? hipSuccess : hipErrorInvalidValue;
    });
}
PM_EXPORT hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr /*attr*/, void* value) {
    return api([&](Runtime& runtime) {
        const bool good = value != nullptr && pm::hip::device_of_pool(runtime, mem_pool) != nullptr;
        return good ? hipSuccess : hipErrorInvalidValue;
    });
}

PM_EXPORT hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    return api([&](Runtime& runtime) {
        const pm::hip::Device* device = runtime.current_device();
        if (device == nullptr) return hipErrorNoDevice;
        if (free == nullptr || total == nullptr) return hipErrorInvalidValue;
        *total = device->memory.capacity();
        *free = device->memory.capacity() - device->memory.allocated_bytes();
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr) {
    return api([&](Runtime& runtime) {
        const Place place = runtime.place_of(dptr);
        if (place.allocation == nullptr) return hipErrorNotFound;
        if (pbase != nullptr) *pbase = place.allocation->data;
        if (psize != nullptr) *psize = place.allocation->size;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipMemPtrGetInfo(void* ptr, size_t* size) {
    return api([&](Runtime& runtime) {
        if (size == nullptr) return hipErrorInvalidValue;
        *size = 0;
        if (ptr == nullptr) return hipSuccess;
        const Place place = runtime.place_of(ptr);
        if (place.allocation == nullptr) return hipErrorInvalidValue;
        *size = place.allocation->size;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr) {
    return api([&](Runtime& runtime) {
        if (attributes == nullptr || ptr == nullptr) return hipErrorInvalidValue;
        const int generation = pm::hip::hip_generation();
        const Place place = runtime.place_of(ptr);
        hipPointerAttribute_t out{};
        if (place.allocation == nullptr) {
            // HIP 6 answers for any pointer: type 0 is unregistered, and the device is none.
            if (generation < 6) return hipErrorInvalidValue;
            out.device = -2;
            *attributes = out;
            return hipSuccess;
        }
        const auto* host = pm::hip::find_host_memory(runtime, ptr);
        const bool managed = host != nullptr && host->second.kind == HostMemory::Kind::kManaged;
        out.memoryType =
            static_cast<hipMemoryType>(pm::hip::memory_type(generation, host == nullptr || managed, managed));
        out.devicePointer = const_cast<void*>(ptr);
        out.hostPointer = host != nullptr ? const_cast<void*>(ptr) : nullptr;
        out.isManaged = managed ? 1 : 0;
        out.allocationFlags = host != nullptr ? host->second.flags : 0;
        for (int i = 0; i < static_cast<int>(runtime.devices.size()); ++i)
            if (runtime.device(i) == place.device) out.device = i;
        if (host != nullptr) out.device = host->second.device;
        *attributes = out;
        return hipSuccess;
    });
}
