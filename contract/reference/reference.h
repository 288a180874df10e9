// A program's man page and shell completions, made of the very declarations that its --help is made of, so that they
// cannot differ. The build asks each program for them:
//
//   hip-kernel-contract --print-reference man|bash|zsh
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace hkc {

/// Troff for man(1): the options of the program and of each command. `program` is the name that it is called by.
std::string man_page(const CLI::App& app, const std::string& program);
/// A function and its `complete` line: commands, options, and the values of options that take one of a list.
std::string bash_completion(const CLI::App& app, const std::string& program);
/// The same as an autoloaded function of zsh, with each option's description.
std::string zsh_completion(const CLI::App& app, const std::string& program);

/// Prints what `--print-reference FORM` asks for, where the command line is that alone. Returns whether it was.
bool print_reference(const CLI::App& app, int argc, char** argv);

} // namespace hkc
