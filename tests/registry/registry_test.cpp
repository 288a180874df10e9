// What a good registry means: defaults, expansion, scopes, bound chains, planted faults.
#include "contract/registry/registry.h"
#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using hkc::Direction;
using hkc::ElementType;

const hkc::KnownNames kNames{{"o", "o_4", "o_5"}, {"outside the oracle", "argument mismatch", "guard overwritten"}};

hkc::Registry parsed(const std::string& text) {
    auto registry = hkc::parse_registry(text, "t.toml", kNames);
    EXPECT_TRUE(registry) << registry.error().text;
    return registry ? std::move(*registry) : hkc::Registry{};
}

const std::string kFamily = R"toml(
[family]
name = "f"
source = "kernels/f.hip"
flags = ["-O3", "-mno-wavefrontsize64"]
chips = ["gfx1030", "gfx1201"]
)toml";

const std::string kArgs = R"toml(
arg = [
  { name = "x", dir = "in", type = "activation", dims = ["m", "k*bits/32"], align = 4 },
  { name = "y", dir = "out", type = "f32", dims = ["m", "cols"], init = "zero" },
  { name = "tmp", dir = "workspace", type = "u8", dims = [16] },
  { name = "m", type = "i32" },
  { name = "half", type = "u64", value = "k/2" },
]
)toml";

TEST(Registry, DefaultsAndEveryField) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
[[kernel]]
name = "a"
oracle = "o"
params = { bits = 4, cols = "bits*2", wide = "cols + 1" }
)toml" + kArgs + R"toml(
[[kernel.launch]]
block = ["32*4"]
grid = ["ceildiv(m, 2)", 3]
[[kernel.shape]]
m = 3
k = 64
[[kernel.known]]
gate = 2
chip = "gfx1201"
finding = "guard overwritten"
reason = "the padding is the caller's"
)toml");
    ASSERT_EQ(registry.kernels.size(), 1u);
    const hkc::Kernel& a = registry.kernels[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.family, "f");
    EXPECT_EQ(a.source, "kernels/f.hip");
    EXPECT_EQ(a.flags, (std::vector<std::string>{"-O3", "-mno-wavefrontsize64"}));
    EXPECT_EQ(a.chips, (std::vector<std::string>{"gfx1030", "gfx1201"}));
    EXPECT_EQ(a.match, hkc::Match::kBound);
    EXPECT_TRUE(a.bitwise);
    EXPECT_FALSE(a.nan_bytes);
    EXPECT_FALSE(a.certify);
    EXPECT_TRUE(a.replaces.empty());
    EXPECT_EQ(a.params, (hkc::Scope{{"bits", 4}, {"cols", 8}, {"wide", 9}}));
    EXPECT_EQ(a.at.line, 8u);
    EXPECT_EQ(a.at.file, "t.toml");

    ASSERT_EQ(a.args.size(), 5u);
    EXPECT_EQ(a.args[0].type, ElementType::kActivation);
    EXPECT_EQ(a.args[0].align, 4u);
    EXPECT_EQ(a.args[1].dir, Direction::kOut);
    EXPECT_EQ(a.args[1].align, 4u) << "the element's size where the registry says nothing";
    EXPECT_EQ(a.args[1].init, hkc::Init::kZero);
    EXPECT_EQ(a.args[2].dir, Direction::kWorkspace);
    EXPECT_FALSE(a.args[3].is_buffer());
    EXPECT_EQ(a.args[3].value->text(), "m");
    EXPECT_EQ(a.args[4].value->text(), "k/2");

    ASSERT_EQ(a.launches.size(), 1u);
    EXPECT_EQ(a.launches[0].symbol, "a") << "the kernel's own name where the registry says nothing";
    EXPECT_EQ(a.launches[0].args, (std::vector<std::string>{"x", "y", "tmp", "m", "half"}));
    ASSERT_EQ(a.shapes.size(), 1u);
    const hkc::Scope scope = hkc::scope_of(a, a.shapes[0]);
    EXPECT_EQ(scope, (hkc::Scope{{"bits", 4}, {"cols", 8}, {"wide", 9}, {"m", 3}, {"k", 64}}));
    EXPECT_EQ(*a.launches[0].block[0].evaluate(scope), 128);
    EXPECT_EQ(*a.launches[0].block[2].evaluate(scope), 1);
    EXPECT_EQ(*a.launches[0].grid[0].evaluate(scope), 2);
    EXPECT_EQ(*a.launches[0].grid[1].evaluate(scope), 3);
    EXPECT_EQ(*a.launches[0].grid[2].evaluate(scope), 1);
    EXPECT_EQ(*a.launches[0].lds.evaluate(scope), 0);
    EXPECT_EQ(*hkc::element_count(a.args[0], scope), 24);
    EXPECT_EQ(*hkc::element_count(a.args[1], scope), 24);
    EXPECT_EQ(*hkc::element_count(a.args[2], scope), 16);

    ASSERT_EQ(a.known_findings.size(), 1u);
    EXPECT_EQ(a.known_findings[0].gate, 2u);
    EXPECT_EQ(a.known_findings[0].chip, "gfx1201");
    EXPECT_EQ(a.known_findings[0].reason, "the padding is the caller's");
    EXPECT_EQ(registry.find_kernel("a"), &registry.kernels[0]);
    EXPECT_EQ(registry.find_kernel("b"), nullptr);
    EXPECT_EQ(a.find_argument("tmp"), &a.args[2]);
    EXPECT_EQ(a.find_argument("nothing"), nullptr);
}

