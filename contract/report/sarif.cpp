#include "contract/report/sarif.h"

#include <fmt/format.h>

namespace hkc {

std::vector<pm::sarif::Finding> sarif_findings(const GateResult& result, const Judged& judged) {
    std::vector<pm::sarif::Finding> out;
    const std::string where = fmt::format("{} gate {}", judged.who, result.gate);
    const auto place = [&](const std::string& source) {
        // A line table names files as the compiler was given them, which ran in the root or had whole paths.
        return pm::sarif::place_in((judged.root / (source.empty() ? judged.file + ":1" : source)).string(),
                                   judged.root);
    };
    if (result.status == Status::kFail)
        for (const Finding& finding : result.findings)
            out.push_back({finding.kind, pm::sarif::Level::kError,
                           fmt::format("{}: {}: {}", where, finding.kind, finding.text), place(finding.source),
                           judged.text_is_identity ? where + "\n" + finding.text : where});
    const bool no_reason = result.status == Status::kUnchecked && result.unchecked.empty();
    for (const std::string& reason : no_reason ? std::vector<std::string>{"no reason given"} : result.unchecked)
        out.push_back({"unchecked", pm::sarif::Level::kWarning, fmt::format("{}: unchecked: {}", where, reason),
                       place(""), where});
    return out;
}

} // namespace hkc
