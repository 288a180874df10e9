#include "contract/registry/registry.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hkc {
namespace {

std::vector<std::string> bindable_names(const Kernel& stage) {
    std::vector<std::string> names;
    for (const auto& [name, value] : stage.shapes.front().values) names.push_back(name);
    for (const Argument& argument : stage.args) {
        if (argument.is_buffer() && argument.dir != Direction::kIntermediate) names.push_back(argument.name);
    }
    return names;
}

} // namespace

pm::Result<StageBinding> bind_stage(const Registry& registry, const Kernel& kernel, const ReplacedStage& stage,
                                    const Scope& scope) {
    StageBinding binding;
    binding.kernel = registry.find_kernel(stage.kernel);
    if (binding.kernel == nullptr)
        return pm::Error{fmt::format("replaces '{}', which is no kernel of the registry", stage.kernel)};
    const Kernel& target = *binding.kernel;
    if (target.shapes.empty()) return pm::Error{fmt::format("replaces '{}', which has no shapes", stage.kernel)};

    const std::vector<std::string> names = bindable_names(target);
    for (const auto& [name, bound] : stage.args) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            return pm::Error{
                fmt::format("binds '{}', which is no buffer or shape variable of '{}'{}; expected one of {}", name,
                            stage.kernel, pm::did_you_mean(name, names), fmt::join(names, ", "))};
    }
    binding.scope = target.params;
    for (const auto& [variable, ignored] : target.shapes.front().values) {
        const auto bound = stage.args.find(variable);
        const auto expr = Expr::parse(bound == stage.args.end() ? variable : bound->second);
        if (!expr) return expr.error().with(fmt::format("variable '{}' of '{}'", variable, stage.kernel));
        const auto value = expr->evaluate(scope);
        if (!value) return value.error().with(fmt::format("variable '{}' of '{}'", variable, stage.kernel));
        binding.scope[variable] = *value;
    }
    for (const Argument& argument : target.args) {
        if (!argument.is_buffer() || argument.dir == Direction::kIntermediate) continue;
        const auto bound = stage.args.find(argument.name);
        const std::string& name = bound == stage.args.end() ? argument.name : bound->second;
        const Argument* own = kernel.find_argument(name);
        // A stage's workspace is nobody's data: unbound, it is the caller's to allocate.
        if (own == nullptr && bound == stage.args.end() && argument.dir == Direction::kWorkspace) continue;
        if (own == nullptr || !own->is_buffer()) {
            std::vector<std::string> buffers;
            for (const Argument& candidate : kernel.args) {
                if (candidate.is_buffer()) buffers.push_back(candidate.name);
            }
            return pm::Error{fmt::format(
                "argument '{}' of '{}' cannot bind: '{}' is no buffer here{}; expected one of {}", argument.name,
                stage.kernel, name, pm::did_you_mean(name, buffers), fmt::join(buffers, ", "))};
        }
        binding.buffers[argument.name] = name;
    }
    return binding;
}

pm::Result<std::string> apply_edits(std::string text, const PlantBuild& build) {
    for (std::size_t i = 0; i < build.edit.size(); ++i) {
        const auto& [from, to] = build.edit[i];
        const std::size_t first = from.empty() ? std::string::npos : text.find(from);
        if (first == std::string::npos)
            return pm::Error{fmt::format("edit {}: '{}' is not in the source; expected it exactly once", i + 1, from)};
        if (text.find(from, first + 1) != std::string::npos)
            return pm::Error{
                fmt::format("edit {}: '{}' is in the source more than once; expected it exactly once", i + 1, from)};
        text.replace(first, from.size(), to);
    }
    return text;
}

} // namespace hkc
