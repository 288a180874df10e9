// What a user sees of the checks with no program that asks: each finding on stderr when it is first found, and the
// counts when the process ends. Off unless the environment asks for it:
//   HKC_SANITIZE=1          report on stderr
//   HKC_SANITIZE_JSON=FILE  write the whole report there when the process ends
//   HKC_SANITIZE_STATUS=FILE  append a letter for what happens (`peacemaker exec` reads it; run/exec.h)
#pragma once

#include "peacemaker/emu/report.h"

#include <string>

namespace pm::hip {

/// The report of the whole process.
class Sanitizer {
public:
    Sanitizer();

    void add(const emu::Report& report);
    /// Prints counts and writes files, once the process is about to end.
    void finish();

private:
    bool print_ = false;
    std::string json_;
    std::string status_;
    emu::Report all_;
};

} // namespace pm::hip
