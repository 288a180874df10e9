#include "contract/page/cost_bars.h"

#include "peacemaker/chip/chip.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hkc::page {
namespace {

using Key = std::pair<std::string, std::string>; // chip, symbol

std::map<Key, const Cost*> costs_of(const RunOutcome& run) {
    std::map<Key, const Cost*> costs;
    for (const KernelOutcome& kernel : run.kernels)
        for (const Cost& cost : kernel.costs) costs.try_emplace({kernel.chip, cost.kernel}, &cost);
    return costs;
}

std::uint32_t most_scratch(const std::map<Key, const Cost*>& costs) {
    std::uint32_t most = 1;
    for (const auto& [key, cost] : costs) most = std::max(most, cost->resources.scratch);
    return most;
}

std::vector<Bar> bars_of(const Cost& cost, const Cost* base, const std::string& chip_name, std::uint32_t scratch) {
    const auto found = pm::find_chip(chip_name);
    const pm::Chip chip = found ? **found : pm::Chip{};
    const auto bar = [&](const char* name, std::uint32_t most, auto&& value_of) {
        const std::uint32_t value = value_of(cost);
        const std::int64_t change = base == nullptr ? 0 : std::int64_t{value} - std::int64_t{value_of(*base)};
        return Bar{name, value, std::max({most, value, 1U}), false, change};
    };
    std::vector<Bar> bars{bar("VGPR", chip.vgprs, [](const Cost& c) { return c.resources.vgpr; }),
                          bar("SGPR", chip.sgprs, [](const Cost& c) { return c.resources.sgpr; }),
                          bar("LDS", chip.lds_bytes, [](const Cost& c) { return c.resources.lds; }),
                          bar("scratch", scratch, [](const Cost& c) { return c.resources.scratch; }),
                          bar("waves", chip.waves_simd, [](const Cost& c) { return c.waves; })};
    bars.back().fewer_is_worse = true;
    return bars;
}

} // namespace

bool is_worse(const Bar& bar) { return (bar.change > 0) != bar.fewer_is_worse; }

std::vector<CostRow> cost_rows(const RunOutcome& run, const RunOutcome* base) {
    const std::map<Key, const Cost*> costs = costs_of(run);
    const std::map<Key, const Cost*> before = base == nullptr ? std::map<Key, const Cost*>{} : costs_of(*base);
    const std::uint32_t scratch = most_scratch(costs);
    std::vector<CostRow> rows;
    for (const KernelOutcome& kernel : run.kernels)
        for (const Cost& cost : kernel.costs) {
            const Key key{kernel.chip, cost.kernel};
            if (costs.at(key) != &cost) continue; // told already
            const auto old = before.find(key);
            const Cost* was = old == before.end() ? nullptr : old->second;
            rows.push_back({kernel.chip, cost.kernel, bars_of(cost, was, kernel.chip, scratch), was != nullptr});
        }
    return rows;
}

} // namespace hkc::page
