// The inputs that fuzz targets start from: whole ones, made by the compilers and tools whose output is read.
#pragma once

#include "peacemaker/support/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::fuzz {

struct Target {
    std::string_view name; // of its program
    Result<std::vector<std::string>> (*seeds)();
};

/// Every fuzz target.
std::span<const Target> targets();

} // namespace pm::fuzz
