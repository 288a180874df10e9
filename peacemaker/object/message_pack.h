// MessagePack: places of values in a document, integers in as many bytes as they have, and whole values that encode to
// the bytes they were decoded from.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// A value with all it holds, and the form that it has among those MessagePack allows for it.
struct MessagePackValue {
    enum class Kind : std::uint8_t { kNil, kBoolean, kUnsigned, kSigned, kFloat, kText, kBinary, kArray, kMap };
    Kind kind = Kind::kNil;
    std::uint8_t width = 0;              // bytes of the number or the length behind the first byte; 0: it is part of it
    std::uint64_t bits = 0;              // a boolean, an integer (two's complement), or the bits of a float
    std::string text;                    // of kText and kBinary
    std::vector<MessagePackValue> items; // elements of an array; key, value, key, value, .. of a map
};

/// The one value that `blob` is. Error: what it is not, with the byte; an extension type; bytes behind the value.
Result<MessagePackValue> decode_message_pack(std::string_view blob);
/// The bytes of `value` in its forms.
std::string encode_message_pack(const MessagePackValue& value);

/// A MessagePack document whose values are found by their offsets. Error: what is not there, not of the expected type,
/// cut off, or nested deeper than metadata is. Offsets are those of a value's first byte.
class MessagePack {
public:
    explicit MessagePack(std::string_view blob) : blob_(blob) {}

    /// The value of `key` in the map at `map`.
    Result<std::size_t> value_of(std::size_t map, std::string_view key) const;
    Result<std::size_t> array_length(std::size_t array) const;
    /// Element `index` of the array at `array`.
    Result<std::size_t> element(std::size_t array, std::size_t index) const;
    Result<std::string_view> text(std::size_t at) const;

    struct Integer {
        std::int64_t value = 0;
        std::size_t size = 0; // bytes of its encoding
    };
    Result<Integer> integer(std::size_t at) const;
    /// The bytes of `value` in the very encoding of the integer at `at`. Error: it does not fit.
    Result<std::string> encoded_as(std::size_t at, std::int64_t value) const;

private:
    struct Item; // a value's head
    Result<Item> item(std::size_t at) const;
    Result<std::size_t> after(std::size_t at, int depth) const;
    Result<MessagePackValue> decode(std::size_t& at, int depth) const;
    friend Result<MessagePackValue> decode_message_pack(std::string_view blob);

    std::string_view blob_;
};

} // namespace pm
