// Tables written out by hand.
#include "peacemaker/lift/tables.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace std::string_literals;
using pm::lift::write;

std::string words(std::initializer_list<std::uint32_t> values) {
    std::string out;
    for (const std::uint32_t value : values) {
        char bytes[4];
        std::memcpy(bytes, &value, 4);
        out.append(bytes, 4);
    }
    return out;
}

// The generic ABI's hash of "f" is 0x66, of "ab" 0x61 * 16 + 0x62 = 0x672.
TEST(Tables, SysvHashIsMadeOfNames) {
    const std::vector<std::string> names = {"", "f", "ab"};
    const std::string bytes = words({2, 3, /*buckets*/ 2, 0, /*chains*/ 0, 0, 1});
    const auto table = pm::lift::read_sysv_hash(bytes, names);
    ASSERT_TRUE(table) << table.error().text;
    EXPECT_EQ(write(*table), bytes);
    EXPECT_FALSE(pm::lift::read_sysv_hash(bytes.substr(4), names));
    EXPECT_FALSE(pm::lift::read_sysv_hash(bytes + "1234", names));
    EXPECT_FALSE(pm::lift::read_sysv_hash("123", names));
    EXPECT_FALSE(pm::lift::read_sysv_hash(words({0, 3, 0, 0, 0}), names)) << "no buckets";
    EXPECT_FALSE(pm::lift::read_sysv_hash(words({1, 2, 0, 0, 0}), names)) << "another number of symbols";
}

// The GNU hash of "f" is 5381 * 33 + 0x66 = 0x2b60b: in a filter of one 64-bit word bits 0x0b and, shifted by 6,
// 0xad8 % 64 = 0x18.
TEST(Tables, GnuHashIsMadeOfNames) {
    const std::vector<std::string> names = {"", "f"};
    const std::string bytes = words({1, 1, 1, 6, /*filter*/ 0x01000800, 0, /*bucket*/ 1, /*hash, last*/ 0x2b60b});
    const auto table = pm::lift::read_gnu_hash(bytes, names);
    ASSERT_TRUE(table) << table.error().text;
    EXPECT_EQ(write(*table), bytes);
    EXPECT_FALSE(pm::lift::read_gnu_hash(bytes.substr(0, 12), names));
    EXPECT_FALSE(pm::lift::read_gnu_hash(bytes.substr(0, 28), names));
    EXPECT_FALSE(pm::lift::read_gnu_hash(words({1, 3, 1, 6, 0, 0, 1}), names)) << "starts behind the last symbol";
    EXPECT_FALSE(pm::lift::read_gnu_hash(words({1, 1, 0, 6, 1, 0}), names)) << "no filter";
}

TEST(Tables, StringsEndWithZero) {
    const auto strings = pm::lift::read_strings("\0one\0\0two\0"s);
    ASSERT_TRUE(strings);
    EXPECT_EQ(strings->texts, (std::vector<std::string>{"", "one", "", "two"}));
    EXPECT_EQ(write(*strings), "\0one\0\0two\0"s);
    const auto bad = pm::lift::read_strings("one\0two"s);
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().text.find("byte 0x4"), std::string::npos);
}

TEST(Tables, NotesArePaddedAndHoldValues) {
    // AMDGPU metadata {} with its padding, then a note of three bytes.
    const std::string bytes =
        words({7, 1, 32}) + "AMDGPU\0\0"s + "\x80\0\0\0"s + words({4, 3, 3}) + "GNU\0"s + "xyz\0"s;
    const auto notes = pm::lift::read_notes(bytes, 4);
    ASSERT_TRUE(notes) << notes.error().text;
    ASSERT_EQ(notes->notes.size(), 2u);
    EXPECT_EQ(notes->notes[0].owner, "AMDGPU");
    EXPECT_TRUE(std::holds_alternative<pm::MessagePackValue>(notes->notes[0].content));
    EXPECT_EQ(std::get<std::string>(notes->notes[1].content), "xyz");
    EXPECT_EQ(write(*notes), bytes);
    std::string padding = bytes;
    padding[21] = 1;
    const auto lost = pm::lift::read_notes(padding, 4);
    ASSERT_TRUE(lost);
    EXPECT_NE(write(*lost), padding) << "padding that is not zero";
    EXPECT_FALSE(pm::lift::read_notes(words({0, 0, 1}), 4)) << "no owner";
    EXPECT_FALSE(pm::lift::read_notes(words({7, 1, 32}) + "AMDGPU\0\0"s + "\xc1\0\0\0"s, 4)) << "no MessagePack";
    // Whole notes end at 24 and 40; what the last one lacks of its padding shows when it is written.
    for (std::size_t size = 1; size < 39; ++size)
        EXPECT_TRUE((size >= 21 && size <= 24) || !pm::lift::read_notes(bytes.substr(0, size), 4)) << size;
}

TEST(Tables, RowsAreWhole) {
    EXPECT_FALSE(pm::lift::read_rows<llvm::ELF::Elf64_Sym>(std::string(25, '\0')));
    const auto rows = pm::lift::read_rows<llvm::ELF::Elf64_Dyn>(std::string(32, '\1'));
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->rows.size(), 2u);
    EXPECT_EQ(pm::lift::write_rows(*rows), std::string(32, '\1'));
    EXPECT_FALSE(pm::lift::read_descriptor(std::string(63, '\0')));
    EXPECT_FALSE(pm::lift::read_descriptor(std::string(128, '\0')));
    EXPECT_TRUE(pm::lift::read_descriptor(std::string(64, '\0')));
}

} // namespace
