#include "contract/report/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

#include <unistd.h>

namespace hkc {
namespace {

constexpr std::chrono::milliseconds kTooEarly{2000}; // for an estimate
constexpr const char* kClearLine = "\r\x1b[K";

std::string duration_text(std::uint64_t seconds) {
    constexpr std::uint64_t kMinute = 60, kHour = 3600;
    if (seconds < kMinute) return fmt::format("{} s", seconds);
    if (seconds < kHour) return fmt::format("{} min", (seconds + kMinute / 2) / kMinute);
    return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
}

} // namespace

std::string progress_text(const std::string& what, std::size_t done, std::size_t of,
                          std::chrono::milliseconds elapsed) {
    std::string text = fmt::format("{} {} of {}", what, done, of);
    if (done == 0 || done >= of || elapsed < kTooEarly) return text;
    const double left_s =
        static_cast<double>(elapsed.count()) / 1000 / static_cast<double>(done) * static_cast<double>(of - done);
    return text + fmt::format(", about {} left", duration_text(static_cast<std::uint64_t>(std::llround(left_s))));
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::operator()(const std::string& what, std::size_t done, std::size_t of) {
    if (!terminal_) return;
    const Clock::time_point now = Clock::now();
    if (what != what_) {
        what_ = what;
        began_ = now;
    }
    fmt::print(stderr, "{}{}", kClearLine,
               progress_text(what, done, of, std::chrono::duration_cast<std::chrono::milliseconds>(now - began_)));
}

void ProgressLine::clear() const {
    if (terminal_) fmt::print(stderr, "{}", kClearLine);
}

} // namespace hkc
