#include "tests/hip/hip_library.h"

#include "peacemaker/chip/chip.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;

std::string names() {
    int count = -1;
    const hipError_t error = HIP(hipGetDeviceCount)(&count);
    std::string text = std::to_string(error);
    for (int i = 0; i < count; ++i) {
        hipDeviceProp_t properties{};
        if (HIP(hipGetDeviceProperties)(&properties, i) != hipSuccess) return "no properties";
        text += std::string(" ") + properties.gcnArchName;
    }
    return text;
}

/// In a process of its own, as the runtime reads the variable once.
void expect_visible(const char* visible, const char* expected) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("HIP_VISIBLE_DEVICES", visible, 1);
            std::fprintf(stderr, "<%s>", names().c_str());
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), std::string("<") + expected + ">");
}

TEST(VisibleDevicesDeathTest, AreThoseTheVariableNamesUpToItsFirstMistake) {
    expect_visible("0", "0 gfx1030");
    expect_visible("3,1", "0 gfx1201 gfx1100");
    expect_visible("2,99,0", "0 gfx1151");
    expect_visible("1,1,0", "0 gfx1100");
    expect_visible("", "100");
    expect_visible("-1", "100");
    expect_visible("GPU-x", "100");
}

TEST(Devices, AreTheChipsInTheirOrder) {
    int count = 0;
    HIP_OK(HIP(hipGetDeviceCount)(&count));
    ASSERT_EQ(static_cast<std::size_t>(count), pm::chips().size());
    for (int i = 0; i < count; ++i) {
        const pm::Chip& chip = pm::chips()[static_cast<std::size_t>(i)];
        hipDeviceProp_t properties{};
        HIP_OK(HIP(hipGetDeviceProperties)(&properties, i));
        EXPECT_EQ(properties.gcnArchName, chip.name);
        EXPECT_EQ(properties.warpSize, 32);
        EXPECT_EQ(properties.sharedMemPerBlock, chip.lds_bytes);
        EXPECT_EQ(properties.maxThreadsPerBlock, static_cast<int>(chip.max_workgroup));
        EXPECT_GT(properties.totalGlobalMem, std::size_t{64} << 20);
        EXPECT_EQ(properties.major, static_cast<int>(chip.generation));
        int value = 0;
        HIP_OK(HIP(hipDeviceGetAttribute)(&value, hipDeviceAttributeMaxThreadsPerBlock, i));
        EXPECT_EQ(value, properties.maxThreadsPerBlock);
        HIP_OK(HIP(hipDeviceGetAttribute)(&value, hipDeviceAttributeWarpSize, i));
        EXPECT_EQ(value, 32);
        HIP_OK(HIP(hipDeviceGetAttribute)(&value, hipDeviceAttributeComputeCapabilityMinor, i));
        EXPECT_EQ(value, properties.minor);
        hipDevice_t device = -1;
        HIP_OK(HIP(hipDeviceGet)(&device, i));
        std::array<char, 64> name{};
        HIP_OK(HIP(hipDeviceGetName)(name.data(), name.size(), device));
        EXPECT_STREQ(name.data(), properties.name);
        HIP_OK(HIP(hipDeviceGetName)(name.data(), 4, device));
        EXPECT_EQ(std::string(name.data()), std::string(properties.name).substr(0, 3));
        std::size_t bytes = 0;
        HIP_OK(HIP(hipDeviceTotalMem)(&bytes, device));
        EXPECT_EQ(bytes, properties.totalGlobalMem);
    }
}

TEST(Devices, BadArgumentsAreErrors) {
    hipDeviceProp_t properties{};
    int value = 0;
    hipDevice_t device = 0;
    char name[4];
    std::size_t bytes = 0;
    EXPECT_EQ(HIP(hipGetDeviceCount)(nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipGetDeviceProperties)(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipGetDeviceProperties)(&properties, 99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipGetDeviceProperties)(&properties, -1), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceGetAttribute)(nullptr, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGetAttribute)(&value, hipDeviceAttributeWarpSize, 99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceGetAttribute)(&value, static_cast<hipDeviceAttribute_t>(30000), 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGet)(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGet)(&device, 99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceGetName)(nullptr, 4, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGetName)(name, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceTotalMem)(&bytes, 99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceTotalMem)(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipSetDevice)(99), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipGetDevice)(nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipInit)(1), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipRuntimeGetVersion)(nullptr), hipErrorInvalidValue);
}

TEST(Devices, VersionsAreThoseOfTheHeader) {
    int version = 0;
    HIP_OK(HIP(hipInit)(0));
    HIP_OK(HIP(hipRuntimeGetVersion)(&version));
    EXPECT_EQ(version, HIP_VERSION);
    HIP_OK(HIP(hipDriverGetVersion)(&version));
    EXPECT_EQ(version, HIP_VERSION);
}

