#include "contract/runner/plant.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

Kernel twin() {
    Kernel kernel;
    kernel.name = "tile";
    kernel.source = "tile.hip";
    kernel.flags = {"-O3"};
    kernel.params = {{"bits", 4}, {"rows", 1}};
    Launch launch;
    launch.symbol = "tile_w4";
    launch.args = {"x", "out", "n"};
    kernel.launches = {launch};
    return kernel;
}

Planted planted(Plant how) {
    static Control control;
    control.plant = std::move(how);
    return plant(control, twin());
}

TEST(Plant, EachFormChangesWhatItNamesAndNothingElse) {
    const Planted symbol = planted(PlantSymbol{"tile_w5"});
    EXPECT_EQ(symbol.kernel.launches[0].symbol, "tile_w5");
    EXPECT_EQ(symbol.build, build_of(twin()));
    EXPECT_EQ(symbol.kernel.params, twin().params);

    const Planted args = planted(PlantArgs{{"x", "out"}});
    EXPECT_EQ(args.kernel.launches[0].args, (std::vector<std::string>{"x", "out"}));
    EXPECT_EQ(args.kernel.launches[0].symbol, "tile_w4");

    const Planted params = planted(PlantParams{{{"bits", 5}}});
    EXPECT_EQ(params.kernel.params, (Scope{{"bits", 5}, {"rows", 1}}));
    EXPECT_EQ(params.kernel.launches[0].symbol, "tile_w4");

    const Planted build = planted(PlantBuild{"", {"SPILL=1"}, {{"a", "b"}}});
    EXPECT_EQ(build.build, (BuildPlan{"tile.hip", {"-O3"}, {"SPILL=1"}, {{"a", "b"}}}));
    EXPECT_EQ(build.kernel.launches[0].args, twin().launches[0].args);
    EXPECT_EQ(planted(PlantBuild{"other.hip", {}, {}}).build.source, "other.hip");
}

TEST(Plant, MutatesOnePlaceOfTheObject) {
    const auto mutated = mutate_bytes(std::string("\x01\x02\xfe\x04", 4), {"02 FE", "ff00"});
    ASSERT_TRUE(mutated) << mutated.error().text;
    EXPECT_EQ(*mutated, std::string("\x01\xff\x00\x04", 4));
}

TEST(Plant, AMutationThatIsNotMadeExactlyOnceIsAnError) {
    const std::string bytes("\x01\x02\x02\x02", 4);
    for (const PlantMutate& mutate :
         {PlantMutate{"09", "00"}, PlantMutate{"02", "00"}, PlantMutate{"0202", "0000"}, PlantMutate{"01", "0000"},
          PlantMutate{"0", "1"}, PlantMutate{"zz", "00"}, PlantMutate{"", ""}})
        EXPECT_FALSE(mutate_bytes(bytes, mutate)) << mutate.find << " -> " << mutate.replace;
}

} // namespace
} // namespace hkc
