#include "peacemaker/certify/certify.h"

#include "peacemaker/certify/barriers.h"
#include "peacemaker/certify/clauses.h"
#include "peacemaker/certify/hazards.h"
#include "peacemaker/certify/lds.h"
#include "peacemaker/certify/waits.h"
#include "peacemaker/object/descriptor.h"
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

/// The workgroup that a verdict is about. Error: the kernel cannot be launched so.
Result<LdsRequest> launch_of(const Chip& chip, const Kernel& kernel, const Options& options,
                             std::vector<std::string>& assumptions) {
    LdsRequest request;
    request.static_lds = kernel.resources.lds;
    request.launched.dynamic_lds = options.dynamic_lds;
    const std::array<std::uint32_t, 3> required{kernel.reqd_block[0], kernel.reqd_block[1], kernel.reqd_block[2]};
    const bool requires_one = required[0] != 0;
    if (options.workgroup) {
        request.launched.block = *options.workgroup;
        const auto& block = request.launched.block;
        const std::uint64_t items = std::uint64_t{block[0]} * block[1] * block[2];
        if (requires_one && block != required)
            return Error{fmt::format("the workgroup is {},{},{}, and the kernel requires {},{},{}", block[0], block[1],
                                     block[2], required[0], required[1], required[2])};
        if (items == 0 || items > kernel.resources.max_block || items > chip.max_workgroup)
            return Error{fmt::format("the workgroup has {} work-items, and the kernel allows 1 to {}", items,
                                     std::min(kernel.resources.max_block, chip.max_workgroup))};
        return request;
    }
    if (requires_one) {
        request.launched.block = required;
        return request;
    }
    const std::uint32_t told = kernel.resources.max_block;
    request.launched.block = {told == 0 ? chip.max_workgroup : std::min(told, chip.max_workgroup), 1, 1};
    // Without bounds of the author's own, compilers allow the most that there is.
    request.block_is_guessed = request.launched.block[0] == chip.max_workgroup;
    assumptions.push_back(
        fmt::format("a workgroup of {},1,1: as many work-items as the kernel allows", request.launched.block[0]));
    return request;
}

bool touches_lds(const Code& code) {
    return std::any_of(code.steps.begin(), code.steps.end(),
                       [](const Step& step) { return step.effects.touches_lds && !step.effects.flat; });
}

bool uses_flat(const Code& code) {
    return std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) { return step.effects.flat; });
}

struct Checked {
    std::vector<Obligation> obligations;
    std::vector<std::string> unchecked, assumptions;
};

