#include "contract/reference/reference.h"

#include "peacemaker/support/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace hkc {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

/// The options that --help shows, positionals left out.
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    return app.get_options(
        [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
    return app.get_options(
        [](const CLI::Option* option) { return option->get_positional() && !option->nonpositional(); });
}

/// -o, --output
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The list that a value is one of; empty where it may be anything.
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t from = type.find('{'), to = type.find('}');
    if (from == std::string::npos || to == std::string::npos) return {};
    return CLI::detail::split(type.substr(from + 1, to - from - 1), ',');
}

std::string value_name(const CLI::Option& option) {
    const auto values = values_of(option);
    if (!values.empty()) return fmt::format("{}", fmt::join(values, "|"));
    return option.get_type_name();
}

/// What stands without a value given; the number of cores is not told, for it is the machine's.
std::string default_of(const CLI::Option& option) {
    const auto& names = option.get_lnames();
    if (std::find(names.begin(), names.end(), "jobs") != names.end()) return {};
    return option.get_default_str();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Text as troff prints it: no escape, no ligature of hyphens, no line that is a request.
std::string troff(const std::string& text) {
    std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
    return replaced(replaced(out, "\n.", "\n\\&."), "\n'", "\n\\&'");
}

/// Lines that stay lines.
std::string troff_lines(const std::string& text) { return replaced(troff(text), "\n", "\n.br\n"); }

std::string man_options(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : positionals_of(app))
        out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", troff(option->get_name(true)), troff(option->get_description()));
    for (const CLI::Option* option : options_of(app)) {
        std::vector<std::string> names;
        for (const std::string& name : names_of(*option)) names.push_back(fmt::format("\\fB{}\\fR", troff(name)));
        out +=
            fmt::format(".TP\n{}{}\n{}{}\n", fmt::join(names, ", "),
                        takes_value(*option) ? fmt::format(" \\fI{}\\fR", troff(value_name(*option))) : "",
                        troff(option->get_description()),
                        default_of(*option).empty() ? "" : troff(fmt::format(" (default: {})", default_of(*option))));
    }
    return out;
}

std::string synopsis(const CLI::App& app) {
    std::string out = " [\\fIOPTIONS\\fR]";
    for (const CLI::Option* option : positionals_of(app)) {
        const std::string name = fmt::format("\\fI{}\\fR{}", troff(option->get_name(true)),
                                             option->get_items_expected_max() > 1 ? "..." : "");
        out += option->get_required() ? " " + name : " [" + name + "]";
    }
    return out;
}

/// The first sentence, without its full stop.
std::string title_of(const std::string& description) {
    return description.substr(
        0, std::min(description.find(".\n"), description.size() - (description.ends_with('.') ? 1 : 0)));
}

/// A name of letters and underscores for a shell's function.
std::string function_of(const std::string& program) { return fmt::format("_{}", replaced(program, "-", "_")); }

/// Every spelling of its options.
std::string spellings_of(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : options_of(app))
        for (const std::string& name : names_of(*option)) words.push_back(name);
    return fmt::format("{}", fmt::join(words, " "));
}

/// One option's line of _arguments.
std::string zsh_option(const CLI::Option& option) {
    const std::string about =
        replaced(replaced(replaced(option.get_description(), "\\", "\\\\"), "[", "\\["), "]", "\\]");
    std::string rest = fmt::format("[{}]", about);
    if (takes_value(option)) {
        const auto values = values_of(option);
        rest += values.empty() ? fmt::format(":{}:_files", replaced(option.get_type_name(), ":", "\\:"))
                               : fmt::format(":value:({})", fmt::join(values, " "));
    }
    const auto names = names_of(option);
    std::string out;
    for (const std::string& name : names)
        out += fmt::format("    {}\n", pm::shell_quoted(fmt::format("({}){}{}", fmt::join(names, " "), name, rest)));
    return out;
}

std::string zsh_options(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : options_of(app)) out += zsh_option(*option);
    return out;
}

} // namespace