TEST(Registry, FamilyDefaultsAreInheritedAndOverridden) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
oracle = "o"
bitwise = false
certify = true
nan = "bytes"
params = { bits = 4, cols = 1 }
)toml" + kArgs + R"toml(
launch = [{ block = [32], grid = ["m"] }]
shape = [{ m = 2, k = 32 }]
[[kernel]]
name = "a"
[[kernel]]
name = "b"
chips = ["gfx1201"]
bitwise = true
certify = false
nan = "any"
params = { cols = 3 }
shape = [{ m = 5, k = 64, served = true }]
)toml");
    ASSERT_EQ(registry.kernels.size(), 2u);
    const hkc::Kernel& a = registry.kernels[0];
    const hkc::Kernel& b = registry.kernels[1];
    EXPECT_FALSE(a.bitwise);
    EXPECT_TRUE(a.nan_bytes);
    EXPECT_TRUE(a.certify);
    EXPECT_FALSE(b.certify);
    EXPECT_EQ(a.params, (hkc::Scope{{"bits", 4}, {"cols", 1}}));
    EXPECT_EQ(a.launches[0].symbol, "a");
    EXPECT_TRUE(b.bitwise);
    EXPECT_FALSE(b.nan_bytes);
    EXPECT_EQ(b.chips, (std::vector<std::string>{"gfx1201"}));
    EXPECT_EQ(b.params, (hkc::Scope{{"bits", 4}, {"cols", 3}})) << "parameters are merged, the kernel's own win";
    EXPECT_EQ(b.launches[0].symbol, "b");
    ASSERT_EQ(b.shapes.size(), 1u);
    EXPECT_TRUE(b.shapes[0].served);
    EXPECT_EQ(b.args.size(), a.args.size());
}

