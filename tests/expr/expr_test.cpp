#include "contract/expr/expr.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using hkc::Expr;
using hkc::Scope;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

const Scope kScope{{"n", 2688}, {"k", 1856}, {"m", 7}, {"bits", 5}, {"_a1", -3}, {"least", kLeast}, {"most", kMost}};

struct Value {
    std::string text;
    std::int64_t expected;
};

TEST(Expr, Values) {
    const std::vector<Value> cases{
        {"0", 0},
        {" 42 ", 42},
        {"n", 2688},
        {"_a1", -3},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-3-2", 5},
        {"100/5/2", 10},
        {"17%5", 2},
        {"-17%5", -2},
        {"-7/2", -3},
        {"--5", 5},
        {"2--5", 7},
        {"2*-5", -10},
        {"-(m+1)", -8},
        {"k*bits/32", 290},
        {"ceildiv(n, 4*8)", 84},
        {"ceildiv(n,100)", 27},
        {"ceildiv ( 7 , 2 )", 4},
        {"ceildiv(-7,2)", -3},
        {"ceildiv(7,-2)", -3},
        {"ceildiv(-7,-2)", 4},
        {"ceildiv(0,5)", 0},
        {"min(3,1,2)", 1},
        {"max(3,1,2)", 3},
        {"max(min(n,k),1)", 1856},
        {"\tn\n+\r1", 2689},
        {"9223372036854775807", kMost},
        {"-9223372036854775807-1", kLeast},
        {"least%-1", 0},
        {"minimum", 11},
        {"min", 12},
    };
    Scope scope = kScope;
    scope["minimum"] = 11;
    scope["min"] = 12;
    for (const Value& c : cases) {
        const auto expr = Expr::parse(c.text);
        ASSERT_TRUE(expr) << c.text << ": " << expr.error().text;
        const auto value = expr->evaluate(scope);
        ASSERT_TRUE(value) << c.text << ": " << value.error().text;
        EXPECT_EQ(*value, c.expected) << c.text;
        EXPECT_EQ(expr->text(), c.text);
    }
}

struct Refusal {
    std::string text;
    std::string expected; // a part of the message
};

TEST(Expr, SyntaxErrorsNameColumnAndExpectation) {
    const std::vector<Refusal> cases{
        {"", "column 1: expected a number"},
        {"   ", "expected a number"},
        {"1+", "column 3: expected a number"},
        {"1+*2", "column 3: expected a number"},
        {"1 2", "column 3: expected an operator or the end"},
        {"n k", "column 3: expected an operator or the end"},
        {"(1+2", "column 5: expected an operator or ')'"},
        {"1)", "column 2: expected an operator or the end"},
        {"ceildiv(1", "expected an operator, ',' or ')'"},
        {"ceildiv(1,)", "expected a number"},
        {"ceildiv()", "expected a number"},
        {"ceildiv(1)", "ceildiv got 1 argument; expected 2"},
        {"ceildiv(1,2,3)", "ceildiv got 3 arguments; expected 2"},
        {"min(1)", "expected 2 or more"},
        {"ceildv(1,2)", "unknown function 'ceildv' (did you mean \"ceildiv\"?)"},
        {"9223372036854775808", "over 9223372036854775807"},
        {"1.5", "column 2"},
        {"0x10", "column 2"},
        {"n < k", "column 3"},
        {"2**3", "column 3"},
        {"m\x01", "'m?'"},
        {"\xc3\xa9", "column 1"},
    };
    for (const Refusal& c : cases) {
        const auto expr = Expr::parse(c.text);
        ASSERT_FALSE(expr) << c.text;
        EXPECT_NE(expr.error().text.find(c.expected), std::string::npos) << c.text << ": " << expr.error().text;
    }
}

TEST(Expr, EvaluationErrorsNeverWrap) {
    const std::vector<Refusal> cases{
        {"1/0", "division by zero"},
        {"1%(m-7)", "division by zero"},
        {"ceildiv(n, bits-5)", "division by zero"},
        {"most+1", "does not fit in 64 bits"},
        {"least-1", "does not fit in 64 bits"},
        {"most*2", "does not fit in 64 bits"},
        {"-least", "does not fit in 64 bits"},
        {"least/-1", "does not fit in 64 bits"},
        {"ceildiv(least,-1)", "does not fit in 64 bits"},
        {"bit*2", "unknown name 'bit' (did you mean \"bits\"?)"},
        {"1/0", "expression '1/0'"},
    };
    for (const Refusal& c : cases) {
        const auto expr = Expr::parse(c.text);
        ASSERT_TRUE(expr) << c.text << ": " << expr.error().text;
        const auto value = expr->evaluate(kScope);
        ASSERT_FALSE(value) << c.text << " = " << *value;
        EXPECT_NE(value.error().text.find(c.expected), std::string::npos) << c.text << ": " << value.error().text;
    }
}

