// The embedded device as a user has it: a shared library opened by name, called through the types of HIP's own header.
#pragma once

// The functions as the library has them, without the header's overloads of them.
#define __HIP_DISABLE_CPP_FUNCTIONS__

#include "peacemaker/hip/extension.h"

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace hip_test {

inline const char* const kLibrary = HKC_LIBRARY_DIR "/libpm_hip.so";

inline void* library() {
    static void* const handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(std::string(kLibrary) + " cannot be opened");
    return handle;
}

/// A function of the library, with the type that the header gives it.
template <typename Signature>
Signature* function(const char* name) {
    void* address = ::dlsym(library(), name);
    if (address == nullptr) throw std::runtime_error(std::string(name) + " is not exported");
    return reinterpret_cast<Signature*>(address);
}

#define HIP(name) (hip_test::function<decltype(::name)>(#name))
/// The same for a function that the header overloads, with the parameters of the exported one.
#define HIP_AS(name, ...) (hip_test::function<hipError_t(__VA_ARGS__)>(#name))
#define HIP_OK(call) ASSERT_EQ(call, hipSuccess)

inline nlohmann::json take_report() {
    const std::size_t size = HIP(pmTakeReport)(nullptr, 0);
    std::string text(size, '\0');
    EXPECT_EQ(HIP(pmTakeReport)(text.data(), text.size()), size);
    text.pop_back();
    return nlohmann::json::parse(text);
}

inline int ordinal_of(const std::string& chip) {
    int count = 0;
    EXPECT_EQ(HIP(hipGetDeviceCount)(&count), hipSuccess);
    for (int i = 0; i < count; ++i) {
        hipDeviceProp_t properties{};
        EXPECT_EQ(HIP(hipGetDeviceProperties)(&properties, i), hipSuccess);
        if (chip == properties.gcnArchName) return i;
    }
    ADD_FAILURE() << "no device " << chip;
    return -1;
}

/// HIP source compiled with these flags.
inline std::string compile_with(const std::string& source, const std::string& flags) {
    std::string pattern = (std::filesystem::temp_directory_path() / "pm_hip_test_XXXXXX").string();
    const std::filesystem::path folder = ::mkdtemp(pattern.data());
    std::ofstream(folder / "k.hip") << source;
    const std::string command = "clang++-22 -x hip --cuda-device-only -nogpulib -nogpuinc -O3 " + flags + " " +
                                (folder / "k.hip").string() + " -o " + (folder / "k.co").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream in(folder / "k.co", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove_all(folder);
    return bytes;
}

/// HIP source compiled for `chip`.
inline std::string compile(const std::string& source, const std::string& chip) {
    return compile_with(source, "--no-gpu-bundle-output --offload-arch=" + chip);
}

} // namespace hip_test
