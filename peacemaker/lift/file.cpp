#include "peacemaker/lift/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace pm::lift {
namespace {

namespace elf = llvm::ELF;

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

/// Texts of a string table by offset. A file can name one long text from everywhere, so what is handed out is bounded.
class Names {
public:
    Names() = default;
    Names(std::string_view table, std::uint64_t most) : table_(table), left_(most) {
        for (std::size_t at = table.find('\0'); at != std::string_view::npos; at = table.find('\0', at + 1))
            ends_.push_back(at);
    }

    /// Nothing: outside the table, without an end, or the bound is reached.
    std::optional<std::string> at(std::uint64_t offset) {
        const auto end = std::lower_bound(ends_.begin(), ends_.end(), offset);
        if (end == ends_.end() || *end - offset > left_) return std::nullopt;
        left_ -= *end - offset;
        return std::string(table_.substr(offset, *end - offset));
    }

private:
    std::string_view table_;
    std::vector<std::uint64_t> ends_;
    std::uint64_t left_ = 0;
};

struct Named {
    elf::Elf64_Sym row{};
    std::string name;
};

/// What a symbol bounds in a section.
struct Item {
    std::uint64_t start = 0, size = 0; // in the section
    const Named* symbol = nullptr;
};

constexpr std::string_view kDescriptorSuffix = ".kd";
constexpr std::uint64_t kDescriptorSize = sizeof(llvm::amdhsa::kernel_descriptor_t);

std::string bytes_of(const File& file, const Function& function) {
    std::string out(function.size, '\0');
    const Forms& forms = file.forms_of(function.wave);
    for (const Placed& placed : function.instructions) {
        const Form& form = forms[placed.form];
        if (form.bytes.size() == form.size) out.replace(placed.at, form.size, form.bytes);
    }
    return out;
}

std::string bytes_of(const File& file, const Fill& fill) {
    std::string out;
    for (std::uint64_t i = 0; i < fill.count; ++i) out += file.forms_of(fill.wave)[fill.form].bytes;
    return out;
}

std::string write(const File& file, const Content& content) {
    return std::visit(Overloaded{
                          []<typename Row>(const Rows<Row>& table) { return write_rows(table); },
                          [](const Strings& strings) { return lift::write(strings); },
                          [](const SysvHash& table) { return lift::write(table); },
                          [](const GnuHash& table) { return lift::write(table); },
                          [](const Notes& notes) { return lift::write(notes); },
                          [&](const Function& function) { return bytes_of(file, function); },
                          [&](const Fill& fill) { return bytes_of(file, fill); },
                          [](const Zeros& zeros) { return std::string(zeros.size, '\0'); },
                          [](const Opaque& opaque) { return opaque.bytes; },
                      },
                      content);
}

class Lifter {
public:
    Lifter(std::string_view bytes, File& file) : bytes_(bytes), file_(file) {}

    Result<void> run() {
        file_.size = bytes_.size();
        if (auto done = read_header(); !done) return done;
        read_program_headers();
        read_section_headers();
        read_names();
        for (std::size_t i = 0; i < sections_.size(); ++i) read_section(i);
        read_gaps();
        std::sort(file_.parts.begin(), file_.parts.end(),
                  [](const Part& a, const Part& b) { return a.offset < b.offset; });
        compare();
        std::stable_sort(file_.unchecked.begin(), file_.unchecked.end(),
                         [](const Unchecked& a, const Unchecked& b) { return a.offset < b.offset; });
        return {};
    }

private:
    using Range = std::pair<std::uint64_t, std::uint64_t>; // from, to

    /// The ranges in order, with those that touch made one.
    static std::vector<Range> merged(std::vector<Range> ranges) {
        std::sort(ranges.begin(), ranges.end());
        std::vector<Range> out;
        for (const Range& range : ranges) {
            if (range.first == range.second) continue;
            if (!out.empty() && range.first <= out.back().second)
                out.back().second = std::max(out.back().second, range.second);
            else
                out.push_back(range);
        }
        return out;
    }

