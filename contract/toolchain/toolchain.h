// The compilers of toolchains.toml: what each is called, which version it must be, where it was found.
//
//   pm::Result<std::vector<ToolchainSpec>> specs = load_toolchains(root);
//   std::optional<Toolchain> t = find_installed(*pinned_toolchain(*specs), cache_dir);
//   if (!t) fmt::print(stderr, "{}\n", missing_text(*pinned_toolchain(*specs)));   // exit status 3
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// How a compiler is driven: clang++ in HIP mode alone, the same with the system's HIP headers and device libraries, or
/// the hipcc driver, which has its own and whose output is an offload bundle.
enum class CompilerKind : std::uint8_t { kClang, kClangHip, kHipcc };

/// One [[toolchain]] of toolchains.toml.
struct ToolchainSpec {
    std::string name; // clang-22.1.8: the folder under records/
    CompilerKind kind = CompilerKind::kClang;
    std::string version;                // what `--version` must say, as a whole word
    bool pinned = false;                // exactly one toolchain is
    std::vector<std::string> compilers; // program names or absolute paths, the first that fits is taken
    std::vector<std::string> chips;     // the chips it can build; empty: every chip
    std::uint32_t line = 0;             // in toolchains.toml

    bool builds(std::string_view chip) const;
};

/// A compiler that is there.
struct Toolchain {
    ToolchainSpec spec;
    std::filesystem::path compiler; // absolute, as found (a link is not resolved: drivers look beside themselves)
    std::string identity;           // real path, size, time of change and version text: part of every cache key
    std::string version_text;       // all that `--version` printed
    bool exact = false;             // the version is the declared one
    std::string warning;            // where it is not: "... not the pinned one", for a person; else empty
};

/// Reads `root`/toolchains.toml. Error: file:line, what was read and what was expected.
pm::Result<std::vector<ToolchainSpec>> load_toolchains(const std::filesystem::path& root);
/// The same from one text; `file` is how messages call it.
pm::Result<std::vector<ToolchainSpec>> parse_toolchains(std::string_view toml_text, const std::string& file);

/// The one that is pinned; parse_toolchains made sure that there is one.
const ToolchainSpec* pinned_toolchain(std::span<const ToolchainSpec> specs);
/// The one of that name; Error names the nearest.
pm::Result<const ToolchainSpec*> find_toolchain(std::span<const ToolchainSpec> specs, std::string_view name);

/// Looks for the compiler: absolute paths as they stand, names in $ROCM_PATH/bin, $ROCM_PATH/llvm/bin, /opt/rocm/bin,
/// /opt/rocm/llvm/bin and PATH. One of the declared version is preferred; failing that, the first of the same major
/// release is returned with `exact` false. Nothing where neither is there. What `--version` said is kept in
/// `cache_dir`.
std::optional<Toolchain> find_installed(const ToolchainSpec& spec, const std::filesystem::path& cache_dir);

/// Whether `text` names exactly that version: not 22.1.80, 122.1.8 or 22.1.8.1 for 22.1.8.
bool names_version(std::string_view text, std::string_view version);

/// NAME=VALUE of everything that a compiler is run with: the variables by which a driver finds its parts, and no
/// others.
std::vector<std::string> compiler_environment();

/// `toolchain clang-22.1.8 is not installed: looked for clang++-22 in ..; ..`
std::string missing_text(const ToolchainSpec& spec);

} // namespace hkc
