#include "tests/hip/hip_library.h"

#include <thread>

namespace {

// Later than HIP's header at hand.
auto* graph_upload() { return HIP_AS(hipGraphUpload, hipGraphExec_t, hipStream_t); }

class Graphs : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipStreamCreate)(&stream_));
        HIP_OK(HIP(hipStreamCreate)(&other_));
        HIP_OK(HIP(hipEventCreate)(&fork_));
        HIP_OK(HIP(hipEventCreate)(&join_));
        HIP_OK(HIP(hipMalloc)(&buffer_, 4));
        HIP_OK(HIP(hipMemset)(buffer_, 0, 4));
    }
    void TearDown() override {
        HIP_OK(HIP(hipStreamDestroy)(stream_));
        HIP_OK(HIP(hipStreamDestroy)(other_));
        HIP_OK(HIP(hipEventDestroy)(fork_));
        HIP_OK(HIP(hipEventDestroy)(join_));
        HIP_OK(HIP(hipFree)(buffer_));
    }
    void begin(hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
        HIP_OK(HIP(hipStreamBeginCapture)(stream_, mode));
    }
    hipError_t end() { return HIP(hipStreamEndCapture)(stream_, &graph_); }
    std::uint32_t value() {
        std::uint32_t host = 0;
        EXPECT_EQ(HIP(hipMemcpy)(&host, buffer_, 4, hipMemcpyDeviceToHost), hipSuccess);
        return host;
    }
    hipStreamCaptureStatus status(hipStream_t stream) {
        hipStreamCaptureStatus answer = hipStreamCaptureStatusNone;
        EXPECT_EQ(HIP(hipStreamIsCapturing)(stream, &answer), hipSuccess);
        return answer;
    }
    void set(int to, hipStream_t stream) { HIP_OK(HIP(hipMemsetD32Async)(buffer_, to, 1, stream)); }

    hipStream_t stream_ = nullptr;
    hipStream_t other_ = nullptr;
    hipEvent_t fork_ = nullptr;
    hipEvent_t join_ = nullptr;
    void* buffer_ = nullptr;
    hipGraph_t graph_ = nullptr;
    hipGraphExec_t exec_ = nullptr;
};

TEST_F(Graphs, CapturedWorkRunsAtEachLaunchOnly) {
    std::uint32_t source = 7;
    begin();
    EXPECT_EQ(status(stream_), hipStreamCaptureStatusActive);
    HIP_OK(HIP(hipMemcpyAsync)(buffer_, &source, 4, hipMemcpyHostToDevice, stream_));
    HIP_OK(end());
    EXPECT_EQ(status(stream_), hipStreamCaptureStatusNone);
    EXPECT_EQ(value(), 0U);
    HIP_OK(HIP(hipGraphInstantiate)(&exec_, graph_, nullptr, nullptr, 0));
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    EXPECT_EQ(value(), 0U);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        source = 100 + i; // a copy node reads its source when it runs
        HIP_OK(HIP(hipGraphLaunch)(exec_, stream_));
        HIP_OK(HIP(hipStreamSynchronize)(stream_));
        EXPECT_EQ(value(), 100 + i);
    }
    HIP_OK(HIP(hipGraphExecDestroy)(exec_));
    EXPECT_EQ(HIP(hipGraphLaunch)(exec_, stream_), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipGraphExecDestroy)(exec_), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipGraphDestroy)(graph_), hipErrorInvalidHandle);
}

TEST_F(Graphs, NodesRunInTheOrderOfTheirCapture) {
    begin();
    set(1, stream_);
    set(2, stream_);
    HIP_OK(end());
    HIP_OK(HIP(hipGraphInstantiate)(&exec_, graph_, nullptr, nullptr, 0));
    HIP_OK(HIP(hipGraphLaunch)(exec_, nullptr));
    EXPECT_EQ(value(), 2U);
}

TEST_F(Graphs, ALaunchCanBeCaptured) {
    begin();
    set(5, stream_);
    HIP_OK(end());
    hipGraphExec_t inner = nullptr;
    HIP_OK(HIP(hipGraphInstantiate)(&inner, graph_, nullptr, nullptr, 0));
    begin();
    HIP_OK(HIP(hipGraphLaunch)(inner, stream_));
    HIP_OK(end());
    HIP_OK(HIP(hipGraphExecDestroy)(inner));
    HIP_OK(HIP(hipGraphInstantiate)(&exec_, graph_, nullptr, nullptr, 0));
    EXPECT_EQ(value(), 0U);
    HIP_OK(HIP(hipGraphLaunch)(exec_, stream_));
    EXPECT_EQ(value(), 5U);
}

