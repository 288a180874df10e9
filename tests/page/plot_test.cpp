#include "contract/page/plot.h"

#include <gtest/gtest.h>

namespace hkc::page {
namespace {

std::vector<CostRow> rows() {
    return {{"gfx1151",
             "tile",
             {{"VGPR", 64, 256, false, 4}, {"LDS", 0, 65536, false, 0}, {"waves", 16, 16, true, -2}},
             true}};
}

TEST(Plot, BarsAreInProportionAndWhatIsZeroIsLeftOut) {
    EXPECT_EQ(plot_text(rows(), {70, false, true}), "gfx1151 tile\n"
                                                    "  VGPR    ##########.............................. 64/256 +4\n"
                                                    "  waves   ######################################## 16/16 -2\n");
}

TEST(Plot, AColourTellsWorseFromBetterAndAsciiIsAsked) {
    const std::string text = plot_text(rows(), {70, true, false});
    EXPECT_NE(text.find("\x1b[31m +4\x1b[0m"), std::string::npos) << text;
    EXPECT_NE(text.find("\x1b[31m -2\x1b[0m"), std::string::npos) << "fewer waves are worse";
    EXPECT_NE(text.find("█"), std::string::npos);
    for (const char c : plot_text(rows(), {70, false, true})) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Plot, LittleIsSeenAndNarrowTerminalsHaveBarsToo) {
    const std::vector<CostRow> little{{"gfx1030", "k", {{"scratch", 1, 100000, false, 0}}, false}};
    EXPECT_EQ(plot_text(little, {1, false, true}), "gfx1030 k\n  scratch #......... 1/100000\n");
}

TEST(Plot, NoResourcesAreSaid) { EXPECT_NE(plot_text({}, {}).find("tells no resources"), std::string::npos); }

} // namespace
} // namespace hkc::page
