// Pinned, managed and registered host memory, memory pools, pitched memory, and what the API tells of a pointer.
#include "tests/hip/hip_library.h"

#include <array>
#include <cstring>
#include <vector>

namespace {

// Those that HIP's header overloads.
auto* malloc_async() { return HIP_AS(hipMallocAsync, void**, size_t, hipStream_t); }
auto* malloc_from_pool_async() { return HIP_AS(hipMallocFromPoolAsync, void**, size_t, hipMemPool_t, hipStream_t); }

using hip_test::take_report;

// Adds 1 to each of `count` integers.
const char* const kSource = R"(
extern "C" __attribute__((global)) void increment(int* data) { data[__builtin_amdgcn_workitem_id_x()] += 1; }
)";

/// Launches the kernel on a device's default stream with `count` work-items.
hipError_t increment(const char* chip, int* data, unsigned count) {
    EXPECT_EQ(HIP(hipSetDevice)(hip_test::ordinal_of(chip)), hipSuccess);
    const std::string object = hip_test::compile(kSource, chip);
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    EXPECT_EQ(HIP(hipModuleLoadData)(&module, object.data()), hipSuccess);
    EXPECT_EQ(HIP(hipModuleGetFunction)(&function, module, "increment"), hipSuccess);
    std::array<void*, 1> arguments{&data};
    const hipError_t error =
        HIP(hipModuleLaunchKernel)(function, 1, 1, 1, count, 1, 1, 0, nullptr, arguments.data(), nullptr);
    EXPECT_EQ(HIP(hipModuleUnload)(module), hipSuccess);
    return error;
}

class HostMemoryCalls : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(0));
        (void)take_report();
    }
};

TEST_F(HostMemoryCalls, PinnedMemoryIsSeenByEveryDevice) {
    int* data = nullptr;
    HIP_OK(HIP(hipHostMalloc)(reinterpret_cast<void**>(&data), 32, hipHostMallocDefault));
    std::memset(data, 0, 32);
    HIP_OK(increment("gfx1030", data, 8));
    HIP_OK(increment("gfx1201", data, 8));
    for (int i = 0; i < 8; ++i) EXPECT_EQ(data[i], 2);
    EXPECT_TRUE(take_report()["findings"].empty());
    HIP_OK(increment("gfx1201", data, 9));
    const auto findings = take_report()["findings"];
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0]["kind"], "out-of-bounds read");
    EXPECT_EQ(findings[1]["kind"], "out-of-bounds write");
    HIP_OK(HIP(hipHostFree)(data));
    HIP_OK(increment("gfx1030", data, 1));
    EXPECT_EQ(take_report()["findings"].size(), 2U);
}

TEST_F(HostMemoryCalls, EachWayToFreeIsForItsOwnMemory) {
    void* pinned = nullptr;
    void* managed = nullptr;
    void* device = nullptr;
    std::array<char, 64> mine{};
    HIP_OK(HIP_AS(hipHostAlloc, void**, size_t, unsigned)(&pinned, 64, hipHostMallocMapped));
    HIP_OK(HIP(hipMallocManaged)(&managed, 64, hipMemAttachGlobal));
    HIP_OK(HIP(hipMalloc)(&device, 64));
    HIP_OK(HIP(hipHostRegister)(mine.data(), mine.size(), hipHostRegisterDefault));
    EXPECT_EQ(HIP(hipFree)(pinned), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFree)(mine.data()), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostFree)(managed), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostFree)(device), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostFree)(mine.data()), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostUnregister)(pinned), hipErrorHostMemoryNotRegistered);
    HIP_OK(HIP_AS(hipFreeHost, void*)(pinned));
    HIP_OK(HIP(hipFree)(managed));
    HIP_OK(HIP(hipFree)(device));
    HIP_OK(HIP(hipHostUnregister)(mine.data()));
    EXPECT_EQ(HIP(hipFree)(managed), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostUnregister)(mine.data()), hipErrorHostMemoryNotRegistered);
    EXPECT_EQ(HIP(hipHostUnregister)(nullptr), hipErrorInvalidValue);
    HIP_OK(HIP(hipHostFree)(nullptr));
}

