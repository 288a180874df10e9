// Binary mutation: a code object with one thing changed in place, every other byte and the length as they were.
//
//   auto object = pm::parse_code_object(bytes, path);
//   auto patch = pm::mutate::make_patch(*object, InstructionEdit{.symbol = "relu2",
//                                                 .find = {"s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"},
//                                                 .replace = {"s_nop 0"}, .occurrence = 1});
//   std::string mutant = pm::mutate::patched(object->bytes, *patch);
//
// An edit that has no place, more than one, or does not fit into it is an Error: nothing is ever changed in silence.
#pragma once

#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pm::mutate {

/// Bytes that occur exactly once in the file, and as many others.
struct BytesEdit {
    std::string find, replace;

    bool operator==(const BytesEdit&) const = default;
};

/// One instruction of a kernel. Texts are as llvm-objdump prints them; runs of blanks count as one.
struct InstructionEdit {
    static constexpr std::uint32_t kLast = 0;

    std::string symbol;            // the kernel
    std::vector<std::string> find; // spellings, of different chips say; `*` is any text. The first that occurs counts
    /// One text for all spellings, or one each; its n-th `*` is what the n-th of the spelling stood for. A shorter
    /// instruction is followed by s_nop.
    std::vector<std::string> replace;
    /// The how many-th, from 1, or kLast; without it, there must be exactly one.
    std::optional<std::uint32_t> occurrence;

    bool operator==(const InstructionEdit&) const = default;
};

/// One integer of a kernel's metadata, in as many bytes as it has.
struct MetadataEdit {
    std::string symbol;     // the kernel
    std::string field;      // .vgpr_count, .args[7].size
    std::int64_t value = 0; // what it is to be, or what is added to it
    bool add = false;

    bool operator==(const MetadataEdit&) const = default;
};

using Edit = std::variant<BytesEdit, InstructionEdit, MetadataEdit>;

/// What an edit comes to in one file.
struct Patch {
    std::uint64_t offset = 0;  // in the file
    std::string before, after; // bytes, as many
    std::string what;          // for people: "relu2+0x60: s_waitcnt vmcnt(0) becomes s_nop 0"
};

/// Error: why the edit cannot be made: no such kernel, instruction or field; more than one place; what does not
/// assemble, is longer than what it replaces or does not fit; or an edit that changes nothing.
Result<Patch> make_patch(const CodeObject& object, const Edit& edit);
/// The same for bytes alone, which need no code object.
Result<Patch> make_patch(std::string_view bytes, const BytesEdit& edit);

/// `bytes` with the patch made; they must be those that it was made for.
std::string patched(std::string bytes, const Patch& patch);

/// Whether `text` is a field of a kernel's metadata as MetadataEdit names it.
bool is_field(std::string_view text);

/// What the `*` of `pattern` stand for in `text`, each as short as can be; nothing where it does not match.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view text);

} // namespace pm::mutate
