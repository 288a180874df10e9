// Pages that name files and each other: every relative link leads somewhere, and every page is led to.
#include "tests/tree/tree.h"

#include <cctype>
#include <map>
#include <regex>
#include <set>

namespace {

using namespace hkc::tree;

struct Link {
    std::size_t line;
    std::string target; // as written
};

/// Links and images of a page, those inside code left out.
std::vector<Link> links_of(const std::string& text) {
    static const std::regex kLink(R"(\]\(([^)\s]+)\))"), kCode("`[^`]*`");
    std::vector<Link> links;
    bool code = false;
    std::size_t number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        if (line.starts_with("```")) code = !code;
        if (code) continue;
        const std::string prose = std::regex_replace(line, kCode, "");
        for (std::sregex_iterator it(prose.begin(), prose.end(), kLink), end; it != end; ++it)
            links.push_back({number, (*it)[1]});
    }
    return links;
}

/// The anchors that a Markdown renderer gives the headings of a page.
std::set<std::string> anchors_of(const std::string& text) {
    std::set<std::string> anchors;
    bool code = false;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("```")) code = !code;
        if (code || !line.starts_with("#")) continue;
        std::string anchor;
        for (const char c : line.substr(std::min(line.find(' ') + 1, line.size()))) {
            const auto u = static_cast<unsigned char>(c);
            if (std::isalnum(u) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(u));
            if (c == ' ') anchor += '-';
        }
        anchors.insert(anchor);
    }
    return anchors;
}

TEST(Links, AreFoundOutsideCodeOnly) {
    const auto links = links_of("a [b](c.md), ![d](e/f.png)\n```\n[g](h)\n```\n`[i](j)` [k](l#m-n)\n");
    ASSERT_EQ(links.size(), 3U);
    EXPECT_EQ(links[0].target, "c.md");
    EXPECT_EQ(links[1].target, "e/f.png");
    EXPECT_EQ(links[2].target, "l#m-n");
    EXPECT_EQ(links[2].line, 5U);
    EXPECT_EQ(anchors_of("# One two\n## `x` (y)\n```\n# no\n```\n"), (std::set<std::string>{"one-two", "x-y"}));
}

TEST(Links, OfEveryPageLeadSomewhere) {
    const std::filesystem::path root = HKC_SOURCE_DIR;
    std::map<std::string, std::set<std::string>> leads_to;
    std::set<std::string> pages;
    for (const std::string& page : files()) {
        if (!page.ends_with(".md")) continue;
        pages.insert(page);
        for (const Link& link : links_of(text_of(page))) {
            if (link.target.find("://") != std::string::npos) continue;
            const std::size_t hash = std::min(link.target.find('#'), link.target.size());
            const std::string path = link.target.substr(0, hash);
            const std::string file =
                path.empty() ? page
                             : (std::filesystem::path(page).parent_path() / path).lexically_normal().generic_string();
            EXPECT_TRUE(std::filesystem::exists(root / file)) << page << ":" << link.line << ": " << link.target;
            if (hash < link.target.size() && file.ends_with(".md")) {
                EXPECT_TRUE(anchors_of(text_of(file)).contains(link.target.substr(hash + 1)))
                    << page << ":" << link.line << ": " << link.target << ": no such heading";
            }
            leads_to[page].insert(file);
        }
    }
    std::set<std::string> reached = {"README.md"};
    for (std::vector<std::string> open = {"README.md"}; !open.empty();) {
        const std::string page = open.back();
        open.pop_back();
        for (const std::string& next : leads_to[page])
            if (reached.insert(next).second) open.push_back(next);
    }
    EXPECT_GE(pages.size(), 5U);
    for (const std::string& page : pages)
        EXPECT_TRUE(reached.contains(page)) << page << " is not led to from README.md";
}

TEST(Links, EveryCommandHasAPage) {
    std::string pages;
    for (const std::string& file : files())
        if (file.ends_with(".md")) pages += text_of(file);
    std::size_t commands = 0;
    for (const std::string& file : files()) {
        if (!file.starts_with("tools/") || !file.ends_with(".cpp")) continue;
        ++commands;
        EXPECT_NE(pages.find("build/bin/" + std::filesystem::path(file).stem().string()), std::string::npos) << file;
    }
    EXPECT_GE(commands, 3U);
}

} // namespace
