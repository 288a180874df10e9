// Kernels that a compiler built, optimised and not: results as the host computes them, and no finding.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kBlock = 64;

/// Chip, compiler, optimisation, code object version, lanes of a wave.
using Build = std::tuple<unsigned, std::string, std::string, std::string, unsigned>;

class Compiled : public ::testing::TestWithParam<Build> {
protected:
    void SetUp() override {
        const auto& [chip, compiler, level, version, wave] = GetParam();
        const auto& object = compiled_hip("clang++-" + compiler, chips()[chip].name,
                                          std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/kernels.hip",
                                          {"-std=c++20", "-mcode-object-version=" + version, level,
                                           wave == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64"});
        ASSERT_TRUE(object) << object.error().text;
        rig_ = std::make_unique<Rig>(*object);
        ASSERT_TRUE(rig_->ok());
    }

    // Expects no finding.
    void run(const char* kernel, const std::vector<std::byte>& kernarg, std::array<u32, 3> grid = {1, 1, 1},
             std::array<u32, 3> block = {kBlock, 1, 1}) {
        EXPECT_EQ(text_of(rig_->launch(kernel, kernarg, grid, block)), "") << kernel;
    }

    std::unique_ptr<Rig> rig_;
};

TEST_P(Compiled, Histogram) {
    constexpr u32 kEach = 3, kGroups = 4;
    std::vector<u8> bytes(kEach * kGroups * kBlock);
    std::vector<u32> want(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) ++want[bytes[i] = static_cast<u8>(i * i / 7)];
    emu::Allocation* const out = rig_->buffer(std::vector<u32>(256));
    run("histogram", Rig::pack(rig_->buffer(bytes), out, kEach), {kGroups, 1, 1});
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(Compiled, Scan) {
    std::vector<u32> in(kBlock), want(kBlock);
    for (u32 i = 0; i < kBlock; ++i) in[i] = i * i + 1;
    std::partial_sum(in.begin(), in.end(), want.begin());
    emu::Allocation* const out = rig_->fresh(4 * kBlock);
    run("scan", Rig::pack(rig_->buffer(in), out));
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(Compiled, ChaseThroughFlatPointers) {
    emu::Allocation* const nodes = rig_->fresh(16 * kBlock);
    emu::Allocation* const out = rig_->fresh(4 * kBlock);
    run("chase", Rig::pack(nodes, out));
    std::vector<u32> want;
    for (u32 i = 0; i < kBlock; ++i)
        want.push_back(i % 4 == 0 ? kBlock * (kBlock - 1) / 2 : i % 4 == 1 ? kBlock * (kBlock - 1) : i + 1000);
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(Compiled, CallsByNameAndByPointer) {
    constexpr u32 kFibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (const u32 which : {0u, 1u}) {
        emu::Allocation* const out = rig_->fresh(4 * kBlock);
        run("calls", Rig::pack(out, which));
        std::vector<u32> want;
        for (u32 i = 0; i < kBlock; ++i) want.push_back(i % 2 == which ? kFibonacci[i % 8] + 3 : kFibonacci[i % 8] * 2);
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

TEST_P(Compiled, StructuresOnTheStack) {
    struct Record {
        u8 a;
        u32 b[6];
        u64 c;
    };
    std::vector<Record> in(kBlock);
    std::memset(in.data(), 0, in.size() * sizeof(Record));
    for (u32 i = 0; i < kBlock; ++i) {
        in[i].a = static_cast<u8>(200 + i);
        for (u32 k = 0; k < 6; ++k) in[i].b[k] = 100 * i + k;
        in[i].c = 0xffffffff00000000u + i;
    }
    emu::Allocation* const out = rig_->fresh(in.size() * sizeof(Record));
    run("records", Rig::pack(rig_->buffer(in), out));
    const auto got = words_of<Record>(out);
    for (u32 i = 0; i < kBlock; ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(got[i].a, in[i].a);
        for (u32 k = 0; k < 6; ++k) EXPECT_EQ(got[i].b[k], in[i].b[(k + i % 4) % 6] + i % 4);
        EXPECT_EQ(got[i].c, in[i].c + in[i].a);
    }
}

TEST_P(Compiled, IdsAndSizes) {
    emu::Allocation* const out = rig_->fresh(4 * 8 * 24);
    run("ids", Rig::pack(out), {2, 2, 2}, {4, 3, 2});
    std::vector<u32> want;
    for (u32 group = 0; group < 8; ++group)
        for (u32 at = 0; at < 24; ++at) want.push_back(group * 1000 + at);
    EXPECT_EQ(words_of<u32>(out), want);
}

std::string name_of(const ::testing::TestParamInfo<Build>& info) {
    const auto& [chip, compiler, level, version, wave] = info.param;
    return fmt::format("{}_clang{}_{}_v{}_wave{}", chips()[chip].name, compiler, level.substr(1), version, wave);
}

INSTANTIATE_TEST_SUITE_P(Builds, Compiled,
                         ::testing::Combine(::testing::Range(0u, static_cast<unsigned>(chips().size())),
                                            ::testing::Values("19", "22"), ::testing::Values("-O0", "-O3"),
                                            ::testing::Values("4", "6"), ::testing::Values(32u)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Wave64, Compiled,
                         ::testing::Combine(::testing::Range(0u, static_cast<unsigned>(chips().size())),
                                            ::testing::Values("19", "22"),
                                            ::testing::Values("-O0", "-O1", "-O2", "-O3"), ::testing::Values("6"),
                                            ::testing::Values(64u)),
                         name_of);

} // namespace
} // namespace pm::testing
