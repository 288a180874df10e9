#include "contract/page/plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace hkc::page {
namespace {

constexpr std::size_t kNarrowest = 40, kWidestBar = 60;
constexpr std::size_t kFigures = 30; // columns of a line beside its bar

std::string line_of(const Bar& bar, const PlotStyle& style) {
    const std::size_t width = std::min(kWidestBar, std::max(kNarrowest, style.width) - kFigures);
    const auto filled = static_cast<std::size_t>(std::uint64_t{bar.value} * width / bar.most);
    // What is there is seen, however little it is.
    const std::size_t full = bar.value == 0 ? 0 : std::max<std::size_t>(1, filled);
    std::string drawn;
    for (std::size_t i = 0; i < width; ++i) drawn += i < full ? (style.ascii ? "#" : "█") : (style.ascii ? "." : "░");
    std::string change;
    if (bar.change != 0) {
        change = fmt::format(" {:+}", bar.change);
        if (style.colour) change = fmt::format("\x1b[{}m{}\x1b[0m", is_worse(bar) ? 31 : 32, change);
    }
    return fmt::format("  {:<8}{} {}/{}{}\n", bar.name, drawn, bar.value, bar.most, change);
}

} // namespace

std::string plot_text(const std::vector<CostRow>& rows, const PlotStyle& style) {
    std::string text;
    for (const CostRow& row : rows) {
        text += fmt::format("{} {}\n", row.chip, row.kernel);
        for (const Bar& bar : row.bars)
            if (bar.value != 0 || bar.change != 0) text += line_of(bar, style);
    }
    return text.empty() ? "the report tells no resources: it was made before reports did\n" : text;
}

} // namespace hkc::page
