#include "peacemaker/emu/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace pm::emu {
namespace {

struct KindName {
    FindingKind kind;
    std::string_view name;
};

/// In the order of the enumeration.
constexpr KindName kKindNames[] = {
    {FindingKind::kReadOutOfBounds, "out-of-bounds read"},
    {FindingKind::kWriteOutOfBounds, "out-of-bounds write"},
    {FindingKind::kReadOnlyWritten, "read-only memory written"},
    {FindingKind::kUsedBeforeWait, "register used before its wait"},
    {FindingKind::kOverwrittenBeforeWait, "register overwritten before its wait"},
    {FindingKind::kUndefinedDecides, "undefined value decides"},
    {FindingKind::kUndefinedOutput, "undefined output"},
    {FindingKind::kKernargNotSupplied, "kernel argument not supplied"},
    {FindingKind::kRegisterOutsideAllocation, "register outside the allocation"},
    {FindingKind::kLdsOutOfBounds, "LDS out of bounds"},
    {FindingKind::kLdsRace, "LDS race"},
    {FindingKind::kGlobalRace, "device memory race"},
    {FindingKind::kBarrierDivergence, "barrier divergence"},
    {FindingKind::kMisaligned, "misaligned access"},
    {FindingKind::kTrap, "trap"},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < std::size(kKindNames); ++i)
        if (static_cast<std::size_t>(kKindNames[i].kind) != i) return false;
    return true;
}
static_assert(in_order());

void add_new(std::vector<std::string>& texts, const std::vector<std::string>& more) {
    for (const std::string& text : more)
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

bool same_place(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.kernel == b.kernel && a.offset == b.offset &&
           (!a.kernel.empty() || a.address == b.address);
}

nlohmann::json json_of(const Finding& finding) {
    nlohmann::json json = {{"kind", finding_kind_name(finding.kind)},
                           {"kernel", finding.kernel},
                           {"address", finding.address},
                           {"detail", finding.detail},
                           {"count", finding.count}};
    if (finding.instruction.empty()) return json;
    json["instruction"] = finding.instruction;
    json["offset"] = finding.offset;
    json["source"] = finding.source;
    json["workgroup"] = finding.workgroup;
    json["wave"] = finding.wave;
    json["lane"] = finding.lane;
    return json;
}

} // namespace

std::string_view finding_kind_name(FindingKind kind) { return kKindNames[static_cast<std::size_t>(kind)].name; }

std::vector<std::string> finding_kind_names() {
    std::vector<std::string> names;
    for (const KindName& entry : kKindNames) names.emplace_back(entry.name);
    return names;
}

void Report::add(const Finding& finding) {
    const auto found =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return same_place(f, finding); });
    if (found == findings.end())
        findings.push_back(finding);
    else
        found->count += finding.count;
}

void Report::merge(const Report& other) {
    for (const Finding& finding : other.findings) add(finding);
    add_new(unsupported, other.unsupported);
    add_new(refused, other.refused);
    exact += other.exact;
    approximate += other.approximate;
    notes.insert(other.notes.begin(), other.notes.end());
    instructions += other.instructions;
    lane_operations += other.lane_operations;
    launches += other.launches;
}

std::string to_json(const Report& report) {
    nlohmann::json findings = nlohmann::json::array();
    for (const Finding& finding : report.findings) findings.push_back(json_of(finding));
    const nlohmann::json document = {
        {"findings", findings},
        {"unsupported", report.unsupported},
        {"refused", report.refused},
        {"fidelity", {{"exact", report.exact}, {"approximate", report.approximate}, {"notes", report.notes}}},
        {"instructions", report.instructions},
        {"lane_operations", report.lane_operations},
        {"launches", report.launches}};
    // Symbol names come from files and need not be UTF-8.
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace pm::emu
