// The assembler of one instruction against the assembler as a program.
#include "peacemaker/mutate/assemble.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

namespace {

using pm::mutate::assemble;

const pm::Chip& chip(const std::string& name) { return **pm::find_chip(name); }

TEST(Assemble, GivesTheBytesOfLlvmMc) {
    for (const std::string name : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"})
        for (const std::string text :
             {"s_nop 0", "v_cmp_le_f32_e32 vcc_lo, 0, v6",
              "v_add_f32_dpp v0, v0, v1 row_xmask:4 row_mask:0xf bank_mask:0xf", "v_perm_b32 v0, v1, v2, 0x7060302",
              "s_mov_b32 s0, 0x12345678", "v_mov_b32_e32 v1, v2", "s_branch 4"}) {
            const auto got = assemble(chip(name), text);
            ASSERT_TRUE(got) << got.error().text;
            const auto object = pm::testing::assemble(name, text + "\n");
            ASSERT_TRUE(object) << object.error().text;
            const auto expected = pm::testing::code_of(*object);
            ASSERT_TRUE(expected) << expected.error().text;
            EXPECT_EQ(*got, *expected) << name << ": " << text;
        }
}

TEST(Assemble, WhatIsNotOneInstructionIsAnError) {
    for (const std::string text :
         {"", "s_nop", "no_such_thing v0", "v_mov_b32_e32 v1, v2\ns_nop 0", "here:", "here: s_nop 0", ".long 1",
          ".long 1\ns_nop 0", "s_nop 0\nx = 3", "s_branch elsewhere", ".globl x\ns_nop 0", ".zero 4\ns_nop 0",
          ".asciz \"x\"\ns_nop 0", "v_mov_b32_e32 v1, v300", "; a comment"}) {
        const auto got = assemble(chip("gfx1151"), text);
        ASSERT_FALSE(got) << text;
        EXPECT_NE(got.error().text.find("gfx1151"), std::string::npos) << got.error().text;
        EXPECT_NE(got.error().text.find("expected one instruction"), std::string::npos) << got.error().text;
    }
    // Each chip has its own names.
    EXPECT_TRUE(assemble(chip("gfx1201"), "s_wait_loadcnt 0x0"));
    EXPECT_FALSE(assemble(chip("gfx1151"), "s_wait_loadcnt 0x0"));
    EXPECT_NE(assemble(chip("gfx1151"), "no_such_thing v0").error().text.find("invalid instruction"),
              std::string::npos);
}

} // namespace
