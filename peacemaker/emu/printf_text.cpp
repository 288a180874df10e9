#include "peacemaker/emu/printf_text.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace pm::emu {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;

/// The words of a message that have not been read yet.
class Reader {
public:
    explicit Reader(std::span<const u64> words) : words_(words) {}

    u64 number() {
        if (words_.empty()) return 0;
        const u64 word = words_.front();
        words_ = words_.subspan(1);
        return word;
    }
    std::string string() {
        const std::string_view bytes(reinterpret_cast<const char*>(words_.data()), words_.size_bytes());
        const std::string_view text = bytes.substr(0, bytes.find('\0'));
        words_ = words_.subspan(std::min(words_.size(), text.size() / sizeof(u64) + 1));
        return std::string(text);
    }

private:
    std::span<const u64> words_;
};

/// One conversion: what is between % and its letter, without the length.
struct Conversion {
    std::string flags; // and width and precision, without the stars
    int length = 0;    // bytes of an integer
    char letter = 0;   // 0: the format ends first
};

bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

void take(std::string_view& format, std::string_view set, std::string& out) {
    while (!format.empty() && one_of(format.front(), set)) {
        out += format.front();
        format.remove_prefix(1);
    }
}

// Digits, or the number that a star stands for. A width below zero is a flag and a width; such a precision is none.
void take_count(std::string_view& format, Reader& reader, bool precision, std::string& out) {
    if (format.empty() || format.front() != '*') {
        take(format, "0123456789", out);
        return;
    }
    format.remove_prefix(1);
    const int count = static_cast<int>(reader.number());
    if (precision && count < 0)
        out.pop_back();
    else
        out += std::to_string(count);
}

Conversion take_conversion(std::string_view& format, Reader& reader) {
    Conversion c;
    take(format, "-+ #0", c.flags);
    take_count(format, reader, false, c.flags);
    if (!format.empty() && format.front() == '.') {
        c.flags += '.';
        format.remove_prefix(1);
        take_count(format, reader, true, c.flags);
    }
    std::string length;
    take(format, "hlLqjzt", length);
    c.length = length.empty() ? 4 : length == "h" ? 2 : length == "hh" ? 1 : 8;
    if (!format.empty()) {
        c.letter = format.front();
        format.remove_prefix(1);
    }
    return c;
}

// The C library's own; the format is made here and fits the argument.
template <typename T>
std::string formatted(const Conversion& c, const char* length, T value) {
    const std::string format = "%" + c.flags + length + c.letter;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int size = std::snprintf(nullptr, 0, format.c_str(), value);
    if (size < 0) return {};
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    (void)std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma GCC diagnostic pop
    text.pop_back();
    return text;
}

i64 cut_signed(u64 value, int bytes) {
    const int unused = 64 - 8 * bytes;
    return static_cast<i64>(value << unused) >> unused;
}

u64 cut(u64 value, int bytes) { return value & (~u64{0} >> (64 - 8 * bytes)); }

} // namespace

std::string printf_text(std::span<const u64> message) {
    Reader reader(message);
    const std::string whole = reader.string();
    std::string_view format = whole;
    std::string text;
    while (!format.empty()) {
        const std::size_t percent = format.find('%');
        text += format.substr(0, percent);
        if (percent == std::string_view::npos) break;
        const std::string_view from = format.substr(percent);
        format.remove_prefix(percent + 1);
        const Conversion c = take_conversion(format, reader);
        if (c.letter == '%')
            text += '%';
        else if (c.letter != 0 && one_of(c.letter, "di"))
            text += formatted(c, "ll", static_cast<long long>(cut_signed(reader.number(), c.length)));
        else if (c.letter != 0 && one_of(c.letter, "ouxX"))
            text += formatted(c, "ll", static_cast<unsigned long long>(cut(reader.number(), c.length)));
        else if (c.letter != 0 && one_of(c.letter, "fFeEgGaA"))
            text += formatted(c, "", std::bit_cast<double>(reader.number()));
        else if (c.letter == 'c')
            text += formatted(c, "", static_cast<int>(reader.number()));
        else if (c.letter == 's')
            text += formatted(c, "", reader.string().c_str());
        else if (c.letter == 'p')
            text += formatted(c, "", reinterpret_cast<void*>(reader.number()));
        else if (c.letter == 'n')
            (void)reader.number();
        else
            text += from.substr(0, from.size() - format.size());
    }
    return text;
}

} // namespace pm::emu
