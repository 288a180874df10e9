#include "peacemaker/certify/flow.h"

#include "peacemaker/lift/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace pm::certify {
namespace {

class Decoder {
public:
    Decoder(const CodeObject& object, const Kernel& kernel, Instructions& instructions)
        : object_(object), kernel_(kernel), instructions_(instructions) {}

    Result<Code> run() {
        code_ = object_.at(kernel_.entry_address, kernel_.code_size);
        if (code_.empty())
            return Error{fmt::format("the code of {} does not lie in the file, or has no size", kernel_.name)};
        step_at_.assign(code_.size() / kWord + 1, kNone);
        leads_.assign(step_at_.size(), false);
        for (pending_ = {0}; !pending_.empty();) {
            const std::uint64_t at = pending_.back();
            pending_.pop_back();
            follow(at);
        }
        put_in_order();
        build_blocks();
        note_endless();
        return std::move(out_);
    }

private:
    // Instructions are whole words, and branches count in words: nothing begins elsewhere.
    static constexpr std::uint64_t kWord = 4;
    static constexpr std::uint32_t kNone = ~0U;

    void note(std::uint64_t at, std::string_view why) { out_.unknown.push_back(fmt::format("+{:#x}: {}", at, why)); }

    void lead(std::uint64_t at) {
        if (at < code_.size()) leads_[at / kWord] = true;
    }

    void follow(std::uint64_t at) {
        lead(at);
        gives_back_ = false;
        while (at >= code_.size() || step_at_[at / kWord] == kNone) {
            if (at >= code_.size()) {
                note(at, "control runs past the kernel's end");
                return;
            }
            const auto known = instructions_.find(code_.substr(at), kernel_.entry_address + at);
            if (!known) {
                note(at, fmt::format("no instruction of {}", object_.chip->name));
                return;
            }
            const Step step{at, known->size,
                            lift::branch_target(instructions_.disassembler(), known->inst, known->size, at),
                            known->inst, known->effects};
            const Flow flow = step.effects.flow;
            if (!step.effects.unknown.empty())
                note(at, fmt::format("{}: {}", instructions_.disassembler().text(step.inst, kernel_.entry_address + at),
                                     step.effects.unknown));
            if (gives_back_ && flow != Flow::kEnd) note(at, "goes on after its VGPRs were given back");
            gives_back_ = step.effects.gives_back_vgprs;
            const std::uint64_t next = at + step.size;
            if (flow == Flow::kBranch || flow == Flow::kConditional) {
                if (!step.target || *step.target < 0 || *step.target >= static_cast<std::int64_t>(code_.size()))
                    note(at, "a branch out of the kernel");
                else
                    pending_.push_back(static_cast<std::uint64_t>(*step.target));
                if (flow == Flow::kConditional) lead(next);
            }
            step_at_[at / kWord] = static_cast<std::uint32_t>(found_.size());
            found_.push_back(step);
            if (flow != Flow::kNext && flow != Flow::kConditional) return;
            at = next;
        }
    }

    /// The steps by place, as `step_at_` numbers them from then on.
    void put_in_order() {
        out_.steps.reserve(found_.size());
        for (std::uint32_t& step : step_at_) {
            if (step == kNone) continue;
            const std::uint64_t at = found_[step].at;
            // Where the instruction before reaches into this one, there are two readings of the bytes.
            if (leads_[at / kWord] && !out_.steps.empty() && ends_at(out_.steps.back()) > at)
                note(at, "a branch into the middle of an instruction");
            out_.steps.push_back(found_[step]);
            step = static_cast<std::uint32_t>(out_.steps.size() - 1);
        }
    }

