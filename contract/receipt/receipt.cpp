#include "contract/receipt/receipt.h"

#include "contract/receipt/reason.h"
#include "contract/records/records.h"
#include "contract/runner/judge.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc::receipt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTool = "hip-kernel-contract-receipt";

std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const pm::Resources& resources) {
    Json json = Json::object();
    for (const records::Field& field : records::fields()) json[std::string(field.name)] = resources.*field.value;
    return json;
}

pm::Resources resources_of(const Json& json) {
    pm::Resources resources;
    for (const records::Field& field : records::fields())
        json.at(std::string(field.name)).get_to(resources.*field.value);
    return resources;
}

Json json_of(const limits::Audited& kernel) {
    Json compiled = Json::object();
    for (const auto& [symbol, resources] : kernel.compiled) compiled[symbol] = json_of(resources);
    return {{"chip", kernel.chip},
            {"family", kernel.family},
            {"name", kernel.name},
            {"compiled", compiled},
            {"result", gate_json(kernel.result)},
            {"known_findings", kernel.known},
            {"record_differs", kernel.record_differs}};
}

limits::Audited audited_of(const Json& json) {
    limits::Audited kernel;
    json.at("chip").get_to(kernel.chip);
    json.at("family").get_to(kernel.family);
    json.at("name").get_to(kernel.name);
    for (const auto& [symbol, resources] : json.at("compiled").items())
        kernel.compiled.emplace(symbol, resources_of(resources));
    kernel.result = gate_from_json(json.at("result"));
    json.at("known_findings").get_to(kernel.known);
    json.at("record_differs").get_to(kernel.record_differs);
    return kernel;
}

Json json_of(const limits::AuditReport& report) {
    Json toolchains = Json::array();
    for (const limits::ToolchainAudit& audit : report.toolchains) {
        Json built = Json::array(), kernels = Json::array();
        for (const limits::Built& one : audit.built)
            built.push_back({{"chip", one.chip},
                             {"family", one.family},
                             {"idents", one.fingerprint.idents},
                             {"flags", one.fingerprint.flags},
                             {"linkers", one.fingerprint.linkers}});
        for (const limits::Audited& kernel : audit.kernels) kernels.push_back(json_of(kernel));
        toolchains.push_back({{"name", audit.spec.name},
                              {"version", audit.spec.version},
                              {"pinned", audit.spec.pinned},
                              {"installed", !audit.compiler.empty()},
                              {"note", audit.message},
                              {"errors", audit.errors},
                              {"built", built},
                              {"kernels", kernels}});
    }
    return toolchains;
}

limits::AuditReport audit_of(const Json& json) {
    limits::AuditReport report;
    for (const Json& one : json) {
        limits::ToolchainAudit audit;
        one.at("name").get_to(audit.spec.name);
        one.at("version").get_to(audit.spec.version);
        one.at("pinned").get_to(audit.spec.pinned);
        if (one.at("installed").get<bool>()) audit.compiler = audit.spec.name;
        report.pinned_missing = report.pinned_missing || (audit.spec.pinned && audit.compiler.empty());
        one.at("note").get_to(audit.message);
        one.at("errors").get_to(audit.errors);
        for (const Json& built : one.at("built"))
            audit.built.push_back(
                {built.at("chip").get<std::string>(),
                 built.at("family").get<std::string>(),
                 {built.at("idents").get<std::vector<std::string>>(), built.at("flags").get<std::vector<std::string>>(),
                  built.at("linkers").get<std::vector<std::string>>()}});
        for (const Json& kernel : one.at("kernels")) audit.kernels.push_back(audited_of(kernel));
        report.toolchains.push_back(std::move(audit));
    }
    return report;
}

Json json_of(const Side& side) {
    Json json = {{"commit", side.commit}, {"not_run", side.not_run}};
    json["run"] = side.run ? Json::parse(report_json(side.run->outcome, side.run->description)) : Json();
    json["audit"] = side.audited ? json_of(*side.audited) : Json();
    return json;
}

pm::Result<Side> side_of(const Json& json) {
    Side side;
    json.at("commit").get_to(side.commit);
    json.at("not_run").get_to(side.not_run);
    if (!json.at("run").is_null()) {
        auto run = read_report(dump(json.at("run")) + '\n');
        if (!run) return run.error();
        side.run = std::move(*run);
    }
    if (!json.at("audit").is_null()) side.audited = audit_of(json.at("audit"));
    return side;
}

Json json_without_seal(const Receipt& receipt) {
    Json changes = Json::array();
    for (const Change& change : receipt.changes)
        changes.push_back({{"grade", grade_name(change.grade)}, {"what", change.what}, {"reason", change.reason}});
    Json reasons = Json::array();
    for (const Reason& reason : receipt.reasons) reasons.push_back({{"pattern", reason.pattern}, {"why", reason.why}});
    return {{"schema", kSchema},
            {"tool", kTool},
            {"exit_status", receipt.exit_status},
            {"dirty", receipt.dirty},
            {"changes", changes},
            {"reasons", reasons},
            {"problems", {{"new", receipt.added}, {"gone", receipt.gone}, {"identical", receipt.identical}}},
            {"head", json_of(receipt.head)},
            {"base", json_of(receipt.base)}};
}

