// Which of a contract's shapes gate 4 launches.
#pragma once

#include "contract/registry/registry.h"

#include <cstddef>
#include <span>
#include <vector>

namespace hkc {

/// A shape and the size of its launches.
struct SizedShape {
    const Shape* shape = nullptr;
    std::size_t bytes = 0; // of all buffers
};

/// Of `shapes` (at least one), the places of those for gate 4: as few and small ones as have the largest value of every
/// dimension, for a lane, a pass of a loop or a row that only such a shape has is reached there. Chosen among the
/// ragged ones that are small enough to be launched some hundred times, else among the small ones, else the smallest
/// alone.
std::vector<std::size_t> edge_shapes(std::span<const SizedShape> shapes);

} // namespace hkc
