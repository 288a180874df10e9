// What became of the contracts between a base and a head: a contract that says less proves less, whatever its gates
// say.
#pragma once

#include "contract/oracle/plugin.h"
#include "contract/records/records.h"
#include "contract/registry/registry.h"
#include "contract/runner/git.h"
#include "contract/toolchain/toolchain.h"
#include "peacemaker/support/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hkc::receipt {

/// kWeaker: less is asked than before. kChanged: something else is asked; more or less, a reader must judge.
enum class Grade : std::uint8_t { kWeaker, kChanged };
/// `WEAKER`, `CHANGED`.
std::string_view grade_name(Grade grade);

/// `what` says it whole: `registration tile: shape m=1 n=67 removed`.
struct Change {
    Grade grade = Grade::kChanged;
    std::string what;
    std::string reason; // the author's; empty: none was given

    bool operator==(const Change&) const = default;
};
/// `WEAKER registration tile: chip gfx1030 removed`.
std::string change_text(const Change& change);

/// Everything that a root declares, as values.
struct Snapshot {
    std::vector<nlohmann::ordered_json> kernels, controls; // declaration_of
    std::vector<ToolchainSpec> toolchains;
    std::vector<records::RecordFile> records;
    std::map<std::string, std::string> sources; // of a kernel -> hash of its source_files
    // A control whose plant has a source of its own -> hash of that one's source_files which are not its
    // registration's, too.
    std::map<std::string, std::string> control_sources;
};
/// Error: toolchains.toml, a record file or a source that cannot be read.
pm::Result<Snapshot> snapshot_of(const Registry& registry);

/// What was removed or changed from base to head, without reasons. What was added, and what asks for more (`bound`
/// turned into `bytes`, a known finding that went), is none. A record counts where it changed although its kernel's
/// sources and flags and the fingerprint did not, and so does a fingerprint that changed although the toolchain's entry
/// and the flags did not. The same change of every registration of a family is told once.
std::vector<Change> contract_changes(const Snapshot& base, const Snapshot& head);

/// Changes of the checks' own sources, tests and build files since `base`, where the root holds them: launch budgets,
/// bounds and gates are code. One a folder, two deep at most, that names every file. Error: git cannot tell.
pm::Result<std::vector<Change>> checker_changes(const std::filesystem::path& root, const Revision& base);

/// What became of the libraries that judge a base: one change where the head lacks one of them. A library more is none,
/// since it cannot take an oracle's name.
std::vector<Change> oracle_changes(const std::vector<OracleLibrary>& base, const std::vector<OracleLibrary>& head);

/// A reason for every change whose change_text() matches `pattern` (*, ?).
struct Reason {
    std::string pattern, why;

    bool operator==(const Reason&) const = default;
};
/// Gives each change the first reason that matches. Error: a reason that matches none, which is nobody's fault where
/// the changes are not `all` known; one that is none (why_no_reason); or a pattern that hides text (hides_text).
pm::Result<void> give_reasons(std::vector<Change>& changes, const std::vector<Reason>& reasons, bool all = true);

} // namespace hkc::receipt
