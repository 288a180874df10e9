#include "peacemaker/support/file_line.h"

#include <gtest/gtest.h>

namespace pm {
namespace {

TEST(FileLine, IsTheLastColonAndANumber) {
    const auto plain = parse_file_line("kernels/tile.hip:7");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->file, "kernels/tile.hip");
    EXPECT_EQ(plain->line, 7U);
    const auto colons = parse_file_line("a:1:b:0");
    ASSERT_TRUE(colons);
    EXPECT_EQ(colons->file, "a:1:b");
    EXPECT_EQ(colons->line, 0U);
}

TEST(FileLine, AnythingElseIsNone) {
    for (const char* text : {"", ":", "k.hip", "k.hip:", "k.hip:4x", "k.hip: 4", "k.hip:-4", "k.hip:4294967296"})
        EXPECT_FALSE(parse_file_line(text)) << text;
}

} // namespace
} // namespace pm