TEST_F(Graphs, EventsPullAnotherStreamInAndJoinIt) {
    begin();
    set(1, stream_);
    HIP_OK(HIP(hipEventRecord)(fork_, stream_));
    HIP_OK(HIP(hipStreamWaitEvent)(other_, fork_, 0));
    EXPECT_EQ(status(other_), hipStreamCaptureStatusActive);
    set(2, other_);
    HIP_OK(HIP(hipEventRecord)(join_, other_));
    EXPECT_EQ(HIP(hipStreamEndCapture)(other_, &graph_), hipErrorStreamCaptureUnmatched);
    HIP_OK(HIP(hipStreamWaitEvent)(stream_, join_, 0));
    HIP_OK(end());
    EXPECT_EQ(status(other_), hipStreamCaptureStatusNone);
    HIP_OK(HIP(hipGraphInstantiate)(&exec_, graph_, nullptr, nullptr, 0));
    HIP_OK(HIP(hipGraphLaunch)(exec_, stream_));
    EXPECT_EQ(value(), 2U);
    EXPECT_EQ(HIP(hipEventSynchronize)(join_), hipErrorCapturedEvent);
    EXPECT_EQ(HIP(hipStreamWaitEvent)(other_, join_, 0), hipErrorCapturedEvent);
}

TEST_F(Graphs, AForkThatIsNotJoinedIsAnError) {
    begin();
    HIP_OK(HIP(hipEventRecord)(fork_, stream_));
    HIP_OK(HIP(hipStreamWaitEvent)(other_, fork_, 0));
    set(2, other_);
    HIP_OK(HIP(hipEventRecord)(join_, other_));
    set(3, other_); // after the event that the origin waits for
    HIP_OK(HIP(hipStreamWaitEvent)(stream_, join_, 0));
    EXPECT_EQ(end(), hipErrorStreamCaptureUnjoined);
    EXPECT_EQ(graph_, nullptr);
    EXPECT_EQ(status(stream_), hipStreamCaptureStatusNone);
}

