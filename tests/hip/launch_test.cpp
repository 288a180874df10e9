#include "tests/hip/hip_library.h"

#include <array>
#include <cstring>
#include <numeric>

namespace {

using hip_test::take_report;

// Work-item and workgroup ids come from builtins, so that no HIP header is needed.
const char* const kSource = R"(
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 128)))
void add(const int* a, const int* b, int* out, int n) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
    if (i < n) out[i] = a[i] + b[i];
}
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 128)))
void increment(int* x) {
    x[__builtin_amdgcn_workitem_id_x()] += 1;
}
extern "C" __attribute__((global)) void nothing() {}
)";

const std::string& image_of(const std::string& chip) {
    static std::map<std::string, std::string> images;
    auto& bytes = images[chip];
    if (bytes.empty()) bytes = hip_test::compile(kSource, chip);
    return bytes;
}

constexpr int kCount = 300;

class Launches : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of(GetParam())));
        HIP_OK(HIP(hipModuleLoadData)(&module_, image_of(GetParam()).data()));
        HIP_OK(HIP(hipModuleGetFunction)(&add_, module_, "add"));
        HIP_OK(HIP(hipModuleGetFunction)(&increment_, module_, "increment"));
        HIP_OK(HIP(hipModuleGetFunction)(&nothing_, module_, "nothing"));
        std::vector<int> a(kCount);
        std::vector<int> b(kCount);
        for (int i = 0; i < kCount; ++i) {
            a[static_cast<std::size_t>(i)] = 3 * i;
            b[static_cast<std::size_t>(i)] = 1000 - i;
        }
        upload(a_, a);
        upload(b_, b);
        HIP_OK(HIP(hipMalloc)(&out_, kCount * sizeof(int)));
        (void)take_report();
    }
    void TearDown() override {
        for (void* pointer : {a_, b_, out_}) HIP_OK(HIP(hipFree)(pointer));
        HIP_OK(HIP(hipModuleUnload)(module_));
        HIP_OK(HIP(hipSetDevice)(0));
    }
    static void upload(void*& to, const std::vector<int>& values) {
        HIP_OK(HIP(hipMalloc)(&to, values.size() * sizeof(int)));
        HIP_OK(HIP(hipMemcpy)(to, values.data(), values.size() * sizeof(int), hipMemcpyHostToDevice));
    }
    void expect_sums() {
        std::vector<int> out(kCount);
        HIP_OK(HIP(hipMemcpy)(out.data(), out_, kCount * sizeof(int), hipMemcpyDeviceToHost));
        for (int i = 0; i < kCount; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 1000 + 2 * i) << i;
    }
    static void expect_clean() {
        const auto report = take_report();
        EXPECT_TRUE(report["findings"].empty()) << report.dump(1);
        EXPECT_TRUE(report["unsupported"].empty()) << report.dump(1);
        EXPECT_TRUE(report["refused"].empty()) << report.dump(1);
    }
    static hipError_t launch(hipFunction_t f, unsigned grid, unsigned block, void** params, void** extra,
                             hipStream_t stream = nullptr, unsigned lds = 0) {
        return HIP(hipModuleLaunchKernel)(f, grid, 1, 1, block, 1, 1, lds, stream, params, extra);
    }

    hipModule_t module_ = nullptr;
    hipFunction_t add_ = nullptr;
    hipFunction_t increment_ = nullptr;
    hipFunction_t nothing_ = nullptr;
    void* a_ = nullptr;
    void* b_ = nullptr;
    void* out_ = nullptr;
};

TEST_P(Launches, ByPointersToTheArguments) {
    int n = kCount;
    void* params[] = {&a_, &b_, &out_, &n};
    HIP_OK(launch(add_, 3, 128, params, nullptr));
    HIP_OK(HIP(hipDeviceSynchronize)());
    expect_sums();
    expect_clean();
}

struct Arguments {
    void* a;
    void* b;
    void* out;
    int n;
};

