#include "contract/gates/edge_shapes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace hkc {
namespace {

constexpr std::size_t kLargestBytes = 1U << 20U;

/// Places of the shapes to choose from, the smallest first.
std::vector<std::size_t> candidates(std::span<const SizedShape> shapes) {
    std::vector<std::size_t> by_size(shapes.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t one, std::size_t other) { return shapes[one].bytes < shapes[other].bytes; });
    while (by_size.size() > 1 && shapes[by_size.back()].bytes > kLargestBytes) by_size.pop_back();
    std::vector<std::size_t> ragged;
    for (const std::size_t i : by_size)
        if (shapes[i].shape->ragged) ragged.push_back(i);
    return ragged.empty() ? by_size : ragged;
}

} // namespace

std::vector<std::size_t> edge_shapes(std::span<const SizedShape> shapes) {
    const std::vector<std::size_t> from = candidates(shapes);
    std::map<std::string, std::int64_t> wanted; // the largest value of a dimension, until a chosen shape has it
    for (const std::size_t i : from) {
        for (const auto& [name, value] : shapes[i].shape->values) {
            const auto at = wanted.emplace(name, value).first;
            at->second = std::max(at->second, value);
        }
    }
    // Whether a wanted value is that of shape i.
    const auto is_of = [&](std::size_t i) {
        return [&values = shapes[i].shape->values](const auto& want) {
            const auto at = values.find(want.first);
            return at != values.end() && at->second == want.second;
        };
    };
    const auto adds = [&](std::size_t i) { return std::count_if(wanted.begin(), wanted.end(), is_of(i)); };
    std::vector<std::size_t> chosen;
    do {
        chosen.push_back(*std::max_element(
            from.begin(), from.end(), [&](std::size_t one, std::size_t other) { return adds(one) < adds(other); }));
        std::erase_if(wanted, is_of(chosen.back()));
    } while (!wanted.empty());
    std::sort(chosen.begin(), chosen.end(),
              [&](std::size_t one, std::size_t other) { return shapes[one].bytes < shapes[other].bytes; });
    return chosen;
}

} // namespace hkc
