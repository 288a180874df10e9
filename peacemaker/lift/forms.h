// The distinct instructions of a program: each is decoded and encoded once, however often it stands in the code.
#pragma once

#include "peacemaker/isa/disassembler.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::lift {

/// One instruction, wherever it stands.
struct Form {
    llvm::MCInst inst;
    std::uint32_t size = 0;  // bytes that were decoded
    std::string bytes;       // what the encoder makes of `inst`
    bool comes_back = false; // `bytes` are those that were decoded
};

// What was decoded once is not decoded again where the same bytes stand again: neither decoder nor encoder looks at the
// address, so equal bytes give equal instructions, and these equal bytes.

/// The instructions of one chip in one wave size that were met so far. Not thread-safe.
class Forms {
public:
    /// `wave` is 32 or 64. Error: as Disassembler::create.
    static Result<std::unique_ptr<Forms>> create(const Chip& chip, std::uint32_t wave);

    /// The number of the instruction at the start of `bytes`, which lies at `address`; nothing where they are none.
    std::optional<std::uint32_t> find(std::string_view bytes, std::uint64_t address);

    /// Stays where it is, whatever is found later.
    const Form& operator[](std::uint32_t form) const { return forms_[form]; }
    isa::Disassembler& disassembler() const { return *disassembler_; }

    std::size_t size() const { return forms_.size(); }

private:
    using Words = std::array<std::uint32_t, 3>; // as many as nearly all instructions have, zeros behind the last

    /// A place of the table: whose words, how many, which form.
    struct Slot {
        Words words{};
        std::uint32_t count = 0; // 0: free
        std::uint32_t form = 0;
    };

    /// Where those words are, or would be.
    Slot& slot_of(const Words& words, std::uint32_t count);
    void grow();

    std::unique_ptr<isa::Disassembler> disassembler_;
    std::deque<Form> forms_;
    // Open addressing. The first words of an instruction say how long it is, so words that were one instruction are it
    // again whatever follows them.
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    // By the upper half of the first word: whether an instruction of one word began so. Most need not be looked for.
    static constexpr std::uint32_t kHalf = 16; // bits
    std::bitset<1U << kHalf> short_;
};

} // namespace pm::lift