TEST_F(HostMemoryCalls, BadRequestsAreRefused) {
    void* pointer = &pointer;
    EXPECT_EQ(HIP(hipHostMalloc)(nullptr, 64, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostMalloc)(&pointer, 64, 0x10), hipErrorInvalidValue);
    HIP_OK(HIP(hipHostMalloc)(&pointer, 0, 0));
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(HIP(hipMallocManaged)(nullptr, 64, hipMemAttachGlobal), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMallocManaged)(&pointer, 0, hipMemAttachGlobal), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMallocManaged)(&pointer, 64, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostMalloc)(&pointer, SIZE_MAX / 2, 0), hipErrorOutOfMemory);
    EXPECT_EQ(HIP(hipHostRegister)(nullptr, 64, 0), hipErrorInvalidValue);
    std::array<char, 64> mine{};
    EXPECT_EQ(HIP(hipHostRegister)(mine.data(), 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostRegister)(mine.data(), 64, 0x100), hipErrorInvalidValue);
    HIP_OK(HIP(hipHostRegister)(mine.data() + 16, 16, 0));
    EXPECT_EQ(HIP(hipHostRegister)(mine.data(), 64, 0), hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(HIP(hipHostRegister)(mine.data() + 20, 4, 0), hipErrorHostMemoryAlreadyRegistered);
    HIP_OK(HIP(hipHostRegister)(mine.data() + 32, 16, 0));
    HIP_OK(HIP(hipHostUnregister)(mine.data() + 16));
    HIP_OK(HIP(hipHostUnregister)(mine.data() + 32));
}

TEST_F(HostMemoryCalls, FlagsAndDevicePointersAreTold) {
    void* pinned = nullptr;
    void* device = nullptr;
    unsigned flags = 99;
    HIP_OK(HIP(hipHostMalloc)(&pinned, 64, hipHostMallocPortable | hipHostMallocMapped));
    HIP_OK(HIP(hipHostGetFlags)(&flags, pinned));
    EXPECT_EQ(flags, unsigned{hipHostMallocPortable | hipHostMallocMapped});
    HIP_OK(HIP(hipHostGetDevicePointer)(&device, static_cast<char*>(pinned) + 4, 0));
    EXPECT_EQ(device, static_cast<char*>(pinned) + 4);
    EXPECT_EQ(HIP(hipHostGetDevicePointer)(&device, &flags, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostGetDevicePointer)(nullptr, pinned, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostGetDevicePointer)(&device, pinned, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostGetFlags)(&flags, &flags), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipHostGetFlags)(nullptr, pinned), hipErrorInvalidValue);
    HIP_OK(HIP(hipHostFree)(pinned));
}

TEST_F(HostMemoryCalls, AdviceAndPrefetchAreForManagedMemory) {
    void* managed = nullptr;
    HIP_OK(HIP(hipMallocManaged)(&managed, 64, hipMemAttachHost));
    HIP_OK(HIP(hipMemPrefetchAsync)(managed, 64, 0, nullptr));
    HIP_OK(HIP(hipMemPrefetchAsync)(managed, 64, hipCpuDeviceId, nullptr));
    HIP_OK(HIP(hipMemAdvise)(managed, 64, hipMemAdviseSetReadMostly, 0));
    EXPECT_EQ(HIP(hipMemPrefetchAsync)(managed, 65, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemPrefetchAsync)(managed, SIZE_MAX, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemPrefetchAsync)(managed, 0, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemPrefetchAsync)(managed, 64, 99, nullptr), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipMemAdvise)(&managed, 8, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemAdvise)(managed, 64, hipMemAdviseSetReadMostly, 99), hipErrorInvalidDevice);
    HIP_OK(HIP(hipFree)(managed));
}

