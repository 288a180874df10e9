// Child processes with a time limit: a GPU fault, a hang or a crash costs one of them, and the run goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace hkc {

/// Where a child writes; what it wrote survives its crash.
class ChildPipe {
public:
    explicit ChildPipe(int descriptor) : descriptor_(descriptor) {}
    /// Writes all of `text`; a parent that is gone ends the child.
    void write(std::string_view text) const;

private:
    int descriptor_;
};

enum class ChildFate {
    kDone,        // its body returned
    kCrashed,     // ended by a signal, or by an exit of its own
    kTimedOut,    // killed at its time limit
    kInterrupted, // killed, or never started, because this process was interrupted
    kNotStarted
};

/// How a child ended, and what it wrote until then.
struct ChildEnd {
    ChildFate fate = ChildFate::kDone;
    std::string how; // `signal 11 (Segmentation fault)`, `exit status 1`, `no answer within 120 s`, `interrupted`, or
                     // why it did not start
    std::string output;
};

/// Runs `body(i, pipe)` for i in [0, count), each in a process of its own, at most `jobs` at a time, and calls `done(i,
/// end)` in this process as each ends. A child that is not done after `limit` is killed. Once this process is
/// interrupted (pm::catch_interrupts) those that run are killed, and the others not started. Children die with this
/// process. This process must have no other threads.
void run_children(std::size_t count, unsigned jobs, std::chrono::milliseconds limit,
                  const std::function<void(std::size_t, const ChildPipe&)>& body,
                  const std::function<void(std::size_t, const ChildEnd&)>& done);

} // namespace hkc
