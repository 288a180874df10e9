// Gate 2: what a launch may touch. Guards, exact allocations, poison, outputs never written, repeats, and what the
// device saw.

#include "contract/gates/compare.h"
#include "contract/gates/gate.h"

#include <fmt/format.h>

namespace hkc::gate {
namespace {

constexpr int kRepeats = 20;

/// One launch on freshly placed buffers, with everything that must not have changed. Nothing where it was stopped.
std::optional<Outputs> launch_once(GateContext& context, GateResult& result, const ProgramPlan& plan, std::size_t shape,
                                   const BufferOptions& buffers, Poison poison) {
    const Inputs& inputs = context.inputs(shape, context.options.seed);
    const std::string where = context.where(shape, inputs);
    LaunchTrouble trouble;
    const auto prepared = Prepared::create(context.session, plan, inputs, buffers);
    std::optional<Outputs> outputs;
    if (prepared)
        outputs = run_once(context.session, *prepared, poison, where, trouble);
    else
        note_error(context.session, prepared.error(), where, trouble);
    if (outputs) {
        if (auto changed = prepared->changed(where)) {
            for (Finding& finding : *changed) trouble.findings.push_back(std::move(finding));
            result.checks += prepared->checks_of_changed();
        } else {
            note_error(context.session, changed.error(), where, trouble);
        }
    }
    if (!add_trouble(result, std::move(trouble))) return std::nullopt;
    return outputs;
}

/// Guards and exact sizes, one poison each. Returns whether the gate can go on.
bool check_shape(GateContext& context, GateResult& result, std::size_t shape) {
    const auto& plan = context.plan(shape);
    const std::string where = context.where(shape, context.inputs(shape, context.options.seed));
    const auto first = launch_once(context, result, *plan, shape, {Placement::kGuarded, false}, Poison::kFirst);
    if (!first) return false;
    const auto second = launch_once(context, result, *plan, shape, {Placement::kExact, false}, Poison::kSecond);
    if (!second) return false;
    for (const BufferPlan& buffer : plan->buffers) {
        if (!buffer.is_output()) continue;
        ++result.checks;
        if (buffer.poisoned()) {
            for (Finding& finding : unwritten_or_unstable(buffer, first->at(buffer.name), second->at(buffer.name),
                                                          context.subject.kernel.bitwise, where))
                result.findings.push_back(std::move(finding));
        } else if (context.subject.kernel.bitwise) {
            if (auto finding = differing(kind::kNotRepeatable, buffer, first->at(buffer.name), second->at(buffer.name),
                                         Equality::kBytes, where, "the launch before"))
                result.findings.push_back(std::move(*finding));
        }
    }
    return true;
}

bool check_repeats(GateContext& context, GateResult& result, std::size_t shape) {
    const auto& plan = context.plan(shape);
    const Inputs& inputs = context.inputs(shape, context.options.seed);
    const std::string where = context.where(shape, inputs);
    LaunchTrouble trouble;
    const auto prepared = Prepared::create(context.session, *plan, inputs, {});
    if (!prepared) {
        note_error(context.session, prepared.error(), where, trouble);
        return add_trouble(result, std::move(trouble));
    }
    std::optional<Outputs> first;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        auto outputs =
            run_once(context.session, *prepared, repeat % 2 == 0 ? Poison::kFirst : Poison::kSecond, where, trouble);
        if (!outputs) break;
        if (!first) {
            first = std::move(outputs);
            continue;
        }
        for (const BufferPlan& buffer : plan->buffers) {
            if (!buffer.is_output()) continue;
            ++result.checks;
            if (auto finding =
                    differing(kind::kNotRepeatable, buffer, outputs->at(buffer.name), first->at(buffer.name),
                              Equality::kBytes, fmt::format("{}, repeat {}", where, repeat), "the first launch"))
                trouble.findings.push_back(std::move(*finding));
        }
        if (!trouble.findings.empty()) break;
    }
    return add_trouble(result, std::move(trouble));
}

void launch_all(GateContext& context, GateResult& result) {
    for (Finding& finding : context.held) result.findings.push_back(std::move(finding));
    context.held.clear();
    for (const std::size_t shape : context.memory_shapes()) {
        if (decided(context, result)) return;
        if (!context.plan(shape)) {
            result.unchecked.push_back(
                fmt::format("shape {}: {}", shape_text(context.shape(shape)), context.plan(shape).error().text));
            continue;
        }
        if (!check_shape(context, result, shape)) return;
    }
    if (decided(context, result)) return;
    // Outputs that nothing ever wrote: a device that tracks initialisation sees a byte that the launch left out.
    const auto two = context.smallest_shape_of_two_workgroups();
    const std::size_t fresh = two.value_or(context.smallest_shape());
    if (context.plan(fresh) &&
        !launch_once(context, result, *context.plan(fresh), fresh, {Placement::kExact, false}, Poison::kNone))
        return;
    if (!context.subject.kernel.bitwise) return;
    if (!two) {
        result.unchecked.push_back(fmt::format(
            "{}: no declared shape fills two workgroups, so repeats were not compared", context.subject.name));
        return;
    }
    (void)check_repeats(context, result, *two);
}

} // namespace

void run_memory(GateContext& context, GateResult& result) {
    launch_all(context, result);
    if (context.subject.object == nullptr) return;
    const std::string where = fmt::format("{} on {}", context.subject.name, context.subject.chip->name);
    auto changed = context.session.changed_globals(*context.subject.object, where);
    if (!changed) {
        result.unchecked.push_back(fmt::format("{}: {}", where, changed.error().text));
        return;
    }
    ++result.checks;
    result.findings.insert(result.findings.end(), changed->begin(), changed->end());
}

} // namespace hkc::gate
