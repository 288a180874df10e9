// The functions that a program built with -fgpu-default-stream=per-thread calls in place of others. Work is done when
// it is enqueued, so that a thread's default stream and the device's are alike.
#include "peacemaker/hip/export.h"

#include <hip/hip_runtime_api.h>

PM_EXPORT hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) { return hipEventRecord(event, stream); }
PM_EXPORT hipError_t hipGraphLaunch_spt(hipGraphExec_t graphExec, hipStream_t stream) {
    return hipGraphLaunch(graphExec, stream);
}
PM_EXPORT hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 gridDim, dim3 blockDimX, void** kernelParams,
                                                    unsigned int sharedMemBytes, hipStream_t stream) {
    return hipLaunchCooperativeKernel(f, gridDim, blockDimX, kernelParams, sharedMemBytes, stream);
}
PM_EXPORT hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t fn, void* userData) {
    return hipLaunchHostFunc(stream, fn, userData);
}
PM_EXPORT hipError_t hipLaunchKernel_spt(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                                         size_t sharedMemBytes, hipStream_t stream) {
    return hipLaunchKernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream);
}
PM_EXPORT hipError_t hipMemcpy_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
    return hipMemcpy(dst, src, sizeBytes, kind);
}
PM_EXPORT hipError_t hipMemcpy2D_spt(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                     size_t height, hipMemcpyKind kind) {
    return hipMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}
PM_EXPORT hipError_t hipMemcpy2DAsync_spt(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                          size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream);
}
PM_EXPORT hipError_t hipMemcpyAsync_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                                        hipStream_t stream) {
    return hipMemcpyAsync(dst, src, sizeBytes, kind, stream);
}
PM_EXPORT hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                             hipMemcpyKind kind) {
    return hipMemcpyFromSymbol(dst, symbol, sizeBytes, offset, kind);
}
PM_EXPORT hipError_t hipMemcpyFromSymbolAsync_spt(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                                  hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpyFromSymbolAsync(dst, symbol, sizeBytes, offset, kind, stream);
}
PM_EXPORT hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                           hipMemcpyKind kind) {
    return hipMemcpyToSymbol(symbol, src, sizeBytes, offset, kind);
}
PM_EXPORT hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                                hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpyToSymbolAsync(symbol, src, sizeBytes, offset, kind, stream);
}
PM_EXPORT hipError_t hipMemset_spt(void* dst, int value, size_t sizeBytes) { return hipMemset(dst, value, sizeBytes); }
PM_EXPORT hipError_t hipMemset2D_spt(void* dst, size_t pitch, int value, size_t width, size_t height) {
    return hipMemset2D(dst, pitch, value, width, height);
}
PM_EXPORT hipError_t hipMemset2DAsync_spt(void* dst, size_t pitch, int value, size_t width, size_t height,
                                          hipStream_t stream) {
    return hipMemset2DAsync(dst, pitch, value, width, height, stream);
}
PM_EXPORT hipError_t hipMemsetAsync_spt(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
    return hipMemsetAsync(dst, value, sizeBytes, stream);
}
PM_EXPORT hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void* userData,
                                              unsigned int flags) {
    return hipStreamAddCallback(stream, callback, userData, flags);
}
PM_EXPORT hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
    return hipStreamBeginCapture(stream, mode);
}
PM_EXPORT hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t* pGraph) {
    return hipStreamEndCapture(stream, pGraph);
}
PM_EXPORT hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int* flags) {
    return hipStreamGetFlags(stream, flags);
}
PM_EXPORT hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
    return hipStreamGetPriority(stream, priority);
}
PM_EXPORT hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
    return hipStreamIsCapturing(stream, pCaptureStatus);
}
PM_EXPORT hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(stream); }
PM_EXPORT hipError_t hipStreamSynchronize_spt(hipStream_t stream) { return hipStreamSynchronize(stream); }
PM_EXPORT hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags) {
    return hipStreamWaitEvent(stream, event, flags);
}
