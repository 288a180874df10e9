#include "peacemaker/audit/audit.h"

#include "peacemaker/sarif/sarif.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pm::audit {
namespace {

std::string_view scope_name(Scope scope) {
    switch (scope) {
    case Scope::kUsual:
        return "usual";
    case Scope::kLdsBarrier:
        return "lds-barrier";
    case Scope::kAll:
        return "all";
    }
    return "all";
}

/// "v2 is read while it is in flight" behind the instruction.
std::string told(const certify::Open& open) {
    return open.detail.empty() ? open.instruction : fmt::format("{}: {}", open.instruction, open.detail);
}

std::string head_of(const Unchecked& one) {
    return one.kernel.empty() ? one.where : fmt::format("{}: {}", one.where, one.kernel);
}

} // namespace

std::string report_text(const Report& report) {
    std::string out;
    for (const Unchecked& one : report.unchecked) {
        // Most errors of a file name it.
        const bool named = one.reason.starts_with(one.where);
        out += fmt::format("unchecked {}{}{}\n", named ? "" : head_of(one), named ? "" : ": ", one.reason);
    }
    for (const Obligation& one : report.open) {
        const Object& object = report.objects[one.object];
        out += fmt::format("{} {} {} {}+{:#x}{}: {}: {}\n", one.open.fault ? "fault" : "unchecked", object.where,
                           object.chip, one.kernel, one.open.at,
                           one.open.source.empty() ? "" : " (" + one.open.source + ")", one.open.kind, told(one.open));
        if (!one.open.path.empty()) out += fmt::format("    by way of {}\n", fmt::join(one.open.path, "; "));
    }
    out += fmt::format(
        "AUDIT {} files, {} skipped; {} objects, {} duplicates; {} kernels: {} clean, {} with findings, "
        "{} unchecked; {} findings{}\n",
        report.files, report.skipped, report.objects.size(), report.duplicates, report.kernels(), report.clean(),
        report.kernels_with_findings, report.kernels_unchecked, report.findings(),
        report.clean_in_scope_only == 0
            ? ""
            : fmt::format("; {} of the clean ones are left open beyond what was asked", report.clean_in_scope_only));
    return out;
}

std::string report_json(const Report& report) {
    using nlohmann::ordered_json;
    ordered_json objects = ordered_json::array(), unchecked = ordered_json::array();
    for (const Object& object : report.objects)
        objects.push_back({{"where", object.where},
                           {"sha256", object.sha256},
                           {"chip", object.chip},
                           {"kernels", object.kernels},
                           {"clean", object.clean},
                           {"open", ordered_json::array()}});
    for (const Obligation& one : report.open)
        objects[one.object]["open"].push_back({{"kernel", one.kernel},
                                               {"kind", one.open.kind},
                                               {"fault", one.open.fault},
                                               {"offset", one.open.at},
                                               {"instruction", one.open.instruction},
                                               {"source", one.open.source},
                                               {"detail", one.open.detail},
                                               {"path", one.open.path}});
    for (const Unchecked& one : report.unchecked)
        unchecked.push_back({{"where", one.where}, {"kernel", one.kernel}, {"reason", one.reason}});
    const ordered_json whole = {{"schema", 1},
                                {"tool", "peacemaker audit"},
                                {"scope", scope_name(report.scope)},
                                {"files", report.files},
                                {"skipped", report.skipped},
                                {"duplicates", report.duplicates},
                                {"findings", report.findings()},
                                {"kernels",
                                 {{"all", report.kernels()},
                                  {"clean", report.clean()},
                                  {"clean_in_scope_only", report.clean_in_scope_only},
                                  {"with_findings", report.kernels_with_findings},
                                  {"unchecked", report.kernels_unchecked}}},
                                {"objects", std::move(objects)},
                                {"unchecked", std::move(unchecked)}};
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string report_sarif(const Report& report, std::string_view tool, const std::filesystem::path& root) {
    std::vector<sarif::Finding> findings;
    for (const Obligation& one : report.open) {
        const Object& object = report.objects[one.object];
        sarif::Finding finding;
        finding.kind = one.open.kind;
        finding.level = one.open.fault ? sarif::Level::kError : sarif::Level::kWarning;
        finding.message =
            fmt::format("{}: {} {}+{:#x}: {}", one.open.kind, object.chip, one.kernel, one.open.at, told(one.open));
        if (!one.open.path.empty()) finding.message += fmt::format("; by way of {}", fmt::join(one.open.path, "; "));
        // A file that has a colon and digits at its end is no source with a line.
        finding.place = sarif::place_in(one.open.source.empty() ? object.file + ":1" : one.open.source, root);
        finding.place.instruction = {one.kernel, static_cast<std::int64_t>(one.open.at), one.address};
        finding.identity = fmt::format("{}\n{}\n{}", object.chip, one.kernel, one.open.instruction);
        findings.push_back(std::move(finding));
    }
    for (const Unchecked& one : report.unchecked)
        findings.push_back({"unchecked", sarif::Level::kWarning, fmt::format("{}: {}", head_of(one), one.reason),
                            sarif::place_in(one.file + ":1", root), one.kernel + "\n" + one.reason});
    return sarif::log(tool, findings);
}

} // namespace pm::audit
