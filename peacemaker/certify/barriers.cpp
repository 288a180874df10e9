#include "peacemaker/certify/barriers.h"

#include <fmt/format.h>

namespace pm::certify {
namespace {

enum class Pending : std::uint8_t { kUnreached, kNone, kSignalled, kEither };

Pending joined(Pending a, Pending b) {
    if (a == Pending::kUnreached) return b;
    return b == Pending::kUnreached || a == b ? a : Pending::kEither;
}

} // namespace

std::vector<Obligation> check_divergence(const Code& code, const Uniformity& uniformity) {
    std::vector<std::uint32_t> barriers;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step)
        if (code.steps[step].effects.barrier != BarrierRole::kNone) barriers.push_back(step);
    std::vector<Obligation> found;
    for (const std::uint32_t step : barriers) {
        const auto branch = uniformity.decider(block_of(code, step));
        if (!branch) continue;
        const Block& block = code.blocks[*branch];
        found.push_back(
            {kind::kBarrierDivergence,
             step,
             fmt::format("whether or how often it is reached depends on the branch at +{:#x}, which was not "
                         "shown to go one way in all waves",
                         code.steps[block.first + block.count - 1].at),
             {block.first + block.count - 1, step},
             false});
    }
    return found;
}

std::vector<Obligation> check_pairing(const Code& code) {
    const auto pass = [&](std::uint32_t step, Pending& state) {
        const BarrierRole role = code.steps[step].effects.barrier;
        if (role == BarrierRole::kSignal) state = Pending::kSignalled;
        if (role == BarrierRole::kWait) state = Pending::kNone;
    };
    const auto join = [](Pending& into, Pending from) {
        const Pending before = into;
        into = joined(into, from);
        return into != before;
    };
    std::vector<Obligation> found;
    const auto judge = [&](std::uint32_t step, Pending state) {
        const Effects& effects = code.steps[step].effects;
        const bool signals = effects.barrier == BarrierRole::kSignal, waits = effects.barrier == BarrierRole::kWait;
        if (!signals && !waits && effects.flow != Flow::kEnd) return;
        if (state == (waits ? Pending::kSignalled : Pending::kNone) || state == Pending::kUnreached) return;
        const bool on_every_path = state != Pending::kEither;
        found.push_back({kind::kBarrierPairing,
                         step,
                         fmt::format("{}{}",
                                     signals ? "signals again before it has waited"
                                     : waits ? "waits for a barrier that it has not signalled"
                                             : "ends before it has waited",
                                     on_every_path ? "" : " on some path"),
                         {},
                         on_every_path});
    };
    for_each_step(code, Pending::kNone, pass, join, judge);
    return found;
}

} // namespace pm::certify
