// Where a program finds what belongs to it: relative to its own file, so that a build tree and an installation may
// stand anywhere. In a build tree programs lie in bin/ and the library in lib/; installed, the library lies in
// lib/hip-kernel-contract/ and data in share/hip-kernel-contract/ beside bin/.
#pragma once

#include <filesystem>
#include <string>

namespace pm {

/// The running program's file, links resolved; empty where the system does not tell.
std::filesystem::path program_file();

/// The embedded device's library: the one that HKC_EMBEDDED_DEVICE names, else that of this program.
std::string embedded_device_library();

/// The folder of installed data that belongs to `program`; it need not exist.
std::filesystem::path installed_data(const std::filesystem::path& program);

} // namespace pm
