// Copies between device and host memory, with what is defined of them.
#pragma once

#include "peacemaker/hip/runtime.h"

namespace pm::hip {

/// What a copy must be whatever its memory: a known direction, and no null pointer for more than no bytes.
hipError_t check_copy(const void* dst, const void* src, std::size_t size, hipMemcpyKind kind);
/// Copies at once, for the function of HIP that `call` names. hipErrorInvalidValue: a side that leaves its allocation,
/// or is not where `kind` has it.
hipError_t copy_now(Runtime& runtime, const char* call, void* dst, const void* src, std::size_t size,
                    hipMemcpyKind kind);

} // namespace pm::hip
