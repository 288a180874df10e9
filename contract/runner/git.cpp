#include "contract/runner/git.h"

#include "contract/toolchain/toolchain.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hkc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderName = "hkc-base-"; // of a worktree, before its random part

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

std::string what_git_said(const Finished& done) {
    const std::string said = trimmed(done.err);
    return said.empty() ? fmt::format("git ended with {}", done.how()) : said;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path from = path.lexically_relative(folder);
    return !from.empty() && *from.begin() != "..";
}

pm::Result<fs::path> make_folder_outside(const fs::path& top) {
    std::error_code ec;
    const fs::path parent = fs::canonical(fs::temp_directory_path(ec), ec);
    if (ec) return pm::Error{fmt::format("no temporary folder: {}; TMPDIR names one", ec.message())};
    if (lies_in(parent, top))
        return pm::Error{fmt::format("the temporary folder {} lies in the checkout {}; TMPDIR must name one outside",
                                     parent.string(), top.string())};
    std::string name = (parent / (std::string(kFolderName) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
        return pm::Error{fmt::format("cannot make {}: {}; TMPDIR names another place", name, std::strerror(errno))};
    return fs::path(name);
}

/// Removes the worktree and what git knows of it. Forced twice: git may have left it locked.
bool remove_worktree(const fs::path& top, const fs::path& folder) {
    const auto remove = [&] {
        const auto done = git(top, {"worktree", "remove", "--force", "--force", folder.string()});
        return done && done->succeeded();
    };
    const bool known = remove();
    std::error_code ec;
    fs::remove_all(folder, ec);
    if (ec) {
        fmt::print(stderr, "hip-kernel-contract: cannot remove {}: {}\n", folder.string(), ec.message());
        return false;
    }
    return known || remove();
}

/// Locks the folder for as long as this process lives: what is not locked has no keeper any more. -1: not possible.
int lock_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    ::close(descriptor);
    return -1;
}

/// Locked, so that no other run takes the folder for one that was left.
pm::Result<fs::path> add_worktree(const Revision& revision) {
    auto folder = make_folder_outside(revision.top);
    if (!folder) return folder;
    (void)lock_folder(*folder);
    const auto done = git(revision.top, {"worktree", "add", "--detach", "--force", folder->string(), revision.commit});
    if (done && done->succeeded()) return folder;
    (void)remove_worktree(revision.top, *folder);
    return pm::Error{fmt::format("git worktree add of {} in {}: {}", revision.commit, folder->string(),
                                 done ? what_git_said(*done) : done.error().text)};
}

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(descriptor, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string read_to_end(int descriptor) {
    std::string text;
    std::array<char, 4096> chunk{};
    while (true) {
        const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

constexpr char kMade = '+', kNotMade = '-'; // head the keeper's answer: a path, or an error's text

/// Removes the worktrees of runs whose keeper was killed, too.
void remove_left_worktrees(const fs::path& top) {
    const auto listed = git(top, {"worktree", "list", "--porcelain", "-z"});
    if (!listed || !listed->succeeded()) return;
    constexpr std::string_view kKey = "worktree ";
    for (const std::string& line : pm::split(listed->out, '\0')) {
        if (!line.starts_with(kKey)) continue;
        const fs::path folder = line.substr(kKey.size());
        if (!folder.filename().string().starts_with(kFolderName)) continue;
        std::error_code ignored;
        const int lock = lock_folder(folder);
        if (lock >= 0 || !fs::exists(folder, ignored)) (void)remove_worktree(top, folder);
        if (lock >= 0) ::close(lock);
    }
}

/// The keeper's whole life: it makes the folder, so that a signal to its parent cannot come between, and removes it
/// when nobody holds the other end of `life` any longer.
[[noreturn]] void be_keeper(const Revision& revision, int answer, int life) {
    (void)::setsid();
    pm::leave_interrupts_to_parent(); // or it could not run git any more
    for (const int number : {SIGHUP, SIGQUIT, SIGPIPE}) (void)std::signal(number, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, nullptr);

    remove_left_worktrees(revision.top);
    const auto folder = add_worktree(revision);
    write_all(answer, folder ? kMade + folder->string() : kNotMade + folder.error().text);
    ::close(answer);
    if (!folder) ::_exit(0);
    (void)read_to_end(life);
    ::_exit(remove_worktree(revision.top, *folder) ? 0 : 1);
}

} // namespace

pm::Result<Finished> git(const fs::path& folder, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{"/usr/bin/env", "git", "-c", "core.hooksPath=/dev/null", "-C", folder.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run({argv, {}, compiler_environment()});
}

Checkout checkout_of(const fs::path& root, const std::vector<std::string>& inputs) {
    const auto said = [&](const std::vector<std::string>& arguments) -> std::optional<std::string> {
        auto done = git(root, arguments);
        if (!done || !done->succeeded()) return std::nullopt;
        return std::move(done->out);
    };
    Checkout checkout;
    const auto commit = said({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
    if (!commit) return checkout;
    checkout.commit = trimmed(*commit);
    const auto changed = said({"-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=no",
                               "--ignore-submodules=none", "--no-renames"});
    // What cannot be asked is not clean.
    const auto prefix = said({"rev-parse", "--show-prefix"}); // of the root in the checkout
    if (!changed || !prefix) {
        checkout.dirty.emplace_back("(git status failed)");
        return checkout;
    }
    const std::string folder = trimmed(*prefix), cache = folder + ".cache/";
    const auto counts = [&](std::string path) {
        if (path.size() > 1 && path.front() == '"') path = path.substr(1, path.size() - 2); // git quotes blanks
        return !path.starts_with(cache) ||
               std::find(inputs.begin(), inputs.end(), path.substr(folder.size())) != inputs.end();
    };
    constexpr std::size_t kMarks = 3; // two letters and a space before each path
    for (const std::string& line : pm::split(*changed, '\n'))
        if (line.size() > kMarks && counts(line.substr(kMarks))) checkout.dirty.push_back(line.substr(kMarks));
    std::vector<std::string> list{"--literal-pathspecs", "ls-files", "--others", "--full-name", "-z", "--"};
    list.insert(list.end(), inputs.begin(), inputs.end());
    const auto untracked = inputs.empty() ? std::optional<std::string>("") : said(list);
    if (!untracked) checkout.dirty.emplace_back("(git ls-files failed)");
    if (untracked)
        for (std::string& path : pm::split(*untracked, '\0'))
            if (!path.empty()) checkout.dirty.push_back(std::move(path));
    // What git is told to take as unchanged is not compared at all: lower case, or S.
    const auto marked = said({"ls-files", "-v", "--full-name", "-z", ":/"});
    if (!marked) checkout.dirty.emplace_back("(git ls-files -v failed)");
    if (marked)
        for (const std::string& line : pm::split(*marked, '\0'))
            if (line.size() > 2 && (line.front() == 'S' || (line.front() >= 'a' && line.front() <= 'z')) &&
                counts(line.substr(2)))
                checkout.dirty.push_back(line.substr(2));
    std::sort(checkout.dirty.begin(), checkout.dirty.end());
    checkout.dirty.erase(std::unique(checkout.dirty.begin(), checkout.dirty.end()), checkout.dirty.end());
    return checkout;
}

pm::Result<Revision> find_revision(const fs::path& root, const std::string& name) {
    const auto told = git(root, {"rev-parse", "--is-shallow-repository", "--show-toplevel", "--show-prefix"});
    if (!told) return pm::Error{fmt::format("--base {}: {}", name, told.error().text)};
    if (!told->succeeded())
        return pm::Error{fmt::format("--base {}: {} is in no git checkout that can be used: {}", name,
                                     fs::absolute(root).lexically_normal().string(), what_git_said(*told))};
    const std::vector<std::string> lines = pm::split(told->out, '\n');
    const bool shallow = !lines.empty() && lines[0] == "true";
    Revision revision;
    revision.name = name;
    if (lines.size() > 1) revision.top = lines[1];
    if (lines.size() > 2) revision.root = lines[2];

    const bool sane = !name.empty() && name.front() != '-';
    const auto found = sane ? git(root, {"rev-parse", "--verify", "--quiet", name + "^{commit}"})
                            : pm::Result<Finished>(pm::Error{""});
    if (found && found->succeeded()) {
        revision.commit = trimmed(found->out);
        // A hash in full is taken at its word; whether the commit is there is another question.
        const auto there = git(root, {"cat-file", "-e", revision.commit + "^{commit}"});
        if (there && there->succeeded()) return revision;
    }
    return pm::Error{fmt::format(
        "--base \"{}\": no such commit in {}; expected a branch, a tag or a commit{}", name, revision.top.string(),
        shallow ? ". This is a shallow clone, which may lack it; git fetch --unshallow gets the rest" : "")};
}

pm::Result<Worktree> Worktree::create(const Revision& revision) {
    std::array<int, 2> life{}, answer{};
    if (::pipe2(life.data(), O_CLOEXEC) != 0) return pm::Error{fmt::format("pipe: {}", std::strerror(errno))};
    if (::pipe2(answer.data(), O_CLOEXEC) != 0) {
        const std::string why = std::strerror(errno);
        ::close(life[0]);
        ::close(life[1]);
        return pm::Error{fmt::format("pipe: {}", why)};
    }
    (void)std::fflush(nullptr);
    // No signal may reach the keeper before it ignores it.
    sigset_t all, before;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t keeper = ::fork();
    if (keeper == 0) {
        ::close(life[1]);
        ::close(answer[0]);
        be_keeper(revision, answer[1], life[0]);
    }
    const int error = errno;
    (void)sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(life[0]);
    ::close(answer[1]);
    const std::string said = keeper > 0 ? read_to_end(answer[0]) : "";
    ::close(answer[0]);
    if (keeper > 0 && !said.empty() && said.front() == kMade) return Worktree(said.substr(1), life[1], keeper);
    ::close(life[1]);
    if (keeper < 0) return pm::Error{fmt::format("fork: {}", std::strerror(error))};
    while (::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    return pm::Error{said.empty() ? "the process that makes the worktree ended without an answer" : said.substr(1)};
}

Worktree::Worktree(Worktree&& other) noexcept
    : path_(std::move(other.path_)), life_(std::exchange(other.life_, -1)), keeper_(std::exchange(other.keeper_, -1)) {}

Worktree::~Worktree() {
    if (keeper_ < 0) return;
    ::close(life_);
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace hkc
