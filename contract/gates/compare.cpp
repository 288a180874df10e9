#include "contract/gates/compare.h"

#include "contract/gates/element.h"
#include "contract/gates/launching.h"

#include <fmt/format.h>

#include <cstring>

namespace hkc {
namespace {

std::string element_name_at(const BufferPlan& buffer, std::size_t element) {
    return buffer.name + position_text(buffer.dims, element);
}

std::string bound_text(ElementType type, const OutputBound& bound) {
    std::vector<std::string> parts;
    if (bound.finite)
        parts.push_back(fmt::format("[{:g} ({:#x}), {:g} ({:#x})]", bound.lo, encode_element(type, bound.lo), bound.hi,
                                    encode_element(type, bound.hi)));
    if (bound.pos_inf) parts.emplace_back("+Inf");
    if (bound.neg_inf) parts.emplace_back("-Inf");
    if (bound.nan) parts.emplace_back("NaN");
    return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, " or "));
}

bool nan_only(const OutputBound& bound) { return bound.nan && !bound.finite && !bound.pos_inf && !bound.neg_inf; }

std::string further(std::size_t count, std::size_t of) {
    return count <= 1 ? std::string() : fmt::format("; {} of {} elements", count, of);
}

} // namespace

pm::Result<std::vector<Finding>> outside_bounds(const BufferPlan& buffer, std::span<const std::byte> bytes,
                                                const std::vector<OutputBound>& bounds, const std::string& where) {
    if (bounds.size() != buffer.elements)
        return pm::Error{fmt::format("{}: the oracle gives {} bounds for {}, which has {} elements", where,
                                     bounds.size(), buffer.name, buffer.elements)};
    struct Group {
        std::size_t first = 0, count = 0;
    };
    Group lost, outside;
    const std::uint32_t size = element_bytes(buffer.type);
    for (std::size_t i = 0; i < buffer.elements; ++i) {
        const double value = decode_element(buffer.type, load_bits(bytes, size, i));
        if (contains(bounds[i], value)) continue;
        Group& group = nan_only(bounds[i]) ? lost : outside;
        if (group.count++ == 0) group.first = i;
    }
    std::vector<Finding> findings;
    for (const auto& [group, kind_name] : {std::pair{lost, kind::kNanLost}, std::pair{outside, kind::kOutsideOracle}}) {
        if (group.count == 0) continue;
        findings.push_back(
            {std::string(kind_name),
             fmt::format("{}: {} is {}, expected {}{}", where, element_name_at(buffer, group.first),
                         element_text(buffer.type, load_bits(bytes, size, group.first)),
                         bound_text(buffer.type, bounds[group.first]), further(group.count, buffer.elements))});
    }
    return findings;
}

std::optional<Difference> first_difference(const BufferPlan& buffer, std::span<const std::byte> first,
                                           std::span<const std::byte> second, Equality equality) {
    if (std::memcmp(first.data(), second.data(), buffer.bytes()) == 0) return std::nullopt;
    const std::uint32_t size = element_bytes(buffer.type);
    const bool nan_equal = equality == Equality::kAnyNanEqual && is_float(buffer.type);
    const FloatLayout layout = float_layout(buffer.type);
    Difference difference;
    for (std::size_t i = 0; i < buffer.elements; ++i) {
        const std::uint64_t a = load_bits(first, size, i);
        const std::uint64_t b = load_bits(second, size, i);
        if (a == b || (nan_equal && layout.is_nan(a) && layout.is_nan(b))) continue;
        if (difference.count++ == 0) {
            difference.element = i;
            difference.first = a;
            difference.second = b;
        }
    }
    if (difference.count == 0) return std::nullopt;
    return difference;
}

std::optional<Finding> differing(std::string_view kind, const BufferPlan& buffer, std::span<const std::byte> is,
                                 std::span<const std::byte> other, Equality equality, const std::string& where,
                                 const std::string& other_name) {
    const auto difference = first_difference(buffer, is, other, equality);
    if (!difference) return std::nullopt;
    return Finding{std::string(kind),
                   fmt::format("{}: {} is {}, {} gives {}{}", where, element_name_at(buffer, difference->element),
                               element_text(buffer.type, difference->first), other_name,
                               element_text(buffer.type, difference->second),
                               further(difference->count, buffer.elements))};
}

std::vector<Finding> unwritten_or_unstable(const BufferPlan& buffer, std::span<const std::byte> over_first,
                                           std::span<const std::byte> over_second, bool bitwise,
                                           const std::string& where) {
    const std::uint32_t size = element_bytes(buffer.type);
    std::size_t unwritten = 0, first_unwritten = 0, unstable = 0, first_unstable = 0;
    for (std::size_t i = 0; i < buffer.elements; ++i) {
        bool untouched = false, differs = false;
        for (std::size_t at = i * size; at < (i + 1) * size; ++at) {
            if (over_first[at] == over_second[at]) continue;
            differs = true;
            untouched = untouched || (over_first[at] == poison_byte(Poison::kFirst, at) &&
                                      over_second[at] == poison_byte(Poison::kSecond, at));
        }
        if (untouched) {
            if (unwritten++ == 0) first_unwritten = i;
        } else if (differs) {
            if (unstable++ == 0) first_unstable = i;
        }
    }
    std::vector<Finding> findings;
    if (unwritten != 0)
        findings.push_back(
            {std::string(kind::kOutputNotWritten),
             fmt::format("{}: {} still holds the poison of both launches{}", where,
                         element_name_at(buffer, first_unwritten), further(unwritten, buffer.elements))});
    if (unstable != 0 && bitwise)
        findings.push_back({std::string(kind::kNotRepeatable),
                            fmt::format("{}: {} is {} over one poison and {} over the other{}", where,
                                        element_name_at(buffer, first_unstable),
                                        element_text(buffer.type, load_bits(over_first, size, first_unstable)),
                                        element_text(buffer.type, load_bits(over_second, size, first_unstable)),
                                        further(unstable, buffer.elements))});
    return findings;
}

} // namespace hkc
