#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "pm_file_test_XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    static std::string slurp(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path folder_;
};

TEST_F(Files, ReadsEveryByte) {
    const std::string bytes("a\0b\r\n\xff", 6);
    std::ofstream(folder_ / "f", std::ios::binary) << bytes;
    const auto read = pm::read_file(folder_ / "f");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, bytes);
}

TEST_F(Files, ReadsAnEmptyFile) {
    std::ofstream(folder_ / "f") << "";
    const auto read = pm::read_file(folder_ / "f");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, "");
}

TEST_F(Files, ReadsAFileWhoseSizeTheSystemDoesNotSay) {
    const auto read = pm::read_file("/proc/self/cmdline");
    ASSERT_TRUE(read);
    EXPECT_NE(read->find("support_file_test"), std::string::npos);
}

TEST_F(Files, SaysWhichFileIsMissingAndWhy) {
    const auto read = pm::read_file(folder_ / "absent");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().text.find((folder_ / "absent").string()), std::string::npos);
    EXPECT_NE(read.error().text.find("No such file"), std::string::npos);
}

TEST_F(Files, DoesNotReadAFolder) {
    const auto read = pm::read_file(folder_);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().text.find("Is a directory"), std::string::npos);
}

TEST_F(Files, WritesIntoFoldersThatAreNotThereYet) {
    const fs::path path = folder_ / "a" / "b" / "f.json";
    ASSERT_TRUE(pm::write_file_atomically(path, "one"));
    EXPECT_EQ(slurp(path), "one");
}

TEST_F(Files, ReplacesAndLeavesNothingElse) {
    ASSERT_TRUE(pm::write_file_atomically(folder_ / "f", "old, longer"));
    ASSERT_TRUE(pm::write_file_atomically(folder_ / "f", "new"));
    EXPECT_EQ(slurp(folder_ / "f"), "new");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, KeepsTheModeOfTheFileItReplaces) {
    std::ofstream(folder_ / "f") << "old";
    ASSERT_EQ(::chmod((folder_ / "f").c_str(), 0640), 0);
    ASSERT_TRUE(pm::write_file_atomically(folder_ / "f", "new"));
    EXPECT_EQ(fs::status(folder_ / "f").permissions(), fs::perms{0640});
}

TEST_F(Files, WritesThroughASymbolicLink) {
    std::ofstream(folder_ / "real") << "old";
    fs::create_symlink("real", folder_ / "link");
    ASSERT_TRUE(pm::write_file_atomically(folder_ / "link", "new"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(slurp(folder_ / "real"), "new");
}

TEST_F(Files, AFailedReplaceLeavesWhatWasThere) {
    fs::create_directories(folder_ / "taken" / "inside");
    const auto written = pm::write_file_atomically(folder_ / "taken", "x");
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().text.find("taken"), std::string::npos);
    EXPECT_TRUE(fs::is_directory(folder_ / "taken" / "inside"));
    EXPECT_EQ(entries(), 1U);
}

// A file-size limit stops the write halfway, as a full disk does.
TEST_F(Files, ADiskThatFillsUpLeavesTheOldFile) {
    ASSERT_TRUE(pm::write_file_atomically(folder_ / "f", "old"));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
        const auto written = pm::write_file_atomically(folder_ / "f", std::string(100000, 'x'));
        ::_exit(written ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(slurp(folder_ / "f"), "old");
    EXPECT_EQ(entries(), 1U);
}

// FIPS 180-2, appendix B, and the well-known digest of nothing.
TEST(Sha256, MatchesThePublishedDigests) {
    EXPECT_EQ(pm::sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(pm::sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(pm::sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(pm::sha256_hex(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

} // namespace
