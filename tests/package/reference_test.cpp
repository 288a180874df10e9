// Man pages and completions against what the programs' own --help says: the same commands, the same options.
#include "tests/package/installed.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace hkc::package {
namespace {

namespace fs = std::filesystem;

struct Help {
    std::set<std::string> options, commands;
};

/// Reads the text of --help: options begin a line of their section, each spelling behind a comma.
Help read_help(const std::string& text) {
    Help help;
    std::istringstream lines(text);
    bool commands = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line[0] != ' ') commands = line == "Subcommands:";
        static const std::regex kOption("  (-[-\\w,]*)( .*)?"), kCommand("  (\\w[\\w-]*)( .*)?");
        std::smatch match;
        if (std::regex_match(line, match, kOption)) {
            std::istringstream spellings(match[1]);
            for (std::string one; std::getline(spellings, one, ',');) help.options.insert(one);
        } else if (commands && std::regex_match(line, match, kCommand)) {
            help.commands.insert(match[1]);
        }
    }
    return help;
}

/// The --help of a program (under "") and of each of its commands.
std::map<std::string, Help> help_of(const fs::path& program) {
    const fs::path folder = program.parent_path();
    std::map<std::string, Help> all;
    const auto ask = [&](const std::string& command) {
        const Finished said = run_in(folder, fmt::format("'{}' {} --help", program.string(), command));
        expect(said, 0, {"--help"});
        return read_help(said.out);
    };
    all[""] = ask("");
    for (const std::string& command : all[""].commands) all[command] = ask(command);
    return all;
}

class Reference : public Installed, public testing::WithParamInterface<const char*> {
protected:
    [[nodiscard]] static fs::path share() { return prefix() / "share"; }
    [[nodiscard]] static fs::path program() { return prefix() / "bin" / GetParam(); }
};

std::set<std::string> all_in(const std::string& text, const std::string& pattern) {
    std::set<std::string> found;
    const std::regex expression(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), expression); it != std::sregex_iterator(); ++it)
        found.insert((*it)[1]);
    return found;
}

TEST(Help, IsReadAsItIsPrinted) {
    const Help help =
        read_help("It does -x things\nUsage: it [OPTIONS]\n\nOptions:\n  -h,--help                   Print\n"
                  "  --two-words TEXT:{a,b} [a]  said\n                              --not one\n\nSubcommands:\n  "
                  "merge   text\n");
    EXPECT_EQ(help.options, (std::set<std::string>{"-h", "--help", "--two-words"}));
    EXPECT_EQ(help.commands, (std::set<std::string>{"merge"}));
}

TEST_P(Reference, ManPageHasTheOptionsOfHelpAndNoOthers) {
    std::string page = text_of_file(share() / "man/man1" / (std::string(GetParam()) + ".1"));
    page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
    ASSERT_TRUE(page.find(fmt::format("\n.SH NAME\n{} ", GetParam())) != std::string::npos) << page;
    // A section for the program and one for each command.
    std::map<std::string, std::string> sections;
    std::size_t from = page.find("\n.SH OPTIONS\n");
    ASSERT_NE(from, std::string::npos) << page;
    std::string name;
    static const std::regex kCommand("\n\\.SH \"COMMAND ([\\w-]+)\"\n");
    for (std::smatch match;
         std::regex_search(page.cbegin() + static_cast<long>(from) + 1, page.cend(), match, kCommand);) {
        const std::size_t at = from + 1 + static_cast<std::size_t>(match.position());
        sections[name] = page.substr(from, at - from);
        name = match[1];
        from = at;
    }
    sections[name] = page.substr(from);
    const auto help = help_of(program());
    EXPECT_EQ(sections.size(), help.size());
    for (const auto& [command, said] : help)
        EXPECT_EQ(all_in(sections[command], R"(\\fB(--?[\w-]+)\\fR)"), said.options) << command;
    if (run_in(scratch()->path(), "command -v groff").exit_status == 0)
        expect(run_in(scratch()->path(), fmt::format("out=$(groff -man -Tutf8 -ww -Wbreak -z '{}/man/man1/{}.1' 2>&1); "
                                                     "printf %s \"$out\"; test -z \"$out\"",
                                                     share().string(), GetParam())),
               0);
}

TEST_P(Reference, BashCompletesTheOptionsOfHelpAndNoOthers) {
    const std::string file = (share() / "bash-completion/completions" / GetParam()).string();
    std::string function = fmt::format("_{}", GetParam());
    std::replace(function.begin(), function.end(), '-', '_');
    const auto completed = [&](const std::string& words, const std::string& current) {
        const Finished done = run_in(
            scratch()->path(),
            fmt::format("bash -c 'source \"{}\"; COMP_WORDS=({} {} \"{}\"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                        "{}; printf \"%s\\n\" \"${{COMPREPLY[@]}}\"'",
                        file, GetParam(), words, current, function));
        expect(done, 0);
        return all_in(done.out, "(?:^|\n)([^\n]+)(?=\n)");
    };
    const auto help = help_of(program());
    for (const auto& [command, said] : help) {
        const std::set<std::string> offered = completed(command, "-");
        std::set<std::string> expected = said.options;
        // The options of the program stand behind its commands, too.
        if (GetParam() == std::string("hip-kernel-contract-records")) {
            const auto& common = help.at("").options;
            expected.insert(common.begin(), common.end());
        }
        EXPECT_EQ(offered, expected) << command;
    }
    const std::set<std::string> all = completed("", "");
    for (const std::string& command : help.at("").commands) EXPECT_TRUE(all.contains(command)) << command;
}

TEST_F(Installed, BashCompletesValues) {
    const std::string file = (prefix() / "share/bash-completion/completions/hip-kernel-contract").string();
    expect(run_in(scratch()->path(),
                  fmt::format("bash -c 'source \"{}\"; COMP_WORDS=(hip-kernel-contract --device e); COMP_CWORD=2; "
                              "_hip_kernel_contract; echo \"[${{COMPREPLY[*]}}]\"; complete -p hip-kernel-contract'",
                              file)),
           0, {"[embedded]\n", "-F _hip_kernel_contract hip-kernel-contract"});
}

TEST_P(Reference, ZshCompletesTheOptionsOfHelpAndNoOthers) {
    const fs::path file = share() / "zsh/vendor-completions" / (std::string("_") + GetParam());
    const std::string text = text_of_file(file);
    ASSERT_TRUE(text.starts_with(fmt::format("#compdef {}\n", GetParam()))) << text;
    const auto help = help_of(program());
    for (const auto& [command, said] : help) {
        const std::string begins = command.empty() ? "options=(\n" : fmt::format("\n{}) _arguments", command);
        const std::size_t from = text.find(begins);
        ASSERT_NE(from, std::string::npos) << begins << " in: " << text;
        const std::string section = text.substr(from, text.find(command.empty() ? "\n)" : ";;", from) - from);
        EXPECT_EQ(all_in(section, R"(\)(--?[\w-]+)\[)"), said.options) << command;
    }
    if (run_in(scratch()->path(), "command -v zsh").exit_status == 0)
        expect(run_in(scratch()->path(), fmt::format("zsh -n '{}'", file.string())), 0);
}

INSTANTIATE_TEST_SUITE_P(Tools, Reference,
                         testing::Values("hip-kernel-contract", "hip-kernel-contract-limits",
                                         "hip-kernel-contract-records", "hip-kernel-contract-receipt", "peacemaker"),
                         [](const auto& tool) {
                             std::string name = tool.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace hkc::package
