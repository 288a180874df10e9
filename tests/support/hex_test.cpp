#include "peacemaker/support/hex.h"

#include <gtest/gtest.h>

namespace {

TEST(BytesOfHex, TwoDigitsAByteHighOneFirst) {
    for (const auto& [hex, bytes] : {std::pair<const char*, std::string>{"00", std::string(1, '\0')},
                                     {"7f", "\x7f"},
                                     {"c0FFee", "\xc0\xff\xee"},
                                     {" 0 1 02 ", "\x01\x02"}}) {
        const auto read = pm::bytes_of_hex(hex);
        ASSERT_TRUE(read) << hex;
        EXPECT_EQ(*read, bytes) << hex;
    }
}

TEST(BytesOfHex, NothingWhereTheTextIsNotWholeBytes) {
    for (const std::string hex : {"", " ", "0", "abc", "0x", "0g", "-1", "1.", "00\n", "\xff\xff"})
        EXPECT_FALSE(pm::bytes_of_hex(hex)) << hex;
}

TEST(HexOfBytes, TwoDigitsAByteHighOneFirst) {
    EXPECT_EQ(pm::hex_of_bytes(""), "");
    EXPECT_EQ(pm::hex_of_bytes(std::string_view("\x00\x7f\xc0\x0a", 4)), "007fc00a");
}

} // namespace
