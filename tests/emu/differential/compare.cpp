#include "tests/emu/differential/compare.h"

#include "peacemaker/emu/launch.h"
#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::testing {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{kItems} * kBlockBytes;

std::vector<std::string> common_flags() {
    return {"-std=c++20", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-w"};
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        text += fmt::format("{}{:02x}", i != 0 && i % 8 == 0 ? " " : "", static_cast<unsigned>(bytes[i]));
    return text;
}

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A defined buffer with these bytes; freed with the memory.
emu::Allocation* buffer(emu::Memory& memory, std::span<const std::byte> bytes) {
    emu::Allocation* const a = memory.allocate(bytes.size());
    std::memcpy(a->data, bytes.data(), bytes.size());
    emu::Memory::set_defined(*a, a->address, a->size);
    emu::Memory::settle(*a);
    return a;
}

std::string difference_text(std::span<const std::byte> inputs, std::span<const std::byte> host,
                            std::span<const std::byte> chip) {
    const auto at =
        static_cast<std::size_t>(std::mismatch(host.begin(), host.end(), chip.begin()).first - host.begin());
    const std::size_t item = at / kBlockBytes, group = item / kGroupItems;
    std::size_t items = 0;
    for (std::size_t i = 0; i < kItems; ++i)
        items += std::memcmp(&host[i * kBlockBytes], &chip[i * kBlockBytes], kBlockBytes) != 0;
    return fmt::format("{} of {} work-items differ; the first is {} of group {}, at byte {}\n  in      {}\n  shared  "
                       "{}\n  host    {}\n  "
                       "chip    {}",
                       items, kItems, item % kGroupItems, group, at % kBlockBytes,
                       hex(inputs.subspan(item * kBlockBytes, kBlockBytes)),
                       hex(inputs.subspan(kOutputBytes + group * kBlockBytes, kBlockBytes)),
                       hex(host.subspan(item * kBlockBytes, kBlockBytes)),
                       hex(chip.subspan(item * kBlockBytes, kBlockBytes)));
}

// One function's launch.
void compare_one(emu::Memory& memory, emu::Module& module, const Function& function, std::uint64_t seed,
                 std::span<const std::byte> host, Outcome& outcome) {
    const std::vector<std::byte> inputs = inputs_of(function, seed);
    const std::span<const std::byte> all(inputs);
    emu::Allocation* const buffers[] = {buffer(memory, all.first(kOutputBytes)),
                                        buffer(memory, all.subspan(kOutputBytes)), buffer(memory, outputs_before())};
    std::vector<std::byte> kernarg(24);
    for (std::size_t i = 0; i < 3; ++i) std::memcpy(&kernarg[8 * i], &buffers[i]->address, 8);
    emu::LaunchRequest request;
    request.kernel = fmt::format("k{}", function.number);
    request.grid = {kGroups, 1, 1};
    request.block = {kGroupItems, 1, 1};
    request.kernarg = kernarg;
    request.threads = 1;
    request.max_instructions = 100'000'000;
    const auto report = emu::launch(memory, module, request);
    const std::span<const std::byte> chip(buffers[2]->data, kOutputBytes);
    if (!report) {
        outcome.unchecked.push_back(fmt::format("function {}: {}", function.number, report.error().text));
    } else {
        outcome.instructions += report->instructions;
        outcome.approximate += report->approximate;
        std::string findings;
        for (const emu::Finding& f : report->findings)
            findings += fmt::format("\n  {} at +0x{:x} {}: {} (x{})", emu::finding_kind_name(f.kind), f.offset,
                                    f.instruction, f.detail, f.count);
        if (!report->unsupported.empty())
            outcome.unchecked.push_back(fmt::format("function {}: {}", function.number, report->unsupported.front()));
        else if (!findings.empty())
            outcome.differences.push_back({function.number, "a finding, where there is no fault" + findings});
        else if (!std::ranges::equal(host, chip))
            outcome.differences.push_back({function.number, difference_text(all, host, chip)});
        else
            ++outcome.agreed;
    }
    for (const emu::Allocation* a : buffers) memory.free(a->address);
}

} // namespace

