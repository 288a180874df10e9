#include "peacemaker/object/message_pack.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPack.h>
#include <llvm/BinaryFormat/MsgPackReader.h>
#include <llvm/Support/Endian.h>

#include <limits>

namespace pm {
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

/// Bytes of the number or the length that follow a first byte.
std::size_t width_of(std::uint8_t first) {
    switch (first) {
    case msgpack::FirstByte::UInt8:
    case msgpack::FirstByte::Int8:
    case msgpack::FirstByte::Str8:
    case msgpack::FirstByte::Bin8:
        return 1;
    case msgpack::FirstByte::UInt16:
    case msgpack::FirstByte::Int16:
    case msgpack::FirstByte::Str16:
    case msgpack::FirstByte::Bin16:
    case msgpack::FirstByte::Array16:
    case msgpack::FirstByte::Map16:
        return 2;
    case msgpack::FirstByte::UInt32:
    case msgpack::FirstByte::Int32:
    case msgpack::FirstByte::Float32:
    case msgpack::FirstByte::Str32:
    case msgpack::FirstByte::Bin32:
    case msgpack::FirstByte::Array32:
    case msgpack::FirstByte::Map32:
        return 4;
    case msgpack::FirstByte::UInt64:
    case msgpack::FirstByte::Int64:
    case msgpack::FirstByte::Float64:
        return 8;
    default:
        return 0;
    }
}

void append_big_endian(std::string& out, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

/// First bytes of a kind by width 0, 1, 2, 4 and 8; 0 where MessagePack has no such form.
struct Forms {
    std::uint8_t first[5];
};

constexpr Forms kForms[] = {
    {{msgpack::FirstByte::Nil, 0, 0, 0, 0}},
    {{msgpack::FirstByte::False, 0, 0, 0, 0}},
    {{msgpack::FixBits::PositiveInt, msgpack::FirstByte::UInt8, msgpack::FirstByte::UInt16, msgpack::FirstByte::UInt32,
      msgpack::FirstByte::UInt64}},
    {{0, msgpack::FirstByte::Int8, msgpack::FirstByte::Int16, msgpack::FirstByte::Int32, msgpack::FirstByte::Int64}},
    {{0, 0, 0, msgpack::FirstByte::Float32, msgpack::FirstByte::Float64}},
    {{msgpack::FixBits::String, msgpack::FirstByte::Str8, msgpack::FirstByte::Str16, msgpack::FirstByte::Str32, 0}},
    {{0, msgpack::FirstByte::Bin8, msgpack::FirstByte::Bin16, msgpack::FirstByte::Bin32, 0}},
    {{msgpack::FixBits::Array, 0, msgpack::FirstByte::Array16, msgpack::FirstByte::Array32, 0}},
    {{msgpack::FixBits::Map, 0, msgpack::FirstByte::Map16, msgpack::FirstByte::Map32, 0}},
};

void encode(const MessagePackValue& value, std::string& out) {
    using Kind = MessagePackValue::Kind;
    std::uint64_t number = value.bits;
    if (value.kind == Kind::kText || value.kind == Kind::kBinary) number = value.text.size();
    if (value.kind == Kind::kArray) number = value.items.size();
    if (value.kind == Kind::kMap) number = value.items.size() / 2;
    const Forms& forms = kForms[static_cast<std::size_t>(value.kind)];
    if (value.width == 0) {
        // A small number is added to the first byte; that of a negative one is the number itself.
        out += static_cast<char>(forms.first[0] + number);
    } else {
        out += static_cast<char>(forms.first[value.width == 8 ? 4 : value.width == 4 ? 3 : value.width]);
        append_big_endian(out, number, value.width);
    }
    out += value.text;
    for (const MessagePackValue& item : value.items) encode(item, out);
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
    case Type::Extension:
    case Type::Empty:
        return Error{fmt::format("byte {:#x}: an extension type", at)};
    default:
        item.next = at + 1 + width_of(first);
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
        append_big_endian(bytes, static_cast<std::uint64_t>(value), form.bytes);
        return bytes;
    }
    constexpr std::int64_t kLeast = -32, kMost = 127; // of one byte, which is the value
    const bool negative = first >= msgpack::FixBits::NegativeInt;
    if (negative ? value < kLeast || value >= 0 : value < 0 || value > kMost)
        return negative ? Error{fmt::format("{} does not fit into its encoding, which holds -32 to -1", value)}
                        : refuse(0, kMost);
    return std::string(1, static_cast<char>(value));
}

Result<MessagePackValue> MessagePack::decode(std::size_t& at, int depth) const {
    using Kind = MessagePackValue::Kind;
    if (depth > kMaxDepth) return Error{fmt::format("byte {:#x}: nested deeper than {}", at, kMaxDepth)};
    const auto head = item(at);
    if (!head) return head.error();
    MessagePackValue value;
    const msgpack::Object& object = head->object;
    value.width = static_cast<std::uint8_t>(width_of(static_cast<std::uint8_t>(blob_[at])));
    for (std::size_t i = 0; i < value.width; ++i)
        value.bits = value.bits << 8 | static_cast<std::uint8_t>(blob_[at + 1 + i]);
    at = head->next;
    std::size_t held = 0;
    switch (object.Kind) {
    case Type::Nil:
        value.kind = Kind::kNil;
        break;
    case Type::Boolean:
        value.kind = Kind::kBoolean;
        value.bits = object.Bool ? 1 : 0;
        break;
    case Type::UInt:
        value.kind = Kind::kUnsigned;
        value.bits = object.UInt;
        break;
    case Type::Int:
        value.kind = Kind::kSigned;
        value.bits = static_cast<std::uint64_t>(object.Int);
        break;
    case Type::Float:
        // Its bits as they stand: a double would not hold every 32-bit NaN.
        value.kind = Kind::kFloat;
        break;
    case Type::String:
    case Type::Binary:
        value.kind = object.Kind == Type::String ? Kind::kText : Kind::kBinary;
        value.text = object.Raw.str();
        value.bits = 0;
        break;
    default:
        value.kind = object.Kind == Type::Map ? Kind::kMap : Kind::kArray;
        value.bits = 0;
        held = object.Length * (object.Kind == Type::Map ? 2 : 1);
    }
    for (std::size_t i = 0; i < held; ++i) {
        auto one = decode(at, depth + 1);
        if (!one) return one;
        value.items.push_back(std::move(*one));
    }
    return value;
}

Result<MessagePackValue> decode_message_pack(std::string_view blob) {
    std::size_t end = 0;
    auto value = MessagePack(blob).decode(end, 0);
    if (value && end != blob.size()) return Error{fmt::format("byte {:#x}: bytes behind the value", end)};
    return value;
}

std::string encode_message_pack(const MessagePackValue& value) {
    std::string out;
    encode(value, out);
    return out;
}

} // namespace pm
