// `peacemaker` as a user runs it, in a folder of the test's own.
#pragma once

#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <sys/wait.h>

namespace pm::testing {

struct Ran {
    int status = -1;
    std::string out, errors;
};

class PeacemakerTool : public ::testing::Test {
protected:
    /// Writes a file; its path.
    std::string file(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder_.path(name), std::ios::binary) << bytes;
        return folder_.path(name);
    }
    Ran peacemaker(const std::string& arguments) const {
        const std::string command = std::string(HKC_BINARY_DIR "/bin/peacemaker ") + arguments + " >" +
                                    folder_.path("out") + " 2>" + folder_.path("err");
        const int status = std::system(command.c_str());
        const auto out = read_file(folder_.path("out")), errors = read_file(folder_.path("err"));
        return {WEXITSTATUS(status), out ? *out : "", errors ? *errors : ""};
    }
    Folder folder_;
};

} // namespace pm::testing
