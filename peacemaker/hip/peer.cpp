#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

using pm::hip::api;
using pm::hip::Runtime;

namespace {

/// Devices that do not see each other's memory, and processes that do not see each other's devices.
hipError_t not_supported() {
    return api([](Runtime&) { return hipErrorNotSupported; });
}

} // namespace

// The question has an answer, and it is no; hipMemcpyPeer works all the same, through the host.
PM_EXPORT hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId) {
    return api([&](Runtime& runtime) {
        if (canAccessPeer == nullptr) return hipErrorInvalidValue;
        if (runtime.device(deviceId) == nullptr || runtime.device(peerDeviceId) == nullptr)
            return hipErrorInvalidDevice;
        *canAccessPeer = 0;
        return hipSuccess;
    });
}
PM_EXPORT hipError_t hipDeviceEnablePeerAccess(int /*peerDeviceId*/, unsigned int /*flags*/) { return not_supported(); }
PM_EXPORT hipError_t hipDeviceDisablePeerAccess(int /*peerDeviceId*/) { return not_supported(); }
PM_EXPORT hipError_t hipDeviceGetP2PAttribute(int* /*value*/, hipDeviceP2PAttr /*attr*/, int /*srcDevice*/,
                                              int /*dstDevice*/) {
    return not_supported();
}

PM_EXPORT hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* /*handle*/, void* /*devPtr*/) { return not_supported(); }
PM_EXPORT hipError_t hipIpcOpenMemHandle(void** /*devPtr*/, hipIpcMemHandle_t /*handle*/, unsigned int /*flags*/) {
    return not_supported();
}
PM_EXPORT hipError_t hipIpcCloseMemHandle(void* /*devPtr*/) { return not_supported(); }
PM_EXPORT hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* /*handle*/, hipEvent_t /*event*/) {
    return not_supported();
}
PM_EXPORT hipError_t hipIpcOpenEventHandle(hipEvent_t* /*event*/, hipIpcEventHandle_t /*handle*/) {
    return not_supported();
}
