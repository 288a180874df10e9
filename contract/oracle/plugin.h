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
#include <vector>

extern "C" {
/// The one symbol that an oracle library defines.
void hkc_register_oracles(void (*add)(const char* name, hkc::Oracle oracle));
}

namespace hkc {

/// Opens the library (for the rest of the process) and adds its oracles to those find_oracle knows: all of them, or
/// none. Call it before other threads look up oracles. Error: the path and the loader's reason, the missing symbol, no
/// oracle added, an empty name or function, or a name that is taken.
pm::Result<void> load_oracles(const std::filesystem::path& library);

/// Where the libraries lie that load_oracles() has loaded, as the loader found them, in that order.
std::vector<std::filesystem::path> loaded_oracle_libraries();

} // namespace hkc
