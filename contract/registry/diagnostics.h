// Every problem of the registry's files, collected before anything is refused.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace hkc {

class Diagnostics {
public:
    /// One problem at `at`. The same text at the same place is kept once.
    void add(const SourceLocation& at, std::string text);

    /// A problem that many expansions of one declaration share: only the first a place and topic is kept.
    void add_once(const SourceLocation& at, std::string_view topic, std::string text);

    /// Another problem tells this one, too: add_once keeps nothing of this place and topic.
    void settle(const SourceLocation& at, std::string_view topic);
    bool settled(const SourceLocation& at, std::string_view topic) const;

    /// Problems added so far; grows with each call of add, so that a reader can tell whether its part was clean.
    std::size_t count() const { return count_; }
    bool empty() const { return problems_.empty(); }

    /// All problems as lines `file:line: text`, by file and line; a long list is cut and says so. There must be at
    /// least one.
    pm::Error error() const;

private:
    using Seen = std::tuple<std::string, std::uint32_t, std::string>;
    static Seen seen_as(const SourceLocation& at, std::string_view topic);

    struct Problem {
        SourceLocation at;
        std::string text;
    };
    std::vector<Problem> problems_;
    std::set<Seen> seen_;
    std::size_t count_ = 0;
};

} // namespace hkc
