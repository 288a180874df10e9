#include "contract/gates/program.h"

#include "contract/oracle/oracle.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

constexpr const char* kRegistry = R"toml(
[family]
name = "f"
source = "f.hip"
flags = ["-O3"]
chips = ["gfx1030", "gfx1151"]

[[kernel]]
name = "plain"
oracle = "relu2"
match = "bound"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["m", "n"], align = 4 },
  { name = "out", dir = "out", type = "activation", dims = ["m", "n"] },
  { name = "m", type = "i32" },
  { name = "n", type = "i32" },
]
launch = [{ symbol = "plain", block = [64], grid = ["ceildiv(n, 64)", "m"] }]
shape = [{ m = 2, n = 130, ragged = true }]

[[kernel]]
name = "second"
oracle = "relu2"
match = "bound"
arg = [
  { name = "a", dir = "in", type = "activation", dims = ["count"] },
  { name = "b", dir = "out", type = "activation", dims = ["count"] },
  { name = "tmp", dir = "workspace", type = "f32", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ symbol = "second", block = [256], grid = ["ceildiv(count, 256)"] }]
shape = [{ count = 7 }]

[[kernel]]
name = "fused"
oracle = "relu2"
match = "bytes"
replaces = [
  { kernel = "plain", args = { out = "mid" } },
  { kernel = "second", args = { a = "mid", b = "out", count = "m*n" } },
]
intermediate = [{ name = "mid", type = "activation", dims = ["m", "n"] }]
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["m", "n"] },
  { name = "out", dir = "out", type = "activation", dims = ["m", "n"] },
  { name = "m", type = "i32" },
  { name = "n", type = "i32" },
]
launch = [{ symbol = "fused", block = [64], grid = ["ceildiv(n, 64)", "m"] }]
shape = [{ m = 2, n = 130 }]
)toml";

pm::KernelArgument pointer(std::uint32_t offset) { return {"", "global_buffer", "global", offset, 8}; }
pm::KernelArgument integer(std::uint32_t offset) { return {"", "by_value", "", offset, 4}; }

/// An object as its metadata would tell it.
pm::CodeObject object() {
    pm::CodeObject object;
    pm::Kernel plain;
    plain.name = "plain";
    plain.arguments = {pointer(0), pointer(8), integer(16), integer(20), {"", "hidden_block_count_x", "", 24, 4}};
    pm::Kernel fused = plain;
    fused.name = "fused";
    pm::Kernel second;
    second.name = "second";
    second.arguments = {pointer(0), pointer(8), pointer(16), integer(24)};
    object.kernels = {plain, second, fused};
    return object;
}

class Program : public testing::Test {
protected:
    void SetUp() override {
        auto parsed = parse_registry(kRegistry, "test.toml", {oracle_names(), finding_kinds()});
        ASSERT_TRUE(parsed) << parsed.error().text;
        registry = std::move(*parsed);
    }
    static const std::vector<std::string>& finding_kinds() {
        static const std::vector<std::string> none;
        return none;
    }
    const Kernel& kernel(const char* name) const { return *registry.find_kernel(name); }
    static const pm::Chip& chip(const char* name) { return **pm::find_chip(name); }

    Registry registry;
};

TEST_F(Program, BuffersLaunchesAndKernargFollowTheDeclarationAndTheMetadata) {
    const pm::CodeObject o = object();
    const Kernel& plain = kernel("plain");
    const auto plan = plan_kernel(plain, scope_of(plain, plain.shapes[0]), chip("gfx1151"), o);
    ASSERT_TRUE(plan) << plan.error().text;
    ASSERT_EQ(plan->buffers.size(), 2U);
    EXPECT_EQ(plan->buffers[0].bytes(), 2U * 130 * 2);
    EXPECT_EQ(plan->buffers[0].align, 4U);
    EXPECT_EQ(plan->buffers[1].align, 2U);
    EXPECT_EQ(plan->buffers[0].type, ElementType::kBf16);
    EXPECT_TRUE(plan->buffers[1].poisoned());
    ASSERT_EQ(plan->launches.size(), 1U);
    const LaunchPlan& launch = plan->launches[0];
    EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{3, 2, 1}));
    EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{64, 1, 1}));
    EXPECT_EQ(launch.kernarg_bytes, 24U); // explicit arguments alone
    ASSERT_EQ(launch.slots.size(), 4U);
    EXPECT_EQ(launch.slots[1].buffer, 1);
    EXPECT_EQ(launch.slots[2].scalar, 2U);
    EXPECT_EQ(launch.slots[3].scalar, 130U);
    EXPECT_EQ(launch.slots[3].offset, 20U);
}

