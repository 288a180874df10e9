#include "contract/registry/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hkc {

namespace {
constexpr std::size_t kMostListed = 100;
} // namespace

void Diagnostics::add(const SourceLocation& at, std::string text) {
    ++count_;
    if (seen_.emplace(at.file, at.line, text).second) problems_.push_back({at, std::move(text)});
}

void Diagnostics::add_once(const SourceLocation& at, std::string_view topic, std::string text) {
    ++count_;
    if (seen_.insert(seen_as(at, topic)).second) problems_.push_back({at, std::move(text)});
}

void Diagnostics::settle(const SourceLocation& at, std::string_view topic) { seen_.insert(seen_as(at, topic)); }

bool Diagnostics::settled(const SourceLocation& at, std::string_view topic) const {
    return seen_.contains(seen_as(at, topic));
}

Diagnostics::Seen Diagnostics::seen_as(const SourceLocation& at, std::string_view topic) {
    // No problem's own text starts with a NUL, so that a topic is never taken for one.
    return {at.file, at.line, std::string(1, '\0').append(topic)};
}

pm::Error Diagnostics::error() const {
    std::vector<const Problem*> sorted;
    for (const Problem& problem : problems_) sorted.push_back(&problem);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Problem* a, const Problem* b) {
        return std::tie(a->at.file, a->at.line) < std::tie(b->at.file, b->at.line);
    });
    std::string text;
    for (std::size_t i = 0; i < sorted.size() && i < kMostListed; ++i) {
        const SourceLocation& at = sorted[i]->at;
        if (!text.empty()) text += '\n';
        text += at.line == 0 ? at.file : fmt::format("{}:{}", at.file, at.line);
        text += ": ";
        text += sorted[i]->text;
    }
    if (sorted.size() > kMostListed) text += fmt::format("\nand {} more problems", sorted.size() - kMostListed);
    return pm::Error{std::move(text)};
}

} // namespace hkc
