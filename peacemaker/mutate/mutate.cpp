#include "peacemaker/mutate/mutate.h"

#include "peacemaker/lift/listing.h"
#include "peacemaker/mutate/assemble.h"
#include "peacemaker/object/message_pack.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <charconv>
#include <regex>

namespace pm::mutate {
namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;

std::string single_spaced(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t';
        if (blank && (out.empty() || out.back() == ' ')) continue;
        out += blank ? ' ' : c;
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

std::optional<std::vector<std::string>> match_tail(std::string_view pattern, std::string_view text) {
    const std::size_t star = pattern.find('*');
    if (!text.starts_with(pattern.substr(0, star))) return std::nullopt;
    if (star == std::string_view::npos)
        return text.size() == pattern.size() ? std::optional(std::vector<std::string>()) : std::nullopt;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t taken = 0; taken <= text.size(); ++taken) {
        if (auto rest = match_tail(pattern, text.substr(taken))) {
            rest->insert(rest->begin(), std::string(text.substr(0, taken)));
            return rest;
        }
    }
    return std::nullopt;
}

/// `text` with its n-th `*` replaced by the n-th of `parts`.
Result<std::string> filled(const std::string& text, const std::vector<std::string>& parts) {
    std::string out;
    std::size_t used = 0;
    for (const char c : text) {
        if (c != '*') {
            out += c;
            continue;
        }
        if (used == parts.size())
            return Error{fmt::format("\"{}\" has more * than what it replaces, which has {}", text, parts.size())};
        out += parts[used++];
    }
    return out;
}

Result<const Kernel*> kernel_of(const CodeObject& object, const std::string& symbol) {
    const Kernel* kernel = object.find_kernel(symbol);
    if (kernel != nullptr) return kernel;
    std::vector<std::string> names;
    for (const Kernel& one : object.kernels) names.push_back(one.name);
    return Error{fmt::format("the object has no kernel {}{}", symbol, did_you_mean(symbol, names))};
}

/// What an instruction edit has found.
struct Place {
    lift::Instruction instruction;
    std::string replacement;
};

Result<Place> place_of(const std::vector<lift::Instruction>& code, const InstructionEdit& edit) {
    for (std::size_t i = 0; i < edit.find.size(); ++i) {
        const std::string pattern = single_spaced(edit.find[i]);
        std::vector<std::pair<const lift::Instruction*, std::vector<std::string>>> hits;
        for (const lift::Instruction& one : code)
            if (auto parts = match(pattern, single_spaced(one.text))) hits.emplace_back(&one, std::move(*parts));
        if (hits.empty()) continue;
        if (!edit.occurrence && hits.size() != 1)
            return Error{fmt::format("\"{}\" occurs {} times in {}; say which by its occurrence", pattern, hits.size(),
                                     edit.symbol)};
        const std::uint32_t wanted = edit.occurrence.value_or(1);
        if (wanted > hits.size())
            return Error{fmt::format("\"{}\" occurs {} times in {}; there is no occurrence {}", pattern, hits.size(),
                                     edit.symbol, wanted)};
        const auto& [instruction, parts] = wanted == InstructionEdit::kLast ? hits.back() : hits[wanted - 1];
        auto text = filled(edit.replace.size() == 1 ? edit.replace.front() : edit.replace[i], parts);
        if (!text) return text.error();
        Place place{*instruction, std::move(*text)};
        place.instruction.text = single_spaced(place.instruction.text);
        return place;
    }
    return Error{fmt::format("no instruction of {} is \"{}\"", edit.symbol, fmt::join(edit.find, "\" or \""))};
}

Result<Patch> patch_instruction(const CodeObject& object, const InstructionEdit& edit) {
    const auto kernel = kernel_of(object, edit.symbol);
    if (!kernel) return kernel.error();
    if (edit.find.empty() || (edit.replace.size() != 1 && edit.replace.size() != edit.find.size()))
        return Error{fmt::format("{} spellings and {} replacements; expected one replacement, or one for each spelling",
                                 edit.find.size(), edit.replace.size())};
    const auto code = lift::instructions_of(object, **kernel);
    if (!code) return code.error();
    const auto place = place_of(*code, edit);
    if (!place) return place.error();
    auto after = assemble(*object.chip, place->replacement);
    if (!after) return after.error();
    const auto nop = assemble(*object.chip, "s_nop 0");
    if (!nop) return nop.error();

    const lift::Instruction& old = place->instruction;
    const std::string_view before = object.at((*kernel)->entry_address + old.at, old.size);
    if (after->size() > before.size())
        return Error{fmt::format("\"{}\" has {} bytes, \"{}\" has {}; expected no more", place->replacement,
                                 after->size(), old.text, before.size())};
    while (after->size() < before.size()) *after += *nop;
    if (*after == before) return Error{fmt::format("\"{}\" is what stands there; nothing changes", old.text)};
    return Patch{static_cast<std::uint64_t>(before.data() - object.bytes.data()), std::string(before),
                 std::move(*after),
                 fmt::format("{}+{:#x}: {} becomes {}", edit.symbol, old.at, old.text, place->replacement)};
}

/// The metadata note within the file.
Result<std::string_view> metadata_of(const CodeObject& object) {
    llvm::Expected<File> file = File::create(llvm::StringRef(object.bytes));
    if (!file) return Error{llvm::toString(file.takeError())};
    auto headers = file->program_headers();
    if (!headers) return Error{llvm::toString(headers.takeError())};
    for (const File::Elf_Phdr& header : *headers) {
        if (header.p_type != llvm::ELF::PT_NOTE) continue;
        llvm::Error error = llvm::Error::success();
        std::optional<std::string_view> found;
        for (const auto& note : file->notes(header, error)) {
            if (found || note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA) continue;
            const llvm::StringRef text = note.getDescAsStringRef(std::max<std::size_t>(header.p_align, 4));
            found = std::string_view(text.data(), text.size());
        }
        if (error) return Error{llvm::toString(std::move(error))};
        if (found) return *found;
    }
    return Error{"the object has no metadata note"};
}

Result<std::size_t> metadata_of_kernel(const MessagePack& document, const std::string& symbol) {
    const auto kernels = document.value_of(0, "amdhsa.kernels");
    if (!kernels) return kernels;
    const auto count = document.array_length(*kernels);
    if (!count) return count;
    for (std::size_t i = 0; i < *count; ++i) {
        const auto kernel = document.element(*kernels, i);
        if (!kernel) return kernel;
        const auto name_at = document.value_of(*kernel, ".name");
        if (!name_at) return name_at;
        const auto name = document.text(*name_at);
        if (!name) return name.error();
        if (*name == symbol) return kernel;
    }
    return Error{"no kernel " + symbol};
}

/// The value that `field` (is_field) names in the map at `map`.
Result<std::size_t> value_at(const MessagePack& document, std::size_t map, std::string_view field) {
    std::size_t at = map;
    while (!field.empty()) {
        if (field.front() == '[') {
            std::size_t index = 0;
            const std::size_t close = field.find(']');
            std::from_chars(field.data() + 1, field.data() + close, index);
            const auto element = document.element(at, index);
            if (!element) return element;
            at = *element;
            field.remove_prefix(close + 1);
            continue;
        }
        const std::size_t end = std::min(field.find_first_of(".[", 1), field.size());
        const auto value = document.value_of(at, field.substr(0, end));
        if (!value) return value;
        at = *value;
        field.remove_prefix(end);
    }
    return at;
}

Result<Patch> patch_metadata(const CodeObject& object, const MetadataEdit& edit) {
    if (const auto kernel = kernel_of(object, edit.symbol); !kernel) return kernel.error();
    const std::string what = fmt::format("metadata {} of {}", edit.field, edit.symbol);
    if (!is_field(edit.field))
        return Error{fmt::format("{}: no field; expected one like .vgpr_count or .args[7].size", what)};
    const auto note = metadata_of(object);
    if (!note) return note.error();
    const MessagePack document(*note);
    const auto kernel = metadata_of_kernel(document, edit.symbol);
    if (!kernel) return kernel.error().with(what);
    const auto at = value_at(document, *kernel, edit.field);
    if (!at) return at.error().with(what);
    const auto now = document.integer(*at);
    if (!now) return now.error().with(what);
    std::int64_t value = edit.value;
    if (edit.add && __builtin_add_overflow(now->value, edit.value, &value))
        return Error{fmt::format("{}: {} + {} does not fit into 64 bits", what, now->value, edit.value)};
    if (value == now->value) return Error{fmt::format("{} is {}; nothing changes", what, value)};
    auto after = document.encoded_as(*at, value);
    if (!after) return after.error().with(what);
    const auto offset = static_cast<std::uint64_t>(note->data() - object.bytes.data()) + *at;
    return Patch{offset, object.bytes.substr(offset, now->size), std::move(*after),
                 fmt::format("{}: {} becomes {}", what, now->value, value)};
}

} // namespace

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view text) {
    return match_tail(pattern, text);
}

