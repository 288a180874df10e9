#include "peacemaker/object/source_line.h"

#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using Texts = std::vector<std::string>;

// s_nop and s_endpgm are 4 bytes each, so lines begin where they are counted by hand. The one unit has the attributes
// stmt_list, low_pc, high_pc and comp_dir.
constexpr const char* kText = R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx1151"
.amdhsa_code_object_version 5
.text
.file 1 "k.hip"
.file 2 "inc/k.h"
.globl k
.p2align 8
.type k,@function
k:
.loc 1 3
 s_nop 0
 s_nop 0
.loc 2 40
 s_nop 0
.loc 1 0
 s_nop 0
.loc 1 5
 s_endpgm
.Lend:
.size k, .Lend-k
.section .debug_abbrev,"",@progbits
 .byte 1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0x1b, 0x08, 0, 0, 0
.section .debug_info,"",@progbits
 .long .Lunit_end-.Lunit
.Lunit:
 .short 5
 .byte 1, 8
 .long 0
 .byte 1
 .long 0
 .quad k
 .long .Lend-k
 .asciz "/elsewhere"
.Lunit_end:
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
 .amdhsa_next_free_vgpr 1
 .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1151
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 1
    .vgpr_count: 1
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
)";

pm::CodeObject built(const std::string& text) {
    const auto relocatable = pm::testing::assemble("gfx1151", text);
    EXPECT_TRUE(relocatable) << (relocatable ? "" : relocatable.error().text);
    const auto linked = pm::testing::link(*relocatable);
    EXPECT_TRUE(linked) << (linked ? "" : linked.error().text);
    auto object = pm::parse_code_object(*linked, "the test's object");
    EXPECT_TRUE(object) << (object ? "" : object.error().text);
    return std::move(*object);
}

Texts lines_of(const pm::CodeObject& object) {
    const std::uint64_t entry = object.find_kernel("k")->entry_address;
    const std::vector<std::uint64_t> addresses = {entry,      entry + 4,    entry + 8, entry + 12,
                                                  entry + 16, entry + 1024, 0,         ~std::uint64_t{0}};
    return pm::source_lines(object, addresses);
}

TEST(SourceLines, AreThoseOfTheLineTable) {
    EXPECT_EQ(lines_of(built(kText)), (Texts{"k.hip:3", "k.hip:3", "inc/k.h:40", "", "k.hip:5", "", "", ""}));
}

TEST(SourceLines, WithoutATableAreUnknown) {
    std::string text = kText;
    for (const std::string directive : {"\n.loc", "\n.file"})
        for (std::size_t at = 0; (at = text.find(directive)) != std::string::npos;)
            text.erase(at, text.find('\n', at + 1) - at);
    EXPECT_EQ(lines_of(built(text)), Texts(8));
}

// A damaged table gives another answer or none, never a crash, and prints nothing.
TEST(SourceLines, OfADamagedTableAreUnknownOrOther) {
    const pm::CodeObject whole = built(kText);
    const std::size_t at = whole.bytes.find("k.hip");
    ASSERT_NE(at, std::string::npos);
    testing::internal::CaptureStderr();
    std::size_t others = 0;
    for (std::size_t i = at < 200 ? 0 : at - 200; i < std::min(at + 200, whole.bytes.size()); ++i)
        for (const char value : {'\0', '\x7f', '\xff'}) {
            pm::CodeObject damaged = whole;
            damaged.bytes[i] = value;
            others += lines_of(damaged) != lines_of(whole) ? 1 : 0;
        }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_GT(others, 0U);
}

} // namespace
