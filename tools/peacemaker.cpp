// peacemaker: code objects as typed programs. So far: run, certify, loops, isa.
#include "peacemaker/certify/certify.h"
#include "peacemaker/emu/coverage.h"
#include "peacemaker/lift/loops.h"
#include "peacemaker/run/run_file.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace {

constexpr int kClean = 0, kFindings = 1, kBadUsage = 2, kUnchecked = 3;

struct RunOptions {
    pm::RunRequest request;
    std::string grid = "1", block = "1";
    std::vector<std::string> arguments, dumps;
    std::vector<std::string> dump_files; // one an entry of request.read_back
    bool json = false;
};

pm::Result<std::array<std::uint32_t, 3>> parse_dimensions(const std::string& option, const std::string& text) {
    std::array<std::uint32_t, 3> out{1, 1, 1};
    const std::vector<std::string> parts = pm::split(text, ',');
    bool good = !parts.empty() && parts.size() <= 3;
    for (std::size_t i = 0; good && i < parts.size(); ++i) {
        const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), out[i]);
        good = error == std::errc() && end == parts[i].data() + parts[i].size() && out[i] != 0;
    }
    if (!good) return pm::Error{fmt::format("{} {}: expected X, X,Y or X,Y,Z, each at least 1", option, text)};
    return out;
}

struct Dump {
    std::size_t argument = 0;
    std::string file;
};

pm::Result<Dump> parse_dump(const std::string& text, const std::vector<pm::RunArgument>& arguments) {
    const std::size_t colon = text.find(':');
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()), index);
    if (colon == std::string::npos || error != std::errc() || end != text.data() + colon || index >= arguments.size() ||
        !arguments[index].is_buffer)
        return pm::Error{
            fmt::format("--dump {}: expected ARG:FILE, ARG the number of a buffer argument, counted from 0", text)};
    return Dump{index, text.substr(colon + 1)};
}

pm::Result<void> complete(RunOptions& options) {
    const auto grid = parse_dimensions("--grid", options.grid);
    if (!grid) return grid.error();
    const auto block = parse_dimensions("--block", options.block);
    if (!block) return block.error();
    options.request.grid = *grid;
    options.request.block = *block;
    for (const std::string& text : options.arguments) {
        auto argument = pm::parse_run_argument(text);
        if (!argument) return argument.error();
        options.request.arguments.push_back(std::move(*argument));
    }
    for (const std::string& text : options.dumps) {
        const auto dump = parse_dump(text, options.request.arguments);
        if (!dump) return dump.error();
        options.request.read_back.push_back(dump->argument);
        options.dump_files.push_back(dump->file);
    }
    return {};
}

pm::Result<void> write_dumps(const RunOptions& options, const pm::RunResult& result) {
    for (std::size_t i = 0; i < options.dump_files.size(); ++i) {
        const auto& bytes = result.buffers[options.request.read_back[i]];
        const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (const auto written = pm::write_file_atomically(options.dump_files[i], view); !written)
            return written.error();
    }
    return {};
}

int fail(const pm::Error& error) {
    fmt::print(stderr, "peacemaker: {}\n", error.text);
    return kBadUsage;
}

int run(RunOptions options) {
    if (const auto completed = complete(options); !completed) return fail(completed.error());
    const auto result = pm::run_file(options.request);
    if (!result) return fail(result.error());
    if (const auto dumped = write_dumps(options, *result); !dumped) return fail(dumped.error());
    fmt::print("{}", options.json ? pm::emu::to_json(result->report) + "\n" : pm::report_text(*result));
    if (!result->report.findings.empty()) return kFindings;
    return result->report.unsupported.empty() ? kClean : kUnchecked;
}

struct LoopsOptions {
    std::string file, kernel = "*", chip;
    std::uint32_t per = 0;
};

int loops(const LoopsOptions& options) {
    const auto object = pm::read_code_object(options.file, options.chip);
    if (!object) return fail(object.error());
    std::vector<std::string> names;
    bool found = false;
    for (const pm::Kernel& kernel : object->kernels) {
        names.push_back(kernel.name);
        if (!pm::glob_match(options.kernel, kernel.name)) continue;
        found = true;
        const auto listing = pm::lift::instructions_of(*object, kernel);
        if (!listing) return fail(listing.error().with(options.file));
        fmt::print("{}", pm::lift::loops_text(kernel, *listing, options.per));
    }
    if (found) return kClean;
    return fail({fmt::format("{}: none of its {} kernels is {}{}", options.file, names.size(), options.kernel,
                             pm::did_you_mean(options.kernel, names))});
}

struct CertifyOptions {
    std::string file, kernel = "*", chip;
    bool json = false;
};

