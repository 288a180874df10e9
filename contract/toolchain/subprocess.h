// Runs a program without a shell and keeps what it prints.
#pragma once

#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace hkc {

/// `argv[0]` is a path; `environment` is the whole of it, NAME=VALUE; an empty `directory` is the current one.
struct Command {
    std::vector<std::string> argv;
    std::filesystem::path directory;
    std::vector<std::string> environment;
};

/// How a program ended. Of each stream at most the first 16 MiB are kept; all of it is read, so that no program waits
/// for us.
struct Finished {
    int exit_status = 0; // meaningless where `signal` is set
    int signal = 0;      // 0: it exited
    std::string out;
    std::string err;

    bool succeeded() const { return signal == 0 && exit_status == 0; }
    /// `exit status 2` or `killed by signal 9`.
    std::string how() const;
};

/// Waits for the end. Its input is empty. It leads a process group of its own: once this process is interrupted
/// (pm::catch_interrupts), it and what it started are ended, first by SIGTERM, so that they remove their files.
/// Error: it could not be started, and why; or `interrupted`, before it began or before it had ended.
pm::Result<Finished> run(const Command& command);

/// The command as a shell would take it, for messages.
std::string shell_text(const std::vector<std::string>& argv);

} // namespace hkc
