#include "peacemaker/run/run_file.h"

#include "peacemaker/run/finding_text.h"

#include "peacemaker/emu/budget.h"
#include "peacemaker/emu/launch.h"
#include "peacemaker/object/kernel_name.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/hex.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>

namespace pm {
namespace {

template <typename T>
bool parse_number(std::string_view text, T& value) {
    int base = 10;
    if constexpr (std::is_integral_v<T>) {
        if (text.starts_with("0x")) {
            text.remove_prefix(2);
            base = 16;
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    } else {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    }
}

template <typename T>
Result<RunArgument> scalar(std::string_view type, std::string_view text) {
    T value{};
    if (!parse_number(text, value))
        return Error{fmt::format("--arg {}:{}: expected a number that fits {}", type, text, type)};
    RunArgument argument;
    argument.scalar.resize(sizeof value);
    std::memcpy(argument.scalar.data(), &value, sizeof value);
    return argument;
}

Result<RunArgument> buffer(std::string_view rest) {
    RunArgument argument;
    argument.is_buffer = true;
    const std::size_t colon = rest.find(':');
    if (!parse_number(rest.substr(0, colon), argument.bytes))
        return Error{fmt::format("--arg buf:{}: expected buf:BYTES[:zero|uninit|iota|ones|FILE]", rest)};
    if (colon == std::string_view::npos) return argument;
    const std::string_view contents = rest.substr(colon + 1);
    using Contents = RunArgument::Contents;
    if (contents == "zero")
        argument.contents = Contents::kZero;
    else if (contents == "uninit")
        argument.contents = Contents::kUninitialised;
    else if (contents == "iota")
        argument.contents = Contents::kIota;
    else if (contents == "ones")
        argument.contents = Contents::kOnes;
    else {
        argument.contents = Contents::kFile;
        argument.file = contents;
    }
    return argument;
}

Result<void> fill(const RunArgument& argument, emu::Allocation& allocation) {
    using Contents = RunArgument::Contents;
    if (argument.contents == Contents::kUninitialised) return {};
    std::memset(allocation.data, 0, allocation.size);
    if (argument.contents == Contents::kFile) {
        auto bytes = read_file(argument.file);
        if (!bytes) return bytes.error();
        if (bytes->size() != allocation.size)
            return Error{
                fmt::format("{}: {} bytes, the argument asks for {}", argument.file, bytes->size(), allocation.size)};
        std::memcpy(allocation.data, bytes->data(), bytes->size());
    }
    for (std::uint32_t i = 0; i < allocation.size / 4; ++i) {
        const float one = 1.0F;
        if (argument.contents == Contents::kIota) std::memcpy(allocation.data + 4ULL * i, &i, 4);
        if (argument.contents == Contents::kOnes) std::memcpy(allocation.data + 4ULL * i, &one, 4);
    }
    emu::Memory::set_defined(allocation, allocation.address, allocation.size);
    emu::Memory::settle(allocation);
    return {};
}

// A value's bytes in the kernarg segment; a buffer's are its address.
void put(std::vector<std::byte>& kernarg, std::size_t offset, std::span<const std::byte> bytes) {
    kernarg.resize(std::max(kernarg.size(), offset + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), kernarg.begin() + static_cast<std::ptrdiff_t>(offset));
}

std::size_t next_offset(const std::vector<std::byte>& kernarg, std::size_t size) {
    const std::size_t alignment = std::min<std::size_t>(size & (~size + 1), 16);
    return (kernarg.size() + alignment - 1) / alignment * alignment;
}

std::vector<const KernelArgument*> explicit_arguments(const Kernel& kernel) {
    std::vector<const KernelArgument*> arguments;
    for (const KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) arguments.push_back(&argument);
    return arguments;
}

bool takes_buffer(const KernelArgument& argument) { return argument.value_kind == "global_buffer"; }

std::string declared_text(const KernelArgument& argument) {
    const std::string name = argument.name.empty() ? "" : argument.name + ": ";
    return takes_buffer(argument) ? name + "a buffer"
                                  : fmt::format("{}{}, {} bytes", name, argument.value_kind, argument.size);
}

std::string given_text(const RunArgument& argument) {
    return argument.is_buffer ? "a buffer" : fmt::format("a value of {} bytes", argument.scalar.size());
}

Result<void> check_arguments(const Kernel& kernel, const std::vector<RunArgument>& given) {
    const std::vector<const KernelArgument*> declared = explicit_arguments(kernel);
    std::string wrong;
    if (given.size() != declared.size())
        wrong = fmt::format("{} given, the metadata has {}", given.size(), declared.size());
    for (std::size_t i = 0; wrong.empty() && i < given.size(); ++i) {
        const bool fits = takes_buffer(*declared[i])
                              ? given[i].is_buffer
                              : !given[i].is_buffer && given[i].scalar.size() == declared[i]->size;
        if (!fits)
            wrong = fmt::format("argument {} is {}, the metadata has {}", i, given_text(given[i]),
                                declared_text(*declared[i]));
    }
    if (wrong.empty()) return {};
    std::string text = fmt::format("arguments of kernel {}: {}", kernel.name, wrong);
    for (std::size_t i = 0; i < declared.size(); ++i) text += fmt::format("\n  {}  {}", i, declared_text(*declared[i]));
    return Error{text};
}

} // namespace

Result<RunArgument> parse_run_argument(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view type = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (type == "buf") return buffer(rest);
    if (type == "u8") return scalar<std::uint8_t>(type, rest);
    if (type == "u16") return scalar<std::uint16_t>(type, rest);
    if (type == "u32") return scalar<std::uint32_t>(type, rest);
    if (type == "i32") return scalar<std::int32_t>(type, rest);
    if (type == "u64") return scalar<std::uint64_t>(type, rest);
    if (type == "i64") return scalar<std::int64_t>(type, rest);
    if (type == "f32") return scalar<float>(type, rest);
    if (type == "f64") return scalar<double>(type, rest);
    if (type == "hex") {
        const auto bytes = bytes_of_hex(rest);
        if (!bytes) return Error{fmt::format("--arg {}: expected whole bytes as hex digits", text)};
        const auto view = std::as_bytes(std::span(*bytes));
        RunArgument argument;
        argument.scalar.assign(view.begin(), view.end());
        return argument;
    }
    const std::vector<std::string> types = {"buf", "u8", "u16", "u32", "i32", "u64", "i64", "f32", "f64", "hex"};
    return Error{fmt::format("--arg {}: unknown type {}{}; expected {}", text, type, did_you_mean(type, types),
                             fmt::join(types, ", "))};
}

Result<RunResult> run_file(const RunRequest& request) {
    auto object = read_code_object(request.file, request.chip);
    if (!object) return object.error();
    RunResult result;
    result.chip = object->chip->name;
    emu::Memory memory;
    const auto module = emu::load_module(std::move(*object), memory);
    if (!module) return module.error().with(request.file);

    const auto named = named_kernel(emu::code_object_of(**module), request.kernel);
    if (!named) return named.error().with(request.file);
    const Kernel& kernel = **named;
    std::vector<const KernelArgument*> declared;
    if (!request.any_arguments) {
        if (const auto fit = check_arguments(kernel, request.arguments); !fit) return fit.error().with(request.file);
        declared = explicit_arguments(kernel);
    }

    std::vector<std::byte> kernarg;
    std::vector<emu::Allocation*> allocations;
    const auto supply = [&](std::span<const std::byte> bytes) {
        const std::size_t index = allocations.size() - 1;
        put(kernarg, index < declared.size() ? declared[index]->offset : next_offset(kernarg, bytes.size()), bytes);
    };
    for (const RunArgument& argument : request.arguments) {
        allocations.push_back(nullptr);
        if (!argument.is_buffer) {
            supply(argument.scalar);
            continue;
        }
        allocations.back() = memory.allocate(argument.bytes);
        if (allocations.back() == nullptr)
            return Error{fmt::format("no memory for a buffer of {} bytes", argument.bytes)};
        if (const auto filled = fill(argument, *allocations.back()); !filled) return filled.error();
        supply(std::as_bytes(std::span(&allocations.back()->address, 1)));
    }
    const auto budget = emu::instruction_budget(std::getenv(emu::kMaxInstructionsVariable));
    if (!budget) return budget.error();
    emu::LaunchRequest launch;
    launch.kernel = kernel.name;
    launch.grid = request.grid;
    launch.block = request.block;
    launch.dynamic_lds = request.dynamic_lds;
    launch.max_instructions = request.max_instructions != 0 ? request.max_instructions : *budget;
    launch.kernarg = kernarg;
    auto report = emu::launch(memory, **module, launch);
    if (!report) return report.error().with(request.file);
    result.report = std::move(*report);
    for (const std::size_t index : request.read_back) {
        if (index >= allocations.size() || allocations[index] == nullptr) continue;
        const emu::Allocation& a = *allocations[index];
        const std::uint64_t first = emu::Memory::first_undefined(a, a.address, a.size);
        if (first == 0) continue;
        emu::Finding finding;
        finding.kind = emu::FindingKind::kUndefinedOutput;
        finding.kernel = kernel.name;
        finding.address = first;
        finding.detail = fmt::format("argument {}: byte {} of {} is undefined when the host reads it", index,
                                     first - a.address, a.size);
        result.report.findings.push_back(std::move(finding));
    }
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        const bool read = std::find(request.read_back.begin(), request.read_back.end(), i) != request.read_back.end();
        if (allocations[i] == nullptr || read) continue;
        const auto& masks = allocations[i]->undefined;
        const auto undefined = std::count_if(masks.begin(), masks.end(), [](std::uint8_t mask) { return mask != 0; });
        if (undefined != 0)
            result.notes.push_back(fmt::format("argument {}: {} of {} bytes are undefined, and no --dump reads them", i,
                                               undefined, allocations[i]->size));
    }
    for (const emu::Allocation* a : allocations) {
        result.buffers.emplace_back();
        if (a != nullptr) result.buffers.back().assign(a->data, a->data + a->size);
    }
    return result;
}

std::string report_text(const RunResult& result) {
    std::string out;
    const emu::Report& report = result.report;
    for (const emu::Finding& f : report.findings) {
        out += finding_text(f);
    }
    for (const std::string& text : report.unsupported) out += fmt::format("unchecked: {}\n", text);
    for (const std::string& text : result.notes) out += fmt::format("note: {}\n", text);
    for (const auto& [name, note] : report.notes) out += fmt::format("approximate: {}: {}\n", name, note);
    out += fmt::format("{}: {} findings; {} wave instructions executed: {} exact, {} approximate; {} lane operations\n",
                       result.chip, report.findings.size(), report.instructions, report.exact, report.approximate,
                       report.lane_operations);
    return out;
}

} // namespace pm
