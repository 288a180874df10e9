// One entry a row of the vector table: how to assemble it, and what it must give.
#pragma once

#include "peacemaker/chip/chip.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pm::testing {

/// Operands of one lane, as a kernel has them: a in v[4:5], b in v[6:7], c in v[8:9], the result register's old value
/// in v[10:11]; `mask` is the lane's bit of vcc_lo.
struct LaneIn {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    bool mask = false;
};
/// v[10:11] afterwards, and the lane's bit of the mask that came out.
struct LaneOut {
    std::uint64_t d = 0;
    bool mask = false;
};

enum : unsigned { kGen10 = 1, kGen11 = 2, kGen12 = 4, kGen11And12 = 6, kGen10And11 = 3, kAllGens = 7 };

/// How two values compare, and by which of that a comparison is true (ISA documents, "Vector ALU comparison
/// operations").
enum Outcome : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
struct Predicate {
    const char* name;
    unsigned outcomes; // those that make it true
    unsigned generations = kAllGens;
};
inline constexpr Predicate kFloatPredicates[] = {
    {"LT", kLess},
    {"EQ", kEqual},
    {"LE", kLess | kEqual},
    {"GT", kGreater},
    {"LG", kLess | kGreater},
    {"GE", kGreater | kEqual},
    {"O", kLess | kEqual | kGreater},
    {"U", kUnordered},
    {"NGE", kLess | kUnordered},
    {"NLG", kEqual | kUnordered},
    {"NGT", kLess | kEqual | kUnordered},
    {"NLE", kGreater | kUnordered},
    {"NEQ", kLess | kGreater | kUnordered},
    {"NLT", kEqual | kGreater | kUnordered},
};
/// Those that give one answer whatever they compare.
inline constexpr Predicate kConstantPredicates[] = {{"F", 0, kGen10And11},
                                                    {"TRU", kLess | kEqual | kGreater | kUnordered, kGen10},
                                                    {"T", kLess | kEqual | kGreater | kUnordered, kGen11}};
template <typename T>
Outcome outcome_of(T a, T b) {
    return a < b ? kLess : a > b ? kGreater : a == b ? kEqual : kUnordered;
}

/// What the random operands look like.
enum class Values { kIntegers, kFloats, kHalves, kBrainHalves, kDoubles };

struct VectorCase {
    std::string row; // name of the row that must have run
    unsigned generations = kAllGens;
    std::string assembly;
    Values values = Values::kIntegers;
    std::function<LaneOut(const LaneIn&)> expected;
    bool writes_exec = false; // the mask that comes out is EXEC
    const char* mask_register = "vcc_lo";
    /// In place of `expected` where the ISA gives a bound: whether v[10:11] may be the answer.
    std::function<bool(const LaneIn&, std::uint64_t d)> accepts{};
};

/// What is left in v[10:11] and the mask by a result in v10, in a half of it, in v[10:11], and by a mask alone.
inline LaneOut word_result(const LaneIn& in, std::uint64_t v) {
    return {(in.d >> 32 << 32) | static_cast<std::uint32_t>(v), in.mask};
}
inline LaneOut half_result(const LaneIn& in, std::uint64_t v) { return {(in.d >> 16 << 16) | (v & 0xffff), in.mask}; }
inline LaneOut high_half_result(const LaneIn& in, std::uint64_t v) {
    return {(in.d >> 32 << 32) | (v & 0xffff) << 16 | (in.d & 0xffff), in.mask};
}
inline LaneOut pair_result(const LaneIn& in, std::uint64_t v) { return {v, in.mask}; }
inline LaneOut mask_result(const LaneIn& in, bool v) { return {in.d, v}; }

/// Runs every case that the chip has on random and edge operands; fails the current test where an answer differs or
/// another row ran. Instructions that read registers of their own clobber v[14:31] and s[20:31] at most.
void expect_vector_cases(const Chip& chip, const std::vector<VectorCase>& all);

/// Adds `c` in the spelling of each generation: `%4` in its assembly is the low half of v4 (v4.l on gfx11), `^4` the
/// high one, which only gfx11 can name so; such a case is for gfx11 alone.
void add_half_case(std::vector<VectorCase>& all, const VectorCase& c);

std::vector<VectorCase> integer_cases(); // vector_integer_cases.cpp
std::vector<VectorCase> float_cases();   // vector_float_cases.cpp
std::vector<VectorCase> compare_cases(); // vector_compare_cases.cpp

} // namespace pm::testing
