// One TOML table under reading: typed access to its keys, each problem with its line.
#pragma once

#include "contract/expr/expr.h"
#include "contract/registry/diagnostics.h"

#include <toml++/toml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// What `{name}` stands for in the strings of one expansion.
using Substitution = std::map<std::string, std::string, std::less<>>;

/// An expression and where it stands.
struct LocatedExpr {
    Expr expr;
    SourceLocation at;
};

/// Names and values in any order; a value may read the other names.
using NamedExprs = std::map<std::string, LocatedExpr, std::less<>>;

std::vector<std::string> to_strings(std::span<const std::string_view> names);
bool is_identifier(std::string_view text);
/// Letters, digits, `_`, `-` and `.`: what a name may hold that becomes part of a file name.
bool is_plain_name(std::string_view text);

/// A table, what messages call it (`kernel "relu2"`), and the family's defaults that stand in for keys it lacks.
class Entry {
public:
    Entry(const toml::table& table, std::string what, const std::string& file, Diagnostics& diagnostics,
          const Substitution* names = nullptr, const toml::table* defaults = nullptr);

    /// Reports every key of the table itself that is not in `keys`.
    void allow(std::span<const std::string_view> keys) const;

    /// The key's node, the family's where the table has none; null where neither has.
    const toml::node* find(std::string_view key) const;
    /// The same; reports a missing key, unless `allow` took another for a misspelling of it.
    const toml::node* require(std::string_view key) const;

    /// Typed reading of a node that messages call `label`; a wrong type is reported and gives nothing.
    std::optional<std::string> text(const toml::node& node, std::string_view label) const;
    /// A text in which braces stand for themselves unless they hold a name of `each`.
    std::optional<std::string> code(const toml::node& node, std::string_view label) const;
    std::optional<bool> boolean(const toml::node& node, std::string_view label) const;
    std::optional<std::int64_t> integer(const toml::node& node, std::string_view label) const;
    std::optional<LocatedExpr> expression(const toml::node& node, std::string_view label) const;
    const toml::array* array(const toml::node& node, std::string_view label, std::string_view of) const;
    const toml::table* table(const toml::node& node, std::string_view label, std::string_view like) const;
    /// A non-empty list of non-empty texts, each with its line.
    std::vector<std::pair<std::string, SourceLocation>> texts(const toml::node& node, std::string_view label) const;
    /// The tables of an array of tables.
    std::vector<const toml::table*> tables(const toml::node& node, std::string_view label) const;

    /// A text that must be one of `choices`.
    std::optional<std::size_t> choice(const toml::node& node, std::string_view label,
                                      std::span<const std::string_view> choices) const;

    SourceLocation at(const toml::node& node) const;
    SourceLocation at() const { return at(table_); }
    void problem(const SourceLocation& at, std::string_view text) const;
    const toml::table& raw() const { return table_; }
    const std::string& what() const { return what_; }
    const std::string& file() const { return file_; }
    Diagnostics& diagnostics() const { return diagnostics_; }
    /// A nested table of this entry, under another name.
    Entry nested(const toml::table& table, std::string what) const;

private:
    std::optional<std::string> substitute(const std::string& text, const SourceLocation& at, std::string_view label,
                                          bool strict) const;

    const toml::table& table_;
    std::string what_;
    const std::string& file_;
    Diagnostics& diagnostics_;
    const Substitution* names_;
    const toml::table* defaults_;
};

/// The values of `exprs`, evaluated in `base` and one another. A problem is reported with `what`; nothing is returned
/// then.
std::optional<Scope> resolve(const NamedExprs& exprs, const Scope& base, const std::string& what,
                             Diagnostics& diagnostics);

} // namespace hkc
