#include "peacemaker/isa/registers.h"

#include <gtest/gtest.h>

namespace {

using pm::isa::Half;
using pm::isa::Register;
using pm::isa::register_of_mc_name;
namespace isa = pm::isa;

struct Named {
    const char* name;
    int first; // -1: not a register that the device models
    int dwords;
    Half half = Half::kWhole;
};

TEST(RegisterOfMcName, KnowsEveryKind) {
    const Named names[] = {
        {"VGPR0", 0, 1},
        {"VGPR255", 255, 1},
        {"VGPR7_LO16", 7, 1, Half::kLow},
        {"VGPR255_HI16", 255, 1, Half::kHigh},
        {"VGPR2_VGPR3", 2, 2},
        {"VGPR253_VGPR254_VGPR255", 253, 3},
        {"VGPR4_VGPR5_VGPR6_VGPR7", 4, 4},
        {"SGPR0", 256, 1},
        {"SGPR105", 361, 1},
        {"SGPR104_SGPR105", 360, 2},
        {"SGPR8_SGPR9_SGPR10_SGPR11_SGPR12_SGPR13_SGPR14_SGPR15", 264, 8},
        {"VCC", 362, 2},
        {"VCC_LO", 362, 1},
        {"VCC_HI", 363, 1},
        {"TTMP0_gfx9plus", 364, 1},
        {"TTMP9_gfx9plus", 373, 1},
        {"TTMP6_TTMP7_gfx9plus", 370, 2},
        {"TTMP15_gfx9plus", 379, 1},
        {"M0_gfxpre11", 380, 1},
        {"M0_gfx11plus", 380, 1},
        {"SGPR_NULL_gfx11plus", 381, 1},
        {"SGPR_NULL64_gfxpre11", 381, 2},
        {"EXEC", 382, 2},
        {"EXEC_LO", 382, 1},
        {"EXEC_HI", 383, 1},
        {"SCC", 384, 1},
        {"SRC_SCC", 384, 1},
        {"FLAT_SCR", 386, 2},
        {"SRC_SHARED_BASE", 388, 2},
        {"SRC_SHARED_LIMIT_LO", 390, 1},
        {"SRC_PRIVATE_BASE", 392, 2},
        {"SRC_PRIVATE_LIMIT", 394, 2},
        {"MODE", 396, 1},
        {"VGPR256", -1, 0},
        {"VGPR1024", -1, 0},
        {"VGPR", -1, 0},
        {"VGPR1X", -1, 0},
        {"SGPR106", -1, 0},
        {"TTMP16", -1, 0},
        {"AGPR0", -1, 0},
        {"", -1, 0},
        {"PC", -1, 0},
    };
    for (const Named& n : names) {
        const isa::RegisterRef ref = register_of_mc_name(n.name);
        EXPECT_EQ(int{ref.dwords}, n.dwords) << n.name;
        if (n.first < 0) continue;
        EXPECT_EQ(int{ref.first}, n.first) << n.name;
        EXPECT_EQ(ref.half, n.half) << n.name;
    }
}

// The encodings of scalar operands (ISA documents, "Scalar operands"): what the numbers above stand for.
TEST(Registers, ScalarsLieAtTheirEncodedNumbers) {
    EXPECT_EQ(isa::kVccLo - isa::kScalar, 106);
    EXPECT_EQ(isa::kTtmp0 - isa::kScalar, 108);
    EXPECT_EQ(isa::kM0 - isa::kScalar, 124);
    EXPECT_EQ(isa::kNull - isa::kScalar, 125);
    EXPECT_EQ(isa::kExecLo - isa::kScalar, 126);
    EXPECT_TRUE(isa::is_vector(255));
    EXPECT_FALSE(isa::is_vector(256));
}

} // namespace
