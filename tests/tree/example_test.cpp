// The worked example of docs/kernel-contract.md, run as the page has it: its files are written, its commands run, and
// what it says they print is what they print.
#include "tests/tree/tree.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <regex>

#include <sys/wait.h>

namespace {

using namespace hkc::tree;
namespace fs = std::filesystem;

struct Block {
    std::size_t line = 0;   // of the opening fence
    std::string info, text; // what follows the fence's ```; the lines between
};

std::vector<Block> blocks_of(const std::string& page) {
    std::vector<Block> blocks;
    bool inside = false;
    std::size_t number = 0;
    for (const std::string& line : lines_of(page)) {
        ++number;
        if (line.starts_with("```")) {
            if (!inside) blocks.push_back({number, line.substr(3), ""});
            inside = !inside;
        } else if (inside) {
            blocks.back().text += line + '\n';
        }
    }
    return blocks;
}

class Example : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "hkc example XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        for (const std::string part : {"registry", "kernels", "controls", "records", "toolchains.toml"})
            fs::copy(fs::path(HKC_SOURCE_DIR) / part, root_ / part, fs::copy_options::recursive);
        fs::create_directory_symlink(HKC_BINARY_DIR, root_ / "build");
    }
    void TearDown() override { fs::remove_all(root_); }

    /// Runs the lines as one script in the temporary root.
    int run(const std::string& script, std::string& output) const {
        const std::string log = (root_ / "output.txt").string();
        EXPECT_TRUE(
            pm::write_file_atomically(root_ / "script.sh", fmt::format("set -e\ncd '{}'\n{}", root_.string(), script)));
        const int status = std::system(fmt::format("sh '{}' > '{}' 2>&1", (root_ / "script.sh").string(), log).c_str());
        const auto text = pm::read_file(log);
        EXPECT_TRUE(text);
        output = text ? *text : "";
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }

    fs::path root_;
};

TEST_F(Example, OfThePageDoesWhatThePageSays) {
    const std::string page = "docs/kernel-contract.md";
    std::size_t files = 0, commands = 0, outputs = 0;
    std::string output;
    for (const Block& block : blocks_of(text_of(page))) {
        const std::string where = page + ":" + std::to_string(block.line);
        std::smatch match;
        if (std::regex_match(block.info, match, std::regex("\\w+ file=(\\S+)"))) {
            ++files;
            ASSERT_FALSE(fs::exists(root_ / match[1].str())) << where << ": " << match[1] << " is in the tree already";
            ASSERT_TRUE(pm::write_file_atomically(root_ / match[1].str(), block.text)) << where;
        } else if (std::regex_match(block.info, match, std::regex("sh run(?: status=(\\d+))?"))) {
            ++commands;
            const int expected = match[1].matched ? std::stoi(match[1]) : 0;
            ASSERT_EQ(run(block.text, output), expected) << where << ": printed\n" << output;
        } else if (block.info == "text") {
            ++outputs;
            std::size_t from = 0;
            const std::string printed = "\n" + output;
            for (const std::string& line : lines_of(block.text)) {
                const std::size_t at = printed.find("\n" + line + "\n", from);
                ASSERT_NE(at, std::string::npos)
                    << where << ": not printed, or not in this order: " << line << "\nprinted:\n"
                    << output;
                from = at + line.size();
            }
        } else {
            FAIL() << where << ": a block of a kind that this test does not know: " << block.info;
        }
    }
    EXPECT_EQ(files, 2U);
    EXPECT_GE(commands, 4U);
    EXPECT_GE(outputs, 3U);
}

} // namespace
