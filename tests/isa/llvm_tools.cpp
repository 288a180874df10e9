#include "tests/isa/llvm_tools.h"

#include "peacemaker/support/file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace pm::testing {
namespace {

Result<void> write_plain(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) return Error{path + " could not be written"};
    return {};
}

Result<std::string> made_from(std::string_view input, const char* program, const std::vector<std::string>& arguments) {
    const Folder folder;
    if (const auto written = write_plain(folder.path("in"), input); !written) return written.error();
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {folder.path("in"), "-o", folder.path("out")});
    if (const auto ran = run_program(program, all); !ran) return ran.error();
    return read_file(folder.path("out"));
}

} // namespace

Folder::Folder() {
    llvm::SmallString<128> path;
    if (!llvm::sys::fs::createUniqueDirectory("hkc-test", path)) path_ = path.str().str();
}

Folder::~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

bool installed(const std::string& program) { return bool(llvm::sys::findProgramByName(program)); }

Result<std::string> run_program(const std::string& program, const std::vector<std::string>& arguments) {
    const auto found = llvm::sys::findProgramByName(program);
    if (!found) return Error{program + " is not installed"};
    const Folder folder;
    const std::string output = folder.path("printed");
    std::vector<llvm::StringRef> words = {*found};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output),
                                                        llvm::StringRef(output)};
    const int status = llvm::sys::ExecuteAndWait(*found, words, std::nullopt, redirects);
    auto printed = read_file(output);
    if (!printed) return printed.error();
    if (status != 0) return Error{program + " ended with status " + std::to_string(status) + "\n" + *printed};
    return printed;
}

Result<std::string> assemble(std::string_view chip, std::string_view text, unsigned wave) {
    const std::string size = wave == 64 ? "-wavefrontsize32,+wavefrontsize64" : "+wavefrontsize32";
    return made_from(text, "llvm-mc-22",
                     {"-triple=amdgcn-amd-amdhsa", "-mcpu=" + std::string(chip), "-mattr=" + size, "-filetype=obj"});
}

Result<std::string> link(std::string_view relocatable) { return made_from(relocatable, "ld.lld-22", {"-shared"}); }

Result<std::string> compile_hip(const std::string& compiler, const std::string& chip, const std::string& source,
                                const std::vector<std::string>& flags) {
    const Folder folder;
    std::vector<std::string> arguments = {"-x",
                                          "hip",
                                          "--offload-arch=" + chip,
                                          "--cuda-device-only",
                                          "--no-gpu-bundle-output",
                                          "-nogpulib",
                                          "-nogpuinc",
                                          source,
                                          "-o",
                                          folder.path("out")};
    arguments.insert(arguments.begin(), flags.begin(), flags.end());
    if (const auto ran = run_program(compiler, arguments); !ran) return ran.error();
    return read_file(folder.path("out"));
}

const Result<std::string>& compiled_hip(const std::string& compiler, const std::string& chip, const std::string& source,
                                        const std::vector<std::string>& flags) {
    using Arguments = std::tuple<std::string, std::string, std::string, std::vector<std::string>>;
    static std::map<Arguments, Result<std::string>> all;
    const Arguments arguments{compiler, chip, source, flags};
    const auto known = all.find(arguments);
    if (known != all.end()) return known->second;
    return all.emplace(arguments, compile_hip(compiler, chip, source, flags)).first->second;
}

Result<std::string> code_of(std::string_view elf) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(elf, "object"));
    if (!file) return Error{llvm::toString(file.takeError())};
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        if (!section.isText()) continue;
        auto contents = section.getContents();
        if (!contents) return Error{llvm::toString(contents.takeError())};
        return contents->str();
    }
    return Error{"no executable section"};
}

Result<std::vector<Listed>> objdump(std::string_view elf) {
    const Folder folder;
    if (const auto written = write_plain(folder.path("in"), elf); !written) return written.error();
    const auto printed =
        run_program("llvm-objdump-22", {"-d", "--no-show-raw-insn", "--no-leading-headers", folder.path("in")});
    if (!printed) return printed.error();
    // "	v_mov_b32_e32 v1, v2                                       // 000000001904: 7E020302 "
    std::vector<Listed> listed;
    std::istringstream lines(*printed);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t comment = line.find("// ");
        if (line.empty() || line[0] != '\t' || comment == std::string::npos) continue;
        Listed one;
        std::from_chars(line.data() + comment + 3, line.data() + line.size(), one.address, 16);
        const std::size_t end = line.find_last_not_of(" \t", comment - 1);
        one.text = line.substr(1, end);
        listed.push_back(std::move(one));
    }
    return listed;
}

} // namespace pm::testing