TEST_P(Launches, ByABuffer) {
    Arguments arguments{a_, b_, out_, kCount};
    std::size_t size = sizeof arguments; // with the structure's padding, as programs give it
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    HIP_OK(launch(add_, 3, 128, nullptr, static_cast<void**>(extra)));
    expect_sums();
    expect_clean();
}

TEST_P(Launches, AnArgumentThatTheBufferLacksIsAFinding) {
    Arguments arguments{a_, b_, out_, kCount};
    std::size_t size = offsetof(Arguments, n);
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    (void)launch(add_, 3, 128, nullptr, static_cast<void**>(extra));
    const auto findings = take_report()["findings"];
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0]["kind"], "kernel argument not supplied");
    EXPECT_EQ(findings[0]["kernel"], "add");
}

TEST_P(Launches, ReadingPastABufferIsAFinding) {
    void* small = nullptr;
    HIP_OK(HIP(hipMalloc)(&small, kCount * sizeof(int) - 1));
    HIP_OK(HIP(hipMemset)(small, 0, kCount * sizeof(int) - 1));
    int n = kCount;
    void* params[] = {&a_, &small, &out_, &n};
    (void)launch(add_, 3, 128, params, nullptr);
    const auto findings = take_report()["findings"];
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0]["kind"], "out-of-bounds read");
    EXPECT_EQ(findings[0]["address"], reinterpret_cast<std::uint64_t>(small) + (kCount - 1) * sizeof(int));
    HIP_OK(HIP(hipFree)(small));
}

TEST_P(Launches, WhatAKernelDidNotWriteStaysUndefined) {
    int n = kCount - 1;
    void* params[] = {&a_, &b_, &out_, &n};
    HIP_OK(launch(add_, 3, 128, params, nullptr));
    std::vector<int> out(kCount);
    HIP_OK(HIP(hipMemcpy)(out.data(), out_, (kCount - 1) * sizeof(int), hipMemcpyDeviceToHost));
    expect_clean();
    HIP_OK(HIP(hipMemcpy)(out.data(), out_, kCount * sizeof(int), hipMemcpyDeviceToHost));
    const auto findings = take_report()["findings"];
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0]["kind"], "undefined output");
}

TEST_P(Launches, AGraphKeepsTheArgumentsOfItsCapture) {
    hipStream_t stream = nullptr;
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    HIP_OK(HIP(hipMemset)(out_, 0, kCount * sizeof(int)));
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(HIP(hipStreamBeginCapture)(stream, hipStreamCaptureModeGlobal));
    {
        void* x = out_;
        void* params[] = {&x};
        HIP_OK(launch(increment_, 1, 64, params, nullptr, stream));
        x = nullptr;
    }
    HIP_OK(HIP(hipStreamEndCapture)(stream, &graph));
    HIP_OK(HIP(hipGraphInstantiate)(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 3; ++i) HIP_OK(HIP(hipGraphLaunch)(exec, stream));
    HIP_OK(HIP(hipStreamSynchronize)(stream));
    std::vector<int> out(65);
    HIP_OK(HIP(hipMemcpy)(out.data(), out_, 65 * sizeof(int), hipMemcpyDeviceToHost));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], 3);
    EXPECT_EQ(out[64], 0);
    const auto report = take_report();
    EXPECT_EQ(report["launches"], 3);
    EXPECT_TRUE(report["findings"].empty()) << report.dump(1);
    HIP_OK(HIP(hipGraphExecDestroy)(exec));
    HIP_OK(HIP(hipGraphDestroy)(graph));
    HIP_OK(HIP(hipStreamDestroy)(stream));
}