TEST_F(HostMemoryCalls, PointersAreTold) {
    void* device = nullptr;
    void* pinned = nullptr;
    void* managed = nullptr;
    HIP_OK(HIP(hipSetDevice)(2));
    HIP_OK(HIP(hipMalloc)(&device, 64));
    HIP_OK(HIP(hipHostMalloc)(&pinned, 64, hipHostMallocPortable));
    HIP_OK(HIP(hipMallocManaged)(&managed, 64, hipMemAttachGlobal));
    HIP_OK(HIP(hipSetDevice)(0));
    // This process needs no libamdhip64, so that the answers are those of the header's generation.
    hipPointerAttribute_t told{};
    HIP_OK(HIP(hipPointerGetAttributes)(&told, static_cast<char*>(device) + 8));
    EXPECT_EQ(told.memoryType, hipMemoryTypeDevice);
    EXPECT_EQ(told.device, 2);
    EXPECT_EQ(told.devicePointer, static_cast<char*>(device) + 8);
    EXPECT_EQ(told.hostPointer, nullptr);
    EXPECT_EQ(told.isManaged, 0);
    HIP_OK(HIP(hipPointerGetAttributes)(&told, pinned));
    EXPECT_EQ(told.memoryType, hipMemoryTypeHost);
    EXPECT_EQ(told.device, 2);
    EXPECT_EQ(told.hostPointer, pinned);
    EXPECT_EQ(told.allocationFlags, unsigned{hipHostMallocPortable});
    HIP_OK(HIP(hipPointerGetAttributes)(&told, managed));
    EXPECT_EQ(told.isManaged, 1);
    EXPECT_EQ(HIP(hipPointerGetAttributes)(&told, &told), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipPointerGetAttributes)(nullptr, device), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipPointerGetAttributes)(&told, nullptr), hipErrorInvalidValue);

    hipDeviceptr_t base = nullptr;
    std::size_t size = 0;
    HIP_OK(HIP(hipMemGetAddressRange)(&base, &size, static_cast<char*>(device) + 63));
    EXPECT_EQ(base, device);
    EXPECT_EQ(size, 64U);
    EXPECT_EQ(HIP(hipMemGetAddressRange)(&base, &size, &size), hipErrorNotFound);
    HIP_OK(HIP(hipMemPtrGetInfo)(device, &size));
    EXPECT_EQ(size, 64U);
    EXPECT_EQ(HIP(hipMemPtrGetInfo)(&size, &size), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemPtrGetInfo)(device, nullptr), hipErrorInvalidValue);
    for (void* pointer : {device, managed}) HIP_OK(HIP(hipFree)(pointer));
    HIP_OK(HIP(hipHostFree)(pinned));
}

