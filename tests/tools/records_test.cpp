#include "tests/tools/tool_root.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// A root whose records are there, and two logs: that of the records, and one that asks for another figure.
class RecordsTool : public testing::Test {
protected:
    void SetUp() override {
        expect(root_.run("$LIMITS --records all > log; $RECORDS apply < log"), 0, "1 of 1 files rewritten");
        recorded_ = text_of_file(root_.records());
        ASSERT_FALSE(recorded_.empty());
        EXPECT_EQ(root_.run("sed 's/ lds=0 / lds=4096 /' log > other.log && cmp -s log other.log").exit_status, 1);
    }

    void expect_untouched() const {
        EXPECT_EQ(text_of_file(root_.records()), recorded_);
        std::size_t files = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(root_.records().parent_path()))
            files += entry.exists() ? 1 : 0;
        EXPECT_EQ(files, 1U) << "a temporary file was left";
    }

    ToolRoot root_;
    std::string recorded_;
};

TEST_F(RecordsTool, PrintsTheDifferenceAndWritesIt) {
    const hkc::Finished done = root_.run("$RECORDS apply < other.log");
    expect(done, 0, "records/clang-22.1.8/small.json: gfx1030 small: lds 0 -> 4096\n");
    expect(done, 0, "2 RECORD lines: 1 of 1 files rewritten\n");
    EXPECT_NE(text_of_file(root_.records()).find("\"lds\": 4096"), std::string::npos);
    expect(root_.run("$RECORDS apply < other.log"), 0, "2 RECORD lines: 0 of 1 files rewritten\n");
    expect(root_.run("$RECORDS apply < log"), 0, "lds 4096 -> 0");
    expect_untouched();
}

TEST_F(RecordsTool, RefusesBadLinesAndLeavesTheFile) {
    expect(root_.run("sed 's/ small vgpr/ smal vgpr/' other.log | $RECORDS apply"), 2,
           "unknown kernel \"smal\" (did you mean \"small\"?)");
    expect(root_.run("sed 's/gfx1151/gfx1152/' other.log | $RECORDS apply"), 2, "unknown chip \"gfx1152\"");
    expect(root_.run("sed 's/clang-22.1.8 gfx/clang-22.1.9 gfx/' other.log | $RECORDS apply"), 2,
           "unknown toolchain \"clang-22.1.9\"");
    expect(root_.run("sed 's/wave=32/wave=x/' other.log | $RECORDS apply"), 2,
           "\"wave=x\"; expected wave= and an integer");
    expect(root_.run("(cat log; grep RECORD other.log) | $RECORDS apply"), 2, "contradicts line");
    expect(root_.run("grep RECORD other.log | $RECORDS apply"), 2, "no FINGERPRINT line");
    expect(root_.run("grep RECORD -B1 other.log | head -c -3 | $RECORDS apply"), 2, "standard input:");
    expect_untouched();
    expect(root_.run("$RECORDS apply < /dev/null"), 0, "0 RECORD lines: 0 of 0 files rewritten");
    expect(root_.run("$RECORDS apply < ."), 2, "standard input: cannot read");
    expect(root_.run("$RECORDS"), 2, "subcommand");
    expect(root_.run("$RECORDS aply"), 2, "Run with --help");
    expect_untouched();
}

TEST_F(RecordsTool, ChecksTheRecordsOfTheTree) {
    expect(root_.run_in(HKC_SOURCE_DIR, "$RECORDS check"), 0, " records: 0 problems\n");
}

TEST_F(RecordsTool, ChecksForMissingForeignAndUnreadableRecords) {
    expect(root_.run("$RECORDS check"), 0, "2 records: 0 problems");
    expect(root_.run("sed -i 's/\"small\": {/\"smaller\": {/' records/clang-22.1.8/small.json; $RECORDS check"), 1,
           "record problem: records/clang-22.1.8/small.json: gfx1030 small: no record");
    expect(root_.run("echo '{' > records/clang-22.1.8/small.json; $RECORDS check"), 2, "small.json: parse error");
    expect(root_.run("echo '{' > records/clang-22.1.8/small.json; $RECORDS apply < log"), 2, "small.json: parse error");
    expect(root_.run("rm -r records; $RECORDS check"), 1, "toolchain clang-22.1.8 has no records");
}

TEST_F(RecordsTool, LosesNothingWhereTheFileCannotBeWritten) {
    // 512 bytes are less than the file needs.
    expect(root_.run("ulimit -f 1; $RECORDS apply < other.log"), 2,
           "records/clang-22.1.8/small.json: cannot write: File too large");
    expect_untouched();
    if (::geteuid() != 0) {
        expect(root_.run("chmod a-w records/clang-22.1.8; $RECORDS apply < other.log; s=$?; chmod u+w "
                         "records/clang-22.1.8; exit $s"),
               2, "Permission denied");
        expect_untouched();
    }
}

TEST_F(RecordsTool, IsWholeAfterEveryKill) {
    const auto start = std::chrono::steady_clock::now();
    expect(root_.run("$RECORDS apply < other.log"), 0, "1 of 1 files rewritten");
    const auto whole =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    const std::string other = text_of_file(root_.records());
    ASSERT_NE(other, recorded_);

    const unsigned seed = 20240229;
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    // As slow as the machine is now, about half of the runs come to their end.
    std::uniform_int_distribution<useconds_t> delay(0, 2 * static_cast<useconds_t>(whole));
    int killed = 0;
    bool forward = false;
    for (int i = 0; i < 150; ++i) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            if (::chdir(root_.folder().path().c_str()) != 0 ||
                std::freopen(forward ? "other.log" : "log", "r", stdin) == nullptr ||
                std::freopen("/dev/null", "w", stdout) == nullptr)
                ::_exit(99);
            ::execl(HKC_BINARY_DIR "/bin/hip-kernel-contract-records", "hip-kernel-contract-records", "apply", nullptr);
            ::_exit(98);
        }
        ::usleep(delay(random));
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status))
            ++killed;
        else
            ASSERT_EQ(WEXITSTATUS(status), 0);
        const std::string now = text_of_file(root_.records());
        ASSERT_TRUE(now == recorded_ || now == other) << "round " << i << ":\n" << now;
        forward = now == recorded_;
    }
    EXPECT_GT(killed, 0) << "no run was killed: the test tells nothing";
    EXPECT_LT(killed, 150) << "every run was killed before it wrote: the test tells nothing";
    expect(root_.run("$RECORDS apply < log"), 0, "RECORD lines");
    EXPECT_EQ(text_of_file(root_.records()), recorded_);
}

} // namespace