TEST(CurrentDevice, IsTheThreads) {
    HIP_OK(HIP(hipSetDevice)(2));
    int here = -1;
    HIP_OK(HIP(hipGetDevice)(&here));
    EXPECT_EQ(here, 2);
    int there = -1;
    std::thread([&] { (void)HIP(hipGetDevice)(&there); }).join();
    EXPECT_EQ(there, 0);
    HIP_OK(HIP(hipSetDevice)(0));
}

TEST(LastError, IsKeptUntilItIsTakenAndIsTheThreads) {
    (void)HIP(hipGetLastError)();
    EXPECT_EQ(HIP(hipSetDevice)(99), hipErrorInvalidDevice);
    HIP_OK(HIP(hipSetDevice)(0));
    hipError_t other = hipErrorUnknown;
    std::thread([&] { other = HIP(hipPeekAtLastError)(); }).join();
    EXPECT_EQ(other, hipSuccess);
    EXPECT_EQ(HIP(hipPeekAtLastError)(), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipGetLastError)(), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipGetLastError)(), hipSuccess);
}

/// The enumerators of the installed header, by value; where several share one, the first is not marked deprecated.
std::map<int, std::string> error_names_of_the_header() {
    std::ifstream in(HIP_API_HEADER);
    std::map<int, std::string> names;
    bool inside = false;
    bool deprecated = false;
    for (std::string line; std::getline(in, line);) {
        if (line.find("hipError_t {") != std::string::npos) inside = true;
        if (line.starts_with("} hipError_t")) break;
        if (!inside) continue;
        const std::size_t at = line.find("hip");
        const std::size_t equals = line.find(" = ");
        if (line.find("// Deprecated") != std::string::npos) deprecated = true;
        if (at == std::string::npos || equals == std::string::npos || line.find("//") < at) continue;
        if (!deprecated) names[std::stoi(line.substr(equals + 3))] = line.substr(at, equals - at);
        deprecated = false;
    }
    return names;
}

TEST(Errors, EveryOneOfTheHeaderHasItsNameAndAText) {
    const auto names = error_names_of_the_header();
    ASSERT_GT(names.size(), 60U);
    std::set<std::string> texts;
    for (const auto& [code, name] : names) {
        EXPECT_EQ(HIP(hipGetErrorName)(static_cast<hipError_t>(code)), name);
        texts.insert(HIP(hipGetErrorString)(static_cast<hipError_t>(code)));
    }
    EXPECT_GE(texts.size() + 1, names.size()); // two kinds of bad image share a text
    EXPECT_STREQ(HIP(hipGetErrorName)(static_cast<hipError_t>(2000)), "hipErrorUnknown");
}

std::string output_of(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string out;
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
    EXPECT_EQ(::pclose(pipe), 0);
    return out;
}

TEST(Library, ExportsTheApiAndNothingElse) {
    std::istringstream lines(output_of(std::string("llvm-nm-22 -D --defined-only -j ") + hip_test::kLibrary));
    std::size_t count = 0;
    for (std::string name; std::getline(lines, name);) {
        name.erase(std::min(name.find('@'), name.size())); // the symbol's version
        if (name.empty()) continue;
        EXPECT_TRUE(name.starts_with("hip") || name.starts_with("__hip") || name.starts_with("pm")) << name;
        ++count;
    }
    EXPECT_GE(count, 68U);
}

TEST(Library, IsFoundUnderTheNamesOfHipsOwn) {
    for (const char* name : {"libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"}) {
        const fs::path link = fs::path(HKC_LIBRARY_DIR) / "hip" / name;
        EXPECT_TRUE(fs::is_symlink(link)) << link;
        EXPECT_TRUE(fs::equivalent(link, hip_test::kLibrary)) << link;
    }
}

