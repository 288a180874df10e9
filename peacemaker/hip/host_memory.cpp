#include "peacemaker/hip/host_memory.h"

#include "peacemaker/hip/export.h"

#include <new>

namespace pm::hip {
namespace {

constexpr std::size_t kPage = 4096;
constexpr unsigned kHostMallocFlags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                                      hipHostMallocNumaUser | hipHostMallocCoherent | hipHostMallocNonCoherent;
/// Read-only to the device, in later HIP; nothing depends on it here.
constexpr unsigned kRegisterReadOnly = 0x8;
constexpr unsigned kRegisterFlags =
    hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory | kRegisterReadOnly;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

void unmap(Runtime& runtime, std::uint64_t address) {
    for (const auto& device : runtime.devices) {
        const emu::Allocation* found = device->memory.find(address);
        if (found != nullptr && found->mapped && found->address == address) device->memory.free(address);
    }
}

/// Shows the bytes to every device, or to none.
bool map(Runtime& runtime, std::byte* bytes, std::size_t size) {
    for (const auto& device : runtime.devices) {
        if (device->memory.map(bytes, size) != nullptr) continue;
        unmap(runtime, address_of(bytes));
        return false;
    }
    return true;
}

/// Whether the range is managed memory, all of it.
bool is_managed(const Runtime& runtime, const void* pointer, std::size_t size) {
    const auto* found = find_host_memory(runtime, pointer);
    return found != nullptr && found->second.kind == HostMemory::Kind::kManaged && size != 0 &&
           size <= found->second.size - (address_of(pointer) - found->first);
}

hipError_t allocate(void** pointer, std::size_t size, HostMemory::Kind kind, unsigned flags) {
    return api([&](Runtime& runtime) {
        if (pointer == nullptr) return hipErrorInvalidValue;
        *pointer = nullptr;
        if (runtime.current_device() == nullptr) return hipErrorNoDevice;
        if (kind == HostMemory::Kind::kManaged
                ? (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
                : (flags & ~kHostMallocFlags) != 0)
            return hipErrorInvalidValue;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        // Managed memory of no size is a mistake; pinned memory of no size is nothing.
        if (size == 0) return kind == HostMemory::Kind::kManaged ? hipErrorInvalidValue : hipSuccess;
        return make_host_memory(runtime, pointer, size, kind, flags);
    });
}

hipError_t release(void* pointer, HostMemory::Kind kind) {
    return api([&](Runtime& runtime) {
        if (pointer == nullptr) return kind == HostMemory::Kind::kRegistered ? hipErrorInvalidValue : hipSuccess;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        const auto found = runtime.host_memory.find(address_of(pointer));
        if (found == runtime.host_memory.end() || found->second.kind != kind)
            return kind == HostMemory::Kind::kRegistered ? hipErrorHostMemoryNotRegistered : hipErrorInvalidValue;
        return drop_host_memory(runtime, pointer);
    });
}

} // namespace

hipError_t make_host_memory(Runtime& runtime, void** pointer, std::size_t size, HostMemory::Kind kind, unsigned flags) {
    if (size > emu::Memory::default_capacity()) return hipErrorOutOfMemory; // more than any device could see
    auto* bytes = static_cast<std::byte*>(::operator new (size, std::align_val_t{kPage}, std::nothrow));
    if (bytes == nullptr) return hipErrorOutOfMemory;
    HostMemory memory{kind, current_ordinal(), size, flags, HostBytes(bytes)};
    if (!map(runtime, bytes, size)) return hipErrorOutOfMemory;
    runtime.host_memory.emplace(address_of(bytes), std::move(memory));
    *pointer = bytes;
    return hipSuccess;
}

hipError_t drop_host_memory(Runtime& runtime, void* pointer) {
    const auto found = runtime.host_memory.find(address_of(pointer));
    if (found == runtime.host_memory.end()) return hipErrorInvalidValue;
    unmap(runtime, found->first);
    runtime.host_memory.erase(found);
    return hipSuccess;
}

const std::pair<const std::uint64_t, HostMemory>* find_host_memory(const Runtime& runtime, const void* pointer) {
    auto above = runtime.host_memory.upper_bound(address_of(pointer));
    if (above == runtime.host_memory.begin()) return nullptr;
    --above;
    return address_of(pointer) - above->first < above->second.size ? &*above : nullptr;
}

void DeletePages::operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{kPage}); }

} // namespace pm::hip

