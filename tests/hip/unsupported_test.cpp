// What the embedded device does not have, and says so.
#include "tests/hip/hip_library.h"

namespace {

using hip_test::take_report;

TEST(Unsupported, AFunctionThatIsNotThereSaysSoInTheReport) {
    (void)take_report();
    hipTextureObject_t texture = nullptr;
    EXPECT_EQ(HIP(hipCreateTextureObject)(&texture, nullptr, nullptr, nullptr), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipGetLastError)(), hipErrorNotSupported);
    const auto unsupported = take_report()["unsupported"];
    ASSERT_EQ(unsupported.size(), 1U);
    EXPECT_EQ(unsupported[0], "hipCreateTextureObject is not a function of this device");
}

TEST(Unsupported, DevicesAreNoPeers) {
    int can = 9;
    HIP_OK(HIP(hipDeviceCanAccessPeer)(&can, 0, 1));
    EXPECT_EQ(can, 0);
    EXPECT_EQ(HIP(hipDeviceCanAccessPeer)(nullptr, 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceCanAccessPeer)(&can, 0, 99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceEnablePeerAccess)(1, 0), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipDeviceDisablePeerAccess)(1), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipDeviceGetP2PAttribute)(&can, hipDevP2PAttrAccessSupported, 0, 1), hipErrorNotSupported);
}

TEST(Unsupported, NothingIsSharedBetweenProcesses) {
    hipIpcMemHandle_t memory{};
    hipIpcEventHandle_t event{};
    void* pointer = nullptr;
    hipEvent_t opened = nullptr;
    EXPECT_EQ(HIP(hipIpcGetMemHandle)(&memory, &memory), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipIpcOpenMemHandle)(&pointer, memory, 0), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipIpcCloseMemHandle)(&memory), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipIpcGetEventHandle)(&event, nullptr), hipErrorNotSupported);
    EXPECT_EQ(HIP(hipIpcOpenEventHandle)(&opened, event), hipErrorNotSupported);
}

} // namespace
