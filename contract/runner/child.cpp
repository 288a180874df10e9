#include "contract/runner/child.h"

#include "peacemaker/support/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hkc {
namespace {

using Clock = std::chrono::steady_clock;

struct Running {
    std::size_t index = 0;
    pid_t pid = -1;
    int descriptor = -1;
    Clock::time_point deadline;
    bool killed = false;
    bool interrupted = false; // killed for that
    std::string output;
};

/// The child's side; does not return. `_exit`: the parent's buffers and exit handlers are not the child's to run.
[[noreturn]] void be_child(std::size_t index, int descriptor, pid_t parent, pm::HeldInterrupts& held,
                           const std::function<void(std::size_t, const ChildPipe&)>& body) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // it died before the line above
    // A terminal tells the whole group; what the child has finished is for its parent to keep.
    pm::leave_interrupts_to_parent();
    held.release();
    (void)signal(SIGPIPE, SIG_DFL);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO); // runtimes are chatty; this program's output is its own
    body(index, ChildPipe(descriptor));
    _exit(0);
}

/// The other end of a pipe to a new child; Error text in `why`, and a descriptor of -1.
Running start(std::size_t index, std::chrono::milliseconds limit,
              const std::function<void(std::size_t, const ChildPipe&)>& body, std::string& why) {
    Running running;
    running.index = index;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        why = fmt::format("pipe: {}", std::strerror(errno));
        return running;
    }
    (void)std::fflush(nullptr);
    const pid_t parent = getpid();
    pm::HeldInterrupts held;
    running.pid = fork();
    if (running.pid < 0) {
        why = fmt::format("fork: {}", std::strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return running;
    }
    if (running.pid == 0) {
        close(ends[0]);
        be_child(index, ends[1], parent, held, body);
    }
    close(ends[1]);
    running.descriptor = ends[0];
    running.deadline = Clock::now() + limit;
    return running;
}

ChildEnd reap(Running& running, std::chrono::milliseconds limit) {
    close(running.descriptor);
    int status = 0;
    while (waitpid(running.pid, &status, 0) < 0 && errno == EINTR) {
    }
    ChildEnd end;
    end.output = std::move(running.output);
    if (running.interrupted && WIFSIGNALED(status)) {
        end.fate = ChildFate::kInterrupted;
        end.how = pm::kInterrupted;
    } else if (running.killed && !running.interrupted) {
        end.fate = ChildFate::kTimedOut;
        end.how = fmt::format("no answer within {} s", static_cast<double>(limit.count()) / 1000);
    } else if (WIFSIGNALED(status)) {
        end.fate = ChildFate::kCrashed;
        end.how = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        end.fate = ChildFate::kCrashed;
        end.how = fmt::format("exit status {}", WEXITSTATUS(status));
    }
    return end;
}

/// Reads what is there. False at the end of the pipe.
bool drain(Running& running) {
    std::array<char, 65536> chunk{};
    const ssize_t got = read(running.descriptor, chunk.data(), chunk.size());
    if (got > 0) running.output.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

} // namespace

void ChildPipe::write(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t put = ::write(descriptor_, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) _exit(1);
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

void run_children(std::size_t count, unsigned jobs, std::chrono::milliseconds limit,
                  const std::function<void(std::size_t, const ChildPipe&)>& body,
                  const std::function<void(std::size_t, const ChildEnd&)>& done) {
    std::vector<Running> running;
    std::size_t next = 0;
    while (next < count || !running.empty()) {
        for (; pm::interrupted() && next < count; ++next)
            done(next, {ChildFate::kInterrupted, std::string(pm::kInterrupted), ""});
        while (next < count && running.size() < std::max(jobs, 1U)) {
            std::string why;
            Running child = start(next, limit, body, why);
            if (child.descriptor < 0)
                done(next, {ChildFate::kNotStarted, why, ""});
            else
                running.push_back(std::move(child));
            ++next;
        }
        if (running.empty()) continue;

        std::vector<pollfd> polls;
        Clock::time_point earliest = Clock::time_point::max();
        for (const Running& child : running) {
            polls.push_back({child.descriptor, POLLIN, 0});
            if (!child.killed) earliest = std::min(earliest, child.deadline);
        }
        int wait_ms = -1;
        if (earliest != Clock::time_point::max()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(earliest - Clock::now()).count();
            wait_ms = static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
        }
        // Left out once all are killed, for it stays readable.
        if (earliest != Clock::time_point::max()) polls.push_back({pm::interrupt_descriptor(), POLLIN, 0});
        (void)poll(polls.data(), polls.size(), wait_ms);

        const Clock::time_point now = Clock::now();
        std::vector<Running> still;
        for (std::size_t i = 0; i < running.size(); ++i) {
            Running& child = running[i];
            const bool ended = polls[i].revents != 0 && !drain(child);
            if (ended) {
                const std::size_t index = child.index;
                done(index, reap(child, limit));
                continue;
            }
            if (!child.killed && (pm::interrupted() || now >= child.deadline)) {
                child.killed = true;
                child.interrupted = pm::interrupted();
                (void)kill(child.pid, SIGKILL);
            }
            still.push_back(std::move(child));
        }
        running = std::move(still);
    }
}

} // namespace hkc
