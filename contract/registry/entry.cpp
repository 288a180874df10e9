#include "contract/registry/entry.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hkc {
namespace {

std::string missing(std::string_view key) { return fmt::format("key '{}' is missing", key); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array:
        return "an array";
    case toml::node_type::string:
        return "a string";
    case toml::node_type::integer:
        return "an integer";
    case toml::node_type::floating_point:
        return "a floating-point number";
    case toml::node_type::boolean:
        return "a boolean";
    default:
        return "a date or time";
    }
}

} // namespace

std::vector<std::string> to_strings(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

bool is_identifier(std::string_view text) {
    return !text.empty() && is_letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_plain_name(std::string_view text) {
    return !text.empty() && (is_letter(text[0]) || is_digit(text[0])) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; });
}

Entry::Entry(const toml::table& table, std::string what, const std::string& file, Diagnostics& diagnostics,
             const Substitution* names, const toml::table* defaults)
    : table_(table), what_(std::move(what)), file_(file), diagnostics_(diagnostics), names_(names),
      defaults_(defaults) {}

Entry Entry::nested(const toml::table& table, std::string what) const {
    return Entry(table, std::move(what), file_, diagnostics_, names_, nullptr);
}

SourceLocation Entry::at(const toml::node& node) const { return {file_, node.source().begin.line}; }

void Entry::problem(const SourceLocation& at, std::string_view text) const {
    diagnostics_.add(at, fmt::format("{}: {}", what_, text));
}

void Entry::allow(std::span<const std::string_view> keys) const {
    for (const auto& [key, node] : table_) {
        if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
        const std::vector<std::string> known = to_strings(keys);
        problem({file_, key.source().begin.line},
                fmt::format("unknown key '{}'{}; expected one of {}", key.str(), pm::did_you_mean(key.str(), known),
                            fmt::join(keys, ", ")));
        diagnostics_.settle(at(), missing(pm::nearest_name(key.str(), known)));
    }
}

const toml::node* Entry::find(std::string_view key) const {
    if (const toml::node* own = table_.get(key)) return own;
    return defaults_ == nullptr ? nullptr : defaults_->get(key);
}

const toml::node* Entry::require(std::string_view key) const {
    const toml::node* node = find(key);
    if (node != nullptr) return node;
    const std::string topic = missing(key);
    // What the family misspells, its registrations do not lack besides.
    if (defaults_ != nullptr && diagnostics_.settled(at(*defaults_), topic)) diagnostics_.settle(at(), topic);
    diagnostics_.add_once(at(), topic, fmt::format("{}: {}", what_, topic));
    return nullptr;
}

std::optional<std::string> Entry::substitute(const std::string& text, const SourceLocation& at, std::string_view label,
                                             bool strict) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
        if (end != std::string::npos) {
            const std::string_view name = std::string_view(text).substr(i + 1, end - i - 1);
            const auto found = names_ == nullptr ? Substitution::const_iterator{} : names_->find(name);
            if (names_ != nullptr && found != names_->end()) {
                out += found->second;
                i = end;
                continue;
            }
            if (strict && is_identifier(name)) {
                std::vector<std::string> known;
                if (names_ != nullptr) {
                    for (const auto& [key, value] : *names_) known.push_back(key);
                }
                problem(at, fmt::format("{}: '{{{}}}' is not a name of 'each'{}", label, name,
                                        pm::did_you_mean(name, known)));
                return std::nullopt;
            }
        }
        out += text[i];
    }
    return out;
}

std::optional<std::string> Entry::text(const toml::node& node, std::string_view label) const {
    const auto* string = node.as_string();
    if (string == nullptr) {
        problem(at(node), fmt::format("{} is {}; expected a string", label, type_name(node)));
        return std::nullopt;
    }
    return substitute(string->get(), at(node), label, true);
}

std::optional<std::string> Entry::code(const toml::node& node, std::string_view label) const {
    const auto* string = node.as_string();
    if (string == nullptr) {
        problem(at(node), fmt::format("{} is {}; expected a string", label, type_name(node)));
        return std::nullopt;
    }
    return substitute(string->get(), at(node), label, false);
}

std::optional<bool> Entry::boolean(const toml::node& node, std::string_view label) const {
    if (const auto* value = node.as_boolean()) return value->get();
    problem(at(node), fmt::format("{} is {}; expected true or false", label, type_name(node)));
    return std::nullopt;
}

std::optional<std::int64_t> Entry::integer(const toml::node& node, std::string_view label) const {
    if (const auto* value = node.as_integer()) return value->get();
    problem(at(node), fmt::format("{} is {}; expected an integer", label, type_name(node)));
    return std::nullopt;
}