using pm::hip::api;
using pm::hip::HostMemory;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags) {
    return pm::hip::allocate(ptr, size, HostMemory::Kind::kPinned, flags);
}
PM_EXPORT hipError_t hipHostAlloc(void** ptr, size_t size, unsigned int flags) {
    return hipHostMalloc(ptr, size, flags);
}
PM_EXPORT hipError_t hipMallocHost(void** ptr, size_t size) { return hipHostMalloc(ptr, size, hipHostMallocDefault); }
PM_EXPORT hipError_t hipMemAllocHost(void** ptr, size_t size) { return hipHostMalloc(ptr, size, hipHostMallocDefault); }
PM_EXPORT hipError_t hipHostFree(void* ptr) { return pm::hip::release(ptr, HostMemory::Kind::kPinned); }
PM_EXPORT hipError_t hipFreeHost(void* ptr) { return hipHostFree(ptr); }

PM_EXPORT hipError_t hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags) {
    return pm::hip::allocate(dev_ptr, size, HostMemory::Kind::kManaged, flags);
}

PM_EXPORT hipError_t hipHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags) {
    return api([&](Runtime& runtime) {
        if (hostPtr == nullptr || sizeBytes == 0 || (flags & ~pm::hip::kRegisterFlags) != 0)
            return hipErrorInvalidValue;
        if (runtime.current_device() == nullptr) return hipErrorNoDevice;
        if (!pm::hip::map(runtime, static_cast<std::byte*>(hostPtr), sizeBytes))
            return hipErrorHostMemoryAlreadyRegistered;
        runtime.host_memory.emplace(
            pm::hip::address_of(hostPtr),
            HostMemory{HostMemory::Kind::kRegistered, pm::hip::current_ordinal(), sizeBytes, flags, nullptr});
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipHostUnregister(void* hostPtr) {
    return pm::hip::release(hostPtr, HostMemory::Kind::kRegistered);
}

PM_EXPORT hipError_t hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned int flags) {
    return api([&](Runtime& runtime) {
        if (devPtr == nullptr || hstPtr == nullptr || flags != 0) return hipErrorInvalidValue;
        *devPtr = nullptr;
        if (pm::hip::find_host_memory(runtime, hstPtr) == nullptr) return hipErrorInvalidValue;
        *devPtr = hstPtr;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipHostGetFlags(unsigned int* flagsPtr, void* hostPtr) {
    return api([&](Runtime& runtime) {
        if (flagsPtr == nullptr || hostPtr == nullptr) return hipErrorInvalidValue;
        const auto* found = pm::hip::find_host_memory(runtime, hostPtr);
        if (found == nullptr || found->second.kind == HostMemory::Kind::kManaged) return hipErrorInvalidValue;
        *flagsPtr = found->second.flags;
        return hipSuccess;
    });
}

// Managed memory is where everyone sees it: advice and prefetching move nothing.
PM_EXPORT hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (!pm::hip::is_managed(runtime, dev_ptr, count)) return hipErrorInvalidValue;
        if (device != hipCpuDeviceId && runtime.device(device) == nullptr) return hipErrorInvalidDevice;
        return runtime.valid(stream) ? hipSuccess : hipErrorInvalidHandle;
    });
}

PM_EXPORT hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise /*advice*/, int device) {
    return api([&](Runtime& runtime) {
        if (!pm::hip::is_managed(runtime, dev_ptr, count)) return hipErrorInvalidValue;
        return device == hipCpuDeviceId || runtime.device(device) != nullptr ? hipSuccess : hipErrorInvalidDevice;
    });
}
