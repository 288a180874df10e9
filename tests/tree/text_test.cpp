// Nothing in the tree names one machine: no user's folders, no hosts, no addresses.
#include "tests/tree/tree.h"

#include <array>
#include <regex>

namespace {

using namespace hkc::tree;

/// What a line says that only holds on one machine or network; empty where nothing does.
std::string local_name_in(const std::string& line) {
    static const std::regex kLocal("(^|[^\\w.$}])/(home|Users|mnt|work|scratch)/\\w"
                                   "|[A-Z]:\\\\\\w"
                                   "|\\w+://[\\w.-]+"
                                   "|\\b(10\\.\\d{1,3}|127\\.0|192\\.168|172\\.\\d\\d)\\.\\d{1,3}\\.\\d{1,3}\\b"
                                   "|\\b[\\w-]+\\.(local|internal|lan|corp)\\b"
                                   "|[\\w.]+@[\\w-]+\\.[A-Za-z]");
    // A regular expression costs more than all the rest of the test; most lines hold nothing that it could start with.
    static constexpr std::array kSigns = {"/home/", "/Users/", "/mnt/",  "/work/",    "/scratch/", "://",
                                          ":\\",    "@",       ".local", ".internal", ".lan",      ".corp",
                                          "10.",    "127.",    "192.",   "172."};
    if (std::none_of(kSigns.begin(), kSigns.end(), [&](const char* sign) { return line.find(sign) != line.npos; }))
        return {};
    std::smatch match;
    return std::regex_search(line, match, kLocal) ? match.str() : std::string();
}

bool is_text(const std::string& text) { return text.find('\0') == std::string::npos; }

// The lines are put together here, so that this file holds none of them itself.
TEST(Text, LocalNamesOfATableOfCases) {
    const std::string slash = "/", colon = ":";
    for (const std::string& bad :
         {slash + "home/someone/tree", "open(\"" + slash + "mnt/disk/x\")", "https" + colon + "//example",
          std::string("10.0.0") + ".17", std::string("builder") + ".internal", std::string("someone@") + "example.org",
          std::string("C:") + "\\Users"})
        EXPECT_NE(local_name_in(bad), "") << bad;
    for (const std::string good : {"/usr/lib/llvm-22/lib", "version 22.1.8", "a::b", "ROCM_PATH/bin", "1.12.1-0.2",
                                   "${root}/work/x", "hipcc 5.2.21153", "the @ of a name"})
        EXPECT_EQ(local_name_in(good), "") << good;
}

TEST(Text, OfTheTreeNamesNoMachine) {
    std::size_t seen = 0;
    for (const std::string& file : files()) {
        const std::string text = text_of(file);
        if (!is_text(text)) continue;
        ++seen;
        std::size_t number = 0;
        for (const std::string& line : lines_of(text)) {
            ++number;
            EXPECT_EQ(local_name_in(line), "") << file << ":" << number;
        }
    }
    EXPECT_GT(seen, 100U);
}

} // namespace
