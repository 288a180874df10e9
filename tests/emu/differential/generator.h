// Functions in C that a host and a chip must compute alike, bit for bit: made from a seed, defined for every input.
//
// Left out is what the language or the ISA leaves open. A NaN is a class, never bits: its payload and sign are LLVM's
// choice, so every float is stored, and turned into an integer, with all NaNs as one. The sign of a zero from fmin or
// fmax is dropped, for LLVM leaves it open. Conversions to integers happen in range, division by zero and of the least
// number by -1 do not happen, counts of shifts are masked. Signed integers wrap (-fwrapv), nothing is contracted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pm::testing {

/// Sizes of one launch: each work-item has a block of bytes to read and one to write; a group has one that all share.
constexpr std::uint32_t kBlockBytes = 64, kGroupItems = 32, kGroups = 8, kItems = kGroups * kGroupItems;

enum class Scalar : std::uint8_t { kU8, kU16, kU32, kU64, kI8, kI16, kI32, kI64, kF16, kF32, kF64 };

/// One variable of a function and the bytes that it is read from.
struct Input {
    Scalar type{};
    std::uint32_t offset = 0; // bytes; need not be aligned
    bool shared = false;      // from the group's block: the same in all work-items of a group
};

/// One function. Each statement assigns to the variables v0, v1, .. (the inputs in order) or to the output's bytes, and
/// can be left out alone: that is how a failing one is made small.
struct Function {
    std::uint32_t number = 0;
    std::vector<Input> inputs;
    std::string helpers; // functions that it calls
    std::vector<std::string> statements;
    std::vector<std::string> stores; // what it writes at its end
};

/// The same function for the same seed and number, on every host.
Function generate(std::uint64_t seed, std::uint32_t number);

/// What both sides compile: `functions` as C++ for the host (-x c++: a program that reads each function's inputs and
/// outputs_before() from the file of its first argument, and writes their outputs to that of the second) and as HIP
/// (kernels k<number>(items, shared, out)).
std::string source_of(std::span<const Function> functions);
/// The function's own text.
std::string text_of(const Function& function);

/// Bytes of one function's launch: kItems blocks, then kGroups shared ones. Random, with edge values of each
/// input's type.
std::vector<std::byte> inputs_of(const Function& function, std::uint64_t seed);
/// What the output's blocks hold before: kItems blocks.
std::vector<std::byte> outputs_before();

} // namespace pm::testing
