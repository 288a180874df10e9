#include "peacemaker/support/text.h"

#include <gtest/gtest.h>

namespace {

const std::vector<std::string> kChips = {"gfx1030", "gfx1100", "gfx1151", "gfx1201"};

TEST(NearestName, TakesTheLeastEditDistance) {
    EXPECT_EQ(pm::nearest_name("gfx1152", kChips), "gfx1151");
    EXPECT_EQ(pm::nearest_name("gfx103", kChips), "gfx1030");
    EXPECT_EQ(pm::nearest_name("gfx1100", kChips), "gfx1100");
}

TEST(NearestName, StopsAtAThirdOfTheNamePlusOne) {
    const std::vector<std::string> one = {"abcdef"};
    EXPECT_EQ(pm::nearest_name("abcxyz", one), "abcdef"); // 3 edits, 6 / 3 + 1 = 3
    EXPECT_EQ(pm::nearest_name("abwxyz", one), "");       // 4 edits
    EXPECT_EQ(pm::nearest_name("x", std::vector<std::string>{"y"}), "y");
    EXPECT_EQ(pm::nearest_name("", std::vector<std::string>{"yy"}), "");
    EXPECT_EQ(pm::nearest_name("x", {}), "");
}

TEST(DidYouMean, IsEmptyWhereNothingIsNear) {
    EXPECT_EQ(pm::did_you_mean("gfx1152", kChips), " (did you mean \"gfx1151\"?)");
    EXPECT_EQ(pm::did_you_mean("sm_90", kChips), "");
}

TEST(GlobMatch, MatchesTheWholeText) {
    struct Case {
        const char* pattern;
        const char* text;
        bool match;
    };
    const Case cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "abc", true},
        {"a", "ab", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"?", "", false},
        {"*_w4_*", "x_w4_r", true},
        {"*_w4_*", "x_w5_r", false},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXbYbZ", false},
        {"*ab", "aab", true},
        {"**", "x", true},
        {"[a]", "a", false},
        {"a\\*", "a*", false},
    };
    for (const Case& c : cases) EXPECT_EQ(pm::glob_match(c.pattern, c.text), c.match) << c.pattern << " on " << c.text;
}

// Exponential matchers do not come back from this.
TEST(GlobMatch, IsNotExponential) {
    std::string pattern;
    for (int i = 0; i < 30; ++i) pattern += "*a";
    EXPECT_FALSE(pm::glob_match(pattern + "b", std::string(200, 'a')));
}

TEST(ShellQuoted, IsOneWordWhateverTheText) {
    EXPECT_EQ(pm::shell_quoted("plain"), "'plain'");
    EXPECT_EQ(pm::shell_quoted("a $b"), "'a $b'");
    EXPECT_EQ(pm::shell_quoted("it's"), R"('it'\''s')");
    EXPECT_EQ(pm::shell_quoted(""), "''");
}

TEST(Split, KeepsEmptyParts) {
    EXPECT_EQ(pm::split("", ','), std::vector<std::string>{});
    EXPECT_EQ(pm::split("a", ','), (std::vector<std::string>{"a"}));
    EXPECT_EQ(pm::split(",a,,b,", ','), (std::vector<std::string>{"", "a", "", "b", ""}));
}

} // namespace
