#include "peacemaker/object/descriptor.h"

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> kChips{"gfx1030", "gfx1100", "gfx1151", "gfx1201"};

// Scratch through an index that is not known, LDS, and ids of two dimensions.
constexpr const char* kSource = R"(
extern "C" __attribute__((global)) void k(const unsigned *in, unsigned *out, unsigned n) {
    static __attribute__((shared)) unsigned tile[64];
    unsigned own[64];
    const unsigned lane = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workitem_id_y();
    for (unsigned i = 0; i < 64; ++i) own[i] = in[i * n];
    tile[lane % 64] = own[in[n] % 64];
    out[lane] = tile[(lane + 1) % 64] + __builtin_amdgcn_workgroup_id_y();
}
)";

pm::CodeObject compiled(const std::string& compiler, const std::string& chip, const std::vector<std::string>& flags) {
    const pm::testing::Folder folder;
    std::ofstream(folder.path("k.hip")) << kSource;
    const auto bytes = pm::testing::compile_hip(compiler, chip, folder.path("k.hip"), flags);
    EXPECT_TRUE(bytes) << bytes.error().text;
    auto object = pm::parse_code_object(bytes ? *bytes : "", "k.hip");
    EXPECT_TRUE(object) << object.error().text;
    return object ? std::move(*object) : pm::CodeObject{};
}

TEST(Descriptor, WhatCompilersWriteHasNoProblem) {
    for (const std::string& chip : kChips) {
        for (const std::string compiler : {"clang++-22", "clang++-19"}) {
            for (const std::vector<std::string>& flags :
                 {std::vector<std::string>{"-O0"}, {"-O3"}, {"-O3", "-mwavefrontsize64"}, {"-O3", "-mcumode"}}) {
                const pm::CodeObject object = compiled(compiler, chip, flags);
                ASSERT_EQ(object.kernels.size(), 1U);
                const auto problems = pm::descriptor_problems(*object.chip, object.kernels[0]);
                for (const std::string& text : problems.faults)
                    ADD_FAILURE() << compiler << " " << chip << " " << flags.back() << ": " << text;
                for (const std::string& text : problems.unmodelled)
                    ADD_FAILURE() << compiler << " " << chip << " " << flags.back() << ": " << text;
            }
        }
    }
}

struct Case {
    const char* what; // part of the text
    std::function<void(pm::Kernel&)> change;
    bool fault;
    std::vector<std::string> chips = kChips;
};

