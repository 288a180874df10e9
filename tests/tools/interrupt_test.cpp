// Ctrl-C while the tools work: what is finished is told, nothing runs on, and no file is left half written. Each test
// waits until the work that it interrupts says through a FIFO that it has begun, and that work never ends by itself.

#include "contract/toolchain/toolchain.h"
#include "tests/toolchain/scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// Processes of a session that still hold a file: one that is ending has closed all of its own.
std::vector<std::string> processes_of_session(pid_t session) {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
        const std::string pid = entry.path().filename();
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        std::string stat; // empty where the process has gone meanwhile
        std::ifstream file(entry.path() / "stat");
        std::getline(file, stat, '\0');
        const std::size_t name_end = stat.rfind(')');
        if (name_end == std::string::npos) continue;
        std::istringstream rest(stat.substr(name_end + 1));
        std::string state;
        pid_t parent = 0, group = 0, its_session = 0;
        rest >> state >> parent >> group >> its_session;
        std::error_code gone;
        const fs::directory_iterator files(entry.path() / "fd", gone);
        if (its_session == session && !gone && files != fs::directory_iterator()) found.push_back(stat);
    }
    return found;
}

/// A shell command that runs in a session of its own, so that all it starts can be found.
class Started {
public:
    /// With `terminal`, its stderr is one.
    Started(const fs::path& folder, const std::string& command, bool terminal = false) {
        std::array<int, 2> out{}, err{};
        (void)!pipe2(out.data(), O_CLOEXEC);
        if (terminal) {
            err[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
            (void)grantpt(err[0]);
            (void)unlockpt(err[0]);
            err[1] = open(ptsname(err[0]), O_RDWR | O_NOCTTY | O_CLOEXEC); // NOLINT(concurrency-mt-unsafe)
        } else {
            (void)!pipe2(err.data(), O_CLOEXEC);
        }
        pid_ = fork();
        if (pid_ == 0) {
            (void)setsid();
            for (const int number : {SIGINT, SIGTERM}) (void)std::signal(number, SIG_DFL);
            (void)!chdir(folder.c_str());
            (void)dup2(out[1], STDOUT_FILENO);
            (void)dup2(err[1], STDERR_FILENO);
            (void)execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
            _exit(127);
        }
        close(out[1]);
        close(err[1]);
        out_ = out[0];
        err_ = err[0];
    }
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
    ~Started() {
        // What a failed test leaves.
        for (const std::string& stat : processes_of_session(pid_)) (void)kill(std::stoi(stat), SIGKILL);
    }

    [[nodiscard]] pid_t pid() const { return pid_; }

    /// Waits for its end; the streams are in `out` and `err`, the exit status (128 and a signal's number) is returned.
    int end() {
        std::array<pollfd, 2> open{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
        const std::array<std::string*, 2> kept{&out, &err};
        std::array<char, 4096> chunk{};
        while (open[0].fd >= 0 || open[1].fd >= 0) {
            if (poll(open.data(), open.size(), -1) < 0) continue;
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (open[i].revents == 0) continue;
                const ssize_t got = read(open[i].fd, chunk.data(), chunk.size());
                if (got > 0) {
                    kept[i]->append(chunk.data(), static_cast<std::size_t>(got));
                    continue;
                }
                close(open[i].fd);
                open[i].fd = -1;
            }
        }
        int status = 0;
        (void)waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    std::string out, err;

private:
    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
};

/// Two kernels in a family each, the second for workgroups of 64; the compiler is the pinned one behind a script.
class Interrupt : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(mkfifo(fifo().c_str(), 0600), 0);
        write_compiler();
        folder_.write("toolchains.toml", fmt::format("[[toolchain]]\nname = \"clang-22\"\nkind = \"clang\"\n"
                                                     "version = \"22.1.8\"\npinned = true\ncompilers = [\"{}\"]\n",
                                                     (root() / "compiler").string()));
        for (const auto& [name, block] : {std::pair{"first", 32}, {"second", 64}}) {
            folder_.write(fmt::format("registry/{}.toml", name), fmt::format(R"toml(
[family]
name = "{0}"
source = "{0}.hip"
flags = ["-O2"]
chips = ["gfx1151"]

[[kernel]]
name = "{0}"
oracle = "relu2"
match = "bound"
arg = [
    {{ name = "v", dir = "in", type = "activation", dims = ["count"] }},
    {{ name = "out", dir = "out", type = "activation", dims = ["count"] }},
    {{ name = "count", type = "i32" }},
]
launch = [{{ block = [{1}], grid = ["ceildiv(count, {1})"] }}]
shape = [{{ count = 256, served = true }}, {{ count = 7, ragged = true }}]
)toml",
                                                                             name, block));
            folder_.write(fmt::format("{}.hip", name), fmt::format(R"hip(
typedef unsigned short u16;
extern "C" __attribute__((global)) void {0}(const u16 *v, u16 *out, int count) {{
    const int i = __builtin_amdgcn_workgroup_id_x() * {1} + __builtin_amdgcn_workitem_id_x();
    if (i >= count) return;
    const float x = __builtin_bit_cast(float, (unsigned)v[i] << 16);
    const float r = x < 0.0f ? 0.0f : x;
    const unsigned u = __builtin_bit_cast(unsigned, r * r);
    const unsigned rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    out[i] = (u16)(r != r ? (u >> 16) | 0x40u : rounded);
}}
)hip",
                                                                   name, block));
        }
    }

    [[nodiscard]] const fs::path& root() const { return folder_.path(); }
    [[nodiscard]] fs::path fifo() const { return root() / "fifo"; }

    /// The pinned compiler behind a script, which logs the sources that it is called for. Where there is a file `hang`,
    /// second.hip is never done: the script does what the file says, tells the FIFO, and waits in a process of its own.
    void write_compiler() const {
        folder_.write_script("compiler", fmt::format(R"([ "$1" = --version ] && exec clang++-22 --version
for word; do
    case $word in first.hip | second.hip) source=$word ;; esac
done
echo "$source" >> '{0}/compiled'
if [ "$source" = second.hip ] && [ -e '{0}/hang' ]; then
    . '{0}/hang'
    echo compiling > '{0}/fifo'
    sleep 1000000
    exit 1
fi
exec clang++-22 "$@"
)",
                                                     root().string()));
    }
    void hang_on_second(const std::string& before = "") const { folder_.write("hang", before + "\n"); }
    void hang_no_more() const { fs::remove(root() / "hang"); }
    [[nodiscard]] std::string tool(const std::string& name, const std::string& options) const {
        return fmt::format("env HKC_CACHE_DIR='{}' HKC_TEST_FIFO='{}' '{}/bin/{}' --root . {}",
                           (root() / "cache").string(), fifo().string(), HKC_BINARY_DIR, name, options);
    }
    [[nodiscard]] std::string blocked_contract(const std::string& options) const {
        return fmt::format("env HKC_EMBEDDED_DEVICE='{}/lib/libblocking_device.so' {}", HKC_BINARY_DIR,
                           tool("hip-kernel-contract", "--device embedded --jobs 1 " + options));
    }
    /// Waits until the work says that it has begun.
    void await() const {
        std::ifstream told(fifo());
        std::string line;
        ASSERT_TRUE(std::getline(told, line));
    }
    void expect_nothing_left(const Started& tool) const {
        EXPECT_EQ(processes_of_session(tool.pid()), std::vector<std::string>());
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root())) {
            const std::string name = entry.path().filename();
            EXPECT_FALSE(name.ends_with(".tmp")) << entry.path();
            EXPECT_NE(entry.path().parent_path(), root() / "cache/work") << entry.path();
        }
    }
    static void expect_part(const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
    }
    static void expect_no_part(const std::string& text, const std::string& part) {
        EXPECT_EQ(text.find(part), std::string::npos) << part << " in: " << text;
    }
    /// The whole run, after the one that was interrupted, with the same caches.
    void expect_whole_run() const {
        Started again(root(), tool("hip-kernel-contract", "--device embedded --gates 1-4"));
        EXPECT_EQ(again.end(), 0) << again.out << again.err;
        expect_part(again.out, "SUMMARY gfx1151 2 kernels: 2 pass gates 1-4, 0 fail");
    }

    ScratchFolder folder_;
};

