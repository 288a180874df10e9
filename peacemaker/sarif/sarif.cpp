#include "peacemaker/sarif/sarif.h"

#include "peacemaker/support/file.h"
#include "peacemaker/support/file_line.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace pm::sarif {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kHashDigits = 16;
constexpr std::string_view kScheme = "https:"; // of the name that the schema has

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// RFC 3986: what is not unreserved is %XX; a path keeps its slashes.
std::string uri_encoded(std::string_view path) {
    constexpr std::string_view kPlain = "-._~/";
    std::string out;
    for (const char c : path) {
        if (is_letter_or_digit(c) || kPlain.find(c) != std::string_view::npos)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string_view level_name(Level level) {
    switch (level) {
    case Level::kError:
        return "error";
    case Level::kWarning:
        return "warning";
    case Level::kNote:
        return "note";
    }
    return "none";
}

ordered_json rule_of(std::string_view tool, const Finding& finding) {
    return {
        {"id", rule_id(finding.kind)},
        {"name", finding.kind},
        {"shortDescription", {{"text", finding.kind}}},
        {"fullDescription", {{"text", fmt::format("{}: {}", tool, finding.kind)}}},
        {"help", {{"text", fmt::format("What {} means by \"{}\" stands in its documentation.", tool, finding.kind)}}},
        {"defaultConfiguration", {{"level", level_name(finding.level)}}}};
}

ordered_json location_of(const Place& place) {
    ordered_json physical = {{"artifactLocation", {{"uri", place.uri}}}, {"region", {{"startLine", place.line}}}};
    ordered_json location;
    if (place.instruction) {
        const Instruction& at = *place.instruction;
        physical["address"] = {{"kind", "instruction"},
                               {"name", fmt::format("{}{:+#x}", at.function, at.offset)},
                               {"relativeAddress", at.address}};
        location["physicalLocation"] = std::move(physical);
        location["logicalLocations"] = {{{"fullyQualifiedName", at.function}, {"kind", "function"}}};
    } else {
        location["physicalLocation"] = std::move(physical);
    }
    return location;
}

} // namespace

std::string rule_id(std::string_view kind) {
    std::string id;
    for (const char c : kind) {
        if (is_letter_or_digit(c))
            id += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        else if (!id.empty() && id.back() != '-')
            id += '-';
    }
    if (!id.empty() && id.back() == '-') id.pop_back();
    return id;
}

Place place_in(const std::string& file_and_line, const std::filesystem::path& root) {
    Place place;
    std::string file = file_and_line;
    if (auto at = parse_file_line(file_and_line)) {
        place.line = std::max(at->line, 1U);
        file = std::move(at->file);
    }
    const auto whole = std::filesystem::absolute(file).lexically_normal();
    const auto inside = whole.lexically_relative(std::filesystem::absolute(root).lexically_normal());
    const bool within = !inside.empty() && *inside.begin() != "..";
    place.uri = within ? uri_encoded(inside.generic_string()) : "file://" + uri_encoded(whole.generic_string());
    return place;
}

std::string log(std::string_view tool, std::span<const Finding> findings) {
    std::vector<std::string> ids;
    std::map<std::string, std::size_t> alike; // by fingerprint: the how many-th
    ordered_json rules = ordered_json::array(), results = ordered_json::array();
    for (const Finding& finding : findings) {
        const std::string id = rule_id(finding.kind);
        const auto found = std::find(ids.begin(), ids.end(), id);
        const auto index = static_cast<std::size_t>(found - ids.begin());
        if (found == ids.end()) {
            ids.push_back(id);
            rules.push_back(rule_of(tool, finding));
        }
        const std::string hash =
            sha256_hex(fmt::format("{}\n{}\n{}", id, finding.place.uri, finding.identity)).substr(0, kHashDigits);
        results.push_back(
            {{"ruleId", id},
             {"ruleIndex", index},
             {"level", level_name(finding.level)},
             {"message", {{"text", finding.message}}},
             {"locations", {location_of(finding.place)}},
             {"partialFingerprints", {{"primaryLocationLineHash", fmt::format("{}:{}", hash, ++alike[hash])}}}});
    }
    const ordered_json run = {{"tool", {{"driver", {{"name", tool}, {"rules", std::move(rules)}}}}},
                              {"automationDetails", {{"id", std::string(tool) + "/"}}},
                              {"results", std::move(results)}};
    const ordered_json whole = {{"$schema", std::string(kScheme) + "//json.schemastore.org/sarif-2.1.0.json"},
                                {"version", "2.1.0"},
                                {"runs", ordered_json::array({run})}};
    // Names come from files and need not be UTF-8.
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pm::sarif