    /// What of the file is unchecked.
    std::vector<Range> unchecked_ranges() const {
        std::vector<Range> ranges;
        for (const Unchecked& one : file_.unchecked) {
            const std::uint64_t start = std::min<std::uint64_t>(one.offset, bytes_.size());
            ranges.emplace_back(start, start + std::min<std::uint64_t>(one.size, bytes_.size() - start));
        }
        return merged(std::move(ranges));
    }

    Result<void> read_header() {
        const auto bad = [](std::uint64_t offset, const std::string& what) {
            return Error{fmt::format("offset {:#x}: {}", offset, what)};
        };
        if (!bytes_.starts_with("\177ELF"))
            return bad(0, "no ELF file, offload bundle or host program with .hip_fatbin");
        if (bytes_.size() < sizeof header_)
            return bad(bytes_.size(), fmt::format("cut off inside the ELF header of {} bytes", sizeof header_));
        std::memcpy(&header_, bytes_.data(), sizeof header_);
        if (header_.e_ident[elf::EI_CLASS] != elf::ELFCLASS64 || header_.e_ident[elf::EI_DATA] != elf::ELFDATA2LSB)
            return bad(elf::EI_CLASS, "no 64-bit little-endian ELF file; expected a code object");
        if (header_.e_machine != elf::EM_AMDGPU)
            return bad(offsetof(elf::Elf64_Ehdr, e_machine),
                       fmt::format("an ELF file for machine {}, without .hip_fatbin; expected AMDGPU ({})",
                                   header_.e_machine, static_cast<int>(elf::EM_AMDGPU)));
        file_.chip = chip_of_mach(header_.e_flags & elf::EF_AMDGPU_MACH);
        add("ELF header", 0, sizeof header_, [](std::string_view b) { return read_rows<elf::Elf64_Ehdr>(b); });
        if (header_.e_ehsize != sizeof header_)
            lose(offsetof(elf::Elf64_Ehdr, e_ehsize), 2, "ELF header",
                 fmt::format("it is said to have {} bytes; expected {}", header_.e_ehsize, sizeof header_));
        return {};
    }

    void read_program_headers() {
        if (header_.e_phnum == 0) return;
        if (header_.e_phentsize != sizeof(elf::Elf64_Phdr))
            return lose(
                offsetof(elf::Elf64_Ehdr, e_phentsize), 2, "ELF header",
                fmt::format("program headers of {} bytes; expected {}", header_.e_phentsize, sizeof(elf::Elf64_Phdr)));
        add("program headers", header_.e_phoff, header_.e_phnum * sizeof(elf::Elf64_Phdr),
            [](std::string_view b) { return read_rows<elf::Elf64_Phdr>(b); });
    }

    void read_section_headers() {
        if (header_.e_shoff == 0)
            return lose(offsetof(elf::Elf64_Ehdr, e_shoff), 8, "ELF header", "no section headers");
        if (header_.e_shnum == 0)
            return lose(offsetof(elf::Elf64_Ehdr, e_shnum), 2, "ELF header",
                        "the number of sections is not in the header");
        if (header_.e_shentsize != sizeof(elf::Elf64_Shdr))
            return lose(
                offsetof(elf::Elf64_Ehdr, e_shentsize), 2, "ELF header",
                fmt::format("section headers of {} bytes; expected {}", header_.e_shentsize, sizeof(elf::Elf64_Shdr)));
        add("section headers", header_.e_shoff, header_.e_shnum * sizeof(elf::Elf64_Shdr), [this](std::string_view b) {
            auto table = read_rows<elf::Elf64_Shdr>(b);
            if (table) sections_ = table->rows;
            return table;
        });
    }

    /// The bytes of a section, where they are inside the file.
    std::optional<std::string_view> bytes_of(const elf::Elf64_Shdr& section) const {
        if (section.sh_type == elf::SHT_NOBITS || section.sh_offset > bytes_.size() ||
            section.sh_size > bytes_.size() - section.sh_offset)
            return std::nullopt;
        return bytes_.substr(section.sh_offset, section.sh_size);
    }

