#include "contract/records/check.h"

#include "contract/records/apply.h"
#include "contract/records/lines.h"
#include "contract/report/outcome.h"
#include "peacemaker/chip/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace hkc::records {
namespace {

namespace fs = std::filesystem;

std::string how_to_record(std::string_view toolchain) { return "record with: " + record_command(toolchain); }

/// Checks one toolchain's folder.
class ToolchainCheck {
public:
    ToolchainCheck(const fs::path& root, const Registry& registry, const ToolchainSpec& toolchain, CheckReport& report)
        : root_(root), registry_(registry), toolchain_(toolchain), report_(report) {}

    pm::Result<void> run(const std::set<std::string>& families) {
        for (const std::string& family : families) {
            const pm::Result<std::optional<RecordFile>> file = load(root_, toolchain_.name, family);
            if (!file) return file.error();
            const std::string name = path_of("", toolchain_.name, family).string();
            if (!*file) {
                if (wants(family)) problem(fmt::format("{}: not there; {}", name, how_to_record(toolchain_.name)));
                continue;
            }
            check_file(**file, name);
        }
        return {};
    }

private:
    void problem(std::string text) { report_.problems.push_back(std::move(text)); }

    [[nodiscard]] std::set<std::string, std::less<>> expected(std::string_view family, std::string_view chip) const {
        return toolchain_.builds(chip) ? declared_symbols(registry_, family, chip)
                                       : std::set<std::string, std::less<>>();
    }

    [[nodiscard]] bool wants(std::string_view family) const {
        return std::any_of(pm::chips().begin(), pm::chips().end(),
                           [&](const pm::Chip& chip) { return !expected(family, chip.name).empty(); });
    }

    void check_file(const RecordFile& file, const std::string& name) {
        for (const pm::Chip& chip : pm::chips()) {
            const auto held = file.chips.find(chip.name);
            const auto symbols = expected(file.family, chip.name);
            static const ChipRecords kNone;
            const ChipRecords& records = held == file.chips.end() ? kNone : held->second;
            for (const std::string& symbol : symbols)
                if (!records.kernels.contains(symbol))
                    problem(fmt::format("{}: {} {}: no record; {}", name, chip.name, symbol,
                                        how_to_record(toolchain_.name)));
            for (const auto& [symbol, resources] : records.kernels) {
                ++report_.records;
                if (!symbols.contains(symbol))
                    problem(fmt::format("{}: {} {}: the registry launches no such kernel there; {}", name, chip.name,
                                        symbol, how_to_record(toolchain_.name)));
                if (resources.scratch != 0 && !scratch_is_known(registry_, symbol, chip.name))
                    problem(fmt::format("{}: {} {}: scratch={}, and no known finding of gate 5 \"{}\" names it", name,
                                        chip.name, symbol, resources.scratch, kind::kUsesScratch));
            }
            if (held != file.chips.end() && records.kernels.empty())
                problem(fmt::format("{}: {}: holds no kernel; {}", name, chip.name, how_to_record(toolchain_.name)));
        }
    }

    const fs::path& root_;
    const Registry& registry_;
    const ToolchainSpec& toolchain_;
    CheckReport& report_;
};

/// Files and folders under records/ that belong to nothing.
pm::Result<void> check_strays(const fs::path& root, const std::set<std::string>& families,
                              std::span<const ToolchainSpec> toolchains, CheckReport& report) {
    std::error_code error;
    if (!fs::exists(root / "records", error)) return {};
    for (fs::recursive_directory_iterator it(root / "records", error), end; it != end; it.increment(error)) {
        const fs::path relative = it->path().lexically_relative(root);
        const std::string first = (++relative.begin())->string();
        const bool known = std::any_of(toolchains.begin(), toolchains.end(),
                                       [&first](const ToolchainSpec& spec) { return spec.name == first; });
        if (!known) {
            report.problems.push_back(
                fmt::format("{}: toolchains.toml names no toolchain \"{}\"", relative.string(), first));
            it.disable_recursion_pending();
            continue;
        }
        if (it.depth() == 0) continue;
        if (it.depth() > 1 || it->path().extension() != ".json" || !families.contains(it->path().stem().string()))
            report.problems.push_back(
                fmt::format("{}: no record file of a family that the registry declares", relative.string()));
    }
    if (error) return pm::Error{fmt::format("{}: cannot read: {}", (root / "records").string(), error.message())};
    return {};
}

} // namespace

bool scratch_is_known(const Registry& registry, std::string_view symbol, std::string_view chip) {
    return std::any_of(registry.kernels.begin(), registry.kernels.end(), [&](const Kernel& kernel) {
        const bool launches = std::any_of(kernel.launches.begin(), kernel.launches.end(),
                                          [&](const Launch& launch) { return launch.symbol == symbol; });
        return launches &&
               std::any_of(kernel.known_findings.begin(), kernel.known_findings.end(), [&](const KnownFinding& known) {
                   return known.gate == 5 && known.chip == chip && known.finding == kind::kUsesScratch;
               });
    });
}

pm::Result<CheckReport> check(const fs::path& root, const Registry& registry,
                              std::span<const ToolchainSpec> toolchains) {
    CheckReport report;
    std::set<std::string> families;
    for (const Kernel& kernel : registry.kernels) families.insert(kernel.family);
    for (const ToolchainSpec& toolchain : toolchains) {
        std::error_code error;
        if (!fs::exists(root / "records" / toolchain.name, error)) {
            auto& lines = toolchain.pinned ? report.problems : report.notes;
            lines.push_back(
                fmt::format("toolchain {} has no records; {}", toolchain.name, how_to_record(toolchain.name)));
            continue;
        }
        if (auto done = ToolchainCheck(root, registry, toolchain, report).run(families); !done) return done.error();
    }
    if (auto done = check_strays(root, families, toolchains, report); !done) return done.error();
    return report;
}

} // namespace hkc::records
