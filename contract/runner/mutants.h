// Whether gates and certify notice what is weakened in the kernels under contract.
#pragma once

#include "contract/project/project.h"
#include "contract/runner/run.h"
#include "peacemaker/score/score.h"
#include "peacemaker/support/result.h"

#include <string>
#include <vector>

namespace hkc {

struct MutantRequest {
    std::string filter = "*";                // of registrations
    std::vector<std::string> chips;          // as RunRequest
    std::vector<pm::mutate::Target> targets; // empty: all
    unsigned jobs = 1;
};

/// Two reports a registration and chip: what certify notices, and what gates 1 to 4 do on the embedded device, where
/// every mutant that is not proved equivalent runs as a control. Built by the pinned toolchain. Error: nothing is
/// selected, no toolchain, a build or a run that fails.
pm::Result<std::vector<pm::score::Report>> score_registry(const Project& project, const MutantRequest& request,
                                                          const Progress& progress);

/// An edit that makes the patch by bytes that occur once in `bytes`, the object that it was made for. Error: there is
/// none.
pm::Result<pm::mutate::BytesEdit> unique_edit(std::string_view bytes, const pm::mutate::Patch& patch);

} // namespace hkc
