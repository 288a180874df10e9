#include "peacemaker/certify/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <optional>
#include <set>

namespace pm::certify {
namespace {

/// Scalar registers that may differ between waves, by number past isa::kScalar.
using Varying = std::bitset<isa::kRegisterCount - isa::kScalar>;

/// At the entry all waves share the user SGPRs and the workgroup's ids, on gfx12 those of ttmp9 and ttmp7, and nothing
/// else: what follows them is a wave's own or was never set. Source: llvm/docs/AMDGPUUsage.rst, "Initial Kernel
/// Execution State".
Varying varying_at_entry(const Chip& chip, const Kernel& kernel) {
    Varying out;
    out.set();
    const std::uint32_t word = kernel.descriptor.compute_pgm_rsrc2;
    const std::uint32_t user = descriptor_field(word, 1, 5);
    const std::uint32_t ids = chip.generation < 12 ? descriptor_field(word, 7, 1) + descriptor_field(word, 8, 1) +
                                                         descriptor_field(word, 9, 1)
                                                   : 0;
    for (std::uint32_t i = 0; i < user + ids; ++i) out.reset(i);
    if (chip.generation >= 12)
        for (const unsigned i : {7U, 9U}) out.reset(isa::kTtmp0 - isa::kScalar + i);
    return out;
}

class Uniformity {
public:
    Uniformity(const Chip& chip, const Kernel& kernel, const Code& code)
        : code_(code), deciders_(deciding_branches(code)), divergent_(code.blocks.size(), false) {
        // A branch found to differ makes what depends on it differ, which may make further branches differ.
        do solve(varying_at_entry(chip, kernel));
        while (spread());
    }

    /// A branch, by its block, that may go another way in another wave and decides about `block`.
    std::optional<std::uint32_t> decider(std::uint32_t block) const {
        for (const std::uint32_t branch : deciders_[block])
            if (varies(branch)) return branch;
        return std::nullopt;
    }

private:
    void solve(const Varying& entry) {
        at_block_.assign(code_.blocks.size(), {});
        branch_varies_.assign(code_.blocks.size(), false);
        std::set<std::uint32_t> work;
        if (!code_.blocks.empty()) {
            at_block_[0] = entry;
            for (std::uint32_t i = 0; i < code_.blocks.size(); ++i) work.insert(i);
        }
        while (!work.empty()) {
            const std::uint32_t block = *work.begin();
            work.erase(work.begin());
            Varying state = at_block_[block];
            for (std::uint32_t i = 0; i < code_.blocks[block].count; ++i)
                pass(code_.steps[code_.blocks[block].first + i].effects, divergent_[block], state);
            branch_varies_[block] = reads_varying(last(block), state);
            for (const std::uint32_t next : code_.blocks[block].next) {
                const Varying joined = at_block_[next] | state;
                if (joined == at_block_[next]) continue;
                at_block_[next] = joined;
                work.insert(next);
            }
        }
    }

    /// Marks blocks that a varying branch decides about; whether there are more than before.
    bool spread() {
        bool more = false;
        for (std::uint32_t block = 0; block < code_.blocks.size(); ++block) {
            if (divergent_[block] || !decider(block)) continue;
            divergent_[block] = true;
            more = true;
        }
        return more;
    }

    const Effects& last(std::uint32_t block) const {
        return code_.steps[code_.blocks[block].first + code_.blocks[block].count - 1].effects;
    }
    bool varies(std::uint32_t branch) const { return branch_varies_[branch]; }

    static bool reads_varying(const Effects& effects, const Varying& state) {
        for (const Span& span : effects.reads)
            for (unsigned i = 0; i < span.count; ++i)
                if (isa::is_vector(span.first) || state.test(span.first + i - isa::kScalar)) return true;
        return false;
    }

    static void pass(const Effects& effects, bool divergent, Varying& state) {
        const bool varies = divergent || !effects.is_scalar || reads_varying(effects, state);
        for (const std::vector<Span>* spans : {&effects.writes, &effects.late})
            for (const Span& span : *spans)
                for (unsigned i = 0; i < span.count && !isa::is_vector(span.first); ++i)
                    state.set(span.first + i - isa::kScalar, varies);
    }

    const Code& code_;
    std::vector<std::vector<std::uint32_t>> deciders_;
    std::vector<bool> divergent_;
    std::vector<Varying> at_block_;
    std::vector<bool> branch_varies_;
};

std::uint32_t block_of(const Code& code, std::uint32_t step) {
    const auto after = std::upper_bound(code.blocks.begin(), code.blocks.end(), step,
                                        [](std::uint32_t s, const Block& block) { return s < block.first; });
    return static_cast<std::uint32_t>(after - code.blocks.begin()) - 1;
}

enum class Pending : std::uint8_t { kUnreached, kNone, kSignalled, kEither };

Pending joined(Pending a, Pending b) {
    if (a == Pending::kUnreached) return b;
    return b == Pending::kUnreached || a == b ? a : Pending::kEither;
}

} // namespace

std::vector<Obligation> check_divergence(const Chip& chip, const Kernel& kernel, const Code& code) {
    std::vector<std::uint32_t> barriers;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step)
        if (code.steps[step].effects.barrier != BarrierRole::kNone) barriers.push_back(step);
    if (barriers.empty()) return {};
    const Uniformity uniformity(chip, kernel, code);
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
