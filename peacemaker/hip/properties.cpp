#include "peacemaker/hip/properties.h"

#include <algorithm>

namespace pm::hip {

PropertiesR0600 to_r0600(const hipDeviceProp_t& p) {
    PropertiesR0600 out{};
    std::copy(std::begin(p.name), std::end(p.name), out.name);
    std::copy(std::begin(p.gcnArchName), std::end(p.gcnArchName), out.gcnArchName);
    out.totalGlobalMem = p.totalGlobalMem;
    out.sharedMemPerBlock = p.sharedMemPerBlock;
    out.regsPerBlock = p.regsPerBlock;
    out.warpSize = p.warpSize;
    out.memPitch = p.memPitch;
    out.maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::copy(std::begin(p.maxThreadsDim), std::end(p.maxThreadsDim), out.maxThreadsDim);
    std::copy(std::begin(p.maxGridSize), std::end(p.maxGridSize), out.maxGridSize);
    out.clockRate = p.clockRate;
    out.totalConstMem = p.totalConstMem;
    out.major = p.major;
    out.minor = p.minor;
    out.multiProcessorCount = p.multiProcessorCount;
    out.integrated = p.integrated;
    out.canMapHostMemory = p.canMapHostMemory;
    out.pciBusID = p.pciBusID;
    out.unifiedAddressing = 1;
    out.memoryClockRate = p.memoryClockRate;
    out.memoryBusWidth = p.memoryBusWidth;
    out.maxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
    out.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor;
    out.regsPerMultiprocessor = p.regsPerBlock;
    out.managedMemory = p.managedMemory;
    out.canUseHostPointerForRegisteredMem = 1;
    out.sharedMemPerBlockOptin = p.sharedMemPerBlock;
    out.directManagedMemAccessFromHost = p.directManagedMemAccessFromHost;
    out.hostRegisterSupported = 1;
    out.memoryPoolsSupported = 1;
    out.maxSharedMemoryPerMultiProcessor = p.maxSharedMemoryPerMultiProcessor;
    out.clockInstructionRate = p.clockInstructionRate;
    out.arch = p.arch;
    return out;
}

} // namespace pm::hip
