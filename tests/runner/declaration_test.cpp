#include "contract/runner/declaration.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hkc {
namespace {

constexpr const char* kRegistry = R"toml(
[family]
name = "tiles"
source = "tile.hip"
flags = ["-O3"]
chips = ["gfx1151", "gfx1201"]

[[kernel]]
name = "tile"
oracle = "relu2"
match = "bound"
params = { rows = 2 }
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"], align = 4 },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ block = [32], grid = ["ceildiv(count, 32)"] }]
shape = [{ count = 64, served = true }, { count = 7, ragged = true }]
known = [{ gate = 3, chip = "gfx1151", finding = "outside the oracle", reason = "slow" }]

[[control]]
name = "a fault"
of = "tile"
plant = { edit = [{ from = "a", to = "b" }], define = ["X=1"] }
red_at = 3
finding = "outside the oracle"
)toml";

Registry parsed(const std::string& text) {
    auto registry = parse_registry(text, "tiles.toml", {{"relu2", "affine"}, {"outside the oracle", "crash"}});
    EXPECT_TRUE(registry) << registry.error().text;
    return registry ? std::move(*registry) : Registry{};
}

std::string replaced(const std::string& from, const std::string& to) {
    std::string text = kRegistry;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Declaration, SaysWhatTheRegistrySays) {
    const Registry registry = parsed(kRegistry);
    const auto kernel = declaration_of(registry.kernels.at(0));
    EXPECT_EQ(kernel.at("flags").dump(), R"(["-O3"])");
    EXPECT_EQ(kernel.at("params").dump(), R"({"rows":2})");
    EXPECT_EQ(kernel.at("arg").at(0).dump(),
              R"({"name":"v","dir":"in","type":"activation","dims":["count"],"align":4,"init":""})");
    EXPECT_EQ(kernel.at("launch").at(0).at("grid").at(0), "ceildiv(count, 32)");
    EXPECT_EQ(kernel.at("shape").at(1).dump(), R"({"values":{"count":7},"served":false,"ragged":true})");
    EXPECT_EQ(kernel.at("known").at(0).at("reason"), "slow");
    const auto control = declaration_of(registry.controls.at(0));
    EXPECT_EQ(control.at("plant").dump(), R"({"source":"","define":["X=1"],"edit":[{"from":"a","to":"b"}]})");
    EXPECT_EQ(control.at("chips").dump(), R"(["gfx1151","gfx1201"])");
}

TEST(Declaration, IsTheSameWhereverItStands) {
    const Registry here = parsed(kRegistry), there = parsed("# a comment\n\n" + std::string(kRegistry));
    EXPECT_EQ(declaration_hash(declaration_of(here.kernels[0])), declaration_hash(declaration_of(there.kernels[0])));
    EXPECT_EQ(declaration_hash(declaration_of(here.controls[0])), declaration_hash(declaration_of(there.controls[0])));
}

TEST(Declaration, AnyChangeOfWhatItSaysChangesItsHash) {
    const Registry before = parsed(kRegistry);
    const std::string kernel = declaration_hash(declaration_of(before.kernels[0]));
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"-O3\"", "\"-O2\""},
             {"oracle = \"relu2\"", "oracle = \"affine\""},
             {"match = \"bound\"", "match = \"bound\"\nnan = \"bytes\""},
             {"match = \"bound\"", "match = \"bound\"\nbitwise = false"},
             {"match = \"bound\"", "match = \"bound\"\ncertify = true"},
             {"rows = 2", "rows = 3"},
             {"align = 4", "align = 8"},
             {"{ name = \"out\", dir = \"out\"", "{ name = \"out\", init = \"zero\", dir = \"out\""},
             {"block = [32]", "block = [64]"},
             {"block = [32]", "lds = 64, block = [32]"},
             {"block = [32]", "symbol = \"other\", block = [32]"},
             {"count = 64, served = true", "count = 64"},
             {"count = 7, ragged = true", "count = 9, ragged = true"},
             {"reason = \"slow\"", "reason = \"fast\""},
             {"\"gfx1151\", \"gfx1201\"", "\"gfx1151\""},
         }) {
        const Registry after = parsed(replaced(from, to));
        ASSERT_EQ(after.kernels.size(), 1U) << to;
        EXPECT_NE(declaration_hash(declaration_of(after.kernels[0])), kernel) << to;
    }
    const std::string control = declaration_hash(declaration_of(before.controls[0]));
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"plant = { edit = [{ from = \"a\", to = \"b\" }]", "plant = { edit = [{ from = \"a\", to = \"c\" }]"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }", "plant = { symbol = \"x\" }"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }",
              "plant = { mutate = { find = \"00\", replace = \"01\" } }"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }",
              "plant = { mutate = { instruction = \"s_nop 1\", occurrence = 1, replace = \"s_nop 0\" } }"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }",
              "plant = { mutate = { metadata = \".vgpr_count\", add = 1 } }"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }",
              "plant = { params = { rows = 1 } }"},
             {"plant = { edit = [{ from = \"a\", to = \"b\" }], define = [\"X=1\"] }",
              "plant = { args = [\"v\", \"out\"] }"},
             {"red_at = 3\nfinding = \"outside the oracle\"",
              "red_at = 3\nfinding = [\"outside the oracle\", \"crash\"]"},
             {"red_at = 3\n", "red_at = 2\n"},
             {"red_at = 3\n", "red_at = 3\ndevice = \"embedded\"\n"},
         }) {
        const Registry after = parsed(replaced(from, to));
        ASSERT_EQ(after.controls.size(), 1U) << to;
        EXPECT_NE(declaration_hash(declaration_of(after.controls[0])), control) << to;
    }
}

} // namespace
} // namespace hkc