class BySignal : public Interrupt, public testing::WithParamInterface<int> {};

TEST_P(BySignal, RunnerTellsWhatIsFinishedAndWhatIsNot) {
    Started tool(root(), blocked_contract("--gates 1-4 --allow-unchecked --json report.json"));
    await();
    ASSERT_EQ(kill(tool.pid(), GetParam()), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    expect_part(tool.out, "unchecked gfx1151 second gates 1-4: interrupted\n");
    expect_no_part(tool.out, "gfx1151 first");
    expect_part(tool.out, "SUMMARY gfx1151 2 kernels: 1 pass gates 1-4, 0 fail, 0 known findings, 1 unchecked;");
    expect_nothing_left(tool);
    // No report of a part is one that a merge or a receipt takes for a pass.
    const auto report = nlohmann::json::parse(text_of_file(root() / "report.json"));
    EXPECT_EQ(report.at("exit_status"), 1);
    EXPECT_EQ(report.at("kernels").at(0).at("status"), "pass");
    EXPECT_EQ(report.at("kernels").at(1).at("status"), "unchecked");
    expect_whole_run();
}

TEST_P(BySignal, LimitsTellsWhatIsFinishedAndWhatIsNot) {
    hang_on_second();
    Started tool(root(), this->tool("hip-kernel-contract-limits", "--jobs 1 --records all --allow-unchecked"));
    await();
    ASSERT_EQ(kill(tool.pid(), GetParam()), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    expect_part(tool.out, "gfx1151 second: interrupted\n");
    expect_no_part(tool.out, "gfx1151 first: interrupted");
    expect_no_part(tool.out, "RECORD");
    expect_nothing_left(tool);
    hang_no_more();
    expect_whole_run();
}

INSTANTIATE_TEST_SUITE_P(Signals, BySignal, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "SIGINT" : "SIGTERM"; });

TEST_F(Interrupt, OfTheWholeGroupAsATerminalSendsItIsTheSame) {
    Started tool(root(), blocked_contract("--gates 1-4"));
    await();
    ASSERT_EQ(kill(-tool.pid(), SIGINT), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    expect_part(tool.out, "unchecked gfx1151 second gates 1-4: interrupted\n");
    expect_no_part(tool.out + tool.err, "crash");
    expect_nothing_left(tool);
}

TEST_F(Interrupt, WhileTheRunnerCompilesLeavesAllUnchecked) {
    hang_on_second();
    Started tool(root(), this->tool("hip-kernel-contract", "--device embedded --jobs 1"));
    await();
    ASSERT_EQ(kill(tool.pid(), SIGINT), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    for (const std::string name : {"first", "second"})
        expect_part(tool.out, fmt::format("unchecked gfx1151 {} gates 1-5: interrupted\n", name));
    expect_part(tool.out, "SUMMARY gfx1151 2 kernels: 0 pass gates 1-4, 0 fail");
    expect_nothing_left(tool);
    hang_no_more();
    expect_whole_run();
    // What was compiled is not compiled again.
    EXPECT_EQ(text_of_file(root() / "compiled"), "first.hip\nsecond.hip\nsecond.hip\n");
}

TEST_F(Interrupt, EndsACompilerThatIgnoresIt) {
    hang_on_second("trap '' TERM INT");
    Started tool(root(), this->tool("hip-kernel-contract-limits", "--jobs 1"));
    await();
    ASSERT_EQ(kill(tool.pid(), SIGINT), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    expect_nothing_left(tool);
}

TEST_F(Interrupt, LeavesNoReceipt) {
    Started git(root(), "sh -c 'git init -q && git add registry toolchains.toml compiler *.hip && "
                        "git -c user.name=a -c user.email=a@b commit -q -m first'");
    ASSERT_EQ(git.end(), 0) << git.err;
    Started tool(root(), fmt::format("env HKC_EMBEDDED_DEVICE='{}/lib/libblocking_device.so' {}", HKC_BINARY_DIR,
                                     this->tool("hip-kernel-contract-receipt",
                                                "--base HEAD --device embedded --jobs 1 --allow-unchecked")));
    await();
    ASSERT_EQ(kill(tool.pid(), SIGINT), 0);
    EXPECT_EQ(tool.end(), 130) << tool.out << tool.err;
    expect_part(tool.err, "interrupted: no receipt was written");
    EXPECT_FALSE(fs::exists(root() / "receipt.json"));
    EXPECT_FALSE(fs::exists(root() / "receipt.md"));
    EXPECT_FALSE(fs::exists(root() / "cache/base"));
    expect_nothing_left(tool);
}

TEST_F(Interrupt, ProgressIsOneLineOfATerminal) {
    Started on_terminal(root(), tool("hip-kernel-contract-limits", "--jobs 1 --allow-unchecked"), true);
    EXPECT_EQ(on_terminal.end(), 0) << on_terminal.out << on_terminal.err;
    expect_part(on_terminal.err, "\r\x1b[Kcompiling 1 of 2\r\x1b[Kcompiling 2 of 2\r\x1b[K");
    expect_no_part(on_terminal.out, "compiling");
    Started in_pipe(root(), tool("hip-kernel-contract-limits", "--jobs 1 --allow-unchecked"));
    EXPECT_EQ(in_pipe.end(), 0);
    expect_no_part(in_pipe.err, "compiling");

    Started running(root(), tool("hip-kernel-contract", "--device embedded --gates 1-4"), true);
    EXPECT_EQ(running.end(), 0) << running.out << running.err;
    expect_part(running.err, "\r\x1b[Krunning 2 of 2\r\x1b[K");
}

} // namespace
