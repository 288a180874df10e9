#include "contract/runner/input_files.h"

#include "contract/toolchain/includes.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <system_error>
#include <utility>

namespace hkc {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// The names of files that a text may ask for. Where a macro makes a name, any that stands in the text may be it.
std::vector<std::string> names_in(const std::string& text) {
    IncludedNames asked = included_names(text);
    if (!asked.computed) return std::move(asked.names);
    static const std::regex kName(R"re(["<]([^"<>\n]+)[">])re");
    for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it)
        asked.names.push_back((*it)[1]);
    return std::move(asked.names);
}

/// The files of a source, each with what it may include.
struct Sources {
    const fs::path& root;
    const std::vector<std::string>& flags;
    std::set<std::string> files;

    /// Whichever of the files of a name the compiler takes, it is among them.
    void add(const fs::path& source, const std::string& text) {
        if (!files.insert(source.generic_string()).second) return;
        const std::vector<fs::path> folders = include_folders(source.parent_path(), flags);
        for (const std::string& name : names_in(text))
            for (const fs::path& folder : folders) add_if_in_tree(folder / name);
    }

    void add_if_in_tree(const fs::path& named) {
        const fs::path path = named.lexically_normal();
        if (path.is_absolute() || path.empty() || *path.begin() == ".." || !is_file(root / path)) return;
        if (const auto text = pm::read_file(root / path)) add(path, *text);
    }
};

} // namespace

pm::Result<std::vector<std::string>> source_files(const fs::path& root, const std::string& source,
                                                  const std::vector<std::string>& flags) {
    const auto text = pm::read_file(root / source);
    if (!text) return text.error();
    Sources sources{root, flags, {}};
    sources.add(fs::path(source).lexically_normal(), *text);
    for (const fs::path& named : paths_in_flags(flags)) sources.add_if_in_tree(named);
    return std::vector<std::string>(sources.files.begin(), sources.files.end());
}

pm::Result<std::vector<std::string>> input_files(const Registry& registry) {
    std::set<std::string> files;
    std::set<std::pair<std::string, std::vector<std::string>>> sources; // with their flags
    if (is_file(registry.root / "toolchains.toml")) files.insert("toolchains.toml");
    std::error_code error;
    for (fs::directory_iterator it(registry.root / "registry", error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".toml") files.insert("registry/" + it->path().filename().string());
    for (fs::recursive_directory_iterator it(registry.root / "records", error), end; !error && it != end;
         it.increment(error))
        if (is_file(it->path())) files.insert(it->path().lexically_relative(registry.root).generic_string());
    for (const Kernel& kernel : registry.kernels) sources.emplace(kernel.source, kernel.flags);
    for (const Control& control : registry.controls)
        if (const auto* build = std::get_if<PlantBuild>(&control.plant); build != nullptr && !build->source.empty()) {
            const Kernel* twin = registry.find_kernel(control.of);
            sources.emplace(build->source, twin == nullptr ? std::vector<std::string>{} : twin->flags);
        }
    for (const auto& [source, flags] : sources) {
        const auto all = source_files(registry.root, source, flags);
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
