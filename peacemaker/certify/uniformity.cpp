#include "peacemaker/certify/uniformity.h"

#include <set>

namespace pm::certify {
namespace {

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

bool reads_varying(const Effects& effects, const Varying& state) {
    for (const Span& span : effects.reads)
        for (unsigned i = 0; i < span.count; ++i)
            if (isa::is_vector(span.first) || state.test(span.first + i - isa::kScalar)) return true;
    return false;
}

void pass(const Effects& effects, bool divergent, Varying& state) {
    const bool varies = divergent || !effects.is_scalar || reads_varying(effects, state);
    for (const std::vector<Span>* spans : {&effects.writes, &effects.late})
        for (const Span& span : *spans)
            for (unsigned i = 0; i < span.count && !isa::is_vector(span.first); ++i)
                state.set(span.first + i - isa::kScalar, varies);
}

} // namespace

Uniformity::Uniformity(const Chip& chip, const Kernel& kernel, const Code& code)
    : code_(code), deciders_(deciding_branches(code)), divergent_(code.blocks.size(), false) {
    // A branch found to differ makes what depends on it differ, which may make further branches differ.
    do solve(varying_at_entry(chip, kernel));
    while (spread());
}

std::optional<std::uint32_t> Uniformity::decider(std::uint32_t block) const {
    for (const std::uint32_t branch : deciders_[block])
        if (varies(branch)) return branch;
    return std::nullopt;
}

Varying Uniformity::before(std::uint32_t step) const {
    const std::uint32_t block = block_of(code_, step);
    Varying state = at_block_[block];
    for (std::uint32_t i = code_.blocks[block].first; i < step; ++i)
        pass(code_.steps[i].effects, divergent_[block], state);
    return state;
}

void Uniformity::solve(const Varying& entry) {
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
bool Uniformity::spread() {
    bool more = false;
    for (std::uint32_t block = 0; block < code_.blocks.size(); ++block) {
        if (divergent_[block] || !decider(block)) continue;
        divergent_[block] = true;
        more = true;
    }
    return more;
}

const Effects& Uniformity::last(std::uint32_t block) const {
    return code_.steps[code_.blocks[block].first + code_.blocks[block].count - 1].effects;
}

} // namespace pm::certify
