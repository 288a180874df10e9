// A run, and the run that it is compared with, out of the files that reports and receipts are.
#pragma once

#include "contract/runner/merge.h"

#include <optional>
#include <string>
#include <vector>

namespace hkc::page {

struct Compared {
    ReadReport report;
    std::optional<RunOutcome> base;
    std::string base_name; // its commit, or its file where the base tells none
};

/// `reports`: reports of --json, put together as `merge` does, or one receipt, whose base is the base then. `base`: a
/// report, or a receipt, whose head it is; it goes before the receipt's own.
/// Error: a file that is neither, was altered, or tells no run; or as for merge_reports. Each names the file.
pm::Result<Compared> read_compared(const std::vector<NamedReport>& reports, const std::optional<NamedReport>& base);

} // namespace hkc::page
