#include "contract/scaffold/scaffold.h"

#include "contract/registry/entry.h"
#include "contract/scaffold/texts.h"
#include "contract/toolchain/compile.h"
#include "peacemaker/object/kernel_name.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Config/llvm-config.h>

#include <algorithm>
#include <optional>
#include <regex>

namespace hkc {
namespace {

namespace fs = std::filesystem;

/// The pinned toolchain of the tree; of a tree that has none, clang of the LLVM release that this program reads objects
/// with.
struct ChosenToolchain {
    Toolchain toolchain;
    std::string text; // of toolchains.toml, where there is none yet
};

std::variant<ChosenToolchain, ScaffoldFailure> choose_toolchain(const fs::path& root) {
    std::error_code error;
    if (fs::exists(root / "toolchains.toml", error)) {
        const auto specs = load_toolchains(root);
        if (!specs) return ScaffoldFailure{specs.error().text};
        const ToolchainSpec& pinned = *pinned_toolchain(*specs);
        auto found = find_installed(pinned, default_cache_dir(root));
        if (!found) return ScaffoldFailure{missing_text(pinned), true};
        return ChosenToolchain{std::move(*found), {}};
    }
    auto specs = parse_toolchains(toolchains_text(LLVM_VERSION_STRING), "toolchains.toml");
    if (!specs) return ScaffoldFailure{specs.error().text};
    auto found = find_installed(specs->front(), default_cache_dir(root));
    if (!found) return ScaffoldFailure{missing_text(specs->front()), true};
    std::smatch match;
    static const std::regex kVersion(R"(version (\d+\.\d+\.\d+))");
    if (!std::regex_search(found->version_text, match, kVersion))
        return ScaffoldFailure{
            fmt::format("{} --version names no version: {}", found->compiler.string(), found->version_text), true};
    return ChosenToolchain{std::move(*found), toolchains_text(match[1])};
}

/// The source as the registry names it.
pm::Result<std::string> source_name(const fs::path& root, const fs::path& source) {
    std::error_code error;
    if (!fs::is_regular_file(source, error)) return pm::Error{fmt::format("{}: no such file", source.string())};
    const fs::path relative = fs::canonical(source, error).lexically_relative(fs::canonical(root, error));
    if (relative.empty() || *relative.begin() == "..")
        return pm::Error{
            fmt::format("{} is not below {}; --root names the folder of the project", source.string(), root.string())};
    return relative.string();
}

/// The chips to try: those that are named, or all that the toolchain builds.
pm::Result<std::vector<const pm::Chip*>> chips_of(const std::vector<std::string>& names, const Toolchain& toolchain) {
    std::vector<const pm::Chip*> chips;
    for (const std::string& name : names) {
        const auto chip = pm::find_chip(name);
        if (!chip) return chip.error().with("--chip");
        chips.push_back(*chip);
    }
    if (names.empty())
        for (const pm::Chip& chip : pm::chips())
            if (toolchain.spec.builds(chip.name)) chips.push_back(&chip);
    return chips;
}

std::size_t explicit_arguments(const pm::Kernel& kernel) {
    return static_cast<std::size_t>(
        std::count_if(kernel.arguments.begin(), kernel.arguments.end(), [](const auto& a) { return !a.hidden(); }));
}

/// The lines that hold a blank as a value, from 1.
std::vector<std::size_t> blank_lines(const std::string& text) {
    const std::string blank = fmt::format("\"{}\"", kBlank);
    std::vector<std::size_t> numbers;
    std::size_t number = 0;
    for (const std::string& line : pm::split(text, '\n')) {
        ++number;
        if (!line.starts_with("#") && line.find(blank) != std::string::npos) numbers.push_back(number);
    }
    return numbers;
}

} // namespace

std::variant<Scaffold, ScaffoldFailure> make_scaffold(const ScaffoldRequest& request) {
    const auto bad = [](const pm::Error& error) { return ScaffoldFailure{error.text}; };
    const auto source = source_name(request.root, request.source);
    if (!source) return bad(source.error());
    auto choice = choose_toolchain(request.root);
    if (auto* failure = std::get_if<ScaffoldFailure>(&choice)) return std::move(*failure);
    const auto& chosen = std::get<ChosenToolchain>(choice);
    const auto chips = chips_of(request.chips, chosen.toolchain);
    if (!chips) return bad(chips.error());
    std::vector<CompileRequest> builds;
    for (const pm::Chip* chip : *chips)
        builds.push_back({.toolchain = &chosen.toolchain,
                          .chip = chip,
                          .root = request.root,
                          .source = *source,
                          .flags = request.flags,
                          .defines = {},
                          .edits = {},
                          .types = true});
    const auto objects = compile_all(builds, default_cache_dir(request.root), request.jobs);

    Scaffold made;
    NewKernel kernel{
        .name = {}, .source = *source, .flags = request.flags, .chips = {}, .object = {}, .parameters = {}};
    std::optional<pm::Error> first;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const std::string& chip = (*chips)[i]->name;
        if (!objects[i]) {
            if (!request.chips.empty()) return bad(objects[i].error());
            if (!first) first = objects[i].error();
            made.notes.push_back(fmt::format("{}: left out, for it does not compile there: {}", chip,
                                             first_compiler_error(objects[i].error().text)));
            continue;
        }
        const auto object = pm::parse_code_object(objects[i]->bytes, *source, (*chips)[i]);
        if (!object) return bad(object.error());
        const auto found = pm::named_kernel(*object, request.symbol);
        if (!found) return bad(found.error().with(fmt::format("{} for {}", *source, chip)));
        const pm::Resources& cost = (*found)->resources;
        made.notes.push_back(fmt::format("{}: vgpr {}, sgpr {}, lds {}, scratch {}", chip, cost.vgpr, cost.sgpr,
                                         cost.lds, cost.scratch));
        if (kernel.chips.empty()) {
            kernel.object = **found;
            kernel.parameters = pm::source_parameters(*object, **found);
        }
        kernel.chips.push_back(chip);
    }
    if (kernel.chips.empty()) return bad(first ? *first : pm::Error{"no chip to compile for"});
    kernel.name = is_plain_name(request.symbol) ? request.symbol : kernel.object.name;
    const std::size_t arguments = explicit_arguments(kernel.object);
    if (kernel.parameters.size() != arguments) {
        kernel.parameters.clear();
        if (arguments > 0) made.notes.emplace_back("names and types of the arguments are not known: blanks");
    }
    made.kernel = kernel.name;
    made.notes.insert(made.notes.begin(),
                      fmt::format("{}: {} arguments, workgroups of at most {} work-items", kernel.object.name,
                                  arguments, kernel.object.resources.max_block));

    const bool alone = !request.out.empty();
    made.files.push_back({alone ? request.out : request.root / fmt::format("registry/{}.toml", kernel.name),
                          registry_text(kernel, !alone)});
    made.blank_lines = blank_lines(made.files.front().text);
    if (!alone) made.files.push_back({request.root / fmt::format("oracles/{}.cpp", kernel.name), oracle_text(kernel)});
    std::error_code error;
    for (ScaffoldFile& file : made.files) {
        file.path = file.path.lexically_normal();
        if (fs::exists(file.path, error))
            return ScaffoldFailure{fmt::format("{} is there already; nothing was written", file.path.string())};
    }
    if (alone) return made;
    if (!chosen.text.empty()) made.files.push_back({request.root / "toolchains.toml", chosen.text});
    if (fs::exists(request.root / "CMakeLists.txt", error))
        made.cmake_lines = cmake_lines(kernel);
    else
        made.files.push_back({request.root / "CMakeLists.txt", cmake_text(kernel)});
    return made;
}

pm::Result<void> write_scaffold(const Scaffold& scaffold) {
    for (const ScaffoldFile& file : scaffold.files)
        if (auto written = pm::write_file_atomically(file.path, file.text); !written) return written.error();
    return {};
}

} // namespace hkc
