#include "contract/expr/expr.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/limit_depth.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

namespace hkc {
namespace {

enum class Op : std::uint8_t {
    kConstant,
    kName,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kCeilDiv,
    kMin,
    kMax
};

} // namespace

struct Expr::Node {
    Op op = Op::kConstant;
    std::int64_t value = 0;
    std::string name;
    std::vector<std::shared_ptr<const Node>> operands;
};

namespace {

namespace pegtl = tao::pegtl;
using NodePtr = std::shared_ptr<const Expr::Node>;

// Bounds on what is parsed, so that neither the parser, the evaluation nor the destructor can run out of stack.
constexpr std::size_t kMaxLength = 1024;
constexpr std::size_t kMaxDepth = 64;

struct Function {
    std::string_view name;
    Op op;
    std::size_t least;
    std::size_t most;
};
constexpr std::array<Function, 3> kFunctions{{
    {"ceildiv", Op::kCeilDiv, 2, 2},
    {"min", Op::kMin, 2, kMaxLength},
    {"max", Op::kMax, 2, kMaxLength},
}};

struct Call {
    const Function* function;
    std::size_t first_operand;
};

/// What the parser has built so far.
struct Builder {
    std::vector<NodePtr> operands;
    std::vector<Call> calls;
};

namespace grammar {

struct Blank : pegtl::star<pegtl::space> {};
struct Sum;
struct Operand;
struct Number : pegtl::plus<pegtl::digit> {};
struct Name : pegtl::identifier {};
struct CallHead : pegtl::seq<pegtl::identifier, Blank, pegtl::one<'('>> {};
struct CallEnd : pegtl::one<')'> {};
struct Call : pegtl::if_must<CallHead, Sum, pegtl::star<pegtl::if_must<pegtl::one<','>, Sum>>, CallEnd> {};
struct Close : pegtl::one<')'> {};
struct Parenthesis : pegtl::if_must<pegtl::one<'('>, Sum, Close> {};
struct Negation : pegtl::if_must<pegtl::one<'-'>, Operand> {};
struct Operand : pegtl::pad<pegtl::sor<Number, Call, Name, Parenthesis, Negation>, pegtl::space> {};
struct Times : pegtl::if_must<pegtl::one<'*'>, Operand> {};
struct Over : pegtl::if_must<pegtl::one<'/'>, Operand> {};
struct Modulo : pegtl::if_must<pegtl::one<'%'>, Operand> {};
struct Product : pegtl::seq<Operand, pegtl::star<pegtl::sor<Times, Over, Modulo>>> {};
struct Plus : pegtl::if_must<pegtl::one<'+'>, Product> {};
struct Minus : pegtl::if_must<pegtl::one<'-'>, Product> {};
struct Sum : pegtl::seq<Product, pegtl::star<pegtl::sor<Plus, Minus>>> {};
struct End : pegtl::eof {};
struct Whole : pegtl::must<Sum, End> {};

constexpr const char* kOperandExpected = "expected a number, a name, a function call or '('";
constexpr const char* kCloseExpected = "expected an operator, ',' or ')'";

// The text of each failure that a `must` can raise.
template <typename>
inline constexpr const char* kMessage = nullptr;
template <>
inline constexpr const char* kMessage<Sum> = kOperandExpected;
template <>
inline constexpr const char* kMessage<Product> = kOperandExpected;
template <>
inline constexpr const char* kMessage<Operand> = kOperandExpected;
template <>
inline constexpr const char* kMessage<CallEnd> = kCloseExpected;
template <>
inline constexpr const char* kMessage<Close> = "expected an operator or ')'";
template <>
inline constexpr const char* kMessage<pegtl::star<pegtl::if_must<pegtl::one<','>, Sum>>> = kCloseExpected;
template <>
inline constexpr const char* kMessage<End> = "expected an operator or the end";

struct Errors {
    template <typename Rule>
    static constexpr const char* message = kMessage<Rule>;
    template <typename Rule>
    static constexpr bool raise_on_failure = false;
};
template <typename Rule>
using Control = pegtl::must_if<Errors>::control<Rule>;

} // namespace grammar

void fold(Builder& builder, Op op, std::size_t first) {
    auto node = std::make_shared<Expr::Node>();
    node->op = op;
    node->operands.assign(std::make_move_iterator(builder.operands.begin() + static_cast<std::ptrdiff_t>(first)),
                          std::make_move_iterator(builder.operands.end()));
    builder.operands.resize(first);
    builder.operands.push_back(std::move(node));
}

template <typename Rule>
struct Action : pegtl::nothing<Rule> {};

template <>
struct Action<grammar::Operand> : pegtl::limit_depth<kMaxDepth> {};

template <>
struct Action<grammar::Number> {
    template <typename Input>
    static void apply(const Input& in, Builder& builder) {
        auto node = std::make_shared<Expr::Node>();
        const std::string_view text = in.string_view();
        if (std::from_chars(text.data(), text.data() + text.size(), node->value).ec != std::errc{})
            throw pegtl::parse_error("the number is over 9223372036854775807", in.position());
        builder.operands.push_back(std::move(node));
    }
};

template <>
struct Action<grammar::Name> {
    template <typename Input>
    static void apply(const Input& in, Builder& builder) {
        auto node = std::make_shared<Expr::Node>();
        node->op = Op::kName;
        node->name = in.string();
        builder.operands.push_back(std::move(node));
    }
};

template <>
struct Action<grammar::CallHead> {
    template <typename Input>
    static void apply(const Input& in, Builder& builder) {
        std::string_view name = in.string_view();
        name = name.substr(0, name.find_first_of(" \t\r\n\v\f("));
        for (const Function& function : kFunctions) {
            if (function.name != name) continue;
            builder.calls.push_back({&function, builder.operands.size()});
            return;
        }
        std::vector<std::string> known;
        for (const Function& function : kFunctions) known.emplace_back(function.name);
        throw pegtl::parse_error(
            fmt::format("unknown function '{}'{}; expected ceildiv, min or max", name, pm::did_you_mean(name, known)),
            in.position());
    }
};

template <>
struct Action<grammar::CallEnd> {
    template <typename Input>
    static void apply(const Input& in, Builder& builder) {
        const Call call = builder.calls.back();
        builder.calls.pop_back();
        const std::size_t given = builder.operands.size() - call.first_operand;
        if (given < call.function->least || given > call.function->most)
            throw pegtl::parse_error(fmt::format("{} got {} argument{}; expected {}{}", call.function->name, given,
                                                 given == 1 ? "" : "s", call.function->least,
                                                 call.function->most > call.function->least ? " or more" : ""),
                                     in.position());
        fold(builder, call.function->op, call.first_operand);
    }
};

template <Op kOp, std::size_t kOperands>
struct Fold {
    static void apply0(Builder& builder) { fold(builder, kOp, builder.operands.size() - kOperands); }
};
template <>
struct Action<grammar::Negation> : Fold<Op::kNegate, 1> {};
template <>
struct Action<grammar::Plus> : Fold<Op::kAdd, 2> {};
template <>
struct Action<grammar::Minus> : Fold<Op::kSubtract, 2> {};
template <>
struct Action<grammar::Times> : Fold<Op::kMultiply, 2> {};
template <>
struct Action<grammar::Over> : Fold<Op::kDivide, 2> {};
template <>
struct Action<grammar::Modulo> : Fold<Op::kModulo, 2> {};

pm::Error overflow() { return pm::Error{"the result does not fit in 64 bits"}; }
pm::Error by_zero() { return pm::Error{"division by zero"}; }

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

pm::Result<std::int64_t> apply(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    switch (op) {
    case Op::kAdd:
        if (__builtin_add_overflow(a, b, &r)) return overflow();
        return r;
    case Op::kSubtract:
        if (__builtin_sub_overflow(a, b, &r)) return overflow();
        return r;
    case Op::kMultiply:
        if (__builtin_mul_overflow(a, b, &r)) return overflow();
        return r;
    case Op::kDivide:
    case Op::kModulo:
    case Op::kCeilDiv:
        if (b == 0) return by_zero();
        if (a == kLowest && b == -1) return op == Op::kModulo ? pm::Result<std::int64_t>(0) : overflow();
        if (op == Op::kDivide) return a / b;
        if (op == Op::kModulo) return a % b;
        return a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0);
    case Op::kMin:
        return std::min(a, b);
    default:
        return std::max(a, b);
    }
}

pm::Result<std::int64_t> evaluate_node(const Expr::Node& node, const Scope& scope) {
    if (node.op == Op::kConstant) return node.value;
    if (node.op == Op::kName) {
        const auto found = scope.find(node.name);
        if (found != scope.end()) return found->second;
        std::vector<std::string> known;
        for (const auto& [name, value] : scope) known.push_back(name);
        return pm::Error{fmt::format("unknown name '{}'{}", node.name, pm::did_you_mean(node.name, known))};
    }
    pm::Result<std::int64_t> result = evaluate_node(*node.operands[0], scope);
    if (!result) return result;
    if (node.op == Op::kNegate) return apply(Op::kSubtract, 0, *result);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const auto operand = evaluate_node(*node.operands[i], scope);
        if (!operand) return operand;
        result = apply(node.op, *result, *operand);
        if (!result) return result;
    }
    return result;
}

