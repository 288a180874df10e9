#include "peacemaker/chip/chip.h"

#include "peacemaker/chip/hazards.h"

#include <gtest/gtest.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace {

const char* const kGood = R"([[chip]]
name = "gfx9999"
elf_mach = 0x77
generation = 13
activation = "bf16"
lds_bytes = 1024
max_workgroup = 512
kernarg_bytes = 4096
vgprs = 256
vgpr_granule = 24
vgprs_simd = 1536
waves_simd = 15
simds_cu = 3
workgroups_cu = 17
sgprs = 106
flat_offset_bits = 12
smem_offset_bits = 21
vmem_loads_in_order = true
counters = { load = 1, store = 2, lgkm = 3, exp = 4, sample = 5, bvh = 6, km = 7 }
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

/// `t.toml:N:` of the first line of kGood that begins with `key`.
std::string at(const std::string& key) {
    std::istringstream lines(kGood);
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number)
        if (line.starts_with(key)) return "t.toml:" + std::to_string(number) + ":";
    ADD_FAILURE() << key;
    return "";
}

/// The same of the line after the last.
std::string behind() {
    return "t.toml:" + std::to_string(std::count(kGood, kGood + std::strlen(kGood), '\n') + 1) + ":";
}

TEST(ParseChips, ReadsEveryField) {
    const auto chips = pm::parse_chips(kGood, "t.toml");
    ASSERT_TRUE(chips) << chips.error().text;
    ASSERT_EQ(chips->size(), 1U);
    const pm::Chip& c = chips->front();
    EXPECT_EQ(c.name, "gfx9999");
    EXPECT_EQ(c.elf_mach, 0x77U);
    EXPECT_EQ(c.generation, 13U);
    EXPECT_EQ(c.activation, pm::Activation::kBf16);
    EXPECT_EQ(c.lds_bytes, 1024U);
    EXPECT_EQ(c.max_workgroup, 512U);
    EXPECT_EQ(c.kernarg_bytes, 4096U);
    EXPECT_EQ(c.vgprs, 256U);
    EXPECT_EQ(c.vgpr_granule, 24U);
    EXPECT_EQ(c.vgprs_simd, 1536U);
    EXPECT_EQ(c.waves_simd, 15U);
    EXPECT_EQ(c.simds_cu, 3U);
    EXPECT_EQ(c.workgroups_cu, 17U);
    EXPECT_EQ(c.sgprs, 106U);
    EXPECT_EQ(c.flat_offset_bits, 12U);
    EXPECT_EQ(c.smem_offset_bits, 21U);
    EXPECT_TRUE(c.vmem_loads_in_order);
    EXPECT_EQ(c.counters.load, 1U);
    EXPECT_EQ(c.counters.store, 2U);
    EXPECT_EQ(c.counters.lgkm, 3U);
    EXPECT_EQ(c.counters.exp, 4U);
    EXPECT_EQ(c.counters.sample, 5U);
    EXPECT_EQ(c.counters.bvh, 6U);
    EXPECT_EQ(c.counters.km, 7U);
}

TEST(ParseChips, SaysFileLineWhatWasReadAndWhatWasExpected) {
    struct Case {
        std::string text;
        std::vector<std::string> said;
    };
    const std::string good = kGood;
    const std::vector<Case> cases = {
        {"", {"t.toml:1:", "[[chip]]"}},
        {"chip = 3\n", {"t.toml:1:", "[[chip]]"}},
        {"[[chips]]\n", {"t.toml:1:", "chips"}},
        {replaced(good, "lds_bytes", "lds_byte"), {at("lds_bytes"), "lds_byte", "did you mean \"lds_bytes\""}},
        {replaced(good, "sgprs = 106\n", ""), {"t.toml:1:", "sgprs"}},
        {replaced(good, "vgprs = 256", "vgprs = \"many\""), {at("vgprs "), "vgprs", "many", "integer"}},
        {replaced(good, "vgprs = 256", "vgprs = 0"), {at("vgprs "), "0", "at least 1"}},
        {replaced(good, "vgprs = 256", "vgprs = 4294967296"), {at("vgprs "), "4294967296"}},
        {replaced(good, "\"bf16\"", "\"fp8\""), {at("activation"), "fp8", "\"bf16\""}},
        {replaced(good, "\"gfx9999\"", "7"), {at("name"), "7", "name"}},
        {replaced(good, "= true", "= 1"), {at("vmem"), "true or false"}},
        {replaced(good, "km = 7", "km = -1"), {at("counters"), "counters.km", "-1"}},
        {replaced(good, ", km = 7", ""), {at("counters"), "counters", "km"}},
        {replaced(good, "km = 7", "km = 7, gds = 1"), {at("counters"), "gds"}},
        {good + good, {behind(), "gfx9999", "twice"}},
        {good + replaced(good, "gfx9999", "gfx9998"), {behind(), "elf_mach"}},
        {"[[chip]\n", {"t.toml:1:"}},
    };
    for (const Case& c : cases) {
        const auto chips = pm::parse_chips(c.text, "t.toml");
        ASSERT_FALSE(chips) << c.text;
        for (const std::string& part : c.said)
            EXPECT_NE(chips.error().text.find(part), std::string::npos) << chips.error().text << "\nhas no " << part;
    }
}

