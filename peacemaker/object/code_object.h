// A code object: one AMDGPU ELF file as typed values. Reads plain ELF and, by extracting one chip's object, what
// container.h reads.
//
// Anything that is not such a file, or contradicts itself, is an Error naming the offset; no read outside the bytes
// ever happens.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One argument as the code object's metadata tells it (metadata v4/v5 `.args`).
struct KernelArgument {
    std::string name;
    std::string value_kind;    // by_value, global_buffer, hidden_block_count_x, ..
    std::string address_space; // global, constant, local, generic; empty where not told
    std::uint32_t offset = 0;  // bytes from the start of the kernarg segment
    std::uint32_t size = 0;    // bytes
    bool hidden() const { return value_kind.starts_with("hidden_"); }
};

/// What a kernel costs, as the metadata tells it. Field names are those of RECORD lines.
struct Resources {
    std::uint32_t vgpr = 0, sgpr = 0;
    std::uint32_t lds = 0;     // bytes a workgroup, static
    std::uint32_t scratch = 0; // bytes a work-item
    std::uint32_t vgpr_spill = 0, sgpr_spill = 0;
    std::uint32_t wave = 0;      // lanes
    std::uint32_t max_block = 0; // work-items
    std::uint32_t kernarg = 0;   // bytes

    bool operator==(const Resources&) const = default;
};

/// The 64-byte kernel descriptor (llvm/Support/AMDHSAKernelDescriptor.h), field by field as stored.
struct KernelDescriptor {
    std::uint32_t group_segment_fixed_size = 0;
    std::uint32_t private_segment_fixed_size = 0;
    std::uint32_t kernarg_size = 0;
    std::int64_t kernel_code_entry_byte_offset = 0;
    std::uint32_t compute_pgm_rsrc1 = 0, compute_pgm_rsrc2 = 0, compute_pgm_rsrc3 = 0;
    std::uint16_t kernel_code_properties = 0;
    std::uint16_t kernarg_preload = 0;
};

/// `width` bits of a word of the descriptor, from bit `shift` on.
constexpr std::uint32_t descriptor_field(std::uint32_t word, unsigned shift, unsigned width) {
    return word >> shift & ((1U << width) - 1U);
}

struct Kernel {
    std::string name;
    std::uint64_t descriptor_address = 0; // virtual address of the descriptor
    std::uint64_t entry_address = 0;      // virtual address of the first instruction
    std::uint64_t code_size = 0;          // bytes, from the function symbol; 0 where there is none
    KernelDescriptor descriptor;
    Resources resources;
    std::vector<KernelArgument> arguments; // explicit, then hidden, by offset
    std::uint32_t kernarg_align = 0;
    std::uint32_t reqd_block[3] = {0, 0, 0}; // 0 where none is required
    bool uses_dynamic_stack = false;
};

/// A loadable range of the file (PT_LOAD).
struct Segment {
    std::uint64_t address = 0;     // virtual
    std::uint64_t memory_size = 0; // bytes; those past `file_size` are zero
    std::uint64_t file_offset = 0;
    std::uint64_t file_size = 0;
    bool executable = false;
    bool writable = false;
};

/// A symbol of the dynamic table: a kernel's code, its descriptor, or a global variable.
struct Symbol {
    std::string name;
    std::uint64_t address = 0; // virtual
    std::uint64_t size = 0;    // bytes
    bool function = false;
};

/// A place in the image that takes an address when it is loaded (a dynamic relocation).
struct Relocation {
    std::uint64_t address = 0;      // virtual, of what is written
    std::uint32_t type = 0;         // R_AMDGPU_* (llvm/BinaryFormat/ELFRelocs/AMDGPU.def)
    std::int64_t addend = 0;        // bytes
    std::string symbol;             // empty where there is none
    bool defined = true;            // whether the symbol is in this object
    std::uint64_t symbol_value = 0; // virtual
};

struct CodeObject {
    std::string bytes; // the ELF file itself
    const Chip* chip = nullptr;
    std::uint32_t version = 0;       // code object version: 4, 5 or 6
    std::vector<std::string> idents; // .comment, each string once, sorted
    std::vector<Segment> segments;   // by address
    std::vector<Symbol> symbols;     // named and defined, in the file's order
    std::vector<Relocation> relocations;
    std::vector<Kernel> kernels; // in metadata order

    /// Null where there is no such kernel.
    const Kernel* find_kernel(std::string_view name) const;
    /// Null where there is no such symbol.
    const Symbol* find_symbol(std::string_view name) const;
    /// The file's bytes for [address, address + size), or an empty view if they are not all inside one segment's file
    /// part.
    std::string_view at(std::uint64_t address, std::uint64_t size) const;
};

/// VGPRs that the descriptor grants a wave, no more than the chip has: bits 5:0 of compute_pgm_rsrc1 count in eights,
/// of a wave64 in fours (llvm/docs/AMDGPUUsage.rst, "GRANULATED_WORKITEM_VGPR_COUNT").
std::uint32_t granted_vgprs(const Chip& chip, const Kernel& kernel);

/// Parses one ELF code object, or the one for `want` in an offload bundle or a host program.
/// `want` may be null: then they must hold exactly one device object. An object for an unknown chip is an Error that
/// says its number. `where` is how messages call the input (a path).
Result<CodeObject> parse_code_object(std::string_view bytes, const std::string& where, const Chip* want = nullptr);

/// The code object in a file, for the chip of that name; empty: whichever it is, where there is just one. Error, too:
/// an object for another chip.
Result<CodeObject> read_code_object(const std::string& file, std::string_view chip = {});

} // namespace pm
