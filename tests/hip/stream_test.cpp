#include "tests/hip/hip_library.h"

#include <array>
#include <thread>

namespace {

TEST(Streams, AreCreatedUsedAndDestroyed) {
    hipStream_t a = nullptr;
    hipStream_t b = nullptr;
    hipStream_t c = nullptr;
    HIP_OK(HIP(hipStreamCreate)(&a));
    HIP_OK(HIP(hipStreamCreateWithFlags)(&b, hipStreamNonBlocking));
    HIP_OK(HIP(hipStreamCreateWithPriority)(&c, hipStreamDefault, 0));
    EXPECT_NE(a, b);
    for (hipStream_t stream : {a, b, c}) {
        HIP_OK(HIP(hipStreamSynchronize)(stream));
        HIP_OK(HIP(hipStreamQuery)(stream));
        HIP_OK(HIP(hipStreamDestroy)(stream));
        EXPECT_EQ(HIP(hipStreamDestroy)(stream), hipErrorInvalidHandle);
        EXPECT_EQ(HIP(hipStreamSynchronize)(stream), hipErrorInvalidHandle);
        EXPECT_EQ(HIP(hipStreamQuery)(stream), hipErrorInvalidHandle);
    }
    HIP_OK(HIP(hipStreamSynchronize)(nullptr));
    HIP_OK(HIP(hipStreamSynchronize)(hipStreamPerThread));
    HIP_OK(HIP(hipDeviceSynchronize)());
}

TEST(Streams, BadArgumentsAreErrors) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(HIP(hipStreamCreate)(nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamCreateWithFlags)(&stream, 6), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamDestroy)(nullptr), hipErrorInvalidHandle);
    int local = 0;
    EXPECT_EQ(HIP(hipMemsetAsync)(&local, 0, 4, reinterpret_cast<hipStream_t>(&local)), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipStreamIsCapturing)(nullptr, nullptr), hipErrorInvalidValue);
}

// ThreadSanitizer's preset runs this too.
TEST(Streams, OfManyThreadsWorkAtOnce) {
    std::vector<std::thread> threads;
    std::array<bool, 8> right{};
    for (std::size_t t = 0; t < right.size(); ++t)
        threads.emplace_back([t, &right] {
            if (HIP(hipSetDevice)(static_cast<int>(t % 4)) != hipSuccess) return;
            hipStream_t stream = nullptr;
            if (HIP(hipStreamCreate)(&stream) != hipSuccess) return;
            bool good = true;
            for (int i = 0; i < 50; ++i) {
                void* pointer = nullptr;
                std::array<std::uint8_t, 256> host{};
                good = good && HIP(hipMalloc)(&pointer, 256) == hipSuccess;
                good = good && HIP(hipMemsetAsync)(pointer, static_cast<int>(t) + i, 256, stream) == hipSuccess;
                good =
                    good && HIP(hipMemcpyAsync)(host.data(), pointer, 256, hipMemcpyDeviceToHost, stream) == hipSuccess;
                good = good && HIP(hipStreamSynchronize)(stream) == hipSuccess;
                for (const std::uint8_t byte : host) good = good && byte == t + static_cast<std::size_t>(i);
                good = good && HIP(hipFree)(pointer) == hipSuccess;
            }
            right[t] = good && HIP(hipStreamDestroy)(stream) == hipSuccess;
        });
    for (std::thread& thread : threads) thread.join();
    for (const bool good : right) EXPECT_TRUE(good);
}

TEST(Streams, TellWhatTheyAre) {
    hipStream_t stream = nullptr;
    HIP_OK(HIP(hipSetDevice)(1));
    HIP_OK(HIP(hipStreamCreateWithFlags)(&stream, hipStreamNonBlocking));
    HIP_OK(HIP(hipSetDevice)(0));
    unsigned flags = 0;
    int priority = 9;
    HIP_OK(HIP(hipStreamGetFlags)(stream, &flags));
    EXPECT_EQ(flags, unsigned{hipStreamNonBlocking});
    HIP_OK(HIP(hipStreamGetFlags)(nullptr, &flags));
    EXPECT_EQ(flags, unsigned{hipStreamDefault});
    HIP_OK(HIP(hipStreamGetPriority)(stream, &priority));
    EXPECT_EQ(priority, 0);
    EXPECT_EQ(HIP(hipGetStreamDeviceId)(stream), 1);
    EXPECT_EQ(HIP(hipGetStreamDeviceId)(nullptr), 0);
    EXPECT_EQ(HIP(hipStreamGetFlags)(stream, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamGetPriority)(stream, nullptr), hipErrorInvalidValue);
    HIP_OK(HIP(hipStreamDestroy)(stream));
    EXPECT_EQ(HIP(hipStreamGetFlags)(stream, &flags), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipStreamGetPriority)(stream, &priority), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipGetStreamDeviceId)(stream), -1);
}

} // namespace
