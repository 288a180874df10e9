#include "peacemaker/certify/certify.h"

#include "peacemaker/certify/barriers.h"
#include "peacemaker/certify/waits.h"
#include "peacemaker/object/source_line.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pm::certify {
namespace {

constexpr std::uint32_t kWaveLanes = 32;

std::vector<Obligation> check_registers(const Chip& chip, const Kernel& kernel, const Code& code) {
    const std::uint32_t granted = granted_vgprs(chip, kernel);
    const bool has_scratch = descriptor_field(kernel.descriptor.compute_pgm_rsrc2, 0, 1) != 0;
    std::vector<Obligation> found;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step) {
        const Effects& effects = code.steps[step].effects;
        for (const std::vector<Span>* spans : {&effects.reads, &effects.writes, &effects.late})
            for (const Span& span : *spans)
                if (isa::is_vector(span.first) && span.first + span.count > granted)
                    found.push_back({kind::kRegisterOutside,
                                     step,
                                     fmt::format("{}, and the descriptor grants {}", span_text(span), granted),
                                     {},
                                     true});
        if (effects.uses_scratch && !has_scratch) found.push_back({kind::kScratchDisabled, step, {}, {}, true});
    }
    return found;
}

/// What is not analysed is left open, once a kernel.
std::vector<Obligation> check_lds(const Kernel& kernel, const Code& code) {
    std::vector<std::uint32_t> steps;
    bool writes = false;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step) {
        if (code.steps[step].effects.touches_lds) steps.push_back(step);
        writes = writes || code.steps[step].effects.writes_lds;
    }
    if (steps.empty()) return {};
    std::vector<Obligation> found{{kind::kLdsBounds,
                                   steps.front(),
                                   fmt::format("this and {} more; addresses are not analysed", steps.size() - 1),
                                   {},
                                   false}};
    if (writes && kernel.resources.max_block > kWaveLanes)
        found.push_back({kind::kLdsOrder,
                         steps.front(),
                         fmt::format("a workgroup may have {} waves; what they do to one address is not analysed",
                                     (kernel.resources.max_block + kWaveLanes - 1) / kWaveLanes),
                         {},
                         false});
    return found;
}

std::vector<Obligation> check_all(const Chip& chip, const Kernel& kernel, const Code& code) {
    std::vector<Obligation> all = check_waits(chip, code);
    const auto add = [&all](std::vector<Obligation> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    // One wave publishes to nobody, and meets every barrier by itself.
    if (kernel.resources.max_block > kWaveLanes) {
        add(check_drains(chip, code));
        add(check_divergence(chip, kernel, code));
    }
    add(check_pairing(code));
    add(check_registers(chip, kernel, code));
    add(check_lds(kernel, code));
    std::stable_sort(all.begin(), all.end(), [](const Obligation& a, const Obligation& b) {
        return a.fault != b.fault ? a.fault : a.step < b.step;
    });
    return all;
}

/// Obligations with texts and source lines.
std::vector<Open> describe(const CodeObject& object, const Kernel& kernel, const Code& code,
                           isa::Disassembler& disassembler, const std::vector<Obligation>& obligations) {
    std::vector<std::uint64_t> addresses;
    for (const Obligation& one : obligations) addresses.push_back(kernel.entry_address + code.steps[one.step].at);
    const std::vector<std::string> lines = source_lines(object, addresses);
    const auto text = [&](std::uint32_t step) {
        return disassembler.text(code.steps[step].inst, kernel.entry_address + code.steps[step].at);
    };
    std::vector<Open> out;
    for (std::size_t i = 0; i < obligations.size(); ++i) {
        const Obligation& one = obligations[i];
        Open open{one.kind, one.fault, code.steps[one.step].at, text(one.step), lines[i], one.detail, {}};
        for (std::size_t k = 0; k + 1 < one.path.size(); ++k)
            open.path.push_back(fmt::format("+{:#x} {}", code.steps[one.path[k]].at, text(one.path[k])));
        out.push_back(std::move(open));
    }
    return out;
}

KernelCertificate certify_kernel(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler) {
    KernelCertificate certificate;
    certificate.kernel = kernel.name;
    if (kernel.resources.wave != kWaveLanes) {
        certificate.unchecked.push_back(fmt::format("waves of {} lanes are not analysed", kernel.resources.wave));
        return certificate;
    }
    const auto code = decode_kernel(object, kernel, disassembler);
    if (!code) {
        certificate.unchecked.push_back(code.error().text);
        return certificate;
    }
    certificate.instructions = code->steps.size();
    for (const Step& step : code->steps) {
        certificate.operations += step.effects.issues.empty() ? 0 : 1;
        certificate.barriers += step.effects.barrier != BarrierRole::kNone ? 1 : 0;
    }
    certificate.unchecked = code->unknown;
    certificate.open = describe(object, kernel, *code, disassembler, check_all(*object.chip, kernel, *code));
    const bool fault =
        std::any_of(certificate.open.begin(), certificate.open.end(), [](const Open& open) { return open.fault; });
    certificate.verdict = fault                            ? Verdict::kOpen
                          : !certificate.unchecked.empty() ? Verdict::kUnchecked
                          : !certificate.open.empty()      ? Verdict::kOpen
                                                           : Verdict::kCertified;
    return certificate;
}

std::size_t count_of(const Certificate& certificate, Verdict verdict) {
    return static_cast<std::size_t>(
        std::count_if(certificate.kernels.begin(), certificate.kernels.end(),
                      [verdict](const KernelCertificate& kernel) { return kernel.verdict == verdict; }));
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
    case Verdict::kCertified:
        return "certified";
    case Verdict::kOpen:
        return "open";
    case Verdict::kUnchecked:
        return "unchecked";
    }
    return "unchecked";
}

