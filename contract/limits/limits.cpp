#include "contract/limits/limits.h"

#include "contract/records/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hkc::limits {
namespace {

// The compiler counts the two halves of VCC, which chips.toml leaves out.
constexpr std::uint32_t kVccSgprs = 2;

struct Limit {
    std::string_view field;
    std::uint32_t most;
    std::uint32_t compiled;
};

/// Bytes of the arguments that the source declares; the compiler's hidden ones do not count against the chip's limit.
std::uint32_t explicit_kernarg(const pm::Kernel& kernel) {
    std::uint32_t bytes = 0;
    for (const pm::KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) bytes = std::max(bytes, argument.offset + argument.size);
    return bytes;
}

std::array<Limit, 5> chip_limits(const pm::Kernel& kernel, const pm::Chip& chip) {
    const pm::Resources& r = kernel.resources;
    return {{
        {"vgpr", chip.vgprs, r.vgpr},
        {"sgpr", chip.sgprs + kVccSgprs, r.sgpr},
        {"lds", chip.lds_bytes, r.lds},
        {"max_block", chip.max_workgroup, r.max_block},
        {"kernarg", chip.kernarg_bytes, explicit_kernarg(kernel)},
    }};
}

/// The records to compare with, or why there are none.
struct Comparable {
    const pm::Resources* record = nullptr;
    std::string reason;
};

Comparable comparable_record(std::string_view symbol, const pm::Chip& chip, const RecordsOf& with,
                             const Fingerprint* fingerprint) {
    const records::RecordFile* file = with.file;
    if (file == nullptr)
        return {nullptr, fmt::format("not comparable: family {} has no records of {}; record with: {}", with.family,
                                     with.toolchain, records::record_command(with.toolchain))};
    if (fingerprint == nullptr)
        return {
            nullptr,
            fmt::format("not comparable: nobody knows the flags that the object was built with; the records are {}'s",
                        file->toolchain)};
    const auto records = file->chips.find(chip.name);
    if (records == file->chips.end())
        return {nullptr,
                fmt::format("not comparable: the records of family {} of {} hold nothing for {}; record with: {}",
                            file->family, file->toolchain, chip.name, records::record_command(file->toolchain))};
    const Fingerprint& recorded = records->second.fingerprint;
    if (recorded != *fingerprint) {
        const bool other_compiler = recorded.idents != fingerprint->idents;
        return {
            nullptr,
            fmt::format("not comparable: the records hold {}, the object was built by {}; to record the latter: {}{}",
                        recorded.text(), fingerprint->text(),
                        records::record_command(other_compiler ? "NAME" : file->toolchain),
                        other_compiler ? ", NAME being the toolchain of toolchains.toml that is this compiler" : "")};
    }
    const auto record = records->second.kernels.find(symbol);
    if (record == records->second.kernels.end())
        return {nullptr, fmt::format("no record of {} for {} in the records of {}; record with: {}", symbol, chip.name,
                                     file->toolchain, records::record_command(file->toolchain))};
    return {&record->second, {}};
}

} // namespace

GateResult compare(const pm::Kernel& compiled, std::string_view symbol, const pm::Chip& chip, const RecordsOf& records,
                   const Fingerprint* fingerprint) {
    GateResult result;
    result.gate = 5;
    const auto add = [&](std::string_view kind, const std::string& what) {
        result.findings.push_back({std::string(kind), fmt::format("{} {} {}", chip.name, symbol, what)});
    };

    const Comparable with = comparable_record(symbol, chip, records, fingerprint);
    if (with.record == nullptr) {
        result.unchecked.push_back(with.reason);
    } else {
        result.checks += records::fields().size();
        for (const std::string& difference : differing_fields(*with.record, compiled.resources))
            add(kind::kRecordDiffers, difference);
    }

    for (const Limit& limit : chip_limits(compiled, chip)) {
        ++result.checks;
        if (limit.compiled > limit.most)
            add(kind::kOverChipLimit,
                fmt::format("{}: limit of the chip {}, compiled {}", limit.field, limit.most, limit.compiled));
    }
    ++result.checks;
    if (compiled.resources.wave != 32 && compiled.resources.wave != 64)
        add(kind::kOverChipLimit,
            fmt::format("wave: 32 or 64 lanes on this chip, compiled {}", compiled.resources.wave));
    ++result.checks;
    if (compiled.resources.scratch != 0)
        add(kind::kUsesScratch, fmt::format("scratch: {} bytes a work-item", compiled.resources.scratch));

    result.status = !result.findings.empty()    ? Status::kFail
                    : !result.unchecked.empty() ? Status::kUnchecked
                                                : Status::kPass;
    return result;
}

std::vector<std::string> differing_fields(const pm::Resources& record, const pm::Resources& compiled) {
    std::vector<std::string> out;
    for (const records::Field& field : records::fields())
        if (record.*field.value != compiled.*field.value)
            out.push_back(
                fmt::format("{}: record {}, compiled {}", field.name, record.*field.value, compiled.*field.value));
    return out;
}

} // namespace hkc::limits