void collect_names(const Expr::Node& node, std::set<std::string>& names) {
    if (node.op == Op::kName) names.insert(node.name);
    for (const NodePtr& operand : node.operands) collect_names(*operand, names);
}

/// The text as a message quotes it: shortened, control characters replaced.
std::string excerpt(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 80)) out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
    // A shortened text must not end inside a UTF-8 character.
    if (text.size() > 80) {
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
        out += "..";
    }
    return fmt::format("'{}'", out);
}

} // namespace

Expr::Expr() : Expr(constant(0)) {}

Expr Expr::constant(std::int64_t value) {
    auto node = std::make_shared<Node>();
    node->value = value;
    return Expr(std::move(node), std::to_string(value));
}

pm::Result<Expr> Expr::parse(std::string_view text) {
    if (text.size() > kMaxLength)
        return pm::Error{
            fmt::format("expression {}: {} characters; expected at most {}", excerpt(text), text.size(), kMaxLength)};
    Builder builder;
    try {
        pegtl::memory_input<> in(text.data(), text.size(), "");
        pegtl::parse<grammar::Whole, Action, grammar::Control>(in, builder);
    } catch (const pegtl::parse_error& error) {
        const std::size_t column = error.positions().empty() ? 0 : error.positions().front().column;
        std::string message(error.message());
        if (message.starts_with("maximum parser")) message = fmt::format("nested deeper than {}", kMaxDepth);
        return pm::Error{fmt::format("expression {}, column {}: {}", excerpt(text), column, message)};
    }
    return Expr(std::move(builder.operands.back()), std::string(text));
}

pm::Result<std::int64_t> Expr::evaluate(const Scope& scope) const {
    auto result = evaluate_node(*root_, scope);
    if (!result) return result.error().with(fmt::format("expression {}", excerpt(text_)));
    return result;
}

std::set<std::string> Expr::names() const {
    std::set<std::string> names;
    collect_names(*root_, names);
    return names;
}

} // namespace hkc
