// What kernels cost as bars of text, for a terminal.
#pragma once

#include "contract/page/cost_bars.h"

#include <cstddef>
#include <string>
#include <vector>

namespace hkc::page {

struct PlotStyle {
    std::size_t width = 80; // columns; fewer than 40 count as 40
    bool colour = false;
    bool ascii = false; // bars of # and . where the terminal may not show blocks
};

/// A line a kernel and figure that is not zero, under a line a kernel; changes against the base as `+4` or `-4`.
std::string plot_text(const std::vector<CostRow>& rows, const PlotStyle& style);

} // namespace hkc::page