TEST_F(HostMemoryCalls, AStreamsMemoryIsOfItsDevice) {
    hipStream_t stream = nullptr;
    hipMemPool_t pool = nullptr;
    void* a = nullptr;
    void* b = nullptr;
    hipPointerAttribute_t told{};
    HIP_OK(HIP(hipSetDevice)(1));
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(HIP(hipSetDevice)(0));
    HIP_OK(malloc_async()(&a, 64, stream));
    HIP_OK(HIP(hipPointerGetAttributes)(&told, a));
    EXPECT_EQ(told.device, 1);
    HIP_OK(HIP(hipDeviceGetDefaultMemPool)(&pool, 3));
    HIP_OK(malloc_from_pool_async()(&b, 64, pool, stream));
    HIP_OK(HIP(hipPointerGetAttributes)(&told, b));
    EXPECT_EQ(told.device, 3);
    hipMemPool_t other = nullptr;
    HIP_OK(HIP(hipDeviceGetMemPool)(&other, 3));
    EXPECT_EQ(other, pool);
    HIP_OK(HIP(hipDeviceSetMemPool)(3, pool));
    EXPECT_EQ(HIP(hipDeviceSetMemPool)(2, pool), hipErrorInvalidValue);
    HIP_OK(HIP(hipMemPoolTrimTo)(pool, 0));
    std::uint64_t threshold = 1;
    HIP_OK(HIP(hipMemPoolSetAttribute)(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    EXPECT_EQ(HIP(hipMemPoolSetAttribute)(pool, hipMemPoolAttrReleaseThreshold, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemPoolTrimTo)(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(malloc_from_pool_async()(&b, 64, nullptr, stream), hipErrorInvalidValue);
    HIP_OK(malloc_from_pool_async()(&b, 64, pool, stream));
    HIP_OK(HIP(hipFreeAsync)(a, stream));
    HIP_OK(HIP(hipFree)(b));
    EXPECT_EQ(HIP(hipFreeAsync)(a, stream), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFreeAsync)(nullptr, stream), hipErrorInvalidValue);
    EXPECT_EQ(malloc_async()(nullptr, 64, stream), hipErrorInvalidValue);
    const auto foreign = reinterpret_cast<hipStream_t>(0x12340);
    EXPECT_EQ(malloc_async()(&a, 64, foreign), hipErrorInvalidHandle);

    HIP_OK(HIP(hipStreamBeginCapture)(stream, hipStreamCaptureModeRelaxed));
    EXPECT_EQ(malloc_async()(&a, 64, stream), hipErrorStreamCaptureUnsupported);
    hipGraph_t graph = nullptr;
    HIP_OK(HIP(hipStreamEndCapture)(stream, &graph));
    HIP_OK(HIP(hipGraphDestroy)(graph));
    HIP_OK(HIP(hipStreamDestroy)(stream));
}

TEST_F(HostMemoryCalls, RowsArePitchedCopiedAndFilled) {
    char* device = nullptr;
    std::size_t pitch = 0;
    HIP_OK(HIP(hipMallocPitch)(reinterpret_cast<void**>(&device), &pitch, 100, 3));
    EXPECT_GE(pitch, 100U);
    EXPECT_EQ(pitch % 16, 0U);
    std::array<char, 36> in{};
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i);
    HIP_OK(HIP(hipMemset2D)(device, pitch, 7, 100, 3));
    HIP_OK(HIP(hipMemcpy2D)(device + 1, pitch, in.data(), 12, 10, 3, hipMemcpyHostToDevice));
    std::vector<char> out(300, 0);
    HIP_OK(HIP(hipMemcpy2DAsync)(out.data(), 100, device, pitch, 100, 3, hipMemcpyDeviceToHost, nullptr));
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 100; ++x)
            EXPECT_EQ(out[y * 100 + x], x >= 1 && x < 11 ? in[y * 12 + x - 1] : 7) << y << " " << x;
    EXPECT_TRUE(take_report()["findings"].empty()) << "what lies between the rows was not read";

    EXPECT_EQ(HIP(hipMemcpy2D)(device, 9, in.data(), 12, 10, 3, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
    EXPECT_EQ(HIP(hipMemcpy2D)(device, pitch, in.data(), 9, 10, 3, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
    EXPECT_EQ(HIP(hipMemcpy2D)(nullptr, pitch, in.data(), 12, 10, 3, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemcpy2D)(device, pitch, nullptr, 12, 10, 3, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemcpy2D)(device, pitch, in.data(), 12, 10, 3, static_cast<hipMemcpyKind>(hipMemcpyDefault + 1)),
              hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(HIP(hipMemcpy2D)(device, pitch, in.data(), 12, 10, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    HIP_OK(HIP(hipMemcpy2D)(device, pitch, nullptr, 12, 0, 3, hipMemcpyHostToDevice));
    EXPECT_EQ(HIP(hipMemset2D)(nullptr, pitch, 0, 100, 3), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMemset2D)(device, 99, 0, 100, 3), hipErrorInvalidPitchValue);
    EXPECT_EQ(HIP(hipMemset2DAsync)(device, pitch, 0, 100, 4, nullptr), hipErrorInvalidValue);
    HIP_OK(HIP(hipFree)(device));
    EXPECT_EQ(HIP(hipMallocPitch)(nullptr, &pitch, 100, 3), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMallocPitch)(reinterpret_cast<void**>(&device), nullptr, 100, 3), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipMallocPitch)(reinterpret_cast<void**>(&device), &pitch, SIZE_MAX, 3), hipErrorOutOfMemory);
}

TEST_F(HostMemoryCalls, CopiesBetweenDevicesGoThroughTheHost) {
    std::array<void*, 2> memory{};
    for (int i = 0; i < 2; ++i) {
        HIP_OK(HIP(hipSetDevice)(i));
        HIP_OK(HIP(hipMalloc)(&memory[static_cast<std::size_t>(i)], 4));
    }
    const int in = 77;
    int out = 0;
    HIP_OK(HIP(hipMemcpy)(memory[0], &in, 4, hipMemcpyHostToDevice));
    HIP_OK(HIP(hipMemcpyPeer)(memory[1], 1, memory[0], 0, 4));
    HIP_OK(HIP(hipMemcpy)(&out, memory[1], 4, hipMemcpyDeviceToHost));
    EXPECT_EQ(out, 77);
    EXPECT_EQ(HIP(hipMemcpyPeer)(memory[1], 9, memory[0], 0, 4), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipMemcpyPeerAsync)(memory[1], 1, memory[0], -1, 4, nullptr), hipErrorInvalidDevice);
    for (void* pointer : memory) HIP_OK(HIP(hipFree)(pointer));
}

} // namespace
