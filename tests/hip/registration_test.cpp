// What the compiler's start-up code and <<<>>> call, called as it calls them (clang/lib/CodeGen/CGCUDANV.cpp).
#include "tests/hip/hip_library.h"

#include <array>
#include <cstring>
#include <memory>

namespace {

// Those that HIP's header overloads.
auto* get_symbol_address() { return HIP_AS(hipGetSymbolAddress, void**, const void*); }
auto* get_symbol_size() { return HIP_AS(hipGetSymbolSize, size_t*, const void*); }
auto* memcpy_to_symbol() { return HIP_AS(hipMemcpyToSymbol, const void*, const void*, size_t, size_t, hipMemcpyKind); }
auto* memcpy_from_symbol() { return HIP_AS(hipMemcpyFromSymbol, void*, const void*, size_t, size_t, hipMemcpyKind); }
auto* memcpy_to_symbol_async() {
    return HIP_AS(hipMemcpyToSymbolAsync, const void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t);
}
auto* memcpy_from_symbol_async() {
    return HIP_AS(hipMemcpyFromSymbolAsync, void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t);
}
auto* launch_cooperative_kernel() {
    return HIP_AS(hipLaunchCooperativeKernel, const void*, dim3, dim3, void**, unsigned, hipStream_t);
}

using hip_test::take_report;

// The functions that no header declares.
using Handle = void**;
using RegisterFatBinary = Handle(const void*);
using UnregisterFatBinary = void(Handle);
using RegisterFunction = void(Handle, const void*, char*, const char*, unsigned, void*, void*, void*, void*, int*);
using RegisterVar = void(Handle, void*, char*, char*, int, size_t, int, int);
using RegisterManagedVar = void(Handle, void**, void*, const char*, size_t, unsigned);

struct Wrapper {
    unsigned magic;
    unsigned version;
    const void* image;
    const void* unused;
};
constexpr unsigned kMagic = 0x48495046;

const char* const kSource = R"(
__attribute__((device)) int table[4] = {1, 2, 3, 4};
__attribute__((managed)) int total = 5;
extern "C" __attribute__((global)) void scale(int* out, int factor) {
    const int i = __builtin_amdgcn_workitem_id_x();
    out[i] = table[i] * factor + total;
    if (i == 0) total = 1000;
}
extern "C" __attribute__((global)) void nothing() {}
)";

const std::string& plain_bundle() {
    static const std::string bytes =
        hip_test::compile_with(kSource, "--gpu-bundle-output --offload-arch=gfx1030 --offload-arch=gfx1151");
    return bytes;
}

const std::string& compressed_bundle() {
    static const std::string bytes = hip_test::compile_with(
        kSource, "--gpu-bundle-output --offload-compress --offload-arch=gfx1030 --offload-arch=gfx1151");
    return bytes;
}

