#include "tests/hip/hip_library.h"

#include <array>
#include <cstring>
#include <numeric>

namespace {

using hip_test::take_report;

class MemoryCalls : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(0));
        (void)take_report();
    }
    void* allocate(std::size_t size) {
        void* pointer = nullptr;
        EXPECT_EQ(HIP(hipMalloc)(&pointer, size), hipSuccess);
        owned_.push_back(pointer);
        return pointer;
    }
    void TearDown() override {
        for (void* pointer : owned_) EXPECT_EQ(HIP(hipFree)(pointer), hipSuccess);
    }
    std::vector<void*> owned_;
};

std::vector<std::uint8_t> counting(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
}

std::uint8_t* at(void* pointer, std::size_t offset) { return static_cast<std::uint8_t*>(pointer) + offset; }

TEST_F(MemoryCalls, CopiesThereAndBack) {
    const auto in = counting(1000);
    std::vector<std::uint8_t> out(1000);
    void* a = allocate(1000);
    void* b = allocate(1000);
    HIP_OK(HIP(hipMemcpy)(a, in.data(), 1000, hipMemcpyHostToDevice));
    HIP_OK(HIP(hipMemcpy)(b, a, 1000, hipMemcpyDeviceToDevice));
    HIP_OK(HIP(hipMemcpy)(out.data(), b, 1000, hipMemcpyDeviceToHost));
    EXPECT_EQ(in, out);
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    HIP_OK(HIP(hipMemcpyHtoD)(b, const_cast<std::uint8_t*>(in.data()), 1000));
    HIP_OK(HIP(hipMemcpyDtoD)(a, b, 1000));
    HIP_OK(HIP(hipMemcpyDtoH)(out.data(), a, 1000));
    EXPECT_EQ(in, out);
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    HIP_OK(HIP(hipMemcpyAsync)(out.data(), a, 1000, hipMemcpyDefault, nullptr));
    HIP_OK(HIP(hipStreamSynchronize)(nullptr));
    EXPECT_EQ(in, out);
    EXPECT_TRUE(take_report()["findings"].empty());
}

TEST_F(MemoryCalls, ReadingWhatNobodyWroteIsAFinding) {
    std::array<std::uint8_t, 64> host{};
    void* a = allocate(64);
    HIP_OK(HIP(hipMemset)(a, 0, 10));
    HIP_OK(HIP(hipMemset)(at(a, 12), 0, 52));
    HIP_OK(HIP(hipMemcpy)(host.data(), a, 10, hipMemcpyDeviceToHost));
    EXPECT_TRUE(take_report()["findings"].empty());
    HIP_OK(HIP(hipMemcpy)(host.data(), at(a, 4), 60, hipMemcpyDeviceToHost));
    const auto findings = take_report()["findings"];
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0]["kind"], "undefined output");
    EXPECT_EQ(findings[0]["address"], reinterpret_cast<std::uint64_t>(a) + 10);
    EXPECT_EQ(findings[0]["detail"],
              "hipMemcpy: 2 of 60 bytes that the host reads are undefined; the first is byte 10 of an allocation of 64 "
              "bytes");
    EXPECT_TRUE(take_report()["findings"].empty());
    const auto told = [&](const std::string& call) {
        const auto all = take_report()["findings"];
        ASSERT_EQ(all.size(), 1U) << call;
        EXPECT_TRUE(all[0]["detail"].get<std::string>().starts_with(call + ": 2 of ")) << all[0]["detail"];
    };
    HIP_OK(HIP(hipMemcpyDtoH)(host.data(), a, 64));
    told("hipMemcpyDtoH");
    HIP_OK(HIP(hipMemcpyAsync)(host.data(), a, 64, hipMemcpyDeviceToHost, nullptr));
    told("hipMemcpyAsync");
    HIP_OK(HIP(hipMemcpy2D)(host.data(), 16, at(a, 0), 16, 16, 4, hipMemcpyDeviceToHost));
    told("hipMemcpy2D");
}

TEST_F(MemoryCalls, FreshMemoryIsNotZero) {
    std::array<std::uint8_t, 16> host{};
    HIP_OK(HIP(hipMemcpy)(host.data(), allocate(16), 16, hipMemcpyDeviceToHost));
    for (const std::uint8_t byte : host) EXPECT_NE(byte, 0);
    EXPECT_EQ(take_report()["findings"].size(), 1U);
}

