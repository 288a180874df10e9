#include "contract/gates/program.h"

#include "contract/gates/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hkc {
namespace {

constexpr std::uint32_t kPointerBytes = 8;

pm::Result<BufferPlan> plan_buffer(const Argument& argument, const Scope& scope, const pm::Chip& chip) {
    BufferPlan plan;
    plan.name = argument.name;
    plan.dir = argument.dir;
    plan.type = concrete_type(argument.type, chip);
    plan.align = argument.align != 0 ? argument.align : element_bytes(plan.type);
    plan.init = argument.init;
    const auto count = element_count(argument, scope);
    if (!count) return count.error();
    plan.elements = static_cast<std::size_t>(*count);
    for (const Expr& dim : argument.dims) {
        const auto value = dim.evaluate(scope);
        if (!value) return value.error().with(argument.name);
        plan.dims.push_back(*value);
    }
    return plan;
}

pm::Result<std::uint32_t> launch_number(const Expr& expr, const Scope& scope, const std::string& what) {
    const auto value = expr.evaluate(scope);
    if (!value) return value.error().with(what);
    if (*value < 0 || *value > std::numeric_limits<std::uint32_t>::max())
        return pm::Error{fmt::format("{}: {} is {}; expected 0 to 2^32-1", what, expr.text(), *value)};
    return static_cast<std::uint32_t>(*value);
}

/// The bits of a scalar argument of a concrete type.
pm::Result<std::uint64_t> scalar_bits(const Argument& argument, ElementType type, const Scope& scope) {
    const auto value = argument.value ? argument.value->evaluate(scope) : Expr::parse(argument.name)->evaluate(scope);
    if (!value) return value.error().with(argument.name);
    if (is_float(type)) return encode_element(type, static_cast<double>(*value));
    const std::uint32_t bits = element_bytes(type) * 8;
    if (bits == 64) return static_cast<std::uint64_t>(*value);
    const bool is_signed = type == ElementType::kI8 || type == ElementType::kI16 || type == ElementType::kI32;
    const std::int64_t high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t low = is_signed ? -high - 1 : 0;
    if (*value < low || *value > high)
        return pm::Error{fmt::format("{}: {} does not fit {}", argument.name, *value, element_name(type))};
    return static_cast<std::uint64_t>(*value) & ((std::uint64_t{1} << bits) - 1);
}

/// Adds the launches of `kernel` to `plan`; `buffer_name` maps its buffer arguments to buffers of the plan.
pm::Result<void> add_launches(ProgramPlan& plan, const Kernel& kernel, const Scope& scope, const pm::Chip& chip,
                              const pm::CodeObject& object,
                              const std::function<std::string(const std::string&)>& buffer_name) {
    for (const Launch& launch : kernel.launches) {
        LaunchPlan out;
        out.object = &object;
        out.symbol = launch.symbol;
        const auto geometry = geometry_of(launch, scope);
        if (!geometry) return geometry.error();
        out.grid = geometry->grid;
        out.block = geometry->block;
        out.dynamic_lds = geometry->dynamic_lds;

        const pm::Kernel* compiled = object.find_kernel(launch.symbol);
        if (compiled == nullptr) return pm::Error{fmt::format("{}: no such symbol in the object", launch.symbol)};
        std::vector<const pm::KernelArgument*> wanted;
        for (const pm::KernelArgument& argument : compiled->arguments)
            if (!argument.hidden()) wanted.push_back(&argument);
        if (wanted.size() != launch.args.size())
            return pm::Error{fmt::format("{}: {} arguments declared, the object takes {}", launch.symbol,
                                         launch.args.size(), wanted.size())};
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Argument* argument = kernel.find_argument(launch.args[i]);
            if (argument == nullptr)
                return pm::Error{fmt::format("{}: argument {} is not declared", launch.symbol, launch.args[i])};
            SlotPlan slot;
            slot.offset = wanted[i]->offset;
            slot.size = wanted[i]->size;
            const std::uint32_t given =
                argument->is_buffer() ? kPointerBytes : element_bytes(concrete_type(argument->type, chip));
            if (slot.size != given)
                return pm::Error{fmt::format("{}: argument {} has {} bytes, the object takes {}", launch.symbol,
                                             argument->name, given, slot.size)};
            if (argument->is_buffer()) {
                const std::string name = buffer_name(argument->name);
                const auto at = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                             [&](const BufferPlan& b) { return b.name == name; });
                if (at == plan.buffers.end())
                    return pm::Error{fmt::format("{}: argument {} is bound to {}, which is no buffer of {}",
                                                 launch.symbol, argument->name, name, plan.who)};
                slot.buffer = static_cast<std::int32_t>(at - plan.buffers.begin());
            } else {
                const auto bits = scalar_bits(*argument, concrete_type(argument->type, chip), scope);
                if (!bits) return bits.error().with(launch.symbol);
                slot.scalar = *bits;
            }
            out.kernarg_bytes = std::max(out.kernarg_bytes, slot.offset + slot.size);
            out.slots.push_back(slot);
        }
        plan.launches.push_back(std::move(out));
    }
    return {};
}

} // namespace

