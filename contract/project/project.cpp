#include "contract/project/project.h"

#include "contract/oracle/oracle.h"
#include "contract/oracle/plugin.h"
#include "contract/report/outcome.h"

#include "peacemaker/support/installed.h"

#include <fmt/format.h>

#include <optional>

namespace hkc {
namespace {

namespace fs = std::filesystem;

bool is_tree(const fs::path& folder) {
    std::error_code ec;
    return fs::is_directory(folder / "registry", ec) && fs::is_regular_file(folder / "toolchains.toml", ec);
}

/// `folder` or its nearest parent that is a tree.
std::optional<fs::path> tree_at_or_above(fs::path folder) {
    while (!is_tree(folder)) {
        if (!folder.has_relative_path()) return std::nullopt;
        folder = folder.parent_path();
    }
    return folder;
}

} // namespace

pm::Result<fs::path> find_root(const fs::path& current, const fs::path& program) {
    if (const auto tree = tree_at_or_above(current)) return tree->lexically_relative(current);
    if (const auto tree = tree_at_or_above(program.parent_path())) return *tree;
    if (const fs::path data = pm::installed_data(program); is_tree(data)) return data;
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
        project.root = std::move(*found);
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

} // namespace hkc
