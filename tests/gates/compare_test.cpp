#include "contract/gates/compare.h"

#include "contract/gates/element.h"
#include "contract/gates/launching.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hkc {
namespace {

BufferPlan out(std::int64_t rows, std::int64_t cols) {
    BufferPlan plan;
    plan.name = "out";
    plan.dir = Direction::kOut;
    plan.type = ElementType::kBf16;
    plan.dims = {rows, cols};
    plan.elements = static_cast<std::size_t>(rows * cols);
    return plan;
}

std::vector<std::byte> bytes_of(const std::vector<std::uint16_t>& bits) {
    std::vector<std::byte> bytes(bits.size() * 2);
    for (std::size_t i = 0; i < bits.size(); ++i) store_bits(bytes, 2, i, bits[i]);
    return bytes;
}

constexpr std::uint16_t kOne = 0x3f80, kTwo = 0x4000, kNan = 0x7fc1, kOtherNan = 0xffc2, kZero = 0, kMinusZero = 0x8000;

TEST(Compare, AnElementOutsideItsBoundIsNamedWithItsPositionBitsAndBound) {
    const std::vector<OutputBound> bounds(6, OutputBound{.lo = 1, .hi = 1});
    const auto inside = outside_bounds(out(2, 3), bytes_of({kOne, kOne, kOne, kOne, kOne, kOne}), bounds, "k");
    ASSERT_TRUE(inside);
    EXPECT_TRUE(inside->empty());
    const auto outside = outside_bounds(out(2, 3), bytes_of({kOne, kOne, kOne, kOne, kTwo, kNan}), bounds, "k");
    ASSERT_TRUE(outside);
    ASSERT_EQ(outside->size(), 1U);
    EXPECT_EQ(outside->front().kind, kind::kOutsideOracle);
    EXPECT_EQ(outside->front().text, "k: out[1, 1] is 0x4000 (2), expected [1 (0x3f80), 1 (0x3f80)]; 2 of 6 elements");
}

TEST(Compare, ANanThatBecameANumberIsLost) {
    OutputBound nan_only;
    nan_only.finite = false;
    nan_only.nan = true;
    OutputBound nan_or_finite{.lo = 0, .hi = 1};
    nan_or_finite.nan = true;
    const std::vector<OutputBound> bounds{nan_only, nan_or_finite};
    const auto kept = outside_bounds(out(1, 2), bytes_of({kOtherNan, kNan}), bounds, "k");
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->empty());
    const auto lost = outside_bounds(out(1, 2), bytes_of({kZero, kZero}), bounds, "k");
    ASSERT_TRUE(lost);
    ASSERT_EQ(lost->size(), 1U);
    EXPECT_EQ(lost->front().kind, kind::kNanLost);
}

TEST(Compare, BoundsOfAnotherSizeAreAnErrorNotAPass) {
    EXPECT_FALSE(outside_bounds(out(1, 2), bytes_of({kOne, kOne}), {OutputBound{.lo = 1, .hi = 1}}, "k"));
}

struct EqualityCase {
    std::uint16_t first, second;
    bool equal_as_bytes, equal_with_any_nan;
};

TEST(Compare, NanEqualsAnyNanAndZerosDiffer) {
    for (const EqualityCase& c : {EqualityCase{kOne, kOne, true, true}, EqualityCase{kOne, kTwo, false, false},
                                  EqualityCase{kNan, kOtherNan, false, true}, EqualityCase{kNan, kOne, false, false},
                                  EqualityCase{kZero, kMinusZero, false, false}}) {
        const auto a = bytes_of({c.first}), b = bytes_of({c.second});
        EXPECT_EQ(!first_difference(out(1, 1), a, b, Equality::kBytes), c.equal_as_bytes) << c.first << " " << c.second;
        EXPECT_EQ(!first_difference(out(1, 1), a, b, Equality::kAnyNanEqual), c.equal_with_any_nan)
            << c.first << " " << c.second;
    }
}

TEST(Compare, PoisonDiffersInEveryByte) {
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_NE(poison_byte(Poison::kFirst, i), poison_byte(Poison::kSecond, i));
}

/// Four elements over each poison; `written` elements hold `bits`, the others what was there.
std::vector<std::byte> over(Poison poison, const std::vector<int>& written, std::uint16_t bits) {
    std::vector<std::byte> bytes(8);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = poison_byte(poison, i);
    for (const int i : written) store_bits(bytes, 2, static_cast<std::size_t>(i), bits);
    return bytes;
}

TEST(Compare, AnElementThatKeepsBothPoisonsWasNotWritten) {
    EXPECT_TRUE(unwritten_or_unstable(out(2, 2), over(Poison::kFirst, {0, 1, 2, 3}, kOne),
                                      over(Poison::kSecond, {0, 1, 2, 3}, kOne), true, "k")
                    .empty());
    const auto found = unwritten_or_unstable(out(2, 2), over(Poison::kFirst, {0, 1, 3}, kOne),
                                             over(Poison::kSecond, {0, 1, 3}, kOne), true, "k");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, kind::kOutputNotWritten);
    EXPECT_NE(found[0].text.find("out[1, 0]"), std::string::npos) << found[0].text;
}

TEST(Compare, OneByteOfAnElementLeftAloneIsNotWritten) {
    auto first = over(Poison::kFirst, {0, 1, 2, 3}, kOne);
    auto second = over(Poison::kSecond, {0, 1, 2, 3}, kOne);
    first[5] = poison_byte(Poison::kFirst, 5);
    second[5] = poison_byte(Poison::kSecond, 5);
    const auto found = unwritten_or_unstable(out(2, 2), first, second, true, "k");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, kind::kOutputNotWritten);
}

TEST(Compare, AnotherValueOverAnotherPoisonIsNotRepeatableWhereBitwiseIsAskedFor) {
    const auto first = over(Poison::kFirst, {0, 1, 2, 3}, kOne);
    const auto second = over(Poison::kSecond, {0, 1, 2, 3}, kTwo);
    const auto found = unwritten_or_unstable(out(2, 2), first, second, true, "k");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, kind::kNotRepeatable);
    EXPECT_TRUE(unwritten_or_unstable(out(2, 2), first, second, false, "k").empty());
}

} // namespace
} // namespace hkc
