#include "contract/runner/input_files.h"

#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <system_error>

namespace hkc {
namespace {

namespace fs = std::filesystem;

/// The names of a source's `#include "..."` lines.
std::vector<std::string> included_names(const std::string& text) {
    static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]+)")re");
    std::vector<std::string> names;
    for (const std::string& line : pm::split(text, '\n')) {
        if (line.find('#') == std::string::npos) continue;
        std::smatch match;
        if (std::regex_search(line, match, kInclude)) names.push_back(match[1]);
    }
    return names;
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

void add_source(const fs::path& root, const fs::path& source, const std::string& text, std::set<std::string>& files) {
    if (!files.insert(source.generic_string()).second) return;
    for (const std::string& name : included_names(text)) {
        for (const fs::path& candidate : {source.parent_path() / name, fs::path(name)}) {
            const fs::path path = candidate.lexically_normal();
            if (path.is_absolute() || path.empty() || *path.begin() == ".." || !is_file(root / path)) continue;
            if (const auto included = pm::read_file(root / path)) add_source(root, path, *included, files);
            break;
        }
    }
}

} // namespace

pm::Result<std::vector<std::string>> source_files(const fs::path& root, const std::string& source) {
    const auto text = pm::read_file(root / source);
    if (!text) return text.error();
    std::set<std::string> files;
    add_source(root, fs::path(source).lexically_normal(), *text, files);
    return std::vector<std::string>(files.begin(), files.end());
}

pm::Result<std::vector<std::string>> input_files(const Registry& registry) {
    std::set<std::string> files, sources;
    if (is_file(registry.root / "toolchains.toml")) files.insert("toolchains.toml");
    std::error_code error;
    for (fs::directory_iterator it(registry.root / "registry", error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".toml") files.insert("registry/" + it->path().filename().string());
    for (fs::recursive_directory_iterator it(registry.root / "records", error), end; !error && it != end;
         it.increment(error))
        if (is_file(it->path())) files.insert(it->path().lexically_relative(registry.root).generic_string());
    for (const Kernel& kernel : registry.kernels) sources.insert(kernel.source);
    for (const Control& control : registry.controls)
        if (const auto* build = std::get_if<PlantBuild>(&control.plant); build != nullptr && !build->source.empty())
            sources.insert(build->source);
    for (const std::string& source : sources) {
        const auto all = source_files(registry.root, source);
        if (!all) return all.error();
        files.insert(all->begin(), all->end());
    }
    return std::vector<std::string>(files.begin(), files.end());
}

pm::Result<std::string> hash_of_files(const fs::path& root, const std::vector<std::string>& files) {
    std::string list;
    for (const std::string& file : files) {
        const auto bytes = pm::read_file(root / file);
        if (!bytes) return bytes.error();
        list += fmt::format("{} {}\n", pm::sha256_hex(*bytes), file);
    }
    return pm::sha256_hex(list);
}

} // namespace hkc
