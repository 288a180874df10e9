// What SARIF 2.1.0 requires of a log, and code scanning beyond it, checked by hand from the two documents.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pm::testing {

/// What is wrong with a log, a line each. Sources: OASIS SARIF 2.1.0, sections 3.13 (sarifLog), 3.14 (run), 3.19
/// (toolComponent), 3.27 (result), 3.28 to 3.30 (location, physicalLocation, region), 3.32 (address), 3.49
/// (reportingDescriptor); docs.github.com, "SARIF support for code scanning".
std::vector<std::string> sarif_faults(std::string_view text);

/// The results of a log without faults.
nlohmann::json sarif_results(std::string_view text);

} // namespace pm::testing
