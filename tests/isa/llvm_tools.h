// The assembler, linker, compilers and objdump that tests run as programs: an independent way from text to bytes and
// back.
#pragma once

#include "peacemaker/support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace pm::testing {

/// `text` assembled for `chip` in waves of `wave` lanes by llvm-mc-22: a relocatable ELF file. Error: what the
/// assembler says.
Result<std::string> assemble(std::string_view chip, std::string_view text, unsigned wave = 32);
/// A code object from a relocatable file, by ld.lld-22.
Result<std::string> link(std::string_view relocatable);
/// One chip's code object of a HIP source (a path), by `compiler` (clang++-22, ..) in HIP mode with `flags`.
Result<std::string> compile_hip(const std::string& compiler, const std::string& chip, const std::string& source,
                                const std::vector<std::string>& flags);
/// The same, once a process for the same arguments.
const Result<std::string>& compiled_hip(const std::string& compiler, const std::string& chip, const std::string& source,
                                        const std::vector<std::string>& flags);
/// The bytes of the first executable section.
Result<std::string> code_of(std::string_view elf);

/// One instruction as llvm-objdump-22 prints it.
struct Listed {
    std::uint64_t address = 0;
    std::string text;
};
Result<std::vector<Listed>> objdump(std::string_view elf);

/// Whether a program of that name is on PATH.
bool installed(const std::string& program);
/// Runs a program to its end and gives what it printed. Error: its status and output.
Result<std::string> run_program(const std::string& program, const std::vector<std::string>& arguments);

/// A folder that is removed with everything in it.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace pm::testing
