#include "contract/registry/each.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hkc {
namespace {

constexpr std::size_t kMostVariants = 1024;

/// Adds one named value; false (and reported) where it is no integer or string, or the name is taken.
bool add_value(Variant& variant, const std::string& name, const SourceLocation& name_at, const toml::node& node,
               const Entry& entry) {
    if (!is_identifier(name)) {
        entry.problem(name_at, fmt::format("'{}' is no identifier; expected letters, digits and '_'", name));
        return false;
    }
    std::string text;
    if (const auto* integer = node.as_integer()) {
        text = std::to_string(integer->get());
        variant.params[name] = {Expr::constant(integer->get()), entry.at(node)};
    } else if (const auto* string = node.as_string()) {
        text = string->get();
    } else {
        entry.problem(entry.at(node), fmt::format("a value of '{}' is neither an integer nor a string", name));
        return false;
    }
    if (!variant.names.emplace(name, std::move(text)).second) {
        entry.problem(name_at, fmt::format("'{}' is named twice", name));
        return false;
    }
    return true;
}

} // namespace

std::vector<Variant> expand_each(const toml::table& table, const std::string& what, const std::string& file,
                                 Diagnostics& diagnostics) {
    const toml::node* each = table.get("each");
    if (each == nullptr) return {Variant{}};
    const Entry outer(table, what, file, diagnostics);
    const toml::table* axes = outer.table(*each, "each", "{ bits = [4, 5], tile = [{rows = 1, cols = 2}] }");
    if (axes == nullptr) return {};
    const Entry entry(*axes, what + ": each", file, diagnostics);

    // The parser sorts keys by name; the order in the file decides which axis is slowest.
    std::vector<std::pair<const toml::key*, const toml::node*>> ordered;
    for (const auto& [key, node] : *axes) ordered.emplace_back(&key, &node);
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        const auto pa = a.first->source().begin;
        const auto pb = b.first->source().begin;
        return std::tie(pa.line, pa.column) < std::tie(pb.line, pb.column);
    });

    std::vector<Variant> variants{Variant{}};
    for (const auto& [key, node] : ordered) {
        const std::string axis(key->str());
        const SourceLocation axis_at{file, key->source().begin.line};
        const toml::array* values = entry.array(*node, axis, "integers, strings or tables of them");
        if (values == nullptr) return {};
        if (values->empty()) {
            entry.problem(entry.at(*node), fmt::format("'{}' is empty; expected at least one value", axis));
            return {};
        }
        if (variants.size() * values->size() > kMostVariants) {
            entry.problem(entry.at(*node),
                          fmt::format("more than {} expansions; split the declaration", kMostVariants));
            return {};
        }
        std::vector<Variant> wider;
        for (const Variant& variant : variants) {
            for (const toml::node& value : *values) {
                Variant next = variant;
                bool good = true;
                if (const toml::table* many = value.as_table()) {
                    for (const auto& [name, one] : *many)
                        good = add_value(next, std::string(name.str()), {file, name.source().begin.line}, one, entry) &&
                               good;
                } else {
                    good = add_value(next, axis, axis_at, value, entry);
                }
                if (!good) return {};
                wider.push_back(std::move(next));
            }
        }
        variants = std::move(wider);
    }
    return variants;
}

} // namespace hkc
