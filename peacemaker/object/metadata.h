// The metadata note of a code object (NT_AMDGPU_METADATA, MessagePack) as typed values.
#pragma once

#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One kernel of the metadata; the fields of `kernel` that the ELF tables tell are still zero.
struct KernelMetadata {
    Kernel kernel;
    std::string symbol; // of the descriptor, X.kd
};

struct Metadata {
    std::string target; // amdgcn-amd-amdhsa--gfx1151
    std::vector<KernelMetadata> kernels;
};

/// Error: what is missing, of the wrong type, or outside its kernarg segment.
Result<Metadata> parse_metadata(std::string_view blob);

} // namespace pm
