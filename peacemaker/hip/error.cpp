#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

namespace {

struct ErrorText {
    hipError_t code;
    const char* name;
    const char* text;
};

#define PM_ERROR(code, text)                                                                                           \
    { code, #code, text }
constexpr ErrorText kErrors[] = {
    PM_ERROR(hipSuccess, "no error"),
    PM_ERROR(hipErrorInvalidValue, "invalid argument"),
    PM_ERROR(hipErrorOutOfMemory, "out of memory"),
    PM_ERROR(hipErrorNotInitialized, "initialization error"),
    PM_ERROR(hipErrorDeinitialized, "driver shutting down"),
    PM_ERROR(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    PM_ERROR(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    PM_ERROR(hipErrorProfilerAlreadyStarted, "profiler already started"),
    PM_ERROR(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    PM_ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    PM_ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    PM_ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    PM_ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    PM_ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    PM_ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    PM_ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    PM_ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    PM_ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    PM_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    PM_ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    PM_ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    PM_ERROR(hipErrorInvalidContext, "invalid device context"),
    PM_ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    PM_ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    PM_ERROR(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    PM_ERROR(hipErrorArrayIsMapped, "array is mapped"),
    PM_ERROR(hipErrorAlreadyMapped, "resource already mapped"),
    PM_ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    PM_ERROR(hipErrorAlreadyAcquired, "resource already acquired"),
    PM_ERROR(hipErrorNotMapped, "resource not mapped"),
    PM_ERROR(hipErrorNotMappedAsArray, "resource not mapped as array"),
    PM_ERROR(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    PM_ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    PM_ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    PM_ERROR(hipErrorContextAlreadyInUse, "exclusive-thread device already in use by a different thread"),
    PM_ERROR(hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    PM_ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    PM_ERROR(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    PM_ERROR(hipErrorInvalidSource, "device kernel image is invalid"),
    PM_ERROR(hipErrorFileNotFound, "file not found"),
    PM_ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    PM_ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    PM_ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    PM_ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    PM_ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    PM_ERROR(hipErrorNotFound, "named symbol not found"),
    PM_ERROR(hipErrorNotReady, "device not ready"),
    PM_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    PM_ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    PM_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    PM_ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    PM_ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    PM_ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    PM_ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    PM_ERROR(hipErrorAssert, "device-side assert triggered"),
    PM_ERROR(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    PM_ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    PM_ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    PM_ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    PM_ERROR(hipErrorNotSupported, "operation not supported"),
    PM_ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    PM_ERROR(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    PM_ERROR(hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    PM_ERROR(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    PM_ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    PM_ERROR(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    PM_ERROR(hipErrorStreamCaptureImplicit,
             "operation would make the legacy stream depend on a capturing blocking stream"),
    PM_ERROR(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    PM_ERROR(hipErrorStreamCaptureWrongThread,
             "attempt to terminate a thread-local capture sequence from another thread"),
    PM_ERROR(hipErrorGraphExecUpdateFailure, "the graph update was not performed"),
    PM_ERROR(hipErrorUnknown, "unknown error"),
    PM_ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    PM_ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
};
#undef PM_ERROR

const ErrorText& text_of(hipError_t code) {
    const ErrorText* unknown = nullptr;
    for (const ErrorText& entry : kErrors) {
        if (entry.code == code) return entry;
        if (entry.code == hipErrorUnknown) unknown = &entry;
    }
    return *unknown;
}

} // namespace

PM_EXPORT const char* hipGetErrorName(hipError_t hip_error) { return text_of(hip_error).name; }
PM_EXPORT const char* hipGetErrorString(hipError_t hipError) { return text_of(hipError).text; }

PM_EXPORT hipError_t hipGetLastError() {
    const hipError_t error = pm::hip::last_error();
    pm::hip::last_error() = hipSuccess;
    return error;
}

PM_EXPORT hipError_t hipPeekAtLastError() { return pm::hip::last_error(); }
