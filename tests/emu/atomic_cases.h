// What each atomic leaves in memory, computed apart from the emulator: for the DS ones and for the global and flat
// ones.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pm::testing {

enum class Atomic {
    kAdd,
    kSub,
    kReverseSub,
    kMinSigned,
    kMinUnsigned,
    kMaxSigned,
    kMaxUnsigned,
    kAnd,
    kOr,
    kXor,
    kIncrement,
    kDecrement,
    kSwap,
    kCompareSwap, // `second` is compared with
    kMaskedOr,    // `data` is cleared, `second` set
    kWrap,
    kSubClamp,
    kSubIf,
    kFloatAdd,
    kFloatMin,
    kFloatMax,
    kFloatCompareSwap,
    kAddHalves,  // two fp16
    kAddBfloats, // two bf16
};

/// The new contents of `bytes` (4 or 8) bytes. Floats are f32 and f64.
std::uint64_t after_atomic(Atomic op, unsigned bytes, std::uint64_t memory, std::uint64_t data, std::uint64_t second);

/// Values where operations differ: extremes of each type, near ones, NaN, infinities, zeros of both signs.
const std::vector<std::uint64_t>& atomic_values(unsigned bytes);

} // namespace pm::testing
