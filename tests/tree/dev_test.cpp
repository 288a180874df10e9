// tools/dev where it cannot install: it lists what is missing and how it looked, and changes nothing.
#include "tests/tree/tree.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace hkc::tree;

struct Ran {
    int status = -1;
    std::string output;
};

Ran run(const std::string& command) {
    Ran ran;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return ran;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.output.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return ran;
}

class Dev : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "hkc dev XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        std::filesystem::create_directories(folder_ / "tools");
        std::filesystem::copy_file(std::filesystem::path(HKC_SOURCE_DIR) / "tools/dev", folder_ / "tools/dev");
        std::filesystem::create_directories(folder_ / "bin");
        for (const std::string tool :
             {"bash", "cut", "sed", "grep", "dirname", "sort", "comm", "id", "cat", "nproc", "env"})
            link(tool);
        // Another user reads it, too.
        std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    /// Puts the system's program on the only PATH that the script gets.
    void link(const std::string& program) {
        for (const std::string place : {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"})
            if (std::filesystem::exists(place + program))
                return std::filesystem::create_symlink(place + program, folder_ / "bin" / program);
        FAIL() << "this system has no " << program;
    }
    Ran dev(const std::string& arguments, const std::string& before = "") {
        return run(fmt::format("{} /usr/bin/env -i PATH='{}' DPKG_ADMINDIR='{}' /bin/bash '{}' {}", before,
                               (folder_ / "bin").string(), (folder_ / "dpkg").string(),
                               (folder_ / "tools/dev").string(), arguments));
    }

    std::filesystem::path folder_;
};

// Without apt-get and dpkg-query this is another system, whatever it is; without PATH's programs all is missing.
TEST_F(Dev, ListsWhatIsMissingOnAnotherSystemAndStops) {
    for (const std::string command : {"setup", "run", "test"}) {
        const Ran ran = dev(command);
        EXPECT_EQ(ran.status, 3) << ran.output;
        for (const std::string line :
             {"not Debian 12", "command cmake", "command ninja", "header gtest/gtest.h", "(Debian: libcli11-dev)"})
            EXPECT_NE(ran.output.find(line), std::string::npos) << line << " in:\n" << ran.output;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "build"));
    }
}

// dpkg's own database, an empty one, says that nothing is installed.
TEST_F(Dev, SaysThatInstallingNeedsRoot) {
    std::ifstream release("/etc/os-release");
    const std::string system((std::istreambuf_iterator<char>(release)), std::istreambuf_iterator<char>());
    if (system.find("VERSION_CODENAME=bookworm") == std::string::npos) GTEST_SKIP() << "not Debian 12";
    link("apt-get");
    link("dpkg-query");
    std::filesystem::create_directories(folder_ / "dpkg/info");
    std::filesystem::create_directories(folder_ / "dpkg/updates");
    std::ofstream(folder_ / "dpkg/status").close();
    const bool root = ::geteuid() == 0;
    const Ran ran = dev("setup", root ? "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups" : "");
    EXPECT_EQ(ran.status, 3) << ran.output;
    EXPECT_NE(ran.output.find("missing: "), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("needs root, or sudo"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("llvm-22-dev"), std::string::npos) << ran.output;
}

TEST_F(Dev, RefusesAnUnknownCommand) {
    const Ran ran = dev("tset");
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.output.find("tools/dev COMMAND"), std::string::npos) << ran.output;
}

} // namespace
