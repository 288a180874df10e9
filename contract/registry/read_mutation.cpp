#include "contract/registry/draft.h"
#include "peacemaker/support/hex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace hkc {
namespace {

using pm::mutate::BytesEdit;
using pm::mutate::InstructionEdit;
using pm::mutate::MetadataEdit;

constexpr std::array<std::string_view, 8> kKeys{"find",       "replace",  "instruction", "symbol",
                                                "occurrence", "metadata", "value",       "add"};

std::string read_hex(const Entry& entry, std::string_view key) {
    const toml::node* node = entry.require(key);
    if (node == nullptr) return {};
    const auto text = entry.text(*node, key);
    if (!text) return {};
    const auto bytes = pm::bytes_of_hex(*text);
    if (!bytes)
        entry.problem(entry.at(*node), fmt::format("{} is '{}'; expected whole bytes as hex digits", key, *text));
    return bytes.value_or("");
}

BytesEdit read_bytes(const Entry& entry) {
    BytesEdit edit{read_hex(entry, "find"), read_hex(entry, "replace")};
    if (edit.find.empty() || edit.replace.empty()) return edit;
    if (edit.find.size() != edit.replace.size())
        entry.problem(entry.at(), fmt::format("find has {} bytes and replace {}; expected the same number",
                                              edit.find.size(), edit.replace.size()));
    else if (edit.find == edit.replace)
        entry.problem(entry.at(), "find and replace are the same; nothing is planted");
    return edit;
}

/// A text, or a list of them.
std::vector<std::string> read_texts(const Entry& entry, std::string_view key) {
    std::vector<std::string> out;
    const toml::node* node = entry.require(key);
    if (node == nullptr) return out;
    if (node->is_array()) {
        for (auto& [text, at] : entry.texts(*node, key)) out.push_back(std::move(text));
    } else if (auto text = entry.text(*node, key)) {
        if (text->empty()) entry.problem(entry.at(*node), fmt::format("{} is empty; expected an instruction", key));
        out.push_back(std::move(*text));
    }
    return out;
}

std::optional<std::uint32_t> read_occurrence(const Entry& entry, const toml::node& node) {
    constexpr std::string_view kExpected = "expected a number from 1, or \"last\"";
    if (const auto* text = node.as_string(); text != nullptr && text->get() == "last") return InstructionEdit::kLast;
    const auto* number = node.as_integer();
    if (number != nullptr && number->get() >= 1 && number->get() <= std::numeric_limits<std::uint32_t>::max())
        return static_cast<std::uint32_t>(number->get());
    entry.problem(entry.at(node), fmt::format("occurrence is no such; {}", kExpected));
    return std::nullopt;
}

InstructionEdit read_instruction(const Entry& entry) {
    InstructionEdit edit;
    edit.find = read_texts(entry, "instruction");
    edit.replace = read_texts(entry, "replace");
    if (const toml::node* node = entry.find("occurrence")) edit.occurrence = read_occurrence(entry, *node);
    if (edit.find.empty() || edit.replace.empty()) return edit;
    const bool each = edit.replace.size() == edit.find.size();
    if (edit.replace.size() != 1 && !each) {
        entry.problem(entry.at(), fmt::format("instruction has {} spellings and replace {}; expected one replacement, "
                                              "or one for each spelling",
                                              edit.find.size(), edit.replace.size()));
        return edit;
    }
    const auto stars = [](const std::string& text) { return std::count(text.begin(), text.end(), '*'); };
    for (std::size_t i = 0; i < edit.find.size(); ++i) {
        const std::string& replace = edit.replace[each ? i : 0];
        if (stars(replace) > stars(edit.find[i]))
            entry.problem(entry.at(), fmt::format("replace '{}' has more * than the instruction '{}' that it is for",
                                                  replace, edit.find[i]));
        if (replace == edit.find[i])
            entry.problem(entry.at(), fmt::format("'{}' is replaced by itself; nothing is planted", replace));
    }
    return edit;
}

MetadataEdit read_metadata(const Entry& entry, const toml::node& field) {
    MetadataEdit edit;
    edit.field = entry.text(field, "metadata").value_or(".none");
    if (!pm::mutate::is_field(edit.field))
        entry.problem(entry.at(field), fmt::format("metadata is '{}'; expected a field like .vgpr_count or "
                                                   ".args[7].size",
                                                   edit.field));
    const toml::node* value = entry.find("value");
    const toml::node* add = entry.find("add");
    if ((value == nullptr) == (add == nullptr)) {
        entry.problem(entry.at(), fmt::format("holds {} value and add; expected one of them",
                                              value == nullptr ? "neither of" : "both"));
        return edit;
    }
    edit.add = add != nullptr;
    const auto number = entry.integer(edit.add ? *add : *value, edit.add ? "add" : "value");
    edit.value = number.value_or(1);
    if (edit.add && edit.value == 0) entry.problem(entry.at(*add), "add is 0; nothing is planted");
    return edit;
}

/// Reports the keys that are there but belong to another form than `form`.
void refuse_keys(const Entry& entry, std::string_view form, std::span<const std::string_view> of_form) {
    for (const std::string_view key : kKeys) {
        const toml::node* node = entry.find(key);
        if (node == nullptr || std::find(of_form.begin(), of_form.end(), key) != of_form.end()) continue;
        entry.problem(entry.at(*node),
                      fmt::format("'{}' does not go with {}; expected {}", key, form, fmt::join(of_form, ", ")));
    }
}

} // namespace

PlantMutate read_mutation(const Entry& entry, const toml::node& node) {
    const toml::table* table = entry.table(node, "mutate", "{ instruction = \"..\", replace = \"..\" }");
    if (table == nullptr) return {};
    const Entry inner = entry.nested(*table, entry.what() + ": mutate");
    inner.allow(kKeys);
    const toml::node* field = inner.find("metadata");
    std::string symbol;
    if (const toml::node* text = inner.find("symbol")) symbol = inner.text(*text, "symbol").value_or("");
    if (field != nullptr) {
        constexpr std::array<std::string_view, 4> kOfForm{"metadata", "symbol", "value", "add"};
        refuse_keys(inner, "metadata", kOfForm);
        MetadataEdit edit = read_metadata(inner, *field);
        edit.symbol = std::move(symbol);
        return {std::move(edit)};
    }
    if (inner.find("instruction") != nullptr) {
        constexpr std::array<std::string_view, 4> kOfForm{"instruction", "symbol", "replace", "occurrence"};
        refuse_keys(inner, "instruction", kOfForm);
        InstructionEdit edit = read_instruction(inner);
        edit.symbol = std::move(symbol);
        return {std::move(edit)};
    }
    if (inner.find("find") == nullptr) {
        inner.problem(inner.at(), "holds no fault; expected one of instruction, metadata, find");
        return {};
    }
    constexpr std::array<std::string_view, 2> kOfForm{"find", "replace"};
    refuse_keys(inner, "find", kOfForm);
    return {read_bytes(inner)};
}

} // namespace hkc
