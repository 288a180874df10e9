#include "peacemaker/certify/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pm::certify {
namespace {

/// One outstanding operation, by the step that issued it. Bit i of `open` says that its i-th class is not done.
struct Operation {
    std::uint32_t step = 0;
    std::uint8_t open = 0;
    std::array<std::uint8_t, 2> younger{}; // by class, saturated at kMany

    bool operator==(const Operation&) const = default;
};
constexpr std::uint8_t kMany = 64;

using State = std::vector<Operation>; // by step, each once

class Waits {
public:
    Waits(const Chip& chip, const Code& code) : chip_(chip), code_(code) {}

    /// Calls each(step, state before it) for every step.
    template <typename F>
    void for_each(F each) const {
        for_each_step(
            code_, State{}, [this](std::uint32_t step, State& state) { pass(step, state); },
            [](State& into, const State& from) { return join(into, from); }, each);
    }

    /// Steps from the one that issued an operation to `to`, on a shortest path that leaves it outstanding there: the
    /// first, those where blocks begin, and the last.
    std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to) const {
        struct Node {
            std::uint32_t step = 0;
            Operation operation;
            std::size_t parent = 0;
        };
        std::vector<Node> nodes{{from, fresh(from), 0}};
        std::set<std::pair<std::uint32_t, std::pair<std::uint8_t, std::array<std::uint8_t, 2>>>> seen;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (i != 0 && nodes[i].step == to) return trace(nodes, i);
            State state{nodes[i].operation};
            if (i != 0) settle(nodes[i].step, state);
            if (state.empty()) continue;
            for (const std::uint32_t next : steps_after(code_, nodes[i].step))
                if (seen.insert({next, {state[0].open, state[0].younger}}).second) nodes.push_back({next, state[0], i});
        }
        return {};
    }

    bool is_tracked(const Effects& effects) const { return !effects.late.empty() || effects.writes_lds; }

private:
    Operation fresh(std::uint32_t step) const {
        Operation operation{step, 0, {}};
        for (std::size_t i = 0; i < code_.steps[step].effects.issues.size(); ++i)
            operation.open |= static_cast<std::uint8_t>(1U << i);
        return operation;
    }

    /// What a step makes of operations that are outstanding before it: its waits, and its own issue behind them.
    void settle(std::uint32_t step, State& state) const {
        const Effects& effects = code_.steps[step].effects;
        for (Operation& operation : state) {
            const std::vector<ReturnClass>& classes = code_.steps[operation.step].effects.issues;
            for (std::size_t i = 0; i < classes.size(); ++i) {
                const auto bit = static_cast<std::uint8_t>(1U << i);
                if ((operation.open & bit) == 0) continue;
                const Counter counter = isa::counter_of(chip_, classes[i]);
                for (const Wait& wait : effects.waits) {
                    if (wait.counter != counter) continue;
                    if (wait.most == 0 || (isa::returns_in_order(classes[i]) && operation.younger[i] >= wait.most))
                        operation.open &= static_cast<std::uint8_t>(~bit);
                }
                for (const ReturnClass issued : effects.issues)
                    if (issued == classes[i] && operation.younger[i] < kMany) ++operation.younger[i];
                // A full counter holds the next operation back until its oldest is done.
                if (isa::returns_in_order(classes[i]) && operation.younger[i] >= isa::capacity_of(chip_, counter))
                    operation.open &= static_cast<std::uint8_t>(~bit);
            }
        }
        std::erase_if(state, [](const Operation& operation) { return operation.open == 0; });
    }

    void pass(std::uint32_t step, State& state) const {
        settle(step, state);
        const Effects& effects = code_.steps[step].effects;
        if (!effects.issues.empty() && is_tracked(effects)) (void)join(state, {fresh(step)});
    }

    /// Adds what `from` leaves outstanding; whether that changed anything.
    static bool join(State& into, const State& from) {
        bool changed = false;
        for (const Operation& operation : from) {
            const auto found =
                std::lower_bound(into.begin(), into.end(), operation.step,
                                 [](const Operation& one, std::uint32_t step) { return one.step < step; });
            if (found == into.end() || found->step != operation.step) {
                into.insert(found, operation);
                changed = true;
                continue;
            }
            const Operation old = *found;
            for (std::size_t i = 0; i < old.younger.size(); ++i) {
                const auto bit = static_cast<std::uint8_t>(1U << i);
                if ((operation.open & bit) == 0) continue;
                found->younger[i] =
                    (old.open & bit) == 0 ? operation.younger[i] : std::min(old.younger[i], operation.younger[i]);
            }
            found->open |= operation.open;
            changed = changed || *found != old;
        }
        return changed;
    }

    template <typename Nodes>
    std::vector<std::uint32_t> trace(const Nodes& nodes, std::size_t last) const {
        std::vector<std::uint32_t> steps{nodes[last].step};
        for (std::size_t i = nodes[last].parent; i != 0; i = nodes[i].parent)
            if (std::any_of(code_.blocks.begin(), code_.blocks.end(),
                            [&](const Block& block) { return block.first == nodes[i].step; }))
                steps.push_back(nodes[i].step);
        steps.push_back(nodes[0].step);
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    const Chip& chip_;
    const Code& code_;
};

} // namespace

