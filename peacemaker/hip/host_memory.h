// Host memory that kernels of every device may use: pinned, managed, or the program's own after hipHostRegister.
// A device address is the host's address.
#pragma once

#include "peacemaker/hip/runtime.h"

namespace pm::hip {

/// `size` bytes of fresh host memory, more than 0. What it holds counts as defined, for the host writes it unseen.
hipError_t make_host_memory(Runtime& runtime, void** pointer, std::size_t size, HostMemory::Kind kind, unsigned flags);
/// Frees host memory, or ends its registration. hipErrorInvalidValue where none begins at `pointer`.
hipError_t drop_host_memory(Runtime& runtime, void* pointer);

/// The host memory that holds the byte at `pointer`; null where there is none.
const std::pair<const std::uint64_t, HostMemory>* find_host_memory(const Runtime& runtime, const void* pointer);

} // namespace pm::hip
