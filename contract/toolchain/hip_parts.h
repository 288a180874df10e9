// What clang++ needs to build a source that includes <hip/hip_runtime.h>: the system's HIP headers and device
// libraries, as an installation of ROCm or a distribution's packages hold them. For toolchains of the kind "clang-hip".
//
//   pm::Result<HipParts> parts = find_hip_parts(hip_places());
//   if (parts) command += hip_flags(*parts, "gfx1151", family.flags);
#pragma once

#include "peacemaker/support/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// Where HIP may be installed, in the order of preference.
struct HipPlaces {
    std::vector<std::filesystem::path> headers; // folders that may have hip/hip_runtime.h
    std::vector<std::filesystem::path> bitcode; // folders that may have ockl.bc
};

/// $ROCM_PATH, /opt/rocm and /usr; for device libraries $HIP_DEVICE_LIB_PATH first.
HipPlaces hip_places();

struct HipParts {
    std::filesystem::path headers, bitcode;
};

/// Error: what is missing, where it was looked for, and Debian's package.
pm::Result<HipParts> find_hip_parts(const HipPlaces& places);

/// Which of two opposite flags counts, by the driver's rule: the last one. `otherwise` where neither is there.
bool asks_for(std::span<const std::string> flags, std::string_view on, std::string_view off, bool otherwise = false);

/// Whether the flags ask for waves of 64 lanes.
bool asks_for_wave64(std::span<const std::string> flags);

/// The options for one chip, and for what `flags` say of waves and arithmetic: the device libraries that clang's own
/// driver picks for them (ROCMToolChain::getCommonDeviceLibNames). None of them is part of a fingerprint: they are
/// paths, and the device libraries leave their own ident in the object.
std::vector<std::string> hip_flags(const HipParts& parts, std::string_view chip, std::span<const std::string> flags);

/// Whether the device libraries have the chip's own part, which holds its ISA version.
bool has_isa_version(const HipParts& parts, std::string_view chip);

/// A header that is included behind the compiler's own: what headers of HIP 5 use and compilers no longer declare.
std::string_view later_compiler_header();

/// The chip's own part as LLVM IR, for libraries that are older than the chip. The value is what later ROCm device
/// libraries define: gfx1151 is 11501, gfx90a is 9010 (the last digit of a chip's name is hexadecimal).
std::string isa_version_ir(std::string_view chip);

} // namespace hkc
