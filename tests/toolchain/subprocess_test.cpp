#include "contract/toolchain/subprocess.h"

#include "peacemaker/support/interrupt.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

hkc::Command shell(const std::string& script) { return {{"/bin/sh", "-c", script}, {}, {"PATH=/usr/bin:/bin"}}; }

TEST(Subprocess, KeepsBothStreamsApart) {
    const auto done = hkc::run(shell("echo out; echo err >&2; exit 3"));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->out, "out\n");
    EXPECT_EQ(done->err, "err\n");
    EXPECT_EQ(done->exit_status, 3);
    EXPECT_EQ(done->signal, 0);
    EXPECT_FALSE(done->succeeded());
    EXPECT_EQ(done->how(), "exit status 3");
}

TEST(Subprocess, DoesNotBlockOnLargeOutput) {
    // Far more than a pipe holds, to one stream and then to the other.
    const auto done =
        hkc::run(shell("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->out.size(), 3000000U);
    EXPECT_EQ(done->err.size(), 6000000U);
    EXPECT_TRUE(done->succeeded());
}

TEST(Subprocess, KeepsTheBeginningOfEndlessOutput) {
    const auto done = hkc::run(shell("printf begin; head -c 20000000 /dev/zero"));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->out.size(), std::size_t{16} << 20);
    EXPECT_TRUE(done->out.starts_with("begin"));
}

TEST(Subprocess, TellsASignal) {
    const auto done = hkc::run(shell("kill -9 $$"));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->signal, 9);
    EXPECT_FALSE(done->succeeded());
    EXPECT_EQ(done->how(), "killed by signal 9");
}

TEST(Subprocess, SaysWhatCannotBeStarted) {
    const auto done = hkc::run({{"/nowhere/no-such-program"}, {}, {}});
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().text.find("/nowhere/no-such-program"), std::string::npos) << done.error().text;
    EXPECT_NE(done.error().text.find("No such file"), std::string::npos) << done.error().text;
}

TEST(Subprocess, HasAnEmptyInput) {
    const auto done = hkc::run(shell("cat; echo end"));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->out, "end\n");
}

TEST(Subprocess, RunsInTheFolderWithTheEnvironmentAndWithoutAShell) {
    const ScratchFolder folder;
    const auto where = hkc::run(
        {{"/bin/sh", "-c", "pwd; echo \"$1\" \"$HKC_WORD\"", "sh", "a  $(b) 'c'"}, folder.path(), {"HKC_WORD=word"}});
    ASSERT_TRUE(where) << where.error().text;
    EXPECT_EQ(where->out, folder.path().string() + "\na  $(b) 'c' word\n");
}

TEST(Subprocess, WritesCommandsAsAShellTakesThem) {
    const std::string text = hkc::shell_text({"/bin/echo", "-DX=1", "a b", "it's", ""});
    EXPECT_EQ(text, "/bin/echo -DX=1 'a b' 'it'\\''s' ''");
    const auto done = hkc::run(shell(text));
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_EQ(done->out, "-DX=1 a b it's \n");
}

/// In a process of its own: the program interrupts it, and would never end.
[[noreturn]] void interrupt_from_within(const std::string& before) {
    pm::catch_interrupts();
    const auto done = hkc::run(shell(before + "kill -INT $PPID; sleep 1000000; true"));
    const auto after = hkc::run(shell("true"));
    const std::string expected = "/bin/sh: interrupted";
    _exit(!done && done.error().text == expected && !after && after.error().text == expected ? 0 : 1);
}

TEST(Subprocess, AnInterruptEndsItAndStartsNoOther) {
    EXPECT_EXIT(interrupt_from_within(""), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(interrupt_from_within("trap '' TERM; "), testing::ExitedWithCode(0), "");
}

} // namespace
