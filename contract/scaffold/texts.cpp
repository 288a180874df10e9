#include "contract/scaffold/texts.h"

#include "contract/registry/entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hkc {
namespace {

constexpr std::uint32_t kLargestBlock = 1024; // what a kernel without launch bounds is compiled for

/// As a string of TOML.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string list_text(std::span<const std::string> texts) {
    std::vector<std::string> all;
    for (const std::string& text : texts) all.push_back(in_quotes(text));
    return fmt::format("[{}]", fmt::join(all, ", "));
}

/// One argument, by what metadata and source tell of it.
struct NewArgument {
    std::string name, type; // type: the registry's; empty where it has none
    std::string declared;   // as the source declares it: const float* x
    std::string told;       // as the metadata tells it: 8 bytes at 0, global_buffer in global memory
    bool buffer = false, constant = false;
    [[nodiscard]] bool integer() const { return !buffer && !type.empty() && type[0] != 'f' && type[0] != 'b'; }
};

std::vector<NewArgument> arguments_of(const NewKernel& kernel) {
    std::vector<NewArgument> arguments;
    for (const pm::KernelArgument& told : kernel.object.arguments) {
        if (told.hidden()) continue;
        const std::size_t at = arguments.size();
        NewArgument argument;
        argument.name = fmt::format("arg{}", at);
        argument.buffer = told.value_kind == "global_buffer";
        argument.told = fmt::format("{} bytes at {}, {}{}", told.size, told.offset, told.value_kind,
                                    told.address_space.empty() ? "" : fmt::format(" in {} memory", told.address_space));
        argument.declared = argument.told;
        if (at < kernel.parameters.size()) {
            const pm::SourceParameter& source = kernel.parameters[at];
            if (is_identifier(source.name)) argument.name = source.name;
            argument.type = element_type(source);
            argument.constant = source.constant;
            argument.declared = fmt::format("{}{}{} {} ({})", source.constant ? "const " : "",
                                            source.type.empty() ? "void" : source.type, source.pointer ? "*" : "",
                                            argument.name, argument.told);
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

/// The whole numbers that a launch is given: what its shapes are made of.
std::vector<std::string> variables_of(std::span<const NewArgument> arguments) {
    std::vector<std::string> names;
    for (const NewArgument& argument : arguments)
        if (argument.integer()) names.push_back(argument.name);
    if (names.empty()) names.emplace_back("n");
    return names;
}

std::string argument_line(const NewArgument& argument, const std::string& variable) {
    const std::string name = in_quotes(argument.name);
    const std::string type = in_quotes(argument.type.empty() ? kBlank : argument.type);
    const std::string no_type = argument.type.empty() ? "; the registry has buffers of numbers, and numbers" : "";
    if (argument.buffer)
        return fmt::format(
            "    {{ name = {}, dir = \"{}\", type = {}, dims = [\"{}\"] }}, # {}{}; {}how many elements, "
            "as in [\"{}\"]\n",
            name, argument.constant ? "in" : "out", type, kBlank, argument.declared, no_type,
            argument.constant ? "" : "out, inout or workspace; ", variable);
    if (argument.integer())
        return fmt::format("    {{ name = {}, type = {} }}, # {}; its value is the shape's\n", name, type,
                           argument.declared);
    return fmt::format("    {{ name = {}, type = {}, value = \"{}\" }}, # {}{}; the value that is passed\n", name, type,
                       kBlank, argument.declared, no_type);
}

std::string block_of(const pm::Kernel& kernel) {
    const auto& required = kernel.reqd_block;
    if (required[0] != 0) return fmt::format("[{}, {}, {}]", required[0], required[1], required[2]);
    if (kernel.resources.max_block < kLargestBlock) return fmt::format("[{}]", kernel.resources.max_block);
    return fmt::format("[\"{}\"]", kBlank);
}

std::string shape_line(std::span<const std::string> variables, bool served) {
    std::string line = "    { ";
    for (const std::string& name : variables)
        line += served ? fmt::format("{} = \"{}\", ", name, kBlank) : fmt::format("{} = [\"{}\"], ", name, kBlank);
    return line + (served ? "served = true }, # a size that is really used\n"
                          : "ragged = true }, # sizes that leave workgroups partly filled, as in [1, 255, 257]\n");
}

/// The host's type for what a buffer holds; halves are their bits.
std::string host_type(const std::string& type) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFloats{
        {{"f32", "float"}, {"f64", "double"}}};
    for (const auto& [registry, host] : kFloats)
        if (type == registry) return std::string(host);
    if (type == "fp16" || type == "bf16") return "std::uint16_t";
    return fmt::format("std::{}int{}_t", type[0] == 'u' ? "u" : "", type.substr(1));
}

std::string library_lines(const NewKernel& kernel) {
    return fmt::format("add_library({0}_oracle MODULE oracles/{0}.cpp)\n"
                       "target_link_libraries({0}_oracle PRIVATE HipKernelContract::oracle)\n",
                       kernel.name);
}

} // namespace

std::string element_type(const pm::SourceParameter& parameter) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHalves{{{"_Float16", "fp16"},
                                                                                           {"__half", "fp16"},
                                                                                           {"half", "fp16"},
                                                                                           {"__fp16", "fp16"},
                                                                                           {"__bf16", "bf16"},
                                                                                           {"hip_bfloat16", "bf16"},
                                                                                           {"__hip_bfloat16", "bf16"}}};
    if (parameter.bytes == 2)
        for (const auto& [source, registry] : kHalves)
            if (parameter.type == source) return std::string(registry);
    const bool whole = parameter.bytes == 1 || parameter.bytes == 2 || parameter.bytes == 4 || parameter.bytes == 8;
    switch (parameter.number) {
    case pm::NumberKind::kFloat:
        return parameter.bytes == 4 || parameter.bytes == 8 ? fmt::format("f{}", parameter.bytes * 8) : "";
    case pm::NumberKind::kSigned:
        return whole ? fmt::format("i{}", parameter.bytes * 8) : "";
    case pm::NumberKind::kUnsigned:
        return whole ? fmt::format("u{}", parameter.bytes * 8) : "";
    case pm::NumberKind::kNone:
        break;
    }
    return "";
}

