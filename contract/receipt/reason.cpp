#include "contract/receipt/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace hkc::receipt {
namespace {

/// The code points of UTF-8; what is none counts as U+FFFD.
std::u32string code_points(std::string_view text) {
    std::u32string points;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : (lead >> 5) == 0b110 ? 2 : (lead >> 4) == 0b1110 ? 3 : 4;
        char32_t point = length == 1 ? lead : lead & (0xffU >> (length + 1));
        bool whole = i + length <= text.size() && (lead < 0x80 || lead >= 0xc0);
        for (std::size_t k = 1; whole && k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            whole = (next >> 6) == 0b10;
            point = point << 6 | (next & 0x3fU);
        }
        points += whole ? point : U'\uFFFD';
        i += whole ? length : 1;
    }
    return points;
}

/// Whether a reader sees nothing there: blanks, controls, fillers, marks of zero width, and what is no character.
bool is_blank(char32_t point) {
    constexpr std::array<std::pair<char32_t, char32_t>, 15> kBlanks{{{0x00, 0x20},
                                                                     {0x7f, 0xa0},
                                                                     {0xad, 0xad},
                                                                     {0x115f, 0x1160},
                                                                     {0x1680, 0x1680},
                                                                     {0x180e, 0x180e},
                                                                     {0x2000, 0x200f},
                                                                     {0x2028, 0x202f},
                                                                     {0x205f, 0x206f},
                                                                     {0x2800, 0x2800},
                                                                     {0x3000, 0x3000},
                                                                     {0x3164, 0x3164},
                                                                     {0xfe00, 0xfe0f},
                                                                     {0xfeff, 0xfeff},
                                                                     {0xfff0, 0xffff}}};
    return std::any_of(kBlanks.begin(), kBlanks.end(),
                       [&](const auto& range) { return point >= range.first && point <= range.second; });
}

bool is_letter(char32_t point) {
    return (point >= U'a' && point <= U'z') || (point >= U'A' && point <= U'Z') || (point >= 0x80 && !is_blank(point));
}

/// Words in lower case, without digits and marks.
std::vector<std::u32string> words_of(std::string_view text) {
    std::vector<std::u32string> words{{}};
    for (const char32_t point : code_points(text)) {
        if (is_letter(point))
            words.back() += point < 0x80 ? point | 0x20U : point;
        else if (is_blank(point) && !words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

/// Words that stand where a reason would. Nothing else in it makes none.
bool is_placeholder(const std::u32string& word) {
    constexpr std::array<std::u32string_view, 34> kWords{
        U"todo", U"tbd",    U"fixme",  U"xxx",   U"na",      U"none",        U"no",     U"nil",     U"null",
        U"wip",  U"later",  U"reason", U"a",     U"the",     U"given",       U"here",   U"because", U"why",
        U"x",    U"add",    U"lorem",  U"ipsum", U"foo",     U"bar",         U"baz",    U"test",    U"asdf",
        U"be",   U"filled", U"in",     U"to",    U"explain", U"placeholder", U"unknown"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
           std::all_of(word.begin(), word.end(), [&](char32_t point) { return point == word.front(); });
}

} // namespace

bool hides_text(std::string_view text) {
    constexpr std::array<std::pair<char32_t, char32_t>, 14> kHiding{{{0x00, 0x08},
                                                                     {0x0a, 0x1f},
                                                                     {0x7f, 0x9f},
                                                                     {0xad, 0xad},
                                                                     {0x61c, 0x61c},
                                                                     {0x180e, 0x180e},
                                                                     {0x200b, 0x200b},
                                                                     {0x200e, 0x200f},
                                                                     {0x2028, 0x202e},
                                                                     {0x2060, 0x206f},
                                                                     {0xfeff, 0xfeff},
                                                                     {0xfff9, 0xfffb},
                                                                     {0x1d173, 0x1d17a},
                                                                     {0xe0000, 0xe0fff}}};
    const auto points = code_points(text);
    return std::any_of(points.begin(), points.end(), [&](char32_t point) {
        return std::any_of(kHiding.begin(), kHiding.end(),
                           [&](const auto& range) { return point >= range.first && point <= range.second; });
    });
}

std::string why_no_reason(std::string_view reason) {
    constexpr std::size_t kFewestWords = 2, kFewestLetters = 8;
    const auto points = code_points(reason);
    if (std::any_of(points.begin(), points.end(), [](char32_t point) { return point == U'\n' || point == U'\r'; }))
        return "it is of more than one line";
    const auto words = words_of(reason);
    if (words.empty()) return "it is blank";
    if (hides_text(reason)) return "it hides or turns text";
    if (std::all_of(words.begin(), words.end(), is_placeholder)) return "it is a placeholder";
    std::size_t letters = 0;
    bool ascii = true; // not every script parts its words
    for (const std::u32string& word : words) {
        letters += word.size();
        ascii = ascii && std::all_of(word.begin(), word.end(), [](char32_t point) { return point < 0x80; });
    }
    if (ascii && (words.size() < kFewestWords || letters < kFewestLetters))
        return fmt::format("expected at least {} words and {} letters", kFewestWords, kFewestLetters);
    return {};
}

} // namespace hkc::receipt