bool is_field(std::string_view text) {
    static const std::regex kField(R"((\.[a-z0-9_]+(\[[0-9]{1,4}\])?)+)");
    return std::regex_match(text.begin(), text.end(), kField);
}

Result<Patch> make_patch(std::string_view bytes, const BytesEdit& edit) {
    if (edit.find.empty() || edit.find.size() != edit.replace.size())
        return Error{fmt::format("{} bytes are to replace {}; expected as many, and at least one", edit.replace.size(),
                                 edit.find.size())};
    if (edit.find == edit.replace) return Error{"the bytes are to be replaced by themselves; nothing changes"};
    const std::size_t at = bytes.find(edit.find);
    if (at == std::string_view::npos)
        return Error{fmt::format("the {} bytes do not occur in the object", edit.find.size())};
    if (bytes.find(edit.find, at + 1) != std::string_view::npos)
        return Error{fmt::format("the {} bytes occur more than once in the object", edit.find.size())};
    return Patch{at, edit.find, edit.replace, fmt::format("{} bytes at offset {:#x}", edit.find.size(), at)};
}

Result<Patch> make_patch(const CodeObject& object, const Edit& edit) {
    if (const auto* bytes = std::get_if<BytesEdit>(&edit)) return make_patch(object.bytes, *bytes);
    if (const auto* instruction = std::get_if<InstructionEdit>(&edit)) return patch_instruction(object, *instruction);
    return patch_metadata(object, std::get<MetadataEdit>(edit));
}

std::string patched(std::string bytes, const Patch& patch) {
    bytes.replace(patch.offset, patch.after.size(), patch.after);
    return bytes;
}

} // namespace pm::mutate
