// Includes point one way: tools -> contract -> peacemaker, and down the layers of each.
#include "tests/tree/tree.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>

namespace {

using namespace hkc::tree;

/// Folders that may be included from, in the order of the add_subdirectory lines.
using Layers = std::map<std::string, std::vector<std::string>>;

Layers layers_of_tree() {
    Layers layers;
    for (const std::string folder : {"peacemaker", "contract"}) {
        static const std::regex kLine(R"(\s*add_subdirectory\((\w+)\)\s*)");
        for (const std::string& line : lines_of(text_of(folder + "/CMakeLists.txt"))) {
            std::smatch match;
            if (std::regex_match(line, match, kLine)) layers[folder].push_back(match[1]);
        }
    }
    return layers;
}

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (const auto& part : std::filesystem::path(path)) parts.push_back(part.string());
    return parts;
}

/// The place of `folder/layer`, or -1 where it is no layer.
long rank(const Layers& layers, const std::string& folder, const std::string& layer) {
    const std::vector<std::string>& all = layers.at(folder);
    const auto found = std::find(all.begin(), all.end(), layer);
    return found == all.end() ? -1 : found - all.begin();
}

/// What is wrong with `file` including `included`, both from the root; empty where nothing is.
std::string fault_of(const Layers& layers, const std::string& file, const std::string& included) {
    const auto from = parts_of(file), to = parts_of(included);
    static const std::map<std::string, std::set<std::string>> kMay = {
        {"peacemaker", {"peacemaker"}},
        {"contract", {"contract", "peacemaker"}},
        {"tools", {"contract", "peacemaker"}},
        {"bench", {"bench", "contract", "peacemaker"}},
        {"tests", {"tests", "contract", "peacemaker"}},
        {"docs", {"contract", "peacemaker"}},
        {"examples", {"contract", "peacemaker"}},
    };
    const auto may = kMay.find(from[0]);
    if (may == kMay.end()) return fmt::format("a source in {}/, for which there is no rule", from[0]);
    if (!may->second.contains(to[0])) return fmt::format("{}/ includes nothing of {}/", from[0], to[0]);
    if (from[0] != to[0] || !layers.contains(from[0])) return {};
    if (from.size() < 3 || to.size() < 3) return "outside every layer";
    const long here = rank(layers, from[0], from[1]), there = rank(layers, to[0], to[1]);
    if (here < 0 || there < 0) return "a folder that is no layer of its CMakeLists.txt";
    if (there > here) return fmt::format("{} is a layer above {}", to[1], from[1]);
    return {};
}

TEST(Includes, ArrowsOfATableOfCases) {
    const Layers layers = {{"peacemaker", {"support", "chip", "emu"}}, {"contract", {"expr", "gates"}}};
    struct Case {
        const char *file, *included;
        bool good;
    };
    for (const Case& c : {
             Case{"peacemaker/emu/a.cpp", "peacemaker/chip/b.h", true},
             Case{"peacemaker/emu/a.cpp", "peacemaker/emu/b.h", true},
             Case{"peacemaker/chip/a.cpp", "peacemaker/emu/b.h", false},
             Case{"peacemaker/chip/a.cpp", "contract/expr/b.h", false},
             Case{"peacemaker/unknown/a.cpp", "peacemaker/chip/b.h", false},
             Case{"contract/expr/a.cpp", "peacemaker/emu/b.h", true},
             Case{"contract/gates/a.h", "contract/expr/b.h", true},
             Case{"contract/expr/a.h", "contract/gates/b.h", false},
             Case{"contract/expr/a.h", "tools/b.h", false},
             Case{"contract/expr/a.h", "tests/tree/b.h", false},
             Case{"tools/a.cpp", "contract/gates/b.h", true},
             Case{"tools/a.cpp", "tests/tree/b.h", false},
             Case{"tests/gates/a.cpp", "tests/tree/b.h", true},
             Case{"elsewhere/a.cpp", "contract/gates/b.h", false},
         })
        EXPECT_EQ(fault_of(layers, c.file, c.included).empty(), c.good) << c.file << " includes " << c.included;
}

TEST(Includes, OfTheTreePointOneWay) {
    const Layers layers = layers_of_tree();
    ASSERT_EQ(layers.size(), 2U);
    for (const auto& [folder, names] : layers) {
        ASSERT_GE(names.size(), 5U) << folder << "/CMakeLists.txt names its layers";
        for (const std::string& name : names)
            EXPECT_TRUE(std::filesystem::is_directory(std::filesystem::path(HKC_SOURCE_DIR) / folder / name)) << name;
    }
    static const std::regex kInclude("\\s*#\\s*include\\s*([\"<])([^\">]+)[\">].*");
    // Other projects' headers, which the system provides.
    static const std::regex kForeign("(llvm|hwy|clang-c)/.*");
    static const std::regex kOurs("(peacemaker|contract|tools|bench|tests)/.*");
    // Sources that belong to one of our folders; a header of a kernel is the kernel's own matter.
    static const std::regex kSource(R"((peacemaker|contract|tools|bench|tests|docs)/.*\.(cpp|h|in))");
    std::size_t seen = 0;
    for (const std::string& file : files()) {
        if (!std::regex_match(file, kSource)) continue;
        std::size_t number = 0;
        for (const std::string& line : lines_of(text_of(file))) {
            ++number;
            std::smatch match;
            if (line.find("include") == line.npos || !std::regex_match(line, match, kInclude)) continue;
            const std::string included = match[2];
            const bool ours = std::regex_match(included, kOurs);
            if (match[1] == "<") {
                EXPECT_FALSE(ours) << file << ":" << number << ": ours is included by \"..\"";
                continue;
            }
            if (std::regex_match(included, kForeign)) continue;
            ++seen;
            EXPECT_TRUE(ours) << file << ":" << number << ": \"" << included << "\" does not start at the root";
            EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(HKC_SOURCE_DIR) / included))
                << file << ":" << number << ": there is no " << included;
            if (!ours) continue;
            EXPECT_EQ(fault_of(layers, file, included), "") << file << ":" << number << ": " << included;
        }
    }
    EXPECT_GT(seen, 100U) << "too few includes were found for the tree to have been read";
}

// The HIP API stands in one place on either side of the boundary.
TEST(Includes, HipHeadersStandInTheDeviceLayerAndTheEmbeddedDevice) {
    std::size_t seen = 0;
    for (const std::string& file : files()) {
        if (!file.ends_with(".cpp") && !file.ends_with(".h")) continue;
        if (text_of(file).find("#include <hip/") == std::string::npos) continue;
        ++seen;
        EXPECT_TRUE(file.starts_with("contract/device/") || file.starts_with("peacemaker/hip/") ||
                    file.starts_with("tests/"))
            << file << " includes a HIP header";
    }
    EXPECT_GE(seen, 2U);
}

} // namespace
