#include "contract/gates/inputs.h"

#include "contract/gates/element.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Inputs, ValuesAreModerateOfBothSignsAndWordsSpreadOverAllBits) {
    const ProgramPlan p = plan();
    const Inputs inputs = random_inputs(p, 3);
    std::set<double> seen;
    for (std::size_t i = 0; i < 4001; ++i) {
        EXPECT_LE(std::fabs(value_of(p, inputs, 0, i)), 2.0);
        seen.insert(value_of(p, inputs, 0, i));
    }
    EXPECT_GT(seen.size(), 300U);
    for (std::size_t i = 0; i < 500; ++i) {
        EXPECT_GE(std::fabs(value_of(p, inputs, 2, i)), 1.0 / 512);
        EXPECT_LE(std::fabs(value_of(p, inputs, 2, i)), 1.0 / 32);
        EXPECT_LE(std::fabs(value_of(p, inputs, 3, i)), 0.25);
    }
    for (const std::size_t of : {0U, 2U, 3U}) {
        std::size_t negative = 0;
        for (std::size_t i = 0; i < 500; ++i) negative += value_of(p, inputs, of, i) < 0 ? 1U : 0U;
        EXPECT_GT(negative, 150U) << p.buffers[of].name;
        EXPECT_LT(negative, 350U) << p.buffers[of].name;
    }
    std::uint64_t set = 0, clear = 0;
    for (std::size_t i = 0; i < 333; ++i) {
        const std::uint64_t word = load_bits(inputs.buffers.at("words"), 4, i);
        set |= word;
        clear |= ~word & 0xffffffffU;
    }
    EXPECT_EQ(set, 0xffffffffU);
    EXPECT_EQ(clear, 0xffffffffU);
}

/// The kinds of a case by buffer: `x: +Inf, bias: signed zeros, seed 1` is x's "+Inf" and bias's "signed zeros".
std::map<std::string, std::string> kinds_of(const Inputs& edge) {
    std::map<std::string, std::string> kinds;
    std::string rest = edge.label.substr(0, edge.label.rfind(','));
    while (!rest.empty()) {
        const std::string part = rest.substr(0, rest.find(", "));
        kinds[part.substr(0, part.find(':'))] = part.substr(part.find(':') + 2);
        rest.erase(0, part.size() + 2);
    }
    return kinds;
}

TEST(Inputs, EdgesChangeTheBuffersOfTheirName) {
    const ProgramPlan p = plan();
    const Inputs base = random_inputs(p, 1);
    const auto edges = edge_inputs(p, base, 1);
    // 13 kinds of each floating buffer, seven of them also at one element, one of codes; three kinds beside zeros in
    // each other buffer, infinity also at one element, one kind beside floats.
    EXPECT_EQ(edges.size(), 3U * (13 + 7) + 1 + 3 * (4 * 3) + 3 * 2);
    std::set<std::string> labels;
    for (const Inputs& edge : edges) {
        labels.insert(edge.label);
        const auto kinds = kinds_of(edge);
        for (const auto& [name, bytes] : edge.buffers)
            EXPECT_EQ(bytes != base.buffers.at(name), kinds.contains(name)) << edge.label << ": " << name;
    }
    EXPECT_EQ(labels.size(), edges.size());
    for (const char* pair :
         {"x: +Inf, words: zeros", "scale: +Inf, x: signed zeros", "scale: subnormals, bias: signed zeros",
          "bias: roots of the smallest values, scale: signed zeros",
          "scale: largest finite values, x: roots of the smallest values"})
        EXPECT_TRUE(labels.contains(std::string(pair) + ", seed 1")) << pair;
}