// Bits by the tables of LLVM's "User Guide for AMDGPU Backend", compute_pgm_rsrc1 to 3 and kernel code properties.
const std::vector<Case>& cases() {
    using Kernel = pm::Kernel;
    static const std::vector<Case> all{
        {"PRIORITY", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 10U; }, true},
        {"PRIV", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 20U; }, true},
        {"DEBUG_MODE", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 22U; }, true},
        {"DISABLE_PERF", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 23U; }, true, {"gfx1201"}},
        {"BULKY", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 24U; }, true},
        {"CDBG_USER", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 25U; }, true},
        {"compute_pgm_rsrc1 bits 27 to 28", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 |= 1U << 28U; }, true},
        {"MEM_ORDERED", [](Kernel& k) { k.descriptor.compute_pgm_rsrc1 &= ~(1U << 30U); }, false},
        {"ENABLE_TRAP_HANDLER",
         [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 6U; },
         true,
         {"gfx1030", "gfx1100", "gfx1151"}},
        {"ENABLE_DYNAMIC_VGPR", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 6U; }, false, {"gfx1201"}},
        {"ADDRESS_WATCH", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 13U; }, true},
        {"EXCEPTION_MEMORY", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 14U; }, true},
        {"GRANULATED_LDS_SIZE", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 23U; }, true},
        {"ENABLE_EXCEPTION_*", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 26U; }, false},
        {"ENABLE_EXCEPTION_*", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 30U; }, false},
        {"compute_pgm_rsrc2 bit 31", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 1U << 31U; }, true},
        {"SHARED_VGPR_COUNT",
         [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 2U; },
         true,
         {"gfx1030", "gfx1100", "gfx1151"}},
        {"compute_pgm_rsrc3 bits 0 to 3", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 2U; }, true, {"gfx1201"}},
        {"TRAP_ON_START", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 1U << 10U; }, true, {"gfx1100", "gfx1151"}},
        {"TRAP_ON_END", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 1U << 11U; }, true, {"gfx1100", "gfx1151"}},
        {"compute_pgm_rsrc3 bits 4 to 11", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 16U; }, true, {"gfx1030"}},
        {"GLG_EN", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 1U << 13U; }, false, {"gfx1201"}},
        {"compute_pgm_rsrc3 bits 14 to 30", [](Kernel& k) { k.descriptor.compute_pgm_rsrc3 |= 1U << 22U; }, true},
        {"kernel_code_properties bits 7 to 9", [](Kernel& k) { k.descriptor.kernel_code_properties |= 1U << 8U; },
         true},
        {"kernel_code_properties bits 12 to 15", [](Kernel& k) { k.descriptor.kernel_code_properties |= 1U << 12U; },
         true},
        {"kernarg_preload", [](Kernel& k) { k.descriptor.kernarg_preload = 4; }, true},
        {"ENABLE_VGPR_WORKITEM_ID", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 |= 3U << 11U; }, true},
        {"USER_SGPR_COUNT is 1, ", [](Kernel& k) { (k.descriptor.compute_pgm_rsrc2 &= ~(31U << 1U)) |= 1U << 1U; },
         true},
        {"metadata says that the kernel takes 200", [](Kernel& k) { k.resources.vgpr = 200; }, true},
        {"ENABLE_PRIVATE_SEGMENT", [](Kernel& k) { k.descriptor.compute_pgm_rsrc2 &= ~1U; }, true},
    };
    return all;
}

TEST(Descriptor, EachBitThatMustBeOtherwiseIsNamed) {
    for (const std::string& chip : kChips) {
        const pm::CodeObject object = compiled("clang++-22", chip, {"-O3"});
        ASSERT_EQ(object.kernels.size(), 1U);
        ASSERT_GT(object.kernels[0].resources.scratch, 0U);
        for (const Case& one : cases()) {
            if (std::find(one.chips.begin(), one.chips.end(), chip) == one.chips.end()) continue;
            pm::Kernel kernel = object.kernels[0];
            one.change(kernel);
            const auto problems = pm::descriptor_problems(*object.chip, kernel);
            const std::vector<std::string>& here = one.fault ? problems.faults : problems.unmodelled;
            EXPECT_EQ((one.fault ? problems.unmodelled : problems.faults).size(), 0U) << chip << ": " << one.what;
            ASSERT_EQ(here.size(), 1U) << chip << ": " << one.what;
            EXPECT_NE(here[0].find(one.what), std::string::npos) << chip << ": " << here[0];
        }
    }
}

TEST(Descriptor, WhatAKernelMayChooseIsNoProblem) {
    for (const std::string& chip : kChips) {
        const pm::CodeObject object = compiled("clang++-22", chip, {"-O3"});
        ASSERT_EQ(object.kernels.size(), 1U);
        pm::Kernel kernel = object.kernels[0];
        kernel.descriptor.compute_pgm_rsrc1 ^= 1U << 29U | 1U << 31U | 1U << 21U; // WGP mode, progress, clamp
        kernel.descriptor.compute_pgm_rsrc2 |= 7U << 7U;                          // all workgroup ids
        kernel.descriptor.compute_pgm_rsrc1 |= 63U | 15U << 6U; // more registers than it takes, and SGPRs
        const auto problems = pm::descriptor_problems(*object.chip, kernel);
        EXPECT_EQ(problems.faults, std::vector<std::string>{}) << chip;
        EXPECT_EQ(problems.unmodelled, std::vector<std::string>{}) << chip;
    }
}

} // namespace
