// Whether a receipt is what it says, told from the checkout and its compilers: no card, no network.
#pragma once

#include "contract/receipt/receipt.h"
#include "contract/runner/run.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hkc::receipt {

struct VerifyRequest {
    std::string base;                                // the commit that it must be; empty: whichever the receipt names
    std::vector<std::filesystem::path> base_oracles; // the libraries that judge the base; the process's, the head
    std::uint32_t rerun = 0;                         // registrations that are run again, chosen by the receipt's hash
    unsigned jobs = 1;
};

struct Verdict {
    std::vector<std::string> faults;     // none: the receipt is true, and all is as contracted
    std::vector<std::string> unverified; // what could not be built as the receipt's objects were, and why
    std::vector<std::string> did;        // what was looked at and holds, a line each
};

/// Recomputes from the checkout and its git repository what the receipt says: commit, tree and inputs; registrations
/// and controls, each there once, by their declaration's hash; every status, verdict and count; the audit, from the
/// recorded figures; the base's contracts, and every change between them; the problems; the text of `markdown`, where
/// it is given; hashes of objects, certificates and the audit, built again or out of the build cache, where the
/// receipt's compilers are here. What only a run tells must have the form of it. A change without a reason, a name of
/// a machine or person, and a receipt that says itself that not all is as contracted are faults, too. `registry` is
/// that of a clean checkout of the receipt's head.
Verdict verify(const std::string& json, const std::optional<std::string>& markdown, const Registry& registry,
               const VerifyRequest& request, const Progress& progress);

/// The faults of a receipt's text in a pull request: it must hold the receipt once, as to_markdown() writes it, and no
/// other heading like its own. Line ends of any kind.
std::vector<std::string> markdown_faults(const std::string& markdown, const Receipt& receipt, std::string_view seal);

/// The faults of a side's run under the contracts that it claims to have judged: what is missing, doubled or unknown, a
/// declaration that is another one, and statuses and verdicts that its own findings do not make.
std::vector<std::string> run_faults(const ReadReport& run, const Registry& registry);

/// The faults of a side's audit: kernels that are missing, and comparisons with the records under the registry's root
/// that come out otherwise.
std::vector<std::string> audit_faults(const limits::AuditReport& audit, const std::vector<std::string>& chips,
                                      const Registry& registry);

} // namespace hkc::receipt
