#include "contract/device/hip_library.h"

#include "peacemaker/support/installed.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace hkc {

std::vector<std::string> library_candidates(DeviceKind kind) {
    // The unversioned name belongs to a development install; the versioned ones are what a run-time install has.
    if (kind == DeviceKind::kRocm)
        return {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    return {pm::embedded_device_library()};
}

pm::Result<std::shared_ptr<const HipLibrary>> open_hip_library(const std::vector<std::string>& candidates) {
    std::string reasons;
    for (const auto& candidate : candidates) {
        void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            const char* reason = dlerror();
            reasons += fmt::format("\n  {}", reason != nullptr ? reason : candidate.c_str());
            continue;
        }
        auto library = std::make_shared<HipLibrary>();
        library->path = candidate;
        std::vector<std::string> missing;
        const auto resolve = [&](auto& member, const char* name) {
            member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, name));
            return member != nullptr;
        };
#define HKC_RESOLVE(name, ...)                                                                                         \
    if (!resolve(library->api.name, #name)) missing.emplace_back(#name);
        HKC_HIP_FUNCTIONS(HKC_RESOLVE)
#undef HKC_RESOLVE
        if (!missing.empty())
            return pm::Error{fmt::format("{}: lacks {}; expected a HIP runtime library of HIP 5.2 or later", candidate,
                                         fmt::join(missing, ", "))};
        (void)resolve(library->take_report, "pmTakeReport");
        (void)resolve(library->set_read_only, "pmSetReadOnly");
        return std::shared_ptr<const HipLibrary>(std::move(library));
    }
    return pm::Error{"no HIP library:" + reasons};
}

std::string hip_error_text(const HipApi& api, const std::string& call, hipError_t error) {
    const char* name = api.hipGetErrorName(error);
    const char* text = api.hipGetErrorString(error);
    return fmt::format("{}: {} ({})", call, name != nullptr ? name : fmt::format("error {}", static_cast<int>(error)),
                       text != nullptr ? text : "no text");
}

std::string chip_of_arch_name(const std::string& arch_name) { return arch_name.substr(0, arch_name.find(':')); }

pm::Result<std::vector<DeviceInfo>> list_devices(const HipLibrary& library) {
    int count = 0;
    const hipError_t error = library.api.hipGetDeviceCount(&count);
    if (error == hipErrorNoDevice || error == hipErrorInvalidDevice) return std::vector<DeviceInfo>{};
    if (error != hipSuccess)
        return pm::Error{library.path + ": " + hip_error_text(library.api, "hipGetDeviceCount", error)};
    std::vector<DeviceInfo> devices;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        // Later runtimes fill a larger structure behind the same name than these headers declare.
        union {
            hipDeviceProp_t properties;
            std::array<std::byte, 8192> room;
        } answer;
        std::memset(&answer, 0, sizeof(answer));
        if (const hipError_t e = library.api.hipGetDeviceProperties(&answer.properties, ordinal); e != hipSuccess)
            return pm::Error{library.path + ": " + hip_error_text(library.api, "hipGetDeviceProperties", e)};
        devices.push_back({chip_of_arch_name(answer.properties.gcnArchName), ordinal, answer.properties.name});
    }
    return devices;
}

pm::Result<std::optional<DeviceReport>> take_device_report(const HipLibrary& library) {
    if (library.take_report == nullptr) return std::optional<DeviceReport>{};
    // A report is taken only by a buffer that holds it whole; the answer is the size it has.
    std::string text(1U << 16U, '\0');
    std::size_t size = library.take_report(text.data(), text.size());
    while (size > text.size()) {
        text.resize(size + 1);
        size = library.take_report(text.data(), text.size());
    }
    text.resize(size);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    auto report = parse_device_report(text);
    if (!report) return report.error();
    return std::optional<DeviceReport>(std::move(*report));
}

} // namespace hkc
