// Which scalar registers hold the same value in all waves of a workgroup, and which branches go one way in all of them.
#pragma once

#include "peacemaker/certify/flow.h"

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

namespace pm::certify {

/// Scalar registers that may differ between waves, by number past isa::kScalar.
using Varying = std::bitset<isa::kRegisterCount - isa::kScalar>;

/// Uniform is what scalar instructions compute from kernel arguments, workgroup ids and constants; memory that the
/// scalar loads read is taken to be constant during the launch. `code` must outlive this.
class Uniformity {
public:
    Uniformity(const Chip& chip, const Kernel& kernel, const Code& code);

    /// A branch, by its block, that may go another way in another wave and decides about `block`.
    std::optional<std::uint32_t> decider(std::uint32_t block) const;
    /// Whether the branch that ends `block` may go another way in another wave.
    bool varies(std::uint32_t block) const { return branch_varies_[block]; }
    /// The registers that may differ before `step`.
    Varying before(std::uint32_t step) const;
    /// The blocks whose branches decide whether or how often `block` runs.
    const std::vector<std::uint32_t>& deciders(std::uint32_t block) const { return deciders_[block]; }

private:
    void solve(const Varying& entry);
    bool spread();
    const Effects& last(std::uint32_t block) const;

    const Code& code_;
    std::vector<std::vector<std::uint32_t>> deciders_;
    std::vector<bool> divergent_;
    std::vector<Varying> at_block_;
    std::vector<bool> branch_varies_;
};

} // namespace pm::certify
