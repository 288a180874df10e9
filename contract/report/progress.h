// One line on a terminal that says how far long work is, and about how long it will go on.
//
//   const ProgressLine progress;
//   progress("compiling", done, of);   // compiling 12 of 260, about 3 min left
//   progress.clear();                  // before anything else is printed
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace hkc {

/// `compiling 12 of 260, about 3 min left`. The estimate is the time that the finished ones took, applied to the
/// others; without one that is finished, or in the first two seconds, there is none.
std::string progress_text(const std::string& what, std::size_t done, std::size_t of, std::chrono::milliseconds elapsed);

/// Writes to stderr where that is a terminal, else nothing. Each `what` is a stretch of work of its own, whose clock
/// begins with its first call. Calls must not overlap.
class ProgressLine {
public:
    ProgressLine();
    void operator()(const std::string& what, std::size_t done, std::size_t of);
    void clear() const;

private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    std::string what_;
    Clock::time_point began_;
};

} // namespace hkc
