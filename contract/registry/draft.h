// The registry's declarations as read, before they are checked against one another.
#pragma once

#include "contract/registry/diagnostics.h"
#include "contract/registry/entry.h"
#include "contract/registry/registry.h"

#include <array>
#include <string>
#include <vector>

namespace hkc {

/// Where the parts of a declaration stand, for messages about their values.
struct ArgumentLines {
    std::vector<SourceLocation> dims;
    SourceLocation value;
};
struct LaunchLines {
    std::array<SourceLocation, 3> grid;
    std::array<SourceLocation, 3> block;
    SourceLocation lds;
    std::vector<SourceLocation> args;
};

struct KernelDraft {
    Kernel kernel;
    NamedExprs params; // before evaluation, so that a planted one can be followed through those that read it
    std::vector<ArgumentLines> arg_lines;
    std::vector<LaunchLines> launch_lines;
    std::vector<SourceLocation> stage_lines;
    bool evaluable = false; // everything that evaluation needs was read
};

struct ControlDraft {
    Control control;
    SourceLocation of_at, chips_at, plant_at;
    NamedExprs planted; // of PlantParams
    std::vector<SourceLocation> edit_lines;
    bool planted_well = false;
};

struct FamilyDraft {
    std::string name;
    std::string source;
    std::vector<std::string> flags;
    SourceLocation at, source_at;
};

struct Draft {
    std::vector<FamilyDraft> families;
    std::vector<KernelDraft> kernels;
    std::vector<ControlDraft> controls;
    std::size_t launches = 0; // registrations times shapes, bounded
};

/// Reads one file's text into `draft`.
void read_file_into(Draft& draft, std::string_view toml_text, const std::string& file, const KnownNames& names,
                    Diagnostics& diagnostics);

/// Expands and reads one `[[kernel]]` or `[[control]]` table.
void read_kernel(Draft& draft, const FamilyDraft& family, const toml::table& table, const toml::table& defaults,
                 const std::string& file, const KnownNames& names, Diagnostics& diagnostics);
void read_control(Draft& draft, const toml::table& table, const std::string& file, const KnownNames& names,
                  Diagnostics& diagnostics);

/// Reads the `mutate` of the plant that `entry` is.
PlantMutate read_mutation(const Entry& entry, const toml::node& node);

/// Checks everything that needs more than one declaration, and every expression for every shape. Completes controls and
/// planted parameters in `registry`, whose kernels are the drafts' in order.
void check_all(Draft& draft, Registry& registry, Diagnostics& diagnostics);

/// Checks that sources are there and that edits apply, in the tree at `root`.
void check_sources(const Draft& draft, const std::filesystem::path& root, Diagnostics& diagnostics);

/// Why `path` may not name a source, or nothing.
std::string bad_source_path(std::string_view path);

} // namespace hkc
