// What printf of a kernel prints; expected texts are what C says of each conversion.
#include "peacemaker/emu/printf_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace pm::emu {
namespace {

using u64 = std::uint64_t;

/// A message: strings with their 0, padded to words; numbers a word each.
class Message {
public:
    explicit Message(const std::string& format) { string(format); }
    Message& string(const std::string& text) {
        std::vector<u64> words(text.size() / 8 + 1);
        std::memcpy(words.data(), text.data(), text.size());
        words_.insert(words_.end(), words.begin(), words.end());
        return *this;
    }
    Message& number(u64 value) {
        words_.push_back(value);
        return *this;
    }
    Message& number(double value) { return number(std::bit_cast<u64>(value)); }
    std::string text() const { return printf_text(words_); }

private:
    std::vector<u64> words_;
};

TEST(PrintfText, OfAFormatAlone) {
    EXPECT_EQ(Message("").text(), "");
    EXPECT_EQ(Message("seven..").text(), "seven..");
    EXPECT_EQ(Message("eight...").text(), "eight...");
    EXPECT_EQ(Message("100%%\n").text(), "100%\n");
}

TEST(PrintfText, OfIntegersIsCutToTheirLength) {
    const u64 wide = 0xfedcba9876543210;
    EXPECT_EQ(Message("%d %u").number(~u64{0}).number(~u64{0}).text(), "-1 4294967295");
    EXPECT_EQ(Message("%x %X").number(wide).number(wide).text(), "76543210 76543210");
    EXPECT_EQ(Message("%lx|%llX|%zx").number(wide).number(wide).number(wide).text(),
              "fedcba9876543210|FEDCBA9876543210|fedcba9876543210");
    EXPECT_EQ(Message("%hx %hhx").number(wide).number(wide).text(), "3210 10");
    EXPECT_EQ(Message("%hd %hhd").number(u64{0x18000}).number(u64{0x180}).text(), "-32768 -128");
    EXPECT_EQ(Message("%ld %i").number(u64{1} << 63).number(u64{0x80000000}).text(),
              "-9223372036854775808 -2147483648");
    EXPECT_EQ(Message("%o %c%c").number(u64{8}).number(u64{'o'}).number(u64{'k'}).text(), "10 ok");
    EXPECT_EQ(Message("%p").number(u64{0xabc}).text(), "0xabc");
}

TEST(PrintfText, OfFloats) {
    EXPECT_EQ(Message("%f %.2f %e").number(1.5).number(-2.345).number(1000.0).text(), "1.500000 -2.35 1.000000e+03");
    EXPECT_EQ(Message("%g %G %a").number(0.0001).number(1e-10).number(1.0).text(), "0.0001 1E-10 0x1p+0");
}

TEST(PrintfText, WithFlagsWidthAndPrecision) {
    EXPECT_EQ(Message("[%5d][%-5d][%05d][%+d][% d]")
                  .number(u64{42})
                  .number(u64{42})
                  .number(u64{42})
                  .number(u64{42})
                  .number(u64{42})
                  .text(),
              "[   42][42   ][00042][+42][ 42]");
    EXPECT_EQ(Message("[%#x][%.3d][%8.3f]").number(u64{255}).number(u64{7}).number(3.14159).text(),
              "[0xff][007][   3.142]");
    EXPECT_EQ(Message("[%*d][%-*d]").number(u64{4}).number(u64{1}).number(u64{4}).number(u64{1}).text(),
              "[   1][1   ]");
    EXPECT_EQ(Message("[%*d]").number(~u64{0} - 3).number(u64{1}).text(), "[1   ]");
    EXPECT_EQ(Message("[%.*f]").number(u64{1}).number(2.25).text(), "[2.2]");
    EXPECT_EQ(Message("[%.*d]").number(~u64{0}).number(u64{5}).text(), "[5]");
}

TEST(PrintfText, OfStrings) {
    EXPECT_EQ(Message("%s, %s!").string("hello").string("a longer one, of words").text(),
              "hello, a longer one, of words!");
    EXPECT_EQ(Message("[%8s][%-8s][%.2s]").string("abc").string("abc").string("abc").text(),
              "[     abc][abc     ][ab]");
    EXPECT_EQ(Message("%s%d").string("eight...").number(u64{9}).text(), "eight...9");
    EXPECT_EQ(Message("<%s>").number(u64{0}).text(), "<>");
}

TEST(PrintfText, OfWhatIsNotThere) {
    EXPECT_EQ(Message("%d %s|").text(), "0 |");
    EXPECT_EQ(Message("%f").text(), "0.000000");
    EXPECT_EQ(Message("%n%d").number(u64{1}).number(u64{2}).text(), "2");
    EXPECT_EQ(Message("5% more %").text(), "5% more %");
    EXPECT_EQ(Message("%k %d").number(u64{3}).text(), "%k 3");
    EXPECT_EQ(printf_text({}), "");
}

// A string that no 0 ends is the rest of the message.
TEST(PrintfText, OfAFormatWithoutAnEnd) {
    const std::vector<u64> words = {0x6161616161616161};
    EXPECT_EQ(printf_text(words), "aaaaaaaa");
}

} // namespace
} // namespace pm::emu
