// What built an object: the compilers that signed its .comment, and the flags they were given.
//
// Two objects are compared with one another's records only where their fingerprints agree; the linker's line and
// anything that names a path differ between machines without changing a register count, so they do not count.
#pragma once

#include "peacemaker/object/code_object.h"

#include <span>
#include <string>
#include <vector>

namespace hkc {

struct Fingerprint {
    std::vector<std::string> idents;  // compiler (and device-library) lines of .comment, each once, sorted
    std::vector<std::string> flags;   // normalised, in the order given
    std::vector<std::string> linkers; // linker lines of .comment: information, never compared

    bool operator==(const Fingerprint& other) const { return idents == other.idents && flags == other.flags; }
    /// One line for a person: `Debian clang version 22.1.8 (1~deb12u1) with -std=c++20 -O3`.
    std::string text() const;
};

/// The flags that can change code, in order: no paths, no include folders, no output, dependency or job-control names;
/// -D is kept.
std::vector<std::string> normalised_flags(std::span<const std::string> flags);

/// `idents` are a code object's .comment lines; linker lines are set apart.
Fingerprint make_fingerprint(std::span<const std::string> idents, std::span<const std::string> flags);

} // namespace hkc
