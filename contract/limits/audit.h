// Gate 5 offline: compiles every source once a toolchain, chip and flag set, and compares every kernel under contract
// with its record.
#pragma once

#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "contract/toolchain/compile.h"
#include "contract/toolchain/toolchain.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hkc::limits {

struct AuditOptions {
    std::filesystem::path cache_dir;
    std::vector<std::string> chips; // empty: every chip
    std::string toolchain;          // empty: every one that has records, and the pinned one
    std::string against;            // compare with that toolchain's records; empty: with the toolchain's own
    std::string filter = "*";       // of registrations
    unsigned jobs = 1;
    std::function<void(std::size_t done, std::size_t all)> progress;
};

/// One registration on one chip as one toolchain builds it.
struct Audited {
    std::string chip;
    std::string family;
    std::string name;
    std::map<std::string, pm::Resources, std::less<>> compiled; // by symbol
    GateResult result;                                          // known findings are applied
    std::vector<std::string> known;                             // texts of findings that are known ones
    std::vector<std::string> across; // with `against`: what the other toolchain's records hold differently
    bool record_differs = false;     // a symbol's record is another one or, in comparable records, not there
};

/// The object of one family for one chip.
struct Built {
    std::string chip;
    std::string family;
    Fingerprint fingerprint;
};

struct ToolchainAudit {
    ToolchainSpec spec;
    std::string compiler;            // path; empty: not installed
    std::string message;             // that it is missing, or not the pinned one
    std::vector<std::string> errors; // builds that failed
    std::vector<Built> built;
    std::vector<Audited> kernels; // in the registry's order, chip by chip
};

struct AuditReport {
    std::vector<ToolchainAudit> toolchains;
    bool pinned_missing = false; // it was wanted, and is not installed
    bool cross = false;          // compared with another toolchain's records, because the user asked
    bool interrupted = false;    // registrations whose object was not built are unchecked for that
};

/// Where this process is interrupted (pm::catch_interrupts), compilers are ended, and the report holds what is
/// finished. Error: an unknown toolchain or chip; a filter or chip that selects nothing; a record file that cannot be
/// read.
pm::Result<AuditReport> audit(const Registry& registry, std::span<const ToolchainSpec> toolchains,
                              const AuditOptions& options);

/// Which RECORD lines are printed: those of kernels that differ from comparable records, every one, or none.
enum class RecordLines : std::uint8_t { kProblems, kAll, kNone };

/// What stood in the way, a line each: a toolchain that is missing or another version, a build that failed.
std::string messages_text(const AuditReport& report);

/// The result as lines: RECORD lines as asked, but none of an interrupted audit; problems, and a line a toolchain and
/// chip
/// `LIMITS clang-22.1.8 gfx1151 17 kernels: 17 as recorded, 0 limit problems, 0 known findings, 0 unchecked`.
std::string to_text(const AuditReport& report, RecordLines lines);

/// The same as SARIF 2.1.0: problems, what is unchecked, and builds that failed, each at its kernel's source.
std::string to_sarif(const AuditReport& report, const Registry& registry);

/// 0 all as recorded; 1 a problem, a stale known finding or unchecked; 2 a build that failed; 3 no toolchain is there;
/// pm::kInterruptedStatus, whatever else, where it was interrupted.
int exit_status(const AuditReport& report, bool allow_unchecked);

} // namespace hkc::limits
