// The chips that the project knows, as rows of chips.toml (compiled in, so that a library that is loaded from anywhere
// has them).
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// The 16-bit floating type a chip's dot products take.
enum class Activation : std::uint8_t { kFp16, kBf16 };

/// Capacities of the counters of outstanding operations; 0 where a chip has no such counter.
/// `lgkm` is LDS, GDS, constant and message on gfx10 and gfx11, and LDS alone (dscnt) on gfx12, whose scalar side is
/// `km`.
struct CounterCapacities {
    std::uint32_t load = 0, store = 0, lgkm = 0, exp = 0, sample = 0, bvh = 0, km = 0;
};

/// Facts of one chip; see chips.toml for the meaning and unit of each.
struct Chip {
    std::string name;
    std::uint32_t elf_mach = 0;
    std::uint32_t generation = 0;
    Activation activation = Activation::kBf16;
    std::uint32_t lds_bytes = 0;
    std::uint32_t max_workgroup = 0;
    std::uint32_t kernarg_bytes = 0;
    std::uint32_t vgprs = 0;
    std::uint32_t vgpr_granule = 0;
    std::uint32_t vgprs_simd = 0;
    std::uint32_t waves_simd = 0;
    std::uint32_t simds_cu = 0;
    std::uint32_t workgroups_cu = 0;
    std::uint32_t sgprs = 0;
    std::uint32_t flat_offset_bits = 0;
    std::uint32_t smem_offset_bits = 0;
    bool vmem_loads_in_order = false;
    CounterCapacities counters;
};

/// Parses chip rows. Error: file:line, what was read and what was expected.
Result<std::vector<Chip>> parse_chips(std::string_view toml_text, const std::string& file);

/// The chips of chips.toml, in its order.
std::span<const Chip> chips();

/// The chip of that name; Error names the nearest one.
Result<const Chip*> find_chip(std::string_view name);

/// The chip whose EF_AMDGPU_MACH is `elf_mach`, or null.
const Chip* chip_of_mach(std::uint32_t elf_mach);

} // namespace pm