    /// The string table that is section `index`.
    Names& names_in(std::uint64_t index) {
        const auto [at, first] = names_.try_emplace(index);
        if (!first || index >= sections_.size() || sections_[index].sh_type != elf::SHT_STRTAB) return at->second;
        constexpr std::uint64_t kMostTimes =
            16; // names share their ends, and are read a few times; far from this often
        if (const auto table = bytes_of(sections_[index])) at->second = Names(*table, kMostTimes * bytes_.size());
        return at->second;
    }

    void read_names() {
        Names& names = names_in(header_.e_shstrndx);
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            auto name = names.at(sections_[i].sh_name);
            if (!name)
                lose(header_.e_shoff + i * sizeof(elf::Elf64_Shdr), 4, "section headers",
                     fmt::format("section {} has no name", i));
            section_names_.push_back(name ? *name : fmt::format("section {}", i));
        }
        const elf::Elf64_Shdr* chosen = nullptr;
        for (const elf::Elf64_Shdr& section : sections_)
            if (section.sh_type == elf::SHT_SYMTAB || (section.sh_type == elf::SHT_DYNSYM && chosen == nullptr))
                chosen = &section;
        if (chosen != nullptr) symbols_ = symbols_of(*chosen);
        for (const Named& symbol : symbols_) {
            if (symbol.row.st_shndx < sections_.size()) by_section_[symbol.row.st_shndx].push_back(&symbol);
            if (symbol.name.ends_with(kDescriptorSuffix)) read_descriptor_of(symbol);
        }
    }

    /// The symbols of a table whose names can be read.
    std::vector<Named> symbols_of(const elf::Elf64_Shdr& section) {
        std::vector<Named> symbols;
        const auto bytes = bytes_of(section);
        if (!bytes) return symbols;
        const auto rows = read_rows<elf::Elf64_Sym>(*bytes);
        if (!rows) return symbols;
        Names& names = names_in(section.sh_link);
        for (const elf::Elf64_Sym& row : rows->rows) {
            auto name = names.at(row.st_name);
            symbols.push_back({row, name ? std::move(*name) : std::string()});
        }
        return symbols;
    }

    /// Which kernel a descriptor is for, and its wave size.
    void read_descriptor_of(const Named& symbol) {
        if (symbol.row.st_shndx >= sections_.size() || symbol.row.st_size != kDescriptorSize) return;
        const elf::Elf64_Shdr& section = sections_[symbol.row.st_shndx];
        const auto bytes = bytes_of(section);
        const std::uint64_t at = symbol.row.st_value - section.sh_addr;
        if (!bytes || at > bytes->size() || bytes->size() - at < kDescriptorSize) return;
        llvm::amdhsa::kernel_descriptor_t descriptor{};
        std::memcpy(&descriptor, bytes->data() + at, sizeof descriptor);
        const bool wave32 =
            (descriptor.kernel_code_properties & llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32) != 0;
        const std::string kernel = symbol.name.substr(0, symbol.name.size() - kDescriptorSuffix.size());
        kernel_waves_[kernel] = wave32 ? 32 : 64;
        if (header_.e_type == elf::ET_DYN)
            kernel_entries_[kernel] =
                symbol.row.st_value + static_cast<std::uint64_t>(descriptor.kernel_code_entry_byte_offset);
        waves_.insert(wave32 ? 32 : 64);
    }

