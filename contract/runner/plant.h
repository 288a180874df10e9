// Planting a control's fault: the contract, the build and the bytes that the gates are then given.
#pragma once

#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hkc {

/// The build of a registration, or of a control that stands in for it.
struct BuildPlan {
    std::string source;
    std::vector<std::string> flags, defines;
    std::vector<std::pair<std::string, std::string>> edits;

    bool operator==(const BuildPlan&) const = default;
    bool operator<(const BuildPlan& other) const {
        return std::tie(source, flags, defines, edits) <
               std::tie(other.source, other.flags, other.defines, other.edits);
    }
};

BuildPlan build_of(const Kernel& kernel);

/// A registration under a plant.
struct Planted {
    Kernel
        kernel; // the contract that the gates judge by: as declared, but for planted symbols, arguments and parameters
    BuildPlan build;
    const PlantMutate* mutate = nullptr; // bytes to be patched once the object is there
};
Planted plant(const Control& control, const Kernel& twin);

/// `bytes`, an object as the compiler wrote it, with the patch made; of a bundle, the code object in it. Error: what
/// make_patch or parse_code_object says.
pm::Result<std::string> mutate_bytes(std::string bytes, const PlantMutate& mutate);

} // namespace hkc