TEST(Registry, EachExpandsNamesStringsAndParameters) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
[[kernel]]
name = "k{bits}_r{rows}x{cols}{kind}"
each = { tile = [{rows = 1, cols = 2}, {rows = 4, cols = 1}], bits = [4, 5], kind = ["", "_fast"] }
oracle = "o_{bits}"
params = { both = "rows*cols" }
launch = [{ symbol = "s{bits}{kind}", block = [32], grid = ["{rows}*m"] }]
shape = [{ m = ["rows", 4], k = 32 }]
)toml" + kArgs + R"toml(
[[control]]
name = "control {bits}"
of = "k{bits}_r1x2"
each = { bits = [4, 5] }
plant = { symbol = "other{bits}" }
red_at = 3
finding = "outside the oracle"
)toml");
    std::vector<std::string> names;
    for (const hkc::Kernel& kernel : registry.kernels) names.push_back(kernel.name);
    EXPECT_EQ(names, (std::vector<std::string>{"k4_r1x2", "k4_r1x2_fast", "k5_r1x2", "k5_r1x2_fast", "k4_r4x1",
                                               "k4_r4x1_fast", "k5_r4x1", "k5_r4x1_fast"}))
        << "in the order of the file, the first axis slowest";
    const hkc::Kernel& last = registry.kernels.back();
    EXPECT_EQ(last.oracle, "o_5");
    EXPECT_EQ(last.launches[0].symbol, "s5_fast");
    EXPECT_EQ(last.params, (hkc::Scope{{"bits", 5}, {"rows", 4}, {"cols", 1}, {"both", 4}}))
        << "texts are no parameters";
    ASSERT_EQ(last.shapes.size(), 1u) << "rows is 4 here, so both values of m are one shape";
    EXPECT_EQ(registry.kernels.front().shapes.size(), 2u);
    EXPECT_EQ(*last.launches[0].grid[0].evaluate(hkc::scope_of(last, last.shapes[0])), 16);
    ASSERT_EQ(registry.controls.size(), 2u);
    EXPECT_EQ(registry.controls[1].name, "control 5");
    EXPECT_EQ(registry.controls[1].of, "k5_r1x2");
    EXPECT_EQ(std::get<hkc::PlantSymbol>(registry.controls[1].plant).symbol, "other5");
}

TEST(Registry, ShapesExpandAndMerge) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
[[kernel]]
name = "a"
oracle = "o"
params = { bits = 4, cols = 1 }
launch = [{ block = [32], grid = ["m"] }]
shape = [
  { m = [1, 2], k = [32, "m*32"], ragged = true },
  { m = 2, k = 64, served = true },
]
)toml" + kArgs);
    const auto& shapes = registry.kernels.at(0).shapes;
    // m=1: k=32 and m*32=32 are one; m=2: 32 and 64; the served one joins (2, 64).
    ASSERT_EQ(shapes.size(), 3u);
    EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(), [](const hkc::Shape& s) { return s.ragged; }), 3);
    const auto both = std::find_if(shapes.begin(), shapes.end(), [](const hkc::Shape& s) { return s.served; });
    ASSERT_NE(both, shapes.end());
    EXPECT_EQ(both->values, (hkc::Scope{{"m", 2}, {"k", 64}}));
    EXPECT_TRUE(both->ragged);
}

TEST(Registry, LaunchSetsNameTheirArguments) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
[[kernel]]
name = "a"
oracle = "o"
arg = [
  { name = "x", dir = "in", type = "f32", dims = ["n"] },
  { name = "parts", dir = "workspace", type = "f32", dims = ["ceildiv(n, 64)"] },
  { name = "y", dir = "inout", type = "f32", dims = [1] },
  { name = "n", type = "u32" },
]
launch = [
  { symbol = "first", block = [64], grid = ["ceildiv(n, 64)"], args = ["x", "parts", "n"], lds = "4*64" },
  { symbol = "second", block = [32], grid = [1], args = ["parts", "y", "n"] },
]
shape = [{ n = 100 }]
)toml");
    const hkc::Kernel& kernel = registry.kernels.at(0);
    ASSERT_EQ(kernel.launches.size(), 2u);
    EXPECT_EQ(kernel.launches[0].symbol, "first");
    EXPECT_EQ(*kernel.launches[0].lds.evaluate({}), 256);
    EXPECT_EQ(kernel.launches[1].args, (std::vector<std::string>{"parts", "y", "n"}));
}

const std::string kChain = kFamily + R"toml(
oracle = "o"
launch = [{ block = [32], grid = [1] }]
[[kernel]]
name = "plain"
params = { bits = 4 }
arg = [
  { name = "x", dir = "in", type = "activation", dims = ["m", "k"] },
  { name = "w", dir = "in", type = "u32", dims = ["n", "k*bits/32"] },
  { name = "out", dir = "out", type = "activation", dims = ["m", "n"] },
  { name = "scratch", dir = "workspace", type = "f32", dims = ["n"] },
  { name = "m", type = "i32" }, { name = "n", type = "i32" }, { name = "k", type = "i32" },
]
shape = [{ m = 1, n = 2, k = 32 }]
[[kernel]]
name = "act"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"] },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
shape = [{ count = 5 }]
[[kernel]]
name = "fused"
match = "bytes"
params = { bits = 4 }
replaces = [ { kernel = "plain", args = { out = "mid" } }, { kernel = "act", args = { v = "mid", count = "m*n" } } ]
arg = [
  { name = "x", dir = "in", type = "activation", dims = ["m", "k"] },
  { name = "w", dir = "in", type = "u32", dims = ["n", "k*bits/32"] },
  { name = "out", dir = "out", type = "activation", dims = ["m", "n"] },
  { name = "m", type = "i32" }, { name = "n", type = "i32" }, { name = "k", type = "i32" },
]
intermediate = [ { name = "mid", type = "activation", dims = ["m", "n"] } ]
shape = [{ m = 3, n = 7, k = 64 }]
)toml";

