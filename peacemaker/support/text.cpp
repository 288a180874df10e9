#include "peacemaker/support/text.h"

#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <cstddef>

namespace pm {

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
    const llvm::StringRef wanted(name.data(), name.size());
    const auto limit = static_cast<unsigned>(name.size() / 3 + 1);
    unsigned best = limit + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        const unsigned distance =
            wanted.edit_distance(candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/limit);
        if (distance >= best) continue;
        best = distance;
        nearest = candidate;
    }
    return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    const std::string nearest = nearest_name(name, candidates);
    return nearest.empty() ? std::string() : fmt::format(" (did you mean \"{}\"?)", nearest);
}

bool glob_match(std::string_view pattern, std::string_view text) {
    // On a mismatch only the last star needs to take one more character: linear space, at worst quadratic time.
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string shell_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += R"('\'')";
        else
            quoted += c;
    }
    return quoted + "'";
}

} // namespace pm
