// Places of values in a MessagePack document, and integers in as many bytes as they have.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pm::mutate {

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

    std::string_view blob_;
};

} // namespace pm::mutate
