// What a device says of its launches besides their results (the extension pmTakeReport), as plain data.
#pragma once

#include "contract/report/outcome.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// Findings and counts of the launches since the last report.
struct DeviceReport {
    std::vector<Finding> findings;            // kind as the device names it; the text says where
    std::vector<std::string> unsupported;     // instructions that stopped a launch
    std::vector<std::string> refused;         // launches that were refused, and why
    std::uint64_t exact = 0;                  // wave instructions whose answer is bit-exact
    std::uint64_t approximate = 0;            // those answered within a tolerance
    std::map<std::string, std::string> notes; // approximate instructions, and their bound
    std::uint64_t instructions = 0;
    std::uint64_t lane_operations = 0;
    std::uint64_t launches = 0;

    void merge(const DeviceReport& other);
};

/// Reads the JSON of pmTakeReport (peacemaker/emu/report.h has the format). Keys it does not know are left alone, so
/// that a newer device works; a key of another type than expected is an Error.
pm::Result<DeviceReport> parse_device_report(std::string_view json);

} // namespace hkc
