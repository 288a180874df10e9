// s_clause and s_delay_alu: what they say of the instructions behind them, by the ISA documents.
#include "tests/certify/certify_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pm::testing {
namespace {

using Texts = std::vector<std::string>;

Texts kinds(const char* chip, const std::string& body) {
    Texts out;
    for (const certify::Open& open : certified(**find_chip(chip), body).open)
        if (open.kind == certify::kind::kClause || open.kind == certify::kind::kDelay)
            out.push_back(fmt::format("{}{} +{:#x}", open.fault ? "" : "open ", open.kind, open.at));
    return out;
}

/// The last of the opens, without its place; nothing where there is none.
std::string only(const char* chip, const std::string& body) {
    const Texts all = kinds(chip, body);
    EXPECT_LE(all.size(), 1U) << fmt::format("{}", fmt::join(all, "; "));
    return all.empty() ? std::string() : all[0].substr(0, all[0].rfind(' '));
}

const std::string kClause(certify::kind::kClause);
const std::string kDelay = "open " + std::string(certify::kind::kDelay);
constexpr const char* kLoads = "gload v2, v1\ngload v3, v1\n";
constexpr const char* kWait = "wait_load 0\n";

class Clause : public ::testing::TestWithParam<const char*> {};

TEST_P(Clause, HasWhatItCounts) {
    const char* const chip = GetParam();
    EXPECT_EQ(only(chip, std::string("s_clause 0x1\n") + kLoads + kWait), "");
    EXPECT_EQ(only(chip, std::string("s_clause 0x1\ngload v2, v1\ns_nop 0\n") + kWait), "") << "s_nop is counted";
    EXPECT_EQ(only(chip, std::string("s_clause 0x2\ngload v2, v1\ns_nop 0\ngload v3, v1\n") + kWait), "");
    EXPECT_EQ(only(chip, std::string("s_clause 0x2\n") + kLoads + kWait), kClause) << "a wait";
    EXPECT_EQ(only(chip, std::string("s_clause 0x2\n") + kLoads + "s_mov_b32 s10, 0\n" + kWait), kClause);
    EXPECT_EQ(only(chip, std::string("s_clause 0x2\n") + kLoads + "v_mov_b32 v5, 0\n" + kWait), kClause);
    EXPECT_EQ(only(chip, std::string("s_clause 0x2\n") + kLoads + "dsload v5, v1\nwait_ds 0\n" + kWait), kClause);
    EXPECT_EQ(only(chip, std::string("s_clause 0x0\n") + kLoads + kWait), kClause) << "one";
    EXPECT_EQ(only(chip, std::string("s_clause 0x1\nsload s10, s[8:9]\nsload s11, s[8:9]\nwait_km 0\n")), "");
}

TEST_P(Clause, NoBranchEntersOrLeavesIt) {
    const char* const chip = GetParam();
    EXPECT_EQ(only(chip, std::string("s_cbranch_scc0 1f\ns_clause 0x1\ngload v2, v1\n1:\ngload v3, v1\n") + kWait),
              kClause);
    EXPECT_EQ(only(chip, std::string("s_clause 0x1\ngload v2, v1\ns_cbranch_scc0 1f\n1:\ngload v3, v1\n") + kWait),
              kClause);
    EXPECT_EQ(only(chip, std::string("s_cbranch_scc0 1f\ns_nop 0\n1:\ns_clause 0x1\n") + kLoads + kWait), "");
}

TEST_P(Clause, LoadsAndStoresAreApartFromGfx11On) {
    const char* const chip = GetParam();
    const bool gfx10 = std::string(chip) == "gfx1030";
    const std::string store = gfx10 ? "global_store_dword v1, v4, s[4:5]\n" : "global_store_b32 v1, v4, s[4:5]\n";
    EXPECT_EQ(only(chip, "s_clause 0x1\ngload v2, v1\n" + store + kWait), gfx10 ? "" : kClause);
}

TEST_P(Clause, IsNoLongerThanTheChipAllows) {
    const char* const chip = GetParam();
    const auto clause = [](int n) {
        std::string text = fmt::format("s_clause {}\n", n - 1);
        for (int i = 0; i < n; ++i) text += fmt::format("sload s{}, s[8:9]\n", 10 + i);
        return text + "wait_km 0\n";
    };
    EXPECT_EQ(only(chip, clause(32)), "");
    EXPECT_EQ(only(chip, clause(33)), std::string(chip) == "gfx1030" ? "" : kClause);
    EXPECT_EQ(only(chip, clause(63)), std::string(chip) == "gfx1030" ? "" : kClause);
    EXPECT_EQ(only(chip, clause(64)), kClause);
}

INSTANTIATE_TEST_SUITE_P(Chips, Clause, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"));

TEST(Clause, TheInstructionThatBreaksItIsNamed) {
    // s_clause is 4 bytes, a load 8, and the move is behind two of them. The rig's own code comes first.
    const std::string broken = std::string("s_clause 0x2\n") + kLoads + "s_mov_b32 s10, 0\n" + kWait;
    const std::string itself = std::string("s_clause 0x0\n") + kLoads + kWait;
    const auto place = [](const Texts& all) {
        return std::stoul(all.at(0).substr(all.at(0).rfind('+') + 1), nullptr, 16);
    };
    EXPECT_EQ(place(kinds("gfx1100", broken)) - place(kinds("gfx1100", itself)), 4U + 2U * 8U);
}

TEST(Delay, HasKnownCodesAndStaysInItsBlock) {
    for (const char* chip : {"gfx1100", "gfx1151", "gfx1201"}) {
        const auto delay = [&](unsigned field, const char* behind) {
            return only(chip, fmt::format("s_delay_alu {:#x}\n{}", field, behind));
        };
        const char* const three = "v_mov_b32 v1, 0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0\n"; // and s_endpgm
        EXPECT_EQ(delay(1, three), "");
        EXPECT_EQ(delay(11, three), "");
        EXPECT_EQ(delay(12, three), kDelay) << "reserved";
        EXPECT_EQ(delay(1 | 3U << 4 | 1 << 7, three), "") << "the fourth";
        EXPECT_EQ(delay(1 | 4U << 4 | 1 << 7, three), kDelay) << "behind the end";
        EXPECT_EQ(delay(1 | 6U << 4 | 1 << 7, three), kDelay) << "no such skip";
        EXPECT_EQ(delay(1 | 12U << 7, three), kDelay);
        EXPECT_EQ(delay(1 | 1U << 11, three), kDelay);
        // The second is in another block.
        EXPECT_EQ(delay(1 | 1U << 4 | 1 << 7, "s_cbranch_scc0 1f\nv_mov_b32 v1, 0\n1:\n"), kDelay);
        EXPECT_EQ(delay(9, "s_cbranch_scc0 1f\nv_mov_b32 v1, 0\n1:\n"), "");
    }
}

} // namespace
} // namespace pm::testing
