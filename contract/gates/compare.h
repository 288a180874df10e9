// Comparing outputs: with the oracle's bounds, with another launch's bytes, with the poison they held. Plain data in
// and out.
#pragma once

#include "contract/gates/program.h"
#include "contract/oracle/oracle.h"
#include "contract/report/outcome.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hkc {

/// The elements of `bytes` outside `bounds`, told as one finding: the first one in full, then how many there are.
/// An element that can be NaN only and is none is "NaN lost"; any other is "outside the oracle".
/// Error: bounds for another number of elements than the buffer has.
pm::Result<std::vector<Finding>> outside_bounds(const BufferPlan& buffer, std::span<const std::byte> bytes,
                                                const std::vector<OutputBound>& bounds, const std::string& where);

/// Which bytes count as equal.
enum class Equality : std::uint8_t {
    kBytes,       // memcmp
    kAnyNanEqual, // a NaN equals any NaN; everything else, -0 and +0 too, byte by byte
};

/// The first element that differs; nothing where all are equal.
struct Difference {
    std::size_t element = 0;
    std::uint64_t first = 0, second = 0; // bits
    std::size_t count = 0;               // elements that differ
};
std::optional<Difference> first_difference(const BufferPlan& buffer, std::span<const std::byte> first,
                                           std::span<const std::byte> second, Equality equality);

/// The same as a finding of `kind`, or nothing: `where: out[2, 5] is 0x.. (..); A gives 0x.. (..); 7 elements differ`.
std::optional<Finding> differing(std::string_view kind, const BufferPlan& buffer, std::span<const std::byte> is,
                                 std::span<const std::byte> other, Equality equality, const std::string& where,
                                 const std::string& other_name);

/// What two launches over the two poisons say of an output that the launch must write whole.
/// A byte that holds its poison both times was not written ("output not written"); elements that differ otherwise are
/// "not repeatable", where `bitwise` asks for it.
std::vector<Finding> unwritten_or_unstable(const BufferPlan& buffer, std::span<const std::byte> over_first,
                                           std::span<const std::byte> over_second, bool bitwise,
                                           const std::string& where);

} // namespace hkc
