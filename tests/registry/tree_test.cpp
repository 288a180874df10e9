// The registry of this project, read as the tools read it.
#include "contract/oracle/oracle.h"
#include "contract/registry/registry.h"
#include "contract/report/outcome.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

const hkc::Registry& tree() {
    static const hkc::Registry registry = [] {
        auto loaded = hkc::load_registry(HKC_SOURCE_DIR, {hkc::oracle_names(), hkc::finding_kinds()});
        EXPECT_TRUE(loaded) << loaded.error().text;
        return loaded ? std::move(*loaded) : hkc::Registry{};
    }();
    return registry;
}

const std::vector<std::string> kChips{"gfx1030", "gfx1100", "gfx1151", "gfx1201"};

TEST(RegistryTree, EveryTileIsThereAtEveryWidthInBothForms) {
    std::set<std::string> expected{"relu2"};
    for (const std::string bits : {"4", "5", "6", "8"}) {
        for (const std::string tile : {"1x1", "1x2", "1x4", "1x8", "2x4", "4x2", "4x4", "8x2"}) {
            expected.insert("affine_stream_w" + bits + "_r" + tile);
            expected.insert("affine_stream_relu2_w" + bits + "_r" + tile);
        }
    }
    std::set<std::string> found;
    for (const hkc::Kernel& kernel : tree().kernels) {
        if (kernel.family == "affine_stream") found.insert(kernel.name);
        EXPECT_EQ(kernel.chips, kChips) << kernel.name;
        EXPECT_TRUE(kernel.certify) << kernel.name;
    }
    EXPECT_EQ(found, expected);
}

TEST(RegistryTree, TilesHaveTheServedAndTheRaggedShapes) {
    for (const hkc::Kernel& kernel : tree().kernels) {
        if (!kernel.name.starts_with("affine_stream_")) continue;
        const std::int64_t rows = kernel.params.at("rows");
        const std::int64_t columns = kernel.params.at("waves") * kernel.params.at("cols"); // a workgroup's
        std::set<std::vector<std::int64_t>> served;
        std::set<std::int64_t> ragged_m, last_wave;
        for (const hkc::Shape& shape : kernel.shapes) {
            const std::int64_t m = shape.values.at("m"), n = shape.values.at("n"), k = shape.values.at("k");
            EXPECT_EQ(k % 64, 0);
            last_wave.insert(n % kernel.params.at("cols"));
            if (shape.served) served.insert({m, n, k});
            if (!shape.ragged) continue;
            ragged_m.insert(m);
            EXPECT_NE(n % columns, 0) << kernel.name << ": the last workgroup is partly filled";
            EXPECT_GT(n * m, columns) << kernel.name << ": more than one row of a workgroup";
            EXPECT_NE(k / 32 % 32, 0) << kernel.name;
        }
        EXPECT_EQ(served, (std::set<std::vector<std::int64_t>>{
                              {rows, 1856, 2688}, {rows, 2688, 1856}, {rows, 6144, 2688}, {rows, 2688, 4096}}))
            << kernel.name;
        EXPECT_EQ(ragged_m, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8})) << kernel.name;
        EXPECT_EQ(static_cast<std::int64_t>(last_wave.size()), kernel.params.at("cols")) << kernel.name;
    }
}

TEST(RegistryTree, FusedTilesReplaceThePlainTileThenRelu2ByBytes) {
    int fused = 0;
    for (const hkc::Kernel& kernel : tree().kernels) {
        const std::string prefix = "affine_stream_relu2_";
        if (!kernel.name.starts_with(prefix)) continue;
        ++fused;
        EXPECT_EQ(kernel.match, hkc::Match::kBytes);
        ASSERT_EQ(kernel.replaces.size(), 2u);
        EXPECT_EQ(kernel.replaces[0].kernel, "affine_stream_" + kernel.name.substr(prefix.size()));
        EXPECT_EQ(kernel.replaces[1].kernel, "relu2");
    }
    EXPECT_EQ(fused, 32);
}

TEST(RegistryTree, EveryGateHasTwoControlsOnEveryChipAndOneOfMutatedBytes) {
    for (const std::string& chip : kChips) {
        std::map<std::uint32_t, int> all, mutated;
        int count = 0;
        for (const hkc::Control& control : tree().controls) {
            if (std::find(control.chips.begin(), control.chips.end(), chip) == control.chips.end()) continue;
            ++count;
            ++all[control.red_at];
            if (std::holds_alternative<hkc::PlantMutate>(control.plant)) ++mutated[control.red_at];
        }
        EXPECT_GE(count, 20) << chip;
        for (std::uint32_t gate = 1; gate <= 5; ++gate) {
            EXPECT_GE(all[gate], 2) << chip << " gate " << gate;
            EXPECT_GE(mutated[gate], 1) << chip << " gate " << gate;
        }
    }
}

TEST(RegistryTree, EveryWiderWidthHasItsControl) {
    for (const std::string bits : {"5", "6", "8"}) {
        const auto found =
            std::find_if(tree().controls.begin(), tree().controls.end(), [&](const hkc::Control& control) {
                return control.name == "the " + bits + "-bit relu2 stream tile reads its codes as 4-bit";
            });
        ASSERT_NE(found, tree().controls.end()) << bits;
        EXPECT_EQ(found->chips, kChips);
        EXPECT_EQ(found->red_at, 3u);
    }
}

} // namespace
