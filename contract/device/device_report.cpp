#include "contract/device/device_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace hkc {
namespace {

using nlohmann::json;

std::string describe(const json& finding) {
    const auto text = [&](const char* key) { return finding.value(key, std::string()); };
    std::string out = text("kernel");
    // What the host did wrong, or saw, happened at no instruction.
    if (!text("instruction").empty()) {
        out += fmt::format("{:+#x}: {}", finding.value("offset", std::int64_t{0}), text("instruction"));
        if (!text("source").empty()) out += fmt::format(" ({})", text("source"));
        const auto workgroup = finding.value("workgroup", std::vector<std::uint32_t>{});
        out += fmt::format("; workgroup ({}), wave {}, lane {}", fmt::join(workgroup, ","), finding.value("wave", 0U),
                           finding.value("lane", 0U));
    }
    if (const auto address = finding.value("address", std::uint64_t{0}); address != 0)
        out += fmt::format("{}address {:#x}", out.empty() ? "" : ", ", address);
    if (!text("detail").empty()) out += fmt::format("{}{}", out.empty() ? "" : ": ", text("detail"));
    if (const auto count = finding.value("count", std::uint64_t{1}); count > 1)
        out += fmt::format(" ({} times)", count);
    return out;
}

} // namespace

void DeviceReport::merge(const DeviceReport& other) {
    findings.insert(findings.end(), other.findings.begin(), other.findings.end());
    const auto add_new = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
        for (const auto& text : from)
            if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
    };
    add_new(unsupported, other.unsupported);
    add_new(refused, other.refused);
    exact += other.exact;
    approximate += other.approximate;
    notes.insert(other.notes.begin(), other.notes.end());
    instructions += other.instructions;
    lane_operations += other.lane_operations;
    launches += other.launches;
}

pm::Result<DeviceReport> parse_device_report(std::string_view text) {
    try {
        const json root = json::parse(text);
        DeviceReport report;
        for (const json& finding : root.value("findings", json::array()))
            report.findings.push_back(
                {finding.at("kind").get<std::string>(), describe(finding), finding.value("source", std::string())});
        report.unsupported = root.value("unsupported", std::vector<std::string>{});
        report.refused = root.value("refused", std::vector<std::string>{});
        const json fidelity = root.value("fidelity", json::object());
        report.exact = fidelity.value("exact", std::uint64_t{0});
        report.approximate = fidelity.value("approximate", std::uint64_t{0});
        report.notes = fidelity.value("notes", std::map<std::string, std::string>{});
        report.instructions = root.value("instructions", std::uint64_t{0});
        report.lane_operations = root.value("lane_operations", std::uint64_t{0});
        report.launches = root.value("launches", std::uint64_t{0});
        return report;
    } catch (const json::exception& e) {
        return pm::Error{fmt::format("the device's report: {}; expected the JSON of pmTakeReport, read {} bytes",
                                     e.what(), text.size())};
    }
}

} // namespace hkc