    void build_blocks() {
        std::vector<std::uint32_t> block_of(out_.steps.size(), kNone); // of the first steps
        for (std::uint32_t i = 0; i < out_.steps.size(); ++i) {
            const Step& step = out_.steps[i];
            const bool follows =
                i != 0 && ends_at(out_.steps[i - 1]) == step.at && out_.steps[i - 1].effects.flow == Flow::kNext;
            if (leads_[step.at / kWord] || !follows) {
                block_of[i] = static_cast<std::uint32_t>(out_.blocks.size());
                out_.blocks.push_back({i, 0, {}, {}});
            }
            ++out_.blocks.back().count;
        }
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i) {
            const Step& last = out_.steps[out_.blocks[i].first + out_.blocks[i].count - 1];
            const Flow flow = last.effects.flow;
            const auto connect = [&](std::uint64_t at) {
                if (at >= code_.size() || step_at_[at / kWord] == kNone) return;
                const std::uint32_t block = block_of[step_at_[at / kWord]];
                if (block == kNone) return;
                out_.blocks[i].next.push_back(block);
                out_.blocks[block].previous.push_back(i);
            };
            if (flow == Flow::kNext || flow == Flow::kConditional) connect(ends_at(last));
            const bool branches = flow == Flow::kBranch || flow == Flow::kConditional;
            if (branches && last.target && *last.target >= 0) connect(static_cast<std::uint64_t>(*last.target));
        }
    }

    /// What depends on what is only told by the ends that control reaches.
    void note_endless() {
        std::vector<bool> ends(out_.blocks.size(), false);
        std::vector<std::uint32_t> work;
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i)
            if (out_.blocks[i].next.empty()) work.push_back(i);
        while (!work.empty()) {
            const std::uint32_t block = work.back();
            work.pop_back();
            if (ends[block]) continue;
            ends[block] = true;
            work.insert(work.end(), out_.blocks[block].previous.begin(), out_.blocks[block].previous.end());
        }
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i)
            if (!ends[i]) {
                note(out_.steps[out_.blocks[i].first].at, "a loop without an end");
                return;
            }
    }

    static std::uint64_t ends_at(const Step& step) { return step.at + step.size; }

    const CodeObject& object_;
    const Kernel& kernel_;
    Instructions& instructions_;
    std::string_view code_;
    std::vector<std::uint64_t> pending_;
    std::vector<Step> found_;            // as control reaches them
    std::vector<std::uint32_t> step_at_; // by word: the step that begins there
    std::vector<bool> leads_;            // by word: a block begins there
    bool gives_back_ = false;            // the step before this one did
    Code out_;
};

/// A set of blocks for each block.
class BlockSets {
public:
    static constexpr std::size_t kBits = 64;

    BlockSets(std::size_t blocks, bool full)
        : blocks_(blocks), words_((blocks + kBits - 1) / kBits), bits_(blocks * words_, full ? ~std::uint64_t{0} : 0) {}

    void add(std::size_t of, std::size_t block) { row(of)[block / kBits] |= std::uint64_t{1} << block % kBits; }
    /// Calls f(word of `of`, word of `with`) for each word of two sets; whether it changed any of the first.
    template <typename F>
    bool combine(std::size_t of, const std::uint64_t* with, F f) {
        bool changed = false;
        for (std::size_t i = 0; i < words_; ++i) {
            const std::uint64_t now = f(row(of)[i], with[i]);
            changed = changed || now != row(of)[i];
            row(of)[i] = now;
        }
        return changed;
    }
    template <typename F>
    void for_each(std::size_t of, F f) const {
        for (std::size_t i = 0; i < words_; ++i)
            for (std::uint64_t left = row(of)[i]; left != 0; left &= left - 1)
                if (const std::size_t block = i * kBits + static_cast<std::size_t>(std::countr_zero(left));
                    block < blocks_)
                    f(static_cast<std::uint32_t>(block));
    }
    std::uint64_t* row(std::size_t of) { return bits_.data() + of * words_; }
    const std::uint64_t* row(std::size_t of) const { return bits_.data() + of * words_; }
    std::size_t words() const { return words_; }

private:
    std::size_t blocks_, words_;
    std::vector<std::uint64_t> bits_;
};

