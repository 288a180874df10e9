// `peacemaker isa` as a user runs it.
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

namespace pm::testing {
namespace {

const std::string kTool = std::string(HKC_BINARY_DIR) + "/bin/peacemaker";

TEST(PeacemakerIsa, ListsInstructionsAndCountsThem) {
    const auto all = run_program(kTool, {"isa", "--chip", "gfx1151"});
    ASSERT_TRUE(all) << all.error().text;
    EXPECT_NE(all->find("VOP2     exact       V_ADD_F32_e32_gfx11"), std::string::npos);
    EXPECT_NE(all->find("VOP1     approximate V_RCP_F32_e32_gfx11"), std::string::npos);
    EXPECT_NE(all->find("\ntotal "), std::string::npos);
    const auto some = run_program(kTool, {"isa", "--chip", "gfx1151", "--only", "approximate"});
    ASSERT_TRUE(some) << some.error().text;
    EXPECT_EQ(some->find(" exact       V_"), std::string::npos);
    EXPECT_NE(some->find("approximate V_RCP_F32_e32_gfx11"), std::string::npos);
    const auto left = run_program(kTool, {"isa", "--chip", "gfx1151", "--only", "not-compute"});
    ASSERT_TRUE(left) << left.error().text;
    EXPECT_NE(left->find("SOP1     not-compute S_RFE_B64_gfx11"), std::string::npos);
    EXPECT_NE(left->find("for trap handlers alone"), std::string::npos);
    const auto summary = run_program(kTool, {"isa", "--chip", "gfx1151", "--summary"});
    ASSERT_TRUE(summary) << summary.error().text;
    EXPECT_TRUE(summary->starts_with("class "));
    EXPECT_TRUE(all->ends_with(*summary));
}

TEST(PeacemakerIsa, RefusesWhatIsNoChipOrNoKind) {
    const auto chip = run_program(kTool, {"isa", "--chip", "gfx906"});
    ASSERT_FALSE(chip);
    EXPECT_NE(chip.error().text.find("gfx906"), std::string::npos);
    EXPECT_NE(chip.error().text.find("gfx1151"), std::string::npos);
    EXPECT_FALSE(run_program(kTool, {"isa"}));
    EXPECT_FALSE(run_program(kTool, {"isa", "--chip", "gfx1151", "--only", "some"}));
}

} // namespace
} // namespace pm::testing
