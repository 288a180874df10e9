#include "contract/gates/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hkc {
namespace {

constexpr std::array kGates = {
    Gate{1, "load", "the object is for this chip, takes the declared arguments, and its smallest shape launches",
         gate::run_load},
    Gate{2, "memory", "it writes every output byte, nothing else, the same each time, and reads nothing undefined",
         gate::run_memory},
    Gate{3, "shapes", "every declared shape gives what the oracle allows and what the replaced kernels give",
         gate::run_shapes},
    Gate{4, "edges", "extreme values, smallest alignment, other streams and graph replays change nothing",
         gate::run_edges},
    Gate{5, "limits", "the objects that were loaded cost what their records say, and no more than the chip has",
         gate::run_limits},
};

constexpr std::size_t kFindingsOfAKind = 4;

} // namespace

std::span<const Gate> gates() { return kGates; }

const Gate* find_gate(std::uint32_t number) {
    const auto at = std::find_if(kGates.begin(), kGates.end(), [&](const Gate& g) { return g.number == number; });
    return at == kGates.end() ? nullptr : &*at;
}

void add_finding(GateResult& result, std::string_view kind, std::string text, std::string source) {
    result.findings.push_back({std::string(kind), std::move(text), std::move(source)});
}

bool decided(const GateContext& context, const GateResult& result) {
    return context.options.first_finding_only && !result.findings.empty();
}

bool add_trouble(GateResult& result, LaunchTrouble&& trouble) {
    for (Finding& finding : trouble.findings) result.findings.push_back(std::move(finding));
    for (std::string& reason : trouble.unsupported)
        if (std::find(result.unchecked.begin(), result.unchecked.end(), reason) == result.unchecked.end())
            result.unchecked.push_back(std::move(reason));
    return !trouble.stopped;
}

void finish(GateResult& result) {
    std::map<std::string, std::size_t> count;
    std::vector<Finding> kept;
    for (Finding& finding : result.findings)
        if (++count[finding.kind] <= kFindingsOfAKind) kept.push_back(std::move(finding));
    for (const auto& [kind, number] : count) {
        if (number <= kFindingsOfAKind) continue;
        const auto last = std::find_if(kept.rbegin(), kept.rend(), [&](const Finding& f) { return f.kind == kind; });
        last->text += fmt::format(" (and {} further findings of this kind)", number - kFindingsOfAKind);
    }
    result.findings = std::move(kept);
    if (!result.findings.empty()) {
        result.status = Status::kFail;
        return;
    }
    if (result.unchecked.empty() && result.checks == 0) result.unchecked.emplace_back("the gate made no check");
    result.status = result.unchecked.empty() ? Status::kPass : Status::kUnchecked;
}

std::vector<GateResult> run_gates(GateContext& context, const std::vector<std::uint32_t>& numbers,
                                  const std::function<void(std::uint32_t)>& on_start,
                                  const std::function<bool(const GateResult&)>& on_end) {
    std::vector<GateResult> results;
    bool loaded = true;
    for (const std::uint32_t number : numbers) {
        const Gate* gate = find_gate(number);
        if (gate == nullptr) continue;
        GateResult result;
        result.gate = number;
        on_start(number);
        const std::uint64_t launches = context.session.launches;
        if (!loaded && number >= 2 && number <= 4)
            result.unchecked.emplace_back("not launched: gate 1 did not pass");
        else
            gate->run(context, result);
        result.launches = context.session.launches - launches;
        finish(result);
        if (number == 1) loaded = result.status == Status::kPass;
        const bool go_on = on_end(result);
        results.push_back(std::move(result));
        if (!go_on) break;
    }
    return results;
}

namespace {

/// The key whose value is computed by `make` when first asked.
template <typename Map, typename Make>
auto& cached(Map& map, const typename Map::key_type& key, const Make& make) {
    auto at = map.find(key);
    if (at == map.end()) at = map.emplace(key, make()).first;
    return at->second;
}

} // namespace

const pm::Result<ProgramPlan>& GateContext::plan(std::size_t index) {
    return cached(plans_, index, [&]() -> pm::Result<ProgramPlan> {
        if (subject.object == nullptr) return pm::Error{subject.object_error};
        return plan_kernel(subject.kernel, scope_of(subject.kernel, shape(index)), *subject.chip, *subject.object);
    });
}

const pm::Result<ProgramPlan>& GateContext::chain(std::size_t index) {
    return cached(chains_, index, [&] {
        return plan_chain(*subject.registry, subject.kernel, scope_of(subject.kernel, shape(index)), *subject.chip,
                          subject.object_of_kernel);
    });
}

std::size_t GateContext::smallest_shape() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < subject.kernel.shapes.size(); ++i)
        if (plan(i) && (!plan(best) || plan(i)->bytes() < plan(best)->bytes())) best = i;
    return best;
}

std::optional<std::size_t> GateContext::smallest_shape_of_two_workgroups() {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < subject.kernel.shapes.size(); ++i)
        if (plan(i) && plan(i)->workgroups() >= 2 && (!best || plan(i)->bytes() < plan(*best)->bytes())) best = i;
    return best;
}

std::vector<std::size_t> GateContext::memory_shapes() {
    std::vector<std::size_t> shapes{smallest_shape()};
    bool served = false;
    for (std::size_t i = 0; i < subject.kernel.shapes.size(); ++i) {
        const bool first_served = shape(i).served && !served;
        served = served || shape(i).served;
        const bool wanted = options.thorough || shape(i).ragged || first_served;
        if (wanted && i != shapes.front()) shapes.push_back(i);
    }
    return shapes;
}

const Inputs& GateContext::inputs(std::size_t index, std::uint64_t seed) {
    return cached(inputs_, {index, seed}, [&] { return random_inputs(*plan(index), seed); });
}

pm::Result<OracleOutput> GateContext::bounds_of(std::size_t index, const Inputs& inputs) const {
    const Oracle* oracle = find_oracle(subject.kernel.oracle);
    if (oracle == nullptr) return pm::Error{fmt::format("no oracle \"{}\"", subject.kernel.oracle)};
    OracleInput input;
    input.kernel = &subject.kernel;
    input.chip = subject.chip;
    input.scope = scope_of(subject.kernel, shape(index));
    for (const auto& [name, bytes] : inputs.buffers) input.buffers[name] = bytes;
    return (*oracle)(input);
}

const pm::Result<OracleOutput>& GateContext::bounds(std::size_t index, std::uint64_t seed) {
    return cached(bounds_, {index, seed}, [&] { return bounds_of(index, inputs(index, seed)); });
}

std::optional<Outputs> GateContext::run(const ProgramPlan& plan, std::size_t index, const Inputs& inputs,
                                        LaunchTrouble& trouble) {
    const std::string head = plan.who == subject.kernel.name ? where(index, inputs)
                                                             : fmt::format("{} of {}", plan.who, where(index, inputs));
    const auto prepared = Prepared::create(session, plan, inputs, {});
    if (!prepared) {
        note_error(session, prepared.error(), head, trouble);
        return std::nullopt;
    }
    return run_once(session, *prepared, Poison::kFirst, head, trouble);
}

const std::optional<Outputs>& GateContext::chain_outputs(std::size_t index, std::uint64_t seed,
                                                         LaunchTrouble& trouble) {
    return cached(chain_outputs_, {index, seed},
                  [&] { return run(*chain(index), index, inputs(index, seed), trouble); });
}

std::string GateContext::where(std::size_t index, const Inputs& inputs) const {
    return fmt::format("{} on {}, shape {} ({})", subject.name, subject.chip->name, shape_text(shape(index)),
                       inputs.label);
}

} // namespace hkc
