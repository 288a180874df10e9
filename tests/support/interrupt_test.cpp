// Each test runs in a process of its own: what it catches stays caught.
#include "peacemaker/support/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

#include <poll.h>
#include <unistd.h>

namespace {

/// Ends the process with 0 where `holds`, as the death tests below expect.
[[noreturn]] void answer(bool holds) { _exit(holds ? 0 : 1); }

bool readable(int descriptor) {
    pollfd waiting{descriptor, POLLIN, 0};
    return poll(&waiting, 1, 0) == 1;
}

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, IsNotedOnce) {
    const auto note = [] {
        const bool before = pm::interrupted() || pm::interrupt_descriptor() != -1;
        pm::catch_interrupts();
        pm::catch_interrupts(); // again changes nothing
        const bool caught = !pm::interrupted() && !readable(pm::interrupt_descriptor());
        (void)raise(GetParam());
        answer(!before && caught && pm::interrupted() && readable(pm::interrupt_descriptor()));
    };
    EXPECT_EXIT(note(), testing::ExitedWithCode(0), "");
}

TEST_P(Interrupt, EndsTheProcessTheSecondTime) {
    const auto twice = [] {
        pm::catch_interrupts();
        (void)raise(GetParam());
        (void)raise(GetParam());
        answer(true);
    };
    EXPECT_EXIT(twice(), testing::KilledBySignal(GetParam()), "");
}

TEST_P(Interrupt, StaysIgnoredWhereItWas) {
    const auto ignored = [] {
        (void)std::signal(GetParam(), SIG_IGN);
        pm::catch_interrupts();
        (void)raise(GetParam());
        answer(!pm::interrupted());
    };
    EXPECT_EXIT(ignored(), testing::ExitedWithCode(0), "");
}

TEST_P(Interrupt, IsTheParentsAffairInAChild) {
    const auto child = [] {
        pm::catch_interrupts();
        (void)raise(GetParam());
        pm::leave_interrupts_to_parent();
        const bool forgotten = !pm::interrupted() && pm::interrupt_descriptor() == -1;
        (void)raise(GetParam());
        answer(forgotten && !pm::interrupted());
    };
    EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST_P(Interrupt, IsHeldBack) {
    const auto held = [] {
        pm::catch_interrupts();
        bool during = true;
        {
            const pm::HeldInterrupts hold;
            (void)raise(GetParam());
            during = pm::interrupted();
        }
        answer(!during && pm::interrupted());
    };
    EXPECT_EXIT(held(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "SIGINT" : "SIGTERM"; });

} // namespace
