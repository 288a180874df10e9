#include "tests/hip/hip_library.h"

#include <chrono>
#include <thread>

namespace {

class Events : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipEventCreate)(&start_));
        HIP_OK(HIP(hipEventCreate)(&stop_));
    }
    void TearDown() override {
        HIP_OK(HIP(hipEventDestroy)(start_));
        HIP_OK(HIP(hipEventDestroy)(stop_));
    }
    hipEvent_t start_ = nullptr;
    hipEvent_t stop_ = nullptr;
};

TEST_F(Events, MeasureTheTimeBetweenThem) {
    const auto before = std::chrono::steady_clock::now();
    HIP_OK(HIP(hipEventRecord)(start_, nullptr));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    HIP_OK(HIP(hipEventRecord)(stop_, nullptr));
    const std::chrono::duration<float, std::milli> outside = std::chrono::steady_clock::now() - before;
    HIP_OK(HIP(hipEventSynchronize)(stop_));
    HIP_OK(HIP(hipEventQuery)(stop_));
    float ms = 0;
    HIP_OK(HIP(hipEventElapsedTime)(&ms, start_, stop_));
    EXPECT_GE(ms, 5.0F);
    EXPECT_LE(ms, outside.count());
    HIP_OK(HIP(hipEventElapsedTime)(&ms, stop_, start_));
    EXPECT_LE(ms, -5.0F);
}

TEST_F(Events, ThatWereNotRecordedHaveNoTime) {
    float ms = 0;
    HIP_OK(HIP(hipEventQuery)(start_));
    EXPECT_EQ(HIP(hipEventElapsedTime)(&ms, start_, stop_), hipErrorInvalidHandle);
    HIP_OK(HIP(hipEventRecord)(start_, nullptr));
    EXPECT_EQ(HIP(hipEventElapsedTime)(&ms, start_, stop_), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipEventElapsedTime)(nullptr, start_, start_), hipErrorInvalidValue);
}

TEST_F(Events, WithoutTimingHaveNoTime) {
    hipEvent_t untimed = nullptr;
    float ms = 0;
    HIP_OK(HIP(hipEventCreateWithFlags)(&untimed, hipEventDisableTiming));
    HIP_OK(HIP(hipEventRecord)(start_, nullptr));
    HIP_OK(HIP(hipEventRecord)(untimed, nullptr));
    EXPECT_EQ(HIP(hipEventElapsedTime)(&ms, start_, untimed), hipErrorInvalidHandle);
    HIP_OK(HIP(hipEventDestroy)(untimed));
    EXPECT_EQ(HIP(hipEventDestroy)(untimed), hipErrorInvalidHandle);
}

TEST_F(Events, BadArgumentsAreErrors) {
    EXPECT_EQ(HIP(hipEventCreate)(nullptr), hipErrorInvalidValue);
    hipEvent_t event = nullptr;
    EXPECT_EQ(HIP(hipEventCreateWithFlags)(&event, 0x100), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipEventRecord)(nullptr, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipEventSynchronize)(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipEventQuery)(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipEventDestroy)(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipStreamWaitEvent)(nullptr, nullptr, 0), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipStreamWaitEvent)(nullptr, start_, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamWaitEvent)(nullptr, start_, 0), hipSuccess);
}

} // namespace