/// Limit problems and unchecked limits of the audit, as problems_of() has those of the gates.
void add_audit_problems(const limits::AuditReport& report, std::vector<Problem>& problems) {
    const auto add = [&](const std::string& line) { problems.push_back({line, line}); };
    for (const limits::ToolchainAudit& audit : report.toolchains) {
        if (audit.spec.pinned && audit.compiler.empty())
            add(fmt::format("unchecked audit {}: not installed", audit.spec.name));
        for (const std::string& error : audit.errors) add(fmt::format("fail audit {}: {}", audit.spec.name, error));
        for (const limits::Audited& kernel : audit.kernels) {
            const std::string where = fmt::format("{} {} audit {}", kernel.chip, kernel.name, audit.spec.name);
            for (const Finding& finding : kernel.result.findings)
                add(fmt::format("fail {}: {}: {}", where, finding.kind, finding.text));
            for (const std::string& reason : kernel.result.unchecked)
                add(fmt::format("unchecked {}: {}", where, reason));
        }
    }
}

std::vector<Problem> problems_of_side(const Side& side, const Registry* registry) {
    std::vector<Problem> problems;
    if (registry == nullptr) return problems;
    if (side.run) problems = problems_of(side.run->outcome, *registry, registry->root);
    if (side.audited) add_audit_problems(*side.audited, problems);
    return problems;
}

} // namespace

void assemble(Receipt& receipt, const Registry& head, const Registry* base) {
    receipt.added.clear();
    receipt.gone.clear();
    receipt.identical.clear();
    const std::vector<Problem> problems = problems_of_side(receipt.head, &head);
    if (receipt.base.not_run.empty()) {
        const BaseComparison compared = compare_problems(problems, problems_of_side(receipt.base, base));
        receipt.added = compared.added;
        receipt.gone = compared.gone;
        receipt.identical = compared.unchanged;
    } else {
        for (const Problem& problem : problems) receipt.added.push_back(problem.line);
    }
    receipt.exit_status = shortcomings(receipt).empty() ? 0 : 1;
}

std::vector<std::string> shortcomings(const Receipt& receipt) {
    std::vector<std::string> lines;
    const Side& head = receipt.head;
    const bool allowed = head.run && head.run->description.allow_unchecked;
    if (!head.run || !head.audited) {
        lines.emplace_back("the head was not run: " + head.not_run);
    } else {
        if (exit_status(head.run->outcome, allowed) != 0)
            lines.emplace_back("gates or controls of the head are not as contracted");
        if (limits::exit_status(*head.audited, allowed) != 0)
            lines.emplace_back("the audit of the head is not as recorded");
    }
    if (!receipt.base.not_run.empty()) lines.emplace_back("the base was not run: " + receipt.base.not_run);
    if (!receipt.dirty.empty())
        lines.push_back(fmt::format("the tree is dirty: {} files differ from the commit", receipt.dirty.size()));
    const auto bare = std::count_if(receipt.changes.begin(), receipt.changes.end(),
                                    [](const Change& change) { return !why_no_reason(change.reason).empty(); });
    if (bare != 0) lines.push_back(fmt::format("{} contract changes have no reason", bare));
    return lines;
}

std::string side_to_json(const Side& side) { return dump(json_of(side)); }

pm::Result<Side> read_side(std::string_view text) {
    try {
        return side_of(Json::parse(text));
    } catch (const Json::exception& e) {
        return pm::Error{fmt::format("a side that is damaged: {}", e.what())};
    }
}

std::string to_json(const Receipt& receipt) {
    Json json = json_without_seal(receipt);
    json["sha256"] = pm::sha256_hex(dump(json));
    return dump(json) + '\n';
}

pm::Result<Receipt> read_json(std::string_view text) {
    Receipt receipt;
    try {
        Json json = Json::parse(text);
        if (!json.is_object() || json.value("tool", "") != kTool)
            return pm::Error{fmt::format("no receipt of {}", kTool)};
        if (json.value("schema", Json()) != kSchema)
            return pm::Error{
                fmt::format("a receipt of schema {}; expected {}", json.value("schema", Json()).dump(), kSchema)};
        const auto seal = json.at("sha256").get<std::string>();
        Json unsealed = json;
        unsealed.erase("sha256");
        if (pm::sha256_hex(dump(unsealed)) != seal) return pm::Error{"altered: its sha256 is not that of its text"};
        json.at("exit_status").get_to(receipt.exit_status);
        json.at("dirty").get_to(receipt.dirty);
        for (const Json& change : json.at("changes"))
            receipt.changes.push_back(
                {change.at("grade") == grade_name(Grade::kWeaker) ? Grade::kWeaker : Grade::kChanged,
                 change.at("what").get<std::string>(), change.at("reason").get<std::string>()});
        for (const Json& reason : json.at("reasons"))
            receipt.reasons.push_back({reason.at("pattern").get<std::string>(), reason.at("why").get<std::string>()});
        json.at("problems").at("new").get_to(receipt.added);
        json.at("problems").at("gone").get_to(receipt.gone);
        json.at("problems").at("identical").get_to(receipt.identical);
        for (const auto& [name, side] : {std::pair{"head", &receipt.head}, std::pair{"base", &receipt.base}}) {
            auto read = side_of(json.at(name));
            if (!read) return read.error().with(name);
            *side = std::move(*read);
        }
    } catch (const Json::exception& e) {
        return pm::Error{fmt::format("a receipt that is cut off or damaged: {}", e.what())};
    }
    if (to_json(receipt) != text) return pm::Error{"altered, or written by another version"};
    return receipt;
}

std::string seal_of(std::string_view json_text) {
    const Json json = Json::parse(json_text, nullptr, false);
    return json.is_object() ? json.value("sha256", "") : "";
}

} // namespace hkc::receipt