Result<Certificate> certify(const CodeObject& object, std::string_view kernels) {
    auto disassembler = isa::Disassembler::create(*object.chip);
    if (!disassembler) return disassembler.error();
    Certificate certificate;
    certificate.chip = object.chip->name;
    std::vector<std::string> names;
    for (const Kernel& kernel : object.kernels) {
        names.push_back(kernel.name);
        if (glob_match(kernels, kernel.name))
            certificate.kernels.push_back(certify_kernel(object, kernel, **disassembler));
    }
    if (certificate.kernels.empty())
        return Error{
            fmt::format("none of its {} kernels is {}{}", names.size(), kernels, did_you_mean(kernels, names))};
    return certificate;
}

std::string report_text(const Certificate& certificate, std::string_view file) {
    std::string out;
    std::size_t faults = 0;
    for (const KernelCertificate& kernel : certificate.kernels) {
        for (const std::string& why : kernel.unchecked)
            out += fmt::format("unchecked {} {}: {}\n", certificate.chip, kernel.kernel, why);
        for (const Open& open : kernel.open) {
            faults += open.fault ? 1 : 0;
            out += fmt::format("{} {} {}+{:#x}{}: {}: {}{}{}\n", open.fault ? "fault" : "open", certificate.chip,
                               kernel.kernel, open.at, open.source.empty() ? "" : " (" + open.source + ")", open.kind,
                               open.instruction, open.detail.empty() ? "" : ": ", open.detail);
            if (!open.path.empty()) out += fmt::format("    by way of {}\n", fmt::join(open.path, "; "));
        }
    }
    out += fmt::format("CERTIFY {} {} {} kernels: {} certified, {} open, {} unchecked; {} faults\n", file,
                       certificate.chip, certificate.kernels.size(), count_of(certificate, Verdict::kCertified),
                       count_of(certificate, Verdict::kOpen), count_of(certificate, Verdict::kUnchecked), faults);
    return out;
}

std::string report_json(const Certificate& certificate, std::string_view file) {
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const KernelCertificate& kernel : certificate.kernels) {
        nlohmann::ordered_json obligations = nlohmann::ordered_json::array();
        for (const Open& open : kernel.open)
            obligations.push_back({{"kind", open.kind},
                                   {"fault", open.fault},
                                   {"offset", open.at},
                                   {"instruction", open.instruction},
                                   {"source", open.source},
                                   {"detail", open.detail},
                                   {"path", open.path}});
        kernels.push_back({{"name", kernel.kernel},
                           {"verdict", verdict_name(kernel.verdict)},
                           {"instructions", kernel.instructions},
                           {"operations", kernel.operations},
                           {"barriers", kernel.barriers},
                           {"open", std::move(obligations)},
                           {"unchecked", kernel.unchecked}});
    }
    const nlohmann::ordered_json whole = {{"schema", 1},
                                          {"tool", "peacemaker certify"},
                                          {"file", file},
                                          {"chip", certificate.chip},
                                          {"kernels", std::move(kernels)}};
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pm::certify
