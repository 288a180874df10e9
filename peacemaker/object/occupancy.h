// How many waves of a kernel a SIMD holds at once: the number that the compiler prints as "Occupancy [waves/SIMD]".
//
// Counted as LLVM counts it (AMDGPUSubtarget::getOccupancyWithWorkGroupSizes, GCNSubtarget::getOccupancyWithNumVGPRs),
// for workgroups of the kernel's largest size. LDS that a launch asks for on top is not counted, nor is that registers
// and LDS may together leave room for less than either alone.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/object/code_object.h"

#include <cstdint>

namespace pm {

/// What each resource leaves, in waves a SIMD, from 1 to the chip's waves_simd.
struct Occupancy {
    std::uint32_t by_vgprs = 1;
    std::uint32_t by_workgroups = 1; // LDS, barriers, and a workgroup that is not split
    std::uint32_t waves = 1;         // the lesser of the two

    bool operator==(const Occupancy&) const = default;
};

/// Waves that the VGPRs of a SIMD are enough for, at least 1; `lanes` is 32 or 64.
std::uint32_t waves_by_vgprs(const Chip& chip, std::uint32_t vgprs, std::uint32_t lanes);

/// `wgp_mode`: a workgroup may spread over both compute units of its work-group processor.
Occupancy occupancy(const Chip& chip, const Resources& resources, bool wgp_mode);

/// Bit 29 of compute_pgm_rsrc1 (llvm/docs/AMDGPUUsage.rst, "WGP_MODE").
bool in_wgp_mode(const Kernel& kernel);

} // namespace pm
