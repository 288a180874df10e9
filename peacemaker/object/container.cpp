#include "peacemaker/object/container.h"

#include "peacemaker/object/bundle.h"
#include "peacemaker/object/compressed_bundle.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <optional>

namespace pm {
namespace {

namespace elf = llvm::ELF;

/// The bytes of a host's .hip_fatbin section, or nothing where `bytes` are no such file.
std::optional<std::string_view> fat_binary(std::string_view bytes) {
    if (!bytes.starts_with("\177ELF") || bytes.size() < sizeof(elf::Elf64_Ehdr)) return std::nullopt;
    if (bytes[elf::EI_CLASS] != elf::ELFCLASS64 || bytes[elf::EI_DATA] != elf::ELFDATA2LSB) return std::nullopt;
    auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(llvm::StringRef(bytes.data(), bytes.size()));
    if (!file) {
        llvm::consumeError(file.takeError());
        return std::nullopt;
    }
    if (file->getHeader().e_machine == elf::EM_AMDGPU) return std::nullopt;
    auto sections = file->sections();
    if (!sections) {
        llvm::consumeError(sections.takeError());
        return std::nullopt;
    }
    for (const auto& section : *sections) {
        auto name = file->getSectionName(section);
        if (!name) {
            llvm::consumeError(name.takeError());
            continue;
        }
        if (*name != ".hip_fatbin" || section.sh_type == elf::SHT_NOBITS) continue;
        if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset) return std::nullopt;
        return bytes.substr(section.sh_offset, section.sh_size);
    }
    return std::nullopt;
}

/// Takes a file apart into its objects.
class Opener {
public:
    explicit Opener(Container& out) : out_(out) {}

    /// The bundle at the start of `bytes`: its size, or 0 where it cannot be told.
    std::uint64_t open_one(std::string_view bytes, const std::string& where) {
        if (is_compressed_bundle(bytes)) return open_compressed(bytes, where);
        return open_plain(bytes, where);
    }

    /// Bundles one behind the other, with zeros between them.
    void open_all(std::string_view bytes, const std::string& where, std::string_view part) {
        for (std::uint64_t at = 0; at < bytes.size();) {
            at = std::min(bytes.find_first_not_of('\0', at), bytes.size());
            if (at == bytes.size()) break;
            const std::string_view rest = bytes.substr(at);
            if (!is_bundle(rest) && !is_compressed_bundle(rest)) {
                lose(fmt::format("{}{}", where, part), at, "neither an offload bundle nor zeros");
                return;
            }
            const bool whole = at == 0 && part.empty();
            const std::uint64_t size = open_one(rest, whole ? where : fmt::format("{}{}+{:#x}", where, part, at));
            if (size == 0) return;
            at += size;
        }
    }

private:
    std::uint64_t open_compressed(std::string_view bytes, const std::string& where) {
        auto unpacked = unpack_bundle(bytes);
        if (!unpacked) {
            out_.losses.push_back({where, unpacked.error().text});
            return 0;
        }
        const std::string header = header_bytes(unpacked->header);
        if (!bytes.starts_with(header)) lose(where, 0, "its header does not come back");
        const std::string inside = where + " (unpacked)";
        const std::string& plain = out_.unpacked.emplace_back(std::move(unpacked->bytes));
        if (!is_bundle(plain)) {
            lose(inside, 0, "no offload bundle");
        } else if (const std::uint64_t size = open_plain(plain, inside);
                   size != 0 && plain.find_first_not_of('\0', size) != std::string::npos) {
            lose(inside, size, "bytes behind the bundle");
        }
        return unpacked->size;
    }

    std::uint64_t open_plain(std::string_view bytes, const std::string& where) {
        const auto bundle = read_bundle(bytes);
        if (!bundle) {
            out_.losses.push_back({where, bundle.error().text});
            return 0;
        }
        if (!bytes.starts_with(table_bytes(*bundle))) lose(where, 0, "its table does not come back");
        std::vector<const BundleEntry*> by_offset;
        for (const BundleEntry& entry : bundle->entries)
            if (!entry.bytes.empty()) by_offset.push_back(&entry);
        std::stable_sort(by_offset.begin(), by_offset.end(),
                         [](const BundleEntry* a, const BundleEntry* b) { return a->offset < b->offset; });
        std::uint64_t end = bundle->table_size;
        for (const BundleEntry* entry : by_offset) {
            const std::string name = fmt::format("{}: entry {} at {:#x}", where, entry->id, entry->offset);
            if (entry->offset < end)
                lose(where, entry->offset, fmt::format("entry {} lies in what is before it", entry->id));
            else if (bytes.substr(end, entry->offset - end).find_first_not_of('\0') != std::string_view::npos)
                lose(where, end, fmt::format("bytes other than zero before entry {}", entry->id));
            end = std::max(end, entry->offset + entry->bytes.size());
            // The host's own object is another tool's business.
            if (entry->id.starts_with("host-")) continue;
            if (chip_of_entry(entry->id).empty())
                lose(where, entry->offset, fmt::format("entry {} is for no chip", entry->id));
            else if (is_bundle(entry->bytes) || is_compressed_bundle(entry->bytes))
                lose(name, 0, "an offload bundle inside an offload bundle");
            else
                out_.objects.push_back({entry->id, name, entry->bytes});
        }
        return bundle->size;
    }

    void lose(const std::string& where, std::uint64_t offset, const std::string& reason) {
        out_.losses.push_back({where, fmt::format("offset {:#x}: {}", offset, reason)});
    }

    Container& out_;
};

} // namespace

bool is_container(std::string_view bytes) {
    return is_bundle(bytes) || is_compressed_bundle(bytes) || fat_binary(bytes).has_value();
}

Container read_container(std::string_view bytes, const std::string& where) {
    Container out;
    Opener opener(out);
    if (const auto fat = fat_binary(bytes))
        opener.open_all(*fat, where, ": .hip_fatbin");
    else if (is_bundle(bytes) || is_compressed_bundle(bytes))
        opener.open_all(bytes, where, "");
    else
        out.objects.push_back({{}, where, bytes});
    return out;
}

} // namespace pm
