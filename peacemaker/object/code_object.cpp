#include "peacemaker/object/code_object.h"

#include "peacemaker/object/bundle.h"
#include "peacemaker/object/container.h"
#include "peacemaker/object/metadata.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace pm {
namespace {

namespace elf = llvm::ELF;
using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Descriptor = llvm::amdhsa::kernel_descriptor_t;

/// The processor starts a kernel at an address whose low 8 bits it does not hold.
constexpr std::uint64_t kEntryAlign = 256;

struct Version {
    std::uint8_t abi;
    std::uint32_t code_object;
};
constexpr Version kVersions[] = {
    {elf::ELFABIVERSION_AMDGPU_HSA_V4, 4},
    {elf::ELFABIVERSION_AMDGPU_HSA_V5, 5},
    {elf::ELFABIVERSION_AMDGPU_HSA_V6, 6},
};

bool inside(const Segment& segment, std::uint64_t address, std::uint64_t size, std::uint64_t limit) {
    return address >= segment.address && address - segment.address <= limit &&
           size <= limit - (address - segment.address);
}

/// Fills a CodeObject from its bytes, a table at a time; each step gives an Error with the offset of what it read.
class Parser {
public:
    Parser(CodeObject& object, const std::string& where) : object_(object), where_(where) {}

    Result<void> parse(const Chip* want) {
        if (auto done = read_header(want); !done) return done;
        llvm::Expected<File> file = File::create(llvm::StringRef(object_.bytes));
        if (!file) return at(0, llvm::toString(file.takeError()));
        if (auto done = read_segments(*file); !done) return done;
        if (auto done = read_sections(*file); !done) return done;
        return read_kernels(*file);
    }

private:
    [[nodiscard]] Error at(std::uint64_t offset, const std::string& what) const {
        return Error{fmt::format("{}: offset {:#x}: {}", where_, offset, what)};
    }