/// A source file as the compiler registers it. The host addresses are those of its members.
class Registered {
public:
    explicit Registered(const std::string& image) : image_(image) {
        wrapper_ = {kMagic, 1, image_.data(), nullptr};
        handle_ = hip_test::function<RegisterFatBinary>("__hipRegisterFatBinary")(&wrapper_);
        add_function(&scale, "scale");
        add_function(&nothing, "nothing");
        add_function(&missing, "missing");
        std::string name = "table";
        hip_test::function<RegisterVar>("__hipRegisterVar")(handle_, &table, name.data(), name.data(), 0, 16, 0, 0);
        hip_test::function<RegisterManagedVar>("__hipRegisterManagedVar")(handle_, reinterpret_cast<void**>(&total),
                                                                          &initial_, "total", 4, 4);
    }
    ~Registered() { unregister(); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    void unregister() {
        if (handle_ != nullptr) hip_test::function<UnregisterFatBinary>("__hipUnregisterFatBinary")(handle_);
        handle_ = nullptr;
    }

    char scale = 0, nothing = 0, missing = 0, table = 0;
    int* total = nullptr;

private:
    void add_function(const char* host, const char* name) {
        hip_test::function<RegisterFunction>("__hipRegisterFunction")(handle_, host, const_cast<char*>(name), name, ~0U,
                                                                      nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    const std::string& image_;
    Wrapper wrapper_{};
    Handle handle_ = nullptr;
    int initial_ = 5;
};

hipError_t launch_scale(const Registered& program, int* out, int factor, hipStream_t stream = nullptr) {
    std::array<void*, 2> arguments{&out, &factor};
    return HIP(hipLaunchKernel)(&program.scale, dim3(1), dim3(4), arguments.data(), 0, stream);
}

/// Launches on the current device and reads what came of it.
std::array<int, 4> scaled(const Registered& program, int factor) {
    int* out = nullptr;
    std::array<int, 4> host{};
    EXPECT_EQ(HIP(hipMalloc)(reinterpret_cast<void**>(&out), sizeof host), hipSuccess);
    EXPECT_EQ(launch_scale(program, out, factor), hipSuccess);
    EXPECT_EQ(HIP(hipMemcpy)(host.data(), out, sizeof host, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(HIP(hipFree)(out), hipSuccess);
    return host;
}

class Registration : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of("gfx1030")));
        (void)take_report();
        (void)HIP(hipGetLastError)();
    }
};

TEST_F(Registration, LaunchesFromPlainAndCompressedBundlesOnEachDevice) {
    for (const std::string* image : {&plain_bundle(), &compressed_bundle()}) {
        for (const char* chip : {"gfx1030", "gfx1151"}) {
            const Registered program(*image);
            HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of(chip)));
            EXPECT_EQ(scaled(program, 10), (std::array<int, 4>{15, 25, 35, 45})) << chip;
            // The kernel and the host see one managed variable.
            ASSERT_NE(program.total, nullptr);
            EXPECT_EQ(*program.total, 1000);
            *program.total = 7;
            EXPECT_EQ(scaled(program, 1), (std::array<int, 4>{8, 9, 10, 11}));
        }
    }
    EXPECT_TRUE(take_report()["findings"].empty());
}

TEST_F(Registration, AManagedVariableIsOneForAllDevices) {
    const Registered program(plain_bundle());
    EXPECT_EQ(scaled(program, 1)[0], 6);
    HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of("gfx1151")));
    EXPECT_EQ(scaled(program, 1)[0], 1001);
}

TEST_F(Registration, ADeviceWithoutCodeIsAnError) {
    for (const std::string* image : {&plain_bundle(), &compressed_bundle()}) {
        const Registered program(*image);
        HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of("gfx1201")));
        int* out = nullptr;
        HIP_OK(HIP(hipMalloc)(reinterpret_cast<void**>(&out), 16));
        EXPECT_EQ(launch_scale(program, out, 1), hipErrorNoBinaryForGpu);
        EXPECT_EQ(HIP(hipGetLastError)(), hipErrorNoBinaryForGpu);
        void* address = nullptr;
        EXPECT_EQ(get_symbol_address()(&address, &program.table), hipErrorNoBinaryForGpu);
        const auto refused = take_report()["refused"];
        ASSERT_EQ(refused.size(), 1U);
        EXPECT_NE(refused[0].get<std::string>().find("no entry for gfx1201"), std::string::npos);
        HIP_OK(HIP(hipFree)(out));
    }
}

