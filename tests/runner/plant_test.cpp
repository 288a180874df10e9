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
    const pm::mutate::BytesEdit edit{"\x02\xfe", std::string("\xff\x00", 2)};
    const auto mutated = mutate_bytes(std::string("\x01\x02\xfe\x04", 4), {edit});
    ASSERT_TRUE(mutated) << mutated.error().text;
    EXPECT_EQ(*mutated, std::string("\x01\xff\x00\x04", 4));
    const Planted bytes = planted(PlantMutate{edit});
    ASSERT_NE(bytes.mutate, nullptr);
    EXPECT_EQ(std::get<pm::mutate::BytesEdit>(bytes.mutate->edit), edit);
    EXPECT_EQ(bytes.build, build_of(twin()));
}

TEST(Plant, AMutationThatIsNotMadeExactlyOnceIsAnError) {
    using pm::mutate::BytesEdit;
    const std::string bytes("\x01\x02\x02\x02", 4);
    for (const BytesEdit& edit :
         {BytesEdit{"\x09", "\x03"}, BytesEdit{"\x02", "\x03"}, BytesEdit{"\x02\x02", "\x03\x03"},
          BytesEdit{"\x01", "\x03\x03"}, BytesEdit{"", ""}}) {
        const auto mutated = mutate_bytes(bytes, {edit});
        ASSERT_FALSE(mutated) << edit.find << " -> " << edit.replace;
        EXPECT_TRUE(mutated.error().text.starts_with("mutate: ")) << mutated.error().text;
    }
    for (const pm::mutate::Edit& edit :
         {pm::mutate::Edit(pm::mutate::InstructionEdit{"tile", {"s_endpgm"}, {"s_nop 0"}, 1}),
          pm::mutate::Edit(pm::mutate::MetadataEdit{"tile", ".vgpr_count", 1, true})}) {
        const auto mutated = mutate_bytes(bytes, {edit});
        ASSERT_FALSE(mutated) << "these bytes are no code object";
        EXPECT_NE(mutated.error().text.find("neither an ELF file"), std::string::npos) << mutated.error().text;
    }
}

} // namespace
} // namespace hkc
