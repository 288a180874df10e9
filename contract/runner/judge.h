// From what the gates found to verdicts: known findings, controls, counts, the exit status. Plain data in and out.
#pragma once

#include "contract/device/device_report.h"
#include "contract/gates/certificate.h"
#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "peacemaker/object/code_object.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hkc {

/// What an outcome was made from.
struct Evidence {
    std::string entry;       // declaration_hash of the registration or control
    std::string object;      // SHA-256 of the object that ran, before bytes of it were patched; empty: not built
    std::string fingerprint; // its Fingerprint::text()

    bool operator==(const Evidence&) const = default;
};

/// What a kernel of an object takes, and how many of its waves a SIMD holds then (pm::occupancy).
struct Cost {
    std::string kernel; // its symbol
    pm::Resources resources;
    std::uint32_t waves = 0;

    bool operator==(const Cost&) const = default;
};

/// One registration on one chip.
struct KernelOutcome {
    std::string name, family, chip;
    std::vector<GateResult> gates;  // after known findings were taken into account
    std::vector<std::string> known; // known findings that occurred, as `gate 5 "uses scratch": reason`
    DeviceReport device;            // fidelity counts
    Evidence evidence;
    std::vector<Certificate> certificates; // of the kernels it launches; none where gate 1 was not asked
    std::vector<Cost> costs = {};          // of the kernels it launches; none of those that the object lacks
};

/// What became of a control on one chip. There is no fifth.
enum class ControlVerdict : std::uint8_t {
    kRedAsPlanted,
    kMissed,    // another gate, another kind, or none
    kUnchecked, // a gate up to the one it names could not ask, or its registration shows the same without the fault
    kNotAsked   // a fault for the embedded device, on a card
};
/// `red as planted`, `missed`, `unchecked`, `not asked here`.
std::string_view verdict_name(ControlVerdict verdict);

struct ControlOutcome {
    std::string name, of, chip;
    ControlVerdict verdict = ControlVerdict::kUnchecked;
    std::string why; // empty where red as planted
    std::vector<GateResult> gates;
    DeviceReport device;
    Evidence evidence;
};

/// Whether `kernel` declares that finding of that gate on `chip` as known.
bool is_known(const Kernel& kernel, const std::string& chip, std::uint32_t gate, const Finding& finding);

/// Applies the known findings of `kernel` for `chip`: a gate all of whose findings are known becomes "known finding"; a
/// known finding whose gate was judged and did not show it is stale, and fails that gate. Returns the texts of those
/// that occurred.
std::vector<std::string> apply_known_findings(const Kernel& kernel, const std::string& chip,
                                              std::vector<GateResult>& gates);

/// Judges a control by the gates that ran under its plant, in order: red as planted only if the first gate that fails
/// is the one it names, and the first finding of that gate is of a kind it names. Findings that its registration is
/// known for are no failure. Sets verdict and why.
void judge_control(const Control& control, const Kernel& twin, ControlOutcome& outcome);

/// Counts of one chip.
struct ChipSummary {
    std::size_t kernels = 0, pass = 0, fail = 0, known = 0,
                unchecked = 0; // by gates 1 to 4; `known` counts findings of any gate
    std::size_t controls = 0, red = 0, missed = 0, controls_unchecked = 0,
                not_asked = 0;                            // `controls` leaves out not_asked
    std::size_t limit_problems = 0, limits_unchecked = 0; // findings of gate 5; kernels whose gate 5 is unchecked
    std::map<std::uint32_t, std::uint64_t> launches;      // a gate, controls included
    DeviceReport device;
};

/// A run's outcomes; the order is that of the registry, chip by chip.
struct RunOutcome {
    std::vector<std::string> chips;
    std::vector<std::uint32_t> gates;
    std::vector<KernelOutcome> kernels;
    std::vector<ControlOutcome> controls;
};

/// A control that is red as planted becomes unchecked where its registration fails the same gate on that chip with the
/// same kind of finding: then the fault has shown nothing. So does one that is missed where its registration fails the
/// gate that it is red at: then its fault was not asked for. Without an outcome of the registration in `run`, nothing
/// changes.
void doubt_control(const RunOutcome& run, ControlOutcome& outcome);

ChipSummary summarise(const RunOutcome& run, const std::string& chip);

/// `SUMMARY gfx1151 17 kernels: 17 pass gates 1-4, 0 fail, 0 known findings; 7 controls: 7 red as planted, 0 missed; 0
/// limit problems` with what else is to be said (unchecked, not asked here) where there is any.
std::string summary_line(const ChipSummary& summary, const std::string& chip, const std::vector<std::uint32_t>& gates);

/// `1-4`, `2`, `1-2,4`.
std::string gates_text(const std::vector<std::uint32_t>& gates);

/// 0 where all is as contracted, else 1. Nothing judged at all is never 0.
int exit_status(const RunOutcome& run, bool allow_unchecked);

} // namespace hkc
