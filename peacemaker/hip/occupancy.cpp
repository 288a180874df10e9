#include "peacemaker/object/occupancy.h"
#include "peacemaker/hip/export.h"
#include "peacemaker/hip/kernel_facts.h"

#include <algorithm>
#include <climits>

namespace pm::hip {
namespace {

/// Workgroups of `block` work-items that a compute unit holds at once; 0 where it holds none.
std::uint32_t active_blocks(const Chip& chip, const Kernel& kernel, std::uint32_t block, std::size_t dynamic_lds) {
    const std::uint32_t lanes = kernel.resources.wave;
    const std::uint32_t waves = (block + lanes - 1) / lanes;
    const std::uint32_t fit = waves_by_vgprs(chip, granted_vgprs(chip, kernel), lanes);
    const std::uint64_t lds = kernel.resources.lds + dynamic_lds;
    if (lds > chip.lds_bytes) return 0;
    const std::uint64_t by_lds = lds == 0 ? UINT32_MAX : chip.lds_bytes / lds;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit * chip.simds_cu / waves, by_lds));
}

hipError_t count_blocks(Runtime& runtime, const Function& function, int* blocks, int block, std::size_t dynamic_lds) {
    const KernelFacts facts = facts_of(runtime, function);
    if (facts.kernel == nullptr) return hipErrorInvalidDeviceFunction;
    if (block <= 0 || static_cast<std::uint32_t>(block) > facts.max_block) return hipErrorInvalidValue;
    *blocks =
        static_cast<int>(active_blocks(*facts.chip, *facts.kernel, static_cast<std::uint32_t>(block), dynamic_lds));
    return hipSuccess;
}

/// The block size, in whole waves, that keeps the most work-items on a compute unit; the largest of equals.
hipError_t choose_block(Runtime& runtime, const Function& function, int* grid, int* block, std::size_t dynamic_lds,
                        int limit) {
    const KernelFacts facts = facts_of(runtime, function);
    if (facts.kernel == nullptr) return hipErrorInvalidDeviceFunction;
    if (limit < 0) return hipErrorInvalidValue;
    const std::uint32_t most =
        limit == 0 ? facts.max_block : std::min(facts.max_block, static_cast<std::uint32_t>(limit));
    const std::uint32_t lanes = facts.kernel->resources.wave;
    std::uint32_t best = std::min(most, lanes);
    std::uint32_t held = 0;
    for (std::uint32_t size = lanes; size <= most; size += lanes) {
        const std::uint32_t items = active_blocks(*facts.chip, *facts.kernel, size, dynamic_lds) * size;
        if (items < held) continue;
        held = items;
        best = size;
    }
    *block = static_cast<int>(best);
    const auto blocks = active_blocks(*facts.chip, *facts.kernel, best, dynamic_lds);
    *grid = static_cast<int>(std::max(1U, blocks) * compute_units());
    return hipSuccess;
}

/// Runs `body` with the function that a host address or a handle stands for.
template <typename Body>
hipError_t with_host_function(const void* address, Body&& body) {
    return api([&](Runtime& runtime) {
        Function function;
        const hipError_t error = find_host_function(runtime, address, current_ordinal(), function);
        return error != hipSuccess ? error : body(runtime, function);
    });
}

template <typename Body>
hipError_t with_handle(hipFunction_t handle, Body&& body) {
    return api([&](Runtime& runtime) {
        const Function* function = runtime.functions.find(handle);
        return function == nullptr ? hipErrorInvalidHandle : body(runtime, *function);
    });
}

} // namespace
} // namespace pm::hip

using pm::hip::Function;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* f, int blockSize,
                                                                           size_t dynSharedMemPerBlk,
                                                                           unsigned int /*flags*/) {
    return pm::hip::with_host_function(f, [&](Runtime& runtime, const Function& function) {
        if (numBlocks == nullptr) return hipErrorInvalidValue;
        return pm::hip::count_blocks(runtime, function, numBlocks, blockSize, dynSharedMemPerBlk);
    });
}
PM_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* f, int blockSize,
                                                                  size_t dynSharedMemPerBlk) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynSharedMemPerBlk, 0);
}
PM_EXPORT hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* f,
                                                       size_t dynSharedMemPerBlk, int blockSizeLimit) {
    return pm::hip::with_host_function(f, [&](Runtime& runtime, const Function& function) {
        if (gridSize == nullptr || blockSize == nullptr) return hipErrorInvalidValue;
        return pm::hip::choose_block(runtime, function, gridSize, blockSize, dynSharedMemPerBlk, blockSizeLimit);
    });
}

PM_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, hipFunction_t f,
                                                                                 int blockSize,
                                                                                 size_t dynSharedMemPerBlk,
                                                                                 unsigned int /*flags*/) {
    return pm::hip::with_handle(f, [&](Runtime& runtime, const Function& function) {
        if (numBlocks == nullptr) return hipErrorInvalidValue;
        return pm::hip::count_blocks(runtime, function, numBlocks, blockSize, dynSharedMemPerBlk);
    });
}
PM_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f, int blockSize,
                                                                        size_t dynSharedMemPerBlk) {
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynSharedMemPerBlk, 0);
}
PM_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, hipFunction_t f,
                                                                      size_t dynSharedMemPerBlk, int blockSizeLimit,
                                                                      unsigned int /*flags*/) {
    return pm::hip::with_handle(f, [&](Runtime& runtime, const Function& function) {
        if (gridSize == nullptr || blockSize == nullptr) return hipErrorInvalidValue;
        return pm::hip::choose_block(runtime, function, gridSize, blockSize, dynSharedMemPerBlk, blockSizeLimit);
    });
}
PM_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                             size_t dynSharedMemPerBlk, int blockSizeLimit) {
    return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit,
                                                            0);
}
