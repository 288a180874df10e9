// An unmodified HIP program on the embedded device: what `peacemaker exec` does.
//
// The program starts with the device's library in place of libamdhip64: preloaded, and found first by every name that
// the real one has. The library prints findings on stderr as they occur, and appends a letter for each kind of thing
// that happened to a file, so that they are known however the program ends.
#pragma once

#include "peacemaker/support/result.h"

#include <string>
#include <vector>

namespace pm {

/// What the library tells the program that started it.
enum class ExecEvent : char { kLoaded = 'L', kFinding = 'F', kUnchecked = 'U' };

inline constexpr const char* kExecStatusVariable = "HKC_SANITIZE_STATUS";
inline constexpr const char* kSanitizeVariable = "HKC_SANITIZE";

struct ExecRequest {
    std::string library;              // the device's: libpm_hip.so
    std::string chip;                 // the only one that the program sees; empty: as HIP_VISIBLE_DEVICES has it
    std::vector<std::string> command; // the program and its arguments; looked for in PATH
};

struct ExecResult {
    int status = 0;         // the program's, or 128 and the signal that ended it
    int signal = 0;         // 0 where it ended by itself
    bool loaded = false;    // whether the library came into any of its processes
    bool findings = false;  // whether the device found a fault
    bool unchecked = false; // whether something asked of the device could not be executed or loaded
};

/// Runs the program to its end. Error: no such chip, library or program.
Result<ExecResult> exec_program(const ExecRequest& request);

} // namespace pm
