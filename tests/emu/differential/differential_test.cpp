// The generator is the same for a seed, its functions are defined for every input, and a function that differs is seen
// and told.
#include "tests/emu/differential/compare.h"
#include "tests/emu/differential/known_faults.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace pm::testing {
namespace {

const Build kBuild{"clang++-22", &chips()[0], "-O1"};

Function function(std::uint32_t number, std::vector<std::string> statements, std::vector<std::string> stores) {
    Function f;
    f.number = number;
    f.inputs = {{Scalar::kU32, 0, false}, {Scalar::kF32, 5, false}, {Scalar::kU64, 8, true}};
    f.statements = std::move(statements);
    f.stores = std::move(stores);
    return f;
}

TEST(Generator, GivesTheSameForASeedAndOtherForOthers) {
    std::set<std::string> texts;
    for (const std::uint64_t seed : {1, 2})
        for (const std::uint32_t number : {0u, 1u, 2u, 3u}) {
            Function f = generate(seed, number);
            EXPECT_EQ(text_of(f), text_of(generate(seed, number)));
            EXPECT_EQ(inputs_of(f, seed), inputs_of(f, seed));
            EXPECT_FALSE(f.stores.empty());
            f.number = 0;
            texts.insert(text_of(f).substr(0, 4000));
        }
    EXPECT_EQ(texts.size(), 8u);
}

// By every way that a host may build the generator.
TEST(Generator, DrawsFromLeftToRight) {
    const std::string text = text_of(generate(1, 0));
    EXPECT_NE(text.find("    v3 = scale((f32)2.0, v7 % 300);\n"), std::string::npos) << text;
}

TEST(Differential, WhatBothComputeAlikeAgrees) {
    const Function f = function(7, {"v0 = v0 * 3 + (u32)v2;", "v1 = v1 * v1;"},
                                {"store(out.b + 0, v0);", "store(out.b + 5, bits(v1));", "store(out.b + 16, v2);"});
    const auto host = host_outputs("clang++-22", {&f, 1}, 1);
    ASSERT_TRUE(host) << host.error().text;
    // The first item's numbers, from its bytes.
    const auto inputs = inputs_of(f, 1);
    std::uint32_t a = 0;
    std::uint64_t shared = 0;
    std::memcpy(&a, inputs.data(), 4);
    std::memcpy(&shared, inputs.data() + std::size_t{kItems} * kBlockBytes + 8, 8);
    const std::uint32_t want = a * 3 + static_cast<std::uint32_t>(shared);
    EXPECT_EQ(std::memcmp((*host)[0].data(), &want, 4), 0);
    EXPECT_EQ(std::memcmp((*host)[0].data() + 16, &shared, 8), 0);
    const Outcome outcome = compare(kBuild, {&f, 1}, 1, *host);
    EXPECT_EQ(outcome.agreed, 1u);
    EXPECT_TRUE(outcome.differences.empty());
    EXPECT_TRUE(outcome.unchecked.empty());
    EXPECT_GT(outcome.instructions, 0u);
}

// One bit of one byte of one item.
TEST(Differential, ADifferenceIsTold) {
    const Function f = function(7, {}, {"store(out.b + 0, v0);"});
    auto host = host_outputs("clang++-22", {&f, 1}, 1);
    ASSERT_TRUE(host) << host.error().text;
    (*host)[0][(std::size_t{2} * kGroupItems + 5) * kBlockBytes + 63] ^= std::byte{0x80};
    const Outcome outcome = compare(kBuild, {&f, 1}, 1, *host);
    ASSERT_EQ(outcome.differences.size(), 1u);
    EXPECT_EQ(outcome.agreed, 0u);
    EXPECT_EQ(outcome.differences[0].function, 7u);
    EXPECT_NE(outcome.differences[0].text.find("1 of 256 work-items differ; the first is 5 of group 2, at byte 63"),
              std::string::npos)
        << outcome.differences[0].text;
}

// A function that is not the same on both sides keeps the statement that makes it so, and the store that shows it.
TEST(Differential, AReducedFunctionStillDiffers) {
    const char* const culprit = "\n#ifdef __HIP__\n    v0 += 1;\n#endif\n";
    const Function f = function(9, {"v2 = v2 + 1;", culprit, "v1 = v1 + v1;"},
                                {"store(out.b + 8, v2);", "store(out.b + 0, v0);", "store(out.b + 4, bits(v1));"});
    const Function small = reduced(kBuild, f, 1);
    EXPECT_EQ(small.statements, std::vector<std::string>{culprit});
    EXPECT_EQ(small.stores, std::vector<std::string>{"store(out.b + 0, v0);"});
}

// A fault that changes no byte is a difference, too.
TEST(Differential, AFindingIsADifference) {
    const Function f =
        function(7, {"\n#ifdef __HIP__\n    store<u32>(out.b + 64 * 256, 1u);\n#endif\n"}, {"store(out.b, v0);"});
    const auto host = host_outputs("clang++-22", {&f, 1}, 1);
    ASSERT_TRUE(host) << host.error().text;
    const Outcome outcome = compare(kBuild, {&f, 1}, 1, *host);
    ASSERT_EQ(outcome.differences.size(), 1u);
    EXPECT_NE(outcome.differences[0].text.find("out-of-bounds write"), std::string::npos)
        << outcome.differences[0].text;
}

TEST(Differential, AKnownFaultExcusesItsFunctionOfItsBuildAlone) {
    const KnownFault faults[] = {{3, 7, "clang++-22", "-O1", "why"}};
    EXPECT_EQ(excuse(faults, 3, 7, kBuild), &faults[0]);
    EXPECT_EQ(excuse(faults, 3, 7, {"clang++-22", &chips()[1], "-O1"}), &faults[0]);
    EXPECT_EQ(excuse(faults, 2, 7, kBuild), nullptr);
    EXPECT_EQ(excuse(faults, 3, 8, kBuild), nullptr);
    EXPECT_EQ(excuse(faults, 3, 7, {"clang++-19", &chips()[0], "-O1"}), nullptr);
    EXPECT_EQ(excuse(faults, 3, 7, {"clang++-22", &chips()[0], "-O3"}), nullptr);
}

TEST(Differential, UndefinedBehaviourStopsTheHost) {
    const Function f = function(7, {"v1 = (f32)((i32)1e30f);", "v0 = 5 / (v0 - v0);"}, {"store(out.b, v0);"});
    EXPECT_FALSE(host_outputs("clang++-22", {&f, 1}, 1));
}

TEST(Differential, WhatDoesNotBuildIsUnchecked) {
    const Function f = function(7, {"v0 = nothing;"}, {"store(out.b, v0);"});
    EXPECT_FALSE(host_outputs("clang++-22", {&f, 1}, 1));
    const Outcome outcome = compare(kBuild, {&f, 1}, 1, Outputs(1));
    EXPECT_EQ(outcome.agreed, 0u);
    EXPECT_EQ(outcome.unchecked.size(), 1u);
}

} // namespace
} // namespace pm::testing
