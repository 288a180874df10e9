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
#include <deque>
#include <optional>
#include <set>

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
    const auto done = git(revision.top, {"-c", "core.sparseCheckout=false", "worktree", "add", "--detach", "--force",
                                         folder->string(), revision.commit});
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
    constexpr std::size_t kRandom = 6; // letters that mkdtemp makes
    fs::path folder;
    for (const std::string& line : pm::split(listed->out, '\0')) {
        if (line.starts_with(kKey)) folder = line.substr(kKey.size());
        const std::string name = folder.filename().string();
        // One with a branch, or of a longer name, is the user's own.
        if (line != "detached" || !name.starts_with(kFolderName) || name.size() != kFolderName.size() + kRandom)
            continue;
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
    std::vector<std::string> argv{"/usr/bin/env", "git", "--no-replace-objects", "-C", folder.string()};
    // No setting of the repository may have a change overlooked, or run a program.
    for (const char* setting : {"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.trustctime=true",
                                "core.checkStat=default", "core.ignoreStat=false"})
        argv.insert(argv.end(), {"-c", setting});
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run({argv, {}, compiler_environment()});
}

namespace {

/// The paths that lead to a file, from `top`: each link on the way, then the file itself. Nothing where a link leads
/// out of `top`, or names a folder of this machine.
std::optional<std::vector<std::string>> steps_to(const fs::path& top, const fs::path& file) {
    constexpr std::size_t kMostLinks = 40;
    std::vector<std::string> steps;
    std::deque<fs::path> rest(file.begin(), file.end());
    fs::path at; // from `top`
    while (!rest.empty()) {
        const fs::path next = (at / rest.front()).lexically_normal();
        rest.pop_front();
        if (!next.empty() && *next.begin() == "..") return std::nullopt;
        std::error_code error;
        if (!fs::is_symlink(top / next, error)) {
            at = next;
            continue;
        }
        steps.push_back(next.generic_string());
        const fs::path target = fs::read_symlink(top / next, error);
        if (error || target.is_absolute() || steps.size() > kMostLinks) return std::nullopt;
        rest.insert(rest.begin(), target.begin(), target.end());
    }
    steps.push_back(at.generic_string());
    return steps;
}

/// Of the files of `inputs` (from `root`) that are there, those that the commit cannot hold: themselves, or a link on
/// the way to them, are not tracked. From the checkout's top. Submodules track their own.
std::vector<std::string> untracked_inputs(const fs::path& root, const std::vector<std::string>& inputs) {
    if (inputs.empty()) return {};
    const auto told = git(root, {"rev-parse", "--show-toplevel"});
    std::error_code error;
    const fs::path top = told && told->succeeded() ? fs::canonical(trimmed(told->out), error) : fs::path();
    const fs::path from = error ? fs::path() : fs::canonical(root, error);
    if (error || top.empty()) return {"(git rev-parse failed)"};
    if (!lies_in(from, top)) return {"(git's working tree is another folder)"};
    const auto listed = git(top, {"ls-files", "--recurse-submodules", "-z"});
    if (!listed || !listed->succeeded()) return {"(git ls-files failed)"};
    const std::vector<std::string> lines = pm::split(listed->out, '\0');
    const std::set<std::string> tracked(lines.begin(), lines.end());
    std::vector<std::string> untracked;
    for (const std::string& input : inputs) {
        if (!fs::exists(fs::symlink_status(from / input, error))) continue;
        const fs::path file = (from.lexically_relative(top) / input).lexically_normal();
        const auto steps = steps_to(top, file);
        if (!steps) untracked.push_back(file.generic_string() + " (a link out of the checkout)");
        if (steps)
            for (const std::string& step : *steps)
                if (!tracked.contains(step)) untracked.push_back(step);
    }
    return untracked;
}

} // namespace

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
                               "--ignore-submodules=untracked", "--no-renames"});
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
    for (std::string& path : untracked_inputs(root, inputs)) checkout.dirty.push_back(std::move(path));
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
