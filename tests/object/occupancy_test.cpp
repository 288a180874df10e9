// Waves a SIMD against what the compiler prints of the same kernels (-Rpass-analysis=kernel-resource-usage).
#include "peacemaker/object/occupancy.h"

#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace {

using pm::testing::Folder;
using pm::testing::run_program;

/// Kernels of one workgroup size each, with LDS and with a register named that must be granted.
std::string source_of_kernels() {
    std::string text = "#define KERNEL(BLOCK) extern \"C\" __attribute__((global)) "
                       "__attribute__((amdgpu_flat_work_group_size(BLOCK, BLOCK))) void\n";
    for (const unsigned block : {32U, 64U, 96U, 128U, 192U, 256U, 1024U})
        for (const unsigned lds : {0U, 64U, 500U, 1024U, 2600U, 5461U, 8192U, 12000U, 16384U})
            text += fmt::format("KERNEL({0}) lds_{0}_{1}(int* o) {{\n{2}}}\n", block, lds,
                                lds == 0 ? std::string("  *o = 1;\n")
                                         : fmt::format("  __attribute__((shared)) static int l[{}];\n"
                                                       "  const int i = __builtin_amdgcn_workitem_id_x() % {};\n"
                                                       "  l[i] = o[i];\n  __builtin_amdgcn_s_barrier();\n"
                                                       "  o[i + 1] = l[{} - i];\n",
                                                       lds, lds, lds - 1));
    for (const unsigned last : {10U, 23U,  24U,  47U,  48U,  63U,  64U,  71U,  79U,  80U,  95U,  96U,
                                99U, 119U, 127U, 128U, 143U, 167U, 168U, 191U, 192U, 214U, 239U, 255U})
        text += fmt::format("KERNEL(128) vgpr_{0}(int* o) {{ asm volatile(\"; use\" ::: \"v{0}\"); *o = 1; }}\n", last);
    return text;
}

/// `Occupancy [waves/SIMD]` of each kernel in the compiler's remarks.
std::map<std::string, unsigned> told_by_compiler(const std::string& remarks) {
    std::map<std::string, unsigned> told;
    std::istringstream lines(remarks);
    std::string name;
    for (std::string line; std::getline(lines, line);) {
        const auto value = [&](const std::string& key) {
            const std::size_t at = line.find(key);
            return at == std::string::npos ? std::string() : line.substr(at + key.size());
        };
        if (const std::string function = value("Function Name: "); !function.empty())
            name = function.substr(0, function.find(' '));
        if (const std::string waves = value("Occupancy [waves/SIMD]: "); !waves.empty())
            told[name] = static_cast<unsigned>(std::stoul(waves));
    }
    return told;
}

class OccupancyOfChip : public testing::TestWithParam<std::string> {};

TEST_P(OccupancyOfChip, IsWhatTheCompilerSays) {
    const Folder folder;
    const std::string source = folder.path("k.hip"), object = folder.path("k.o"), remarks = folder.path("remarks");
    ASSERT_TRUE(pm::write_file_atomically(source, source_of_kernels()));
    const pm::Chip& chip = **pm::find_chip(GetParam());
    for (const bool wgp : {true, false})
        for (const unsigned lanes : {32U, 64U}) {
            SCOPED_TRACE(fmt::format("{} wave{}{}", chip.name, lanes, wgp ? "" : " CU mode"));
            const auto ran = run_program(
                "/bin/sh",
                {"-c",
                 fmt::format("clang++-22 -x hip --offload-device-only -nogpulib -nogpuinc -O2 "
                             "--offload-arch={} {} {} -Rpass-analysis=kernel-resource-usage {} -o {} 2> {}",
                             chip.name, wgp ? "-mno-cumode" : "-mcumode",
                             lanes == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64", source, object, remarks)});
            ASSERT_TRUE(ran) << ran.error().text;
            const auto told = told_by_compiler(*pm::read_file(remarks));
            const auto read = pm::read_code_object(object);
            ASSERT_TRUE(read) << read.error().text;
            ASSERT_EQ(read->kernels.size(), 87U);
            for (const pm::Kernel& kernel : read->kernels) {
                EXPECT_EQ(pm::in_wgp_mode(kernel), wgp) << kernel.name;
                ASSERT_TRUE(told.contains(kernel.name)) << kernel.name;
                EXPECT_EQ(pm::occupancy(chip, kernel.resources, pm::in_wgp_mode(kernel)).waves, told.at(kernel.name))
                    << kernel.name << ": " << kernel.resources.vgpr << " VGPRs, " << kernel.resources.lds << " LDS, "
                    << kernel.resources.max_block << " work-items";
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Chips, OccupancyOfChip, testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

// By hand: 40000 bytes of LDS fit three times into the 131072 of a work-group processor, three workgroups of 4 waves
// are 12 waves on 4 SIMDs; 100 VGPRs take 120 of 1536, which is 12 times.
TEST(Occupancy, NamesWhatLimits) {
    pm::Resources resources;
    resources.vgpr = 100;
    resources.lds = 40000;
    resources.wave = 32;
    resources.max_block = 128;
    const pm::Chip& chip = **pm::find_chip("gfx1100");
    EXPECT_EQ(pm::occupancy(chip, resources, true), (pm::Occupancy{12, 3, 3}));
    resources.lds = 0;
    EXPECT_EQ(pm::occupancy(chip, resources, true), (pm::Occupancy{12, 16, 12}));
    resources.lds = 1U << 20;
    EXPECT_EQ(pm::occupancy(chip, resources, true), (pm::Occupancy{12, 1, 1}));
}

// Metadata that says nothing, or too much, gives a number that can be.
TEST(Occupancy, OfNonsenseIsWithinTheChip) {
    for (const pm::Chip& chip : pm::chips()) {
        for (const std::uint32_t value : {0U, 1U, 0xffffffffU}) {
            pm::Resources resources;
            resources.vgpr = resources.lds = resources.wave = resources.max_block = value;
            const pm::Occupancy of = pm::occupancy(chip, resources, true);
            EXPECT_GE(of.waves, 1U);
            EXPECT_LE(of.waves, chip.waves_simd);
        }
    }
}

} // namespace
