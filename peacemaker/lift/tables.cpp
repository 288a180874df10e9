#include "peacemaker/lift/tables.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace pm::lift {
namespace {

namespace elf = llvm::ELF;

static_assert(std::endian::native == std::endian::little, "rows are stored as they stand in memory");

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

template <typename T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

template <typename T>
void append_all(std::string& out, const std::vector<T>& values) {
    for (const T value : values) append(out, value);
}

std::size_t padded(std::size_t size, std::size_t align) { return (size + align - 1) / align * align; }

} // namespace

template <typename Row>
Result<Rows<Row>> read_rows(std::string_view bytes) {
    if (bytes.size() % sizeof(Row) != 0)
        return Error{fmt::format("{} bytes; expected rows of {}", bytes.size(), sizeof(Row))};
    Rows<Row> table;
    table.rows.resize(bytes.size() / sizeof(Row));
    if (!bytes.empty()) std::memcpy(table.rows.data(), bytes.data(), bytes.size());
    return table;
}

template <typename Row>
std::string write_rows(const Rows<Row>& table) {
    return {reinterpret_cast<const char*>(table.rows.data()), table.rows.size() * sizeof(Row)};
}

template Result<FileHeader> read_rows(std::string_view);
template Result<ProgramHeaders> read_rows(std::string_view);
template Result<SectionHeaders> read_rows(std::string_view);
template Result<SymbolRows> read_rows(std::string_view);
template Result<DynamicRows> read_rows(std::string_view);
template Result<Relocations> read_rows(std::string_view);
template Result<RelocationsWithAddend> read_rows(std::string_view);
template Result<Descriptor> read_rows(std::string_view);
template std::string write_rows(const FileHeader&);
template std::string write_rows(const ProgramHeaders&);
template std::string write_rows(const SectionHeaders&);
template std::string write_rows(const SymbolRows&);
template std::string write_rows(const DynamicRows&);
template std::string write_rows(const Relocations&);
template std::string write_rows(const RelocationsWithAddend&);
template std::string write_rows(const Descriptor&);

Result<Strings> read_strings(std::string_view bytes) {
    Strings strings;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = bytes.find('\0', at);
        if (end == std::string_view::npos) return Error{fmt::format("byte {:#x}: its last text has no end", at)};
        strings.texts.emplace_back(bytes.substr(at, end - at));
        at = end + 1;
    }
    return strings;
}

std::string write(const Strings& strings) {
    std::string out;
    for (const std::string& text : strings.texts) {
        out += text;
        out += '\0';
    }
    return out;
}

Result<SysvHash> read_sysv_hash(std::string_view bytes, const std::vector<std::string>& names) {
    constexpr std::size_t kHead = 8;
    if (bytes.size() < kHead) return Error{"cut off inside its head of 8 bytes"};
    const SysvHash table{word_at(bytes, 0), names};
    const std::uint64_t chains = word_at(bytes, 4);
    if (bytes.size() != kHead + 4 * (std::uint64_t{table.buckets} + chains))
        return Error{fmt::format("{} bytes; expected {} buckets and {} chains", bytes.size(), table.buckets, chains)};
    if (chains != names.size()) return Error{fmt::format("{} chains for {} symbols", chains, names.size())};
    if (table.buckets == 0) return Error{"no buckets"};
    return table;
}

std::string write(const SysvHash& table) {
    std::vector<std::uint32_t> buckets(table.buckets), chains(table.names.size());
    for (std::uint32_t i = 1; i < table.names.size(); ++i) {
        std::uint32_t& head = buckets[llvm::object::hashSysV(table.names[i]) % table.buckets];
        chains[i] = head;
        head = i;
    }
    std::string out;
    append(out, table.buckets);
    append(out, static_cast<std::uint32_t>(table.names.size()));
    append_all(out, buckets);
    append_all(out, chains);
    return out;
}

Result<GnuHash> read_gnu_hash(std::string_view bytes, const std::vector<std::string>& names) {
    constexpr std::size_t kHead = 16;
    if (bytes.size() < kHead) return Error{"cut off inside its head of 16 bytes"};
    GnuHash table{word_at(bytes, 0), word_at(bytes, 4), word_at(bytes, 8), word_at(bytes, 12), {}};
    if (table.first > names.size()) return Error{fmt::format("starts at symbol {} of {}", table.first, names.size())};
    const std::uint64_t hashed = names.size() - table.first;
    if (bytes.size() != kHead + 8 * std::uint64_t{table.filter_words} + 4 * (std::uint64_t{table.buckets} + hashed))
        return Error{fmt::format("{} bytes; expected {} filter words, {} buckets and {} hashes", bytes.size(),
                                 table.filter_words, table.buckets, hashed)};
    if (table.buckets == 0 || table.filter_words == 0 || table.shift > 31)
        return Error{
            fmt::format("{} buckets, {} filter words, shift {}", table.buckets, table.filter_words, table.shift)};
    table.names.assign(names.begin() + table.first, names.end());
    return table;
}

