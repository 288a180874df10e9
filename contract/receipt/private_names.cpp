#include "contract/receipt/private_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace hkc::receipt {
namespace {

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '+'; }

/// The text from `begin` as far as a path would go.
std::string path_at(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() &&
           (is_name(text[end]) || text[end] == '/' || text[end] == '~' || text[end] == '\\' || text[end] == ':'))
        ++end;
    return std::string(text.substr(begin, end - begin));
}

/// Whether a path may begin at `at`: what is before it is no part of a name, an address or a relative path.
bool begins(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    return !is_name(before) && before != '/' && before != '}' && before != ')' && before != ']' && before != '>' &&
           before != '*';
}

/// `/a/b`: one folder and something in it.
bool absolute_path(std::string_view text, std::size_t at) {
    std::size_t i = at + 1;
    while (i < text.size() && is_name(text[i])) ++i;
    return i > at + 1 && i + 1 < text.size() && text[i] == '/' && is_name(text[i + 1]);
}

constexpr std::array kCommon{"root",    "user",  "users", "runner", "build", "builder", "ci",     "admin",  "nobody",
                             "default", "local", "host",  "home",   "test",  "main",    "debian", "ubuntu", "localhost",
                             "device",  "chip",  "head",  "base",   "gate",  "kernel",  "fail",   "pass"};

void add_name(std::vector<std::string>& names, std::string name) {
    constexpr std::size_t kShortest = 3;
    if (name.size() < kShortest || std::find(kCommon.begin(), kCommon.end(), name) != kCommon.end()) return;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

} // namespace

std::vector<std::string> own_names() {
    std::vector<std::string> names;
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) {
        const std::string whole = host.data();
        add_name(names, whole);
        add_name(names, whole.substr(0, whole.find('.')));
    }
    if (const passwd* user = ::getpwuid(::getuid()); user != nullptr) add_name(names, user->pw_name);
    for (const char* variable : {"USER", "LOGNAME"})
        if (const char* name = std::getenv(variable); name != nullptr) add_name(names, name);
    return names;
}

std::vector<std::string> private_names_in(std::string_view text, const std::vector<std::string>& names) {
    std::vector<std::string> found;
    const auto add = [&](std::string name) {
        if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto next = [&](std::size_t n) { return i + n < text.size() ? text[i + n] : '\0'; };
        switch (text[i]) {
        case '/':
            if (begins(text, i) && absolute_path(text, i)) add(path_at(text, i));
            break;
        case '~':
            if (begins(text, i) && next(1) == '/' && is_name(next(2))) add(path_at(text, i));
            break;
        case '\\':
            if (i >= 2 && text[i - 1] == ':' && is_alnum(text[i - 2]) && begins(text, i - 2) && is_alnum(next(1)))
                add(path_at(text, i - 2));
            break;
        case '@':
            if (i > 0 && is_alnum(text[i - 1]) && is_alnum(next(1))) {
                std::size_t begin = i;
                while (begin > 0 && is_name(text[begin - 1])) --begin;
                std::size_t end = i + 1;
                while (end < text.size() && is_name(text[end])) ++end;
                add(std::string(text.substr(begin, end - begin)));
            }
            break;
        default:
            break;
        }
    }
    for (const std::string& name : names)
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            const bool starts = at == 0 || !(is_alnum(text[at - 1]) || text[at - 1] == '_');
            const std::size_t end = at + name.size();
            if (starts && (end == text.size() || !(is_alnum(text[end]) || text[end] == '_'))) {
                add(name);
                break;
            }
        }
    return found;
}

} // namespace hkc::receipt