TEST(Registry, ReplacedChainBinds) {
    const hkc::Registry registry = parsed(kChain);
    const hkc::Kernel* fused = registry.find_kernel("fused");
    ASSERT_NE(fused, nullptr);
    EXPECT_EQ(fused->match, hkc::Match::kBytes);
    ASSERT_EQ(fused->replaces.size(), 2u);
    ASSERT_NE(fused->find_argument("mid"), nullptr);
    EXPECT_EQ(fused->find_argument("mid")->dir, Direction::kIntermediate);
    EXPECT_EQ(fused->launches[0].args, (std::vector<std::string>{"x", "w", "out", "m", "n", "k"}))
        << "no launch takes an intermediate";
    const hkc::Scope scope = hkc::scope_of(*fused, fused->shapes[0]);

    const auto plain = hkc::bind_stage(registry, *fused, fused->replaces[0], scope);
    ASSERT_TRUE(plain) << plain.error().text;
    EXPECT_EQ(plain->kernel, registry.find_kernel("plain"));
    EXPECT_EQ(plain->scope, (hkc::Scope{{"bits", 4}, {"m", 3}, {"n", 7}, {"k", 64}}));
    EXPECT_EQ(plain->buffers, (std::map<std::string, std::string>{{"x", "x"}, {"w", "w"}, {"out", "mid"}}));

    const auto act = hkc::bind_stage(registry, *fused, fused->replaces[1], scope);
    ASSERT_TRUE(act) << act.error().text;
    EXPECT_EQ(act->scope, (hkc::Scope{{"count", 21}}));
    EXPECT_EQ(act->buffers, (std::map<std::string, std::string>{{"v", "mid"}, {"out", "out"}}));
}

TEST(Registry, BindingRefusesWhatIsNotThere) {
    const hkc::Registry registry = parsed(kChain);
    const hkc::Kernel& fused = *registry.find_kernel("fused");
    const hkc::Scope scope = hkc::scope_of(fused, fused.shapes[0]);
    EXPECT_FALSE(hkc::bind_stage(registry, fused, {"nothing", {}}, scope));
    EXPECT_FALSE(hkc::bind_stage(registry, fused, {"act", {{"v", "mid"}, {"count", "m*"}}}, scope));
    EXPECT_FALSE(hkc::bind_stage(registry, fused, {"act", {{"v", "m"}, {"count", "m"}}}, scope))
        << "a scalar is no buffer";
    EXPECT_FALSE(hkc::bind_stage(registry, fused, {"act", {{"v", "mid"}, {"count", "1/(m-3)"}}}, scope));
}