const char* const kHazard = R"([[hazard]]
name = "sgpr_read"
chips = ["gfx9999"]
must = "wait"
source = "a book"
)";

TEST(ParseHazards, ReadsEveryField) {
    const auto rules = pm::parse_hazards(std::string(kGood) + kHazard, "t.toml");
    ASSERT_TRUE(rules) << rules.error().text;
    ASSERT_EQ(rules->size(), 1U);
    EXPECT_EQ((*rules)[0].hazard, pm::Hazard::kSgprRead);
    EXPECT_EQ((*rules)[0].name, "sgpr_read");
    EXPECT_EQ((*rules)[0].must, "wait");
    EXPECT_EQ((*rules)[0].chips, std::vector<std::string>{"gfx9999"});
    EXPECT_TRUE(pm::parse_chips(std::string(kGood) + kHazard, "t.toml"));
    EXPECT_TRUE(pm::parse_hazards(kGood, "t.toml")->empty());
}

TEST(ParseHazards, SaysWhatIsWrong) {
    struct Case {
        std::string text, said;
    };
    const std::string good = kHazard;
    const std::vector<Case> cases = {
        {replaced(good, "sgpr_read", "sgpr_reads"), "did you mean \"sgpr_read\""},
        {replaced(good, "gfx9999", "gfx9998"), "gfx9998"},
        {replaced(good, "[\"gfx9999\"]", "[]"), "array of chip names"},
        {replaced(good, "[\"gfx9999\"]", "\"gfx9999\""), "array of chip names"},
        {replaced(good, "\"wait\"", "\"\""), "must"},
        {replaced(good, "source = \"a book\"\n", ""), "source"},
        {replaced(good, "must", "shall"), "shall"},
        {good + good, "twice"},
        {"hazard = 3\n", "[[hazard]]"},
    };
    for (const Case& c : cases) {
        // A key of the file's own comes before its tables.
        const std::string text = c.text.starts_with("hazard") ? c.text + kGood : std::string(kGood) + c.text;
        const auto rules = pm::parse_hazards(text, "t.toml");
        ASSERT_FALSE(rules) << c.text;
        EXPECT_NE(rules.error().text.find(c.said), std::string::npos) << rules.error().text;
        EXPECT_TRUE(rules.error().text.starts_with("t.toml:")) << rules.error().text;
    }
    EXPECT_FALSE(pm::parse_hazards("[[chip]\n", "t.toml"));
}

TEST(Chips, AreThoseOfTheTreeInItsOrder) {
    std::ifstream in(HKC_SOURCE_DIR "/chips.toml");
    std::vector<std::string> names;
    for (std::string line; std::getline(in, line) && line != "[[hazard]]";)
        if (line.starts_with("name = \"")) names.push_back(line.substr(8, line.size() - 9));
    std::vector<std::string> compiled_in;
    for (const pm::Chip& chip : pm::chips()) compiled_in.push_back(chip.name);
    EXPECT_EQ(compiled_in, names);
    EXPECT_GE(compiled_in.size(), 4U);
}

TEST(Chips, HaveTheMachNumbersOfLlvm) {
    namespace elf = llvm::ELF;
    EXPECT_EQ((*pm::find_chip("gfx1030"))->elf_mach, elf::EF_AMDGPU_MACH_AMDGCN_GFX1030);
    EXPECT_EQ((*pm::find_chip("gfx1100"))->elf_mach, elf::EF_AMDGPU_MACH_AMDGCN_GFX1100);
    EXPECT_EQ((*pm::find_chip("gfx1151"))->elf_mach, elf::EF_AMDGPU_MACH_AMDGCN_GFX1151);
    EXPECT_EQ((*pm::find_chip("gfx1201"))->elf_mach, elf::EF_AMDGPU_MACH_AMDGCN_GFX1201);
}

TEST(Chips, AreFoundByNameAndMach) {
    const auto chip = pm::find_chip("gfx1151");
    ASSERT_TRUE(chip);
    EXPECT_EQ(pm::chip_of_mach((*chip)->elf_mach), *chip);
    EXPECT_EQ(pm::chip_of_mach(0), nullptr);
    const auto none = pm::find_chip("gfx1152");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text.find("did you mean \"gfx1151\""), std::string::npos) << none.error().text;
}

} // namespace
