// The files of a first contract, made of a kernel's source: it is compiled for every chip, and what its objects and
// their debug information tell (arguments, types, block, chips) stands in the files already.
//
//   auto made = make_scaffold({.root = root, .source = "kernels/sum.hip", .symbol = "sum"});
//   if (made) auto written = write_scaffold(root, *made);
#pragma once

#include "peacemaker/support/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace hkc {

struct ScaffoldRequest {
    std::filesystem::path root;   // of the tree; it need not be one yet
    std::filesystem::path source; // below the root
    std::filesystem::path out;    // the registration alone, as this file; empty: all files, at their places in the root
    std::string symbol;           // of the kernel, or the name of its function
    std::vector<std::string> flags; // of the family
    std::vector<std::string> chips; // empty: every chip that it compiles for
    unsigned jobs = 1;
};

struct ScaffoldFile {
    std::filesystem::path path;
    std::string text;
};

struct Scaffold {
    std::string kernel;
    std::vector<ScaffoldFile> files;      // the registration first
    std::vector<std::size_t> blank_lines; // of the registration, from 1
    std::vector<std::string> notes;       // what was found, a line each
    std::string cmake_lines;              // for the CMakeLists.txt that is there; empty where one is made
};

struct ScaffoldFailure {
    std::string text;
    bool no_toolchain = false; // no compiler could be asked; else what was asked for is at fault
};

/// Compiles, and changes nothing but the cache. Failure: no compiler, a file that is there already, a source that does
/// not compile for any of the chips (for one of them, where chips are named), or no such kernel, with those there are.
std::variant<Scaffold, ScaffoldFailure> make_scaffold(const ScaffoldRequest& request);

/// Writes the files. Error: one that cannot be written.
pm::Result<void> write_scaffold(const Scaffold& scaffold);

} // namespace hkc
