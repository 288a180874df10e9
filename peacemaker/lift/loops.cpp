#include "peacemaker/lift/loops.h"

#include <fmt/format.h>

#include <algorithm>

namespace pm::lift {
namespace {

/// The scalar names that start like arithmetic and go to memory.
bool is_scalar_memory(std::string_view name) {
    return name.starts_with("s_load") || name.starts_with("s_buffer") || name.starts_with("s_store") ||
           name.starts_with("s_atomic") || name.starts_with("s_prefetch") || name.starts_with("s_dcache");
}

/// The name, for a dual-issued pair both: "v_dual_mul_f32 :: v_dual_add_f32".
std::string name_of(std::string_view text) {
    const auto word = [](std::string_view part) {
        part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
        return std::string(part.substr(0, part.find_first_of(" \t")));
    };
    const std::size_t pair = text.find("::");
    if (pair == std::string_view::npos) return word(text);
    return word(text) + " :: " + word(text.substr(pair + 2));
}

} // namespace

std::vector<Loop> innermost_loops(std::span<const Instruction> listing) {
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < listing.size(); ++i) {
        const Instruction& branch = listing[i];
        if (!branch.target || *branch.target < 0 || *branch.target > static_cast<std::int64_t>(branch.at)) continue;
        const auto at = static_cast<std::uint64_t>(*branch.target);
        const auto head = std::lower_bound(listing.begin(), listing.end(), at,
                                           [](const Instruction& one, std::uint64_t where) { return one.at < where; });
        if (head == listing.end() || head->at != at) continue;
        const auto first = static_cast<std::size_t>(head - listing.begin());
        // Branches come in order: what an earlier one closed behind this head is a loop in this loop.
        const auto same = std::find_if(loops.begin(), loops.end(), [&](const Loop& l) { return l.first == first; });
        const bool holds_another =
            std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.first > first; });
        if (same != loops.end())
            same->count = i - first + 1;
        else if (!holds_another)
            loops.push_back({first, i - first + 1});
    }
    return loops;
}

Mix mix_of(std::span<const Instruction> instructions) {
    Mix mix;
    for (const Instruction& one : instructions) {
        const std::string name = name_of(one.text);
        ++mix.by_name[name];
        if (name.starts_with("v_"))
            ++mix.vector;
        else if (name.starts_with("s_") && !is_scalar_memory(name))
            ++mix.scalar;
        else
            ++mix.memory;
    }
    return mix;
}

std::string loops_text(const Kernel& kernel, std::span<const Instruction> listing, std::uint32_t per) {
    const auto share = [per](std::size_t count) {
        return per == 0 ? std::string() : fmt::format("  {:8.3f}", static_cast<double>(count) / per);
    };
    const std::vector<Loop> loops = innermost_loops(listing);
    if (loops.empty()) return fmt::format("{}: no loop\n", kernel.name);
    std::string out;
    for (const Loop& loop : loops) {
        const auto body = listing.subspan(loop.first, loop.count);
        const Mix mix = mix_of(body);
        out += fmt::format("{}+{:#x}..{:#x}: {} instructions a round\n", kernel.name, body.front().at,
                           body.back().at + body.back().size, mix.total());
        std::vector<std::pair<std::string, std::size_t>> rows(mix.by_name.begin(), mix.by_name.end());
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        rows.insert(rows.begin(), {{"vector", mix.vector}, {"scalar", mix.scalar}, {"memory", mix.memory}});
        for (const auto& [name, count] : rows) out += fmt::format("  {:<40}{:6}{}\n", name, count, share(count));
    }
    return out;
}

} // namespace pm::lift
