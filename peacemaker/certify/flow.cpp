#include "peacemaker/certify/flow.h"

#include "peacemaker/lift/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace pm::certify {
namespace {

class Decoder {
public:
    Decoder(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler)
        : object_(object), kernel_(kernel), disassembler_(disassembler) {}

    Result<Code> run() {
        code_ = object_.at(kernel_.entry_address, kernel_.code_size);
        if (code_.empty())
            return Error{fmt::format("the code of {} does not lie in the file, or has no size", kernel_.name)};
        for (pending_ = {0}; !pending_.empty();) {
            const std::uint64_t at = pending_.back();
            pending_.pop_back();
            follow(at);
        }
        for (const auto& [at, step] : steps_)
            if (leaders_.contains(at) && overlapped(at)) note(at, "a branch into the middle of an instruction");
        build_blocks();
        note_endless();
        return std::move(out_);
    }

private:
    void note(std::uint64_t at, std::string_view why) { out_.unknown.push_back(fmt::format("+{:#x}: {}", at, why)); }

    /// Whether the instruction before the one at `at` reaches into it: then there are two readings of the bytes.
    bool overlapped(std::uint64_t at) const {
        const auto found = steps_.find(at);
        return found != steps_.begin() && ends_at(std::prev(found)->second) > at;
    }

    void follow(std::uint64_t at) {
        leaders_.insert(at);
        gives_back_ = false;
        while (!steps_.contains(at)) {
            if (at >= code_.size()) {
                note(at, "control runs past the kernel's end");
                return;
            }
            const auto decoded = disassembler_.decode(code_.substr(at), kernel_.entry_address + at);
            if (!decoded) {
                note(at, fmt::format("no instruction of {}", object_.chip->name));
                return;
            }
            Step step{at, decoded->size, lift::branch_target(disassembler_, decoded->inst, decoded->size, at),
                      decoded->inst, effects_of(*object_.chip, disassembler_, decoded->inst)};
            const Flow flow = step.effects.flow;
            if (!step.effects.unknown.empty())
                note(at, fmt::format("{}: {}", disassembler_.text(step.inst, kernel_.entry_address + at),
                                     step.effects.unknown));
            if (gives_back_ && flow != Flow::kEnd) note(at, "goes on after its VGPRs were given back");
            gives_back_ = step.effects.gives_back_vgprs;
            const std::uint64_t next = at + decoded->size;
            if (flow == Flow::kBranch || flow == Flow::kConditional) {
                if (!step.target || *step.target < 0 || *step.target >= static_cast<std::int64_t>(code_.size()))
                    note(at, "a branch out of the kernel");
                else
                    pending_.push_back(static_cast<std::uint64_t>(*step.target));
                if (flow == Flow::kConditional) leaders_.insert(next);
            }
            steps_.emplace(at, std::move(step));
            if (flow != Flow::kNext && flow != Flow::kConditional) return;
            at = next;
        }
    }

    void build_blocks() {
        std::map<std::uint64_t, std::uint32_t> block_at;
        for (auto& [at, step] : steps_) {
            const bool follows = !out_.steps.empty() && ends_at(out_.steps.back()) == at &&
                                 out_.steps.back().effects.flow == Flow::kNext;
            if (leaders_.contains(at) || !follows) {
                block_at[at] = static_cast<std::uint32_t>(out_.blocks.size());
                out_.blocks.push_back({static_cast<std::uint32_t>(out_.steps.size()), 0, {}, {}});
            }
            ++out_.blocks.back().count;
            out_.steps.push_back(std::move(step));
        }
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i) {
            const Step& last = out_.steps[out_.blocks[i].first + out_.blocks[i].count - 1];
            const Flow flow = last.effects.flow;
            const auto connect = [&](std::uint64_t at) {
                const auto found = block_at.find(at);
                if (found == block_at.end()) return;
                out_.blocks[i].next.push_back(found->second);
                out_.blocks[found->second].previous.push_back(i);
            };
            if (flow == Flow::kNext || flow == Flow::kConditional) connect(ends_at(last));
            const bool branches = flow == Flow::kBranch || flow == Flow::kConditional;
            if (branches && last.target && *last.target >= 0) connect(static_cast<std::uint64_t>(*last.target));
        }
    }

    /// What depends on what is only told by the ends that control reaches.
    void note_endless() {
        std::set<std::uint32_t> ends;
        std::vector<std::uint32_t> work;
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i)
            if (out_.blocks[i].next.empty()) work.push_back(i);
        while (!work.empty()) {
            const std::uint32_t block = work.back();
            work.pop_back();
            if (ends.insert(block).second)
                work.insert(work.end(), out_.blocks[block].previous.begin(), out_.blocks[block].previous.end());
        }
        for (std::uint32_t i = 0; i < out_.blocks.size(); ++i)
            if (!ends.contains(i)) {
                note(out_.steps[out_.blocks[i].first].at, "a loop without an end");
                return;
            }
    }

    static std::uint64_t ends_at(const Step& step) { return step.at + step.size; }

    const CodeObject& object_;
    const Kernel& kernel_;
    isa::Disassembler& disassembler_;
    std::string_view code_;
    std::vector<std::uint64_t> pending_;
    std::map<std::uint64_t, Step> steps_;
    std::set<std::uint64_t> leaders_;
    bool gives_back_ = false; // the step before this one did
    Code out_;
};

/// For each block the set of blocks on every path from it to an end, itself with them; an end is what has no successor.
std::vector<std::vector<bool>> postdominators(const Code& code) {
    const std::size_t n = code.blocks.size();
    std::vector<std::vector<bool>> sets(n, std::vector<bool>(n, true));
    for (std::size_t i = 0; i < n; ++i)
        if (code.blocks[i].next.empty()) {
            sets[i].assign(n, false);
            sets[i][i] = true;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = n; i-- > 0;) {
            if (code.blocks[i].next.empty()) continue;
            std::vector<bool> set(n, true);
            for (const std::uint32_t next : code.blocks[i].next)
                for (std::size_t k = 0; k < n; ++k) set[k] = set[k] && sets[next][k];
            set[i] = true;
            if (set != sets[i]) {
                sets[i] = std::move(set);
                changed = true;
            }
        }
    }
    return sets;
}

} // namespace

Result<Code> decode_kernel(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler) {
    return Decoder(object, kernel, disassembler).run();
}

std::vector<std::vector<std::uint32_t>> deciding_branches(const Code& code) {
    const std::size_t n = code.blocks.size();
    const auto after = postdominators(code);
    std::vector<std::set<std::uint32_t>> deciders(n);
    for (std::uint32_t branch = 0; branch < n; ++branch) {
        if (code.blocks[branch].next.size() < 2) continue;
        for (std::size_t block = 0; block < n; ++block) {
            const bool on_one_side = std::any_of(code.blocks[branch].next.begin(), code.blocks[branch].next.end(),
                                                 [&](std::uint32_t next) { return after[next][block]; });
            const bool on_all = std::all_of(code.blocks[branch].next.begin(), code.blocks[branch].next.end(),
                                            [&](std::uint32_t next) { return after[next][block]; });
            // A branch that its own loop brings back decides how often the loop runs.
            if (on_one_side && !on_all) deciders[block].insert(branch);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < n; ++block) {
            const std::set<std::uint32_t> known = deciders[block];
            for (const std::uint32_t branch : known)
                for (const std::uint32_t more : deciders[branch])
                    changed = deciders[block].insert(more).second || changed;
        }
    }
    std::vector<std::vector<std::uint32_t>> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i].assign(deciders[i].begin(), deciders[i].end());
    return out;
}

} // namespace pm::certify
