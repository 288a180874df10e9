#include "contract/toolchain/hip_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace hkc {
namespace {

namespace fs = std::filesystem;

/// The first folder that has `file`.
pm::Result<fs::path> first_with(const std::vector<fs::path>& folders, const char* file, const char* package) {
    std::vector<std::string> names;
    for (const fs::path& folder : folders) {
        std::error_code error;
        if (fs::is_regular_file(folder / file, error)) return folder;
        names.push_back(folder.string());
    }
    return pm::Error{fmt::format("{} is in none of {}; install HIP's headers and device libraries (Debian: {}), or "
                                 "ROCM_PATH names their folder",
                                 file, fmt::join(names, ", "), package)};
}

/// gfx1151: 1151.
std::string_view digits_of(std::string_view chip) { return chip.substr(std::min<std::size_t>(3, chip.size())); }

fs::path isa_version_file(const HipParts& parts, std::string_view chip) {
    return parts.bitcode / fmt::format("oclc_isa_version_{}.bc", digits_of(chip));
}

} // namespace

HipPlaces hip_places() {
    HipPlaces places;
    if (const char* named = std::getenv("HIP_DEVICE_LIB_PATH"); named != nullptr && *named != '\0')
        places.bitcode.emplace_back(named);
    std::vector<fs::path> roots;
    if (const char* rocm = std::getenv("ROCM_PATH"); rocm != nullptr && *rocm != '\0') roots.emplace_back(rocm);
    roots.insert(roots.end(), {"/opt/rocm", "/usr"});
    for (const fs::path& root : roots) {
        places.headers.push_back(root / "include");
        places.bitcode.push_back(root / "amdgcn/bitcode");
        places.bitcode.push_back(root / "lib/x86_64-linux-gnu/amdgcn/bitcode");
    }
    return places;
}

pm::Result<HipParts> find_hip_parts(const HipPlaces& places) {
    auto headers = first_with(places.headers, "hip/hip_runtime.h", "libamdhip64-dev");
    if (!headers) return headers.error();
    auto bitcode = first_with(places.bitcode, "ockl.bc", "rocm-device-libs");
    if (!bitcode) return bitcode.error();
    return HipParts{std::move(*headers), std::move(*bitcode)};
}

bool asks_for(std::span<const std::string> flags, std::string_view on, std::string_view off, bool otherwise) {
    bool asked = otherwise;
    for (const std::string& flag : flags)
        if (flag == on || flag == off) asked = flag == on;
    return asked;
}

bool asks_for_wave64(std::span<const std::string> flags) {
    return asks_for(flags, "-mwavefrontsize64", "-mno-wavefrontsize64");
}

std::vector<std::string> hip_flags(const HipParts& parts, std::string_view chip, std::span<const std::string> flags) {
    // What the driver puts before every source in HIP mode, and leaves out with -nogpuinc.
    std::vector<std::string> added = {"-include", "__clang_hip_runtime_wrapper.h", "-idirafter",
                                      parts.headers.string()};
    const bool fast = asks_for(flags, "-ffast-math", "-fno-fast-math");
    const auto part = [](const char* name, bool on) { return fmt::format("oclc_{}_{}", name, on ? "on" : "off"); };
    // hip.bc holds the barrier of HIP 5; later headers need none.
    const std::vector<std::string> names = {
        "hip",
        "ocml",
        "ockl",
        part("daz_opt", asks_for(flags, "-fgpu-flush-denormals-to-zero", "-fno-gpu-flush-denormals-to-zero")),
        part("unsafe_math", fast || asks_for(flags, "-funsafe-math-optimizations", "-fno-unsafe-math-optimizations")),
        part("finite_only", fast || asks_for(flags, "-ffinite-math-only", "-fno-finite-math-only")),
        part("correctly_rounded_sqrt", asks_for(flags, "-fhip-fp32-correctly-rounded-divide-sqrt",
                                                "-fno-hip-fp32-correctly-rounded-divide-sqrt", true)),
        part("wavefrontsize64", asks_for_wave64(flags)),
        "oclc_abi_version_500"};
    std::vector<fs::path> libraries;
    for (const std::string& name : names) {
        std::error_code error;
        const fs::path file = parts.bitcode / (name + ".bc");
        if (fs::is_regular_file(file, error)) libraries.push_back(file);
    }
    if (has_isa_version(parts, chip)) libraries.push_back(isa_version_file(parts, chip));
    for (const fs::path& library : libraries)
        added.insert(added.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library.string()});
    return added;
}

std::string_view later_compiler_header() {
    // Behind the wrapper, so that a compiler that still declares them has done so under their own names.
    return "#define __llvm_amdgcn_rcp_f16 __builtin_amdgcn_rcph\n"
           "#define __llvm_amdgcn_rcp_2f16(x) "
           "(__2f16){__builtin_amdgcn_rcph((x).x), __builtin_amdgcn_rcph((x).y)}\n";
}

bool has_isa_version(const HipParts& parts, std::string_view chip) {
    std::error_code error;
    return fs::is_regular_file(isa_version_file(parts, chip), error);
}

std::string isa_version_ir(std::string_view chip) {
    const std::string digits(digits_of(chip));
    // MAJOR MINOR STEP, the last two of one digit each.
    const std::string major = digits.substr(0, digits.size() - std::min<std::size_t>(2, digits.size()));
    const long tail = std::strtol(digits.substr(major.size(), 1).c_str(), nullptr, 16) * 100 +
                      std::strtol(digits.substr(digits.size() - 1).c_str(), nullptr, 16);
    const long version = std::strtol(major.c_str(), nullptr, 10) * 1000 + tail;
    return fmt::format("target triple = \"amdgcn-amd-amdhsa\"\n"
                       "@__oclc_ISA_version = linkonce_odr hidden addrspace(4) constant i32 {}\n",
                       version);
}

} // namespace hkc
