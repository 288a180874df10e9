// The distinct instructions of a program: each is decoded and encoded once, however often it stands in the code.
#pragma once

#include "peacemaker/isa/disassembler.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pm::lift {

/// One instruction, wherever it stands.
struct Form {
    llvm::MCInst inst;
    std::uint32_t size = 0; // bytes that were decoded
    std::string bytes;      // what the encoder makes of `inst`
};

/// The instructions of one chip in one wave size that were met so far. Not thread-safe.
class Forms {
public:
    /// `wave` is 32 or 64. Error: as Disassembler::create.
    static Result<std::unique_ptr<Forms>> create(const Chip& chip, std::uint32_t wave);

    /// The number of the instruction at the start of `bytes`, which lies at `address`; nothing where they are none.
    /// `bytes` must outlive this.
    std::optional<std::uint32_t> find(std::string_view bytes, std::uint64_t address);

    const Form& operator[](std::uint32_t form) const { return forms_[form]; }
    isa::Disassembler& disassembler() const { return *disassembler_; }

private:
    std::unique_ptr<isa::Disassembler> disassembler_;
    std::vector<Form> forms_;
    // The first bytes of an instruction say how long it is, so bytes that were one instruction are it again whatever
    // follows them.
    std::unordered_map<std::string_view, std::uint32_t> by_bytes_;
};

} // namespace pm::lift