std::optional<LocatedExpr> Entry::expression(const toml::node& node, std::string_view label) const {
    if (const auto* value = node.as_integer()) return LocatedExpr{Expr::constant(value->get()), at(node)};
    if (!node.is_string()) {
        problem(at(node), fmt::format("{} is {}; expected an integer or a string that holds an integer expression",
                                      label, type_name(node)));
        return std::nullopt;
    }
    const auto string = text(node, label);
    if (!string) return std::nullopt;
    auto expr = Expr::parse(*string);
    if (!expr) {
        problem(at(node), fmt::format("{}: {}", label, expr.error().text));
        return std::nullopt;
    }
    return LocatedExpr{std::move(*expr), at(node)};
}

const toml::array* Entry::array(const toml::node& node, std::string_view label, std::string_view of) const {
    const toml::array* array = node.as_array();
    if (array == nullptr)
        problem(at(node), fmt::format("{} is {}; expected an array of {}", label, type_name(node), of));
    return array;
}

const toml::table* Entry::table(const toml::node& node, std::string_view label, std::string_view like) const {
    const toml::table* table = node.as_table();
    if (table == nullptr)
        problem(at(node), fmt::format("{} is {}; expected a table like {}", label, type_name(node), like));
    return table;
}

std::vector<std::pair<std::string, SourceLocation>> Entry::texts(const toml::node& node, std::string_view label) const {
    std::vector<std::pair<std::string, SourceLocation>> out;
    const toml::array* list = array(node, label, "strings");
    if (list == nullptr) return out;
    if (list->empty()) problem(at(node), fmt::format("{} is empty; expected at least one string", label));
    for (const toml::node& element : *list) {
        const auto string = text(element, fmt::format("an element of {}", label));
        if (!string) continue;
        if (string->empty()) problem(at(element), fmt::format("an element of {} is empty", label));
        out.emplace_back(*string, at(element));
    }
    return out;
}

std::vector<const toml::table*> Entry::tables(const toml::node& node, std::string_view label) const {
    std::vector<const toml::table*> out;
    const toml::array* list = array(node, label, "tables");
    if (list == nullptr) return out;
    if (list->empty()) problem(at(node), fmt::format("{} is empty; expected at least one", label));
    for (const toml::node& element : *list) {
        const toml::table* one = element.as_table();
        if (one == nullptr) {
            problem(at(element), fmt::format("an element of {} is {}; expected a table", label, type_name(element)));
            continue;
        }
        out.push_back(one);
    }
    return out;
}

std::optional<std::size_t> Entry::choice(const toml::node& node, std::string_view label,
                                         std::span<const std::string_view> choices) const {
    const auto string = text(node, label);
    if (!string) return std::nullopt;
    const auto found = std::find(choices.begin(), choices.end(), *string);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    // "input" has fewer letters to change to "inout", and means "in".
    std::vector<std::string> likely;
    for (const std::string_view one : choices)
        if (string->starts_with(one)) likely.assign(1, std::string(one));
    if (likely.empty()) likely = to_strings(choices);
    const std::string nearest =
        likely.size() == 1 ? fmt::format(" (did you mean \"{}\"?)", likely.front()) : pm::did_you_mean(*string, likely);
    problem(at(node),
            fmt::format("{} is '{}'{}; expected one of {}", label, *string, nearest, fmt::join(choices, ", ")));
    return std::nullopt;
}

std::optional<Scope> resolve(const NamedExprs& exprs, const Scope& base, const std::string& what,
                             Diagnostics& diagnostics) {
    Scope scope = base;
    std::set<std::string, std::less<>> pending;
    for (const auto& [name, value] : exprs) pending.insert(name);
    bool clean = true;
    bool moved = true;
    while (moved && !pending.empty()) {
        moved = false;
        for (auto it = pending.begin(); it != pending.end();) {
            const LocatedExpr& value = exprs.find(*it)->second;
            const std::set<std::string> names = value.expr.names();
            const bool waits = std::any_of(names.begin(), names.end(),
                                           [&](const std::string& name) { return pending.contains(name); });
            if (waits) {
                ++it;
                continue;
            }
            const auto result = value.expr.evaluate(scope);
            if (!result) {
                diagnostics.add_once(value.at, "value of " + *it,
                                     fmt::format("{}: '{}': {}", what, *it, result.error().text));
                return std::nullopt;
            }
            scope[*it] = *result;
            it = pending.erase(it);
            moved = true;
        }
    }
    for (const std::string& name : pending) {
        diagnostics.add_once(
            exprs.find(name)->second.at, "value of " + name,
            fmt::format("{}: '{}' depends on itself through {}", what, name, fmt::join(pending, ", ")));
        clean = false;
    }
    return clean ? std::optional<Scope>(std::move(scope)) : std::nullopt;
}

} // namespace hkc
