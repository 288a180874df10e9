#include "contract/device/hip_library.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hkc {
namespace {

TEST(HipLibrary, ALibraryThatIsNotThereIsNamed) {
    const auto library = open_hip_library({"/nowhere/liba.so", "/nowhere/libb.so"});
    ASSERT_FALSE(library);
    EXPECT_NE(library.error().text.find("/nowhere/liba.so"), std::string::npos) << library.error().text;
    EXPECT_NE(library.error().text.find("/nowhere/libb.so"), std::string::npos) << library.error().text;
}

TEST(HipLibrary, ALibraryThatIsNoHipRuntimeSaysWhatItLacks) {
    const auto library = open_hip_library({"libm.so.6"});
    ASSERT_FALSE(library);
    EXPECT_NE(library.error().text.find("hipModuleLaunchKernel"), std::string::npos) << library.error().text;
}

TEST(HipLibrary, DebiansRuntimeHasEveryFunctionAndIsNoEmbeddedDevice) {
    const auto library = open_hip_library(library_candidates(DeviceKind::kRocm));
    ASSERT_TRUE(library) << library.error().text;
    EXPECT_FALSE((*library)->embedded());
    const auto devices = list_devices(**library);
    ASSERT_TRUE(devices) << devices.error().text;
    for (const DeviceInfo& device : *devices) EXPECT_EQ(device.chip.substr(0, 3), "gfx");
    const auto report = take_device_report(**library);
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->has_value());
}

TEST(HipLibrary, AChipIsTheArchitectureNameUpToTheFirstColon) {
    EXPECT_EQ(chip_of_arch_name("gfx1151:sramecc-:xnack-"), "gfx1151");
    EXPECT_EQ(chip_of_arch_name("gfx1030"), "gfx1030");
}

TEST(HipLibrary, TheEmbeddedDeviceCanBeNamed) {
    ASSERT_EQ(setenv("HKC_EMBEDDED_DEVICE", "/elsewhere/libpm_hip.so", 1), 0);
    EXPECT_EQ(library_candidates(DeviceKind::kEmbedded), std::vector<std::string>{"/elsewhere/libpm_hip.so"});
    unsetenv("HKC_EMBEDDED_DEVICE");
    const auto beside = library_candidates(DeviceKind::kEmbedded);
    ASSERT_EQ(beside.size(), 1U);
    EXPECT_TRUE(beside.front().ends_with("/lib/libpm_hip.so")) << beside.front();
}

} // namespace
} // namespace hkc