TEST_F(MemoryCalls, DeviceCopiesCarryWhatIsUndefined) {
    std::array<std::uint8_t, 32> host{};
    void* a = allocate(32);
    void* b = allocate(32);
    HIP_OK(HIP(hipMemset)(a, 1, 16));
    HIP_OK(HIP(hipMemset)(b, 1, 32));
    HIP_OK(HIP(hipMemcpy)(at(b, 8), at(a, 8), 16, hipMemcpyDeviceToDevice));
    HIP_OK(HIP(hipMemcpy)(host.data(), b, 16, hipMemcpyDeviceToHost));
    HIP_OK(HIP(hipMemcpy)(host.data(), at(b, 24), 8, hipMemcpyDeviceToHost));
    EXPECT_TRUE(take_report()["findings"].empty());
    HIP_OK(HIP(hipMemcpy)(host.data(), b, 32, hipMemcpyDeviceToHost));
    const auto findings = take_report()["findings"];
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0]["address"], reinterpret_cast<std::uint64_t>(b) + 16);
    HIP_OK(HIP(hipMemcpy)(at(b, 16), a, 8, hipMemcpyDeviceToDevice));
    HIP_OK(HIP(hipMemcpy)(host.data(), b, 32, hipMemcpyDeviceToHost));
    EXPECT_TRUE(take_report()["findings"].empty());
}

TEST_F(MemoryCalls, FillsByElement) {
    void* a = allocate(16);
    std::array<std::uint8_t, 16> host{};
    HIP_OK(HIP(hipMemsetD8)(a, 0x11, 16));
    HIP_OK(HIP(hipMemsetD16)(at(a, 2), 0x2233, 2));
    HIP_OK(HIP(hipMemsetD32)(at(a, 8), 0x44556677, 1));
    HIP_OK(HIP(hipMemcpy)(host.data(), a, 16, hipMemcpyDeviceToHost));
    const std::array<std::uint8_t, 16> expected{0x11, 0x11, 0x33, 0x22, 0x33, 0x22, 0x11, 0x11,
                                                0x77, 0x66, 0x55, 0x44, 0x11, 0x11, 0x11, 0x11};
    EXPECT_EQ(host, expected);
    HIP_OK(HIP(hipMemsetAsync)(a, 0x1FF, 4, nullptr));
    HIP_OK(HIP(hipMemsetD8Async)(at(a, 4), 1, 4, nullptr));
    HIP_OK(HIP(hipMemsetD16Async)(at(a, 8), 2, 2, nullptr));
    HIP_OK(HIP(hipMemsetD32Async)(at(a, 12), 3, 1, nullptr));
    HIP_OK(HIP(hipMemcpy)(host.data(), a, 16, hipMemcpyDeviceToHost));
    EXPECT_EQ(host, (std::array<std::uint8_t, 16>{0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 1, 1, 2, 0, 2, 0, 3, 0, 0, 0}));
}

TEST_F(MemoryCalls, RangesThatLeaveTheirAllocationAreErrors) {
    std::array<std::uint8_t, 64> host{};
    void* a = allocate(32);
    const auto copy = HIP(hipMemcpy);
    EXPECT_EQ(copy(a, host.data(), 33, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(at(a, 1), host.data(), 32, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(host.data(), at(a, 16), 17, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    EXPECT_EQ(copy(host.data(), a, 33, hipMemcpyDefault), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemset)(a, 0, 33), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemset)(at(a, 32), 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemsetD32)(a, 0, 9), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemsetD32)(a, 0, SIZE_MAX / 4 + 2), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemsetD32)(at(a, 2), 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemsetD16)(at(a, 1), 0, 1), hipErrorInvalidValue);
}

