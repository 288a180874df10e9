// Words that stand again are the instruction that they were, however many others were met in between.
#include "peacemaker/lift/forms.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

std::string words(std::initializer_list<std::uint32_t> list) {
    std::string out;
    for (const std::uint32_t word : list) {
        char bytes[sizeof word];
        std::memcpy(bytes, &word, sizeof word);
        out.append(bytes, sizeof word);
    }
    return out;
}

// RDNA3 ISA, "VOP1": v_mov_b32_e32 v0, v1 in one word; source 0xff is a literal in the word behind.
constexpr std::uint32_t kMov = 0x7e000301, kMovLiteral = 0x7e0002ff;
// "VOP3": v_fma_f32 v0, v1, v2, v3 in two words; source 2 as 0xff is a literal in a third one.
constexpr std::uint32_t kFma[] = {0xd6130000, 0x040e0501}, kFmaLiteral = 0x03fe0501;

class LiftForms : public testing::Test {
protected:
    void SetUp() override {
        auto made = pm::lift::Forms::create(**pm::find_chip("gfx1100"), 32);
        ASSERT_TRUE(made) << made.error().text;
        forms_ = std::move(*made);
    }
    std::uint32_t find(const std::string& bytes, std::uint64_t address = 0) {
        const auto found = forms_->find(bytes, address);
        EXPECT_TRUE(found);
        return found.value_or(~0U);
    }
    std::unique_ptr<pm::lift::Forms> forms_;
};

TEST_F(LiftForms, InstructionsOfOneToThreeWordsAreFoundAgain) {
    const std::string code[] = {words({kMov}), words({kMovLiteral, 7}), words({kMovLiteral, 8}),
                                words({kFma[0], kFma[1]}), words({kFma[0], kFmaLiteral, 9})};
    for (std::uint32_t round = 0; round < 2; ++round)
        for (std::uint32_t i = 0; i < 5; ++i) {
            // What follows, and where it lies, make no difference.
            EXPECT_EQ(find(code[i] + words({kMov + round, kMov}), 256 * round), i);
            EXPECT_EQ((*forms_)[i].size, code[i].size());
            EXPECT_EQ((*forms_)[i].bytes, code[i]);
            EXPECT_TRUE((*forms_)[i].comes_back);
        }
    EXPECT_EQ(forms_->size(), 5u);
}

TEST_F(LiftForms, ManyAreKeptApartAndStayWhereTheyAre) {
    const std::uint32_t first = find(words({kMov}));
    const pm::lift::Form* const there = &(*forms_)[first];
    constexpr std::uint32_t kMany = 6000; // more than the table has places at first
    for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(find(words({kMovLiteral, i << 8})), i + 1);
    for (std::uint32_t i = 0; i < kMany; ++i) {
        ASSERT_EQ(find(words({kMovLiteral, i << 8})), i + 1);
        ASSERT_EQ((*forms_)[i + 1].bytes, words({kMovLiteral, i << 8}));
    }
    EXPECT_EQ(find(words({kMov})), first);
    EXPECT_EQ(&(*forms_)[first], there);
}

TEST_F(LiftForms, WhatIsNoInstructionIsNotKept) {
    (void)find(words({kMovLiteral, 7}));
    EXPECT_FALSE(forms_->find(words({kMovLiteral}), 0)) << "its literal is cut off";
    EXPECT_FALSE(forms_->find(words({kFma[0]}), 0));
    EXPECT_FALSE(forms_->find("", 0));
    EXPECT_EQ(forms_->size(), 1u);
}

} // namespace