TEST(Expr, HostileDepthAndLengthAreRefused) {
    const std::string parens = std::string(400, '(') + "1" + std::string(400, ')');
    const auto nested = Expr::parse(parens);
    ASSERT_FALSE(nested);
    EXPECT_NE(nested.error().text.find("nested deeper than 64"), std::string::npos) << nested.error().text;
    EXPECT_FALSE(Expr::parse(std::string(1000, '-') + "1"));
    std::string calls;
    for (int i = 0; i < 150; ++i) calls += "min(1,";
    EXPECT_FALSE(Expr::parse(calls));
    const auto length = Expr::parse(std::string(1000000, '1'));
    ASSERT_FALSE(length);
    EXPECT_NE(length.error().text.find("1000000 characters; expected at most 1024"), std::string::npos)
        << length.error().text;
    EXPECT_LT(length.error().text.size(), 300u);

    // The longest chain that is accepted still evaluates.
    std::string chain = "1";
    while (chain.size() + 2 <= 1024) chain += "+1";
    const auto sum = Expr::parse(chain);
    ASSERT_TRUE(sum) << sum.error().text;
    EXPECT_EQ(*sum->evaluate({}), static_cast<std::int64_t>((chain.size() + 1) / 2));
    const auto shallow = Expr::parse(std::string(60, '(') + "m" + std::string(60, ')'));
    ASSERT_TRUE(shallow) << shallow.error().text;
    EXPECT_EQ(*shallow->evaluate(kScope), 7);
}

TEST(Expr, NamesAndConstants) {
    EXPECT_EQ(Expr::parse("ceildiv(n, waves*cols) + n - min(k, 3)")->names(),
              (std::set<std::string>{"n", "waves", "cols", "k"}));
    EXPECT_TRUE(Expr::constant(-5).names().empty());
    EXPECT_EQ(*Expr::constant(kLeast).evaluate({}), kLeast);
    EXPECT_EQ(*Expr().evaluate({}), 0);
    EXPECT_EQ(Expr::constant(12).text(), "12");
}

// A random tree is printed with its value, computed in 128 bits while the tree is made.
struct Tree {
    std::string text;
    bool ok;
    __int128 value;
};

Tree random_tree(std::mt19937_64& random, int depth) {
    if (depth == 0 || random() % 5 == 0) {
        const std::int64_t v =
            random() % 4 == 0 ? static_cast<std::int64_t>(random() >> 1) : static_cast<std::int64_t>(random() % 9);
        return {std::to_string(v), true, v};
    }
    const Tree a = random_tree(random, depth - 1);
    const Tree b = random_tree(random, depth - 1);
    Tree r{"", a.ok && b.ok, 0};
    switch (random() % 6) {
    case 0:
        r.text = fmt::format("({} + {})", a.text, b.text);
        r.value = a.value + b.value;
        break;
    case 1:
        r.text = fmt::format("({} - {})", a.text, b.text);
        r.value = a.value - b.value;
        break;
    case 2:
        r.text = fmt::format("({}*{})", a.text, b.text);
        r.value = r.ok ? a.value * b.value : 0;
        break;
    case 3:
        r.text = fmt::format("({}/{})", a.text, b.text);
        r.ok = r.ok && b.value != 0;
        r.value = r.ok ? a.value / b.value : 0;
        break;
    case 4:
        r.text = fmt::format("max({},{})", a.text, b.text);
        r.value = a.value > b.value ? a.value : b.value;
        break;
    default:
        r.text = fmt::format("-{}", a.text);
        r.value = -a.value;
        r.ok = a.ok;
        break;
    }
    r.ok = r.ok && r.value <= kMost && r.value >= kLeast;
    return r;
}

TEST(Expr, RandomTreesAgreeWith128BitArithmetic) {
    constexpr std::uint64_t kSeed = 20240611;
    SCOPED_TRACE(fmt::format("seed {}", kSeed));
    std::mt19937_64 random(kSeed);
    int overflows = 0;
    for (int i = 0; i < 20000; ++i) {
        const Tree tree = random_tree(random, 4);
        const auto expr = Expr::parse(tree.text);
        ASSERT_TRUE(expr) << tree.text << ": " << expr.error().text;
        const auto value = expr->evaluate({});
        ASSERT_EQ(value.has_value(), tree.ok) << tree.text;
        if (tree.ok) {
            ASSERT_EQ(*value, static_cast<std::int64_t>(tree.value)) << tree.text;
        }
        overflows += tree.ok ? 0 : 1;
    }
    EXPECT_GT(overflows, 1000);
    EXPECT_LT(overflows, 19000);
}

// Any bytes at all either parse or give an error; nothing crashes.
TEST(Expr, RandomTextNeverCrashes) {
    constexpr std::uint64_t kSeed = 7;
    SCOPED_TRACE(fmt::format("seed {}", kSeed));
    std::mt19937_64 random(kSeed);
    const std::string alphabet = "nk0129+-*/%(), ceildivminmax_\x01\xff";
    int parsed = 0;
    for (int i = 0; i < 50000; ++i) {
        std::string text(random() % 24, ' ');
        for (char& c : text) c = alphabet[random() % alphabet.size()];
        const auto expr = Expr::parse(text);
        if (!expr) {
            ASSERT_FALSE(expr.error().text.empty());
            continue;
        }
        ++parsed;
        (void)expr->evaluate(kScope).has_value();
    }
    EXPECT_GT(parsed, 100);
}

} // namespace
