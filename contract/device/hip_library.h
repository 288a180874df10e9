// The HIP C API as a table of function pointers, filled from whichever library offers it: a card's libamdhip64, or the
// embedded device.
//
//   auto library = open_hip_library(path);
//   auto devices = list_devices(**library);
//
// This folder holds the only HIP calls of the project. Nothing links a HIP library; types come from the HIP API's
// headers.
#pragma once

#include "contract/device/device_report.h"
#include "peacemaker/support/result.h"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hkc {

/// Every HIP function the gates call: name, then result and parameters as HIP declares them.
#define HKC_HIP_FUNCTIONS(X)                                                                                           \
    X(hipGetDeviceCount, hipError_t(int*))                                                                             \
    X(hipGetDeviceProperties, hipError_t(hipDeviceProp_t*, int))                                                       \
    X(hipSetDevice, hipError_t(int))                                                                                   \
    X(hipDeviceSynchronize, hipError_t())                                                                              \
    X(hipGetErrorName, const char*(hipError_t))                                                                        \
    X(hipGetErrorString, const char*(hipError_t))                                                                      \
    X(hipMalloc, hipError_t(void**, std::size_t))                                                                      \
    X(hipFree, hipError_t(void*))                                                                                      \
    X(hipMemcpy, hipError_t(void*, const void*, std::size_t, hipMemcpyKind))                                           \
    X(hipModuleLoadData, hipError_t(hipModule_t*, const void*))                                                        \
    X(hipModuleUnload, hipError_t(hipModule_t))                                                                        \
    X(hipModuleGetFunction, hipError_t(hipFunction_t*, hipModule_t, const char*))                                      \
    X(hipModuleGetGlobal, hipError_t(hipDeviceptr_t*, std::size_t*, hipModule_t, const char*))                         \
    X(hipFuncGetAttribute, hipError_t(int*, hipFunction_attribute, hipFunction_t))                                     \
    X(hipModuleLaunchKernel, hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                                        unsigned, hipStream_t, void**, void**))                                        \
    X(hipStreamCreate, hipError_t(hipStream_t*))                                                                       \
    X(hipStreamDestroy, hipError_t(hipStream_t))                                                                       \
    X(hipStreamSynchronize, hipError_t(hipStream_t))                                                                   \
    X(hipStreamBeginCapture, hipError_t(hipStream_t, hipStreamCaptureMode))                                            \
    X(hipStreamEndCapture, hipError_t(hipStream_t, hipGraph_t*))                                                       \
    X(hipGraphInstantiate, hipError_t(hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, std::size_t))               \
    X(hipGraphLaunch, hipError_t(hipGraphExec_t, hipStream_t))                                                         \
    X(hipGraphExecDestroy, hipError_t(hipGraphExec_t))                                                                 \
    X(hipGraphDestroy, hipError_t(hipGraph_t))

template <typename Signature>
using FunctionPointer = Signature*;

/// The functions by their HIP names; each is set in an open library.
struct HipApi {
#define HKC_MEMBER(name, ...) FunctionPointer<__VA_ARGS__> name = nullptr;
    HKC_HIP_FUNCTIONS(HKC_MEMBER)
#undef HKC_MEMBER
};

/// One open HIP library.
struct HipLibrary {
    std::string path; // as it was opened
    HipApi api;
    /// The extension of the embedded device, `size_t pmTakeReport(char* buffer, size_t size)`; null on a card.
    std::size_t (*take_report)(char*, std::size_t) = nullptr;

    /// Likewise `int pmSetReadOnly(const void* address, int read_only)`: 0 where it was done.
    int (*set_read_only)(const void*, int) = nullptr;

    bool embedded() const { return take_report != nullptr; }
};

/// Opens the first of `candidates` (file names or paths, as dlopen takes them) that is there, and resolves every
/// function. The library stays loaded to the end of the process: HIP runtimes do not survive being closed. Error: each
/// candidate with the loader's reason, or the functions that a library lacks.
pm::Result<std::shared_ptr<const HipLibrary>> open_hip_library(const std::vector<std::string>& candidates);

/// `hipFoo: hipErrorBar (text)`, for messages.
std::string hip_error_text(const HipApi& api, const std::string& call, hipError_t error);

/// One device of a HIP library.
struct DeviceInfo {
    std::string chip; // gfx1151: gcnArchName up to the first colon
    int ordinal = 0;  // what hipSetDevice takes
    std::string name; // marketing name, for people
};

/// The chip that a gcnArchName means: the text up to the first colon.
std::string chip_of_arch_name(const std::string& arch_name);

/// The devices of the library; none is an empty list, whichever way the library says so. Error: any other HIP error.
pm::Result<std::vector<DeviceInfo>> list_devices(const HipLibrary& library);

/// What the device says of the launches since the last call; nothing on a card. Error: a report that cannot be read.
pm::Result<std::optional<DeviceReport>> take_device_report(const HipLibrary& library);

/// Which library to ask.
enum class DeviceKind { kRocm, kEmbedded };

/// The candidates of each kind, in the order they are tried. The embedded device is the file that HKC_EMBEDDED_DEVICE
/// names, or libpm_hip.so in ../lib of the folder that holds this program.
std::vector<std::string> library_candidates(DeviceKind kind);

} // namespace hkc
