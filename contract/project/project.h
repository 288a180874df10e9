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
    std::string note; // which tree it is, where that is the program's own and nobody named it; a line for the user
    Registry registry;
    std::vector<ToolchainSpec> toolchains;
};

struct FoundRoot {
    std::filesystem::path path;
    bool fallback = false; // it is the program's own, not one of the current folder
};

/// The tree that a tool works on where --root is not given: `current` or the nearest parent of it that is a tree
/// (relative to `current`); else, as the fallback, the nearest parent of `program`, the tool's own file, that is one,
/// or the data that is installed with it. Both are absolute. Error: there is none, with both places and --root; or
/// `current` is half a tree, with what it lacks: the fallback would judge somebody else's kernels.
pm::Result<FoundRoot> find_root(const std::filesystem::path& current, const std::filesystem::path& program);

/// Where a first contract is to go: `current` or the nearest parent of it that is a tree, else `current`. Absolute.
std::filesystem::path root_for_new(const std::filesystem::path& current);

/// Loads the registry, with the oracles and kinds of findings that this process knows.
pm::Result<Registry> load_contracts(const std::filesystem::path& root);

/// Finds the root, adds the oracles to those of the process, and reads registry and toolchains. Error: no tree, or what
/// is wrong with a library or a file.
pm::Result<Project> load_project(const ProjectOptions& options);

/// `text`, with --root and --oracles as they were given behind each of the tools' names in its commands that record, so
/// that they work where they are pasted. For a terminal: reports name no folder of the machine.
std::string with_options(std::string text, const ProjectOptions& options);

} // namespace hkc
