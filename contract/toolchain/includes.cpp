#include "contract/toolchain/includes.h"

#include "peacemaker/support/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace hkc {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The word at `at`.
std::string_view word_at(std::string_view line, std::size_t at) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    return line.substr(at, end - at);
}

/// What a flag may name as a path: itself, and what is behind the options that take one without a space.
std::vector<std::string> paths_in(const std::string& flag) {
    constexpr std::array kJoined = {"-I",       "-iquote",         "-isystem", "-idirafter", "-cxx-isystem",
                                    "-include", "-include-header", "-imacros", "@"};
    std::vector<std::string> paths;
    if (!flag.starts_with('-')) paths.push_back(flag);
    for (const std::string_view option : kJoined)
        if (flag.starts_with(option)) paths.push_back(flag.substr(option.size()));
    if (const std::size_t value = flag.find('='); value != std::string::npos) paths.push_back(flag.substr(value + 1));
    std::erase(paths, "");
    return paths;
}

} // namespace

IncludedNames included_names(std::string_view text) {
    constexpr std::array kDirectives = {"include", "include_next", "import", "embed"};
    constexpr std::array kQuestions = {"__has_include", "__has_include_next", "__has_embed"};
    IncludedNames found;
    const auto take = [&](std::string_view rest) {
        const std::size_t open = rest.find_first_not_of(" \t(");
        const bool names = open != std::string_view::npos && (rest[open] == '"' || rest[open] == '<');
        const std::size_t close = names ? rest.find(rest[open] == '<' ? '>' : '"', open + 1) : std::string_view::npos;
        if (close == std::string_view::npos)
            found.computed = true;
        else
            found.names.emplace_back(rest.substr(open + 1, close - open - 1));
    };
    for (const std::string& kept : pm::split(text, '\n')) {
        const std::string_view line = kept;
        if (line.find("include") == line.npos && line.find("import") == line.npos && line.find("embed") == line.npos)
            continue;
        for (std::size_t at = 0; at < line.size();) {
            if (!is_word(line[at])) {
                ++at;
                continue;
            }
            const std::string_view word = word_at(line, at);
            const std::size_t before = at == 0 ? line.npos : line.find_last_not_of(" \t", at - 1);
            // A digraph begins a directive as well; a comment may stand between.
            const bool directive = before != line.npos &&
                                   (line[before] == '#' || line[before] == ':' || line[before] == '/') &&
                                   std::find(kDirectives.begin(), kDirectives.end(), word) != kDirectives.end();
            at += word.size();
            if (directive || std::find(kQuestions.begin(), kQuestions.end(), word) != kQuestions.end())
                take(line.substr(at));
        }
    }
    return found;
}

std::vector<fs::path> include_folders(const fs::path& from, std::span<const std::string> flags) {
    std::vector<fs::path> folders = {from, ""};
    for (fs::path& path : paths_in_flags(flags)) folders.push_back(std::move(path));
    return folders;
}

std::vector<fs::path> paths_in_flags(std::span<const std::string> flags) {
    std::vector<fs::path> paths;
    for (const std::string& flag : flags)
        for (const std::string& path : paths_in(flag)) paths.emplace_back(path);
    return paths;
}

} // namespace hkc
