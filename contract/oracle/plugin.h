// Oracles from outside this tree: a shared library that registers its own by name.
//
//   extern "C" void hkc_register_oracles(void (*add)(const char* name, hkc::Oracle oracle)) { add("my_softmax",
//   softmax); }
//
// The library is built against oracle.h and this header with the same compiler and standard library, and links nothing
// of ours.
#pragma once

#include "contract/oracle/oracle.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

extern "C" {
/// The one symbol that an oracle library defines.
void hkc_register_oracles(void (*add)(const char* name, hkc::Oracle oracle));
}

namespace hkc {

/// Opens the library (for the rest of the process) and adds its oracles to those find_oracle knows: all of them, or
/// none. Call it before other threads look up oracles. Error: the path and the loader's reason, the missing symbol, no
/// oracle added, an empty name or function, a name that is taken, or a file that cannot be read.
pm::Result<void> load_oracles(const std::filesystem::path& library);

/// A library that was loaded. What an oracle allows is as much an input of a run as a source.
struct OracleLibrary {
    std::string name;   // without its folder
    std::string sha256; // of the file that the loader found; not of what it needs in turn

    bool operator==(const OracleLibrary&) const = default;
};
/// `libmine.so sha256 HASH, ..`, or `none`.
std::string libraries_text(const std::vector<OracleLibrary>& libraries);

/// What load_oracles() has loaded, in that order.
std::vector<OracleLibrary> loaded_oracle_libraries();

/// Another set of oracles in place of all that the process knew, while it lives: the built-in ones and those of
/// libraries. Where there are two, the later ends first.
class OtherOracles {
public:
    /// Error: as load_oracles(); then nothing has changed.
    static pm::Result<OtherOracles> load(const std::vector<std::filesystem::path>& libraries);

    OtherOracles(OtherOracles&&) noexcept;
    OtherOracles& operator=(OtherOracles&&) = delete;
    OtherOracles(const OtherOracles&) = delete;
    OtherOracles& operator=(const OtherOracles&) = delete;
    ~OtherOracles();

private:
    struct Before;
    explicit OtherOracles(std::unique_ptr<Before> before);

    std::unique_ptr<Before> before_;
};

} // namespace hkc