TEST_P(Launches, AGraphOutlivesItsModule) {
    hipStream_t stream = nullptr;
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    HIP_OK(HIP(hipMemset)(out_, 0, kCount * sizeof(int)));
    HIP_OK(HIP(hipModuleLoadData)(&module, image_of(GetParam()).data()));
    HIP_OK(HIP(hipModuleGetFunction)(&function, module, "increment"));
    HIP_OK(HIP(hipStreamCreate)(&stream));
    HIP_OK(HIP(hipStreamBeginCapture)(stream, hipStreamCaptureModeGlobal));
    void* params[] = {&out_};
    HIP_OK(launch(function, 1, 64, params, nullptr, stream));
    HIP_OK(HIP(hipStreamEndCapture)(stream, &graph));
    HIP_OK(HIP(hipGraphInstantiate)(&exec, graph, nullptr, nullptr, 0));
    HIP_OK(HIP(hipModuleUnload)(module));
    EXPECT_EQ(launch(function, 1, 64, params, nullptr), hipErrorInvalidHandle);
    HIP_OK(HIP(hipGraphLaunch)(exec, stream));
    int first = 0;
    HIP_OK(HIP(hipMemcpy)(&first, out_, sizeof first, hipMemcpyDeviceToHost));
    EXPECT_EQ(first, 1);
    HIP_OK(HIP(hipGraphExecDestroy)(exec));
    HIP_OK(HIP(hipGraphDestroy)(graph));
    HIP_OK(HIP(hipStreamDestroy)(stream));
}

TEST_P(Launches, WithoutArgumentsNeedsNone) {
    HIP_OK(launch(nothing_, 1, 1, nullptr, nullptr));
    EXPECT_EQ(take_report()["launches"], 1);
}

TEST_P(Launches, BadGeometryIsRefusedWithItsReason) {
    void* params[] = {&out_};
    EXPECT_EQ(launch(increment_, 0, 64, params, nullptr), hipErrorInvalidConfiguration);
    EXPECT_EQ(launch(increment_, 1, 0, params, nullptr), hipErrorInvalidConfiguration);
    EXPECT_TRUE(take_report()["refused"].empty());
    EXPECT_EQ(launch(increment_, 1, 129, params, nullptr), hipErrorInvalidConfiguration);
    const auto block = take_report()["refused"];
    ASSERT_EQ(block.size(), 1U);
    EXPECT_NE(block[0].get<std::string>().find("increment"), std::string::npos) << block[0];
    EXPECT_NE(block[0].get<std::string>().find("128"), std::string::npos) << block[0];
    EXPECT_EQ(launch(increment_, 1, 64, params, nullptr, nullptr, 1U << 20U), hipErrorInvalidConfiguration);
    const auto lds = take_report()["refused"];
    ASSERT_EQ(lds.size(), 1U);
    EXPECT_NE(lds[0].get<std::string>().find("65536"), std::string::npos) << lds[0];
}

TEST_P(Launches, BadArgumentsAreErrors) {
    void* params[] = {&out_};
    void* null_params[] = {nullptr};
    std::size_t size = 8;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &out_, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    void* no_size[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &out_, HIP_LAUNCH_PARAM_END};
    void* odd[] = {&size, &out_, HIP_LAUNCH_PARAM_END};
    int local = 0;
    EXPECT_EQ(launch(increment_, 1, 64, nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(launch(increment_, 1, 64, null_params, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(launch(increment_, 1, 64, params, static_cast<void**>(extra)), hipErrorInvalidValue);
    EXPECT_EQ(launch(increment_, 1, 64, nullptr, static_cast<void**>(no_size)), hipErrorInvalidValue);
    EXPECT_EQ(launch(increment_, 1, 64, nullptr, static_cast<void**>(odd)), hipErrorInvalidValue);
    EXPECT_EQ(launch(nullptr, 1, 64, params, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(launch(reinterpret_cast<hipFunction_t>(&local), 1, 64, params, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(launch(increment_, 1, 64, params, nullptr, reinterpret_cast<hipStream_t>(&local)), hipErrorInvalidHandle);
}

TEST_P(Launches, AFunctionRunsOnItsOwnDeviceOnly) {
    int count = 0;
    int here = 0;
    HIP_OK(HIP(hipGetDeviceCount)(&count));
    HIP_OK(HIP(hipGetDevice)(&here));
    HIP_OK(HIP(hipSetDevice)((here + 1) % count));
    void* params[] = {&out_};
    EXPECT_EQ(launch(increment_, 1, 64, params, nullptr), hipErrorInvalidDevice);
    HIP_OK(HIP(hipSetDevice)(here));
}

INSTANTIATE_TEST_SUITE_P(Chips, Launches, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

} // namespace
