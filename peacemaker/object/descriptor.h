// What the bits of a kernel descriptor may be.
#pragma once

#include "peacemaker/object/code_object.h"

#include <string>
#include <vector>

namespace pm {

struct DescriptorProblems {
    /// Bits that must be otherwise, and what contradicts the metadata or another field.
    std::vector<std::string> faults;
    /// What a kernel may ask for and this project's device and analyses do not follow.
    std::vector<std::string> unmodelled;
};

/// Holds the descriptor against what its definition demands of a chip's kernels (llvm/docs/AMDGPUUsage.rst, "Kernel
/// Descriptor"; llvm/Support/AMDHSAKernelDescriptor.h) and against the metadata. Sizes that parse_code_object compares
/// already are not compared again.
DescriptorProblems descriptor_problems(const Chip& chip, const Kernel& kernel);

} // namespace pm
