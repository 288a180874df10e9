#include "peacemaker/sarif/sarif.h"

#include "tests/sarif/sarif_check.h"

#include <gtest/gtest.h>

namespace pm::testing {
namespace {

using Faults = std::vector<std::string>;

sarif::Finding finding(const std::string& kind, const std::string& identity, const std::string& place = "a.hip:3") {
    return {kind, sarif::Level::kError, kind + " here", sarif::place_in(place, "."), identity};
}

TEST(Sarif, RuleIdsAreWordsWithHyphens) {
    EXPECT_EQ(sarif::rule_id("register read before its wait"), "register-read-before-its-wait");
    EXPECT_EQ(sarif::rule_id("LDS race"), "lds-race");
    EXPECT_EQ(sarif::rule_id("over the chip's limit!"), "over-the-chip-s-limit");
}

TEST(Sarif, PlacesAreRelativeToTheRootAndElseAbsolute) {
    const auto place = [](const std::string& text) {
        const sarif::Place at = sarif::place_in(text, "/r/tree");
        return at.uri + " " + std::to_string(at.line);
    };
    EXPECT_EQ(place("/r/tree/kernels/a.hip:12"), "kernels/a.hip 12");
    EXPECT_EQ(place("/r/tree/kernels/../x/a.hip:12"), "x/a.hip 12");
    EXPECT_EQ(place("/r/tree/a b#1.hip"), "a%20b%231.hip 1");
    EXPECT_EQ(place("/r/tree/a:b.co:1"), "a%3Ab.co 1") << "the last colon counts";
    EXPECT_EQ(place("/r/trees/a.hip:7"), "file:///r/trees/a.hip 7");
    EXPECT_EQ(place("/r/tree/a.hip:0"), "a.hip 1") << "line 0 is none";
    EXPECT_EQ(place("/r/tree/a.hip:x"), "a.hip%3Ax 1");
    EXPECT_EQ(sarif::place_in("kernels/a.hip:2", ".").uri, "kernels/a.hip");
}

TEST(Sarif, ALogHasWhatTheSchemaAndCodeScanningRequire) {
    sarif::Finding at_instruction = finding("LDS race", "k", "/else/where/k.co:1");
    at_instruction.place.instruction = {"k", 0x40, 4096};
    at_instruction.level = sarif::Level::kWarning;
    const std::vector<sarif::Finding> findings = {finding("crash", "a"), at_instruction, finding("crash", "b"),
                                                  finding("crash", "a", "a.hip:9"), finding("crash", "bad\xff utf")};
    const std::string text = sarif::log("the tool", findings);
    EXPECT_EQ(sarif_faults(text), Faults{});
    const auto results = sarif_results(text);
    ASSERT_EQ(results.size(), findings.size());
    EXPECT_EQ(results[1]["ruleId"], "lds-race");
    EXPECT_EQ(results[1]["level"], "warning");
    const auto& location = results[1]["locations"][0];
    EXPECT_EQ(location["physicalLocation"]["address"]["name"], "k+0x40");
    EXPECT_EQ(location["physicalLocation"]["address"]["relativeAddress"], 4096);
    EXPECT_EQ(location["logicalLocations"][0]["fullyQualifiedName"], "k");
    EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    // The line is no part of the fingerprint: the same finding further down is the same, and counted.
    const auto print = [&](std::size_t i) {
        return results[i]["partialFingerprints"]["primaryLocationLineHash"].get<std::string>();
    };
    EXPECT_EQ(print(0).substr(0, 17), print(3).substr(0, 17));
    EXPECT_TRUE(print(0).ends_with(":1") && print(3).ends_with(":2")) << print(0) << " " << print(3);
    EXPECT_NE(print(0).substr(0, 16), print(2).substr(0, 16));
    EXPECT_EQ(sarif::log("the tool", findings), text) << "the same each time";
}

TEST(Sarif, ALogWithoutFindingsIsALog) { EXPECT_EQ(sarif_faults(sarif::log("the tool", {})), Faults{}); }

// The check itself sees what is missing.
TEST(SarifCheck, SeesWhatIsMissing) {
    const std::string good = sarif::log("the tool", std::vector{finding("crash", "a")});
    const auto without = [&](const std::string& pointer) {
        auto json = nlohmann::json::parse(good);
        const nlohmann::json::json_pointer at(pointer);
        json.at(at.parent_pointer()).erase(at.back());
        return sarif_faults(json.dump());
    };
    for (const char* pointer :
         {"/version", "/$schema", "/runs", "/runs/0/tool", "/runs/0/results", "/runs/0/tool/driver/name",
          "/runs/0/tool/driver/rules", "/runs/0/tool/driver/rules/0/id", "/runs/0/tool/driver/rules/0/help",
          "/runs/0/results/0/ruleId", "/runs/0/results/0/message", "/runs/0/results/0/message/text",
          "/runs/0/results/0/locations", "/runs/0/results/0/partialFingerprints",
          "/runs/0/results/0/locations/0/physicalLocation",
          "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
          "/runs/0/results/0/locations/0/physicalLocation/region/startLine"})
        EXPECT_FALSE(without(pointer).empty()) << pointer;
    EXPECT_FALSE(sarif_faults("{").empty());
    EXPECT_FALSE(sarif_faults("[]").empty());
}

} // namespace
} // namespace pm::testing