TEST_F(Program, TheActivationTypeIsTheChips) {
    const pm::CodeObject o = object();
    const Kernel& plain = kernel("plain");
    const auto plan = plan_kernel(plain, scope_of(plain, plain.shapes[0]), chip("gfx1030"), o);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->buffers[0].type, ElementType::kFp16);
}

TEST_F(Program, ACallWithOneArgumentTooFewHasNoPlan) {
    Kernel plain = kernel("plain");
    plain.launches[0].args.pop_back();
    const pm::CodeObject o = object();
    const auto plan = plan_kernel(plain, scope_of(plain, plain.shapes[0]), chip("gfx1151"), o);
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().text.find("3 arguments declared, the object takes 4"), std::string::npos)
        << plan.error().text;
}

TEST_F(Program, AScalarThatDoesNotFitIsAnError) {
    Kernel plain = kernel("plain");
    plain.shapes[0].values["n"] = std::int64_t{1} << 31U;
    plain.shapes[0].values["m"] = 1;
    const pm::CodeObject o = object();
    EXPECT_FALSE(plan_kernel(plain, scope_of(plain, plain.shapes[0]), chip("gfx1151"), o));
}

TEST_F(Program, AChainRunsItsStagesOnTheFusedKernelsBuffers) {
    const pm::CodeObject o = object();
    const Kernel& fused = kernel("fused");
    const auto chain = plan_chain(registry, fused, scope_of(fused, fused.shapes[0]), chip("gfx1151"),
                                  [&](const Kernel&) { return &o; });
    ASSERT_TRUE(chain) << chain.error().text;
    EXPECT_EQ(chain->who, "the chain plain, second");
    const auto index = [&](std::string_view name) {
        for (std::size_t i = 0; i < chain->buffers.size(); ++i)
            if (chain->buffers[i].name == name) return static_cast<int>(i);
        return -1;
    };
    ASSERT_EQ(chain->launches.size(), 2U);
    EXPECT_EQ(chain->launches[0].slots[0].buffer, index("v"));
    EXPECT_EQ(chain->launches[0].slots[1].buffer, index("mid"));
    EXPECT_EQ(chain->launches[1].slots[0].buffer, index("mid"));
    EXPECT_EQ(chain->launches[1].slots[1].buffer, index("out"));
    EXPECT_EQ(chain->launches[1].slots[3].scalar, 260U);
    // The second stage's workspace is a buffer of the chain's own, sized in that stage's scope.
    const auto workspace = static_cast<std::size_t>(chain->launches[1].slots[2].buffer);
    EXPECT_EQ(chain->buffers[workspace].bytes(), 260U * 4);
    EXPECT_EQ(chain->buffers[workspace].dir, Direction::kWorkspace);
}

TEST_F(Program, AChainWithoutItsObjectHasNoPlan) {
    const Kernel& fused = kernel("fused");
    EXPECT_FALSE(plan_chain(registry, fused, scope_of(fused, fused.shapes[0]), chip("gfx1151"),
                            [](const Kernel&) -> const pm::CodeObject* { return nullptr; }));
}

TEST_F(Program, DeclaredSlotsAreLaidOutAsTheAbiDoes) {
    Kernel second = kernel("second");
    second.launches[0].args = {"count", "a", "count", "count", "b"};
    const auto slots = declared_slots(second, second.launches[0]);
    ASSERT_TRUE(slots);
    std::vector<std::uint32_t> offsets;
    for (const DeclaredSlot& slot : *slots) offsets.push_back(slot.offset);
    EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 8, 16, 20, 24}));
}

} // namespace
} // namespace hkc