void check_lds_of(const CodeObject& object, const Kernel& kernel, const Code& code, const Uniformity& uniformity,
                  isa::Disassembler& disassembler, const LdsRequest& request, Checked& out) {
    const auto add = [&](std::string_view kind, std::string why) {
        const auto first = std::find_if(code.steps.begin(), code.steps.end(),
                                        [](const Step& step) { return step.effects.touches_lds; });
        out.obligations.push_back(
            {kind, static_cast<std::uint32_t>(first - code.steps.begin()), std::move(why), {}, false});
    };
    const auto program = emu::lift(object, kernel, disassembler);
    if (!program) {
        add(kind::kLdsBounds, program.error().text);
        return;
    }
    std::vector<Obligation> found = check_lds(*object.chip, kernel, code, uniformity, **program, request);
    out.obligations.insert(out.obligations.end(), std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
    // Ids of more dimensions tell nothing where there is but one: the kernel was made for others.
    const std::uint32_t ids = descriptor_field(kernel.descriptor.compute_pgm_rsrc2, 11, 2);
    if (ids > 0 && !out.assumptions.empty())
        add(kind::kLdsBounds, "the kernel looks at work-item ids of more than one dimension, and its workgroup is not "
                              "known: --workgroup X,Y,Z");
}

Checked check_all(const CodeObject& object, const Kernel& kernel, const Code& code, isa::Disassembler& disassembler,
                  const Options& options) {
    const Chip& chip = *object.chip;
    Checked out;
    out.obligations = check_waits(chip, code);
    const auto add = [&out](std::vector<Obligation> more) {
        out.obligations.insert(out.obligations.end(), std::make_move_iterator(more.begin()),
                               std::make_move_iterator(more.end()));
    };
    add(check_hazards(chip, code, disassembler));
    add(check_clauses(chip, code, disassembler));
    add(check_delays(code, disassembler));
    std::vector<std::string> assumptions;
    const auto request = launch_of(chip, kernel, options, assumptions);
    if (!request) {
        out.unchecked.push_back(request.error().text);
        return out;
    }
    const bool has_barriers = std::any_of(code.steps.begin(), code.steps.end(),
                                          [](const Step& step) { return step.effects.barrier != BarrierRole::kNone; });
    const bool has_lds = touches_lds(code) || (uses_flat(code) && makes_flat_lds_pointers(code));
    const bool many_waves = request->launched.waves() > 1;
    if (has_lds || has_barriers) out.assumptions = assumptions;
    if (uses_flat(code) && !makes_flat_lds_pointers(code))
        out.assumptions.emplace_back("flat pointers that the kernel is given do not lead into LDS");
    if (has_lds || (has_barriers && many_waves)) {
        const Uniformity uniformity(chip, kernel, code);
        // One wave publishes to nobody, and meets every barrier by itself.
        if (many_waves) {
            add(check_drains(chip, code));
            add(check_divergence(code, uniformity));
        }
        if (has_lds) check_lds_of(object, kernel, code, uniformity, disassembler, *request, out);
    }
    add(check_pairing(code));
    add(check_registers(chip, kernel, code));
    DescriptorProblems descriptor = descriptor_problems(chip, kernel);
    for (std::string& fault : descriptor.faults)
        out.obligations.push_back({kind::kDescriptor, 0, std::move(fault), {}, true});
    for (const std::string& reason : descriptor.unmodelled) out.unchecked.push_back("descriptor: " + reason);
    std::stable_sort(out.obligations.begin(), out.obligations.end(), [](const Obligation& a, const Obligation& b) {
        return a.fault != b.fault ? a.fault : a.step < b.step;
    });
    return out;
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

KernelCertificate certify_kernel(const CodeObject& object, const Kernel& kernel, Instructions& instructions,
                                 const Options& options) {
    KernelCertificate certificate;
    certificate.kernel = kernel.name;
    if (kernel.resources.wave != kWaveLanes) {
        certificate.unchecked.push_back(fmt::format("waves of {} lanes are not analysed", kernel.resources.wave));
        return certificate;
    }
    isa::Disassembler& disassembler = instructions.disassembler();
    const auto code = decode_kernel(object, kernel, instructions);
    if (!code) {
        certificate.unchecked.push_back(code.error().text);
        return certificate;
    }
    certificate.instructions = code->steps.size();
    for (const Step& step : code->steps) {
        certificate.operations += step.effects.issues.empty() ? 0 : 1;
        certificate.barriers += step.effects.barrier != BarrierRole::kNone ? 1 : 0;
    }
    Checked checked = check_all(object, kernel, *code, disassembler, options);
    certificate.unchecked = code->unknown;
    certificate.unchecked.insert(certificate.unchecked.end(), checked.unchecked.begin(), checked.unchecked.end());
    certificate.assumptions = std::move(checked.assumptions);
    certificate.open = describe(object, kernel, *code, disassembler, checked.obligations);
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

Result<Certificate> certify(const CodeObject& object, std::string_view kernels, const Options& options) {
    const auto forms = lift::Forms::create(*object.chip, kWaveLanes);
    if (!forms) return forms.error();
    return certify(object, **forms, kernels, options);
}

Result<Certificate> certify(const CodeObject& object, lift::Forms& forms, std::string_view kernels,
                            const Options& options) {
    Instructions instructions(*object.chip, forms);
    Certificate certificate;
    certificate.chip = object.chip->name;
    std::vector<std::string> names;
    for (const Kernel& kernel : object.kernels) {
        names.push_back(kernel.name);
        if (glob_match(kernels, kernel.name))
            certificate.kernels.push_back(certify_kernel(object, kernel, instructions, options));
    }
    if (certificate.kernels.empty())
        return Error{
            fmt::format("none of its {} kernels is {}{}", names.size(), kernels, did_you_mean(kernels, names))};
    return certificate;
}

Result<Certificate> certify(const CodeObject& object, std::span<const Request> requests) {
    const auto forms = lift::Forms::create(*object.chip, kWaveLanes);
    if (!forms) return forms.error();
    Instructions instructions(*object.chip, **forms);
    Certificate certificate;
    certificate.chip = object.chip->name;
    for (const Request& request : requests) {
        const Kernel* const kernel = object.find_kernel(request.kernel);
        if (kernel == nullptr) return Error{fmt::format("no kernel {} in the object", request.kernel)};
        certificate.kernels.push_back(certify_kernel(object, *kernel, instructions, request.options));
    }
    return certificate;
}

std::string report_text(const Certificate& certificate, std::string_view file) {
    std::string out;
    std::size_t faults = 0;
    for (const KernelCertificate& kernel : certificate.kernels) {
        for (const std::string& what : kernel.assumptions)
            out += fmt::format("assumed {} {}: {}\n", certificate.chip, kernel.kernel, what);
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
                           {"unchecked", kernel.unchecked},
                           {"assumptions", kernel.assumptions}});
    }
    const nlohmann::ordered_json whole = {{"schema", 1},
                                          {"tool", "peacemaker certify"},
                                          {"file", file},
                                          {"chip", certificate.chip},
                                          {"kernels", std::move(kernels)}};
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pm::certify
