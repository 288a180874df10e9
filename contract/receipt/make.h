// Making a receipt: gates, controls and audit of the head, and of the base in a worktree.
#pragma once

#include "contract/receipt/receipt.h"
#include "contract/runner/run.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hkc::receipt {

struct MakeRequest {
    RunRequest run; // of everything: its filter, gates, seed and shard are those of a RunRequest{}
    Revision base;
    std::vector<std::filesystem::path> base_oracles; // the libraries that judge the base; the process's, the head
    std::vector<Reason> reasons;
    std::optional<ReadReport> head_run; // made elsewhere, whole: it is taken instead of a run
};

/// The base's side is kept in the build cache where the device is the embedded one, which gives the same each time: its
/// key holds the commit, this program, the device, the compilers, the libraries of oracles and the request. Failure:
/// the head cannot be run, a reason fits no change, or `head_run` is not of this head.
std::variant<Receipt, RunFailure> make_receipt(const Registry& head, const MakeRequest& request,
                                               const Progress& progress);

/// A base, as long as its worktree is there, and what it declares.
struct DeclaredBase {
    BaseContracts contracts;
    Snapshot declared;
};
/// Error: as open_base, or snapshot_of it; without the worktree's folder.
pm::Result<DeclaredBase> open_declared_base(const Revision& revision, const RunRequest& head);

/// Gate 5 with every toolchain. Error: as limits::audit.
pm::Result<limits::AuditReport> audit_all(const Registry& registry, const RunRequest& request,
                                          const std::string& filter, const Progress& progress);

/// Leaves the root out of every text, and what names a folder of the machine.
void scrub(RunOutcome& outcome, const std::filesystem::path& root);
void scrub(limits::AuditReport& report, const std::filesystem::path& root);

} // namespace hkc::receipt
