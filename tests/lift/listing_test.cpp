// Listings against objdump's, and branch targets against the assembler's labels.
#include "peacemaker/lift/listing.h"
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

namespace {

pm::CodeObject object_of(const pm::Chip& chip, const std::string& body) {
    pm::testing::KernelText kernel;
    kernel.name = "k";
    kernel.body = body;
    const auto relocatable = pm::testing::assemble(chip.name, pm::testing::assembly_of(chip, {kernel}));
    EXPECT_TRUE(relocatable) << relocatable.error().text;
    const auto linked = pm::testing::link(*relocatable);
    EXPECT_TRUE(linked) << linked.error().text;
    auto object = pm::parse_code_object(*linked, "k.co");
    EXPECT_TRUE(object) << object.error().text;
    return *object;
}

TEST(Listing, IsWhatObjdumpPrints) {
    for (const pm::Chip& chip : pm::chips()) {
        const pm::CodeObject object =
            object_of(chip, "v_add_f32 v1, v2, v3\nv_fma_f32 v1, v2, v3, v4\ns_mov_b32 s0, 0x12345\n");
        const auto listing = pm::lift::instructions_of(object, object.kernels.at(0));
        ASSERT_TRUE(listing) << listing.error().text;
        const auto printed = pm::testing::objdump(object.bytes);
        ASSERT_TRUE(printed);
        ASSERT_GE(printed->size(), listing->size());
        for (std::size_t i = 0; i < listing->size(); ++i) {
            EXPECT_EQ((*listing)[i].text, (*printed)[i].text) << chip.name;
            EXPECT_EQ((*listing)[i].at + object.kernels[0].entry_address, (*printed)[i].address) << chip.name;
            EXPECT_FALSE((*listing)[i].target) << chip.name;
        }
        EXPECT_EQ(listing->back().text, "s_endpgm");
    }
}

TEST(Listing, KnowsWhereBranchesLead) {
    for (const pm::Chip& chip : pm::chips()) {
        const pm::CodeObject object =
            object_of(chip, "head:\ns_cbranch_scc0 tail\nv_fma_f32 v1, v2, v3, v4\ns_branch head\ntail:\n");
        const auto listing = pm::lift::instructions_of(object, object.kernels.at(0));
        ASSERT_TRUE(listing) << listing.error().text;
        std::vector<const pm::lift::Instruction*> branches;
        for (const auto& one : *listing)
            if (one.target) branches.push_back(&one);
        ASSERT_EQ(branches.size(), 2u) << chip.name;
        EXPECT_EQ(*branches[0]->target, static_cast<std::int64_t>(branches[1]->at + 4)) << chip.name;
        EXPECT_EQ(*branches[1]->target, static_cast<std::int64_t>(branches[0]->at)) << chip.name;
    }
}

TEST(Listing, SaysWhereBytesAreNoInstruction) {
    for (const pm::Chip& chip : pm::chips()) {
        const pm::CodeObject object = object_of(chip, "v_add_f32 v1, v2, v3\n.long 0xffffffff\n");
        const auto listing = pm::lift::instructions_of(object, object.kernels.at(0));
        ASSERT_FALSE(listing);
        EXPECT_NE(listing.error().text.find("no instruction of " + chip.name), std::string::npos)
            << listing.error().text;
        EXPECT_NE(listing.error().text.find("k+0x"), std::string::npos);
    }
}

TEST(Listing, WantsASize) {
    pm::CodeObject object = object_of(pm::chips()[0], "s_nop 0\n");
    object.kernels.at(0).code_size = 0;
    const auto listing = pm::lift::instructions_of(object, object.kernels[0]);
    ASSERT_FALSE(listing);
    EXPECT_NE(listing.error().text.find("size of k is not known"), std::string::npos);
}

} // namespace
