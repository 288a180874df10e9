// What a run finds, as plain data: the only thing that reports, exit statuses and receipts read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// The four verdicts; there is no fifth. kUnchecked: we could not ask.
enum class Status : std::uint8_t { kPass, kFail, kKnownFinding, kUnchecked };
std::string_view status_name(Status status);

/// One fault found by a gate. `kind` is one of finding_kinds(), the name that controls and known findings use.
struct Finding {
    std::string kind;
    std::string text;        // where and what, expected and actual, for a person
    std::string source = {}; // FILE:LINE of the instruction to blame, where the object tells; else empty
};

/// Every kind a gate can give, the embedded device's included, in one table.
const std::vector<std::string>& finding_kinds();

/// The gates' own kinds (the device's are pm::emu::finding_kind_names()). Each constant is the printed name.
namespace kind {
inline constexpr std::string_view kWrongChip = "object for another chip";
inline constexpr std::string_view kUnreadableObject = "unreadable object";
inline constexpr std::string_view kSymbolMissing = "symbol missing";
inline constexpr std::string_view kBadDescriptor = "bad kernel descriptor";
inline constexpr std::string_view kArgumentMismatch = "argument mismatch";
inline constexpr std::string_view kBlockSize = "block size";
inline constexpr std::string_view kLdsLimit = "LDS over the limit";
inline constexpr std::string_view kKernargLimit = "kernarg over the limit";
inline constexpr std::string_view kNotCertified = "not certified";
inline constexpr std::string_view kHipError = "HIP error";
inline constexpr std::string_view kGuardOverwritten = "guard overwritten";
inline constexpr std::string_view kInputChanged = "input changed";
inline constexpr std::string_view kGlobalChanged = "undeclared memory changed";
inline constexpr std::string_view kOutputNotWritten = "output not written";
inline constexpr std::string_view kNotRepeatable = "not repeatable";
inline constexpr std::string_view kOutsideOracle = "outside the oracle";
inline constexpr std::string_view kDiffersFromReplaced = "differs from the replaced chain";
inline constexpr std::string_view kNanLost = "NaN lost";
inline constexpr std::string_view kStreamDiffers = "differs on another stream";
inline constexpr std::string_view kGraphDiffers = "differs in a graph replay";
inline constexpr std::string_view kRecordDiffers = "differs from the record";
inline constexpr std::string_view kLoadedDiffers = "differs from the loaded object";
inline constexpr std::string_view kOverChipLimit = "over the chip's limit";
/// Passes only where it is a known finding.
inline constexpr std::string_view kUsesScratch = "uses scratch";
inline constexpr std::string_view kStaleKnownFinding = "stale known finding";
inline constexpr std::string_view kCrash = "crash";
inline constexpr std::string_view kTimeOut = "time-out";
} // namespace kind

/// Numbers of gates that code outside of their files asks for.
inline constexpr std::uint32_t kLoadGate = 1, kMemoryGate = 2, kLimitsGate = 5;

/// One gate of one registration (or control) on one chip.
struct GateResult {
    std::uint32_t gate = 0;
    Status status = Status::kUnchecked;
    std::vector<Finding> findings;
    std::vector<std::string> unchecked; // reasons
    std::uint64_t checks = 0;           // comparisons made; a pass has at least one
    std::uint64_t launches = 0;
};

} // namespace hkc