std::string registry_text(const NewKernel& kernel, bool own_oracle) {
    const auto arguments = arguments_of(kernel);
    const auto variables = variables_of(arguments);
    std::string out =
        fmt::format("# Every \"{}\" is a blank, with what it wants beside it; nothing runs until all are filled in.\n"
                    "[family]\nname = {}\nsource = {}\nflags = {}\nchips = {}\n\n"
                    "[[kernel]]\nname = {}\noracle = {}\narg = [\n",
                    kBlank, in_quotes(kernel.name), in_quotes(kernel.source), list_text(kernel.flags),
                    list_text(kernel.chips), in_quotes(kernel.name),
                    own_oracle ? fmt::format("{} # oracles/{}.cpp", in_quotes(kernel.name), kernel.name)
                               : fmt::format("\"{}\" # a name that the tool or a library of --oracles has", kBlank));
    for (const NewArgument& argument : arguments) out += argument_line(argument, variables.front());
    const bool bound = kernel.object.resources.max_block < kLargestBlock || kernel.object.reqd_block[0] != 0;
    out += fmt::format("]\nlaunch = [{{ {}block = {}, grid = [\"{}\"] }}] # {} {} work-items; grid: workgroups, as in "
                       "[\"ceildiv({}, {})\"]\n",
                       kernel.object.name == kernel.name ? "" : fmt::format("symbol = \"{}\", ", kernel.object.name),
                       block_of(kernel.object), kBlank, bound ? "compiled for" : "block: at most",
                       kernel.object.resources.max_block, variables.front(),
                       bound ? kernel.object.resources.max_block : 256);
    out += fmt::format("shape = [\n{}{}]\n\n", shape_line(variables, true), shape_line(variables, false));
    out +=
        fmt::format("# A fault planted in the source, which the gates must see.\n"
                    "[[control]]\n"
                    "name = \"{0}\" # the fault in words\n"
                    "of = {1}\n"
                    "plant = {{ edit = [{{ from = \"{0}\", to = \"{0}\" }}] }} # a text that the source has once, and "
                    "what stands there instead\n"
                    "red_at = 3 # the gate: 2 for a race or an access out of bounds, 3 for a wrong result\n"
                    "finding = [\"outside the oracle\"]\n",
                    kBlank, in_quotes(kernel.name));
    return out;
}