    Result<void> read_header(const Chip* want) {
        const std::string& bytes = object_.bytes;
        if (bytes.empty()) return Error{fmt::format("{}: empty; expected a code object", where_)};
        if (!bytes.starts_with("\177ELF"))
            return at(0, "neither an ELF file nor an offload bundle; expected a code object");
        elf::Elf64_Ehdr header{};
        if (bytes.size() < sizeof header)
            return at(bytes.size(), fmt::format("cut off inside the ELF header of {} bytes", sizeof header));
        std::memcpy(&header, bytes.data(), sizeof header);
        if (header.e_ident[elf::EI_CLASS] != elf::ELFCLASS64 || header.e_ident[elf::EI_DATA] != elf::ELFDATA2LSB)
            return at(elf::EI_CLASS, "no 64-bit little-endian ELF file; expected a code object");
        if (header.e_machine != elf::EM_AMDGPU)
            return at(offsetof(elf::Elf64_Ehdr, e_machine),
                      fmt::format("an ELF file for machine {}; expected AMDGPU ({})", header.e_machine,
                                  static_cast<int>(elf::EM_AMDGPU)));
        if (header.e_ident[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA)
            return at(elf::EI_OSABI, fmt::format("OS ABI {}; expected AMDGPU HSA ({})", header.e_ident[elf::EI_OSABI],
                                                 static_cast<int>(elf::ELFOSABI_AMDGPU_HSA)));
        const auto* version = std::find_if(std::begin(kVersions), std::end(kVersions), [&](const Version& v) {
            return v.abi == header.e_ident[elf::EI_ABIVERSION];
        });
        if (version == std::end(kVersions))
            return at(elf::EI_ABIVERSION, fmt::format("ABI version {}; expected 2, 3 or 4 (code object v4, v5 or v6)",
                                                      header.e_ident[elf::EI_ABIVERSION]));
        object_.version = version->code_object;
        if (header.e_type != elf::ET_DYN)
            return at(offsetof(elf::Elf64_Ehdr, e_type),
                      fmt::format("ELF type {}; expected a linked code object (ET_DYN, 3)", header.e_type));
        return read_chip(header.e_flags & elf::EF_AMDGPU_MACH, want);
    }

    Result<void> read_chip(std::uint32_t mach, const Chip* want) {
        constexpr std::uint64_t kOffset = offsetof(elf::Elf64_Ehdr, e_flags);
        object_.chip = chip_of_mach(mach);
        if (object_.chip == nullptr) {
            std::vector<std::string> known;
            for (const Chip& chip : chips()) known.push_back(chip.name);
            return at(kOffset, fmt::format("made for unknown chip number {:#x} (EF_AMDGPU_MACH); known are {}", mach,
                                           fmt::join(known, ", ")));
        }
        if (want != nullptr && object_.chip != want)
            return at(kOffset, fmt::format("made for {}; expected {}", object_.chip->name, want->name));
        return {};
    }

    Result<void> read_segments(const File& file) {
        const std::uint64_t table = file.getHeader().e_phoff;
        auto headers = file.program_headers();
        if (!headers) return at(table, llvm::toString(headers.takeError()));
        const std::uint64_t file_size = object_.bytes.size();
        std::uint64_t offset = table;
        for (const File::Elf_Phdr& header : *headers) {
            if (header.p_type == elf::PT_LOAD && header.p_memsz != 0) {
                if (header.p_offset > file_size || header.p_filesz > file_size - header.p_offset)
                    return at(offset, fmt::format("a segment of [{:#x}, +{:#x}) in a file of {:#x} bytes",
                                                  header.p_offset, header.p_filesz, file_size));
                if (header.p_filesz > header.p_memsz || header.p_vaddr + header.p_memsz < header.p_vaddr)
                    return at(offset, fmt::format("a segment of {:#x} file bytes and {:#x} memory bytes at {:#x}",
                                                  header.p_filesz, header.p_memsz, header.p_vaddr));
                object_.segments.push_back({header.p_vaddr, header.p_memsz, header.p_offset, header.p_filesz,
                                            (header.p_flags & elf::PF_X) != 0, (header.p_flags & elf::PF_W) != 0});
            }
            offset += sizeof header;
        }
        std::sort(object_.segments.begin(), object_.segments.end(),
                  [](const Segment& a, const Segment& b) { return a.address < b.address; });
        for (std::size_t i = 1; i < object_.segments.size(); ++i) {
            const Segment& before = object_.segments[i - 1];
            if (object_.segments[i].address < before.address + before.memory_size)
                return at(table, fmt::format("two segments at address {:#x}", object_.segments[i].address));
        }
        if (object_.segments.empty()) return at(table, "no segment to load");
        return {};
    }

    Result<void> read_sections(const File& file) {
        const std::uint64_t table = file.getHeader().e_shoff;
        auto sections = file.sections();
        if (!sections) return at(table, llvm::toString(sections.takeError()));
        std::uint64_t offset = table;
        for (const File::Elf_Shdr& section : *sections) {
            auto name = file.getSectionName(section);
            if (!name) return at(offset, llvm::toString(name.takeError()));
            Result<void> done;
            if (section.sh_type == elf::SHT_DYNSYM) done = read_symbols(file, section);
            if (section.sh_type == elf::SHT_RELA && (section.sh_flags & elf::SHF_ALLOC) != 0)
                done = read_relocations(file, section);
            if (*name == ".comment" && section.sh_type != elf::SHT_NOBITS) done = read_idents(file, section);
            if (!done) return done;
            offset += sizeof section;
        }
        return {};
    }

    Result<void> read_symbols(const File& file, const File::Elf_Shdr& section) {
        auto symbols = file.symbols(&section);
        if (!symbols) return at(section.sh_offset, llvm::toString(symbols.takeError()));
        auto names = file.getStringTableForSymtab(section);
        if (!names) return at(section.sh_offset, llvm::toString(names.takeError()));
        std::uint64_t offset = section.sh_offset;
        for (const File::Elf_Sym& symbol : *symbols) {
            auto name = symbol.getName(*names);
            if (!name) return at(offset, llvm::toString(name.takeError()));
            offset += sizeof symbol;
            if (name->empty() || symbol.st_shndx == elf::SHN_UNDEF) continue;
            object_.symbols.push_back(
                {name->str(), symbol.st_value, symbol.st_size, symbol.getType() == elf::STT_FUNC});
        }
        return {};
    }

    Result<void> read_relocations(const File& file, const File::Elf_Shdr& section) {
        auto entries = file.relas(section);
        if (!entries) return at(section.sh_offset, llvm::toString(entries.takeError()));
        std::uint64_t offset = section.sh_offset;
        for (const File::Elf_Rela& entry : *entries) {
            Relocation r;
            r.address = entry.r_offset;
            r.type = entry.getType(false);
            r.addend = entry.r_addend;
            if (entry.getSymbol(false) != 0) {
                auto table = file.getSection(section.sh_link);
                if (!table) return at(section.sh_offset, llvm::toString(table.takeError()));
                auto names = file.getStringTableForSymtab(**table);
                if (!names) return at(section.sh_offset, llvm::toString(names.takeError()));
                auto symbol = file.getRelocationSymbol(entry, *table);
                if (!symbol) return at(offset, llvm::toString(symbol.takeError()));
                auto name = (*symbol)->getName(*names);
                if (!name) return at(offset, llvm::toString(name.takeError()));
                r.symbol = name->str();
                r.defined = (*symbol)->st_shndx != elf::SHN_UNDEF;
                r.symbol_value = (*symbol)->st_value;
            }
            object_.relocations.push_back(std::move(r));
            offset += sizeof entry;
        }
        return {};
    }

    Result<void> read_idents(const File& file, const File::Elf_Shdr& section) {
        auto content = file.getSectionContents(section);
        if (!content) return at(section.sh_offset, llvm::toString(content.takeError()));
        llvm::StringRef rest(reinterpret_cast<const char*>(content->data()), content->size());
        std::set<std::string> idents;
        while (!rest.empty()) {
            const auto [ident, tail] = rest.split('\0');
            if (!ident.empty()) idents.insert(ident.str());
            rest = tail;
        }
        object_.idents.assign(idents.begin(), idents.end());
        return {};
    }

    /// The bytes of the metadata note within the file.
    Result<std::string_view> find_metadata(const File& file) {
        auto headers = file.program_headers();
        if (!headers) return at(file.getHeader().e_phoff, llvm::toString(headers.takeError()));
        for (const File::Elf_Phdr& header : *headers) {
            if (header.p_type != elf::PT_NOTE) continue;
            llvm::Error error = llvm::Error::success();
            std::optional<std::string_view> found;
            for (const auto& note : file.notes(header, error)) {
                if (found || note.getName() != "AMDGPU" || note.getType() != elf::NT_AMDGPU_METADATA) continue;
                const llvm::StringRef text = note.getDescAsStringRef(std::max<std::size_t>(header.p_align, 4));
                found = std::string_view(text.data(), text.size());
            }
            if (error) return at(header.p_offset, llvm::toString(std::move(error)));
            if (found) return *found;
        }
        return at(file.getHeader().e_phoff, "no metadata note (NT_AMDGPU_METADATA); expected a HIP code object");
    }

    Result<void> read_kernels(const File& file) {
        const Result<std::string_view> note = find_metadata(file);
        if (!note) return note.error();
        const auto offset = static_cast<std::uint64_t>(note->data() - object_.bytes.data());
        Result<Metadata> metadata = parse_metadata(*note);
        if (!metadata) return at(offset, "metadata: " + metadata.error().text);
        const std::string_view target = std::string_view(metadata->target).substr(0, metadata->target.find(':'));
        if (!target.ends_with("-" + object_.chip->name))
            return at(offset, fmt::format("metadata: amdhsa.target is {}, the ELF flags say {}", metadata->target,
                                          object_.chip->name));
        for (KernelMetadata& entry : metadata->kernels) {
            if (auto done = place_kernel(entry); !done) return at(offset, done.error().text);
            object_.kernels.push_back(std::move(entry.kernel));
        }
        return {};
    }

    /// Finds the descriptor and the code that the metadata speaks of, and checks that the three agree.
    Result<void> place_kernel(KernelMetadata& entry) const {
        Kernel& kernel = entry.kernel;
        const auto bad = [&](const std::string& what) {
            return Error{fmt::format("kernel {}: {}", kernel.name, what)};
        };
        const Symbol* symbol = object_.find_symbol(entry.symbol);
        if (symbol == nullptr) return bad(fmt::format("there is no descriptor symbol {}", entry.symbol));
        if (symbol->size != sizeof(Descriptor))
            return bad(
                fmt::format("descriptor {} has {} bytes; expected {}", entry.symbol, symbol->size, sizeof(Descriptor)));
        const std::string_view stored = object_.at(symbol->address, sizeof(Descriptor));
        if (stored.empty())
            return bad(fmt::format("descriptor {} at {:#x} is in no segment", entry.symbol, symbol->address));
        kernel.descriptor_address = symbol->address;
        kernel.descriptor = read_descriptor(stored);
        kernel.entry_address =
            symbol->address + static_cast<std::uint64_t>(kernel.descriptor.kernel_code_entry_byte_offset);

        const Segment* code = nullptr;
        for (const Segment& segment : object_.segments)
            if (segment.executable && inside(segment, kernel.entry_address, 4, segment.file_size)) code = &segment;
        if (code == nullptr)
            return bad(fmt::format("its entry {:#x} is in no executable segment", kernel.entry_address));
        if (kernel.entry_address % kEntryAlign != 0)
            return bad(fmt::format("its entry {:#x} is not aligned to {}", kernel.entry_address, kEntryAlign));

        const std::string_view function_name = std::string_view(entry.symbol).substr(0, entry.symbol.rfind(".kd"));
        const Symbol* function = object_.find_symbol(function_name);
        if (function != nullptr && function->function) {
            if (function->address != kernel.entry_address)
                return bad(fmt::format("its symbol is at {:#x}, its descriptor starts at {:#x}", function->address,
                                       kernel.entry_address));
            if (!inside(*code, function->address, function->size, code->file_size))
                return bad(fmt::format("its {} bytes of code leave their segment", function->size));
            kernel.code_size = function->size;
        }
        return check_agreement(kernel);
    }

    static KernelDescriptor read_descriptor(std::string_view stored) {
        Descriptor raw{};
        std::memcpy(&raw, stored.data(), sizeof raw);
        return {raw.group_segment_fixed_size,
                raw.private_segment_fixed_size,
                raw.kernarg_size,
                raw.kernel_code_entry_byte_offset,
                raw.compute_pgm_rsrc1,
                raw.compute_pgm_rsrc2,
                raw.compute_pgm_rsrc3,
                raw.kernel_code_properties,
                raw.kernarg_preload};
    }

    static Result<void> check_agreement(const Kernel& kernel) {
        const KernelDescriptor& d = kernel.descriptor;
        const std::uint32_t wave =
            (d.kernel_code_properties & llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32) != 0 ? 32 : 64;
        const struct {
            const char* name;
            std::uint32_t metadata, descriptor;
        } pairs[] = {
            {"kernarg bytes", kernel.resources.kernarg, d.kernarg_size},
            {"static LDS bytes", kernel.resources.lds, d.group_segment_fixed_size},
            {"scratch bytes", kernel.resources.scratch, d.private_segment_fixed_size},
            {"lanes a wave", kernel.resources.wave, wave},
        };
        for (const auto& pair : pairs)
            if (pair.metadata != pair.descriptor)
                return Error{fmt::format("kernel {}: the metadata says {} {}, the descriptor {}", kernel.name,
                                         pair.metadata, pair.name, pair.descriptor)};
        return {};
    }

    CodeObject& object_;
    const std::string& where_;
};

} // namespace

const Kernel* CodeObject::find_kernel(std::string_view name) const {
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
    return found == kernels.end() ? nullptr : &*found;
}

const Symbol* CodeObject::find_symbol(std::string_view name) const {
    const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == name; });
    return found == symbols.end() ? nullptr : &*found;
}