const BufferPlan* ProgramPlan::find_buffer(std::string_view name) const {
    const auto at = std::find_if(buffers.begin(), buffers.end(), [&](const BufferPlan& b) { return b.name == name; });
    return at == buffers.end() ? nullptr : &*at;
}

std::size_t ProgramPlan::bytes() const {
    std::size_t sum = 0;
    for (const BufferPlan& buffer : buffers) sum += buffer.bytes();
    return sum;
}

std::uint64_t ProgramPlan::workgroups() const {
    std::uint64_t most = 0;
    for (const LaunchPlan& launch : launches) most = std::max(most, launch.workgroups());
    return most;
}

pm::Result<std::vector<DeclaredSlot>> declared_slots(const Kernel& kernel, const Launch& launch) {
    std::vector<DeclaredSlot> slots;
    std::uint32_t end = 0;
    for (const std::string& name : launch.args) {
        const Argument* argument = kernel.find_argument(name);
        if (argument == nullptr) return pm::Error{fmt::format("{}: argument {} is not declared", launch.symbol, name)};
        DeclaredSlot slot;
        slot.name = name;
        slot.buffer = argument->is_buffer();
        slot.size = slot.buffer ? kPointerBytes : element_bytes(argument->type);
        slot.offset = (end + slot.size - 1) / slot.size * slot.size;
        end = slot.offset + slot.size;
        slots.push_back(std::move(slot));
    }
    return slots;
}

pm::Result<Geometry> geometry_of(const Launch& launch, const Scope& scope) {
    Geometry geometry;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto grid = launch_number(launch.grid[d], scope, launch.symbol + " grid");
        if (!grid) return grid.error();
        const auto block = launch_number(launch.block[d], scope, launch.symbol + " block");
        if (!block) return block.error();
        geometry.grid[d] = *grid;
        geometry.block[d] = *block;
    }
    const auto lds = launch_number(launch.lds, scope, launch.symbol + " lds");
    if (!lds) return lds.error();
    geometry.dynamic_lds = *lds;
    return geometry;
}

pm::Result<ProgramPlan> plan_kernel(const Kernel& kernel, const Scope& scope, const pm::Chip& chip,
                                    const pm::CodeObject& object) {
    ProgramPlan plan;
    plan.who = kernel.name;
    for (const Argument& argument : kernel.args) {
        if (!argument.is_buffer() || argument.dir == Direction::kIntermediate) continue;
        auto buffer = plan_buffer(argument, scope, chip);
        if (!buffer) return buffer.error().with(kernel.name);
        plan.buffers.push_back(std::move(*buffer));
    }
    if (const auto added = add_launches(plan, kernel, scope, chip, object, [](const std::string& n) { return n; });
        !added)
        return added.error().with(kernel.name);
    return plan;
}

pm::Result<ProgramPlan> plan_chain(const Registry& registry, const Kernel& kernel, const Scope& scope,
                                   const pm::Chip& chip, const ObjectOfKernel& object_of_kernel) {
    ProgramPlan plan;
    plan.who = "the chain";
    for (const ReplacedStage& stage : kernel.replaces)
        plan.who += (&stage == kernel.replaces.data() ? " " : ", ") + stage.kernel;
    for (const Argument& argument : kernel.args) {
        // What the fused kernel scratches on is its own business; the chain has workspaces of its own.
        if (!argument.is_buffer() || argument.dir == Direction::kWorkspace) continue;
        auto buffer = plan_buffer(argument, scope, chip);
        if (!buffer) return buffer.error().with(kernel.name);
        plan.buffers.push_back(std::move(*buffer));
    }
    for (std::size_t i = 0; i < kernel.replaces.size(); ++i) {
        const auto bound = bind_stage(registry, kernel, kernel.replaces[i], scope);
        if (!bound) return bound.error().with(kernel.name);
        const pm::CodeObject* object = object_of_kernel(*bound->kernel);
        if (object == nullptr)
            return pm::Error{fmt::format("{}: its object was not built or could not be read", bound->kernel->name)};
        const auto name_of = [&](const std::string& name) {
            const auto at = bound->buffers.find(name);
            return at != bound->buffers.end() ? at->second : fmt::format("stage {} {}", i + 1, name);
        };
        for (const Argument& argument : bound->kernel->args) {
            if (!argument.is_buffer() || argument.dir == Direction::kIntermediate) continue;
            auto buffer = plan_buffer(argument, bound->scope, chip);
            if (!buffer) return buffer.error().with(bound->kernel->name);
            buffer->name = name_of(argument.name);
            if (plan.find_buffer(buffer->name) == nullptr) plan.buffers.push_back(std::move(*buffer));
        }
        if (const auto added = add_launches(plan, *bound->kernel, bound->scope, chip, *object, name_of); !added)
            return added.error().with(bound->kernel->name);
    }
    return plan;
}

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const auto& [name, value] : shape.values) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text;
}

} // namespace hkc
