// A kernel decoded for analysis, and its control flow: blocks, who follows whom, what depends on which branch.
#pragma once

#include "peacemaker/certify/effects.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pm::certify {

struct Step {
    std::uint64_t at = 0; // bytes from the kernel's entry
    std::uint32_t size = 0;
    std::optional<std::int64_t> target; // of a direct branch, from the entry
    llvm::MCInst inst;
    Effects effects;
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

/// Decodes what control reaches from the kernel's entry; padding behind the end is left alone. Error: the kernel's code
/// does not lie in the file.
Result<Code> decode_kernel(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler);

/// For each block, the blocks whose branch decides whether or how often it runs, through any number of steps: the
/// closure of control dependence. By block, sorted.
std::vector<std::vector<std::uint32_t>> deciding_branches(const Code& code);

} // namespace pm::certify
