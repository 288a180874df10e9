// The reports of a run's shards as the report of the whole run.
//
//   hip-kernel-contract --chip all --shard 1/2 --json 1.json      on one machine
//   hip-kernel-contract --chip all --shard 2/2 --json 2.json      on another
//
// Shards of several chip lists (a matrix over chips) become one report of all those chips.
#pragma once

#include "contract/runner/outcome_json.h"
#include "peacemaker/support/result.h"

#include <string>
#include <vector>

namespace hkc {

struct NamedReport {
    std::string name; // the file, for messages
    std::string text;
};

/// The whole run: report_json() of it is what one run of everything would have written. `chips` are those that must be
/// there, or "all" for every registered one; empty: whichever the reports are of.
/// Error: a file that is no report, was altered, or differs from the first in commit, inputs, toolchain, device, seed,
/// filter or gates; a shard that is missing or there twice; a chip that is missing; counts that do not add up, or
/// shards that name several objects of one build (form_faults). Each names the file or the shard.
pm::Result<ReadReport> merge_reports(const std::vector<NamedReport>& reports, const std::vector<std::string>& chips);

} // namespace hkc
