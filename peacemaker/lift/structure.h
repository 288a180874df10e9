// What a lifted function does, as far as its instructions say it alone: control-flow graph, registers, memory
// operations, barriers.
#pragma once

#include "peacemaker/isa/registers.h"
#include "peacemaker/lift/file.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pm::lift {

enum class EdgeKind : std::uint8_t {
    kNext,   // to the instruction behind, also where a conditional branch is not taken
    kBranch, // to a branch's target
    kLeaves, // past the function's end, or to a target that is no instruction of it
};

struct Edge {
    EdgeKind kind = EdgeKind::kNext;
    std::size_t block = 0;   // of kNext and kBranch
    std::int64_t target = 0; // bytes from the function's start
};

/// Instructions that are entered at the first and left at the last one.
struct Block {
    std::size_t first = 0, count = 0; // in the listing
    std::vector<Edge> edges;          // none: the wave ends, returns, or goes on where a register says
    bool indirect = false;            // leaves to where a register says
};

/// The blocks in order; `listing` is listing_of(file, function).
std::vector<Block> blocks_of(const File& file, const Function& function, std::span<const Instruction> listing);

/// Registers that a function names, or uses without naming (VCC, EXEC, M0, SCC, ..).
struct RegisterUse {
    std::bitset<isa::kRegisterCount> read, written;

    /// One more than the highest VGPR or numbered SGPR used.
    std::size_t vgprs() const;
    std::size_t sgprs() const;
};

RegisterUse registers_of(const File& file, const Function& function);

enum class AddressSpace : std::uint8_t {
    kGlobal,
    kFlat,
    kScratch,
    kLds,
    kConstant,
    kBuffer,
    kImage,
    kExport,
    kMessage
};
enum class Access : std::uint8_t { kLoad, kStore, kAtomic, kOther };

/// The counters that a memory operation raises on a chip, by the name of the wait for them: vmcnt, vscnt, lgkmcnt and
/// expcnt up to gfx11; loadcnt, storecnt, dscnt, kmcnt, samplecnt, bvhcnt and expcnt from gfx12 on.
struct MemoryOperation {
    std::size_t index = 0; // in the listing
    AddressSpace space = AddressSpace::kGlobal;
    Access access = Access::kLoad;
    std::vector<std::string_view> counters; // two for flat ones; none where there is nothing to wait for
};

std::vector<MemoryOperation> memory_operations_of(const File& file, const Function& function);

/// Indices of barriers, signals and waits for them.
std::vector<std::size_t> barriers_of(const File& file, const Function& function);

std::string_view name_of(EdgeKind kind);
std::string_view name_of(AddressSpace space);
std::string_view name_of(Access access);

} // namespace pm::lift
