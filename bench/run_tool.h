// A program of the tree, run to its end as a user would.
#pragma once

#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace bench {

/// Runs build/bin/`program` and waits for it; its exit status, or -1.
inline int run_tool(const std::string& program, const std::vector<std::string>& options) {
    std::vector<std::string> words{std::string(HKC_BINARY_DIR) + "/bin/" + program};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

} // namespace bench
