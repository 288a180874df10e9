#include "contract/project/project.h"

#include "contract/oracle/oracle.h"
#include "contract/oracle/plugin.h"
#include "contract/report/outcome.h"

#include "peacemaker/support/installed.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace hkc {
namespace {

namespace fs = std::filesystem;

/// The parts of a tree that a folder has.
struct TreeParts {
    bool registry = false;
    bool toolchains = false;

    static TreeParts of(const fs::path& folder) {
        std::error_code ec;
        return {fs::is_directory(folder / "registry", ec), fs::is_regular_file(folder / "toolchains.toml", ec)};
    }
    [[nodiscard]] bool whole() const { return registry && toolchains; }
};

/// `folder` or its nearest parent that is a tree.
std::optional<fs::path> tree_at_or_above(fs::path folder) {
    while (!TreeParts::of(folder).whole()) {
        if (!folder.has_relative_path()) return std::nullopt;
        folder = folder.parent_path();
    }
    return folder;
}

pm::Error half_a_tree(const fs::path& folder, const TreeParts& parts, const std::optional<fs::path>& own) {
    if (!parts.registry)
        return pm::Error{fmt::format("{} has toolchains.toml but no folder registry/, which declares the kernels; make "
                                     "it, or name another tree with --root",
                                     folder.string())};
    return pm::Error{
        fmt::format("{} has registry/ but no toolchains.toml, which names the compilers; {}, or name another tree with "
                    "--root",
                    folder.string(),
                    own ? fmt::format("copy {} to it and keep those that you use", (*own / "toolchains.toml").string())
                        : "write it")};
}

} // namespace

pm::Result<FoundRoot> find_root(const fs::path& current, const fs::path& program) {
    if (const auto tree = tree_at_or_above(current)) return FoundRoot{tree->lexically_relative(current)};
    std::optional<fs::path> own = tree_at_or_above(program.parent_path());
    if (const fs::path data = pm::installed_data(program); !own && TreeParts::of(data).whole()) own = data;
    const TreeParts parts = TreeParts::of(current);
    if (parts.registry != parts.toolchains) return half_a_tree(current, parts, own);
    if (own) return FoundRoot{*own, true};
    return pm::Error{fmt::format("no registry/ and toolchains.toml in the current folder {} or beside the program {}, "
                                 "nor in a parent of either; --root names the folder that has them",
                                 current.string(), program.string())};
}

fs::path root_for_new(const fs::path& current) { return tree_at_or_above(current).value_or(current); }

pm::Result<Registry> load_contracts(const fs::path& root) {
    return load_registry(root, {oracle_names(), finding_kinds()});
}

pm::Result<Project> load_project(const ProjectOptions& options) {
    Project project;
    project.root = options.root;
    if (project.root.empty()) {
        std::error_code ec;
        auto found = find_root(fs::current_path(ec), pm::program_file());
        if (!found) return found.error();
        if (found->fallback)
            project.note = fmt::format("note: the current folder is in no tree of registry/ and toolchains.toml; "
                                       "working on that of the program, {}; --root names another",
                                       found->path.string());
        project.root = std::move(found->path);
    }
    for (const fs::path& library : options.oracles)
        if (auto loaded = load_oracles(library); !loaded) return loaded.error();
    auto registry = load_contracts(project.root);
    if (!registry) return registry.error();
    project.registry = std::move(*registry);
    auto toolchains = load_toolchains(project.root);
    if (!toolchains) return toolchains.error();
    project.toolchains = std::move(*toolchains);
    return project;
}

std::string with_options(std::string text, const ProjectOptions& options) {
    std::string given;
    if (!options.root.empty()) given += " --root " + pm::shell_quoted(options.root.string());
    for (const fs::path& library : options.oracles) given += " --oracles " + pm::shell_quoted(library.string());
    for (const auto& [tool, first] : {std::pair<std::string, const char*>{"hip-kernel-contract-limits", " --toolchain"},
                                      {"hip-kernel-contract-records", " apply"}})
        for (std::size_t at = text.find(tool + first); at != std::string::npos; at = text.find(tool + first, at))
            text.insert(at += tool.size(), given);
    return text;
}

} // namespace hkc
