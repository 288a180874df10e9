// Integer expressions of the registry: + - * / % parentheses, unary minus, comparison-free; functions ceildiv, min,
// max.
//
// Parsed by a PEGTL grammar, evaluated in checked 64-bit integers: overflow and division by zero are errors, never
// wrapped values.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace hkc {

using Scope = std::map<std::string, std::int64_t, std::less<>>;

/// One parsed expression; cheap to copy.
class Expr {
public:
    struct Node;

    /// The constant 0.
    Expr();
    explicit Expr(std::shared_ptr<const Node> root, std::string text)
        : root_(std::move(root)), text_(std::move(text)) {}

    /// Error: the expression, the column, what was expected.
    static pm::Result<Expr> parse(std::string_view text);
    static Expr constant(std::int64_t value);

    /// Error: unknown name (with the nearest one), overflow, division by zero, each with the expression's text.
    pm::Result<std::int64_t> evaluate(const Scope& scope) const;

    /// The names the expression reads.
    std::set<std::string> names() const;
    const std::string& text() const { return text_; }

private:
    std::shared_ptr<const Node> root_;
    std::string text_;
};

} // namespace hkc
