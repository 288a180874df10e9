#include "tests/sarif/sarif_check.h"

#include <fmt/format.h>

#include <regex>
#include <set>

namespace pm::testing {
namespace {

using nlohmann::json;

/// What an object has under a key, else null.
json get(const json& value, const std::string& key) {
    return value.is_object() && value.contains(key) ? value[key] : json();
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

class Check {
public:
    std::vector<std::string> faults;

    /// An object that has all of `required` and nothing beyond `allowed`.
    bool object(const json& value, const std::string& where, const std::set<std::string>& required,
                const std::set<std::string>& optional) {
        if (!value.is_object()) return fault(where, "no object");
        for (const std::string& key : required)
            if (!value.contains(key)) fault(where, "no " + key);
        for (const auto& [key, ignored] : value.items())
            if (!required.contains(key) && !optional.contains(key)) fault(where, key + " is no property of it here");
        return true;
    }
    /// Non-empty text: code scanning takes no empty one for what it requires.
    void text(const json& value, const std::string& where) {
        if (!value.is_string() || value.get<std::string>().empty()) fault(where, "no text");
    }
    void message(const json& value, const std::string& where) {
        if (object(value, where, {"text"}, {"markdown"})) text(get(value, "text"), where + ".text");
    }
    void one_of(const json& value, const std::string& where, const std::set<std::string>& values) {
        if (!value.is_string() || !values.contains(value.get<std::string>())) fault(where, value.dump());
    }
    bool fault(const std::string& where, const std::string& what) {
        faults.push_back(where + ": " + what);
        return false;
    }

    void rule(const json& value, const std::string& where) {
        object(value, where, {"id", "shortDescription", "fullDescription", "help"}, {"name", "defaultConfiguration"});
        text(get(value, "id"), where + ".id");
        for (const char* key : {"shortDescription", "fullDescription", "help"})
            message(get(value, key), where + "." + key);
        if (value.contains("defaultConfiguration"))
            one_of(value["defaultConfiguration"].value("level", json("warning")), where + ".level",
                   {"none", "note", "warning", "error"});
    }

    void location(const json& value, const std::string& where) {
        object(value, where, {"physicalLocation"}, {"logicalLocations", "message", "id"});
        const json physical = get(value, "physicalLocation");
        object(physical, where + ".physicalLocation", {"artifactLocation", "region"}, {"address"});
        const json artifact = get(physical, "artifactLocation");
        object(artifact, where + ".artifactLocation", {"uri"}, {"uriBaseId", "index"});
        // RFC 3986: unreserved characters, %XX and slashes; relative or of scheme file.
        static const std::regex kUri(R"((file:///)?([A-Za-z0-9._~-]|%[0-9A-F]{2})([A-Za-z0-9._~/-]|%[0-9A-F]{2})*)");
        const std::string uri = text_of(get(artifact, "uri"));
        if (!std::regex_match(uri, kUri) || uri.find("..") != std::string::npos) fault(where + ".uri", uri);
        const json region = get(physical, "region");
        object(region, where + ".region", {"startLine"}, {"startColumn", "endLine", "endColumn"});
        if (!get(region, "startLine").is_number_integer() || get(region, "startLine").get<int>() < 1)
            fault(where + ".startLine", region.dump());
        if (physical.contains("address")) {
            const json& address = physical["address"];
            object(address, where + ".address", {}, {"kind", "name", "relativeAddress", "absoluteAddress", "length"});
            if (!address.value("relativeAddress", json(0)).is_number_integer()) fault(where + ".address", "no integer");
        }
        if (!value.contains("logicalLocations")) return;
        if (!value["logicalLocations"].is_array()) fault(where + ".logicalLocations", "no array");
        for (const json& logical : value["logicalLocations"])
            object(logical, where + ".logicalLocations[]", {"fullyQualifiedName"}, {"kind", "name"});
    }

    void result(const json& value, const std::string& where, const json& rules) {
        object(value, where, {"ruleId", "message", "locations", "partialFingerprints"}, {"ruleIndex", "level"});
        message(get(value, "message"), where + ".message");
        one_of(value.value("level", json("warning")), where + ".level", {"none", "note", "warning", "error"});
        const auto index = value.value("ruleIndex", std::size_t{0});
        if (index >= rules.size() || text_of(get(rules[index], "id")) != text_of(get(value, "ruleId")))
            fault(where + ".ruleIndex", "is not that of the rule");
        const json locations = get(value, "locations");
        if (!locations.is_array() || locations.empty() || locations.size() > 10)
            fault(where + ".locations", "not 1 to 10");
        for (const json& one : locations) location(one, where + ".locations[]");
        const json prints = get(value, "partialFingerprints");
        object(prints, where + ".partialFingerprints", {"primaryLocationLineHash"}, {});
        for (const auto& [key, print] : prints.items()) {
            text(print, where + "." + key);
            if (!prints_.insert(print.dump()).second) fault(where + "." + key, "is that of another result");
        }
    }

    void run(const json& value, const std::string& where) {
        object(value, where, {"tool", "results"}, {"automationDetails", "invocations"});
        const json driver = get(get(value, "tool"), "driver");
        object(driver, where + ".tool.driver", {"name", "rules"}, {"version", "semanticVersion", "informationUri"});
        text(get(driver, "name"), where + ".name");
        const json rules = get(driver, "rules");
        std::set<std::string> ids;
        if (!rules.is_array()) fault(where + ".rules", "no array");
        for (const json& one : rules) {
            rule(one, where + ".rules[]");
            if (!ids.insert(text_of(get(one, "id"))).second) fault(where + ".rules[]", "an id twice");
        }
        if (value.contains("automationDetails")) text(get(value["automationDetails"], "id"), where + ".id");
        if (!get(value, "results").is_array()) fault(where + ".results", "no array");
        std::size_t i = 0;
        for (const json& one : get(value, "results")) result(one, fmt::format("results[{}]", i++), rules);
    }

private:
    std::set<std::string> prints_;
};

} // namespace

std::vector<std::string> sarif_faults(std::string_view text) {
    Check check;
    const json whole = json::parse(text, nullptr, false);
    if (!check.object(whole, "log", {"$schema", "version", "runs"}, {})) return check.faults;
    if (text_of(get(whole, "version")) != "2.1.0") check.fault("version", text_of(get(whole, "version")));
    if (text_of(get(whole, "$schema")).find("sarif-2.1.0") == std::string::npos) check.fault("$schema", "another");
    const json runs = get(whole, "runs");
    if (!runs.is_array() || runs.empty()) check.fault("runs", "none");
    for (const json& run : runs) check.run(run, "runs[]");
    return check.faults;
}

json sarif_results(std::string_view text) { return json::parse(text)["runs"][0]["results"]; }

} // namespace pm::testing
