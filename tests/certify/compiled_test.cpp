// What compilers emit: no fault in it, our kernels certified, and every wait that is weakened is missed.
#include "peacemaker/certify/certify.h"
#include "peacemaker/chip/hazards.h"
#include "peacemaker/isa/disassembler.h"
#include "peacemaker/lift/listing.h"
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

namespace pm::testing {
namespace {

using certify::Verdict;

struct Build {
    const char* compiler;
    const char* chip;
    const char* level;
};

Result<CodeObject> built(const Build& build, const char* source, const std::string& kernels) {
    const auto bytes =
        compile_hip(build.compiler, build.chip, std::string(HKC_SOURCE_DIR) + source,
                    {"-std=c++20", build.level, "-ffp-contract=off", "-mno-wavefrontsize64", "-DKERNELS=" + kernels});
    if (!bytes) return bytes.error();
    return parse_code_object(*bytes, "the compiled object");
}

class Compiled : public ::testing::TestWithParam<Build> {};

TEST_P(Compiled, HasNoFaultAndIsCertified) {
    if (!installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is not installed";
    for (const char* source : {"/kernels/affine_stream.hip", "/controls/affine_stream_spill.hip"}) {
        const auto object = built(GetParam(), source, "TILE(4, 1, 8) TILE(5, 8, 2)");
        ASSERT_TRUE(object) << object.error().text;
        const auto certificate = certify::certify(*object);
        ASSERT_TRUE(certificate) << certificate.error().text;
        EXPECT_EQ(certificate->kernels.size(), 5U);
        for (const auto& kernel : certificate->kernels) {
            EXPECT_TRUE(kernel.unchecked.empty()) << kernel.kernel;
            EXPECT_GT(kernel.operations, 3U) << kernel.kernel;
            EXPECT_EQ(kernel.verdict,
                      lacks_sgpr_waits(GetParam().compiler, GetParam().chip) ? Verdict::kOpen : Verdict::kCertified)
                << kernel.kernel;
            // Without optimisation pointers are generic.
            const bool generic = std::string_view(GetParam().level) == "-O0";
            EXPECT_EQ(kernel.assumptions.empty(), !generic) << kernel.kernel;
            for (const auto& open : kernel.open) {
                EXPECT_TRUE(lacks_sgpr_waits(GetParam().compiler, GetParam().chip))
                    << kernel.kernel << " " << open.instruction;
                EXPECT_EQ(open.kind, certify::kind::kHazard) << kernel.kernel << " " << open.instruction;
                EXPECT_NE(open.detail.find(hazard_of(*object->chip, Hazard::kSgprRead)->must), std::string::npos);
            }
        }
    }
}

std::vector<Build> builds() {
    std::vector<Build> all;
    for (const char* compiler : {"clang++-22", "clang++-19"})
        for (const char* chip : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"})
            for (const char* level : {"-O0", "-O1", "-O3"}) all.push_back({compiler, chip, level});
    return all;
}

INSTANTIATE_TEST_SUITE_P(AffineStream, Compiled, ::testing::ValuesIn(builds()), [](const auto& info) {
    return fmt::format("{}_{}_{}", std::string_view(info.param.compiler).substr(9), info.param.chip,
                       std::string_view(info.param.level).substr(1));
});

/// Whether the kernel certifies with the bytes at `at` replaced by s_nop 0.
Verdict without(const CodeObject& object, const Kernel& kernel, const lift::Instruction& wait) {
    constexpr std::string_view kNop("\0\0\x80\xbf", 4);
    std::string bytes = object.bytes;
    const std::string_view place = object.at(kernel.entry_address + wait.at, wait.size);
    bytes.replace(static_cast<std::size_t>(place.data() - object.bytes.data()), wait.size, kNop);
    const auto mutant = parse_code_object(bytes, "a mutant");
    EXPECT_TRUE(mutant);
    const auto certificate = certify::certify(*mutant, kernel.name);
    EXPECT_TRUE(certificate);
    return certificate->kernels.at(0).verdict;
}

TEST(MutatedWaits, AreMissed) {
    for (const char* chip : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"}) {
        const auto object = built({"clang++-22", chip, "-O3"}, "/kernels/affine_stream.hip", "TILE(4, 1, 8)");
        ASSERT_TRUE(object) << object.error().text;
        std::size_t missed = 0, kept = 0;
        for (const Kernel& kernel : object->kernels) {
            const auto listing = lift::instructions_of(*object, kernel);
            ASSERT_TRUE(listing);
            for (const auto& one : *listing) {
                // s_wait_alu and the store counter guard no register that a load fills.
                const bool wait = one.text.starts_with("s_waitcnt ") || one.text.starts_with("s_wait_loadcnt") ||
                                  one.text.starts_with("s_wait_kmcnt") || one.text.starts_with("s_wait_dscnt");
                if (!wait) continue;
                const bool certified = without(*object, kernel, one) == Verdict::kCertified;
                EXPECT_FALSE(certified) << chip << " " << kernel.name << fmt::format("+{:#x} ", one.at) << one.text;
                ++(certified ? kept : missed);
            }
        }
        EXPECT_GT(missed, 10U) << chip;
        EXPECT_EQ(kept, 0U) << chip;
    }
}

} // namespace
} // namespace pm::testing
