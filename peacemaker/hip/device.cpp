#include "peacemaker/hip/export.h"
#include "peacemaker/hip/host_memory.h"
#include "peacemaker/hip/kernel_facts.h"
#include "peacemaker/hip/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace {

using pm::hip::api;
using pm::hip::Device;
using pm::hip::Runtime;

constexpr int kWave = 32;
constexpr int kSimdsOfUnit = 2;
/// No clock of ours is meant; programs divide by it.
constexpr int kNominalKilohertz = 1000000;

std::string name_of(const Device& device) { return fmt::format("{} (embedded device)", device.chip->name); }

void copy_text(char* to, std::size_t room, const std::string& text) {
    const std::size_t length = std::min(room - 1, text.size());
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

/// gfx1151: 11, 5 and the whole as a number, as HIP has them.
struct ArchNumbers {
    int whole, major, minor;
};

ArchNumbers arch_numbers(const pm::Chip& chip) {
    int whole = 0;
    for (const char c : chip.name)
        if (c >= '0' && c <= '9') whole = whole * 10 + (c - '0');
    return {whole, whole / 100, whole / 10 % 10};
}

hipDeviceProp_t properties_of(const Device& device, int ordinal) {
    const pm::Chip& chip = *device.chip;
    const ArchNumbers arch = arch_numbers(chip);
    hipDeviceProp_t p{};
    copy_text(p.name, sizeof p.name, name_of(device));
    copy_text(p.gcnArchName, sizeof p.gcnArchName, chip.name);
    p.gcnArch = arch.whole;
    p.major = arch.major;
    p.minor = arch.minor;
    p.totalGlobalMem = device.memory.capacity();
    p.sharedMemPerBlock = chip.lds_bytes;
    p.maxSharedMemoryPerMultiProcessor = chip.lds_bytes;
    p.regsPerBlock = static_cast<int>(chip.vgprs_simd) * kWave * kSimdsOfUnit;
    p.warpSize = kWave;
    p.maxThreadsPerBlock = static_cast<int>(chip.max_workgroup);
    p.maxThreadsPerMultiProcessor = 2 * static_cast<int>(chip.max_workgroup);
    for (int& most : p.maxThreadsDim) most = static_cast<int>(chip.max_workgroup);
    for (int& most : p.maxGridSize) most = INT_MAX;
    p.clockRate = kNominalKilohertz;
    p.memoryClockRate = kNominalKilohertz;
    p.clockInstructionRate = kNominalKilohertz;
    p.memoryBusWidth = 64;
    p.totalConstMem = INT_MAX;
    p.memPitch = INT_MAX;
    p.multiProcessorCount = static_cast<int>(pm::hip::compute_units());
    p.pciBusID = ordinal;
    p.canMapHostMemory = 1;
    p.integrated = 1;
    p.managedMemory = 1;
    p.directManagedMemAccessFromHost = 1;
    p.arch.hasGlobalInt32Atomics = 1;
    p.arch.hasGlobalFloatAtomicExch = 1;
    p.arch.hasSharedInt32Atomics = 1;
    p.arch.hasSharedFloatAtomicExch = 1;
    p.arch.hasFloatAtomicAdd = 1;
    p.arch.hasGlobalInt64Atomics = 1;
    p.arch.hasSharedInt64Atomics = 1;
    p.arch.hasDoubles = 1;
    p.arch.hasWarpVote = 1;
    p.arch.hasWarpBallot = 1;
    p.arch.hasWarpShuffle = 1;
    p.arch.has3dGrid = 1;
    return p;
}

/// Attributes that a property holds, and those that no property does.
hipError_t attribute_of(const hipDeviceProp_t& p, hipDeviceAttribute_t attribute, int& value) {
    const auto clamped = [](std::size_t n) { return static_cast<int>(std::min<std::size_t>(n, INT_MAX)); };
    const struct {
        hipDeviceAttribute_t attribute;
        int value;
    } table[] = {
        {hipDeviceAttributeEccEnabled, p.ECCEnabled},
        {hipDeviceAttributeCanMapHostMemory, p.canMapHostMemory},
        {hipDeviceAttributeClockRate, p.clockRate},
        {hipDeviceAttributeComputeMode, p.computeMode},
        {hipDeviceAttributeConcurrentKernels, p.concurrentKernels},
        {hipDeviceAttributeConcurrentManagedAccess, p.concurrentManagedAccess},
        {hipDeviceAttributeCooperativeLaunch, p.cooperativeLaunch},
        {hipDeviceAttributeCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
        {hipDeviceAttributeIntegrated, p.integrated},
        {hipDeviceAttributeIsMultiGpuBoard, p.isMultiGpuBoard},
        {hipDeviceAttributeKernelExecTimeout, p.kernelExecTimeoutEnabled},
        {hipDeviceAttributeL2CacheSize, p.l2CacheSize},
        {hipDeviceAttributeComputeCapabilityMajor, p.major},
        {hipDeviceAttributeComputeCapabilityMinor, p.minor},
        {hipDeviceAttributeManagedMemory, p.managedMemory},
        {hipDeviceAttributeMaxBlockDimX, p.maxThreadsDim[0]},
        {hipDeviceAttributeMaxBlockDimY, p.maxThreadsDim[1]},
        {hipDeviceAttributeMaxBlockDimZ, p.maxThreadsDim[2]},
        {hipDeviceAttributeMaxGridDimX, p.maxGridSize[0]},
        {hipDeviceAttributeMaxGridDimY, p.maxGridSize[1]},
        {hipDeviceAttributeMaxGridDimZ, p.maxGridSize[2]},
        {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {hipDeviceAttributeMaxPitch, clamped(p.memPitch)},
        {hipDeviceAttributeMemoryBusWidth, p.memoryBusWidth},
        {hipDeviceAttributeMemoryClockRate, p.memoryClockRate},
        {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
        {hipDeviceAttributePciBusId, p.pciBusID},
        {hipDeviceAttributePciDeviceId, p.pciDeviceID},
        {hipDeviceAttributePciDomainID, p.pciDomainID},
        {hipDeviceAttributeMaxRegistersPerBlock, p.regsPerBlock},
        {hipDeviceAttributeMaxRegistersPerMultiprocessor, p.regsPerBlock},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, clamped(p.sharedMemPerBlock)},
        {hipDeviceAttributeSharedMemPerMultiprocessor, clamped(p.maxSharedMemoryPerMultiProcessor)},
        {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, clamped(p.maxSharedMemoryPerMultiProcessor)},
        {hipDeviceAttributeTotalConstantMemory, clamped(p.totalConstMem)},
        {hipDeviceAttributeTotalGlobalMem, clamped(p.totalGlobalMem)},
        {hipDeviceAttributeUnifiedAddressing, 1},
        {hipDeviceAttributeWarpSize, p.warpSize},
        {hipDeviceAttributeMemoryPoolsSupported, 1},
        {hipDeviceAttributeDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
        {hipDeviceAttributePageableMemoryAccess, p.pageableMemoryAccess},
        {hipDeviceAttributePageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
        {hipDeviceAttributeMaxThreadsDim, p.maxThreadsDim[0]},
        {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1},
        {hipDeviceAttributeStreamPrioritiesSupported, 0},
        {hipDeviceAttributeTccDriver, p.tccDriver},
        {hipDeviceAttributeTextureAlignment, clamped(p.textureAlignment)},
        {hipDeviceAttributeTexturePitchAlignment, clamped(p.texturePitchAlignment)},
        {hipDeviceAttributeIsLargeBar, p.isLargeBar},
        {hipDeviceAttributeAsicRevision, p.asicRevision},
        {hipDeviceAttributeCanUseStreamWaitValue, 0},
        {hipDeviceAttributeImageSupport, 0},
        {hipDeviceAttributePhysicalMultiProcessorCount, p.multiProcessorCount},
        {hipDeviceAttributeFineGrainSupport, 1},
        {hipDeviceAttributeClockInstructionRate, p.clockInstructionRate},
        {hipDeviceAttributeGcnArch, p.gcnArch},
    };
    for (const auto& row : table) {
        if (row.attribute != attribute) continue;
        value = row.value;
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

/// Runs `body` with the device of that ordinal, which must be one.
template <typename Body>
hipError_t with_device(int ordinal, Body&& body) {
    return api([&](Runtime& runtime) {
        if (runtime.devices.empty()) return hipErrorNoDevice;
        Device* device = runtime.device(ordinal);
        return device == nullptr ? hipErrorInvalidDevice : body(*device);
    });
}

} // namespace

PM_EXPORT hipError_t hipInit(unsigned int flags) {
    return api([&](Runtime& runtime) {
        if (flags != 0) return hipErrorInvalidValue;
        return runtime.devices.empty() ? hipErrorNoDevice : hipSuccess;
    });
}

PM_EXPORT hipError_t hipRuntimeGetVersion(int* runtimeVersion) {
    return api([&](Runtime&) {
        if (runtimeVersion == nullptr) return hipErrorInvalidValue;
        *runtimeVersion = HIP_VERSION;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDriverGetVersion(int* driverVersion) { return hipRuntimeGetVersion(driverVersion); }

PM_EXPORT hipError_t hipGetDeviceCount(int* count) {
    return api([&](Runtime& runtime) {
        if (count == nullptr) return hipErrorInvalidValue;
        *count = static_cast<int>(runtime.devices.size());
        return runtime.devices.empty() ? hipErrorNoDevice : hipSuccess;
    });
}

PM_EXPORT hipError_t hipSetDevice(int deviceId) {
    return with_device(deviceId, [&](Device&) {
        pm::hip::current_ordinal() = deviceId;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipGetDevice(int* deviceId) {
    return api([&](Runtime& runtime) {
        if (deviceId == nullptr) return hipErrorInvalidValue;
        if (runtime.devices.empty()) return hipErrorNoDevice;
        *deviceId = pm::hip::current_ordinal();
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_t* prop, int deviceId) {
    return with_device(deviceId, [&](const Device& device) {
        if (prop == nullptr) return hipErrorInvalidValue;
        *prop = properties_of(device, deviceId);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t* prop, int deviceId) {
    return hipGetDeviceProperties(prop, deviceId);
}

PM_EXPORT hipError_t hipGetDevicePropertiesR0600(pm::hip::PropertiesR0600* prop, int deviceId) {
    return with_device(deviceId, [&](const Device& device) {
        if (prop == nullptr) return hipErrorInvalidValue;
        *prop = pm::hip::to_r0600(properties_of(device, deviceId));
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId) {
    return with_device(deviceId, [&](const Device& device) {
        if (pi == nullptr) return hipErrorInvalidValue;
        return attribute_of(properties_of(device, deviceId), attr, *pi);
    });
}

PM_EXPORT hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    return with_device(ordinal, [&](const Device&) {
        if (device == nullptr) return hipErrorInvalidValue;
        *device = ordinal;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device) {
    return with_device(device, [&](const Device& found) {
        if (name == nullptr || len <= 0) return hipErrorInvalidValue;
        copy_text(name, static_cast<std::size_t>(len), name_of(found));
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
    return with_device(device, [&](const Device& found) {
        if (bytes == nullptr) return hipErrorInvalidValue;
        *bytes = found.memory.capacity();
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceSynchronize() {
    return api([](Runtime& runtime) {
        if (runtime.devices.empty()) return hipErrorNoDevice;
        return runtime.capture_in_the_way() != nullptr ? hipErrorStreamCaptureUnsupported : hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceReset() {
    return api([](Runtime& runtime) {
        Device* device = runtime.current_device();
        if (device == nullptr) return hipErrorNoDevice;
        const int ordinal = pm::hip::current_ordinal();
        const auto ours = [ordinal](const auto& object) { return object.device == ordinal; };
        // Graphs and captures hold modules whose device may be this one.
        runtime.captures.clear();
        runtime.graphs.remove_if([](const auto&) { return true; });
        runtime.executables.remove_if([](const auto&) { return true; });
        runtime.streams.remove_if(ours);
        runtime.functions.remove_if(ours);
        runtime.modules.remove_if(ours);
        runtime.fat_binaries.for_each([ordinal](auto& binary) { binary.loaded.erase(ordinal); });
        for (const std::uint64_t address : device->owned) device->memory.free(address);
        device->owned.clear();
        // Managed variables stay, as the program keeps their addresses.
        std::vector<void*> pinned;
        for (const auto& [address, memory] : runtime.host_memory)
            if (memory.device == ordinal && memory.kind == pm::hip::HostMemory::Kind::kPinned)
                pinned.push_back(reinterpret_cast<void*>(address));
        for (void* pointer : pinned) (void)pm::hip::drop_host_memory(runtime, pointer);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    return with_device(device, [&](const Device& found) {
        if (major == nullptr || minor == nullptr) return hipErrorInvalidValue;
        const ArchNumbers arch = arch_numbers(*found.chip);
        *major = arch.major;
        *minor = arch.minor;
        return hipSuccess;
    });
}

// A device's place on a bus that there is not: its ordinal.
PM_EXPORT hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device) {
    return with_device(device, [&](const Device&) {
        if (pciBusId == nullptr || len <= 0) return hipErrorInvalidValue;
        copy_text(pciBusId, static_cast<std::size_t>(len), fmt::format("0000:{:02x}:00.0", device));
        return hipSuccess;
    });
}
PM_EXPORT hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId) {
    return api([&](Runtime& runtime) {
        if (device == nullptr || pciBusId == nullptr) return hipErrorInvalidValue;
        for (std::size_t i = 0; i < runtime.devices.size(); ++i)
            if (fmt::format("0000:{:02x}:00.0", i) == pciBusId) {
                *device = static_cast<int>(i);
                return hipSuccess;
            }
        return hipErrorInvalidDevice;
    });
}

PM_EXPORT hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
    return with_device(device, [&](const Device& found) {
        if (uuid == nullptr) return hipErrorInvalidValue;
        *uuid = {};
        copy_text(uuid->bytes, sizeof uuid->bytes, "pm-" + found.chip->name);
        return hipSuccess;
    });
}

// The device that has what `prop` names; the first where none is better.
PM_EXPORT hipError_t hipChooseDevice(int* device, const hipDeviceProp_t* prop) {
    return api([&](Runtime& runtime) {
        if (device == nullptr || prop == nullptr) return hipErrorInvalidValue;
        if (runtime.devices.empty()) return hipErrorNoDevice;
        *device = 0;
        for (std::size_t i = runtime.devices.size(); i-- > 0;)
            if (runtime.devices[i]->chip->name == prop->gcnArchName) *device = static_cast<int>(i);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipSetDeviceFlags(unsigned flags) {
    return api([&](Runtime& runtime) {
        if (runtime.devices.empty()) return hipErrorNoDevice;
        constexpr unsigned kKnown = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
        return (flags & ~kKnown) != 0 ? hipErrorInvalidValue : hipSuccess;
    });
}
PM_EXPORT hipError_t hipGetDeviceFlags(unsigned int* flags) {
    return api([&](Runtime& runtime) {
        if (flags == nullptr) return hipErrorInvalidValue;
        if (runtime.devices.empty()) return hipErrorNoDevice;
        *flags = hipDeviceScheduleAuto;
        return hipSuccess;
    });
}

// There is no heap for kernels and no buffer for their output yet, and no cache to configure.
PM_EXPORT hipError_t hipDeviceGetLimit(size_t* pValue, hipLimit_t /*limit*/) {
    return api([&](Runtime&) {
        if (pValue == nullptr) return hipErrorInvalidValue;
        return hipErrorUnsupportedLimit;
    });
}
PM_EXPORT hipError_t hipDeviceSetLimit(hipLimit_t /*limit*/, size_t /*value*/) {
    return api([](Runtime&) { return hipErrorUnsupportedLimit; });
}
PM_EXPORT hipError_t hipDeviceSetCacheConfig(hipFuncCache_t /*cacheConfig*/) {
    return api([](Runtime& runtime) { return runtime.devices.empty() ? hipErrorNoDevice : hipSuccess; });
}
PM_EXPORT hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig) {
    return api([&](Runtime& runtime) {
        if (cacheConfig == nullptr) return hipErrorInvalidValue;
        if (runtime.devices.empty()) return hipErrorNoDevice;
        *cacheConfig = hipFuncCachePreferNone;
        return hipSuccess;
    });
}
PM_EXPORT hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig /*config*/) {
    return api([](Runtime& runtime) { return runtime.devices.empty() ? hipErrorNoDevice : hipSuccess; });
}
PM_EXPORT hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig) {
    return api([&](Runtime& runtime) {
        if (pConfig == nullptr) return hipErrorInvalidValue;
        if (runtime.devices.empty()) return hipErrorNoDevice;
        *pConfig = hipSharedMemBankSizeFourByte;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
    return api([&](Runtime& runtime) {
        if (runtime.devices.empty()) return hipErrorNoDevice;
        if (leastPriority != nullptr) *leastPriority = 0;
        if (greatestPriority != nullptr) *greatestPriority = 0;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipProfilerStart() {
    return api([](Runtime&) { return hipSuccess; });
}
PM_EXPORT hipError_t hipProfilerStop() {
    return api([](Runtime&) { return hipSuccess; });
}
