// Generated functions on the host and on the embedded device.
//
//   const auto host = host_outputs("clang++-22", functions, seed);
//   const Outcome outcome = compare({"clang++-22", &chip, "-O3"}, functions, seed, *host);
//
// The host runs a program built without optimisation, which stops at undefined behaviour (UBSan, trapping). A
// difference is then the compiler's or the device's.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/result.h"
#include "tests/emu/differential/generator.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pm::testing {

/// How the functions are built for a chip.
struct Build {
    std::string compiler;
    const Chip* chip = nullptr;
    std::string level;  // -O1, ..
    unsigned wave = 32; // lanes

    std::string text() const { return compiler + " " + chip->name + " " + level + " wave" + std::to_string(wave); }
};

/// Output bytes, one element a function.
using Outputs = std::vector<std::vector<std::byte>>;

/// What the functions give on the host. Error: it does not build, or it stopped (undefined behaviour).
Result<Outputs> host_outputs(const std::string& compiler, std::span<const Function> functions, std::uint64_t seed);

/// One function that differs, or that the device finds fault with.
struct Difference {
    std::uint32_t function = 0;
    std::string text; // the work-item, its inputs, both outputs; or the findings
};

struct Outcome {
    std::uint32_t agreed = 0;
    std::vector<Difference> differences;
    std::vector<std::string> unchecked; // what was not compared, and why
    std::uint64_t instructions = 0;     // that the device executed
    std::uint64_t approximate = 0;      // of them, those without bits that the ISA defines
};

/// Compiles for the chip, launches each function once and compares all its bytes with `host`.
Outcome compare(const Build& build, std::span<const Function> functions, std::uint64_t seed, const Outputs& host);

/// `function` without the statements that the difference does without; itself where it no longer differs.
Function reduced(const Build& build, Function function, std::uint64_t seed);

} // namespace pm::testing