std::string oracle_text(const NewKernel& kernel) {
    std::string reads, outputs;
    bool vectors = false;
    for (const NewArgument& argument : arguments_of(kernel)) {
        if (argument.buffer && argument.constant && !argument.type.empty()) {
            reads += fmt::format("    [[maybe_unused]] const auto {0} = values_of<{1}>(input, \"{0}\"); // {2}\n",
                                 argument.name, host_type(argument.type), argument.declared);
            vectors = true;
        } else if (argument.integer()) {
            reads +=
                fmt::format("    [[maybe_unused]] const std::int64_t {0} = input.scope.at(\"{0}\");\n", argument.name);
        } else if (argument.buffer && !argument.constant) {
            outputs += fmt::format("    //   {}, as {{\"{}\", bounds}}\n", argument.declared, argument.name);
        }
    }
    const std::string helper = "/// The elements of a buffer before the launch.\n"
                               "template <typename T>\n"
                               "std::vector<T> values_of(const hkc::OracleInput& input, const char* name) {\n"
                               "    const auto bytes = input.buffers.at(name);\n"
                               "    std::vector<T> values(bytes.size() / sizeof(T));\n"
                               "    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));\n"
                               "    return values;\n"
                               "}\n\n";
    return fmt::format("// What {0} may compute.\n"
                       "#include \"contract/oracle/plugin.h\"\n\n"
                       "#include <cstdint>\n#include <cstring>\n#include <vector>\n\n"
                       "namespace {{\n\n{1}"
                       "pm::Result<hkc::OracleOutput> {2}([[maybe_unused]] const hkc::OracleInput& input) {{\n{3}"
                       "    // {4}: computed in double, for each element of\n{5}"
                       "    // an hkc::OutputBound: the least and the largest legal result, and whether it may be\n"
                       "    // finite, +Inf, -Inf, NaN. Then: return hkc::OracleOutput{{ .. }};\n"
                       "    return pm::Error{{\"oracles/{0}.cpp is not written yet\"}};\n"
                       "}}\n\n}} // namespace\n\n"
                       "void hkc_register_oracles(void (*add)(const char* name, hkc::Oracle oracle)) {{ "
                       "add(\"{0}\", {2}); }}\n",
                       kernel.name, vectors ? helper : "", "legal_results", reads, kBlank, outputs);
}

std::string cmake_lines(const NewKernel& kernel) {
    return fmt::format("{}hip_kernel_contract(NAME {} ORACLES {}_oracle CHIPS {})\n", library_lines(kernel),
                       kernel.name, kernel.name, fmt::join(kernel.chips, " "));
}

std::string cmake_text(const NewKernel& kernel) {
    return fmt::format("cmake_minimum_required(VERSION 3.25)\n"
                       "project(contracts LANGUAGES CXX)\n"
                       "enable_testing()\n"
                       "find_package(HipKernelContract REQUIRED)\n\n{}",
                       cmake_lines(kernel));
}

std::string toolchains_text(const std::string& version) {
    return fmt::format("# \"clang-hip\" is clang++ with the HIP headers and device libraries of the system.\n"
                       "[[toolchain]]\nname = \"clang-{0}\"\nkind = \"clang-hip\"\nversion = \"{0}\"\npinned = true\n"
                       "compilers = [\"clang++-{1}\", \"clang++\"]\n",
                       version, version.substr(0, version.find('.')));
}

} // namespace hkc
