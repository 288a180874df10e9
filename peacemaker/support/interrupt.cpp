#include "peacemaker/support/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace pm {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// A handler can reach nothing else.
std::atomic<bool> g_interrupted = false;
std::array<int, 2> g_pipe = {-1, -1};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int /*signal*/) {
    const int before = errno;
    g_interrupted = true;
    const char byte = 0;
    (void)!::write(g_pipe[1], &byte, 1); // non-blocking: full is readable, too
    errno = before;
}

void hold(int how) {
    sigset_t both;
    sigemptyset(&both);
    for (const int number : kSignals) sigaddset(&both, number);
    (void)pthread_sigmask(how, &both, nullptr);
}

} // namespace

void catch_interrupts() {
    if (g_pipe[0] >= 0) return;
    // Without a pipe nobody who waits would learn of a signal, so they keep their default effect.
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    for (const int number : kSignals) {
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
        struct sigaction note {};
        note.sa_handler = note_interrupt;
        sigemptyset(&note.sa_mask);
        note.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
        (void)::sigaction(number, &note, nullptr);
    }
}

bool interrupted() { return g_interrupted; }

int interrupt_descriptor() { return g_pipe[0]; }

void leave_interrupts_to_parent() {
    for (const int number : kSignals) (void)std::signal(number, SIG_IGN);
    for (int& end : g_pipe) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    g_interrupted = false;
}

HeldInterrupts::HeldInterrupts() { hold(SIG_BLOCK); }

HeldInterrupts::~HeldInterrupts() { release(); }

void HeldInterrupts::release() {
    if (held_) hold(SIG_UNBLOCK);
    held_ = false;
}

} // namespace pm
