// A git repository whose contracts are one kernel, for tests of the tools that compare revisions.
#pragma once

#include "tests/toolchain/scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace contract_repository {

namespace fs = std::filesystem;

inline constexpr const char* kKernel = R"hip(
typedef unsigned short u16;
extern "C" __attribute__((global)) void square(const u16 *v, u16 *out, int count) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 32 + __builtin_amdgcn_workitem_id_x();
    if (i >= count) return;
    const float x = __builtin_bit_cast(float, (unsigned)v[i] << 16);
    const float r = x < 0.0f ? 0.0f : x;
    const unsigned u = __builtin_bit_cast(unsigned, r * r);
    const unsigned rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    out[i] = (u16)(r != r ? (u >> 16) | 0x40u : rounded);
}
)hip";

inline constexpr const char* kRegistration = R"toml(
[family]
name = "square"
source = "square.hip"
flags = ["-O3"]
chips = ["gfx1151"]

[[kernel]]
name = "square"
oracle = "relu2"
match = "bound"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"] },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ block = [32], grid = ["ceildiv(count, 32)"] }]
shape = [{ count = 64, served = true }, { count = 7, ragged = true }]
)toml";

struct Ran {
    int status = -1; // exit status; -1: ended by `signal`
    int signal = 0;
    std::string out; // both streams
};

/// A program that runs; what it prints is read by end().
class Running {
public:
    explicit Running(const std::string& command) {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
        pid_ = fork();
        if (pid_ == 0) {
            (void)dup2(ends[1], STDOUT_FILENO);
            (void)dup2(ends[1], STDERR_FILENO);
            (void)execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
            _exit(127);
        }
        close(ends[1]);
        reader_ = ends[0];
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        if (reader_ >= 0) close(reader_);
    }

    bool alive() const {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
    }
    void signal(int number) const { (void)kill(pid_, number); }
    /// Waits until everyone who can write to its streams is gone.
    Ran end() const {
        Ran ran;
        std::array<char, 4096> chunk{};
        for (ssize_t got = 0; (got = read(reader_, chunk.data(), chunk.size())) > 0;)
            ran.out.append(chunk.data(), static_cast<std::size_t>(got));
        int status = 0;
        (void)waitpid(pid_, &status, 0);
        if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
        return ran;
    }

private:
    pid_t pid_ = -1;
    int reader_ = -1;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ContractRepository : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(folder_.path() / "tmp");
        fs::create_directories(root());
        fs::copy_file(fs::path(HKC_SOURCE_DIR) / "toolchains.toml", root() / "toolchains.toml");
        write_kernel("", "");
        folder_.write("repository/contracts/registry/square.toml", kRegistration);
        git("init -q -b trunk");
    }

    fs::path repository() const { return folder_.path() / "repository"; }
    /// The contracts' root is a folder of the repository, not its top.
    fs::path root() const { return repository() / "contracts"; }

    void write_kernel(const std::string& from, const std::string& to) const {
        std::string kernel = kKernel;
        if (!from.empty()) {
            const std::size_t at = kernel.find(from);
            ASSERT_NE(at, std::string::npos);
            kernel.replace(at, from.size(), to);
        }
        folder_.write("repository/contracts/square.hip", kernel);
    }
    void write_faulty_kernel() const { write_kernel("x < 0.0f ? 0.0f : x", "x"); }

    std::string git(const std::string& arguments) const {
        const Ran ran = Running(fmt::format("env GIT_CONFIG_GLOBAL=/dev/null git -C {} -c user.name=tester -c "
                                            "user.email=tester {}",
                                            repository().string(), arguments))
                            .end();
        EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.out;
        return ran.out;
    }
    void commit(const std::string& tag) const {
        git("add -A -- contracts");
        git("commit -q -m " + tag);
        git("tag " + tag);
    }

    /// What every tool is run with: a temporary folder of the test's own, and no cache but the root's.
    std::string environment() const {
        return fmt::format("env -u HKC_CACHE_DIR TMPDIR={}", (folder_.path() / "tmp").string());
    }
    std::size_t worktree_folders() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder_.path() / "tmp"))
            if (entry.path().filename().string().starts_with("hkc-base-")) ++count;
        return count;
    }
    void expect_nothing_is_left() const {
        EXPECT_EQ(worktree_folders(), 0U);
        const std::string worktrees = git("worktree list");
        EXPECT_EQ(std::count(worktrees.begin(), worktrees.end(), '\n'), 1) << worktrees;
        EXPECT_EQ(git("for-each-ref --format='%(refname)' refs/heads"), "refs/heads/trunk\n");
    }
    std::size_t cached_objects() const {
        std::size_t count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(root() / ".cache/objects"))
            if (entry.is_regular_file()) ++count;
        return count;
    }

    ScratchFolder folder_;
};

} // namespace contract_repository
