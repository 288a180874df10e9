// Gate 3: every declared shape against the oracle's interval and against the kernels that it replaces.

#include "contract/gates/compare.h"
#include "contract/gates/gate.h"

#include <fmt/format.h>

namespace hkc::gate {
namespace {

constexpr std::size_t kSmallLaunch = 64U << 10U; // bytes of buffers below which a second seed costs nothing
constexpr std::uint64_t kThoroughSeeds = 3;

std::uint64_t seeds_of(const GateContext& context, const ProgramPlan& plan) {
    if (context.options.thorough) return kThoroughSeeds;
    return plan.bytes() <= kSmallLaunch ? 2 : 1;
}

/// Returns whether the gate can go on.
bool check(GateContext& context, GateResult& result, std::size_t shape, std::uint64_t seed) {
    const auto& plan = context.plan(shape);
    const Kernel& kernel = context.subject.kernel;
    const Inputs& inputs = context.inputs(shape, seed);
    const std::string where = context.where(shape, inputs);
    LaunchTrouble trouble;
    const auto outputs = context.run(*plan, shape, inputs, trouble);
    if (!add_trouble(result, std::move(trouble)) || !outputs) return false;

    const auto& bounds = context.bounds(shape, seed);
    if (!bounds) result.unchecked.push_back(fmt::format("{}: oracle: {}", where, bounds.error().text));
    const auto judge_bounds = [&](const Outputs& judged, const std::string& head) {
        std::vector<Finding> found;
        for (const BufferPlan& buffer : plan->buffers) {
            if (!buffer.is_output()) continue;
            const auto of_buffer = bounds->find(buffer.name);
            if (of_buffer == bounds->end()) {
                result.unchecked.push_back(fmt::format("{}: the oracle says nothing of {}", head, buffer.name));
                continue;
            }
            auto outside = outside_bounds(buffer, judged.at(buffer.name), of_buffer->second, head);
            if (!outside) {
                result.unchecked.push_back(outside.error().text);
                continue;
            }
            ++result.checks;
            found.insert(found.end(), outside->begin(), outside->end());
        }
        return found;
    };
    if (bounds)
        for (Finding& finding : judge_bounds(*outputs, where)) result.findings.push_back(std::move(finding));

    if (kernel.replaces.empty()) return true;
    const auto& chain = context.chain(shape);
    if (!chain) {
        result.unchecked.push_back(fmt::format("{}: the replaced chain: {}", where, chain.error().text));
        return true;
    }
    LaunchTrouble chain_trouble;
    const auto& replaced = context.chain_outputs(shape, seed, chain_trouble);
    if (!add_trouble(result, std::move(chain_trouble)) || !replaced) return false;
    if (kernel.match == Match::kBound) {
        // Both answer the same question: what the replaced kernels give must lie in the same bounds.
        if (!bounds) return true;
        for (Finding& finding : judge_bounds(*replaced, fmt::format("{} of {}", chain->who, where)))
            add_finding(result, kind::kDiffersFromReplaced, std::move(finding.text));
        return true;
    }
    for (const BufferPlan& buffer : plan->buffers) {
        if (!buffer.is_output()) continue;
        ++result.checks;
        if (auto finding = differing(kind::kDiffersFromReplaced, buffer, outputs->at(buffer.name),
                                     replaced->at(buffer.name), Equality::kBytes, where, chain->who))
            result.findings.push_back(std::move(*finding));
    }
    return true;
}

} // namespace

void run_shapes(GateContext& context, GateResult& result) {
    for (std::size_t shape = 0; shape < context.subject.kernel.shapes.size(); ++shape) {
        if (decided(context, result)) return;
        const auto& plan = context.plan(shape);
        if (!plan) {
            result.unchecked.push_back(
                fmt::format("shape {}: {}", shape_text(context.shape(shape)), plan.error().text));
            continue;
        }
        for (std::uint64_t extra = 0; extra < seeds_of(context, *plan); ++extra)
            if (!check(context, result, shape, context.options.seed + extra)) return;
    }
}

} // namespace hkc::gate