TEST(Inputs, EveryElementIsOfItsKind) {
    const ProgramPlan p = plan();
    const Inputs base = random_inputs(p, 1);
    std::set<std::string> seen;
    for (const Inputs& edge : edge_inputs(p, base, 1)) {
        const auto kinds = kinds_of(edge);
        for (std::size_t b = 0; b < 4; ++b) {
            const BufferPlan& buffer = p.buffers[b];
            if (!kinds.contains(buffer.name)) continue;
            const std::string& kind = kinds.at(buffer.name);
            const bool fp16 = buffer.type == ElementType::kFp16;
            const double smallest = fp16 ? 0x1p-24 : 0x1p-133, normal = fp16 ? 0x1p-14 : 0x1p-126;
            const double largest = fp16 ? 65504 : 0x1.fep127;
            double least_square = HUGE_VAL, most_square = 0;
            for (std::size_t i = 0; i < buffer.elements; ++i) {
                const double value = std::fabs(value_of(p, edge, b, i));
                least_square = std::min(least_square, value * value);
                most_square = std::max(most_square, value * value);
                if (kind.ends_with("zeros")) {
                    EXPECT_EQ(value, 0);
                }
                if (kind.ends_with("subnormals")) {
                    EXPECT_TRUE(value > 0 && value < normal) << value;
                }
                if (kind.starts_with("largest")) {
                    EXPECT_EQ(value, largest);
                }
                if (kind.starts_with("any")) {
                    EXPECT_TRUE(std::isfinite(value));
                }
            }
            // On both sides of where a square is no more told from zero, is normal, and is finite.
            if (kind == "roots of the smallest values") {
                EXPECT_LT(least_square, smallest / 2);
                EXPECT_GT(most_square, normal / 4);
                EXPECT_LT(most_square, normal * 16);
            }
            if (kind == "roots of the largest values") {
                EXPECT_LT(least_square, largest);
                EXPECT_GT(most_square, largest);
            }
            if (kind == "any finite values") {
                EXPECT_LT(least_square, smallest);
                EXPECT_GT(most_square, largest);
            }
            seen.insert(kind);
        }
    }
    for (const char* kind : {"signed zeros", "zeros", "subnormals", "largest finite values", "any finite values",
                             "roots of the smallest values", "roots of the largest values"})
        EXPECT_TRUE(seen.contains(kind)) << kind;
}

TEST(Inputs, InfinitiesBesideZerosAreOfOneSign) {
    const ProgramPlan p = plan();
    for (const Inputs& edge : edge_inputs(p, random_inputs(p, 1), 1)) {
        const bool one = edge.label.starts_with("x: one +Inf, bias");
        if (!one && !edge.label.starts_with("x: +Inf, bias")) continue;
        std::size_t infinite = 0;
        for (std::size_t i = 0; i < 4001; ++i) {
            const double value = value_of(p, edge, 0, i);
            EXPECT_NE(value, -HUGE_VAL);
            infinite += std::isinf(value) ? 1 : 0;
        }
        EXPECT_EQ(infinite == 1, one);
        EXPECT_GT(infinite, 0U);
        EXPECT_LT(infinite, 100U);
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
        if (edge.label.find(": one ") != std::string::npos) continue;
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
        if (kind != "x: any finite values") {
            EXPECT_EQ(subnormals, kind == "x: subnormals" ? 4001U : 0U) << edge.label;
        }
    }
    for (const auto& [kind, was_seen] : seen) EXPECT_TRUE(was_seen) << kind;
}

TEST(Inputs, ANanOrInfinityStandsAloneInItsRowAndSomeRowsHaveNone) {
    constexpr std::size_t kRows = 8, kLength = 2112;
    ProgramPlan p;
    p.buffers = {buffer("x", Direction::kIn, ElementType::kBf16, kRows * kLength)};
    p.buffers[0].dims = {kRows, kLength};
    std::size_t cases = 0, first = 0, last = 0, without = 0;
    for (const Inputs& edge : edge_inputs(p, random_inputs(p, 1), 1)) {
        if (edge.label.find("NaN") == std::string::npos && edge.label.find("Inf") == std::string::npos) continue;
        ++cases;
        std::set<std::size_t> parts;
        std::size_t rows_with = 0;
        for (std::size_t row = 0; row < kRows; ++row) {
            std::size_t in_row = 0;
            for (std::size_t i = 0; i < kLength; ++i) {
                if (std::isfinite(value_of(p, edge, 0, row * kLength + i))) continue;
                ++in_row;
                parts.insert(i / (kLength / kRows));
                first += i == 0 ? 1U : 0U;
                last += i + 1 == kLength ? 1U : 0U;
            }
            EXPECT_LE(in_row, 1U) << edge.label;
            rows_with += in_row;
        }
        EXPECT_EQ(parts.size(), rows_with) << edge.label << ": each row has its own part";
        EXPECT_GE(rows_with, 1U) << edge.label;
        without += kRows - rows_with;
    }
    EXPECT_EQ(cases, 7U);
    EXPECT_GE(first, 1U);
    EXPECT_GE(last, 1U);
    EXPECT_GE(without, cases);
}

TEST(Inputs, OneNanOrInfinityOfABufferOfOneRowStandsAnywhere) {
    const ProgramPlan p = plan();
    std::set<std::size_t> places;
    for (const Inputs& edge : edge_inputs(p, random_inputs(p, 1), 1)) {
        if (!edge.label.starts_with("x: one ")) continue;
        std::size_t count = 0;
        for (std::size_t i = 0; i < 4001; ++i) {
            if (std::isfinite(value_of(p, edge, 0, i))) continue;
            ++count;
            places.insert(i);
        }
        EXPECT_EQ(count, 1U) << edge.label;
    }
    EXPECT_GE(places.size(), 5U);
}

} // namespace
} // namespace hkc
