// The worked examples of the pages, run as the pages have them: their files are written, their commands run, and what
// they say is printed is what is printed.
#include "tests/tree/tree.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <regex>
#include <tuple>

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

/// Whether `line` is the page's `shown`, in which `..` stands for whatever differs from run to run.
bool is_shown(const std::string& shown, const std::string& line) {
    std::size_t at = 0, from = 0;
    for (;;) {
        const std::size_t dots = shown.find("..", from);
        const std::string part = shown.substr(from, dots - from);
        if (dots == std::string::npos) {
            return line.size() >= at + part.size() && line.ends_with(part) && (from != 0 || line.size() == part.size());
        }
        const std::size_t found = line.find(part, at);
        if (found == std::string::npos || (from == 0 && found != 0)) return false;
        at = found + part.size();
        from = dots + 2;
    }
}

/// A page with examples, and how many blocks of each kind it has at least.
struct Page {
    const char* file;
    std::size_t files, commands, outputs;
};

class Example : public testing::TestWithParam<Page> {
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

TEST(Shown, DotsStandForAnything) {
    for (const auto& [shown, line, is] : {std::tuple{"a b", "a b", true},
                                          {"a b", "a b c", false},
                                          {"a b", "x a b", false},
                                          {"", "", true},
                                          {"", "a", false},
                                          {"at 0x..: byte", "at 0x7f3: byte", true},
                                          {"at 0x..: byte", "at 0x7f3: bytes", false},
                                          {"at 0x..", "at 0x7f", true},
                                          {"at 0x..", "it is at 0x7f", false},
                                          {"a..b..c", "a1b2c", true},
                                          {"a..b..c", "a1c2b", false},
                                          {"ab..ba", "aba", false}})
        EXPECT_EQ(is_shown(shown, line), is) << shown << " | " << line;
}

TEST_P(Example, OfThePageDoesWhatThePageSays) {
    const std::string page = GetParam().file;
    std::size_t files = 0, commands = 0, outputs = 0;
    std::string output;
    for (const Block& block : blocks_of(text_of(page))) {
        const std::string where = page + ":" + std::to_string(block.line);
        std::smatch match;
        if (std::regex_match(block.info, match, std::regex("\\w+ file=(\\S+)( edited)?"))) {
            ++files;
            // What a command wrote may be edited; nothing else is written twice.
            ASSERT_EQ(fs::exists(root_ / match[1].str()), match[2].matched) << where << ": " << match[1];
            fs::create_directories((root_ / match[1].str()).parent_path());
            ASSERT_TRUE(pm::write_file_atomically(root_ / match[1].str(), block.text)) << where;
        } else if (std::regex_match(block.info, match, std::regex("sh run(?: status=(\\d+))?"))) {
            ++commands;
            const int expected = match[1].matched ? std::stoi(match[1]) : 0;
            ASSERT_EQ(run(block.text, output), expected) << where << ": printed\n" << output;
        } else if (block.info == "text") {
            ++outputs;
            const std::vector<std::string> printed = lines_of(output);
            auto from = printed.begin();
            for (const std::string& line : lines_of(block.text)) {
                from = std::find_if(from, printed.end(), [&](const auto& other) { return is_shown(line, other); });
                ASSERT_NE(from, printed.end())
                    << where << ": not printed, or not in this order: " << line << "\nprinted:\n"
                    << output;
                ++from;
            }
        } else {
            FAIL() << where << ": a block of a kind that this test does not know: " << block.info;
        }
    }
    EXPECT_EQ(files, GetParam().files);
    EXPECT_GE(commands, GetParam().commands);
    EXPECT_GE(outputs, GetParam().outputs);
}

INSTANTIATE_TEST_SUITE_P(Pages, Example,
                         testing::Values(Page{"docs/kernel-contract.md", 2, 6, 6},
                                         Page{"docs/embedded-device.md", 2, 6, 5}, Page{"docs/install.md", 3, 5, 3}),
                         [](const auto& info) {
                             std::string name = fs::path(info.param.file).stem().string();
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
