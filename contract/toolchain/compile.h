// Compiles one source for one chip, or takes the object out of a content-addressed cache.
//
//   CompileRequest r{.toolchain = &*toolchain, .chip = chip, .root = root, .source = kernel.source, .flags =
//   kernel.flags}; pm::Result<CompiledObject> o = compile(r, default_cache_dir(root));
//
// A cached object is used only if the compiler, the flags, the source and every file that it included are what they
// were, no file is there that it asked for in vain, and its own bytes have the hash that was stored with them;
// otherwise it is built again. Any number of threads and processes may share a cache.
#pragma once

#include "contract/toolchain/fingerprint.h"
#include "contract/toolchain/toolchain.h"
#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkc {

/// `defines` and `edits` belong to a planted fault: they change the object, and are no part of its fingerprint, so that
/// a control's object is compared with the records of the kernel that it stands in for.
struct CompileRequest {
    const Toolchain* toolchain = nullptr;
    const pm::Chip* chip = nullptr;
    std::filesystem::path root;
    std::string source;               // relative to `root`
    std::vector<std::string> flags;   // the family's
    std::vector<std::string> defines; // NAME or NAME=VALUE
    /// Text of the source that must occur exactly once, and what stands there instead.
    std::vector<std::pair<std::string, std::string>> edits;
    bool types = false; // whether the debug information is of functions and types, too, not of lines alone
};

struct CompiledObject {
    std::filesystem::path object; // the file in the cache
    std::string bytes; // what it holds: an ELF code object, or hipcc's bundle; pm::parse_code_object reads either
    Fingerprint fingerprint;
    bool from_cache = false;
};

/// $HKC_CACHE_DIR, or `root`/.cache; for a root that is installed or cannot be written hip-kernel-contract/ in
/// $XDG_CACHE_HOME or ~/.cache. `root`/.cache is made, with a .gitignore of all that is in it where it has none.
std::filesystem::path default_cache_dir(const std::filesystem::path& root);

/// Error: the source, the command and what the compiler said; or the edit that does not occur exactly once; or what is
/// wrong with the object that it wrote. Where this process was interrupted (pm::catch_interrupts) before it was done,
/// the error is `interrupted` alone.
pm::Result<CompiledObject> compile(const CompileRequest& request, const std::filesystem::path& cache_dir);

/// Compiles all of them, at most `jobs` at a time; results in the order of the requests. `done` is called after each,
/// from any thread but never from two at once. Once this process is interrupted, the results of those that are not
/// built are the error `interrupted`, and compilers that run are ended.
std::vector<pm::Result<CompiledObject>> compile_all(std::span<const CompileRequest> requests,
                                                    const std::filesystem::path& cache_dir, unsigned jobs,
                                                    const std::function<void(std::size_t done)>& done = {});

/// The first line of a compiler's output that is an error, without what is before it; empty where there is none.
std::string first_compiler_error(std::string_view output);

/// The compiler's command line for a request, without output and dependency names, and without what `hip_flags` adds
/// for the kind "clang-hip".
std::vector<std::string> compile_command(const CompileRequest& request);

} // namespace hkc
