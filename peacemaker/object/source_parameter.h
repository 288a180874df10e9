// A kernel's parameters as its source declares them: names and types, which the metadata of an object does not tell.
//
// They are read from the debug information that -g makes; -gline-tables-only makes none of it.
#pragma once

#include "peacemaker/object/code_object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pm {

enum class NumberKind : std::uint8_t { kNone, kSigned, kUnsigned, kFloat };

struct SourceParameter {
    std::string name; // empty where the source gives none
    bool pointer = false;
    bool constant = false;                 // what a pointer points to is const
    std::string type;                      // of the value, or of what a pointer points to: uint16_t, __half; void is ""
    NumberKind number = NumberKind::kNone; // kNone: a structure, a vector, a pointer, void
    std::uint32_t bytes = 0;               // of that type; 0 where not told
};

/// The parameters of the kernel's function, in order; empty where no debug information tells.
std::vector<SourceParameter> source_parameters(const CodeObject& object, const Kernel& kernel);

} // namespace pm
