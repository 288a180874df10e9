// The inputs that gates launch with: seeded random ones for every shape, and the edge cases of gate 4.
//
// What an input buffer is filled with follows from its element type and, for floating types, from its name: a name that
// holds `scale` gets values of magnitude 1/512 to 1/32, one that holds `bias` values up to 0.25, any other values up to
// 2, all of either sign. Integers are codes: every bit pattern is as likely as any other.
#pragma once

#include "contract/gates/program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hkc {

/// Bytes of every buffer with dir in or inout, by buffer name.
struct Inputs {
    std::string label; // how messages call it: `seed 1`, `x: quiet NaN, seed 1`
    std::map<std::string, std::vector<std::byte>> buffers;
};

/// Moderate random inputs. Buffers of equal name, type and size get equal bytes for an equal seed, whichever kernel
/// asks.
Inputs random_inputs(const ProgramPlan& plan, std::uint64_t seed);

/// The edge cases of a launch: each takes `base` and changes one input buffer or two.
/// Floating buffers: quiet and signalling NaN of either sign (any payload), +Inf, -Inf, both infinities, signed zeros,
/// subnormals, largest finite values, values whose squares are about the smallest or the largest, and any finite
/// values, these of either sign. Integer buffers: all bits clear and all bits set, element by element. NaN and
/// infinities stand at some elements and leave others alone, so that outputs they do not reach are seen too: at most
/// one a row of a buffer, each in another part of its row; in a buffer of one row at several elements and, in a case of
/// its own, at one. Two buffers: one with +Inf, subnormals or values whose squares are about the smallest, another all
/// zero; one with largest finite values, another with values whose squares are about the smallest.
std::vector<Inputs> edge_inputs(const ProgramPlan& plan, const Inputs& base, std::uint64_t seed);

/// A small fast generator of 64-bit words (splitmix64): the same sequence for a seed on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    /// Evenly spread over [0, 1).
    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::uint64_t state_;
};

} // namespace hkc
