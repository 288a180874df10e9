#include "contract/gates/edge_shapes.h"

#include <algorithm>
#include <map>
#include <string>

namespace hkc {
namespace {

constexpr std::size_t kLargestBytes = 1U << 20U;

/// Places of the shapes to choose from, the smallest first.
std::vector<std::size_t> candidates(std::span<const SizedShape> shapes) {
    std::vector<std::size_t> by_size(shapes.size());
    for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
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
    const auto adds = [&](std::size_t i) {
        return std::count_if(wanted.begin(), wanted.end(), [&](const auto& want) {
            const auto at = shapes[i].shape->values.find(want.first);
            return at != shapes[i].shape->values.end() && at->second == want.second;
        });
    };
    std::vector<std::size_t> chosen;
    do {
        chosen.push_back(*std::max_element(
            from.begin(), from.end(), [&](std::size_t one, std::size_t other) { return adds(one) < adds(other); }));
        const Scope& values = shapes[chosen.back()].shape->values;
        std::erase_if(wanted, [&](const auto& want) {
            const auto at = values.find(want.first);
            return at != values.end() && at->second == want.second;
        });
    } while (!wanted.empty());
    std::sort(chosen.begin(), chosen.end(),
              [&](std::size_t one, std::size_t other) { return shapes[one].bytes < shapes[other].bytes; });
    return chosen;
}

} // namespace hkc