    void read_section(std::size_t index) {
        const elf::Elf64_Shdr& section = sections_[index];
        const std::string& name = section_names_[index];
        const auto rows_of = [&]<typename Row>(Row) {
            if (section.sh_entsize != sizeof(Row))
                return lose(section.sh_offset, section.sh_size, name,
                            fmt::format("rows of {} bytes; expected {}", section.sh_entsize, sizeof(Row)));
            add(name, section.sh_offset, section.sh_size, [](std::string_view b) { return read_rows<Row>(b); });
        };
        switch (section.sh_type) {
        case elf::SHT_NULL:
        case elf::SHT_NOBITS:
            return;
        case elf::SHT_SYMTAB:
        case elf::SHT_DYNSYM:
            if (section.sh_entsize != sizeof(elf::Elf64_Sym)) return rows_of(elf::Elf64_Sym());
            return add(name, section.sh_offset, section.sh_size,
                       [&](std::string_view b) { return read_symbols(b, section, name); });
        case elf::SHT_DYNAMIC:
            return rows_of(elf::Elf64_Dyn());
        case elf::SHT_REL:
            return rows_of(elf::Elf64_Rel());
        case elf::SHT_RELA:
            return rows_of(elf::Elf64_Rela());
        case elf::SHT_STRTAB:
            return add(name, section.sh_offset, section.sh_size, read_strings);
        case elf::SHT_HASH:
            return add(name, section.sh_offset, section.sh_size,
                       [&](std::string_view b) { return read_sysv_hash(b, hashed_names(section)); });
        case elf::SHT_GNU_HASH:
            return add(name, section.sh_offset, section.sh_size,
                       [&](std::string_view b) { return read_gnu_hash(b, hashed_names(section)); });
        case elf::SHT_NOTE:
            return add(name, section.sh_offset, section.sh_size,
                       [&](std::string_view b) { return read_notes(b, section.sh_addralign); });
        case elf::SHT_PROGBITS:
            return read_contents(index);
        case elf::SHT_INIT_ARRAY:
        case elf::SHT_FINI_ARRAY:
        case elf::SHT_GROUP:
        case elf::SHT_LLVM_ADDRSIG:
            return add_opaque(name, section.sh_offset, section.sh_size);
        default:
            return lose(section.sh_offset, section.sh_size, name,
                        fmt::format("a section of type {:#x}, which is not known", section.sh_type));
        }
    }

    Result<SymbolRows> read_symbols(std::string_view bytes, const elf::Elf64_Shdr& section, const std::string& part) {
        auto table = read_rows<elf::Elf64_Sym>(bytes);
        if (!table) return table;
        Names& names = names_in(section.sh_link);
        for (std::size_t i = 0; i < table->rows.size(); ++i)
            if (!names.at(table->rows[i].st_name))
                lose(section.sh_offset + i * sizeof(elf::Elf64_Sym), 4, part, fmt::format("symbol {} has no name", i));
        return table;
    }

    const std::vector<std::string>& hashed_names(const elf::Elf64_Shdr& hash) {
        const auto [at, first] = hashed_.try_emplace(hash.sh_link);
        if (first && hash.sh_link < sections_.size())
            for (Named& symbol : symbols_of(sections_[hash.sh_link])) at->second.push_back(std::move(symbol.name));
        return at->second;
    }

    /// Code or data: what its symbols bound, and what lies between.
    void read_contents(std::size_t index) {
        const elf::Elf64_Shdr& section = sections_[index];
        const std::string& name = section_names_[index];
        constexpr std::uint64_t kTexts = elf::SHF_MERGE | elf::SHF_STRINGS;
        if ((section.sh_flags & kTexts) == kTexts && section.sh_entsize == 1)
            return add(name, section.sh_offset, section.sh_size, read_strings);
        if (section.sh_size == 0) return;
        if (!bytes_of(section))
            return lose(section.sh_offset, section.sh_size, name,
                        fmt::format("{:#x} bytes from here on leave the file", section.sh_size));
        const bool code = (section.sh_flags & elf::SHF_EXECINSTR) != 0;
        if (code && file_.chip == nullptr)
            return lose(section.sh_offset, section.sh_size, name,
                        fmt::format("code for a chip that is not known (EF_AMDGPU_MACH {:#x})",
                                    header_.e_flags & elf::EF_AMDGPU_MACH));
        std::uint64_t at = 0;
        for (const Item& item : items_of(index, code)) {
            if (item.start < at) {
                lose(section.sh_offset + item.start, item.size, name,
                     fmt::format("{} lies in what is before it", item.symbol->name));
                continue;
            }
            read_between(section, name, code, at, item.start);
            read_item(section, name, code, item);
            at = item.start + item.size;
        }
        read_between(section, name, code, at, section.sh_size);
    }

