// A run as SARIF 2.1.0, for code-scanning services.
#pragma once

#include "contract/registry/registry.h"
#include "contract/runner/judge.h"

#include <filesystem>
#include <string>

namespace hkc {

/// A result for each finding of a gate that fails, for each control that was missed, and a warning for all that is
/// unchecked. Places are the line of the source that a finding names, else the kernel's source, of a control the line
/// that declares it; relative to `root`. Known findings and passes are left out.
std::string sarif_log(const RunOutcome& run, const Registry& registry, const std::filesystem::path& root);

} // namespace hkc
