// `peacemaker exec` as a user runs it, on programs of tests/hip/programs.
#include "peacemaker/support/file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;

const std::string kTool = "'" HKC_BINARY_DIR "/bin/peacemaker'";

struct Ran {
    int status = -1; // of the shell: 128 and the signal where one ended it
    std::string out, err;
};

/// Runs a command line of the shell in the folder of the programs, with no setting of the device's from outside.
Ran shell(const std::string& command) {
    std::string pattern = testing::TempDir() + "exec_test_XXXXXX";
    const fs::path folder = ::mkdtemp(pattern.data());
    const std::string line = "unset HIP_VISIBLE_DEVICES HKC_SANITIZE HKC_SANITIZE_JSON; cd '" HKC_BINARY_DIR
                             "/hip_programs' && (" +
                             command + ") >'" + (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
    const int status = std::system(line.c_str());
    Ran ran;
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (const auto text = pm::read_file(folder / "out")) ran.out = *text;
    if (const auto text = pm::read_file(folder / "err")) ran.err = *text;
    fs::remove_all(folder);
    return ran;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Sound {
    const char* name;
    const char* says;
    int launches;
};

class SoundProgram : public testing::TestWithParam<Sound> {};

TEST_P(SoundProgram, EndsWell) {
    const Sound& sound = GetParam();
    const Ran ran = shell(kTool + " exec --chip gfx1030 -- ./" + sound.name);
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.out, std::string(sound.says) + "\n");
    EXPECT_TRUE(holds(ran.err, "embedded device: " + std::to_string(sound.launches) + " launches, 0 findings; "))
        << ran.err;
    EXPECT_FALSE(holds(ran.err, "unchecked")) << ran.err;
}

// The sums and counts are those of the programs' own inputs: 50 times 0 .. 999, the odd ones three times.
INSTANTIATE_TEST_SUITE_P(Programs, SoundProgram,
                         testing::Values(Sound{"vector_add", "vector_add: 10007 sums", 1},
                                         Sound{"reduction", "reduction: 49975000", 1},
                                         Sound{"matmul", "matmul: 45 x 37", 1},
                                         Sound{"histogram", "histogram: 20011 values, 1403 over", 1},
                                         Sound{"graph_replay", "graph_replay: 4 replays", 8}),
                         [](const auto& info) { return std::string(info.param.name); });

// What kernels print comes between what the host prints, a wave after the other; blocks in any order.
TEST(Exec, PrintsWhatKernelsPrint) {
    const Ran ran = shell(kTool + " exec --chip gfx1030 -- ./printf");
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    const std::string first = "before\n"
                              "0: zero, 0.000 123456789abc\n"
                              "2: one, which is a longer string than fits a packet of fifty-six bytes, 2.500 "
                              "123456789abe\n"
                              "4: , 5.000 123456789ac0\n";
    ASSERT_EQ(ran.out.substr(0, first.size()), first);
    // Of two lanes that go apart the compiler chooses which goes first.
    const std::string one = "second wave\n", other = "ok    7|-8  |%|1.250000e+00|0.5|-1|-1234567890123|end\n";
    const std::string second = ran.out.substr(first.size(), one.size() + other.size());
    EXPECT_TRUE(second == one + other || second == other + one) << second;
    std::string blocks = ran.out.substr(first.size() + second.size());
    for (int block = 0; block < 20; ++block) {
        const std::string line = "block " + std::to_string(block) + " of 20\n";
        const std::size_t at = blocks.find(line);
        ASSERT_NE(at, std::string::npos) << line << ran.out;
        blocks.erase(at, line.size());
    }
    EXPECT_EQ(blocks, "between\nafter\n");
    EXPECT_TRUE(holds(ran.err, "2 launches, 0 findings; ")) << ran.err;
    EXPECT_FALSE(holds(ran.err, "unchecked")) << ran.err;
}

TEST(Exec, GivesUpAHangAfterTheInstructionsOfTheVariable) {
    const Ran ran = shell("export HKC_MAX_INSTRUCTIONS=20000; " + kTool + " exec --chip gfx1030 -- ./endless");
    EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
    EXPECT_TRUE(holds(ran.err, "unchecked: more than 20000 instructions in one wave at _Z8wait_for")) << ran.err;
    EXPECT_EQ(ran.out, "endless: hipErrorNotSupported\n");
    for (const std::string bad : {"0", "many", "-3"}) {
        const Ran refused = shell("export HKC_MAX_INSTRUCTIONS=" + bad + "; " + kTool + " exec -- ./devices");
        EXPECT_EQ(refused.status, 2);
        EXPECT_TRUE(holds(refused.err, "HKC_MAX_INSTRUCTIONS is \"" + bad + "\"; expected a number")) << refused.err;
        EXPECT_EQ(refused.out, "");
    }
    // Without exec the library itself says so, at each launch.
    const Ran alone = shell("export HKC_MAX_INSTRUCTIONS=many; HKC_SANITIZE=1 HIP_VISIBLE_DEVICES=0 "
                            "LD_PRELOAD='" HKC_BINARY_DIR "/lib/libpm_hip.so' ./endless");
    EXPECT_TRUE(holds(alone.err, "HKC_MAX_INSTRUCTIONS is \"many\"")) << alone.err;
    EXPECT_EQ(alone.out, "endless: hipErrorInvalidConfiguration\n");
}

TEST(Exec, AFaultEndsItWithOneAndNamesTheLine) {
    const Ran ran = shell(kTool + " exec --chip gfx1030 -- ./out_of_bounds");
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.out, "out_of_bounds: done\n");
    EXPECT_TRUE(holds(ran.err, "finding: out-of-bounds write: _Z4fillPii")) << ran.err;
    EXPECT_TRUE(holds(ran.err, "out_of_bounds.hip:5)")) << ran.err;
    EXPECT_TRUE(holds(ran.err, "byte 400 of an allocation of 400 bytes")) << ran.err;
    EXPECT_TRUE(holds(ran.err, "workgroup 1,0,0 wave 1 lane 4")) << ran.err;
    EXPECT_TRUE(holds(ran.err, "1 launches, 1 findings;")) << ran.err;
}