TEST_F(Registration, UnknownFunctionsAndVariablesAreErrors) {
    const Registered program(plain_bundle());
    char other = 0;
    EXPECT_EQ(HIP(hipLaunchKernel)(&other, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(HIP(hipLaunchKernel)(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.missing, dim3(1), dim3(1), nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    void* address = nullptr;
    size_t size = 0;
    EXPECT_EQ(get_symbol_address()(&address, &other), hipErrorInvalidSymbol);
    EXPECT_EQ(get_symbol_size()(&size, &other), hipErrorInvalidSymbol);
    EXPECT_EQ(get_symbol_address()(nullptr, &program.table), hipErrorInvalidValue);
    EXPECT_EQ(get_symbol_size()(nullptr, &program.table), hipErrorInvalidValue);
    hipFuncAttributes attributes{};
    EXPECT_EQ(HIP(hipFuncGetAttributes)(&attributes, &other), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(HIP(hipFuncGetAttributes)(nullptr, &program.scale), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFuncSetAttribute)(&other, hipFuncAttributeMaxDynamicSharedMemorySize, 1),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(HIP(hipFuncSetAttribute)(&program.scale, hipFuncAttributeMaxDynamicSharedMemorySize, 1), hipSuccess);
}

TEST_F(Registration, LaunchesAreChecked) {
    const Registered program(plain_bundle());
    std::array<void*, 2> none{};
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.scale, dim3(1), dim3(4), nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.scale, dim3(1), dim3(4), none.data(), 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr), hipSuccess);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(0), dim3(1), nullptr, 0, nullptr),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1, 0), nullptr, 0, nullptr),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, size_t{1} << 40, nullptr),
              hipErrorInvalidConfiguration);
    const auto foreign = reinterpret_cast<hipStream_t>(0x12340);
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, foreign), hipErrorInvalidHandle);
    EXPECT_EQ(launch_cooperative_kernel()(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr),
              hipErrorNotSupported);
    char other = 0;
    EXPECT_EQ(launch_cooperative_kernel()(&other, dim3(1), dim3(1), nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
}

TEST_F(Registration, AForeignWrapperRegistersNothing) {
    Wrapper wrapper{kMagic + 1, 1, plain_bundle().data(), nullptr};
    const auto add = hip_test::function<RegisterFatBinary>("__hipRegisterFatBinary");
    EXPECT_EQ(add(&wrapper), nullptr);
    wrapper = {kMagic, 2, plain_bundle().data(), nullptr};
    EXPECT_EQ(add(&wrapper), nullptr);
    EXPECT_EQ(add(nullptr), nullptr);
}

TEST_F(Registration, DamagedBundlesAreErrorsWhenTheyAreUsed) {
    std::string damaged = compressed_bundle();
    damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
    std::string unknown = "not a bundle, and long enough to be looked at";
    for (const std::string* image : {&damaged, &unknown}) {
        const Registered program(*image);
        EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidImage);
        EXPECT_EQ(take_report()["refused"].size(), 1U);
    }
}

