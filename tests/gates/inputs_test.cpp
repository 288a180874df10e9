#include "contract/gates/inputs.h"

#include "contract/gates/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

namespace hkc {
namespace {

BufferPlan buffer(const std::string& name, Direction dir, ElementType type, std::int64_t count) {
    BufferPlan plan;
    plan.name = name;
    plan.dir = dir;
    plan.type = type;
    plan.dims = {count};
    plan.elements = static_cast<std::size_t>(count);
    return plan;
}

ProgramPlan plan() {
    ProgramPlan plan;
    plan.buffers = {buffer("x", Direction::kIn, ElementType::kBf16, 4001),
                    buffer("words", Direction::kIn, ElementType::kU32, 333),
                    buffer("scale", Direction::kIn, ElementType::kFp16, 500),
                    buffer("bias", Direction::kInOut, ElementType::kBf16, 500),
                    buffer("out", Direction::kOut, ElementType::kBf16, 10)};
    return plan;
}

double value_of(const ProgramPlan& plan, const Inputs& inputs, std::size_t buffer, std::size_t element) {
    const BufferPlan& b = plan.buffers[buffer];
    return decode_element(b.type, load_bits(inputs.buffers.at(b.name), element_bytes(b.type), element));
}

TEST(Inputs, EveryInputAndNoOutputIsFilledToItsSize) {
    const ProgramPlan p = plan();
    const Inputs inputs = random_inputs(p, 1);
    EXPECT_EQ(inputs.buffers.size(), 4U);
    EXPECT_EQ(inputs.buffers.at("x").size(), 8002U);
    EXPECT_EQ(inputs.buffers.at("words").size(), 1332U);
    EXPECT_FALSE(inputs.buffers.contains("out"));
}

TEST(Inputs, ASeedIsASequenceAndAnotherSeedIsAnother) {
    const ProgramPlan p = plan();
    EXPECT_EQ(random_inputs(p, 5).buffers, random_inputs(p, 5).buffers);
    EXPECT_NE(random_inputs(p, 5).buffers.at("x"), random_inputs(p, 6).buffers.at("x"));
}

TEST(Inputs, ValuesAreModerateScalesPositiveAndWordsSpreadOverAllBits) {
    const ProgramPlan p = plan();
    const Inputs inputs = random_inputs(p, 3);
    std::set<double> seen;
    for (std::size_t i = 0; i < 4001; ++i) {
        EXPECT_LE(std::fabs(value_of(p, inputs, 0, i)), 2.0);
        seen.insert(value_of(p, inputs, 0, i));
    }
    EXPECT_GT(seen.size(), 300U);
    bool negative_bias = false;
    for (std::size_t i = 0; i < 500; ++i) {
        EXPECT_GT(value_of(p, inputs, 2, i), 0.0);
        EXPECT_LE(value_of(p, inputs, 2, i), 1.0 / 16);
        negative_bias = negative_bias || value_of(p, inputs, 3, i) < 0;
    }
    EXPECT_TRUE(negative_bias);
    std::uint64_t set = 0, clear = 0;
    for (std::size_t i = 0; i < 333; ++i) {
        const std::uint64_t word = load_bits(inputs.buffers.at("words"), 4, i);
        set |= word;
        clear |= ~word & 0xffffffffU;
    }
    EXPECT_EQ(set, 0xffffffffU);
    EXPECT_EQ(clear, 0xffffffffU);
}

TEST(Inputs, EdgesChangeOneBufferAndHoldWhatTheirNameSays) {
    const ProgramPlan p = plan();
    const Inputs base = random_inputs(p, 1);
    const auto edges = edge_inputs(p, base, 1);
    EXPECT_EQ(edges.size(), 3U * 10 + 1);
    for (const Inputs& edge : edges) {
        std::string changed;
        for (const auto& [name, bytes] : edge.buffers)
            if (bytes != base.buffers.at(name)) changed += name;
        EXPECT_EQ(edge.label.substr(0, edge.label.find(':')), changed) << edge.label;
    }
}

TEST(Inputs, EachKindOfNanStandsAtSomeElementsAndSubnormalsAtAll) {
    const ProgramPlan p = plan();
    const Inputs base = random_inputs(p, 1);
    std::map<std::string, bool> seen{{"x: quiet NaN", false},
                                     {"x: negative quiet NaN", false},
                                     {"x: signalling NaN", false},
                                     {"x: negative signalling NaN", false},
                                     {"x: subnormals", false}};
    constexpr std::uint64_t kQuietBit = 0x40; // of bf16
    for (const Inputs& edge : edge_inputs(p, base, 1)) {
        std::size_t quiet = 0, signalling = 0, subnormals = 0;
        for (std::size_t i = 0; i < 4001; ++i) {
            const double value = value_of(p, edge, 0, i);
            const bool is_quiet = (load_bits(edge.buffers.at("x"), 2, i) & kQuietBit) != 0;
            quiet += std::isnan(value) && is_quiet ? 1 : 0;
            signalling += std::isnan(value) && !is_quiet ? 1 : 0;
            subnormals += value != 0 && std::fabs(value) < 0x1p-126 ? 1 : 0;
        }
        const std::string kind = edge.label.substr(0, edge.label.find(','));
        if (seen.contains(kind)) seen[kind] = true;
        if (kind.ends_with("NaN") && kind.starts_with("x")) {
            EXPECT_TRUE(std::isnan(value_of(p, edge, 0, 0)));
            EXPECT_TRUE(std::isnan(value_of(p, edge, 0, 4000)));
            EXPECT_GT(quiet + signalling, 2U);
            EXPECT_LT(quiet + signalling, 100U);
            for (const std::size_t i : {0U, 4000U})
                EXPECT_EQ((load_bits(edge.buffers.at("x"), 2, i) & 0x8000U) != 0, kind.starts_with("x: negative")) << i;
        }
        EXPECT_EQ(quiet == 0, kind != "x: quiet NaN" && kind != "x: negative quiet NaN") << edge.label;
        EXPECT_EQ(signalling == 0, kind != "x: signalling NaN" && kind != "x: negative signalling NaN") << edge.label;
        EXPECT_EQ(subnormals, kind == "x: subnormals" ? 4001U : 0U);
    }
    for (const auto& [kind, was_seen] : seen) EXPECT_TRUE(was_seen) << kind;
}

} // namespace
} // namespace hkc