TEST(Exec, AFaultIsKnownHoweverTheProgramEnds) {
    // The shell that ends by a signal is not the process that found it.
    const Ran ran = shell(kTool + " exec --chip gfx1030 -- sh -c './out_of_bounds; kill -9 $$'");
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(holds(ran.err, "ended by signal 9")) << ran.err;
}

TEST(Exec, EndsWithTheStatusOfTheProgram) {
    EXPECT_EQ(shell(kTool + " exec --chip gfx1030 -- ./devices 0 0").status, 0);
    EXPECT_EQ(shell(kTool + " exec --chip gfx1030 -- ./devices 0 7").status, 7);
    const Ran killed = shell(kTool + " exec -- sh -c 'kill -9 $$'");
    EXPECT_EQ(killed.status, 128 + 9);
    EXPECT_TRUE(holds(killed.err, "peacemaker: sh: ended by signal 9")) << killed.err;
}

TEST(Exec, PassesArgumentsThatLookLikeItsOwn) {
    // devices ends with its second argument; --chip is its first here.
    EXPECT_EQ(shell(kTool + " exec --chip gfx1030 -- ./devices --chip 9").status, 9);
}

TEST(Exec, ShowsTheChipsInTheirOrderOrThoseAskedFor) {
    EXPECT_EQ(shell(kTool + " exec -- ./devices").out,
              "device 0: gfx1030\ndevice 1: gfx1100\ndevice 2: gfx1151\ndevice 3: gfx1201\n");
    EXPECT_EQ(shell("export HIP_VISIBLE_DEVICES=3,0; " + kTool + " exec -- ./devices").out,
              "device 0: gfx1201\ndevice 1: gfx1030\n");
    EXPECT_EQ(shell("export HIP_VISIBLE_DEVICES=3,0; " + kTool + " exec --chip gfx1100 -- ./devices").out,
              "device 0: gfx1100\n");
}

TEST(Exec, AProgramWithoutCodeForTheDeviceIsToldSoAndUnchecked) {
    const Ran ran = shell(kTool + " exec --chip gfx1201 -- ./devices 0 no-binary");
    EXPECT_EQ(ran.status, 3) << ran.out;
    EXPECT_TRUE(holds(ran.out, "no kernel image is available for execution on the device")) << ran.out;
    EXPECT_TRUE(holds(ran.err, "unchecked: ")) << ran.err;
    EXPECT_TRUE(holds(ran.err, "no entry for gfx1201; it holds hipv4-amdgcn-amd-amdhsa--gfx1030")) << ran.err;
}

