#include "contract/runner/child.h"

#include "peacemaker/support/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>

#include <unistd.h>

namespace hkc {
namespace {

using namespace std::chrono_literals;

std::map<std::size_t, ChildEnd> run(std::size_t count, unsigned jobs, std::chrono::milliseconds limit,
                                    const std::function<void(std::size_t, const ChildPipe&)>& body) {
    std::map<std::size_t, ChildEnd> ends;
    run_children(count, jobs, limit, body, [&](std::size_t i, const ChildEnd& end) { ends[i] = end; });
    return ends;
}

TEST(Child, EveryBodyRunsInAProcessOfItsOwnAndItsOutputArrivesWhole) {
    const std::string parent = std::to_string(getpid());
    const auto ends = run(5, 2, 600s, [](std::size_t i, const ChildPipe& pipe) {
        pipe.write(std::to_string(getpid()) + "\n" + std::string(300'000, static_cast<char>('a' + i)));
    });
    ASSERT_EQ(ends.size(), 5U);
    std::set<std::string> processes{parent};
    for (const auto& [i, end] : ends) {
        EXPECT_EQ(end.fate, ChildFate::kDone) << end.how;
        const auto newline = end.output.find('\n');
        processes.insert(end.output.substr(0, newline));
        EXPECT_EQ(end.output.substr(newline + 1), std::string(300'000, static_cast<char>('a' + i)));
    }
    EXPECT_EQ(processes.size(), 6U);
}

TEST(Child, ACrashCostsOneAndKeepsWhatItSaid) {
    const auto ends = run(3, 1, 600s, [](std::size_t i, const ChildPipe& pipe) {
        pipe.write("before");
        if (i == 1) (void)raise(SIGKILL);
        pipe.write(" after");
    });
    EXPECT_EQ(ends.at(0).fate, ChildFate::kDone);
    EXPECT_EQ(ends.at(0).output, "before after");
    EXPECT_EQ(ends.at(1).fate, ChildFate::kCrashed);
    EXPECT_EQ(ends.at(1).output, "before");
    EXPECT_NE(ends.at(1).how.find("signal 9"), std::string::npos) << ends.at(1).how;
    EXPECT_EQ(ends.at(2).fate, ChildFate::kDone);
}

TEST(Child, AnExitOfItsOwnIsNoResult) {
    const auto ends = run(1, 1, 600s, [](std::size_t, const ChildPipe&) { _exit(7); });
    EXPECT_EQ(ends.at(0).fate, ChildFate::kCrashed);
    EXPECT_EQ(ends.at(0).how, "exit status 7");
}

TEST(Child, AHangIsKilledAtItsLimitAndTheOthersGoOn) {
    const auto ends = run(3, 2, 200ms, [](std::size_t i, const ChildPipe& pipe) {
        pipe.write("started");
        while (i == 1) pause();
    });
    EXPECT_EQ(ends.at(0).fate, ChildFate::kDone);
    EXPECT_EQ(ends.at(1).fate, ChildFate::kTimedOut);
    EXPECT_EQ(ends.at(1).output, "started");
    EXPECT_EQ(ends.at(1).how, "no answer within 0.2 s");
    EXPECT_EQ(ends.at(2).fate, ChildFate::kDone);
}

/// In a process of its own: the second of three children interrupts it, and would never end.
[[noreturn]] void interrupt_second_of_three() {
    pm::catch_interrupts();
    const auto ends = run(3, 1, 600s, [](std::size_t i, const ChildPipe& pipe) {
        pipe.write("started");
        if (i == 1) (void)kill(getppid(), SIGINT);
        while (i == 1) pause();
    });
    const auto is = [&](std::size_t i, ChildFate fate, const std::string& how, const std::string& output) {
        return ends.at(i).fate == fate && ends.at(i).how == how && ends.at(i).output == output;
    };
    _exit(is(0, ChildFate::kDone, "", "started") && is(1, ChildFate::kInterrupted, "interrupted", "started") &&
                  is(2, ChildFate::kInterrupted, "interrupted", "")
              ? 0
              : 1);
}

TEST(Child, AnInterruptEndsThoseThatRunAndStartsNoOthers) {
    EXPECT_EXIT(interrupt_second_of_three(), testing::ExitedWithCode(0), "");
}

/// A child ignores what its parent is to answer.
[[noreturn]] void signal_a_child() {
    pm::catch_interrupts();
    const auto ends = run(1, 1, 600s, [](std::size_t, const ChildPipe& pipe) {
        (void)raise(SIGINT);
        (void)raise(SIGTERM);
        pipe.write(pm::interrupted() ? "noted" : "went on");
    });
    _exit(ends.at(0).fate == ChildFate::kDone && ends.at(0).output == "went on" && !pm::interrupted() ? 0 : 1);
}

TEST(Child, ASignalToAChildAloneIsNone) { EXPECT_EXIT(signal_a_child(), testing::ExitedWithCode(0), ""); }

TEST(Child, NoneIsNone) {
    EXPECT_TRUE(run(0, 2, 1s, [](std::size_t, const ChildPipe&) {}).empty());
}

} // namespace
} // namespace hkc
