// From the arithmetic of one lane to that of a wave, for tables of vector rows: an operation is a pure function of 32-
// and 64-bit words, and its own signature says which.
#pragma once

#include "peacemaker/emu/row.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pm::emu {

namespace detail {

template <typename T>
inline T lane_value(const std::uint32_t* words, std::uint32_t lane) {
    if constexpr (sizeof(T) == 8)
        return words[lane] | static_cast<T>(words[lane + kLanes]) << 32;
    else
        return words[lane];
}

template <typename T>
inline void set_lane(std::uint32_t* words, std::uint32_t lane, T value) {
    words[lane] = static_cast<std::uint32_t>(value);
    if constexpr (sizeof(T) == 8) words[lane + kLanes] = static_cast<std::uint32_t>(value >> 32);
}

template <auto Op, typename R, typename... A, std::size_t... I>
std::uint32_t run_lanes(R (*)(A...), const std::uint32_t* const* sources, std::uint32_t* d, std::index_sequence<I...>) {
    if constexpr (std::same_as<R, bool>) {
        std::uint32_t mask = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i)
            mask |= static_cast<std::uint32_t>(Op(lane_value<A>(sources[I], i)...)) << i;
        return mask;
    } else {
#pragma GCC ivdep
        for (std::uint32_t i = 0; i < kLanes; ++i) set_lane<R>(d, i, Op(lane_value<A>(sources[I], i)...));
        return 0;
    }
}

template <typename R, typename... A>
constexpr std::size_t arity(R (*)(A...)) {
    return sizeof...(A);
}

} // namespace detail

/// Lanes of an operation on three words that also gives a bit of the lane mask: Op(a, b, c, bit).
template <typename Word, auto Op>
std::uint32_t lanes_with_mask(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d,
                              std::uint32_t) {
    std::uint32_t mask = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        bool bit = false;
        detail::set_lane(
            d, i,
            Op(detail::lane_value<Word>(a, i), detail::lane_value<Word>(b, i), detail::lane_value<Word>(c, i), bit));
        mask |= static_cast<std::uint32_t>(bit) << i;
    }
    return mask;
}

/// `Op` takes one to three std::uint32_t or std::uint64_t and gives one of them, or a bool: then the lane mask.
template <auto Op>
std::uint32_t lanes(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d,
                    std::uint32_t) {
    const std::uint32_t* const sources[3] = {a, b, c};
    return detail::run_lanes<Op>(Op, sources, d, std::make_index_sequence<detail::arity(Op)>());
}

} // namespace pm::emu
