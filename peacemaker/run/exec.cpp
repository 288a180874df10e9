#include "peacemaker/run/exec.h"

#include "peacemaker/chip/chip.h"
#include "peacemaker/emu/budget.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pm {
namespace {

namespace fs = std::filesystem;

/// An empty file that goes away with this.
class StatusFile {
public:
    StatusFile() : path_((fs::temp_directory_path() / "peacemaker_exec_XXXXXX").string()) {
        const int file = ::mkstemp(path_.data());
        if (file < 0)
            path_.clear();
        else
            ::close(file);
    }
    ~StatusFile() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    StatusFile(const StatusFile&) = delete;
    StatusFile& operator=(const StatusFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// This process's environment with some variables set anew.
class Environment {
public:
    Environment() {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            const std::size_t equals = text.find('=');
            if (equals != std::string_view::npos) values_.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
    void set_default(const std::string& name, std::string value) { values_.emplace(name, std::move(value)); }
    /// Puts `value` before what a list variable has.
    void prepend(const std::string& name, const std::string& value) {
        std::string& list = values_[name];
        list = list.empty() ? value : value + ":" + list;
    }
    [[nodiscard]] std::vector<std::string> entries() const {
        std::vector<std::string> out;
        for (const auto& [name, value] : values_) out.push_back(fmt::format("{}={}", name, value));
        return out;
    }

private:
    std::map<std::string, std::string> values_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// While the program runs, the terminal's signals are its own; its status says what came of them.
class IgnoredSignals {
public:
    IgnoredSignals() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
    ~IgnoredSignals() {
        std::signal(SIGINT, interrupt_);
        std::signal(SIGQUIT, quit_);
    }
    IgnoredSignals(const IgnoredSignals&) = delete;
    IgnoredSignals& operator=(const IgnoredSignals&) = delete;

private:
    void (*interrupt_)(int);
    void (*quit_)(int);
};

Result<pid_t> spawn(std::vector<std::string> command, std::vector<std::string> environment) {
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, command.front().c_str(), nullptr, &attributes, pointers(command).data(),
                                     pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) return Error{fmt::format("{}: cannot be started: {}", command.front(), std::strerror(error))};
    return child;
}

/// HIP_VISIBLE_DEVICES that shows one chip.
Result<std::string> ordinal_of(const std::string& name) {
    const auto chip = find_chip(name);
    if (!chip) return chip.error();
    return std::to_string(*chip - chips().data());
}

} // namespace

Result<ExecResult> exec_program(const ExecRequest& request) {
    if (request.command.empty()) return Error{"no program to run"};
    if (const auto budget = emu::instruction_budget(std::getenv(emu::kMaxInstructionsVariable)); !budget)
        return budget.error();
    std::error_code failure;
    const fs::path library = fs::canonical(request.library, failure);
    if (failure) return Error{fmt::format("{}: no such library; expected the embedded device's", request.library)};
    if (library.string().find_first_of(":;") != std::string::npos)
        return Error{fmt::format("{}: the loader cannot be told of a path with : or ;", library.string())};
    const StatusFile status;
    if (status.path().empty()) return Error{"no file for the program's status can be made in the temporary folder"};

    Environment environment;
    // LD_PRELOAD takes no path with a space; the other variable is enough for most programs.
    if (library.string().find(' ') == std::string::npos) environment.prepend("LD_PRELOAD", library.string());
    environment.prepend("LD_LIBRARY_PATH", (library.parent_path() / "hip").string());
    environment.set_default(kSanitizeVariable, "1");
    environment.set(kExecStatusVariable, status.path());
    if (!request.chip.empty()) {
        auto ordinal = ordinal_of(request.chip);
        if (!ordinal) return ordinal.error();
        environment.set("HIP_VISIBLE_DEVICES", std::move(*ordinal));
    }

    const IgnoredSignals ignored;
    const auto child = spawn(request.command, environment.entries());
    if (!child) return child.error();
    int ended = 0;
    while (::waitpid(*child, &ended, 0) < 0)
        if (errno != EINTR) return Error{fmt::format("{}: waiting for it failed", request.command.front())};

    const auto letters = read_file(status.path());
    if (!letters) return letters.error();
    const auto happened = [&](ExecEvent event) { return letters->find(static_cast<char>(event)) != std::string::npos; };
    ExecResult result;
    result.signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    result.status = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(ended);
    result.loaded = happened(ExecEvent::kLoaded);
    result.findings = happened(ExecEvent::kFinding);
    result.unchecked = happened(ExecEvent::kUnchecked);
    return result;
}

} // namespace pm