std::string_view CodeObject::at(std::uint64_t address, std::uint64_t size) const {
    for (const Segment& segment : segments)
        if (inside(segment, address, size, segment.file_size))
            return std::string_view(bytes).substr(segment.file_offset + (address - segment.address), size);
    return {};
}

namespace {

/// The one object of a container that is for `want`, or the only one.
Result<DeviceObject> choose(const Container& container, const std::string& where, const Chip* want) {
    std::vector<const DeviceObject*> fit;
    std::vector<std::string> held;
    for (const DeviceObject& object : container.objects) {
        held.push_back(object.id);
        if (want == nullptr || chip_of_entry(object.id) == want->name) fit.push_back(&object);
    }
    if (fit.size() == 1) return *fit.front();
    if (fit.empty() && !container.losses.empty())
        return Error{container.losses.front().reason}.with(container.losses.front().where);
    if (want == nullptr)
        return Error{fmt::format("{}: an offload bundle of {} device entries ({}); expected one, or the name of a chip",
                                 where, held.size(), fmt::join(held, ", "))};
    return Error{fmt::format("{}: this offload bundle has {} for {}; it holds {}", where,
                             fit.empty() ? "no entry" : "more than one entry", want->name,
                             held.empty() ? "no device entry" : fmt::format("{}", fmt::join(held, ", ")))};
}

} // namespace

std::uint32_t granted_vgprs(const Chip& chip, const Kernel& kernel) {
    const std::uint32_t granule = kernel.resources.wave == 64 ? 4 : 8;
    return std::min((descriptor_field(kernel.descriptor.compute_pgm_rsrc1, 0, 6) + 1) * granule, chip.vgprs);
}

Result<CodeObject> parse_code_object(std::string_view bytes, const std::string& where, const Chip* want) {
    if (is_container(bytes)) {
        const Container container = read_container(bytes, where);
        const auto chosen = choose(container, where, want);
        if (!chosen) return chosen.error();
        return parse_code_object(chosen->bytes, chosen->where, want);
    }
    CodeObject object;
    object.bytes = std::string(bytes);
    if (auto done = Parser(object, where).parse(want); !done) return done.error();
    return object;
}

Result<CodeObject> read_code_object(const std::string& file, std::string_view chip) {
    const Chip* want = nullptr;
    if (!chip.empty()) {
        const auto found = find_chip(chip);
        if (!found) return found.error();
        want = *found;
    }
    const auto bytes = read_file(file);
    if (!bytes) return bytes.error();
    return parse_code_object(*bytes, file, want);
}

} // namespace pm
