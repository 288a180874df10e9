#include "peacemaker/emu/budget.h"

#include <gtest/gtest.h>

#include <string>

namespace pm::emu {
namespace {

TEST(InstructionBudget, IsWhatTheVariableSays) {
    EXPECT_EQ(*instruction_budget("1"), 1u);
    EXPECT_EQ(*instruction_budget("1000000"), 1000000u);
    EXPECT_EQ(*instruction_budget("1099511627776"), 1099511627776u);
    EXPECT_EQ(*instruction_budget(nullptr), 1099511627776u);
}

TEST(InstructionBudget, BadValuesAreNamed) {
    for (const char* const bad : {"", "0", "-1", "1e6", "10 ", " 10", "ten", "1099511627777", "99999999999999999999"}) {
        const auto budget = instruction_budget(bad);
        ASSERT_FALSE(budget) << bad;
        EXPECT_EQ(budget.error().text, "HKC_MAX_INSTRUCTIONS is \"" + std::string(bad) +
                                           "\"; expected a number of instructions from 1 to 1099511627776");
    }
}

} // namespace
} // namespace pm::emu
