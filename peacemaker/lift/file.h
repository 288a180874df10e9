// A code object's whole file as typed parts, from which the same bytes come back.
//
//   auto file = pm::lift::lift(bytes);
//   if (file && file->unchecked.empty()) assert(pm::lift::emit(*file) == bytes);
//
// Every byte is in one part or unchecked, with its offset and why. Nothing is guessed: code is what function symbols
// bound, padding is zeros or the instructions that fill code, and data of no known layout is kept as bytes and called
// so.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/lift/forms.h"
#include "peacemaker/lift/listing.h"
#include "peacemaker/lift/tables.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pm::lift {

/// An instruction in its place.
struct Placed {
    std::uint32_t at = 0;   // bytes from the function's start
    std::uint32_t form = 0; // in the file's Forms of the function's wave size
};

/// A kernel or a device function.
struct Function {
    std::string name;
    std::uint64_t address = 0; // virtual; within its section in a relocatable file
    std::uint64_t size = 0;    // bytes
    bool kernel = false;       // has a descriptor
    std::uint32_t wave = 32;   // lanes
    std::vector<Placed> instructions;
};

/// One filling instruction over and over: s_nop 0 or s_code_end.
struct Fill {
    std::uint32_t wave = 32, form = 0;
    std::uint64_t count = 0;
};

/// Zero bytes that align what follows.
struct Zeros {
    std::uint64_t size = 0;
};

/// Data of no layout that is known here: constants, DWARF.
struct Opaque {
    std::string bytes;
};

using Content =
    std::variant<FileHeader, ProgramHeaders, SectionHeaders, SymbolRows, DynamicRows, Relocations,
                 RelocationsWithAddend, Strings, SysvHash, GnuHash, Notes, Descriptor, Function, Fill, Zeros, Opaque>;

/// A run of the file's bytes.
struct Part {
    std::uint64_t offset = 0, size = 0; // bytes of the file
    std::string name;                   // .dynsym, or .text: affine_w4
    Content content;
};

/// Bytes that could not be read, or did not come back from what was read.
struct Unchecked {
    std::uint64_t offset = 0, size = 0; // of the file; no size for what is missing
    std::string part, reason;
};

struct File {
    std::uint64_t size = 0;                      // bytes
    const Chip* chip = nullptr;                  // null: one that is not known, and its code is unchecked
    std::vector<Part> parts;                     // by offset
    std::vector<Unchecked> unchecked;            // by offset
    std::uint64_t equal = 0;                     // bytes that come back
    std::uint64_t opaque = 0;                    // bytes in Opaque parts
    std::array<std::unique_ptr<Forms>, 2> forms; // of wave32 and wave64; null where there is no code of that size

    Forms& forms_of(std::uint32_t wave) const { return *forms[wave == 64 ? 1 : 0]; }
};

/// Reads a code object, linked or relocatable, writes it back and compares. `bytes` must outlive the answer. Error: not
/// an AMDGPU ELF file at all, with the offset that says so.
Result<File> lift(std::string_view bytes);

/// The file that the parts make; zeros where it is unchecked.
std::string emit(const File& file);

/// What kind of part it is: "symbol table", "function", ..
std::string_view kind_of(const Content& content);

/// A function's instructions as text.
std::vector<Instruction> listing_of(const File& file, const Function& function);

} // namespace pm::lift
