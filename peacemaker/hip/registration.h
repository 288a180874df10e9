// What the compiler registers at a program's start: fat binaries, and the kernels and variables of them that host
// addresses stand for. A binary is loaded on a device when something of it is first used there.
#pragma once

#include "peacemaker/hip/runtime.h"

namespace pm::hip {

/// The kernel behind the host address of a __global__ function, on a device. hipErrorInvalidDeviceFunction: there is
/// none; else why its binary could not be loaded there.
hipError_t find_host_function(Runtime& runtime, const void* address, int device, Function& found);

/// A variable on a device.
struct Variable {
    std::uint64_t address = 0;
    std::uint64_t size = 0; // bytes
};

/// The variable behind the host address of a __device__ or __constant__ one. hipErrorInvalidSymbol: there is none.
hipError_t find_host_variable(Runtime& runtime, const void* address, int device, Variable& found);

} // namespace pm::hip
