// The project that a tool works on: where its tree is, and what is read from it. The same rule for every tool.
//
//   auto project = load_project({.root = options.root, .oracles = options.oracles});
//   if (!project) return fail(project.error());   // exit status 2
//
// A tree is a folder with registry/ and toolchains.toml.
#pragma once

#include "contract/registry/registry.h"
#include "contract/toolchain/toolchain.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace hkc {

/// What --root and --oracles say.
struct ProjectOptions {
    std::filesystem::path root; // empty: see find_root
    std::vector<std::filesystem::path> oracles;
};
inline constexpr const char* kRootHelp = "folder of registry/, records/ and toolchains.toml; where not given, the "
                                         "current folder or a parent of it, else that of the program";
inline constexpr const char* kOraclesHelp = "a library of oracles that the registry names; may be given again";

struct Project {
    std::filesystem::path root;
    Registry registry;
    std::vector<ToolchainSpec> toolchains;
};

/// The tree that a tool works on where --root is not given: `current` or the nearest parent of it that is a tree
/// (relative to `current`); else the nearest parent of `program`, the tool's own file, that is one; else the data that
/// is installed with it. Both are absolute.
/// Error: names both places and --root.
pm::Result<std::filesystem::path> find_root(const std::filesystem::path& current, const std::filesystem::path& program);

/// Where a first contract is to go: `current` or the nearest parent of it that is a tree, else `current`. Absolute.
std::filesystem::path root_for_new(const std::filesystem::path& current);

/// Loads the registry, with the oracles and kinds of findings that this process knows.
pm::Result<Registry> load_contracts(const std::filesystem::path& root);

/// Finds the root, adds the oracles to those of the process, and reads registry and toolchains. Error: no tree, or what
/// is wrong with a library or a file.
pm::Result<Project> load_project(const ProjectOptions& options);

} // namespace hkc