TEST_F(Graphs, WaitingInACaptureEndsIt) {
    begin();
    EXPECT_EQ(HIP(hipStreamSynchronize)(stream_), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(status(stream_), hipStreamCaptureStatusInvalidated);
    EXPECT_EQ(HIP(hipMemsetAsync)(buffer_, 1, 4, stream_), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(), hipErrorStreamCaptureInvalidated);
    set(9, stream_);
    EXPECT_EQ(value(), 9U);
}

TEST_F(Graphs, SynchronousCallsAreForbiddenWhileCapturingUnlessRelaxed) {
    std::uint32_t host = 0;
    void* pointer = nullptr;
    begin();
    EXPECT_EQ(HIP(hipMemcpy)(&host, buffer_, 4, hipMemcpyDeviceToHost), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(HIP(hipMemset)(buffer_, 0, 4), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(HIP(hipMalloc)(&pointer, 4), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(HIP(hipDeviceSynchronize)(), hipErrorStreamCaptureUnsupported);
    hipError_t elsewhere = hipSuccess;
    std::thread([&] { elsewhere = HIP(hipDeviceSynchronize)(); }).join();
    EXPECT_EQ(elsewhere, hipErrorStreamCaptureUnsupported);
    HIP_OK(end());
    begin(hipStreamCaptureModeThreadLocal);
    EXPECT_EQ(HIP(hipDeviceSynchronize)(), hipErrorStreamCaptureUnsupported);
    std::thread([&] { elsewhere = HIP(hipDeviceSynchronize)(); }).join();
    EXPECT_EQ(elsewhere, hipSuccess);
    HIP_OK(end());
    begin(hipStreamCaptureModeRelaxed);
    HIP_OK(HIP(hipMemcpy)(&host, buffer_, 4, hipMemcpyDeviceToHost));
    std::thread([&] { elsewhere = end(); }).join();
    EXPECT_EQ(elsewhere, hipSuccess);
}

TEST_F(Graphs, AnotherThreadMayNotEndACapture) {
    begin();
    hipError_t elsewhere = hipSuccess;
    std::thread([&] { elsewhere = end(); }).join();
    EXPECT_EQ(elsewhere, hipErrorStreamCaptureWrongThread);
    HIP_OK(end());
}

TEST_F(Graphs, BadArgumentsAreErrors) {
    EXPECT_EQ(HIP(hipStreamBeginCapture)(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(HIP(hipStreamBeginCapture)(stream_, static_cast<hipStreamCaptureMode>(3)), hipErrorInvalidValue);
    EXPECT_EQ(end(), hipErrorIllegalState);
    EXPECT_EQ(HIP(hipStreamEndCapture)(stream_, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipStreamEndCapture)(nullptr, &graph_), hipErrorInvalidHandle);
    begin();
    EXPECT_EQ(HIP(hipStreamBeginCapture)(stream_, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    HIP_OK(end());
    EXPECT_EQ(HIP(hipGraphInstantiate)(nullptr, graph_, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipGraphInstantiate)(&exec_, nullptr, nullptr, nullptr, 0), hipErrorInvalidHandle);
    HIP_OK(HIP(hipGraphInstantiate)(&exec_, graph_, nullptr, nullptr, 0));
    int local = 0;
    EXPECT_EQ(HIP(hipGraphLaunch)(exec_, reinterpret_cast<hipStream_t>(&local)), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipGraphLaunch)(nullptr, stream_), hipErrorInvalidHandle);
}

TEST_F(Graphs, AnExecutableGraphTakesTheWorkOfAnotherOfItsShape) {
    begin();
    set(1, stream_);
    HIP_OK(end());
    HIP_OK(HIP(hipGraphInstantiateWithFlags)(&exec_, graph_, 0));
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    begin();
    set(2, stream_);
    HIP_OK(end());
    hipGraphNode_t node = nullptr;
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    HIP_OK(HIP(hipGraphExecUpdate)(exec_, graph_, &node, &result));
    EXPECT_EQ(result, hipGraphExecUpdateSuccess);
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    HIP_OK(graph_upload()(exec_, stream_));
    HIP_OK(HIP(hipGraphLaunch)(exec_, stream_));
    EXPECT_EQ(value(), 2U);
    // One node more, then one of another kind: the executable stays what it is.
    begin();
    set(3, stream_);
    set(4, stream_);
    HIP_OK(end());
    EXPECT_EQ(HIP(hipGraphExecUpdate)(exec_, graph_, &node, &result), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    const std::uint32_t five = 5;
    begin();
    HIP_OK(HIP(hipMemcpyAsync)(buffer_, &five, 4, hipMemcpyHostToDevice, stream_));
    HIP_OK(end());
    EXPECT_EQ(HIP(hipGraphExecUpdate)(exec_, graph_, nullptr, &result), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    HIP_OK(HIP(hipMemset)(buffer_, 0, 4));
    HIP_OK(HIP(hipGraphLaunch)(exec_, stream_));
    EXPECT_EQ(value(), 2U);
    EXPECT_EQ(HIP(hipGraphExecUpdate)(exec_, graph_, &node, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipGraphExecUpdate)(nullptr, graph_, &node, &result), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipGraphExecUpdate)(exec_, nullptr, &node, &result), hipErrorInvalidHandle);
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    HIP_OK(HIP(hipGraphExecDestroy)(exec_));
    EXPECT_EQ(graph_upload()(exec_, stream_), hipErrorInvalidHandle);
}

TEST_F(Graphs, AThreadMaySynchroniseBesideACaptureWhereItSaysSo) {
    begin();
    EXPECT_EQ(HIP(hipDeviceSynchronize)(), hipErrorStreamCaptureUnsupported);
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    HIP_OK(HIP(hipThreadExchangeStreamCaptureMode)(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
    HIP_OK(HIP(hipDeviceSynchronize)());
    HIP_OK(HIP(hipThreadExchangeStreamCaptureMode)(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeRelaxed);
    std::thread([] {
        EXPECT_EQ(HIP(hipDeviceSynchronize)(), hipErrorStreamCaptureUnsupported);
        hipStreamCaptureMode local = hipStreamCaptureModeThreadLocal;
        HIP_OK(HIP(hipThreadExchangeStreamCaptureMode)(&local));
        HIP_OK(HIP(hipDeviceSynchronize)());
    }).join();
    HIP_OK(end());
    HIP_OK(HIP(hipGraphDestroy)(graph_));
    mode = static_cast<hipStreamCaptureMode>(hipStreamCaptureModeRelaxed + 1);
    EXPECT_EQ(HIP(hipThreadExchangeStreamCaptureMode)(&mode), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipThreadExchangeStreamCaptureMode)(nullptr), hipErrorInvalidValue);
}

TEST_F(Graphs, ACaptureHasANumber) {
    unsigned long long first = 0;
    unsigned long long second = 0;
    hipStreamCaptureStatus answer = hipStreamCaptureStatusActive;
    HIP_OK(HIP(hipStreamGetCaptureInfo)(stream_, &answer, &first));
    EXPECT_EQ(answer, hipStreamCaptureStatusNone);
    EXPECT_EQ(first, 0U);
    for (unsigned long long* number : {&first, &second}) {
        begin();
        HIP_OK(HIP(hipStreamGetCaptureInfo)(stream_, &answer, number));
        EXPECT_EQ(answer, hipStreamCaptureStatusActive);
        HIP_OK(end());
        HIP_OK(HIP(hipGraphDestroy)(graph_));
    }
    EXPECT_NE(first, 0U);
    EXPECT_NE(first, second);
    EXPECT_EQ(HIP(hipStreamGetCaptureInfo)(stream_, nullptr, &first), hipErrorInvalidValue);
}

} // namespace