int certify(const CertifyOptions& options) {
    const auto object = pm::read_code_object(options.file, options.chip);
    if (!object) return fail(object.error());
    const auto certificate = pm::certify::certify(*object, options.kernel);
    if (!certificate) return fail(certificate.error().with(options.file));
    fmt::print("{}", options.json ? pm::certify::report_json(*certificate, options.file)
                                  : pm::certify::report_text(*certificate, options.file));
    const auto any = [&](pm::certify::Verdict verdict) {
        return std::any_of(certificate->kernels.begin(), certificate->kernels.end(),
                           [verdict](const auto& kernel) { return kernel.verdict == verdict; });
    };
    if (any(pm::certify::Verdict::kOpen)) return kFindings;
    return any(pm::certify::Verdict::kUnchecked) ? kUnchecked : kClean;
}

struct IsaOptions {
    std::string chip, only;
    bool summary = false;
};

int isa(const IsaOptions& options) {
    const auto chip = pm::find_chip(options.chip);
    if (!chip) return fail(chip.error());
    const auto disassembler = pm::isa::Disassembler::create(**chip);
    if (!disassembler) return fail(disassembler.error());
    const auto table = pm::emu::coverage_of(**chip, **disassembler);
    fmt::print("{}", options.summary ? pm::emu::coverage_summary(table) : pm::emu::coverage_text(table, options.only));
    return kClean;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Code objects as typed programs"};
    app.require_subcommand(1);
    RunOptions options;
    CLI::App* const command =
        app.add_subcommand("run", "Run one launch of a code object on the embedded device under all checks");
    command->add_option("file", options.request.file, "Code object or offload bundle")->required();
    command->add_option("--kernel", options.request.kernel, "Kernel to launch")->required();
    command->add_option("--chip", options.request.chip, "Chip, where the file is a bundle for several");
    command->add_option("--grid", options.grid, "Workgroups: X, X,Y or X,Y,Z");
    command->add_option("--block", options.block, "Work-items a workgroup: X, X,Y or X,Y,Z");
    command->add_option("--lds", options.request.dynamic_lds, "Dynamic LDS in bytes")->check(CLI::NonNegativeNumber);
    command
        ->add_option("--max-instructions", options.request.max_instructions, "Stop a wave after so many instructions")
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--arg", options.arguments,
                     "buf:BYTES[:zero|uninit|iota|ones|FILE] or u8|u16|u32|i32|u64|i64|f32|f64:VALUE or hex:BYTES")
        ->allow_extra_args(false);
    command->add_option("--dump", options.dumps, "ARG:FILE: write a buffer argument after the launch")
        ->allow_extra_args(false);
    command->add_flag(
        "--any-args", options.request.any_arguments,
        "Run although arguments are not those of the kernel's metadata: a null pointer, a stale call site");
    command->add_flag("--json", options.json, "Print the report as JSON");
    LoopsOptions loops_options;
    CLI::App* const loops_command = app.add_subcommand("loops", "Count the instructions of a kernel's innermost loops");
    loops_command->add_option("file", loops_options.file, "Code object or offload bundle")->required();
    loops_command->add_option("--kernel", loops_options.kernel, "Kernels, as a glob");
    loops_command->add_option("--chip", loops_options.chip, "Chip, where the file is a bundle for several");
    loops_command->add_option("--per", loops_options.per,
                              "What a lane does in a round (codes, say); adds counts a piece");
    CertifyOptions certify_options;
    CLI::App* const certify_command =
        app.add_subcommand("certify", "Prove waits, barriers and registers of kernels along every path");
    certify_command->add_option("file", certify_options.file, "Code object or offload bundle")->required();
    certify_command->add_option("--kernel", certify_options.kernel, "Kernels, as a glob");
    certify_command->add_option("--chip", certify_options.chip, "Chip, where the file is a bundle for several");
    certify_command->add_flag("--json", certify_options.json, "Print the report as JSON");
    IsaOptions isa_options;
    CLI::App* const isa_command =
        app.add_subcommand("isa", "Which instructions of a chip the embedded device executes, and how exactly");
    isa_command->add_option("--chip", isa_options.chip, "Chip")->required();
    isa_command->add_option("--only", isa_options.only, "Show these alone: exact, approximate or unsupported")
        ->check(CLI::IsMember({"exact", "approximate", "unsupported"}));
    isa_command->add_flag("--summary", isa_options.summary, "Print the counts alone");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kClean : kBadUsage;
    }
    if (certify_command->parsed()) return certify(certify_options);
    if (loops_command->parsed()) return loops(loops_options);
    return isa_command->parsed() ? isa(isa_options) : run(std::move(options));
}
