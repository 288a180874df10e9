#include "contract/toolchain/depfile.h"

#include <gtest/gtest.h>

namespace {

using Files = std::vector<std::string>;

TEST(Depfile, ReadsContinuedLines) {
    EXPECT_EQ(hkc::parse_depfile("object: a.hip \\\n  b.h \\\n  /usr/include/c.h\n"),
              (Files{"a.hip", "b.h", "/usr/include/c.h"}));
}

TEST(Depfile, ReadsEscapedCharacters) {
    EXPECT_EQ(hkc::parse_depfile("object: my\\ file.h x\\#y.h $$z.h back\\slash.h\n"),
              (Files{"my file.h", "x#y.h", "$z.h", "back\\slash.h"}));
}

TEST(Depfile, NamesEachFileOnce) { EXPECT_EQ(hkc::parse_depfile("o: a a b a\n"), (Files{"a", "b"})); }

TEST(Depfile, ReadsTheFirstRuleOnly) { EXPECT_EQ(hkc::parse_depfile("o: a\nb: c\n"), (Files{"a"})); }

TEST(Depfile, HasNothingForATextThatIsNoRule) {
    EXPECT_TRUE(hkc::parse_depfile("").empty());
    EXPECT_TRUE(hkc::parse_depfile("no rule here").empty());
    EXPECT_TRUE(hkc::parse_depfile("o: \n").empty());
}

} // namespace