/// For each block the set of blocks on every path from it to an end, itself with them; an end is what has no successor.
BlockSets postdominators(const Code& code) {
    const std::size_t n = code.blocks.size();
    BlockSets sets(n, true);
    const std::vector<std::uint64_t> nothing(sets.words(), 0);
    for (std::size_t i = 0; i < n; ++i)
        if (code.blocks[i].next.empty()) {
            (void)sets.combine(i, nothing.data(), [](std::uint64_t, std::uint64_t none) { return none; });
            sets.add(i, i);
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = n; i-- > 0;) {
            if (code.blocks[i].next.empty()) continue;
            std::vector<std::uint64_t> all(sets.words(), ~std::uint64_t{0});
            for (const std::uint32_t next : code.blocks[i].next)
                for (std::size_t k = 0; k < all.size(); ++k) all[k] &= sets.row(next)[k];
            all[i / BlockSets::kBits] |= std::uint64_t{1} << i % BlockSets::kBits;
            changed = sets.combine(i, all.data(), [](std::uint64_t, std::uint64_t now) { return now; }) || changed;
        }
    }
    return sets;
}

} // namespace

std::optional<Instructions::Known> Instructions::find(std::string_view bytes, std::uint64_t address) {
    const auto form = forms_.find(bytes, address);
    if (!form) return std::nullopt;
    if (*form >= effects_.size()) effects_.resize(*form + 1);
    const lift::Form& known = forms_[*form];
    std::optional<Effects>& effects = effects_[*form];
    if (!effects) effects = effects_of(chip_, forms_.disassembler(), known.inst);
    return Known{known.inst, known.size, *effects};
}

Result<Code> decode_kernel(const CodeObject& object, const Kernel& kernel, Instructions& instructions) {
    return Decoder(object, kernel, instructions).run();
}

std::uint32_t block_of(const Code& code, std::uint32_t step) {
    const auto after = std::upper_bound(code.blocks.begin(), code.blocks.end(), step,
                                        [](std::uint32_t s, const Block& block) { return s < block.first; });
    return static_cast<std::uint32_t>(after - code.blocks.begin()) - 1;
}

std::vector<std::uint32_t> steps_after(const Code& code, std::uint32_t step) {
    const Block& block = code.blocks[block_of(code, step)];
    if (step + 1 < block.first + block.count) return {step + 1};
    std::vector<std::uint32_t> next;
    for (const std::uint32_t following : block.next) next.push_back(code.blocks[following].first);
    return next;
}

std::vector<std::vector<std::uint32_t>> deciding_branches(const Code& code) {
    const std::size_t n = code.blocks.size();
    const BlockSets after = postdominators(code);
    BlockSets deciders(n, false), decided(n, false);
    for (std::uint32_t branch = 0; branch < n; ++branch) {
        const std::vector<std::uint32_t>& next = code.blocks[branch].next;
        if (next.size() < 2) continue;
        // Behind one side but not behind all. A branch that its own loop brings back decides how often the loop runs.
        for (std::size_t i = 0; i < after.words(); ++i) {
            std::uint64_t one = 0, all = ~std::uint64_t{0};
            for (const std::uint32_t side : next) {
                one |= after.row(side)[i];
                all &= after.row(side)[i];
            }
            decided.row(branch)[i] = one & ~all;
        }
        decided.for_each(branch, [&](std::uint32_t block) { deciders.add(block, branch); });
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < n; ++block) {
            std::vector<std::uint32_t> known;
            deciders.for_each(block, [&](std::uint32_t branch) { known.push_back(branch); });
            for (const std::uint32_t branch : known)
                changed = deciders.combine(block, deciders.row(branch), [](std::uint64_t mine, std::uint64_t more) {
                    return mine | more;
                }) || changed;
        }
    }
    std::vector<std::vector<std::uint32_t>> out(n);
    for (std::size_t i = 0; i < n; ++i) deciders.for_each(i, [&](std::uint32_t branch) { out[i].push_back(branch); });
    return out;
}

} // namespace pm::certify
