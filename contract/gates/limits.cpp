// Gate 5: what the very objects that were loaded cost, against their records and the chip.

#include "contract/gates/limits.h"

#include "contract/gates/gate.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace hkc {

std::vector<LoadedAttribute> ask_attributes(const HipApi& api, hipFunction_t function) {
    struct Question {
        hipFunction_attribute id;
        std::string_view name, field;
        std::uint32_t pm::Resources::*value;
    };
    static constexpr std::array kQuestions{
        Question{HIP_FUNC_ATTRIBUTE_NUM_REGS, "numRegs", "vgpr", &pm::Resources::vgpr},
        Question{HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, "sharedSizeBytes", "lds", &pm::Resources::lds},
        Question{HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "localSizeBytes", "scratch", &pm::Resources::scratch},
        Question{HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "maxThreadsPerBlock", "max_block",
                 &pm::Resources::max_block},
    };
    std::vector<LoadedAttribute> loaded;
    for (const Question& question : kQuestions) {
        LoadedAttribute attribute{question.name, question.field, question.value, 0};
        int value = 0;
        if (const hipError_t error = api.hipFuncGetAttribute(&value, question.id, function); error != hipSuccess)
            attribute.answer = hip_error_text(api, fmt::format("hipFuncGetAttribute of {}", question.name), error);
        else
            attribute.answer = value;
        loaded.push_back(std::move(attribute));
    }
    return loaded;
}

void compare_loaded(const std::vector<LoadedAttribute>& loaded, const pm::Resources& compiled,
                    const pm::Resources* record, const std::string& where, GateResult& result) {
    for (const LoadedAttribute& attribute : loaded) {
        if (const auto* reason = std::get_if<std::string>(&attribute.answer)) {
            result.unchecked.push_back(
                fmt::format("{} {}: the device does not say what it loaded: {}", where, attribute.field, *reason));
            continue;
        }
        const std::int64_t is = std::get<int>(attribute.answer);
        const std::int64_t object = compiled.*attribute.value;
        ++result.checks;
        if (is == object) continue;
        add_finding(result, kind::kLoadedDiffers,
                    fmt::format("{} {}: {} of the loaded kernel {}, the object's metadata {}, {}", where,
                                attribute.field, attribute.name, is, object,
                                record != nullptr ? fmt::format("record {}", record->*attribute.value)
                                                  : std::string("no record to compare with")));
    }
}

namespace gate {
namespace {

/// The record that the object is comparable with, or null; limits::compare says why there is none.
const pm::Resources* record_of(const Subject& subject, const std::string& symbol) {
    if (subject.records == nullptr || subject.fingerprint == nullptr) return nullptr;
    const auto chip = subject.records->chips.find(subject.chip->name);
    if (chip == subject.records->chips.end() || chip->second.fingerprint != *subject.fingerprint) return nullptr;
    const auto record = chip->second.kernels.find(symbol);
    return record == chip->second.kernels.end() ? nullptr : &record->second;
}

void check_loaded(GateContext& context, GateResult& result, const pm::Kernel& compiled, const std::string& record) {
    const auto function = context.session.function(*context.subject.object, compiled.name);
    if (!function) {
        result.unchecked.push_back(fmt::format("{}: {}", compiled.name, function.error().text));
        return;
    }
    compare_loaded(ask_attributes(context.session.api(), *function), compiled.resources,
                   record_of(context.subject, record), fmt::format("{} {}", context.subject.chip->name, compiled.name),
                   result);
}

} // namespace

void run_limits(GateContext& context, GateResult& result) {
    const Subject& subject = context.subject;
    if (subject.object == nullptr) {
        result.unchecked.push_back(subject.object_error);
        return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < subject.kernel.launches.size(); ++i) {
        const std::string& symbol = subject.kernel.launches[i].symbol;
        if (!seen.insert(symbol).second) continue;
        const pm::Kernel* compiled = subject.object->find_kernel(symbol);
        if (compiled == nullptr) {
            result.unchecked.push_back(fmt::format("{}: no such kernel in the object", symbol));
            continue;
        }
        const std::string& record = i < subject.record_symbols.size() ? subject.record_symbols[i] : symbol;
        GateResult compared =
            limits::compare(*compiled, record, *subject.chip,
                            {subject.toolchain, subject.kernel.family, subject.records}, subject.fingerprint);
        result.checks += compared.checks;
        result.findings.insert(result.findings.end(), compared.findings.begin(), compared.findings.end());
        result.unchecked.insert(result.unchecked.end(), compared.unchecked.begin(), compared.unchecked.end());
        check_loaded(context, result, *compiled, record);
    }
}

} // namespace gate
} // namespace hkc