    /// The functions and objects of a section in order, each range once.
    std::vector<Item> items_of(std::size_t index, bool code) {
        const elf::Elf64_Shdr& section = sections_[index];
        std::vector<Item> items;
        for (const Named* symbol : by_section_[index]) {
            const auto type = symbol->row.getType();
            if (type != elf::STT_OBJECT && !(code && type == elf::STT_FUNC)) continue;
            const std::uint64_t start = symbol->row.st_value - section.sh_addr;
            const std::uint64_t size = symbol->row.st_size;
            if (size == 0 && type == elf::STT_FUNC)
                lose(section.sh_offset + std::min(start, section.sh_size), 0, section_names_[index],
                     fmt::format("function {} has no size", symbol->name));
            if (size == 0) continue;
            if (start > section.sh_size || size > section.sh_size - start) {
                lose(section.sh_offset, 0, section_names_[index],
                     fmt::format("{} is {:#x} bytes at {:#x}, which is not inside", symbol->name, size,
                                 symbol->row.st_value));
                continue;
            }
            items.push_back({start, size, symbol});
        }
        std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.start < b.start; });
        // One function may have several names.
        const auto same = [](const Item& a, const Item& b) { return a.start == b.start && a.size == b.size; };
        items.erase(std::unique(items.begin(), items.end(), same), items.end());
        return items;
    }

    void read_item(const elf::Elf64_Shdr& section, const std::string& section_name, bool code, const Item& item) {
        const std::string name = section_name + ": " + item.symbol->name;
        const std::uint64_t offset = section.sh_offset + item.start;
        if (code && item.symbol->row.getType() == elf::STT_FUNC) return read_function(name, offset, item);
        if (!code && item.size == kDescriptorSize && item.symbol->name.ends_with(kDescriptorSuffix))
            return add(name, offset, item.size, read_descriptor);
        add_opaque(name, offset, item.size);
    }

    void read_function(const std::string& part, std::uint64_t offset, const Item& item) {
        const Named& symbol = *item.symbol;
        Function function{symbol.name, symbol.row.st_value, item.size, false, 32, {}};
        if (const auto kernel = kernel_waves_.find(symbol.name); kernel != kernel_waves_.end()) {
            function.kernel = true;
            function.wave = kernel->second;
            const auto entry = kernel_entries_.find(symbol.name);
            if (entry != kernel_entries_.end() && entry->second != function.address)
                lose(offset, 0, part,
                     fmt::format("its descriptor starts it at {:#x}, its symbol is at {:#x}", entry->second,
                                 function.address));
        } else if (waves_.size() > 1) {
            return lose(offset, item.size, part, "a function beside kernels of both wave sizes");
        } else if (!waves_.empty()) {
            function.wave = *waves_.begin();
        }
        Forms* forms = forms_for(function.wave, offset, item.size, part);
        if (forms == nullptr) return;
        add(part, offset, item.size, [&](std::string_view code) -> Result<Function> {
            for (std::uint64_t at = 0; at < code.size();) {
                const auto form = forms->find(code.substr(at), function.address + at);
                if (!form) {
                    lose(offset + at, code.size() - at, part,
                         fmt::format("+{:#x}: no instruction of {}", at, file_.chip->name));
                    break;
                }
                const Form& known = (*forms)[*form];
                if (!known.comes_back)
                    lose(offset + at, known.size, part,
                         fmt::format("+{:#x}: {} is encoded otherwise", at,
                                     forms->disassembler().text(known.inst, function.address + at)));
                function.instructions.push_back({static_cast<std::uint32_t>(at), *form});
                at += known.size;
            }
            return std::move(function);
        });
    }

    Forms* forms_for(std::uint32_t wave, std::uint64_t offset, std::uint64_t size, const std::string& part) {
        std::unique_ptr<Forms>& forms = file_.forms[wave == 64 ? 1 : 0];
        if (!forms) {
            auto made = Forms::create(*file_.chip, wave);
            if (!made) {
                lose(offset, size, part, made.error().text);
                return nullptr;
            }
            forms = std::move(*made);
        }
        return forms.get();
    }

    /// What no symbol bounds, [from, to) of a section: padding, and in a data section other data.
    void read_between(const elf::Elf64_Shdr& section, const std::string& name, bool code, std::uint64_t from,
                      std::uint64_t to) {
        while (from < to) {
            const std::uint64_t offset = section.sh_offset + from;
            const std::string_view rest = bytes_.substr(offset, to - from);
            std::uint64_t zeros = std::min(rest.find_first_not_of('\0'), rest.size());
            // The low bytes of an instruction may be zero.
            constexpr std::uint64_t kWord = 4;
            if (code && zeros != rest.size()) zeros = zeros / kWord * kWord;
            if (!code && zeros != rest.size()) return add_opaque(name, offset, rest.size());
            std::uint64_t taken = zeros;
            if (zeros != 0)
                add_zeros(name, offset, zeros);
            else
                taken = read_fill(name, offset, rest, section.sh_addr + from);
            if (taken == 0) return lose(offset, rest.size(), name, "neither padding nor part of a function or object");
            from += taken;
        }
    }

    /// The bytes of the filling instructions at the start of `rest`.
    std::uint64_t read_fill(const std::string& name, std::uint64_t offset, std::string_view rest,
                            std::uint64_t address) {
        const std::uint32_t wave = waves_.empty() ? 32 : *waves_.begin();
        Forms* forms = forms_for(wave, offset, rest.size(), name);
        const auto form = forms != nullptr ? forms->find(rest, address) : std::nullopt;
        if (!form) return 0;
        const Form& known = (*forms)[*form];
        const std::string& base = forms->disassembler().opcode(known.inst.getOpcode()).base;
        const bool nop = base == "S_NOP" && known.inst.getOperand(0).getImm() == 0;
        if (!nop && base != "S_CODE_END") return 0;
        const std::string_view one = rest.substr(0, known.size);
        std::uint64_t count = 0;
        while (rest.substr(count * known.size, known.size) == one) ++count;
        add(name, offset, count * known.size, [&](std::string_view) { return Result<Fill>(Fill{wave, *form, count}); });
        return count * known.size;
    }

    /// What no table speaks of must be zeros.
    void read_gaps() {
        std::vector<Range> known = unchecked_ranges();
        known.insert(known.end(), taken_.begin(), taken_.end());
        known = merged(std::move(known));
        known.emplace_back(bytes_.size(), bytes_.size());
        std::uint64_t at = 0;
        for (const Range& range : known) {
            const std::string_view gap = bytes_.substr(at, range.first - at);
            if (gap.find_first_not_of('\0') == std::string_view::npos)
                add_zeros("between parts", at, gap.size());
            else
                lose(at, gap.size(), "between parts", "no table speaks of these bytes, and they are not zero");
            at = range.second;
        }
    }

    void add_zeros(const std::string& name, std::uint64_t offset, std::uint64_t size) {
        add(name, offset, size, [size](std::string_view) { return Result<Zeros>(Zeros{size}); });
    }

    void add_opaque(const std::string& name, std::uint64_t offset, std::uint64_t size) {
        add(name, offset, size, [](std::string_view bytes) { return Result<Opaque>(Opaque{std::string(bytes)}); });
    }

    /// A part that `read` makes of its bytes; unchecked where they leave the file, are another's, or it cannot.
    template <typename Read>
    void add(const std::string& name, std::uint64_t offset, std::uint64_t size, Read read) {
        if (size == 0) return;
        if (offset > bytes_.size() || size > bytes_.size() - offset)
            return lose(offset, size, name,
                        fmt::format("{:#x} bytes from here on leave the file of {:#x}", size, bytes_.size()));
        const auto taken = taken_.upper_bound(offset + size - 1);
        if (taken != taken_.begin() && std::prev(taken)->second > offset)
            return lose(offset, size, name, "these bytes are another part's, too");
        taken_[offset] = offset + size;
        auto content = read(bytes_.substr(offset, size));
        if (content)
            file_.parts.push_back({offset, size, name, std::move(*content)});
        else
            lose(offset, size, name, content.error().text);
    }

    void lose(std::uint64_t offset, std::uint64_t size, const std::string& part, const std::string& reason) {
        file_.unchecked.push_back({offset, size, part, reason});
    }

    /// Writes each part and finds what is not as it was.
    void compare() {
        const std::vector<Range> known = unchecked_ranges();
        for (const Part& part : file_.parts) {
            const std::string out = write(file_, part.content);
            const std::uint64_t end = part.offset + part.size;
            if (out.size() != part.size) {
                lose(part.offset, part.size, part.name,
                     fmt::format("this {} comes back as {:#x} bytes, not {:#x}", kind_of(part.content), out.size(),
                                 part.size));
                continue;
            }
            auto skip = std::upper_bound(known.begin(), known.end(), Range{part.offset, ~std::uint64_t{0}});
            if (skip != known.begin()) --skip;
            for (std::uint64_t at = part.offset; at < end; ++at) {
                while (skip != known.end() && skip->second <= at) ++skip;
                if (skip != known.end() && skip->first <= at) {
                    at = skip->second - 1;
                    continue;
                }
                if (out[at - part.offset] == bytes_[at]) continue;
                lose(at, end - at, part.name,
                     fmt::format("this {} does not come back as it is: {:#04x} for {:#04x}", kind_of(part.content),
                                 static_cast<std::uint8_t>(out[at - part.offset]),
                                 static_cast<std::uint8_t>(bytes_[at])));
                break;
            }
        }
        file_.equal = bytes_.size();
        for (const Range& range : unchecked_ranges()) file_.equal -= range.second - range.first;
        for (const Part& part : file_.parts)
            if (std::holds_alternative<Opaque>(part.content)) file_.opaque += part.size;
    }

    std::string_view bytes_;
    File& file_;
    std::map<std::uint64_t, std::uint64_t> taken_; // parts' ranges
    elf::Elf64_Ehdr header_{};
    std::vector<elf::Elf64_Shdr> sections_;
    std::vector<std::string> section_names_;
    std::vector<Named> symbols_;
    std::map<std::size_t, std::vector<const Named*>> by_section_;
    std::map<std::string, std::uint32_t> kernel_waves_;
    std::map<std::string, std::uint64_t> kernel_entries_;
    std::set<std::uint32_t> waves_;
    std::map<std::uint64_t, Names> names_;                     // by section
    std::map<std::uint64_t, std::vector<std::string>> hashed_; // by section
};

} // namespace

