// Commands of the package's tests, and the tree as `cmake --install` leaves it.
#pragma once

#include "contract/toolchain/subprocess.h"
#include "contract/toolchain/toolchain.h"
#include "tests/toolchain/scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hkc::package {

/// Runs a shell command in `folder`, which is also the home; what it prints to either stream is `out`.
inline Finished run_in(const std::filesystem::path& folder, const std::string& script) {
    std::vector<std::string> environment;
    for (const std::string& entry : compiler_environment())
        if (!entry.starts_with("HOME=")) environment.push_back(entry);
    environment.push_back("HOME=" + folder.string());
    auto done = run({{"/bin/sh", "-c", "exec 2>&1; set -e; " + script}, folder, environment});
    if (!done) {
        ADD_FAILURE() << done.error().text;
        return {};
    }
    return std::move(*done);
}

/// Exit status, and parts of what was printed.
inline void expect(const Finished& done, int status, const std::vector<std::string>& parts = {}) {
    EXPECT_EQ(done.signal, 0) << done.out;
    EXPECT_EQ(done.exit_status, status) << done.out;
    for (const std::string& part : parts)
        EXPECT_NE(done.out.find(part), std::string::npos) << part << " in: " << done.out;
}

/// One installation for a test program: installed to one folder, then moved to another, whose name has a blank.
class Installed : public testing::Test {
public:
    static void SetUpTestSuite() {
        scratch() = new ScratchFolder; // NOLINT(cppcoreguidelines-owning-memory): until TearDownTestSuite
        expect(run_in(scratch()->path(),
                      fmt::format("cmake --install '{}' --prefix '{}' > install.log || {{ cat install.log; false; }}; "
                                  "mv first 'another place'",
                                  HKC_BINARY_DIR, (scratch()->path() / "first").string())),
               0);
    }
    static void TearDownTestSuite() {
        delete scratch(); // NOLINT(cppcoreguidelines-owning-memory)
        scratch() = nullptr;
    }

    static ScratchFolder*& scratch() {
        static ScratchFolder* folder = nullptr;
        return folder;
    }
    static std::filesystem::path prefix() { return scratch()->path() / "another place"; }
    /// A new folder outside the installation.
    static std::filesystem::path folder(const std::string& name) {
        std::filesystem::create_directories(scratch()->path() / name);
        return scratch()->path() / name;
    }
};

} // namespace hkc::package
