#include "peacemaker/object/metadata.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace {

using nlohmann::json;

json kernel() {
    return json{{".name", "k"},
                {".symbol", "k.kd"},
                {".vgpr_count", 6},
                {".sgpr_count", 8},
                {".group_segment_fixed_size", 4},
                {".private_segment_fixed_size", 16},
                {".vgpr_spill_count", 1},
                {".sgpr_spill_count", 2},
                {".wavefront_size", 32},
                {".max_flat_workgroup_size", 128},
                {".kernarg_segment_size", 24},
                {".kernarg_segment_align", 8},
                {".reqd_workgroup_size", {64, 2, 1}},
                {".args",
                 {{{".offset", 0}, {".size", 8}, {".value_kind", "global_buffer"}, {".address_space", "global"}},
                  {{".offset", 12}, {".size", 4}, {".value_kind", "hidden_block_count_x"}},
                  {{".offset", 16}, {".size", 8}, {".value_kind", "by_value"}, {".name", "n"}}}}};
}

json root() { return json{{"amdhsa.target", "amdgcn-amd-amdhsa--gfx1151"}, {"amdhsa.kernels", {kernel()}}}; }

pm::Result<pm::Metadata> parse(const json& document) {
    const std::vector<std::uint8_t> bytes = json::to_msgpack(document);
    return pm::parse_metadata({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

TEST(Metadata, EveryFieldIsRead) {
    const auto metadata = parse(root());
    ASSERT_TRUE(metadata) << metadata.error().text;
    EXPECT_EQ(metadata->target, "amdgcn-amd-amdhsa--gfx1151");
    ASSERT_EQ(metadata->kernels.size(), 1U);
    EXPECT_EQ(metadata->kernels[0].symbol, "k.kd");
    const pm::Kernel& k = metadata->kernels[0].kernel;
    EXPECT_EQ(k.name, "k");
    EXPECT_EQ(k.resources, (pm::Resources{6, 8, 4, 16, 1, 2, 32, 128, 24}));
    EXPECT_EQ(k.kernarg_align, 8U);
    EXPECT_EQ(k.reqd_block[0], 64U);
    EXPECT_EQ(k.reqd_block[1], 2U);
    ASSERT_EQ(k.arguments.size(), 3U);
    EXPECT_EQ(k.arguments[0].value_kind, "global_buffer");
    EXPECT_EQ(k.arguments[1].name, "n"); // explicit before hidden
    EXPECT_EQ(k.arguments[2].offset, 12U);
    EXPECT_TRUE(k.arguments[2].hidden());
}

TEST(Metadata, ErrorsSayWhatIsWrong) {
    struct Case {
        std::function<void(json&)> change;
        const char* said;
    };
    const Case cases[] = {
        {[](json& k) { k.erase(".name"); }, "kernel 0 has no .name"},
        {[](json& k) { k[".name"] = ""; }, "kernel 0 has an empty .name"},
        {[](json& k) { k[".name"] = 7; }, "kernel 0 .name is no string"},
        {[](json& k) { k.erase(".symbol"); }, "kernel k has no .symbol"},
        {[](json& k) { k.erase(".vgpr_count"); }, "kernel k has no .vgpr_count"},
        {[](json& k) { k[".vgpr_count"] = "six"; }, ".vgpr_count is no integer"},
        {[](json& k) { k[".vgpr_count"] = -1; }, ".vgpr_count is no integer"},
        {[](json& k) { k[".vgpr_count"] = 4294967296; }, ".vgpr_count is no integer"},
        {[](json& k) { k[".wavefront_size"] = 16; }, ".wavefront_size is 16"},
        {[](json& k) {
             k[".reqd_workgroup_size"] = {8, 2};
         },
         ".reqd_workgroup_size does not have three sizes"},
        {[](json& k) {
             k[".reqd_workgroup_size"] = {8, 2, 0};
         },
         ".reqd_workgroup_size is no three integers"},
        {[](json& k) { k[".uses_dynamic_stack"] = 1; }, ".uses_dynamic_stack is not true or false"},
        {[](json& k) { k[".args"] = 3; }, ".args is no array"},
        {[](json& k) { k[".args"][0] = 3; }, "argument 0 of kernel k is no map"},
        {[](json& k) { k[".args"][0].erase(".size"); }, "argument 0 of kernel k has no .size"},
        {[](json& k) { k[".args"][2][".size"] = 9; },
         "argument 2 of kernel k is bytes [16, +9) of a kernarg segment of 24"},
        {[](json& k) { k[".args"][2][".offset"] = 25; }, "argument 2 of kernel k is bytes [25"},
        {[](json& k) { k[".args"][2][".offset"] = 14; }, "two arguments at kernarg byte 14"},
        {[](json& k) { k = 3; }, "kernel 0 is no map"},
    };
    for (const Case& c : cases) {
        json document = root();
        c.change(document["amdhsa.kernels"][0]);
        const auto metadata = parse(document);
        ASSERT_FALSE(metadata) << c.said;
        EXPECT_NE(metadata.error().text.find(c.said), std::string::npos)
            << metadata.error().text << "\nhas no " << c.said;
    }
    json twice = root();
    twice["amdhsa.kernels"].push_back(kernel());
    EXPECT_EQ(parse(twice).error().text, "kernel k is there twice");
    EXPECT_EQ(parse(json::array()).error().text, "the metadata is no map");
    EXPECT_EQ(parse(json{{"amdhsa.kernels", json::array()}}).error().text, "the metadata has no amdhsa.target");
}

// Shapes that a MessagePack reader must not choke on: keys that are no strings, depth, length without content.
TEST(Metadata, HostileMessagePackIsAnError) {
    const std::string deep(100000, '\x91');
    const std::string inputs[] = {
        "",
        deep,
        std::string("\x82\x80\xc0\x80\xc0", 5),      // two maps as keys
        std::string("\x82\x01\xc0\x02\xc0", 5),      // integers as keys
        std::string("\xdd\xff\xff\xff\xff", 5),      // an array of 2^32-1, and no more
        std::string("\xdf\xff\xff\xff\xff\xa1x", 7), // a map of 2^32-1
        std::string("\xdb\xff\xff\xff\xff", 5),      // a string of 2^32-1
        std::string("\x82\xa1x\xc0\xa1x\xc0", 7),    // one key twice
        std::string("\x81\xa1x\xd4\x01\x02", 6),     // an extension type
        std::string("\xc1", 1),                      // a byte that MessagePack never uses
    };
    for (const std::string& input : inputs) {
        const auto metadata = pm::parse_metadata(input);
        ASSERT_FALSE(metadata);
        EXPECT_NE(metadata.error().text.find("MessagePack"), std::string::npos) << metadata.error().text;
    }
}

} // namespace