TEST(Registry, PlantsOfEveryForm) {
    const hkc::Registry registry = parsed(kChain + R"toml(
[[control]]
name = "symbol"
of = "fused"
plant = { symbol = "plain" }
red_at = 3
finding = ["outside the oracle", "guard overwritten"]
[[control]]
name = "args"
of = "act"
chips = ["gfx1201"]
plant = { args = ["v", "out"] }
red_at = 1
finding = "argument mismatch"
device = "embedded"
[[control]]
name = "params"
of = "plain"
plant = { params = { bits = "4+1" } }
red_at = 3
finding = "outside the oracle"
[[control]]
name = "source"
of = "plain"
plant = { source = "controls/p.hip", define = ["A", "B=(1, 2)"], edit = [{ from = "if (x) { y(); }", to = "" }] }
red_at = 5
finding = "guard overwritten"
[[control]]
name = "define"
of = "plain"
plant = { define = ["BOUNDS="] }
red_at = 5
finding = "guard overwritten"
[[control]]
name = "mutate"
of = "plain"
plant = { mutate = { find = "BF 80 00 01", replace = "bf800000" } }
red_at = 2
finding = "guard overwritten"
[[control]]
name = "instruction"
of = "plain"
plant = { mutate = { instruction = ["s_waitcnt vmcnt(*)", "s_wait_loadcnt *"], occurrence = "last", replace = "s_nop *" } }
red_at = 2
finding = "guard overwritten"
[[control]]
name = "one instruction"
of = "plain"
plant = { mutate = { symbol = "plain", instruction = "s_endpgm", replace = ["s_nop 0"] } }
red_at = 2
finding = "guard overwritten"
[[control]]
name = "metadata"
of = "plain"
plant = { mutate = { metadata = ".vgpr_count", add = -1 } }
red_at = 5
finding = "guard overwritten"
[[control]]
name = "metadata size"
of = "plain"
plant = { mutate = { metadata = ".args[2].size", value = 0 } }
red_at = 1
finding = "guard overwritten"
)toml");
    ASSERT_EQ(registry.controls.size(), 10u);
    const auto& controls = registry.controls;
    EXPECT_EQ(std::get<hkc::PlantSymbol>(controls[0].plant).symbol, "plain");
    EXPECT_EQ(controls[0].findings, (std::vector<std::string>{"outside the oracle", "guard overwritten"}));
    EXPECT_EQ(controls[0].chips, (std::vector<std::string>{"gfx1030", "gfx1201"}))
        << "its registration's where it names none";
    EXPECT_EQ(controls[0].family, "f");
    EXPECT_FALSE(controls[0].embedded_only);
    EXPECT_EQ(std::get<hkc::PlantArgs>(controls[1].plant).args, (std::vector<std::string>{"v", "out"}));
    EXPECT_EQ(controls[1].chips, (std::vector<std::string>{"gfx1201"}));
    EXPECT_TRUE(controls[1].embedded_only);
    EXPECT_EQ(controls[1].red_at, 1u);
    EXPECT_EQ(std::get<hkc::PlantParams>(controls[2].plant).params, (hkc::Scope{{"bits", 5}}));
    const auto& source = std::get<hkc::PlantBuild>(controls[3].plant);
    EXPECT_EQ(source.source, "controls/p.hip");
    EXPECT_EQ(source.define, (std::vector<std::string>{"A", "B=(1, 2)"}));
    ASSERT_EQ(source.edit.size(), 1u);
    EXPECT_EQ(source.edit[0].first, "if (x) { y(); }") << "braces of code stand for themselves";
    EXPECT_EQ(std::get<hkc::PlantBuild>(controls[4].plant).source, "");
    using namespace pm::mutate;
    const auto edit = [&](std::size_t i) { return std::get<hkc::PlantMutate>(controls[i].plant).edit; };
    EXPECT_EQ(edit(5), Edit(BytesEdit{std::string("\xbf\x80\x00\x01", 4), std::string("\xbf\x80\x00\x00", 4)}));
    EXPECT_EQ(edit(6), Edit(InstructionEdit{
                           "plain", {"s_waitcnt vmcnt(*)", "s_wait_loadcnt *"}, {"s_nop *"}, InstructionEdit::kLast}))
        << "the symbol is its registration's where it names none";
    EXPECT_EQ(edit(7), Edit(InstructionEdit{"plain", {"s_endpgm"}, {"s_nop 0"}, std::nullopt}));
    EXPECT_EQ(edit(8), Edit(MetadataEdit{"plain", ".vgpr_count", -1, true}));
    EXPECT_EQ(edit(9), Edit(MetadataEdit{"plain", ".args[2].size", 0, false}));
}

