// The tables of an ELF file as typed values, each read from its bytes and written back from what it says.
//
// Rows of fixed layout are llvm/BinaryFormat/ELF.h's structures. String tables, hash tables and notes are written from
// their meaning: strings, names and values, so that what does not follow from those does not come back.
#pragma once

#include "peacemaker/object/message_pack.h"
#include "peacemaker/support/result.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pm::lift {

/// Rows of one fixed layout, one behind the other.
template <typename Row>
struct Rows {
    std::vector<Row> rows;
};

using FileHeader = Rows<llvm::ELF::Elf64_Ehdr>; // one
using ProgramHeaders = Rows<llvm::ELF::Elf64_Phdr>;
using SectionHeaders = Rows<llvm::ELF::Elf64_Shdr>;
using SymbolRows = Rows<llvm::ELF::Elf64_Sym>;
using DynamicRows = Rows<llvm::ELF::Elf64_Dyn>;
using Relocations = Rows<llvm::ELF::Elf64_Rel>;
using RelocationsWithAddend = Rows<llvm::ELF::Elf64_Rela>;

/// Texts, each ended by a zero byte: names, or the compilers of .comment.
struct Strings {
    std::vector<std::string> texts;
};

/// The System V hash table of a dynamic symbol table: made from its names, in their order.
struct SysvHash {
    std::uint32_t buckets = 0;
    std::vector<std::string> names; // of all symbols, the first, empty one too
};

/// The GNU hash table of a dynamic symbol table: made from its names.
struct GnuHash {
    std::uint32_t buckets = 0, first = 0; // number of the first symbol that is in it
    std::uint32_t filter_words = 0, shift = 0;
    std::vector<std::string> names; // of the symbols from that on
};

struct Note {
    std::string owner; // AMDGPU
    std::uint32_t type = 0;
    std::variant<std::string, MessagePackValue> content; // the metadata is a value, all else bytes
};
struct Notes {
    std::uint32_t align = 4; // bytes
    std::vector<Note> notes;
};

/// A kernel's descriptor; its reserved bytes are zero.
using Descriptor = Rows<llvm::amdhsa::kernel_descriptor_t>; // one

/// Error: bytes that are no whole number of rows.
template <typename Row>
Result<Rows<Row>> read_rows(std::string_view bytes);
template <typename Row>
std::string write_rows(const Rows<Row>& table);

/// Error: the last text is not ended.
Result<Strings> read_strings(std::string_view bytes);
std::string write(const Strings& strings);

/// Error: a table of another size than it says. Whether it holds the names' hashes is told by writing it back.
Result<SysvHash> read_sysv_hash(std::string_view bytes, const std::vector<std::string>& names);
std::string write(const SysvHash& table);
Result<GnuHash> read_gnu_hash(std::string_view bytes, const std::vector<std::string>& names);
std::string write(const GnuHash& table);

/// `align` is the section's, 4 or 8. Error: a note that is cut off, or metadata that is no MessagePack, with the byte.
Result<Notes> read_notes(std::string_view bytes, std::uint64_t align);
std::string write(const Notes& notes);

/// Error: another size, or reserved bytes that are not zero.
Result<Descriptor> read_descriptor(std::string_view bytes);

} // namespace pm::lift
