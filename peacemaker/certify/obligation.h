// What an analysis could not discharge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::certify {

/// Kinds, as reports name them.
namespace kind {
inline constexpr std::string_view kReadBeforeWait = "register read before its wait";
inline constexpr std::string_view kOverwriteBeforeWait = "register overwritten before its wait";
inline constexpr std::string_view kUndrainedLds = "LDS store not drained before a barrier";
inline constexpr std::string_view kBarrierDivergence = "barrier not shown to be met by all waves";
inline constexpr std::string_view kBarrierPairing = "barrier signal and wait not paired";
inline constexpr std::string_view kHazard = "hazard not kept off";
inline constexpr std::string_view kClause = "s_clause not well formed";
inline constexpr std::string_view kDelay = "s_delay_alu not well formed";
inline constexpr std::string_view kRegisterOutside = "register outside the allocation";
inline constexpr std::string_view kDescriptor = "kernel descriptor not as it must be";
inline constexpr std::string_view kScratchDisabled = "scratch used though the descriptor does not enable it";
inline constexpr std::string_view kLdsRace = "LDS accesses of different waves without a barrier between";
inline constexpr std::string_view kLdsOutside = "LDS address out of bounds";
inline constexpr std::string_view kLdsOrder = "LDS accesses of different waves not shown to be ordered";
inline constexpr std::string_view kLdsBounds = "LDS address not shown to be in bounds";
} // namespace kind

/// A fault holds on a path of the program as it stands, whatever its branches depend on; the others say what was not
/// shown.
struct Obligation {
    std::string_view kind;
    std::uint32_t step = 0;          // of Code::steps: where
    std::string detail;              // what about it
    std::vector<std::uint32_t> path; // steps from the cause to `step`, where blocks begin; may be empty
    bool fault = false;
};

} // namespace pm::certify