TEST(Registry, PlantedParametersReachThoseThatReadThem) {
    const hkc::Registry registry = parsed(kFamily + R"toml(
[[kernel]]
name = "a"
oracle = "o"
params = { bits = 4, cols = "bits*2", other = 7 }
launch = [{ block = [32], grid = ["m"] }]
shape = [{ m = 1, k = 32 }]
)toml" + kArgs + R"toml(
[[control]]
name = "c"
of = "a"
plant = { params = { bits = 5 } }
red_at = 3
finding = "outside the oracle"
)toml");
    ASSERT_EQ(registry.controls.size(), 1u);
    EXPECT_EQ(std::get<hkc::PlantParams>(registry.controls[0].plant).params, (hkc::Scope{{"bits", 5}, {"cols", 10}}));
}

// The example of docs/registry.md is good, and its two mistakes give the messages that the page shows.
TEST(Registry, DocumentedExampleAndErrorsAreReal) {
    const auto page = pm::read_file(std::string(HKC_SOURCE_DIR) + "/docs/registry.md");
    ASSERT_TRUE(page) << page.error().text;
    const auto block = [&](const std::string& start) {
        const auto at = page->find(start);
        EXPECT_NE(at, std::string::npos) << start;
        const auto from = page->find('\n', at) + 1;
        return page->substr(from, page->find("```", from) - from);
    };
    std::string example = block("```toml\n[family]");
    const hkc::KnownNames names{{"row_sum"}, {"argument mismatch"}};
    const auto good = hkc::parse_registry(example, "registry/demo.toml", names);
    ASSERT_TRUE(good) << good.error().text;
    EXPECT_EQ(good->kernels.at(0).shapes.size(), 3u);

    for (const auto& [from, to] :
         {std::pair{"grid = [\"n\"]", "grid = [\"4096/(n-1)\"]"}, std::pair{"of = \"row_sum\"", "of = \"row_sun\""}})
        example.replace(example.find(from), std::string_view(from).size(), to);
    const auto bad = hkc::parse_registry(example, "registry/demo.toml", names);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().text + "\n", block("```\nregistry/demo.toml:16"));
}

TEST(Registry, EditsApplyInOrderExactlyOnce) {
    hkc::PlantBuild build;
    build.edit = {{"aa", "b"}, {"bc", "d"}};
    const auto edited = hkc::apply_edits("aac", build);
    ASSERT_TRUE(edited) << edited.error().text;
    EXPECT_EQ(*edited, "d");
    EXPECT_FALSE(hkc::apply_edits("aaac", build)) << "overlapping matches are two";
    EXPECT_FALSE(hkc::apply_edits("c", build));
    build.edit = {{"", "x"}};
    EXPECT_FALSE(hkc::apply_edits("abc", build));
}

TEST(Registry, ElementTypes) {
    const std::vector<std::pair<ElementType, std::uint32_t>> sizes{
        {ElementType::kActivation, 2}, {ElementType::kFp16, 2}, {ElementType::kBf16, 2}, {ElementType::kF32, 4},
        {ElementType::kF64, 8},        {ElementType::kI8, 1},   {ElementType::kU8, 1},   {ElementType::kI16, 2},
        {ElementType::kU16, 2},        {ElementType::kI32, 4},  {ElementType::kU32, 4},  {ElementType::kI64, 8},
        {ElementType::kU64, 8}};
    for (const auto& [type, bytes] : sizes) EXPECT_EQ(hkc::element_bytes(type), bytes) << hkc::element_name(type);
    EXPECT_EQ(hkc::element_name(ElementType::kActivation), "activation");
    EXPECT_EQ(hkc::element_name(ElementType::kU64), "u64");
}

TEST(Registry, ElementCountRefusesWhatHasNoSize) {
    hkc::Argument argument;
    argument.name = "x";
    argument.dims = {*hkc::Expr::parse("n"), *hkc::Expr::parse("n-4")};
    EXPECT_EQ(*hkc::element_count(argument, {{"n", 4}}), 0);
    EXPECT_EQ(*hkc::element_count(argument, {{"n", 6}}), 12);
    const auto negative = hkc::element_count(argument, {{"n", 3}});
    ASSERT_FALSE(negative);
    EXPECT_NE(negative.error().text.find("argument \"x\" dims[1]"), std::string::npos) << negative.error().text;
    EXPECT_FALSE(hkc::element_count(argument, {}));
    EXPECT_FALSE(hkc::element_count(argument, {{"n", std::int64_t{1} << 40}}));
}

} // namespace
