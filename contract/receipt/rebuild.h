// What a receipt says of objects and their costs, against a fresh build (or the build cache): hashes, fingerprints,
// certificates and the audit. No device is asked.
#pragma once

#include "contract/receipt/receipt.h"
#include "contract/runner/run.h"

#include <string>
#include <vector>

namespace hkc::receipt {

struct Rebuilt {
    std::vector<std::string> faults;     // the receipt says something else
    std::vector<std::string> unverified; // what could not be built as the receipt's objects were, and why
};

/// Builds what the side's run and audit are made of, from the files under `registry`'s root, which are that side's. An
/// object is compared only where the compiler here leaves the receipt's fingerprint.
Rebuilt rebuild(const Side& side, const Registry& registry, unsigned jobs, const Progress& progress);

} // namespace hkc::receipt
