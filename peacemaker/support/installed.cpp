#include "peacemaker/support/installed.h"

#include <cstdlib>
#include <system_error>

namespace pm {

namespace fs = std::filesystem;

fs::path program_file() {
    std::error_code error;
    fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program;
}

std::string embedded_device_library() {
    if (const char* named = std::getenv("HKC_EMBEDDED_DEVICE"); named != nullptr && *named != '\0') return named;
    const fs::path lib = program_file().parent_path().parent_path() / "lib";
    std::error_code error;
    const fs::path installed = lib / "hip-kernel-contract/libpm_hip.so";
    return (fs::exists(installed, error) ? installed : lib / "libpm_hip.so").string();
}

fs::path installed_data(const fs::path& program) {
    return program.parent_path().parent_path() / "share/hip-kernel-contract";
}

} // namespace pm
