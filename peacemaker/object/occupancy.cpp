#include "peacemaker/object/occupancy.h"

#include <algorithm>

namespace pm {
namespace {

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::uint32_t waves_by_workgroups(const Chip& chip, const Resources& resources, bool wgp_mode) {
    const std::uint32_t units = wgp_mode ? 2 : 1;
    const std::uint32_t simds = chip.simds_cu * units;
    const std::uint32_t slots = chip.waves_simd * simds;
    const std::uint32_t waves = std::max(1U, ceil_div(resources.max_block, std::max(1U, resources.wave)));
    // A workgroup of one wave needs no barrier.
    std::uint32_t groups = waves == 1 ? slots : std::min(slots / waves, chip.workgroups_cu * units);
    if (resources.lds > 0) groups = std::min(groups, chip.lds_bytes * units / resources.lds);
    return std::clamp(ceil_div(groups * waves, simds), 1U, chip.waves_simd);
}

} // namespace

std::uint32_t waves_by_vgprs(const Chip& chip, std::uint32_t vgprs, std::uint32_t lanes) {
    // A register of a wave64 takes twice the room, and half as many are a granule.
    const std::uint32_t rows = std::clamp(vgprs, 1U, chip.vgprs) * (lanes == 64 ? 2 : 1);
    const std::uint32_t taken = ceil_div(rows, chip.vgpr_granule) * chip.vgpr_granule;
    return std::clamp(chip.vgprs_simd / taken, 1U, chip.waves_simd);
}

Occupancy occupancy(const Chip& chip, const Resources& resources, bool wgp_mode) {
    Occupancy out;
    out.by_vgprs = waves_by_vgprs(chip, resources.vgpr, resources.wave);
    out.by_workgroups = waves_by_workgroups(chip, resources, wgp_mode);
    out.waves = std::min(out.by_vgprs, out.by_workgroups);
    return out;
}

bool in_wgp_mode(const Kernel& kernel) { return descriptor_field(kernel.descriptor.compute_pgm_rsrc1, 29, 1) != 0; }

} // namespace pm
