// Executing one kernel launch of a code object on the CPU.
//
//   auto module = load_module(std::move(code_object), memory);
//   auto report = launch(memory, *module, request);
//
// The emulator knows code objects and memory; HIP and the contract know it, never the other way round.
#pragma once

#include "peacemaker/emu/memory.h"
#include "peacemaker/emu/report.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pm::emu {

/// A code object placed in device memory, with its kernels decoded on first use.
class Module;

/// Places the segments in `memory`; they are freed with the module. Error: an object whose segments do not fit in
/// memory.
Result<std::shared_ptr<Module>> load_module(CodeObject object, Memory& memory);
const CodeObject& code_object_of(const Module& module);
/// The device address and size of a global variable of the module (st_value, st_size); Error names the nearest symbol.
Result<std::pair<std::uint64_t, std::uint64_t>> find_global(const Module& module, std::string_view name);

struct LaunchRequest {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{1, 1, 1};  // workgroups
    std::array<std::uint32_t, 3> block{1, 1, 1}; // work-items
    std::uint32_t dynamic_lds = 0;               // bytes
    std::span<const std::byte>
        kernarg;               // explicit arguments as the caller packed them; bytes past its end were not supplied
    std::uint32_t threads = 0; // host threads; 0 = one a core
    std::uint64_t max_instructions =
        0; // a wave; 0 = kMostInstructions (budget.h). Running out is `unsupported` (a hang)
    /// Takes what the kernel prints, a printf at a time, from any thread but never two at once; none: stdout and
    /// stderr.
    std::function<void(std::string_view text, bool to_stderr)> print{};
};

/// Executes the launch to its end. Error: the launch is refused (no such kernel, block or LDS over the limit), nothing
/// ran. What the execution itself shows is in the report; after an unsupported instruction the launch stopped early.
Result<Report> launch(Memory& memory, Module& module, const LaunchRequest& request);

} // namespace pm::emu