std::string man_page(const CLI::App& app, const std::string& program) {
    std::string upper = program;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    const std::string description = app.get_description();
    std::string out = fmt::format(
        ".\\\" Made of the program's own options; see `{} --help`.\n.TH {} 1\n.SH NAME\n{} \\- {}\n"
        ".SH SYNOPSIS\n.B {}\n{}\n",
        program, troff(upper), troff(program), troff(title_of(description)), troff(program), synopsis(app).substr(1));
    const auto commands = commands_of(app);
    for (const CLI::App* command : commands)
        out += fmt::format(".br\n.B {} {}\n{}\n", troff(program), troff(command->get_name()),
                           synopsis(*command).substr(1));
    out += fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}", troff_lines(description), man_options(app));
    for (const CLI::App* command : commands)
        out += fmt::format(".SH \"COMMAND {}\"\n{}\n{}", troff(command->get_name()), troff(command->get_description()),
                           man_options(*command));
    if (!app.get_footer().empty()) out += fmt::format(".SH \"EXIT STATUS\"\n{}\n", troff_lines(app.get_footer()));
    return out;
}

std::string bash_completion(const CLI::App& app, const std::string& program) {
    std::vector<const CLI::App*> levels = commands_of(app);
    std::vector<std::string> names;
    for (const CLI::App* command : levels) names.push_back(command->get_name());
    levels.insert(levels.begin(), &app);

    std::string values, words;
    for (const CLI::App* level : levels) {
        const std::string name = level == &app ? "" : level->get_name();
        std::string offered = spellings_of(*level);
        if (level == &app && !names.empty()) offered += fmt::format(" {}", fmt::join(names, " "));
        if (level != &app && app.get_fallthrough()) offered += " " + spellings_of(app);
        words += fmt::format("    '{}') words='{}' ;;\n", name, offered);
        for (const CLI::Option* option : options_of(*level)) {
            if (!takes_value(*option)) continue;
            for (const std::string& spelling : names_of(*option))
                // A value that may be anything: the shell offers files.
                values +=
                    fmt::format("    '{}:{}') words='{}' ;;\n", name, spelling, fmt::join(values_of(*option), " "));
        }
    }
    const std::string find_command =
        names.empty() ? ""
                      : fmt::format("    for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
                                    "        case $word in {}) command=$word; break ;; esac\n    done\n",
                                    fmt::join(names, " | "));
    return fmt::format(
        "# Completion of {0} for bash, made of the program's own options.\n"
        "{1}() {{\n"
        "    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command='' words='' word\n"
        "    COMPREPLY=()\n{2}"
        "    case $command:$prev in\n{3}"
        "    *) case $command in\n{4}    esac ;;\n"
        "    esac\n"
        "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
        "}}\n"
        "complete -o default -F {1} {0}\n",
        program, function_of(program), find_command, values, words);
}

std::string zsh_completion(const CLI::App& app, const std::string& program) {
    const auto commands = commands_of(app);
    std::string out = fmt::format("#compdef {0}\n# Completion of {0} for zsh, made of the program's own options.\n"
                                  "local curcontext=$curcontext state line\ntypeset -A opt_args\n"
                                  "local -a own_options=(\n{1})\n",
                                  program, zsh_options(app));
    if (commands.empty()) return out + "_arguments -C $own_options '*:file:_files'\n";
    std::string described, cases;
    for (const CLI::App* command : commands) {
        described += fmt::format(
            "    {}\n", pm::shell_quoted(fmt::format("{}:{}", command->get_name(), command->get_description())));
        cases +=
            fmt::format("{}) _arguments \\\n{}    {}'*:file:_files' ;;\n", command->get_name(),
                        replaced(zsh_options(*command), "\n", " \\\n"), app.get_fallthrough() ? "$own_options " : "");
    }
    return out + fmt::format("local -a own_commands=(\n{})\n"
                             "_arguments -C $own_options '1:command:->command' '*::argument:->argument'\n"
                             "case $state in\ncommand) _describe command own_commands ;;\n"
                             "argument) case $line[1] in\n{}esac ;;\nesac\n",
                             described, cases);
}

bool print_reference(const CLI::App& app, int argc, char** argv) {
    if (argc != 3 || std::string_view(argv[1]) != "--print-reference") return false;
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    const std::string_view form = argv[2];
    if (form == "man")
        fmt::print("{}", man_page(app, program));
    else if (form == "bash")
        fmt::print("{}", bash_completion(app, program));
    else if (form == "zsh")
        fmt::print("{}", zsh_completion(app, program));
    else
        return false;
    return true;
}

} // namespace hkc