template <typename T>
T at(const std::vector<char>& bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// HIP 6 and later: 1472 bytes, the offsets those of hipDeviceProp_tR0600 in its header.
TEST(Devices, PropertiesComeInBothLayouts) {
    using R0600 = hipError_t(void*, int);
    const auto get = hip_test::function<R0600>("hipGetDevicePropertiesR0600");
    const int ordinal = hip_test::ordinal_of("gfx1151");
    hipDeviceProp_t earlier{};
    hipDeviceProp_t same{};
    HIP_OK(HIP(hipGetDeviceProperties)(&earlier, ordinal));
    HIP_OK(hip_test::function<decltype(::hipGetDeviceProperties)>("hipGetDevicePropertiesR0000")(&same, ordinal));
    EXPECT_EQ(std::string(same.gcnArchName), "gfx1151");
    EXPECT_EQ(same.totalGlobalMem, earlier.totalGlobalMem);

    std::vector<char> later(1472 + 64, 'x');
    HIP_OK(get(later.data(), ordinal));
    EXPECT_EQ(std::string(later.data()), earlier.name);
    EXPECT_EQ(at<std::size_t>(later, 288), earlier.totalGlobalMem);
    EXPECT_EQ(at<std::size_t>(later, 296), earlier.sharedMemPerBlock);
    EXPECT_EQ(at<int>(later, 304), earlier.regsPerBlock);
    EXPECT_EQ(at<int>(later, 308), 32);
    EXPECT_EQ(at<int>(later, 320), 1024);
    EXPECT_EQ(at<int>(later, 360), 11);
    EXPECT_EQ(at<int>(later, 364), 5);
    EXPECT_EQ(at<int>(later, 388), earlier.multiProcessorCount);
    EXPECT_EQ(at<int>(later, 624), earlier.maxThreadsPerMultiProcessor);
    EXPECT_EQ(at<int>(later, 652), 1) << "managed memory";
    EXPECT_EQ(at<int>(later, 744), 1) << "memory pools";
    EXPECT_EQ(std::string(later.data() + 1160), "gfx1151");
    EXPECT_EQ(at<std::size_t>(later, 1416), earlier.maxSharedMemoryPerMultiProcessor);
    EXPECT_NE(at<unsigned>(later, 1428) & 1U, 0U) << "32-bit atomics";
    EXPECT_EQ(std::string(later.data() + 1472, 64), std::string(64, 'x'));
    EXPECT_EQ(get(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(get(later.data(), 99), hipErrorInvalidDevice);
}

TEST(Devices, HaveAPlaceOnABusAndAName) {
    std::array<char, 32> text{};
    int device = -1;
    HIP_OK(HIP(hipDeviceGetPCIBusId)(text.data(), 32, 2));
    EXPECT_EQ(std::string(text.data()), "0000:02:00.0");
    HIP_OK(HIP(hipDeviceGetByPCIBusId)(&device, text.data()));
    EXPECT_EQ(device, 2);
    EXPECT_EQ(HIP(hipDeviceGetByPCIBusId)(&device, "0000:ff:00.0"), hipErrorInvalidDevice);
    EXPECT_EQ(HIP(hipDeviceGetByPCIBusId)(&device, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGetPCIBusId)(nullptr, 32, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGetPCIBusId)(text.data(), 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipDeviceGetPCIBusId)(text.data(), 32, 99), hipErrorInvalidDevice);
    hipUUID a{};
    hipUUID b{};
    HIP_OK(HIP(hipDeviceGetUuid)(&a, 0));
    HIP_OK(HIP(hipDeviceGetUuid)(&b, 1));
    EXPECT_NE(std::memcmp(a.bytes, b.bytes, sizeof a.bytes), 0);
    int major = 0;
    int minor = 0;
    HIP_OK(HIP(hipDeviceComputeCapability)(&major, &minor, 0));
    EXPECT_EQ(major, 10);
    EXPECT_EQ(minor, 3);
    EXPECT_EQ(HIP(hipDeviceComputeCapability)(nullptr, &minor, 0), hipErrorInvalidValue);
    hipDeviceProp_t wanted{};
    std::strcpy(wanted.gcnArchName, "gfx1151");
    HIP_OK(HIP(hipChooseDevice)(&device, &wanted));
    EXPECT_EQ(device, 2);
    EXPECT_EQ(HIP(hipChooseDevice)(nullptr, &wanted), hipErrorInvalidValue);
}

TEST(Devices, HaveNothingToConfigure) {
    unsigned flags = 9;
    HIP_OK(HIP(hipSetDeviceFlags)(hipDeviceScheduleSpin));
    EXPECT_EQ(HIP(hipSetDeviceFlags)(0x100), hipErrorInvalidValue);
    HIP_OK(HIP(hipGetDeviceFlags)(&flags));
    EXPECT_EQ(flags, unsigned{hipDeviceScheduleAuto});
    EXPECT_EQ(HIP(hipGetDeviceFlags)(nullptr), hipErrorInvalidValue);
    std::size_t limit = 0;
    EXPECT_EQ(HIP(hipDeviceGetLimit)(&limit, hipLimitMallocHeapSize), hipErrorUnsupportedLimit);
    EXPECT_EQ(HIP(hipDeviceGetLimit)(nullptr, hipLimitMallocHeapSize), hipErrorInvalidValue);
    hipFuncCache_t cache = hipFuncCachePreferL1;
    HIP_OK(HIP(hipDeviceSetCacheConfig)(hipFuncCachePreferShared));
    HIP_OK(HIP(hipDeviceGetCacheConfig)(&cache));
    EXPECT_EQ(cache, hipFuncCachePreferNone);
    int least = 9;
    int greatest = 9;
    HIP_OK(HIP(hipDeviceGetStreamPriorityRange)(&least, &greatest));
    EXPECT_EQ(least, 0);
    EXPECT_EQ(greatest, 0);
}

} // namespace
