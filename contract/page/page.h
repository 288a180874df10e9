// A report as one page of HTML that needs nothing else: no network, no other file.
#pragma once

#include "contract/runner/outcome_json.h"

#include <functional>
#include <optional>
#include <string>

namespace hkc::page {

struct PageInput {
    const ReadReport& report;
    const RunOutcome* base = nullptr; // what resources are compared with, or null
    std::string base_name;            // how the page calls it
    /// The text of a source of the report, by its path from the root; nothing where it is not there, or is another than
    /// the report's.
    std::function<std::optional<std::string>(const std::string& file)> source_text;
};

/// Gates chip by kernel, findings with the source lines about them, controls, resources as bars with the change against
/// the base, fidelity; a filter by text, chip and status. Every text of the report is escaped. UTF-8.
std::string page_html(const PageInput& input);

} // namespace hkc::page
