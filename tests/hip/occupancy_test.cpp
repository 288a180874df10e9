#include "tests/hip/hip_library.h"

namespace {

// Those that HIP's header overloads.
auto* occupancy_max_active_blocks_per_multiprocessor() {
    return HIP_AS(hipOccupancyMaxActiveBlocksPerMultiprocessor, int*, const void*, int, size_t);
}
auto* occupancy_max_potential_block_size() {
    return HIP_AS(hipOccupancyMaxPotentialBlockSize, int*, int*, const void*, size_t, int);
}

// 16 KiB of static LDS, few registers; and a kernel of at most 256 work-items.
const char* const kSource = R"(
__attribute__((shared)) int lds[4096];
extern "C" __attribute__((global)) void shared(int* out) {
    const int i = __builtin_amdgcn_workitem_id_x();
    lds[i] = out[i];
    __builtin_amdgcn_s_barrier();
    out[i] = lds[i ^ 1];
}
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 256))) void small(int* out) { *out = 1; }
)";

class Occupancy : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of("gfx1030")));
        const std::string object = hip_test::compile(kSource, "gfx1030");
        HIP_OK(HIP(hipModuleLoadData)(&module_, object.data()));
        HIP_OK(HIP(hipModuleGetFunction)(&shared_, module_, "shared"));
        HIP_OK(HIP(hipModuleGetFunction)(&small_, module_, "small"));
    }
    void TearDown() override { HIP_OK(HIP(hipModuleUnload)(module_)); }

    static int blocks(hipFunction_t function, int block, std::size_t dynamic_lds) {
        int count = -1;
        EXPECT_EQ(HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)(&count, function, block, dynamic_lds),
                  hipSuccess);
        return count;
    }
    hipModule_t module_ = nullptr;
    hipFunction_t shared_ = nullptr, small_ = nullptr;
};

// Two SIMDs of 16 waves: 32 waves; 64 KiB of LDS.
TEST_F(Occupancy, IsWhatWavesAndLdsAllow) {
    EXPECT_EQ(blocks(small_, 32, 0), 32);
    EXPECT_EQ(blocks(small_, 33, 0), 16);
    EXPECT_EQ(blocks(small_, 256, 0), 4);
    EXPECT_EQ(blocks(small_, 32, 65536), 1);
    EXPECT_EQ(blocks(small_, 32, 65537), 0);
    EXPECT_EQ(blocks(shared_, 32, 0), 4);
    EXPECT_EQ(blocks(shared_, 32, 16384), 2);
    EXPECT_EQ(blocks(shared_, 1024, 0), 1);
}

// 97 registers of 64 lanes are 100, the room of 208: four waves a SIMD.
TEST_F(Occupancy, CountsTheRegistersOfAWave64) {
    const std::string object =
        hip_test::compile_with("extern \"C\" __attribute__((global)) void many() { asm volatile(\"\" ::: \"v96\"); }",
                               "--no-gpu-bundle-output --offload-arch=gfx1030 -mwavefrontsize64");
    hipModule_t module = nullptr;
    hipFunction_t many = nullptr;
    HIP_OK(HIP(hipModuleLoadData)(&module, object.data()));
    HIP_OK(HIP(hipModuleGetFunction)(&many, module, "many"));
    EXPECT_EQ(blocks(many, 64, 0), 8);
    EXPECT_EQ(blocks(many, 65, 0), 4);
    HIP_OK(HIP(hipModuleUnload)(module));
}

TEST_F(Occupancy, ProposesTheLargestBlockThatKeepsTheMost) {
    int grid = 0;
    int block = 0;
    int units = 0;
    HIP_OK(HIP(hipDeviceGetAttribute)(&units, hipDeviceAttributeMultiprocessorCount, 0));
    HIP_OK(HIP(hipModuleOccupancyMaxPotentialBlockSize)(&grid, &block, small_, 0, 0));
    EXPECT_EQ(block, 256);
    EXPECT_EQ(grid, 4 * units);
    HIP_OK(HIP(hipModuleOccupancyMaxPotentialBlockSize)(&grid, &block, small_, 0, 100));
    EXPECT_EQ(block, 64) << "of 32, 64 and 96: 10 blocks of 3 waves are 30";
    HIP_OK(HIP(hipModuleOccupancyMaxPotentialBlockSize)(&grid, &block, shared_, 0, 0));
    EXPECT_EQ(block, 1024);
}

TEST_F(Occupancy, BadRequestsAreRefused) {
    int count = 0;
    int grid = 0;
    const auto active = HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
    const auto propose = HIP(hipModuleOccupancyMaxPotentialBlockSize);
    EXPECT_EQ(active(nullptr, small_, 32, 0), hipErrorInvalidValue);
    EXPECT_EQ(active(&count, small_, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(active(&count, small_, 257, 0), hipErrorInvalidValue);
    EXPECT_EQ(active(&count, reinterpret_cast<hipFunction_t>(0x50), 32, 0), hipErrorInvalidHandle);
    EXPECT_EQ(propose(nullptr, &count, small_, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(propose(&grid, nullptr, small_, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(propose(&grid, &count, small_, 0, -1), hipErrorInvalidValue);
    EXPECT_EQ(occupancy_max_active_blocks_per_multiprocessor()(&count, &count, 32, 0), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(occupancy_max_potential_block_size()(&grid, &count, &count, 0, 0), hipErrorInvalidDeviceFunction);
}

} // namespace
