// Findings of gates as SARIF.
#pragma once

#include "contract/report/outcome.h"
#include "peacemaker/sarif/sarif.h"

#include <filesystem>
#include <string>
#include <vector>

namespace hkc {

/// Who was judged, and where that is told when a finding has no line of its own.
struct Judged {
    std::string who;               // "gfx1151 relu2": chip and registration
    std::string file;              // its source, as the registry names it
    std::filesystem::path root;    // of the registry
    bool text_is_identity = false; // gate 5: other numbers are another finding
};

/// The findings of a gate that failed, as errors, and what it left unchecked, as warnings; of a known finding or a pass
/// nothing.
std::vector<pm::sarif::Finding> sarif_findings(const GateResult& result, const Judged& judged);

} // namespace hkc
