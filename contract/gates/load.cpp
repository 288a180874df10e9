// Gate 1: what can be known before a launch, so that a stale call site is found before it hangs a GPU; then the
// smallest launch.

#include "contract/gates/gate.h"
#include "peacemaker/object/descriptor.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc::gate {
namespace {

constexpr std::uint32_t kOldestVersion = 4, kNewestVersion = 6;

std::string argument_text(const pm::KernelArgument& argument) {
    return fmt::format("{} ({}{}{}, {} bytes at offset {})", argument.name.empty() ? "an unnamed one" : argument.name,
                       argument.value_kind, argument.address_space.empty() ? "" : " in ", argument.address_space,
                       argument.size, argument.offset);
}

void check_arguments(const Subject& subject, const Launch& launch, const pm::Kernel& compiled, GateResult& result) {
    const auto declared = declared_slots(subject.kernel, launch);
    if (!declared) {
        add_finding(result, kind::kArgumentMismatch, fmt::format("{}: {}", subject.name, declared.error().text));
        return;
    }
    std::vector<const pm::KernelArgument*> wanted;
    for (const pm::KernelArgument& argument : compiled.arguments)
        if (!argument.hidden()) wanted.push_back(&argument);
    const std::string head = fmt::format("{} on {}: {}", subject.name, subject.chip->name, launch.symbol);
    ++result.checks;
    if (declared->size() != wanted.size()) {
        std::string text =
            fmt::format("{} takes {} arguments, the launch declares {}", head, wanted.size(), declared->size());
        if (declared->size() < wanted.size())
            text += "; nothing is passed for " + argument_text(*wanted[declared->size()]);
        add_finding(result, kind::kArgumentMismatch, std::move(text));
        return;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const DeclaredSlot& is = (*declared)[i];
        const pm::KernelArgument& want = *wanted[i];
        const std::string_view value_kind = is.buffer ? "global_buffer" : "by_value";
        const bool place = is.offset == want.offset && is.size == want.size;
        // A generic pointer takes a global buffer's address as it stands.
        const bool space = !is.buffer || want.address_space.empty() || want.address_space == "global" ||
                           want.address_space == "generic" || want.address_space == "constant";
        result.checks += 4;
        if (place && space && value_kind == want.value_kind) continue;
        add_finding(result, kind::kArgumentMismatch,
                    fmt::format("{}: argument {}, {}, is declared as {}, {} bytes at offset {}; the object takes {}",
                                head, i + 1, is.name, value_kind, is.size, is.offset, argument_text(want)));
    }
}

void check_descriptor(const Subject& subject, const Launch& launch, const pm::Kernel& compiled, GateResult& result) {
    const pm::DescriptorProblems problems = pm::descriptor_problems(*subject.chip, compiled);
    const std::string head = fmt::format("{} on {}: descriptor of {}", subject.name, subject.chip->name, launch.symbol);
    ++result.checks;
    for (const std::string& fault : problems.faults)
        add_finding(result, kind::kBadDescriptor, fmt::format("{}: {}", head, fault));
    for (const std::string& reason : problems.unmodelled)
        result.unchecked.push_back(fmt::format("{}: {}", head, reason));
}

void check_launch(const Subject& subject, const std::string& where, const LaunchPlan& launch,
                  const pm::Kernel& compiled, GateResult& result) {
    const std::string head = fmt::format("{}: {}", where, launch.symbol);
    const pm::Chip& chip = *subject.chip;
    const auto [x, y, z] = launch.block;
    const std::uint64_t block = std::uint64_t{x} * y * z;
    const std::string block_text = fmt::format("block {}x{}x{}", x, y, z);
    result.checks += 5;
    const auto* required = static_cast<const std::uint32_t*>(compiled.reqd_block);
    if (required[0] != 0 && !std::equal(launch.block.begin(), launch.block.end(), required))
        add_finding(result, kind::kBlockSize,
                    fmt::format("{}: {}, the object requires {}x{}x{}", head, block_text, required[0], required[1],
                                required[2]));
    const std::uint64_t most = std::min<std::uint64_t>(compiled.resources.max_block, chip.max_workgroup);
    if (block == 0 || block > most)
        add_finding(result, kind::kBlockSize,
                    fmt::format("{}: {} is {} work-items, expected 1 to {}", head, block_text, block, most));
    if (launch.workgroups() == 0)
        add_finding(
            result, kind::kBlockSize,
            fmt::format("{}: grid {}x{}x{} holds no workgroup", head, launch.grid[0], launch.grid[1], launch.grid[2]));
    const std::uint64_t lds = std::uint64_t{compiled.resources.lds} + launch.dynamic_lds;
    if (lds > chip.lds_bytes)
        add_finding(result, kind::kLdsLimit,
                    fmt::format("{}: {} bytes of LDS ({} static, {} dynamic), {} has {} a workgroup", head, lds,
                                compiled.resources.lds, launch.dynamic_lds, chip.name, chip.lds_bytes));
    if (launch.kernarg_bytes > chip.kernarg_bytes)
        add_finding(result, kind::kKernargLimit,
                    fmt::format("{}: {} bytes of kernarg, {} takes {}", head, launch.kernarg_bytes, chip.name,
                                chip.kernarg_bytes));
}

/// Everything that needs no launch.
void check_object(GateContext& context, GateResult& result) {
    const Subject& subject = context.subject;
    ++result.checks;
    if (subject.object == nullptr) {
        add_finding(result, kind::kUnreadableObject, fmt::format("{}: {}", subject.name, subject.object_error));
        return;
    }
    const pm::CodeObject& object = *subject.object;
    result.checks += 2;
    if (object.chip == nullptr || object.chip->name != subject.chip->name)
        add_finding(result, kind::kWrongChip,
                    fmt::format("{}: the object is for {}, expected {}", subject.name,
                                object.chip == nullptr ? "an unknown chip" : object.chip->name, subject.chip->name));
    if (object.version < kOldestVersion || object.version > kNewestVersion)
        add_finding(result, kind::kUnreadableObject,
                    fmt::format("{}: code object version {}, expected {} to {}", subject.name, object.version,
                                kOldestVersion, kNewestVersion));
    for (const Launch& launch : subject.kernel.launches) {
        ++result.checks;
        const pm::Kernel* compiled = object.find_kernel(launch.symbol);
        if (compiled == nullptr) {
            std::vector<std::string> names;
            for (const pm::Kernel& kernel : object.kernels) names.push_back(kernel.name);
            add_finding(result, kind::kSymbolMissing,
                        fmt::format("{} on {}: no kernel {} among the {} of the object", subject.name,
                                    subject.chip->name, launch.symbol, names.size()));
            continue;
        }
        check_arguments(subject, launch, *compiled, result);
        check_descriptor(subject, launch, *compiled, result);
    }
    if (!result.findings.empty()) return;
    check_certificates(subject, result);
    for (std::size_t i = 0; i < subject.kernel.shapes.size(); ++i) {
        const auto& plan = context.plan(i);
        const std::string where =
            fmt::format("{} on {}, shape {}", subject.name, subject.chip->name, shape_text(context.shape(i)));
        if (!plan) {
            result.unchecked.push_back(fmt::format("{}: {}", where, plan.error().text));
            continue;
        }
        for (const LaunchPlan& launch : plan->launches)
            check_launch(subject, where, launch, *object.find_kernel(launch.symbol), result);
    }
}

} // namespace

void run_load(GateContext& context, GateResult& result) {
    check_object(context, result);
    if (!result.findings.empty() || !result.unchecked.empty()) return;
    if (context.subject.kernel.shapes.empty()) {
        result.unchecked.push_back(context.subject.name + ": no shape is declared");
        return;
    }
    const std::size_t smallest = context.smallest_shape();
    LaunchTrouble trouble;
    const auto outputs =
        context.run(*context.plan(smallest), smallest, context.inputs(smallest, context.options.seed), trouble);
    // HIP errors are this gate's own; what the device itself saw is gate 2's to judge.
    const auto device_kinds = std::stable_partition(trouble.findings.begin(), trouble.findings.end(),
                                                    [](const Finding& f) { return f.kind == kind::kHipError; });
    context.held.assign(device_kinds, trouble.findings.end());
    trouble.findings.erase(device_kinds, trouble.findings.end());
    if (outputs) ++result.checks;
    add_trouble(result, std::move(trouble));
    if (!context.options.gate_2_follows)
        for (const Finding& finding : context.held)
            result.unchecked.push_back(fmt::format(
                "the device found \"{}\", which gate 2 judges and was not asked to: {}", finding.kind, finding.text));
}

} // namespace hkc::gate
