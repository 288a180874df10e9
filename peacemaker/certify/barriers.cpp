#include "peacemaker/certify/barriers.h"

#include <fmt/format.h>

#include <set>

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
    std::vector<Pending> at_block(code.blocks.size(), Pending::kUnreached);
    if (at_block.empty()) return {};
    at_block[0] = Pending::kNone;
    const auto after = [&](std::uint32_t block, auto&& each) {
        Pending state = at_block[block];
        for (std::uint32_t i = 0; i < code.blocks[block].count; ++i) {
            const std::uint32_t step = code.blocks[block].first + i;
            const BarrierRole role = code.steps[step].effects.barrier;
            if (role == BarrierRole::kSignal || role == BarrierRole::kWait) {
                each(step, role, state);
                state = role == BarrierRole::kSignal ? Pending::kSignalled : Pending::kNone;
            } else if (code.steps[step].effects.flow == Flow::kEnd) {
                each(step, role, state);
            }
        }
        return state;
    };
    std::set<std::uint32_t> work{0};
    while (!work.empty()) {
        const std::uint32_t block = *work.begin();
        work.erase(work.begin());
        const Pending state = after(block, [](std::uint32_t, BarrierRole, Pending) {});
        for (const std::uint32_t next : code.blocks[block].next) {
            const Pending merged = joined(at_block[next], state);
            if (merged == at_block[next]) continue;
            at_block[next] = merged;
            work.insert(next);
        }
    }
    std::vector<Obligation> found;
    for (std::uint32_t block = 0; block < code.blocks.size(); ++block)
        (void)after(block, [&](std::uint32_t step, BarrierRole role, Pending state) {
            const Pending wanted = role == BarrierRole::kWait ? Pending::kSignalled : Pending::kNone;
            if (state == wanted || state == Pending::kUnreached) return;
            const bool on_every_path = state != Pending::kEither;
            found.push_back({kind::kBarrierPairing,
                             step,
                             fmt::format("{}{}",
                                         role == BarrierRole::kSignal ? "signals again before it has waited"
                                         : role == BarrierRole::kWait ? "waits for a barrier that it has not signalled"
                                                                      : "ends before it has waited",
                                         on_every_path ? "" : " on some path"),
                             {},
                             on_every_path});
        });
    return found;
}

} // namespace pm::certify