Result<Outputs> host_outputs(const std::string& compiler, std::span<const Function> functions, std::uint64_t seed) {
    const Folder folder;
    std::string inputs;
    for (const Function& f : functions) {
        inputs += as_text(inputs_of(f, seed));
        inputs += as_text(outputs_before());
    }
    const std::string source = folder.path("functions.cpp"), program = folder.path("program");
    if (const auto r = write_file_atomically(source, source_of(functions)); !r) return r.error();
    if (const auto r = write_file_atomically(folder.path("in"), inputs); !r) return r.error();
    std::vector<std::string> arguments = common_flags();
    arguments.insert(arguments.end(),
                     {"-O0", "-Xclang", "-ffloat16-excess-precision=none", "-fsanitize=undefined,float-cast-overflow",
                      "-fsanitize-trap=all", source, "-o", program, "-lm"});
    if (const auto built = run_program(compiler, arguments); !built) return built.error();
    if (const auto ran = run_program(program, {folder.path("in"), folder.path("out")}); !ran) return ran.error();
    const auto bytes = read_file(folder.path("out"));
    if (!bytes) return bytes.error();
    if (bytes->size() != functions.size() * kOutputBytes) return Error{"the host's program wrote too little"};
    Outputs outputs(functions.size(), std::vector<std::byte>(kOutputBytes));
    for (std::size_t i = 0; i < functions.size(); ++i)
        std::memcpy(outputs[i].data(), bytes->data() + i * kOutputBytes, kOutputBytes);
    return outputs;
}

Outcome compare(const Build& build, std::span<const Function> functions, std::uint64_t seed, const Outputs& host) {
    Outcome outcome;
    const auto fail = [&](const std::string& why) {
        for (const Function& f : functions) outcome.unchecked.push_back(fmt::format("function {}: {}", f.number, why));
        return outcome;
    };
    const Folder folder;
    const std::string source = folder.path("functions.hip");
    if (const auto r = write_file_atomically(source, source_of(functions)); !r) return fail(r.error().text);
    std::vector<std::string> flags = common_flags();
    flags.push_back(build.level);
    flags.emplace_back(build.wave == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64");
    // clang 19 takes a difference of SDWA operands for the reverse one, and merges them (llvm/llvm-project#106920).
    if (build.compiler.ends_with("-19") && build.chip->generation == 10)
        flags.insert(flags.end(), {"-mllvm", "-disable-machine-cse"});
    const auto object = compile_hip(build.compiler, build.chip->name, source, flags);
    if (!object) return fail(object.error().text);
    auto parsed = parse_code_object(*object, "functions.hip");
    if (!parsed) return fail(parsed.error().text);
    emu::Memory memory;
    const auto module = emu::load_module(std::move(*parsed), memory);
    if (!module) return fail(module.error().text);
    for (std::size_t i = 0; i < functions.size(); ++i)
        compare_one(memory, **module, functions[i], seed, host[i], outcome);
    return outcome;
}

Function reduced(const Build& build, Function function, std::uint64_t seed) {
    const auto differs = [&](const Function& candidate) {
        const auto host = host_outputs(build.compiler, {&candidate, 1}, seed);
        return host && !compare(build, {&candidate, 1}, seed, *host).differences.empty();
    };
    if (!differs(function)) return function;
    for (auto* const lines : {&function.statements, &function.stores})
        for (std::size_t i = lines->size(); i-- > 0;) {
            const std::string line = std::move((*lines)[i]);
            lines->erase(lines->begin() + static_cast<std::ptrdiff_t>(i));
            if (!differs(function)) lines->insert(lines->begin() + static_cast<std::ptrdiff_t>(i), line);
        }
    return function;
}

} // namespace pm::testing
