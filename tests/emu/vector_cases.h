// One entry a row of the vector table: how to assemble it, and what it must give.
#pragma once

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

/// What the random operands look like.
enum class Values { kIntegers, kFloats, kHalves, kBrainHalves };

struct VectorCase {
    std::string row; // name of the row that must have run
    unsigned generations = kAllGens;
    std::string assembly;
    Values values = Values::kIntegers;
    std::function<LaneOut(const LaneIn&)> expected;
    bool writes_exec = false; // the mask that comes out is EXEC
    const char* mask_register = "vcc_lo";
};

std::vector<VectorCase> integer_cases(); // vector_integer_cases.cpp
std::vector<VectorCase> float_cases();   // vector_float_cases.cpp
std::vector<VectorCase> compare_cases(); // vector_compare_cases.cpp

} // namespace pm::testing
