#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

#include <algorithm>
#include <utility>

namespace pm::hip {
namespace {

hipError_t create(hipStream_t* stream, unsigned int flags) {
    return api([&](Runtime& runtime) {
        if (stream == nullptr || (flags & ~unsigned{hipStreamNonBlocking}) != 0) return hipErrorInvalidValue;
        if (runtime.current_device() == nullptr) return hipErrorNoDevice;
        *stream = runtime.streams.add({current_ordinal(), flags, nullptr, {}});
        return hipSuccess;
    });
}

/// Waiting for a capturing stream is a mistake that ends its capture, as HIP has it.
hipError_t wait(hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        if (is_default_stream(stream))
            return runtime.capture_in_the_way() != nullptr ? hipErrorStreamCaptureUnsupported : hipSuccess;
        const std::shared_ptr<Capture>& capture = runtime.streams.find(stream)->capture;
        if (capture == nullptr) return hipSuccess;
        capture->invalidated = true;
        return hipErrorStreamCaptureUnsupported;
    });
}

/// Takes every stream out of a capture that ends.
void leave(Runtime& runtime, const std::shared_ptr<Capture>& capture) {
    runtime.streams.for_each([&](Stream& stream) {
        if (stream.capture != capture) return;
        stream.capture = nullptr;
        stream.seen.clear();
    });
    capture->ended = true;
    std::erase_if(runtime.captures, [&](const auto& entry) { return entry.lock() == capture; });
}

hipError_t end_capture(Runtime& runtime, hipStream_t handle, hipGraph_t* graph) {
    Stream* stream = runtime.streams.find(handle);
    if (stream == nullptr) return hipErrorInvalidHandle;
    const std::shared_ptr<Capture> capture = stream->capture;
    if (capture == nullptr) return hipErrorIllegalState;
    if (capture->origin != handle) return hipErrorStreamCaptureUnmatched;
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return hipErrorStreamCaptureWrongThread;
    const bool unjoined = std::any_of(capture->issued.begin(), capture->issued.end(), [&](const auto& entry) {
        return entry.first != handle && stream->seen[entry.first] < entry.second;
    });
    leave(runtime, capture);
    if (capture->invalidated) return hipErrorStreamCaptureInvalidated;
    if (unjoined) return hipErrorStreamCaptureUnjoined;
    *graph = runtime.graphs.add({std::move(capture->work)});
    return hipSuccess;
}

/// On a capturing stream, an event of its capture is an edge of the graph; it pulls another stream into the capture.
hipError_t wait_event(Runtime& runtime, hipStream_t handle, hipEvent_t event) {
    const Event* found = runtime.events.find(event);
    if (found == nullptr || !runtime.valid(handle)) return hipErrorInvalidHandle;
    Stream* stream = is_default_stream(handle) ? nullptr : runtime.streams.find(handle);
    const std::shared_ptr<Capture> capture = stream != nullptr ? stream->capture : nullptr;
    if (found->captured == nullptr)
        return capture != nullptr && found->recorded ? hipErrorStreamCaptureIsolation : hipSuccess;
    if (found->captured->ended) return hipErrorCapturedEvent;
    if (stream == nullptr) return hipErrorStreamCaptureImplicit;
    if (capture != nullptr && capture != found->captured) return hipErrorStreamCaptureMerge;
    stream->capture = found->captured;
    for (const auto& [other, count] : found->seen) stream->seen[other] = std::max(stream->seen[other], count);
    return hipSuccess;
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipStreamCreate(hipStream_t* stream) { return pm::hip::create(stream, hipStreamDefault); }
PM_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
    return pm::hip::create(stream, flags);
}
PM_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int /*priority*/) {
    return pm::hip::create(stream, flags);
}

PM_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
    return api([&](Runtime& runtime) {
        pm::hip::Stream* found = runtime.streams.find(stream);
        if (found == nullptr) return hipErrorInvalidHandle;
        // A capture without one of its streams cannot end well.
        if (found->capture != nullptr) found->capture->invalidated = true;
        if (found->capture != nullptr && found->capture->origin == stream) pm::hip::leave(runtime, found->capture);
        runtime.streams.remove(stream);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) { return pm::hip::wait(stream); }
PM_EXPORT hipError_t hipStreamQuery(hipStream_t stream) { return pm::hip::wait(stream); }

PM_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
    return api([&](Runtime& runtime) {
        return flags != 0 ? hipErrorInvalidValue : pm::hip::wait_event(runtime, stream, event);
    });
}

PM_EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    return api([&](Runtime& runtime) {
        if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
        if (pm::hip::is_default_stream(stream)) return hipErrorStreamCaptureUnsupported;
        pm::hip::Stream* found = runtime.streams.find(stream);
        if (found == nullptr) return hipErrorInvalidHandle;
        if (found->capture != nullptr) return hipErrorIllegalState;
        found->capture = std::make_shared<pm::hip::Capture>();
        found->capture->origin = stream;
        found->capture->mode = mode;
        found->capture->thread = std::this_thread::get_id();
        found->capture->number = ++runtime.captures_begun;
        runtime.captures.push_back(found->capture);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph) {
    return api([&](Runtime& runtime) {
        if (pGraph == nullptr) return hipErrorInvalidValue;
        *pGraph = nullptr;
        return pm::hip::end_capture(runtime, stream, pGraph);
    });
}

PM_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
    return api([&](Runtime& runtime) {
        if (pCaptureStatus == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        *pCaptureStatus = hipStreamCaptureStatusNone;
        if (pm::hip::is_default_stream(stream)) return hipSuccess;
        const auto& capture = runtime.streams.find(stream)->capture;
        if (capture != nullptr)
            *pCaptureStatus = capture->invalidated ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                             unsigned long long* pId) {
    const hipError_t error = hipStreamIsCapturing(stream, pCaptureStatus);
    if (error != hipSuccess || pId == nullptr || *pCaptureStatus != hipStreamCaptureStatusActive) return error;
    return api([&](Runtime& runtime) {
        const pm::hip::Stream* found = runtime.streams.find(stream);
        if (found == nullptr || found->capture == nullptr) return hipErrorInvalidHandle;
        *pId = found->capture->number;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
    return api([&](Runtime&) {
        if (mode == nullptr || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
            return hipErrorInvalidValue;
        std::swap(*mode, pm::hip::thread_capture_mode());
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
    return api([&](Runtime& runtime) {
        if (flags == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        *flags = pm::hip::is_default_stream(stream) ? unsigned{hipStreamDefault} : runtime.streams.find(stream)->flags;
        return hipSuccess;
    });
}

// One priority, as hipDeviceGetStreamPriorityRange says.
PM_EXPORT hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
    return api([&](Runtime& runtime) {
        if (priority == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        *priority = 0;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
    return api([&](Runtime& runtime) {
        if (device == nullptr) return hipErrorInvalidValue;
        if (!runtime.valid(stream)) return hipErrorInvalidHandle;
        *device = runtime.device_of(stream);
        return hipSuccess;
    });
}

PM_EXPORT int hipGetStreamDeviceId(hipStream_t stream) {
    hipDevice_t device = -1;
    return hipStreamGetDevice(stream, &device) == hipSuccess ? device : -1;
}
