// Patches of real objects: what is asked for changes, and no byte besides.
#include "peacemaker/isa/disassembler.h"
#include "peacemaker/mutate/mutate.h"
#include "tests/isa/llvm_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace {

using namespace pm::mutate;

const std::vector<std::string> kChips{"gfx1030", "gfx1100", "gfx1151", "gfx1201"};

/// Kernels of the tree, by the compiler that is there.
const pm::CodeObject& object(const std::string& chip) {
    static std::map<std::string, pm::CodeObject> objects;
    const auto found = objects.find(chip);
    if (found != objects.end()) return found->second;
    const auto bytes = pm::testing::compile_hip(
        "clang++-22", chip, std::string(HKC_SOURCE_DIR) + "/kernels/affine_stream.hip",
        {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64", "-DKERNELS=TILE(4, 1, 1) TILE(4, 1, 8)"});
    EXPECT_TRUE(bytes) << bytes.error().text;
    auto parsed = pm::parse_code_object(*bytes, chip);
    EXPECT_TRUE(parsed) << parsed.error().text;
    return objects[chip] = std::move(*parsed);
}

/// The mutant, parsed; all bytes outside the patch are those of the object.
pm::CodeObject mutant_of(const pm::CodeObject& of, const Edit& edit) {
    const auto patch = make_patch(of, edit);
    EXPECT_TRUE(patch) << patch.error().text;
    if (!patch) return of;
    const std::string bytes = patched(of.bytes, *patch);
    EXPECT_EQ(bytes.size(), of.bytes.size());
    EXPECT_EQ(patch->before.size(), patch->after.size());
    EXPECT_NE(patch->before, patch->after);
    EXPECT_FALSE(patch->what.empty());
    for (std::size_t i = 0; i < std::min(bytes.size(), of.bytes.size()); ++i) {
        if (i >= patch->offset && i < patch->offset + patch->after.size()) continue;
        EXPECT_EQ(bytes[i], of.bytes[i]) << "byte " << i << " is outside the patch";
    }
    EXPECT_EQ(of.bytes.substr(patch->offset, patch->before.size()), patch->before);
    EXPECT_EQ(bytes.substr(patch->offset, patch->after.size()), patch->after);
    auto parsed = pm::parse_code_object(bytes, "mutant");
    EXPECT_TRUE(parsed) << parsed.error().text;
    if (!parsed) return of;
    return std::move(*parsed);
}

/// The listing of a kernel by llvm-objdump, a program of its own.
std::vector<std::string> listing(const pm::CodeObject& of, const std::string& symbol) {
    const auto lines = pm::testing::objdump(of.bytes);
    EXPECT_TRUE(lines) << lines.error().text;
    const pm::Kernel& kernel = *of.find_kernel(symbol);
    std::vector<std::string> texts;
    for (const pm::testing::Listed& line : *lines)
        if (line.address >= kernel.entry_address && line.address < kernel.entry_address + kernel.code_size)
            texts.push_back(line.text);
    return texts;
}

/// Where two listings differ: the line of the first, and the lines of the second.
struct Difference {
    std::string before;
    std::vector<std::string> after;
    std::size_t line = 0;
};
Difference difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    Difference found;
    const auto [first, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (first == a.end()) return found;
    found.line = static_cast<std::size_t>(first - a.begin());
    found.before = *first;
    const auto count = static_cast<std::ptrdiff_t>(b.size() - a.size() + 1);
    found.after.assign(other, other + count);
    EXPECT_TRUE(std::equal(first + 1, a.end(), other + count, b.end())) << "more than one place differs";
    return found;
}

TEST(Mutate, AWaitBecomesANopOnEveryChipFromOneDeclaration) {
    for (const std::string& chip : kChips) {
        const std::vector<std::string> before = listing(object(chip), "relu2");
        const std::string wait = chip == "gfx1201" ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)";
        std::vector<std::size_t> waits;
        for (std::size_t i = 0; i < before.size(); ++i)
            if (before[i] == wait) waits.push_back(i);
        ASSERT_GE(waits.size(), 2u) << "the vector part and the tail";
        for (const auto& [occurrence, line] :
             {std::pair(1U, waits[0]), std::pair(2U, waits[1]), std::pair(InstructionEdit::kLast + 0, waits.back())}) {
            const pm::CodeObject mutant = mutant_of(
                object(chip),
                InstructionEdit{"relu2", {"s_waitcnt vmcnt(0)", "s_wait_loadcnt  0x0"}, {"s_nop 0"}, occurrence});
            const Difference found = difference(before, listing(mutant, "relu2"));
            EXPECT_EQ(found.line, line) << chip;
            EXPECT_EQ(found.before, wait);
            EXPECT_EQ(found.after, std::vector<std::string>{"s_nop 0"});
        }
    }
}

TEST(Mutate, StarsCarryOperandsIntoTheReplacement) {
    for (const std::string& chip : kChips) {
        const std::string kernel = "affine_stream_w4_r1x1";
        const std::vector<std::string> before = listing(object(chip), kernel);
        const pm::CodeObject mutant =
            mutant_of(object(chip),
                      InstructionEdit{
                          kernel, {"v_add_f32_dpp * row_xmask:8 *"}, {"v_add_f32_dpp * row_xmask:4 *"}, std::nullopt});
        const Difference found = difference(before, listing(mutant, kernel));
        std::string expected = found.before;
        const std::size_t at = expected.find("row_xmask:8");
        ASSERT_NE(at, std::string::npos) << chip << ": " << found.before;
        expected.replace(at, 11, "row_xmask:4");
        EXPECT_EQ(found.after, std::vector<std::string>{expected}) << chip;
    }
}

TEST(Mutate, AShorterInstructionIsFilledUpWithNops) {
    for (const std::string& chip : kChips) {
        const std::string kernel = "affine_stream_w4_r1x1";
        const std::vector<std::string> before = listing(object(chip), kernel);
        const pm::CodeObject mutant = mutant_of(
            object(chip), InstructionEdit{kernel, {"v_permlanex16_b32 v*, *"}, {"v_mov_b32_e32 v*, 0"}, std::nullopt});
        const Difference found = difference(before, listing(mutant, kernel));
        ASSERT_GE(found.after.size(), 2u) << chip;
        EXPECT_TRUE(found.after[0].starts_with("v_mov_b32_e32 v")) << found.after[0];
        EXPECT_EQ(std::vector<std::string>(found.after.begin() + 1, found.after.end()),
                  std::vector<std::string>(found.after.size() - 1, "s_nop 0"));
    }
}

TEST(Mutate, EachSpellingMayHaveItsOwnReplacement) {
    const InstructionEdit edit{
        "relu2", {"s_wait_kmcnt 0x0", "s_waitcnt lgkmcnt(0)"}, {"s_wait_kmcnt 0x1", "s_waitcnt lgkmcnt(1)"}, 1};
    for (const std::string& chip : kChips) {
        const Difference found =
            difference(listing(object(chip), "relu2"), listing(mutant_of(object(chip), edit), "relu2"));
        EXPECT_EQ(found.after.at(0), chip == "gfx1201" ? "s_wait_kmcnt 0x1" : "s_waitcnt lgkmcnt(1)");
    }
}

TEST(Mutate, MetadataIntegersChangeInPlace) {
    for (const std::string& chip : kChips) {
        const pm::CodeObject& whole = object(chip);
        const std::string name = "affine_stream_w4_r1x8";
        const pm::CodeObject more = mutant_of(whole, MetadataEdit{name, ".vgpr_count", 1, true});
        const pm::CodeObject less = mutant_of(whole, MetadataEdit{name, ".vgpr_count", 3, false});
        const pm::CodeObject size = mutant_of(whole, MetadataEdit{name, ".args[5].size", 2, false});
        for (const pm::Kernel& kernel : whole.kernels) {
            const bool here = kernel.name == name;
            pm::Resources expected = kernel.resources;
            expected.vgpr += here ? 1 : 0;
            EXPECT_EQ(more.find_kernel(kernel.name)->resources, expected);
            if (here) expected.vgpr = 3;
            EXPECT_EQ(less.find_kernel(kernel.name)->resources, expected);
            ASSERT_EQ(size.find_kernel(kernel.name)->arguments.size(), kernel.arguments.size());
            for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
                EXPECT_EQ(size.find_kernel(kernel.name)->arguments[i].size,
                          here && i == 5 ? 2u : kernel.arguments[i].size)
                    << kernel.name << " " << i;
        }
    }
}

TEST(Mutate, BytesThatOccurOnce) {
    const auto patch = make_patch("abcabd", BytesEdit{"bd", "xy"});
    ASSERT_TRUE(patch) << patch.error().text;
    EXPECT_EQ(patch->offset, 4u);
    EXPECT_EQ(patched("abcabd", *patch), "abcaxy");
    const std::string aa = "aaa";
    for (const BytesEdit& edit :
         {BytesEdit{"ab", "xy"}, BytesEdit{"zz", "xy"}, BytesEdit{"bd", "x"}, BytesEdit{"", ""}, BytesEdit{"bd", "bd"}})
        EXPECT_FALSE(make_patch("abcabd", edit)) << edit.find;
    EXPECT_FALSE(make_patch(aa, BytesEdit{"aa", "bb"})) << "they overlap";
}

TEST(Mutate, AnEditWithoutItsPlaceIsAnError) {
    struct Case {
        Edit edit;
        std::vector<std::string> expected;
    };
    const std::string kernel = "affine_stream_w4_r1x1";
    for (const Case& c : {
             Case{InstructionEdit{"relu", {"s_endpgm"}, {"s_nop 0"}, 1}, {"no kernel relu", "relu2"}},
             Case{InstructionEdit{"relu2", {"v_mad", "v_mul *x"}, {"s_nop 0"}, 1},
                  {"no instruction of relu2", "\"v_mad\" or \"v_mul *x\""}},
             Case{InstructionEdit{"relu2", {"s_endpg"}, {"s_nop 0"}, 1}, {"no instruction"}},
             Case{InstructionEdit{"relu2", {"s_waitcnt vmcnt(0)"}, {"s_nop 0"}, std::nullopt},
                  {"occurs 2 times in relu2", "say which"}},
             Case{InstructionEdit{"relu2", {"s_waitcnt vmcnt(0)"}, {"s_nop 0"}, 3},
                  {"occurs 2 times", "no occurrence 3"}},
             Case{InstructionEdit{"relu2", {"s_endpgm"}, {"v_perm_b32 v0, v1, v2, v3"}, 1},
                  {"has 8 bytes", "\"s_endpgm\" has 4", "expected no more"}},
             Case{InstructionEdit{"relu2", {"s_endpgm"}, {"s_endpgm"}, 1}, {"nothing changes"}},
             Case{InstructionEdit{"relu2", {"s_endpgm"}, {"s_end"}, 1}, {"\"s_end\" for gfx1151"}},
             Case{InstructionEdit{"relu2", {"s_endpgm"}, {"s_nop *"}, 1}, {"more * than"}},
             Case{InstructionEdit{"relu2", {"s_endpgm", "x"}, {"s_nop 0", "s_nop 1", "s_nop 2"}, 1},
                  {"2 spellings and 3 replacements"}},
             Case{InstructionEdit{"relu2", {}, {"s_nop 0"}, 1}, {"0 spellings"}},
             Case{InstructionEdit{"relu2", {"s_endpgm"}, {}, 1}, {"0 replacements"}},
             Case{MetadataEdit{"relu", ".vgpr_count", 1, true}, {"no kernel relu", "relu2"}},
             Case{MetadataEdit{kernel, ".vgprs", 1, true}, {"metadata .vgprs of " + kernel, "there is no .vgprs"}},
             Case{MetadataEdit{kernel, "vgpr_count", 1, true}, {"no field"}},
             Case{MetadataEdit{kernel, ".args[99].size", 1, true}, {"no element 99"}},
             Case{MetadataEdit{kernel, ".args.size", 1, true}, {"no map"}},
             Case{MetadataEdit{kernel, ".vgpr_count[0]", 1, true}, {"no array"}},
             Case{MetadataEdit{kernel, ".name", 1, true}, {"no integer"}},
             Case{MetadataEdit{kernel, ".args[0].size", 128, false}, {"128 does not fit", "0 to 127"}},
             Case{MetadataEdit{kernel, ".args[0].size", -9, true}, {"-1 does not fit"}},
             Case{MetadataEdit{kernel, ".args[0].size", 8, false}, {"is 8; nothing changes"}},
             Case{MetadataEdit{kernel, ".vgpr_count", 0, true}, {"nothing changes"}},
             Case{MetadataEdit{kernel, ".vgpr_count", INT64_MAX, true}, {"does not fit into 64 bits"}},
             Case{BytesEdit{"no such bytes", "..............."}, {"expected as many"}},
             Case{BytesEdit{"no such bytes", "............."}, {"do not occur"}},
         }) {
        const auto patch = make_patch(object("gfx1151"), c.edit);
        ASSERT_FALSE(patch) << patch->what;
        for (const std::string& text : c.expected)
            EXPECT_NE(patch.error().text.find(text), std::string::npos) << patch.error().text << "\nlacks " << text;
    }
}

TEST(Mutate, PatternsAndFields) {
    using Parts = std::vector<std::string>;
    EXPECT_EQ(match("a", "a"), Parts{});
    EXPECT_EQ(match("a", "ab"), std::nullopt);
    EXPECT_EQ(match("*", ""), Parts{""});
    EXPECT_EQ(match("a*", "abc"), Parts{"bc"});
    EXPECT_EQ(match("v_add *, *", "v_add v1, v2, v3"), (Parts{"v1", "v2, v3"}));
    EXPECT_EQ(match("*b*c", "abbc"), (Parts{"a", "b"}));
    EXPECT_EQ(match("*b", "abc"), std::nullopt);
    EXPECT_EQ(match("**", "x"), (Parts{"", "x"}));
    for (const char* good : {".vgpr_count", ".args[7].size", ".a[0].b[12].c", ".reqd_workgroup_size[2]"})
        EXPECT_TRUE(is_field(good)) << good;
    for (const char* bad : {"", ".", "vgpr_count", ".args[]", ".args[x]", ".args[7", "[7]", ".a..b", ".A", ".a[1][2]",
                            ".args[99999].size", ".a "})
        EXPECT_FALSE(is_field(bad)) << bad;
}

} // namespace
