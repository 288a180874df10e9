// Gate 5: what the very objects that were loaded cost, against their records and the chip.

#include "contract/gates/gate.h"

#include <fmt/format.h>

#include <set>

namespace hkc::gate {
namespace {

/// What the runtime says of the loaded function must be what the object's metadata says: else another object was
/// loaded.
void check_loaded(GateContext& context, GateResult& result, const pm::Kernel& compiled) {
    const auto function = context.session.function(*context.subject.object, compiled.name);
    if (!function) {
        result.unchecked.push_back(fmt::format("{}: {}", compiled.name, function.error().text));
        return;
    }
    struct Attribute {
        hipFunction_attribute id;
        const char* name;
        std::uint32_t expected;
    };
    for (const Attribute& attribute :
         {Attribute{HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, "lds", compiled.resources.lds},
          Attribute{HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "scratch", compiled.resources.scratch}}) {
        int value = 0;
        if (context.session.api().hipFuncGetAttribute(&value, attribute.id, *function) != hipSuccess) continue;
        ++result.checks;
        if (value >= 0 && static_cast<std::uint32_t>(value) == attribute.expected) continue;
        add_finding(result, kind::kRecordDiffers,
                    fmt::format("{} {} {}: the device loaded {}, the object says {}", context.subject.chip->name,
                                compiled.name, attribute.name, value, attribute.expected));
    }
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
        GateResult compared = limits::compare(*compiled, record, *subject.chip, subject.records, subject.fingerprint);
        result.checks += compared.checks;
        result.findings.insert(result.findings.end(), compared.findings.begin(), compared.findings.end());
        result.unchecked.insert(result.unchecked.end(), compared.unchecked.begin(), compared.unchecked.end());
        check_loaded(context, result, *compiled);
    }
}

} // namespace hkc::gate
