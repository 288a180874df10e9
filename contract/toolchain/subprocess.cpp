#include "contract/toolchain/subprocess.h"

#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace hkc {
namespace {

constexpr std::size_t kKept = std::size_t{16} << 20; // bytes of each stream
constexpr int kGraceMs = 2000;                       // from SIGTERM to SIGKILL

std::string reason(int error) { return std::generic_category().message(error); }

/// Both ends of a pipe; each is closed once.
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] bool is_open() const { return ends_[0] >= 0; }
    [[nodiscard]] int reader() const { return ends_[0]; }
    [[nodiscard]] int writer() const { return ends_[1]; }
    void close_writer() { close_end(1); }

private:
    void close_end(std::size_t i) {
        if (ends_[i] >= 0) ::close(ends_[i]);
        ends_[i] = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

/// What posix_spawn is to do in the child.
class SpawnPlan {
public:
    SpawnPlan() {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
    }
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    int prepare(const Pipe& out, const Pipe& err, const std::filesystem::path& directory) {
        // A caller's blocked or ignored signals are not the compiler's affair.
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes_, 0);
        if (!directory.empty())
            if (const int error = posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str())) return error;
        if (const int error = posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
            return error;
        if (const int error = posix_spawn_file_actions_adddup2(&actions_, out.writer(), STDOUT_FILENO)) return error;
        return posix_spawn_file_actions_adddup2(&actions_, err.writer(), STDERR_FILENO);
    }

    posix_spawn_file_actions_t* actions() { return &actions_; }
    posix_spawnattr_t* attributes() { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    // posix_spawn takes char* const[] for the sake of old callers; it writes none of them.
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

/// Reads both pipes to their ends, whichever has something. Both end with the last process that `child` started; an
/// interrupt ends its group.
void drain(const Pipe& out, const Pipe& err, pid_t child, Finished& finished) {
    std::array<pollfd, 3> waiting{
        {{out.reader(), POLLIN, 0}, {err.reader(), POLLIN, 0}, {pm::interrupt_descriptor(), POLLIN, 0}}};
    const std::array<std::string*, 2> kept{&finished.out, &finished.err};
    std::array<char, 65536> buffer{};
    std::size_t open = kept.size();
    int wait_ms = -1;
    while (open > 0) {
        const int ready = ::poll(waiting.data(), waiting.size(), wait_ms);
        if (ready < 0) {
            if (errno == EINTR) continue;
            return;
        }
        if (ready == 0) {
            (void)::kill(-child, SIGKILL);
            wait_ms = -1;
            continue;
        }
        if (waiting.back().revents != 0) {
            (void)::kill(-child, SIGTERM);
            waiting.back() = {-1, 0, 0};
            wait_ms = kGraceMs;
        }
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            const ssize_t n = ::read(waiting[i].fd, buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) {
                waiting[i].fd = -1;
                --open;
                continue;
            }
            const std::size_t room = kKept - kept[i]->size();
            kept[i]->append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
        }
    }
}

} // namespace

std::string Finished::how() const {
    return signal != 0 ? fmt::format("killed by signal {}", signal) : fmt::format("exit status {}", exit_status);
}

pm::Result<Finished> run(const Command& command) {
    const auto interrupted = [&command] {
        return pm::Error{fmt::format("{}: {}", command.argv.front(), pm::kInterrupted)};
    };
    if (pm::interrupted()) return interrupted();
    Pipe out;
    Pipe err;
    if (!out.is_open() || !err.is_open())
        return pm::Error{fmt::format("{}: cannot make a pipe: {}", command.argv.front(), reason(errno))};
    SpawnPlan plan;
    if (const int error = plan.prepare(out, err, command.directory))
        return pm::Error{fmt::format("{}: cannot prepare to start it: {}", command.argv.front(), reason(error))};

    const std::vector<char*> argv = pointers(command.argv);
    const std::vector<char*> environment = pointers(command.environment);
    pid_t child = -1;
    if (const int error = posix_spawn(&child, command.argv.front().c_str(), plan.actions(), plan.attributes(),
                                      argv.data(), environment.data()))
        return pm::Error{fmt::format("{}: cannot start it{}: {}", command.argv.front(),
                                     command.directory.empty() ? "" : " in " + command.directory.string(),
                                     reason(error))};
    out.close_writer();
    err.close_writer();

    Finished finished;
    drain(out, err, child, finished);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return pm::Error{fmt::format("{}: lost it: {}", command.argv.front(), reason(errno))};
    // What it did until then is half of something, however it ended.
    if (pm::interrupted()) return interrupted();
    if (WIFSIGNALED(status))
        finished.signal = WTERMSIG(status);
    else
        finished.exit_status = WEXITSTATUS(status);
    return finished;
}

std::string shell_text(const std::vector<std::string>& argv) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    std::string text;
    for (const std::string& word : argv) {
        if (!text.empty()) text += ' ';
        const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
        text += plain ? word : pm::shell_quoted(word);
    }
    return text;
}

} // namespace hkc
