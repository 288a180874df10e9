#include "peacemaker/mutate/message_pack.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPack.h>
#include <llvm/BinaryFormat/MsgPackReader.h>
#include <llvm/Support/Endian.h>

#include <limits>

namespace pm::mutate {
namespace {

namespace msgpack = llvm::msgpack;
using msgpack::Type;

constexpr int kMaxDepth = 16;

/// An encoding of integers by its first byte: a byte of its own, then `bytes` of the value, most significant first.
struct IntegerForm {
    std::uint8_t first;
    std::size_t bytes;
    bool is_signed;
};
constexpr IntegerForm kIntegerForms[] = {
    {msgpack::FirstByte::UInt8, 1, false},  {msgpack::FirstByte::UInt16, 2, false},
    {msgpack::FirstByte::UInt32, 4, false}, {msgpack::FirstByte::UInt64, 8, false},
    {msgpack::FirstByte::Int8, 1, true},    {msgpack::FirstByte::Int16, 2, true},
    {msgpack::FirstByte::Int32, 4, true},   {msgpack::FirstByte::Int64, 8, true},
};

/// Bytes of the head of an array or map: what comes before its first element.
std::size_t head_size(std::uint8_t first) {
    switch (first) {
    case msgpack::FirstByte::Array16:
    case msgpack::FirstByte::Map16:
        return 3;
    case msgpack::FirstByte::Array32:
    case msgpack::FirstByte::Map32:
        return 5;
    default:
        return 1;
    }
}

/// Bytes of a value that holds no text and no other values.
std::size_t plain_size(std::uint8_t first) {
    for (const IntegerForm& form : kIntegerForms)
        if (form.first == first) return 1 + form.bytes;
    if (first == msgpack::FirstByte::Float32) return 5;
    if (first == msgpack::FirstByte::Float64) return 9;
    return 1;
}

} // namespace

struct MessagePack::Item {
    msgpack::Object object;
    std::size_t next = 0; // what follows the head of an array or map, or the whole of anything else
};

Result<MessagePack::Item> MessagePack::item(std::size_t at) const {
    if (at >= blob_.size()) return Error{fmt::format("byte {:#x}: cut off", at)};
    const llvm::StringRef rest(blob_.data() + at, blob_.size() - at);
    msgpack::Reader reader(rest);
    Item item;
    llvm::Expected<bool> read = reader.read(item.object);
    if (!read) return Error{fmt::format("byte {:#x}: {}", at, llvm::toString(read.takeError()))};
    const auto first = static_cast<std::uint8_t>(blob_[at]);
    switch (item.object.Kind) {
    case Type::String:
    case Type::Binary:
        item.next = static_cast<std::size_t>(item.object.Raw.end() - blob_.data());
        break;
    case Type::Array:
    case Type::Map:
        item.next = at + head_size(first);
        break;
    case Type::Extension:
    case Type::Empty:
        return Error{fmt::format("byte {:#x}: an extension type", at)};
    default:
        item.next = at + plain_size(first);
    }
    return item;
}

Result<std::size_t> MessagePack::after(std::size_t at, int depth) const {
    if (depth > kMaxDepth) return Error{fmt::format("byte {:#x}: nested deeper than {}", at, kMaxDepth)};
    const auto head = item(at);
    if (!head) return head.error();
    std::size_t next = head->next;
    const bool map = head->object.Kind == Type::Map;
    if (!map && head->object.Kind != Type::Array) return next;
    for (std::size_t i = 0; i < head->object.Length * (map ? 2 : 1); ++i) {
        const auto end = after(next, depth + 1);
        if (!end) return end;
        next = *end;
    }
    return next;
}

Result<std::size_t> MessagePack::value_of(std::size_t map, std::string_view key) const {
    const auto head = item(map);
    if (!head) return head.error();
    if (head->object.Kind != Type::Map) return Error{fmt::format("byte {:#x}: no map; expected one with {}", map, key)};
    std::size_t at = head->next;
    for (std::size_t i = 0; i < head->object.Length; ++i) {
        const auto name = text(at);
        if (!name) return name.error();
        const auto value = after(at, 0);
        if (!value) return value;
        const auto next = after(*value, 0);
        if (!next) return next;
        if (*name == key) return *value;
        at = *next;
    }
    return Error{fmt::format("there is no {}", key)};
}

Result<std::size_t> MessagePack::array_length(std::size_t array) const {
    const auto head = item(array);
    if (!head) return head.error();
    if (head->object.Kind != Type::Array) return Error{fmt::format("byte {:#x}: no array", array)};
    return head->object.Length;
}

Result<std::size_t> MessagePack::element(std::size_t array, std::size_t index) const {
    const auto length = array_length(array);
    if (!length) return length;
    if (index >= *length) return Error{fmt::format("there is no element {}; there are {}", index, *length)};
    std::size_t at = item(array)->next;
    for (std::size_t i = 0;; ++i) {
        const auto next = after(at, 0);
        if (!next) return next;
        if (i == index) return at;
        at = *next;
    }
}

Result<std::string_view> MessagePack::text(std::size_t at) const {
    const auto head = item(at);
    if (!head) return head.error();
    if (head->object.Kind != Type::String) return Error{fmt::format("byte {:#x}: no string", at)};
    return std::string_view(head->object.Raw.data(), head->object.Raw.size());
}

Result<MessagePack::Integer> MessagePack::integer(std::size_t at) const {
    const auto head = item(at);
    if (!head) return head.error();
    const msgpack::Object& object = head->object;
    if (object.Kind == Type::Int) return Integer{object.Int, head->next - at};
    if (object.Kind == Type::UInt && object.UInt <= std::numeric_limits<std::int64_t>::max())
        return Integer{static_cast<std::int64_t>(object.UInt), head->next - at};
    return Error{fmt::format("byte {:#x}: no integer below 2^63", at)};
}

Result<std::string> MessagePack::encoded_as(std::size_t at, std::int64_t value) const {
    if (const auto now = integer(at); !now) return now.error();
    const auto first = static_cast<std::uint8_t>(blob_[at]);
    const auto refuse = [&](std::int64_t least, std::uint64_t most) {
        return Error{fmt::format("{} does not fit into its encoding, which holds {} to {}", value, least, most)};
    };
    for (const IntegerForm& form : kIntegerForms) {
        if (form.first != first) continue;
        const std::size_t bits = 8 * form.bytes - (form.is_signed ? 1 : 0);
        const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        const std::int64_t least = form.is_signed ? -static_cast<std::int64_t>(most) - 1 : 0;
        if (value < least || (value > 0 && static_cast<std::uint64_t>(value) > most)) return refuse(least, most);
        std::string bytes(1, static_cast<char>(first));
        for (std::size_t i = form.bytes; i-- > 0;)
            bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xffU);
        return bytes;
    }
    constexpr std::int64_t kLeast = -32, kMost = 127; // of one byte, which is the value
    const bool negative = first >= msgpack::FixBits::NegativeInt;
    if (negative ? value < kLeast || value >= 0 : value < 0 || value > kMost)
        return negative ? Error{fmt::format("{} does not fit into its encoding, which holds -32 to -1", value)}
                        : refuse(0, kMost);
    return std::string(1, static_cast<char>(value));
}

} // namespace pm::mutate
