#include "peacemaker/hip/event.h"

#include "peacemaker/hip/export.h"

namespace pm::hip {
namespace {

constexpr unsigned kEventFlags = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                                 hipEventReleaseToDevice | hipEventReleaseToSystem;

hipError_t create(hipEvent_t* event, unsigned flags) {
    return api([&](Runtime& runtime) {
        if (event == nullptr || (flags & ~kEventFlags) != 0) return hipErrorInvalidValue;
        if (runtime.current_device() == nullptr) return hipErrorNoDevice;
        Event fresh;
        fresh.flags = flags;
        *event = runtime.events.add(std::move(fresh));
        return hipSuccess;
    });
}

/// All work before an event has run when it is recorded, so that it is always complete.
hipError_t wait(hipEvent_t event) {
    return api([&](Runtime& runtime) {
        const Event* found = runtime.events.find(event);
        if (found == nullptr) return hipErrorInvalidHandle;
        return found->captured != nullptr ? hipErrorCapturedEvent : hipSuccess;
    });
}

} // namespace

hipError_t record(Runtime& runtime, hipEvent_t event_handle, hipStream_t handle) {
    Event* found = runtime.events.find(event_handle);
    if (found == nullptr || !runtime.valid(handle)) return hipErrorInvalidHandle;
    Event& event = *found;
    const Stream* stream = is_default_stream(handle) ? nullptr : runtime.streams.find(handle);
    event.captured = stream != nullptr ? stream->capture : nullptr;
    event.seen.clear();
    event.recorded = true;
    event.when = std::chrono::steady_clock::now();
    if (stream == nullptr || event.captured == nullptr) return hipSuccess;
    event.seen = stream->seen;
    event.seen[handle] = event.captured->issued[handle];
    return hipSuccess;
}

} // namespace pm::hip

using pm::hip::api;
using pm::hip::Event;
using pm::hip::Runtime;

PM_EXPORT hipError_t hipEventCreate(hipEvent_t* event) { return pm::hip::create(event, hipEventDefault); }
PM_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
    return pm::hip::create(event, flags);
}

PM_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return api([&](Runtime& runtime) { return pm::hip::record(runtime, event, stream); });
}

PM_EXPORT hipError_t hipEventSynchronize(hipEvent_t event) { return pm::hip::wait(event); }
PM_EXPORT hipError_t hipEventQuery(hipEvent_t event) { return pm::hip::wait(event); }

PM_EXPORT hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
    return api([&](Runtime& runtime) {
        if (ms == nullptr) return hipErrorInvalidValue;
        const Event* from = runtime.events.find(start);
        const Event* to = runtime.events.find(stop);
        if (from == nullptr || to == nullptr || !from->recorded || !to->recorded) return hipErrorInvalidHandle;
        if (((from->flags | to->flags) & hipEventDisableTiming) != 0) return hipErrorInvalidHandle;
        if (from->captured != nullptr || to->captured != nullptr) return hipErrorCapturedEvent;
        *ms = std::chrono::duration<float, std::milli>(to->when - from->when).count();
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
    return api([&](Runtime& runtime) { return runtime.events.remove(event) ? hipSuccess : hipErrorInvalidHandle; });
}

PM_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    // 1 is hipEventRecordExternal, for graphs alone.
    if (flags > 1) return api([](Runtime&) { return hipErrorInvalidValue; });
    return hipEventRecord(event, stream);
}