TEST(Exec, ReadsCompressedBundlesOfAnotherCompiler) {
    for (const std::string chip : {"gfx1100", "gfx1201"}) {
        const Ran ran = shell(kTool + " exec --chip " + chip + " -- ./compressed");
        EXPECT_EQ(ran.status, 0) << chip << ran.out << ran.err;
        EXPECT_EQ(ran.out, "compressed: 8 values\n");
    }
    const Ran other = shell(kTool + " exec --chip gfx1151 -- ./compressed");
    EXPECT_EQ(other.status, 4);
    EXPECT_EQ(other.out, "compressed: hipErrorNoBinaryForGpu\n");
}

// Of 0, 1, 2, 0, 1, .. every third value is odd.
TEST(Exec, RunsWavesOf64Lanes) {
    for (const std::string chip : {"gfx1100", "gfx1201"}) {
        const Ran ran = shell(kTool + " exec --chip " + chip + " -- ./wave64");
        EXPECT_EQ(ran.status, 0) << chip << ran.out << ran.err;
        EXPECT_EQ(ran.out, "wave64: 333 odd\n");
        EXPECT_TRUE(holds(ran.err, "1 launches, 0 findings; ")) << ran.err;
    }
}

TEST(Exec, WritesTheReportAsJson) {
    const std::string file = testing::TempDir() + "exec_test_report.json";
    fs::remove(file);
    const Ran ran = shell("HKC_SANITIZE_JSON='" + file + "' " + kTool + " exec --chip gfx1030 -- ./out_of_bounds");
    EXPECT_EQ(ran.status, 1);
    const auto text = pm::read_file(file);
    ASSERT_TRUE(text) << text.error().text;
    const auto report = nlohmann::json::parse(*text);
    ASSERT_EQ(report["findings"].size(), 1U);
    EXPECT_EQ(report["findings"][0]["kind"], "out-of-bounds write");
    EXPECT_EQ(report["findings"][0]["count"], 28);
    EXPECT_EQ(report["launches"], 1);
    fs::remove(file);
}

TEST(Exec, IsQuietWhereItIsAskedToBe) {
    const Ran ran = shell("HKC_SANITIZE=0 " + kTool + " exec --chip gfx1030 -- ./out_of_bounds");
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.err, "");
}

TEST(Exec, RefusesWhatItCannotStart) {
    const Ran none = shell(kTool + " exec");
    EXPECT_EQ(none.status, 2);
    const Ran missing = shell(kTool + " exec -- ./no-such-program");
    EXPECT_EQ(missing.status, 2);
    EXPECT_TRUE(holds(missing.err, "./no-such-program: cannot be started: No such file")) << missing.err;
    const Ran chip = shell(kTool + " exec --chip gfx1102 -- ./devices");
    EXPECT_EQ(chip.status, 2);
    EXPECT_TRUE(holds(chip.err, "gfx1102")) << chip.err;
    const Ran library = shell("HKC_EMBEDDED_DEVICE=/no/such.so " + kTool + " exec -- ./devices");
    EXPECT_EQ(library.status, 2);
    EXPECT_TRUE(holds(library.err, "/no/such.so")) << library.err;
}

// Without peacemaker: either variable of the loader alone is enough.
TEST(LoaderVariables, GiveTheProgramTheDevice) {
    for (const std::string setting :
         {"LD_LIBRARY_PATH='" HKC_BINARY_DIR "/lib/hip'", "LD_PRELOAD='" HKC_BINARY_DIR "/lib/libpm_hip.so'"}) {
        const Ran ran = shell("HIP_VISIBLE_DEVICES=0 " + setting + " ./devices 0 5");
        EXPECT_EQ(ran.status, 5) << setting << ran.err;
        EXPECT_EQ(ran.out, "device 0: gfx1030\n");
        EXPECT_EQ(ran.err, "") << "the loader has nothing to say about versions";
    }
}

} // namespace
