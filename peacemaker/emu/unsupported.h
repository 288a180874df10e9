// Why the device does not execute an instruction that compute kernels are not known to hold, or that no document
// describes well enough.
#pragma once

#include <string_view>

namespace pm::emu {

struct Unsupported {
    std::string_view name;    // LLVM's base name, or a part of it
    bool not_compute = false; // no compute kernel can hold it
    std::string_view reason;  // with its source
};

/// The row that covers the base name, or null.
const Unsupported* why_unsupported(std::string_view base_name);

} // namespace pm::emu