std::string span_text(const Span& span) {
    std::string text;
    if (isa::is_vector(span.first) || span.first < isa::kVccLo) {
        const char letter = isa::is_vector(span.first) ? 'v' : 's';
        const unsigned first = isa::is_vector(span.first) ? span.first : span.first - isa::kScalar;
        text = span.count == 1 ? fmt::format("{}{}", letter, first)
                               : fmt::format("{}[{}:{}]", letter, first, first + span.count - 1);
    } else if (span.first == isa::kVccLo) {
        text = "vcc";
    } else if (span.first == isa::kExecLo) {
        text = "exec";
    } else if (span.first == isa::kM0) {
        text = "m0";
    } else {
        text = fmt::format("scalar register {}", span.first - isa::kScalar);
    }
    if (span.half == Half::kLow) text += ".l";
    if (span.half == Half::kHigh) text += ".h";
    return text;
}

std::vector<Obligation> check_waits(const Chip& chip, const Code& code) {
    const Waits waits(chip, code);
    std::vector<Obligation> found;
    waits.for_each([&](std::uint32_t step, const State& before) {
        const Effects& effects = code.steps[step].effects;
        for (const Operation& operation : before) {
            const Effects& earlier = code.steps[operation.step].effects;
            const auto add = [&](std::string_view kind, const Span& span, std::string_view verb) {
                found.push_back({kind, step, fmt::format("{} is {} while it is in flight", span_text(span), verb),
                                 waits.path(operation.step, step), true});
            };
            if (const auto span = clash(effects.reads, earlier.late)) add(kind::kReadBeforeWait, *span, "read");
            if (const auto span = clash(effects.writes, earlier.late))
                add(kind::kOverwriteBeforeWait, *span, "written");
            const bool in_order = effects.issues.size() == 1 && effects.issues == earlier.issues &&
                                  isa::writes_in_order(chip, effects.issues[0]);
            if (in_order) continue;
            if (const auto span = clash(effects.late, earlier.late))
                add(kind::kOverwriteBeforeWait, *span, "loaded again");
        }
    });
    return found;
}

namespace {

/// Calls each(step, operation) for the LDS operations outstanding where a wave says that it has reached a barrier.
template <typename F>
void for_each_undrained(const Waits& waits, const Code& code, F each) {
    const auto signals = [](const Step& step) {
        return step.effects.barrier == BarrierRole::kSignal || step.effects.barrier == BarrierRole::kSignalAndWait;
    };
    if (std::none_of(code.steps.begin(), code.steps.end(), signals)) return;
    waits.for_each([&](std::uint32_t step, const State& before) {
        if (!signals(code.steps[step])) return;
        for (const Operation& operation : before) {
            const Effects& earlier = code.steps[operation.step].effects;
            if (!earlier.touches_lds) continue;
            const auto lds = static_cast<std::size_t>(
                std::find(earlier.issues.begin(), earlier.issues.end(), ReturnClass::kLdsOp) - earlier.issues.begin());
            if ((operation.open >> lds & 1U) != 0) each(step, operation.step);
        }
    });
}

} // namespace

std::vector<Obligation> check_drains(const Chip& chip, const Code& code) {
    const Waits waits(chip, code);
    std::vector<Obligation> found;
    for_each_undrained(waits, code, [&](std::uint32_t step, std::uint32_t operation) {
        if (code.steps[operation].effects.writes_lds)
            found.push_back({kind::kUndrainedLds, step, "an LDS store of this wave may still be outstanding",
                             waits.path(operation, step), true});
    });
    return found;
}

std::map<std::uint32_t, std::vector<std::uint32_t>> lds_across_barriers(const Chip& chip, const Code& code) {
    const Waits waits(chip, code);
    std::map<std::uint32_t, std::vector<std::uint32_t>> found;
    for_each_undrained(waits, code,
                       [&](std::uint32_t step, std::uint32_t operation) { found[step].push_back(operation); });
    for (auto& [step, operations] : found) std::sort(operations.begin(), operations.end());
    return found;
}

} // namespace pm::certify
