#include "peacemaker/isa/disassembler.h"

#include "peacemaker/object/code_object.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using pm::isa::Disassembler;

struct Build {
    const char* compiler;
    const char* chip;
    const char* source;  // below the tree
    const char* kernels; // of it
    std::size_t count;   // of kernels, relu2 with them
};

std::string name_of(const Build& b) {
    const std::string source(b.source);
    std::string text = std::string(b.compiler) + "_" + b.chip + "_" + source.substr(source.rfind('/') + 1);
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return text;
}

std::vector<Build> builds() {
    std::vector<Build> all;
    for (const char* compiler : {"clang++-22", "clang++-19"})
        for (const char* chip : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"})
            all.insert(all.end(),
                       {{compiler, chip, "/kernels/affine_stream.hip",
                         "TILES(4) TILE(5, 1, 8) TILE(6, 4, 4) TILE(8, 2, 4)", 23},
                        {compiler, chip, "/controls/affine_stream_spill.hip", "TILE(4, 8, 2) TILE(4, 4, 4)", 5}});
    return all;
}

class Compiled : public ::testing::TestWithParam<Build> {};

// What compilers emit: each instruction is decoded, printed as objdump prints it, and encoded to the same bytes.
TEST_P(Compiled, DecodesPrintsAndEncodesBack) {
    const Build& build = GetParam();
    if (!pm::testing::installed(build.compiler)) GTEST_SKIP() << build.compiler << " is not installed";
    const auto bytes = pm::testing::compile_hip(
        build.compiler, build.chip, HKC_SOURCE_DIR + std::string(build.source),
        {"-std=c++20", "-O3", "-ffp-contract=off", "-mno-wavefrontsize64", std::string("-DKERNELS=") + build.kernels});
    ASSERT_TRUE(bytes) << bytes.error().text;
    const auto object = pm::parse_code_object(*bytes, "the compiled object");
    ASSERT_TRUE(object) << object.error().text;
    auto disassembler = Disassembler::create(*object->chip);
    ASSERT_TRUE(disassembler) << disassembler.error().text;
    const auto listed = pm::testing::objdump(*bytes);
    ASSERT_TRUE(listed) << listed.error().text;

    ASSERT_EQ(object->kernels.size(), build.count);
    std::size_t instructions = 0, different = 0;
    for (const pm::Kernel& kernel : object->kernels) {
        ASSERT_NE(kernel.code_size, 0u);
        const std::string_view code = object->at(kernel.entry_address, kernel.code_size);
        auto line =
            std::lower_bound(listed->begin(), listed->end(), kernel.entry_address,
                             [](const pm::testing::Listed& l, std::uint64_t address) { return l.address < address; });
        for (std::size_t at = 0; at < code.size(); ++line, ++instructions) {
            const std::uint64_t address = kernel.entry_address + at;
            const auto decoded = (*disassembler)->decode(code.substr(at), address);
            ASSERT_TRUE(decoded) << kernel.name << "+" << at;
            ASSERT_LE(at + decoded->size, code.size());
            ASSERT_TRUE(line != listed->end() && line->address == address) << kernel.name << "+" << at;
            EXPECT_EQ((*disassembler)->text(decoded->inst, address), line->text) << kernel.name << "+" << at;
            if ((*disassembler)->encode(decoded->inst) != code.substr(at, decoded->size)) {
                ++different;
                EXPECT_EQ((*disassembler)->encode(decoded->inst).size(), decoded->size) << line->text;
            }
            at += decoded->size;
        }
    }
    EXPECT_GT(instructions, 1000u);
    EXPECT_EQ(different, 0u);
}

INSTANTIATE_TEST_SUITE_P(AffineStream, Compiled, ::testing::ValuesIn(builds()),
                         [](const auto& info) { return name_of(info.param); });

TEST(Decode, GivesNothingForWhatIsNoInstruction) {
    for (const pm::Chip& chip : pm::chips()) {
        auto disassembler = Disassembler::create(chip);
        ASSERT_TRUE(disassembler);
        EXPECT_FALSE((*disassembler)->decode("", 0)) << chip.name;
        EXPECT_FALSE((*disassembler)->decode(std::string_view("\x01\x02", 2), 0)) << chip.name;
        EXPECT_FALSE((*disassembler)->decode(std::string(4, '\xff'), 0)) << chip.name;
        // s_mov_b32 s0, literal, with the literal cut off
        EXPECT_FALSE((*disassembler)->decode(std::string_view("\xff\x00\x80\xbe", 4), 0)) << chip.name;
    }
}

// Whatever the bytes are and wherever they end: no crash, and never more bytes than there are.
TEST(Decode, StaysInsideItsBytes) {
    const std::uint64_t seed = 20260704;
    std::mt19937_64 random(seed);
    for (const pm::Chip& chip : pm::chips()) {
        auto disassembler = Disassembler::create(chip);
        ASSERT_TRUE(disassembler);
        std::size_t decoded = 0;
        for (int i = 0; i < 20000; ++i) {
            std::string bytes(1 + random() % 20, '\0');
            for (char& c : bytes) c = static_cast<char>(random());
            if (const auto one = (*disassembler)->decode(bytes, 0)) {
                ++decoded;
                EXPECT_GT(one->size, 0u);
                EXPECT_LE(one->size, bytes.size()) << chip.name << ", seed " << seed;
            }
        }
        EXPECT_GT(decoded, 1000u) << chip.name;
    }
}

TEST(Create, RefusesAChipThatLlvmDoesNotKnow) {
    pm::Chip chip = pm::chips()[0];
    chip.name = "gfx9999";
    const auto disassembler = Disassembler::create(chip);
    ASSERT_FALSE(disassembler);
    EXPECT_NE(disassembler.error().text.find("gfx9999"), std::string::npos);
}

} // namespace
