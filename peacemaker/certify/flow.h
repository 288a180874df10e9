// A kernel decoded for analysis, and its control flow: blocks, who follows whom, what depends on which branch.
#pragma once

#include "peacemaker/certify/effects.h"
#include "peacemaker/lift/forms.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pm::certify {

/// The distinct instructions of an object, each decoded once, and what each does.
class Instructions {
public:
    /// Both must outlive this; `forms` are of the chip.
    Instructions(const Chip& chip, lift::Forms& forms) : chip_(chip), forms_(forms) {}

    struct Known {
        const llvm::MCInst& inst;
        std::uint32_t size; // bytes
        const Effects& effects;
    };
    /// The instruction at the start of `bytes`, which lies at `address`; nothing where they are none.
    std::optional<Known> find(std::string_view bytes, std::uint64_t address);
    isa::Disassembler& disassembler() const { return forms_.disassembler(); }

private:
    const Chip& chip_;
    lift::Forms& forms_;
    std::deque<std::optional<Effects>> effects_; // by form; nothing: not met yet
};

struct Step {
    std::uint64_t at = 0; // bytes from the kernel's entry
    std::uint32_t size = 0;
    std::optional<std::int64_t> target; // of a direct branch, from the entry
    const llvm::MCInst& inst;           // both of the Instructions that it was found in
    const Effects& effects;
};

/// Instructions first..first+count-1; a branch is the last one.
struct Block {
    std::uint32_t first = 0, count = 0;
    std::vector<std::uint32_t> next, previous; // blocks; of a conditional branch the fall-through comes first
};

struct Code {
    std::vector<Step> steps;   // those that control can reach, by place
    std::vector<Block> blocks; // by place; the first is the entry
    /// Why the kernel cannot be followed as a whole; empty where it can.
    std::vector<std::string> unknown;
};

/// The block that `step` lies in.
std::uint32_t block_of(const Code& code, std::uint32_t step);

/// The steps that may follow `step`.
std::vector<std::uint32_t> steps_after(const Code& code, std::uint32_t step);

/// Decodes what control reaches from the kernel's entry; padding behind the end is left alone. `instructions` must
/// outlive the answer. Error: the kernel's code does not lie in the file.
Result<Code> decode_kernel(const CodeObject& object, const Kernel& kernel, Instructions& instructions);

/// Calls each(step, state) for every step with what holds before it along every path from the entry, back edges
/// included; State{} where control does not come. `pass(step, state)` makes the state before a step that behind it;
/// `join(into, from)` adds a path's and says whether that changed anything, which must come to an end.
template <typename State, typename Pass, typename Join, typename Each>
void for_each_step(const Code& code, State entry, const Pass& pass, const Join& join, const Each& each) {
    std::vector<State> at_block(code.blocks.size());
    std::vector<bool> reached(code.blocks.size(), false);
    std::set<std::uint32_t> work;
    if (!code.blocks.empty()) {
        at_block[0] = std::move(entry);
        work.insert(0);
        reached[0] = true;
    }
    while (!work.empty()) {
        const std::uint32_t block = *work.begin();
        work.erase(work.begin());
        State state = at_block[block];
        for (std::uint32_t i = 0; i < code.blocks[block].count; ++i) pass(code.blocks[block].first + i, state);
        for (const std::uint32_t next : code.blocks[block].next) {
            const bool changed = join(at_block[next], state);
            if (changed || !reached[next]) work.insert(next);
            reached[next] = true;
        }
    }
    for (std::size_t block = 0; block < at_block.size(); ++block) {
        State& state = at_block[block];
        for (std::uint32_t i = 0; i < code.blocks[block].count; ++i) {
            each(code.blocks[block].first + i, std::as_const(state));
            pass(code.blocks[block].first + i, state);
        }
    }
}

/// For each block, the blocks whose branch decides whether or how often it runs, through any number of steps: the
/// closure of control dependence. By block, sorted.
std::vector<std::vector<std::uint32_t>> deciding_branches(const Code& code);

} // namespace pm::certify
