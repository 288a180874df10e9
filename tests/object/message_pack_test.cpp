// Places and encodings of MessagePack, on documents written out by hand from its specification.
#include "peacemaker/object/message_pack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

namespace {

using namespace std::string_literals;
using pm::MessagePack;

// {"a": [1, 0xcc 200, "text", {"x": nil, "y": true, "z": 7}], "b": -5}
const std::string kDocument = "\x82"
                              "\xa1"
                              "a\x94\x01\xcc\xc8\xa4text\x83\xa1x\xc0\xa1y\xc3\xa1z\x07\xa1"
                              "b\xfb"s;

TEST(MessagePack, FindsValuesByTheirOffsets) {
    const MessagePack document(kDocument);
    const auto a = document.value_of(0, "a");
    ASSERT_TRUE(a) << a.error().text;
    EXPECT_EQ(*a, 3u);
    EXPECT_EQ(*document.array_length(*a), 4u);
    EXPECT_EQ(*document.element(*a, 0), 4u);
    EXPECT_EQ(*document.element(*a, 1), 5u);
    EXPECT_EQ(document.integer(5)->value, 200);
    EXPECT_EQ(document.integer(5)->size, 2u);
    EXPECT_EQ(*document.text(*document.element(*a, 2)), "text");
    const auto z = document.value_of(*document.element(*a, 3), "z");
    ASSERT_TRUE(z) << z.error().text;
    EXPECT_EQ(document.integer(*z)->value, 7);
    const auto b = document.value_of(0, "b");
    ASSERT_TRUE(b) << b.error().text;
    EXPECT_EQ(*b, kDocument.size() - 1);
    EXPECT_EQ(document.integer(*b)->value, -5);
}

TEST(MessagePack, WhatIsNotThereIsAnError) {
    const MessagePack document(kDocument);
    EXPECT_FALSE(document.value_of(0, "c"));
    EXPECT_FALSE(document.value_of(3, "a")) << "an array has no keys";
    EXPECT_FALSE(document.element(3, 4));
    EXPECT_FALSE(document.element(0, 0)) << "a map has no elements";
    EXPECT_FALSE(document.integer(0));
    EXPECT_FALSE(document.text(4));
    EXPECT_FALSE(document.integer(kDocument.size()));
    EXPECT_FALSE(MessagePack("").value_of(0, "a"));
    EXPECT_FALSE(MessagePack(std::string(100, '\x91')).element(0, 1));
    EXPECT_FALSE(MessagePack("\x92"s + std::string(100, '\x91')).element(0, 1)) << "nested too deep";
    // A length that the bytes do not hold, and an extension.
    EXPECT_FALSE(MessagePack("\xdd\xff\xff\xff\xff\x01"s).element(0, 2));
    EXPECT_FALSE(MessagePack("\x92\xd4\x01\x01\x01"s).element(0, 1));
    for (std::size_t size = 0; size < kDocument.size(); ++size)
        EXPECT_FALSE(MessagePack(kDocument.substr(0, size)).value_of(0, "b")) << "cut off at " << size;
}

TEST(MessagePack, IntegersKeepTheirEncoding) {
    struct Case {
        std::string now;
        std::int64_t value;
        std::string expected; // empty: does not fit
    };
    for (const Case& c : {
             Case{"\x05"s, 0, "\x00"s},
             Case{"\x05"s, 127, "\x7f"s},
             Case{"\x05"s, 128, ""},
             Case{"\x05"s, -1, ""},
             Case{"\xfb"s, -32, "\xe0"s},
             Case{"\xfb"s, -1, "\xff"s},
             Case{"\xfb"s, -33, ""},
             Case{"\xfb"s, 0, ""},
             Case{"\xcc\x80"s, 255, "\xcc\xff"s},
             Case{"\xcc\x80"s, 1, "\xcc\x01"s},
             Case{"\xcc\x80"s, 256, ""},
             Case{"\xcc\x80"s, -1, ""},
             Case{"\xcd\x01\x00"s, 0x1234, "\xcd\x12\x34"s},
             Case{"\xcd\x01\x00"s, 0x10000, ""},
             Case{"\xce\x00\x01\x00\x00"s, 0xffffffff, "\xce\xff\xff\xff\xff"s},
             Case{"\xce\x00\x01\x00\x00"s, 0x100000000, ""},
             Case{"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"s, 2, "\xcf\x00\x00\x00\x00\x00\x00\x00\x02"s},
             Case{"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"s, -2, ""},
             Case{"\xd0\x80"s, 127, "\xd0\x7f"s},
             Case{"\xd0\x80"s, -128, "\xd0\x80"s},
             Case{"\xd0\x81"s, 128, ""},
             Case{"\xd0\x81"s, -129, ""},
             Case{"\xd1\x80\x00"s, -2, "\xd1\xff\xfe"s},
             Case{"\xd1\x80\x00"s, 32768, ""},
             Case{"\xd2\x80\x00\x00\x00"s, -2147483648, "\xd2\x80\x00\x00\x00"s},
             Case{"\xd2\x80\x00\x00\x00"s, -2147483649, ""},
             Case{"\xd3\x80\x00\x00\x00\x00\x00\x00\x00"s, -1, "\xd3\xff\xff\xff\xff\xff\xff\xff\xff"s},
         }) {
        const MessagePack document(c.now);
        ASSERT_TRUE(document.integer(0)) << document.integer(0).error().text;
        EXPECT_EQ(document.integer(0)->size, c.now.size());
        const auto bytes = document.encoded_as(0, c.value);
        if (c.expected.empty()) {
            ASSERT_FALSE(bytes) << c.value;
            EXPECT_NE(bytes.error().text.find("does not fit"), std::string::npos);
        } else {
            ASSERT_TRUE(bytes) << c.value << ": " << bytes.error().text;
            EXPECT_EQ(*bytes, c.expected) << c.value;
        }
    }
    EXPECT_FALSE(MessagePack("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"s).integer(0)) << "2^63 and more";
    EXPECT_FALSE(MessagePack("\xc3"s).encoded_as(0, 1)) << "true is no integer";
}

TEST(MessagePack, ValuesComeBackInTheFormsTheyHave) {
    using Kind = pm::MessagePackValue::Kind;
    struct Case {
        std::string bytes;
        Kind kind;
        std::uint64_t bits;
        std::size_t items;
    };
    for (const Case& c : {
             Case{"\xc0"s, Kind::kNil, 0, 0},
             Case{"\xc2"s, Kind::kBoolean, 0, 0},
             Case{"\xc3"s, Kind::kBoolean, 1, 0},
             Case{"\x7f"s, Kind::kUnsigned, 127, 0},
             Case{"\xcc\x05"s, Kind::kUnsigned, 5, 0}, // longer than it need be
             Case{"\xcd\x01\x02"s, Kind::kUnsigned, 0x102, 0},
             Case{"\xce\x00\x00\x00\x01"s, Kind::kUnsigned, 1, 0},
             Case{"\xcf\xff\xff\xff\xff\xff\xff\xff\xfe"s, Kind::kUnsigned, ~std::uint64_t{1}, 0},
             Case{"\xe0"s, Kind::kSigned, static_cast<std::uint64_t>(-32), 0},
             Case{"\xd0\x05"s, Kind::kSigned, 5, 0},
             Case{"\xd1\xff\x00"s, Kind::kSigned, static_cast<std::uint64_t>(-256), 0},
             Case{"\xd2\x80\x00\x00\x00"s, Kind::kSigned, static_cast<std::uint64_t>(-2147483648LL), 0},
             Case{"\xd3\xff\xff\xff\xff\xff\xff\xff\xff"s, Kind::kSigned, ~std::uint64_t{0}, 0},
             Case{"\xca\x7f\xa0\x00\x01"s, Kind::kFloat, 0x7fa00001, 0}, // a signalling NaN
             Case{"\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"s, Kind::kFloat, 0x3ff0000000000000, 0},
             Case{"\xa2hi"s, Kind::kText, 0, 0},
             Case{"\xd9\x02hi"s, Kind::kText, 0, 0},
             Case{"\xda\x00\x02hi"s, Kind::kText, 0, 0},
             Case{"\xdb\x00\x00\x00\x02hi"s, Kind::kText, 0, 0},
             Case{"\xc4\x01\x00"s, Kind::kBinary, 0, 0},
             Case{"\xc5\x00\x01\x00"s, Kind::kBinary, 0, 0},
             Case{"\xc6\x00\x00\x00\x01\x00"s, Kind::kBinary, 0, 0},
             Case{"\x92\x01\xc0"s, Kind::kArray, 0, 2},
             Case{"\xdc\x00\x02\x01\x02"s, Kind::kArray, 0, 2},
             Case{"\xdd\x00\x00\x00\x01\x90"s, Kind::kArray, 0, 1},
             Case{"\x81\xa1z\x80"s, Kind::kMap, 0, 2},
             Case{"\xde\x00\x01\x01\x02"s, Kind::kMap, 0, 2},
             Case{"\xdf\x00\x00\x00\x01\x01\x02"s, Kind::kMap, 0, 2},
             Case{kDocument, Kind::kMap, 0, 4},
         }) {
        const auto value = pm::decode_message_pack(c.bytes);
        ASSERT_TRUE(value) << value.error().text;
        EXPECT_EQ(value->kind, c.kind);
        EXPECT_EQ(value->bits, c.bits);
        EXPECT_EQ(value->items.size(), c.items);
        EXPECT_EQ(pm::encode_message_pack(*value), c.bytes);
        for (std::size_t size = 0; size < c.bytes.size(); ++size)
            EXPECT_FALSE(pm::decode_message_pack(c.bytes.substr(0, size))) << "cut off at " << size;
        const auto more = pm::decode_message_pack(c.bytes + "\xc0");
        ASSERT_FALSE(more);
        EXPECT_NE(more.error().text.find("behind the value"), std::string::npos);
    }
    EXPECT_FALSE(pm::decode_message_pack(std::string(100, '\x91'))) << "nested too deep";
    EXPECT_FALSE(pm::decode_message_pack("\xd4\x01\x01"s)) << "an extension";
    EXPECT_FALSE(pm::decode_message_pack("\xdd\xff\xff\xff\xff\x01"s)) << "a count without its elements";
}

// Any bytes: an error, or a value that is them.
TEST(MessagePack, DamagedDocumentsAreErrorsOrComeBack) {
    std::mt19937 random(20);
    std::size_t whole = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = kDocument;
        for (std::uint32_t i = 0; i <= round % 4U; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto value = pm::decode_message_pack(bytes);
        if (!value) continue;
        ++whole;
        ASSERT_EQ(pm::encode_message_pack(*value), bytes) << "round " << round;
    }
    EXPECT_GT(whole, 1000u);
}

} // namespace
