#include "peacemaker/lift/loops.h"

#include <gtest/gtest.h>

namespace {

using namespace pm::lift;

/// Instructions of four bytes each; `branches` maps a place in the list to the one it leads to.
std::vector<Instruction> listing(std::size_t count, const std::map<std::size_t, long>& branches) {
    std::vector<Instruction> all;
    for (std::size_t i = 0; i < count; ++i) {
        Instruction one{4 * i, 4, "v_nop", std::nullopt};
        if (const auto branch = branches.find(i); branch != branches.end()) {
            one.text = "s_cbranch_scc1 1";
            one.target = 4 * branch->second;
        }
        all.push_back(one);
    }
    return all;
}

std::vector<std::pair<std::size_t, std::size_t>> found(const std::vector<Instruction>& all) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (const Loop& loop : innermost_loops(all)) out.emplace_back(loop.first, loop.count);
    return out;
}

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(InnermostLoops, AreFromTheTargetToTheBackwardBranch) {
    EXPECT_EQ(found(listing(8, {{5, 2}})), (Places{{2, 4}}));
    EXPECT_EQ(found(listing(8, {{3, 3}})), (Places{{3, 1}})) << "a branch to itself";
    EXPECT_EQ(found(listing(8, {{2, 5}})), Places{}) << "forward";
    EXPECT_EQ(found(listing(8, {})), Places{});
}

TEST(InnermostLoops, LeaveOutThoseThatHoldAnother) {
    EXPECT_EQ(found(listing(12, {{4, 3}, {8, 1}})), (Places{{3, 2}}));
    EXPECT_EQ(found(listing(12, {{3, 2}, {6, 5}, {9, 1}})), (Places{{2, 2}, {5, 2}}));
    EXPECT_EQ(found(listing(12, {{3, 1}, {9, 6}})), (Places{{1, 3}, {6, 4}})) << "side by side";
}

TEST(InnermostLoops, HaveOneEndWhereTwoBranchesLeadToTheirHead) {
    EXPECT_EQ(found(listing(12, {{4, 2}, {7, 2}})), (Places{{2, 6}}));
}

TEST(InnermostLoops, AreNotMadeByBranchesOutOfTheKernelOrBetweenInstructions) {
    EXPECT_EQ(found(listing(8, {{5, -1}})), Places{});
    std::vector<Instruction> all = listing(8, {{5, 2}});
    all[5].target = 4 * 2 + 2;
    EXPECT_EQ(found(all), Places{});
}

TEST(Mix, CountsByWhatAnInstructionOccupies) {
    std::vector<Instruction> all;
    for (const char* text :
         {"v_add_f32_e32 v0, v1, v2", "v_add_f32_e32 v0, v1, v2", "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4",
          "s_add_i32 s0, s1, s2", "s_waitcnt vmcnt(0)", "s_load_b64 s[0:1], s[2:3], 0x0",
          "s_buffer_load_b32 s0, s[4:7], 0x0", "global_load_b128 v[0:3], v[4:5], off", "ds_load_b32 v0, v1"})
        all.push_back({0, 4, text, std::nullopt});
    const Mix mix = mix_of(all);
    EXPECT_EQ(mix.vector, 3u);
    EXPECT_EQ(mix.scalar, 2u);
    EXPECT_EQ(mix.memory, 4u);
    EXPECT_EQ(mix.total(), all.size());
    EXPECT_EQ(mix.by_name.at("v_add_f32_e32"), 2u);
    EXPECT_EQ(mix.by_name.at("v_dual_mul_f32 :: v_dual_mov_b32"), 1u);
}

TEST(LoopsText, SharesCountsByTheWorkOfARound) {
    pm::Kernel kernel;
    kernel.name = "k";
    EXPECT_EQ(loops_text(kernel, listing(4, {}), 0), "k: no loop\n");
    const std::string text = loops_text(kernel, listing(6, {{4, 1}}), 2);
    EXPECT_TRUE(text.starts_with("k+0x4..0x14: 4 instructions a round\n")) << text;
    EXPECT_NE(text.find("vector"), std::string::npos);
    EXPECT_NE(text.find("3     1.500\n"), std::string::npos) << text;
    EXPECT_EQ(loops_text(kernel, listing(6, {{4, 1}}), 0).find("1.500"), std::string::npos);
}

} // namespace