TEST_F(MemoryCalls, KindsAreChecked) {
    std::array<std::uint8_t, 32> host{};
    std::array<std::uint8_t, 32> other{};
    void* a = allocate(32);
    const auto copy = HIP(hipMemcpy);
    EXPECT_EQ(copy(host.data(), other.data(), 32, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(host.data(), other.data(), 32, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    EXPECT_EQ(copy(a, other.data(), 32, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(a, other.data(), 32, static_cast<hipMemcpyKind>(7)), hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(copy(nullptr, other.data(), 32, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(a, nullptr, 32, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(copy(host.data(), other.data(), 32, hipMemcpyHostToHost), hipSuccess);
    EXPECT_EQ(copy(nullptr, nullptr, 0, hipMemcpyHostToDevice), hipSuccess);
    EXPECT_EQ(HIP(hipMemset)(nullptr, 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemset)(host.data(), 0, 1), hipErrorInvalidValue);
}

TEST_F(MemoryCalls, FreeTakesWhatMallocGaveOnce) {
    void* pointer = nullptr;
    int local = 0;
    HIP_OK(HIP(hipMalloc)(&pointer, 100));
    EXPECT_EQ(HIP(hipFree)(at(pointer, 1)), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostFree)(pointer), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFree)(pointer), hipSuccess);
    EXPECT_EQ(HIP(hipFree)(pointer), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFree)(&local), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFree)(nullptr), hipSuccess);
    EXPECT_EQ(HIP(hipMalloc)(nullptr, 1), hipErrorInvalidValue);
    HIP_OK(HIP(hipMalloc)(&pointer, 0));
    EXPECT_EQ(pointer, nullptr);
}

TEST_F(MemoryCalls, MemoryEnds) {
    std::size_t free = 0;
    std::size_t total = 0;
    HIP_OK(HIP(hipMemGetInfo)(&free, &total));
    void* pointer = &free;
    EXPECT_EQ(HIP(hipMalloc)(&pointer, total + 1), hipErrorOutOfMemory);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(HIP(hipMalloc)(&pointer, SIZE_MAX), hipErrorOutOfMemory);
    (void)allocate(1000);
    std::size_t after = 0;
    HIP_OK(HIP(hipMemGetInfo)(&after, &total));
    EXPECT_EQ(free - after, 1000U);
    EXPECT_EQ(HIP(hipMemGetInfo)(nullptr, &total), hipErrorInvalidValue);
}

TEST_F(MemoryCalls, PinnedMemoryIsTheHosts) {
    void* pinned = nullptr;
    HIP_OK(HIP(hipHostMalloc)(&pinned, 64, hipHostMallocDefault));
    std::memset(pinned, 7, 64);
    void* a = allocate(64);
    HIP_OK(HIP(hipMemcpy)(a, pinned, 64, hipMemcpyHostToDevice));
    HIP_OK(HIP(hipMemcpy)(pinned, a, 64, hipMemcpyDeviceToHost));
    EXPECT_EQ(HIP(hipFree)(pinned), hipErrorInvalidValue);
    EXPECT_TRUE(take_report()["findings"].empty());
    // What was never written stays a finding on its way to the host, pinned or not.
    HIP_OK(HIP(hipMemcpy)(pinned, allocate(64), 64, hipMemcpyDeviceToHost));
    EXPECT_EQ(take_report()["findings"].size(), 1U);
    EXPECT_EQ(HIP(hipHostFree)(pinned), hipSuccess);
    EXPECT_EQ(HIP(hipHostFree)(nullptr), hipSuccess);
}

TEST_F(MemoryCalls, AllocationsOfOneDeviceOutliveAnothersReset) {
    std::array<std::uint8_t, 8> host{1, 2, 3, 4, 5, 6, 7, 8};
    void* kept = allocate(8);
    HIP_OK(HIP(hipMemcpy)(kept, host.data(), 8, hipMemcpyHostToDevice));
    HIP_OK(HIP(hipSetDevice)(1));
    void* lost = nullptr;
    HIP_OK(HIP(hipMalloc)(&lost, 8));
    HIP_OK(HIP(hipDeviceReset)());
    EXPECT_EQ(HIP(hipFree)(lost), hipErrorInvalidValue);
    HIP_OK(HIP(hipMemcpy)(host.data(), kept, 8, hipMemcpyDeviceToHost));
    HIP_OK(HIP(hipSetDevice)(0));
}

TEST_F(MemoryCalls, AReportIsTakenOnlyByABufferThatHoldsIt) {
    std::array<std::uint8_t, 16> host{};
    HIP_OK(HIP(hipMemcpy)(host.data(), allocate(16), 16, hipMemcpyDeviceToHost));
    std::string text(8, 'x');
    const std::size_t size = HIP(pmTakeReport)(text.data(), text.size());
    EXPECT_GT(size, 8U);
    EXPECT_EQ(text, "xxxxxxxx");
    EXPECT_EQ(HIP(pmTakeReport)(nullptr, 1000000), size);
    EXPECT_EQ(take_report()["findings"].size(), 1U);
}

TEST_F(MemoryCalls, AnAllocationIsMadeReadOnlyForKernelsByAnAddressInsideIt) {
    auto* const memory = static_cast<std::uint8_t*>(allocate(16));
    EXPECT_EQ(HIP(pmSetReadOnly)(memory + 5, 1), 0);
    const std::array<std::uint8_t, 16> host{};
    HIP_OK(HIP(hipMemcpy)(memory, host.data(), 16, hipMemcpyHostToDevice));
    EXPECT_EQ(HIP(pmSetReadOnly)(host.data(), 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(pmSetReadOnly)(memory, 0), 0);
}

} // namespace
