// One launch set as numbers: which buffers, which launches, which kernarg bytes. Pure data, made from the contract and
// the object.
//
// A program is made for a kernel under contract (plan_kernel) or for the chain that it replaces (plan_chain); both name
// their buffers as the kernel under contract does, so that inputs and outputs of the two correspond.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hkc {

/// A buffer of a launch set.
struct BufferPlan {
    std::string name;
    Direction dir = Direction::kIn;
    ElementType type = ElementType::kFp16; // concrete: never kActivation
    std::vector<std::int64_t> dims;
    std::uint32_t align = 1; // bytes: the smallest legal alignment
    Init init = Init::kDefault;
    std::size_t elements = 0;

    std::size_t bytes() const { return elements * element_bytes(type); }
    /// Whether a gate poisons it before a launch and expects every byte to be written, or not to matter.
    bool poisoned() const { return dir != Direction::kIn && dir != Direction::kInOut && init == Init::kDefault; }
    bool is_output() const { return dir == Direction::kOut || dir == Direction::kInOut; }
    bool has_input() const { return dir == Direction::kIn || dir == Direction::kInOut; }
};

/// One kernarg slot: an address of a buffer, or the bits of a scalar.
struct SlotPlan {
    std::uint32_t offset = 0, size = 0; // bytes, as the object's metadata tells them
    std::int32_t buffer = -1;           // index into ProgramPlan::buffers, or -1
    std::uint64_t scalar = 0;
};

struct LaunchPlan {
    const pm::CodeObject* object = nullptr;
    std::string symbol;
    std::array<std::uint32_t, 3> grid{}, block{}; // workgroups, work-items
    std::uint32_t dynamic_lds = 0;                // bytes
    std::uint32_t kernarg_bytes = 0;              // of the explicit arguments
    std::vector<SlotPlan> slots;

    std::uint64_t workgroups() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

struct ProgramPlan {
    std::string who; // for messages: the kernel's name, or `the chain a, b`
    std::vector<BufferPlan> buffers;
    std::vector<LaunchPlan> launches;

    const BufferPlan* find_buffer(std::string_view name) const;
    std::size_t bytes() const;
    /// The most workgroups that any launch of the set has.
    std::uint64_t workgroups() const;
};

/// Finds the object that a registration is launched from; null where there is none.
using ObjectOfKernel = std::function<const pm::CodeObject*(const Kernel& kernel)>;

/// The declared position of each argument of a call, as the ABI lays it out: natural alignment, in order.
struct DeclaredSlot {
    std::string name;
    std::uint32_t offset = 0, size = 0;
    bool buffer = false;
};
/// Error: an argument that the kernel does not declare.
pm::Result<std::vector<DeclaredSlot>> declared_slots(const Kernel& kernel, const Launch& launch);

/// What a launch is besides its arguments: workgroups, work-items of each, bytes of dynamic LDS.
struct Geometry {
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint32_t dynamic_lds = 0;
};
/// That of `launch` for `scope` (scope_of(kernel, shape)). Error: an expression that fails, a value beyond 32 bits.
pm::Result<Geometry> geometry_of(const Launch& launch, const Scope& scope);

/// The launch set of `kernel` for `scope` (scope_of(kernel, shape)), packed as `object` wants it.
/// Error: a symbol or an argument that the object does not have, an expression that fails, a value that does not fit.
pm::Result<ProgramPlan> plan_kernel(const Kernel& kernel, const Scope& scope, const pm::Chip& chip,
                                    const pm::CodeObject& object);

/// The chain that `kernel` replaces, on the buffers of `kernel`; intermediates and the stages' own workspaces are
/// added.
pm::Result<ProgramPlan> plan_chain(const Registry& registry, const Kernel& kernel, const Scope& scope,
                                   const pm::Chip& chip, const ObjectOfKernel& object_of_kernel);

/// `m=1 n=37 k=128`: the shape for messages.
std::string shape_text(const Shape& shape);

} // namespace hkc