TEST_F(Registration, NothingOfAnUnregisteredBinaryIsLeft) {
    Registered program(plain_bundle());
    EXPECT_EQ(scaled(program, 1)[3], 9);
    program.unregister();
    EXPECT_EQ(HIP(hipLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    size_t size = 0;
    EXPECT_EQ(get_symbol_size()(&size, &program.table), hipErrorInvalidSymbol);
}

TEST_F(Registration, ResettingADeviceLoadsAgain) {
    const Registered program(plain_bundle());
    const std::array<int, 4> other{9, 9, 9, 9};
    HIP_OK(memcpy_to_symbol()(&program.table, other.data(), 16, 0, hipMemcpyHostToDevice));
    EXPECT_EQ(scaled(program, 1)[3], 14);
    HIP_OK(HIP(hipDeviceReset)());
    *program.total = 0;
    EXPECT_EQ(scaled(program, 1), (std::array<int, 4>{1, 2, 3, 4}));
}

TEST_F(Registration, SymbolsAreReadAndWritten) {
    const Registered program(plain_bundle());
    size_t size = 0;
    HIP_OK(get_symbol_size()(&size, &program.table));
    EXPECT_EQ(size, 16U);
    const int nine = 9;
    std::array<int, 4> host{};
    HIP_OK(memcpy_to_symbol()(&program.table, &nine, 4, 8, hipMemcpyHostToDevice));
    HIP_OK(memcpy_from_symbol()(host.data(), &program.table, 16, 0, hipMemcpyDeviceToHost));
    EXPECT_EQ(host, (std::array<int, 4>{1, 2, 9, 4}));
    hipStream_t stream = nullptr;
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(memcpy_to_symbol_async()(&program.table, &nine, 4, 0, hipMemcpyDefault, stream));
    HIP_OK(memcpy_from_symbol_async()(host.data(), &program.table, 16, 0, hipMemcpyDefault, stream));
    HIP_OK(HIP(hipStreamDestroy)(stream));
    EXPECT_EQ(host, (std::array<int, 4>{9, 2, 9, 4}));
    void* address = nullptr;
    HIP_OK(get_symbol_address()(&address, &program.table));
    HIP_OK(HIP(hipMemcpy)(host.data(), address, 16, hipMemcpyDeviceToHost));
    EXPECT_EQ(host[0], 9);

    EXPECT_EQ(memcpy_to_symbol()(&program.table, &nine, 4, 13, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(memcpy_to_symbol()(&program.table, &nine, 17, 0, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(memcpy_to_symbol()(&program.table, &nine, 4, SIZE_MAX, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(memcpy_to_symbol()(&program.table, &nine, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(memcpy_from_symbol()(host.data(), &program.table, 4, 0, hipMemcpyHostToDevice),
              hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(memcpy_from_symbol()(host.data(), &program.table, 4, 0, hipMemcpyHostToHost),
              hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(memcpy_to_symbol()(nullptr, &nine, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);
    EXPECT_EQ(memcpy_to_symbol()(&program.table, nullptr, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(memcpy_from_symbol()(nullptr, &program.table, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidValue);
}

TEST_F(Registration, ACapturedLaunchRunsWithTheGraph) {
    const Registered program(plain_bundle());
    hipStream_t stream = nullptr;
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    int* out = nullptr;
    std::array<int, 4> host{};
    HIP_OK(HIP(hipMalloc)(reinterpret_cast<void**>(&out), 16));
    HIP_OK(HIP(hipMemset)(out, 0, 16));
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(HIP(hipStreamBeginCapture)(stream, hipStreamCaptureModeRelaxed));
    HIP_OK(launch_scale(program, out, 10, stream));
    HIP_OK(HIP(hipStreamEndCapture)(stream, &graph));
    HIP_OK(HIP(hipMemcpy)(host.data(), out, 16, hipMemcpyDeviceToHost));
    EXPECT_EQ(host[0], 0);
    HIP_OK(HIP(hipGraphInstantiate)(&executable, graph, nullptr, nullptr, 0));
    HIP_OK(HIP(hipGraphLaunch)(executable, stream));
    HIP_OK(HIP(hipMemcpy)(host.data(), out, 16, hipMemcpyDeviceToHost));
    EXPECT_EQ(host, (std::array<int, 4>{15, 25, 35, 45}));
    HIP_OK(HIP(hipGraphExecDestroy)(executable));
    HIP_OK(HIP(hipGraphDestroy)(graph));
    HIP_OK(HIP(hipStreamDestroy)(stream));
    HIP_OK(HIP(hipFree)(out));
}

TEST_F(Registration, ConfigurationsAreAStack) {
    const auto push = HIP(__hipPushCallConfiguration);
    const auto pop = HIP(__hipPopCallConfiguration);
    dim3 grid;
    dim3 block;
    size_t lds = 0;
    hipStream_t stream = nullptr;
    EXPECT_EQ(pop(&grid, &block, &lds, &stream), hipErrorMissingConfiguration);
    HIP_OK(push(dim3(1, 2, 3), dim3(4, 5, 6), 7, reinterpret_cast<hipStream_t>(8)));
    HIP_OK(push(dim3(10), dim3(20), 30, nullptr));
    HIP_OK(pop(&grid, &block, &lds, &stream));
    EXPECT_EQ(grid.x, 10U);
    EXPECT_EQ(grid.y, 1U);
    EXPECT_EQ(block.x, 20U);
    EXPECT_EQ(lds, 30U);
    EXPECT_EQ(stream, nullptr);
    HIP_OK(pop(&grid, &block, &lds, &stream));
    EXPECT_EQ(grid.z, 3U);
    EXPECT_EQ(block.y, 5U);
    EXPECT_EQ(lds, 7U);
    EXPECT_EQ(stream, reinterpret_cast<hipStream_t>(8));
    EXPECT_EQ(pop(&grid, &block, &lds, &stream), hipErrorMissingConfiguration);
}

TEST_F(Registration, TheOldWayOfLaunchingWorks) {
    const Registered program(plain_bundle());
    int* out = nullptr;
    const int factor = 2;
    std::array<int, 4> host{};
    HIP_OK(HIP(hipMalloc)(reinterpret_cast<void**>(&out), 16));
    EXPECT_EQ(HIP(hipLaunchByPtr)(&program.scale), hipErrorMissingConfiguration);
    EXPECT_EQ(HIP(hipSetupArgument)(&out, 8, 0), hipErrorMissingConfiguration);
    HIP_OK(HIP(hipConfigureCall)(dim3(1), dim3(4), 0, nullptr));
    EXPECT_EQ(HIP(hipSetupArgument)(nullptr, 8, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipSetupArgument)(&out, size_t{1} << 40, 0), hipErrorInvalidValue);
    HIP_OK(HIP(hipSetupArgument)(&out, 8, 0));
    HIP_OK(HIP(hipSetupArgument)(&factor, 4, 8));
    HIP_OK(HIP(hipLaunchByPtr)(&program.scale));
    HIP_OK(HIP(hipMemcpy)(host.data(), out, 16, hipMemcpyDeviceToHost));
    EXPECT_EQ(host, (std::array<int, 4>{7, 9, 11, 13}));
    HIP_OK(HIP(hipFree)(out));
}

TEST_F(Registration, ALaunchWithEventsRecordsThem) {
    const Registered program(plain_bundle());
    hipEvent_t begin = nullptr;
    hipEvent_t end = nullptr;
    float milliseconds = -1;
    HIP_OK(HIP(hipEventCreate)(&begin));
    HIP_OK(HIP(hipEventCreate)(&end));
    HIP_OK(HIP(hipExtLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr, begin, end, 0));
    HIP_OK(HIP(hipEventElapsedTime)(&milliseconds, begin, end));
    EXPECT_GE(milliseconds, 0);
    EXPECT_EQ(HIP(hipExtLaunchKernel)(&program.nothing, dim3(1), dim3(1), nullptr, 0, nullptr,
                                      reinterpret_cast<hipEvent_t>(0x50), nullptr, 0),
              hipErrorInvalidHandle);
    HIP_OK(HIP(hipEventDestroy)(begin));
    HIP_OK(HIP(hipEventDestroy)(end));
}

TEST_F(Registration, HostFunctionsRunInTheirOrder) {
    int value = 1;
    hipStream_t stream = nullptr;
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(HIP(hipLaunchHostFunc)(
        stream, [](void* data) { *static_cast<int*>(data) += 1; }, &value));
    HIP_OK(HIP(hipStreamAddCallback)(
        stream,
        [](hipStream_t, hipError_t status, void* data) { *static_cast<int*>(data) *= status == hipSuccess ? 10 : 0; },
        &value, 0));
    HIP_OK(HIP(hipStreamSynchronize)(stream));
    EXPECT_EQ(value, 20);
    EXPECT_EQ(HIP(hipLaunchHostFunc)(stream, nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamAddCallback)(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
    HIP_OK(HIP(hipStreamDestroy)(stream));
}

} // namespace
