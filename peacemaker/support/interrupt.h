// Ctrl-C in long work: SIGINT and SIGTERM are noted, and whoever starts processes or works through a list asks. What is
// finished is then told, and no file is left half written.
//
//   int main() {
//       pm::catch_interrupts();
//       ... for (const Item& item : items) if (!pm::interrupted()) work(item);
//       return pm::interrupted() ? pm::kInterruptedStatus : 0;
//   }
//
// A second signal of the same kind ends the process at once, as if nothing caught it.
#pragma once

#include <string_view>

namespace pm {

/// The exit status of a program whose work was ended by SIGINT or SIGTERM: 128 and the number of SIGINT.
inline constexpr int kInterruptedStatus = 130;

/// The reason of what was not done for it.
inline constexpr std::string_view kInterrupted = "interrupted";

/// From here on the first SIGINT and the first SIGTERM end nothing and are noted. A signal that the process was started
/// to ignore stays ignored.
void catch_interrupts();

/// Whether one was noted; never where catch_interrupts() was not called.
bool interrupted();

/// For poll(): readable from the first noted signal on, and never to be read; -1, which poll() passes over, where
/// catch_interrupts() was not called.
int interrupt_descriptor();

/// For a forked child that its parent ends: it ignores both signals, and knows nothing of those that its parent notes.
void leave_interrupts_to_parent();

/// Holds both signals back from this thread while it lives: around fork(), for a child has its parent's handlers until
/// it sets its own.
class HeldInterrupts {
public:
    HeldInterrupts();
    ~HeldInterrupts();
    HeldInterrupts(const HeldInterrupts&) = delete;
    HeldInterrupts& operator=(const HeldInterrupts&) = delete;
    /// In the child: lets them through.
    void release();

private:
    bool held_ = true;
};

} // namespace pm
