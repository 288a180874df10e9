// A run beside the same run of another revision: which problems are new, gone or unchanged.
//
//   auto revision = find_revision(root, "main");
//   ... run_contracts() ...
//   std::cout << base_lines(compare_with_base(registry, report, request, *revision, progress));
//
// Two problems are the same one where chip, registration or control, gate and kind of finding are; at gate 5, where
// numbers are the finding, its text too. Seeds, addresses and source lines in texts do not count.
#pragma once

#include "contract/runner/git.h"
#include "contract/runner/run.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// One entry of the problem list.
struct Problem {
    std::string identity; // equal for the same problem of two runs
    std::string line;     // `fail gfx1151 NAME gate 3 shapes: outside the oracle: ..`
};

/// What makes the run's exit status 1: findings that are not known ones, what is unchecked, controls that are not red
/// as planted. `root` is left out of texts.
std::vector<Problem> problems_of(const RunOutcome& run, const Registry& registry, const std::filesystem::path& root);

struct BaseComparison {
    std::string revision, commit;
    std::string not_compared;                        // why nothing is known; then the lists are empty
    std::vector<std::string> added, gone, unchanged; // lines, in the order of the runs
};

BaseComparison compare_problems(const std::vector<Problem>& head, const std::vector<Problem>& base);

/// `text` on one line, as it would be wherever the root lies.
std::string without_root(std::string text, const std::filesystem::path& root);

/// The first of a compiler's errors in `failure`, or its first line, with where the rest is to be seen.
std::string first_line_of(const std::string& failure);

/// Makes the build cache of a root everybody's, through HKC_CACHE_DIR, while it lives.
class SharedCache {
public:
    explicit SharedCache(const std::filesystem::path& root);
    ~SharedCache();
    SharedCache(const SharedCache&) = delete;
    SharedCache& operator=(const SharedCache&) = delete;

private:
    std::optional<std::string> before_;
};

/// The contracts of another revision, as long as its worktree is there.
struct BaseContracts {
    Worktree worktree;
    std::filesystem::path root; // in the worktree
    Registry registry;
    std::optional<RunRequest> request; // the head's, as it applies there; nothing where it selects nothing
};

/// Error: there is no worktree, or its registry cannot be read.
pm::Result<BaseContracts> open_base(const Revision& revision, const RunRequest& head);

/// Runs `request` on a worktree of `revision`, with this program and the build cache of the head's root. What is not
/// selected or not registered there has no problems there. A run that cannot be made is `not_compared`.
BaseComparison compare_with_base(const Registry& head, const RunReport& report, const RunRequest& request,
                                 const Revision& revision, const Progress& progress);

/// `problems: 1 new, 0 gone, 2 unchanged since main (0123456789ab)`, then a line for each that is new or gone.
std::string base_lines(const BaseComparison& comparison);

/// The --json report with the comparison as its field `base`, and that exit status.
std::string report_with_base(const std::string& report, const BaseComparison& comparison, int exit_status);

/// The head's exit status; 1 instead of 0 where nothing was compared, unless that is allowed.
int exit_status_with_base(int head, const BaseComparison& comparison, bool allow_unchecked);

} // namespace hkc