Result<File> lift(std::string_view bytes) {
    File file;
    if (auto done = Lifter(bytes, file).run(); !done) return done.error();
    return file;
}

std::string emit(const File& file) {
    std::string out(file.size, '\0');
    for (const Part& part : file.parts) {
        const std::string bytes = write(file, part.content);
        const std::size_t size = std::min<std::size_t>(bytes.size(), part.size);
        out.replace(part.offset, size, bytes, 0, size);
    }
    return out;
}

std::string_view kind_of(const Content& content) {
    constexpr std::string_view kKinds[] = {
        "ELF header",  "program headers",          "section headers", "symbol table",         "dynamic table",
        "relocations", "relocations with addends", "texts",           "hash table",           "GNU hash table",
        "notes",       "kernel descriptor",        "function",        "filling instructions", "zeros",
        "opaque bytes"};
    static_assert(std::size(kKinds) == std::variant_size_v<Content>);
    return kKinds[content.index()];
}

std::vector<Instruction> listing_of(const File& file, const Function& function) {
    Forms& forms = file.forms_of(function.wave);
    std::vector<Instruction> listing;
    for (const Placed& placed : function.instructions) {
        const Form& form = forms[placed.form];
        listing.push_back({placed.at, form.size, forms.disassembler().text(form.inst, function.address + placed.at),
                           branch_target(forms.disassembler(), form.inst, form.size, placed.at)});
    }
    return listing;
}

} // namespace pm::lift