std::string write(const GnuHash& table) {
    std::vector<std::uint64_t> filter(table.filter_words);
    std::vector<std::uint32_t> buckets(table.buckets), hashes;
    for (const std::string& name : table.names) hashes.push_back(llvm::object::hashGnu(name));
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
        const std::uint32_t hash = hashes[i];
        filter[hash / 64 % table.filter_words] |= std::uint64_t{1} << hash % 64 | std::uint64_t{1}
                                                                                      << (hash >> table.shift) % 64;
        std::uint32_t& bucket = buckets[hash % table.buckets];
        if (bucket == 0) bucket = table.first + i;
        // The lowest bit ends a chain: the symbols of a bucket stand together.
        constexpr std::uint32_t kLast = 1;
        const bool last = i + 1 == hashes.size() || hashes[i + 1] % table.buckets != hash % table.buckets;
        hashes[i] = last ? hash | kLast : hash & ~kLast;
    }
    std::string out;
    append(out, table.buckets);
    append(out, table.first);
    append(out, table.filter_words);
    append(out, table.shift);
    append_all(out, filter);
    append_all(out, buckets);
    append_all(out, hashes);
    return out;
}

Result<Notes> read_notes(std::string_view bytes, std::uint64_t align) {
    Notes notes;
    notes.align = align == 8 ? 8 : 4;
    constexpr std::size_t kHead = 12;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto bad = [at](const std::string& what) { return Error{fmt::format("byte {:#x}: {}", at, what)}; };
        if (bytes.size() - at < kHead) return bad("a note that is cut off");
        const std::uint64_t owner_size = word_at(bytes, at), size = word_at(bytes, at + 4);
        const std::size_t start = padded(at + kHead + owner_size, notes.align);
        if (start > bytes.size() || size > bytes.size() - start) return bad("a note that is cut off");
        Note note{std::string(bytes.substr(at + kHead, owner_size)), word_at(bytes, at + 8), {}};
        if (note.owner.empty() || note.owner.back() != '\0') return bad("a note whose owner has no end");
        note.owner.pop_back();
        const std::string_view content = bytes.substr(start, size);
        if (note.owner == "AMDGPU" && note.type == elf::NT_AMDGPU_METADATA) {
            auto value = decode_message_pack(content);
            if (!value) return Error{fmt::format("byte {:#x}: its metadata: {}", start, value.error().text)};
            note.content = std::move(*value);
        } else {
            note.content = std::string(content);
        }
        notes.notes.push_back(std::move(note));
        at = std::min(padded(start + size, notes.align), bytes.size());
    }
    return notes;
}

std::string write(const Notes& notes) {
    std::string out;
    for (const Note& note : notes.notes) {
        const auto* value = std::get_if<MessagePackValue>(&note.content);
        const std::string content =
            value != nullptr ? encode_message_pack(*value) : std::get<std::string>(note.content);
        append(out, static_cast<std::uint32_t>(note.owner.size() + 1));
        append(out, static_cast<std::uint32_t>(content.size()));
        append(out, note.type);
        out += note.owner;
        out += '\0';
        out.resize(padded(out.size(), notes.align));
        out += content;
        out.resize(padded(out.size(), notes.align));
    }
    return out;
}

Result<Descriptor> read_descriptor(std::string_view bytes) {
    auto table = read_rows<llvm::amdhsa::kernel_descriptor_t>(bytes);
    if (!table) return table;
    if (table->rows.size() != 1) return Error{fmt::format("{} bytes; expected one descriptor of 64", bytes.size())};
    const auto zero = [](const auto& reserved) {
        return std::all_of(std::begin(reserved), std::end(reserved), [](std::uint8_t byte) { return byte == 0; });
    };
    const auto& row = table->rows.front();
    if (!zero(row.reserved0) || !zero(row.reserved1) || !zero(row.reserved3))
        return Error{"its reserved bytes are not zero"};
    return table;
}

} // namespace pm::lift
