#include "tests/emu/atomic_cases.h"

#include "tests/emu/exact_float.h"

#include <bit>

namespace pm::testing {
namespace {

using u64 = std::uint64_t;
using wide = __int128;

// The number that `bytes` bytes stand for.
wide number(u64 v, unsigned bytes, bool is_signed) {
    const wide whole = wide{1} << 8 * bytes;
    wide n = static_cast<wide>(v) % whole;
    if (is_signed && n >= whole / 2) n -= whole;
    return n;
}

u64 cut(wide v, unsigned bytes) {
    const wide whole = wide{1} << 8 * bytes;
    return static_cast<u64>(((v % whole) + whole) % whole);
}

Format format_of(unsigned bytes) { return bytes == 8 ? Format{11, 52} : kF32; }

// IEEE 754-2008 minNum and maxNum, with -0 below +0.
u64 extreme(Format f, u64 a, u64 b, bool max) {
    if (f.is_nan(a)) return f.is_nan(b) ? f.quiet(a) : b;
    if (f.is_nan(b)) return a;
    // Sign and magnitude in order.
    const auto rank = [&](u64 v) {
        const wide magnitude = static_cast<wide>(v & ~f.sign());
        return f.negative(v) ? -magnitude - 1 : magnitude;
    };
    return (rank(a) < rank(b)) == max ? b : a;
}

bool equal(Format f, u64 a, u64 b) {
    if (f.is_nan(a) || f.is_nan(b)) return false;
    return a == b || ((a | b) & ~f.sign()) == 0;
}

u64 sum(Format f, u64 a, u64 b) {
    const u64 default_nan = f.infinity() | f.quiet(0);
    if (f.is_nan(a)) return f.quiet(a);
    if (f.is_nan(b)) return f.quiet(b);
    if (f.is_infinite(a)) return f.is_infinite(b) && a != b ? default_nan : a;
    if (f.is_infinite(b)) return b;
    return rounded(f, value_of(f, a) + value_of(f, b), Rounding::kNearestEven, f.negative(a) && f.negative(b));
}

u64 sums(Format f, u64 a, u64 b) {
    return sum(f, a & 0xffff, b & 0xffff) | sum(f, a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
}

} // namespace

u64 after_atomic(Atomic op, unsigned bytes, u64 m, u64 d, u64 s) {
    const wide um = number(m, bytes, false), ud = number(d, bytes, false), im = number(m, bytes, true),
               id = number(d, bytes, true);
    const Format f = format_of(bytes);
    switch (op) {
    case Atomic::kAdd:
        return cut(um + ud, bytes);
    case Atomic::kSub:
        return cut(um - ud, bytes);
    case Atomic::kReverseSub:
        return cut(ud - um, bytes);
    case Atomic::kMinSigned:
        return im < id ? m : d;
    case Atomic::kMinUnsigned:
        return um < ud ? m : d;
    case Atomic::kMaxSigned:
        return im > id ? m : d;
    case Atomic::kMaxUnsigned:
        return um > ud ? m : d;
    case Atomic::kAnd:
        return ~(~m | ~d);
    case Atomic::kOr:
        return ~(~m & ~d);
    case Atomic::kXor:
        return cut(static_cast<wide>((m | d) - (m & d)), bytes);
    case Atomic::kIncrement:
        return um >= ud ? 0 : cut(um + 1, bytes);
    case Atomic::kDecrement:
        return um == 0 || um > ud ? d : cut(um - 1, bytes);
    case Atomic::kSwap:
        return d;
    case Atomic::kCompareSwap:
        return m == s ? d : m;
    case Atomic::kMaskedOr:
        return cut(static_cast<wide>(m - (m & d)), bytes) | s;
    case Atomic::kWrap:
        return um >= ud ? cut(um - ud, bytes) : cut(um + number(s, bytes, false), bytes);
    case Atomic::kSubClamp:
        return um >= ud ? cut(um - ud, bytes) : 0;
    case Atomic::kSubIf:
        return um >= ud ? cut(um - ud, bytes) : m;
    case Atomic::kFloatAdd:
        return sum(f, m, d);
    case Atomic::kFloatMin:
        return extreme(f, m, d, false);
    case Atomic::kFloatMax:
        return extreme(f, m, d, true);
    case Atomic::kFloatCompareSwap:
        return equal(f, m, s) ? d : m;
    case Atomic::kAddHalves:
        return sums(kF16, m, d);
    case Atomic::kAddBfloats:
        return sums(kBf16, m, d);
    }
    return 0;
}

const std::vector<u64>& atomic_values(unsigned bytes) {
    static const std::vector<u64> four = {0,          1,          2,          5,          0x7fffffff, 0x80000000,
                                          0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                          0x7fc12345, 0x00000003, 0x80000003, 0x3c003c00, 0x7bff7bff, 0x7c00fc00,
                                          0x12345678, 0xc2480000, 0x04010002, 0x83ff0400};
    static const std::vector<u64> eight = {0,
                                           1,
                                           2,
                                           5,
                                           0x7fffffffffffffff,
                                           0x8000000000000000,
                                           0xffffffffffffffff,
                                           0xfffffffffffffffe,
                                           0x3ff0000000000000,
                                           0xbff0000000000000,
                                           0x7ff0000000000000,
                                           0xfff0000000000000,
                                           0x7ff8123456789abc,
                                           0x00000000ffffffff,
                                           0xffffffff00000000,
                                           0x0123456789abcdef};
    return bytes == 8 ? eight : four;
}

} // namespace pm::testing
