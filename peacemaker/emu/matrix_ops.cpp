// Matrix instructions: WMMA of gfx11 and gfx12, and gfx12's SWMMAC, whose first factor leaves out two elements of every
// four.
//
// Where the elements are (wave32). Row i of A is in lane i, column j of B in lane j, their elements packed from the
// lowest bit of the first register upwards. On gfx11 lanes 16..31 hold the same once more; on gfx12 lane i + 16 holds
// the other half of the row. Element (i, j) of C and D is
//   gfx11: register i / 2 of lane j + 16 (i % 2), of a 16-bit type in one half of it, chosen by OPSEL;
//   gfx12: register i % 8 of lane j + 16 (i / 8); of a 16-bit type two rows share a register.
// A sparse A holds pairs: the pair p of a lane stands for two of the four elements 4 p .. 4 p + 3 of B's lane in the
// same half of the wave; bits 4 p + 1 : 4 p of the index register say which is the first, the next two which the
// second.
//
// Which k an element of gfx12 belongs to is not needed: A and B agree about it, and k is summed over.
//
// Sources: AMD Matrix Instruction Calculator (ROCm/amd_matrix_instruction_calculator, matrix_calculator.py: classes of
// gfx11 and gfx12, and README, "VOP3P Matrix Multiplication Instruction Encoding"); GPUOpen, "How to accelerate AI
// applications on RDNA 3 using WMMA" and "Using the Matrix Cores of AMD RDNA 4 architecture GPUs".
#include "peacemaker/emu/byte_float.h"
#include "peacemaker/emu/float_format.h"
#include "peacemaker/emu/row_builders.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/wave.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 kSide = 16;         // rows and columns
constexpr u32 kHalves = 2;        // of the wave
constexpr u32 kMostElements = 64; // along k

u32 element_at(const Wave& wave, Register first, u32 lane, u32 index, u32 bits) {
    const u32 word = wave.v[first + index * bits / 32][lane];
    return bits == 32 ? word : (word >> (index * bits % 32)) & ((1u << bits) - 1u);
}

double float_value(Element type, u32 bits) {
    const u32 f32 = type == Element::kF16    ? widen_half(bits)
                    : type == Element::kBf16 ? widen_bfloat(bits)
                    : type == Element::kFp8  ? widen_byte<Fp8>(bits)
                    : type == Element::kBf8  ? widen_byte<Bf8>(bits)
                                             : bits;
    return std::bit_cast<float>(f32);
}
i32 integer_value(u32 bits, u32 width, bool is_signed) {
    const u32 sign = 1u << (width - 1);
    return static_cast<i32>(is_signed ? (bits ^ sign) - sign : bits);
}

// The factors as the product takes them: along k, which of A's elements meets which of B's.
template <typename T>
struct Factors {
    u32 count = 0;                              // products an element of D
    T a[kSide][kMostElements] = {};             // [row][product]
    std::uint8_t at[kSide][kMostElements] = {}; // [row][product]: which row of b
    T b[kMostElements][kSide] = {};             // [k][column]
    u32 undefined_rows = 0, undefined_columns = 0;
};

u32 undefined_in(const Wave& wave, Register first, u32 registers) {
    u32 lanes = 0;
    for (u32 r = 0; r < registers; ++r) lanes |= undefined_lanes(wave, static_cast<Register>(first + r), ~0u);
    return (lanes | lanes >> kSide) & 0xffffu;
}

// Lanes l and l + 16 of a factor hold the same where both are defined.
bool halves_agree(const Wave& wave, const Source& source) {
    for (u32 r = 0; r < source.registers; ++r)
        for (u32 lane = 0; lane < kSide; ++lane) {
            const auto reg = static_cast<Register>(source.reg + r);
            const u32 unknown = wave.undefined_word(reg, lane) | wave.undefined_word(reg, lane + kSide);
            if (((wave.v[reg][lane] ^ wave.v[reg][lane + kSide]) & ~unknown) != 0) return false;
        }
    return true;
}

// False where an index pair does not increase.
template <typename T>
bool choose_positions(const Wave& wave, const Inst& inst, u32 per_half, Factors<T>& f) {
    if (!inst.row->matrix.sparse) {
        for (auto& row : f.at)
            for (u32 e = 0; e < f.count; ++e) row[e] = static_cast<std::uint8_t>(e);
        return true;
    }
    const Register index = inst.sources[3].reg;
    const u32 shift = inst.immediate != 0 ? 16 : 0; // OPSEL: the second of two sets
    const u32 used = per_half == 16 ? ~0u : 0xffffu << shift;
    for (u32 row = 0; row < kSide; ++row)
        for (u32 half = 0; half < kHalves; ++half) {
            const u32 lane = row + kSide * half, bits = wave.v[index][lane] >> shift;
            const bool undefined = (wave.undefined_word(index, lane) & used) != 0;
            if (undefined) f.undefined_rows |= 1u << row;
            for (u32 e = 0; e < per_half; e += 2) {
                const u32 first = (bits >> (2 * e)) & 3u, second = (bits >> (2 * e + 2)) & 3u;
                if (!undefined && first >= second) return false;
                const u32 base = 2 * per_half * half + 2 * e;
                f.at[row][per_half * half + e] = static_cast<std::uint8_t>(base + first);
                f.at[row][per_half * half + e + 1] = static_cast<std::uint8_t>(base + second);
            }
        }
    return true;
}

// The elements of both factors; false where the instruction's operands break a rule that the ISA states.
template <typename T, typename ValueA, typename ValueB>
bool gather(const Wave& wave, const Inst& inst, Factors<T>& f, ValueA value_a, ValueB value_b) {
    const MatrixForm& m = inst.row->matrix;
    const Source &a = inst.sources[0], &b = inst.sources[1];
    const bool split = wave.worker->chip->generation >= 12;
    f.count = m.sparse ? m.k / 2u : m.k;
    const u32 halves = split ? kHalves : 1;
    const u32 per_half = f.count / halves, per_half_b = m.k / halves;
    if (!split && (!halves_agree(wave, a) || !halves_agree(wave, b))) return false;
    if (!choose_positions(wave, inst, per_half, f)) return false;
    for (u32 lane = 0; lane < kSide * halves; ++lane) {
        const u32 side = lane % kSide, half = lane / kSide;
        for (u32 e = 0; e < per_half; ++e)
            f.a[side][per_half * half + e] = value_a(element_at(wave, a.reg, lane, e, element_bits(m.a)), e);
        for (u32 e = 0; e < per_half_b; ++e)
            f.b[per_half_b * half + e][side] = value_b(element_at(wave, b.reg, lane, e, element_bits(m.b)), e);
    }
    f.undefined_rows |= undefined_in(wave, a.reg, a.registers);
    f.undefined_columns |= undefined_in(wave, b.reg, b.registers);
    return true;
}

// Where an element of C and D is.
struct Place {
    u32 reg = 0, lane = 0, shift = 0;
};
Place place_of(bool split, u32 bits, bool high, u32 row, u32 column) {
    if (!split) return {row / 2, column + kSide * (row % 2), high ? 16u : 0u};
    const u32 in_lane = row % 8, lane = column + kSide * (row / 8);
    return bits == 32 ? Place{in_lane, lane, 0} : Place{in_lane / 2, lane, 16 * (in_lane % 2)};
}

// C's element and the mask of its undefined bits; a constant is the same everywhere.
u32 element_of_c(const Wave& wave, const Source& c, const Place& at, u32 mask, u32& undefined) {
    if (c.kind != Source::Kind::kVector) return c.constant[at.lane] & mask;
    const auto reg = static_cast<Register>(c.reg + at.reg);
    undefined = (wave.undefined_word(reg, at.lane) >> at.shift) & mask;
    return (wave.v[reg][at.lane] >> at.shift) & mask;
}

// Writes D: `start` gives what the products are added to, by C's bits, `finish` the bits of the sum.
template <typename T, typename Start, typename Finish>
void multiply(Wave& wave, const Inst& inst, const Factors<T>& f, Start start, Finish finish) {
    const u32 bits = element_bits(inst.row->matrix.result);
    const u32 mask = bits == 32 ? ~0u : 0xffffu;
    const bool split = wave.worker->chip->generation >= 12;
    u32 words[8][kLanes], undefined[8][kLanes];
    for (u32 r = 0; r < inst.result_registers; ++r)
        for (u32 lane = 0; lane < kLanes; ++lane) {
            const auto reg = static_cast<Register>(inst.result + r);
            words[r][lane] = wave.v[reg][lane];
            undefined[r][lane] = wave.undefined_word(reg, lane);
        }
    for (u32 row = 0; row < kSide; ++row) {
        T sums[kSide];
        u32 c[kSide], unknown[kSide] = {};
        for (u32 j = 0; j < kSide; ++j) {
            const Place at = place_of(split, bits, inst.sources[2].op_sel, row, j);
            c[j] = element_of_c(wave, inst.sources[2], at, mask, unknown[j]);
            sums[j] = start(c[j]);
        }
        for (u32 e = 0; e < f.count; ++e) {
            const T factor = f.a[row][e];
            const T* const column = f.b[f.at[row][e]];
            for (u32 j = 0; j < kSide; ++j) sums[j] += factor * column[j];
        }
        for (u32 j = 0; j < kSide; ++j) {
            const Place at = place_of(split, bits, inst.result_high, row, j);
            const bool lost =
                unknown[j] != 0 || ((f.undefined_rows >> row) & 1u) != 0 || ((f.undefined_columns >> j) & 1u) != 0;
            const u32 field = mask << at.shift;
            words[at.reg][at.lane] = (words[at.reg][at.lane] & ~field) | (finish(sums[j], c[j]) & mask) << at.shift;
            undefined[at.reg][at.lane] = (undefined[at.reg][at.lane] & ~field) | (lost ? field : 0u);
        }
    }
    for (u32 r = 0; r < inst.result_registers; ++r) {
        const auto reg = static_cast<Register>(inst.result + r);
        std::copy_n(words[r], kLanes, wave.v[reg]);
        set_undefined(wave, reg, undefined[r], ~0u);
    }
}

u32 rounded_to(Element type, double v) {
    if (std::isnan(v))
        return type == Element::kF32 ? F32::kDefaultNan : type == Element::kF16 ? F16::kDefaultNan : 0x7fc0u;
    return type == Element::kF32   ? nearest<F32>(v)
           : type == Element::kF16 ? nearest<F16>(v)
                                   : round_bfloat(f32_to_odd(v));
}

constexpr const char* kRules = "unsupported operands of a matrix instruction: lanes 16 to 31 of a factor differ from "
                               "lanes 0 to 15 (gfx11), or an index pair does not increase (sparse)";

void multiply_floats(Wave& wave, const Inst& inst) {
    const MatrixForm& m = inst.row->matrix;
    const auto value = [](Element type, const Source& source) {
        // Of two elements in a register NEG_LO negates the lower, NEG_HI the upper.
        return [type, lower = source.neg, upper = source.abs_or_neg_hi](u32 bits, u32 index) {
            const double v = float_value(type, bits);
            return (index % 2 == 0 ? lower : upper) ? -v : v;
        };
    };
    Factors<double> f;
    if (!gather(wave, inst, f, value(m.a, inst.sources[0]), value(m.b, inst.sources[1]))) {
        stop_unsupported(wave, kRules);
        return;
    }
    const Source& c = inst.sources[2];
    multiply(
        wave, inst, f,
        [&](u32 bits) {
            double v = float_value(m.result, bits);
            if (c.abs_or_neg_hi) v = std::fabs(v);
            return c.neg ? -v : v;
        },
        [&](double sum, u32) { return rounded_to(m.result, sum); });
}

void multiply_integers(Wave& wave, const Inst& inst) {
    const MatrixForm& m = inst.row->matrix;
    const auto value = [](Element type, bool is_signed) {
        return [=](u32 bits, u32) { return integer_value(bits, element_bits(type), is_signed); };
    };
    Factors<i32> f; // 64 products of 8 bits each stay below 2^22
    if (!gather(wave, inst, f, value(m.a, inst.sources[0].neg), value(m.b, inst.sources[1].neg))) {
        stop_unsupported(wave, kRules);
        return;
    }
    multiply(
        wave, inst, f, [](u32) { return 0; },
        [&](i32 products, u32 c) {
            const i64 sum = i64{products} + static_cast<i32>(c);
            constexpr i64 kLeast = std::numeric_limits<std::int32_t>::min(),
                          kMost = std::numeric_limits<std::int32_t>::max();
            return static_cast<u32>(inst.clamp ? std::clamp(sum, kLeast, kMost) : sum);
        });
}

bool meet(Register a, u32 count_a, Register b, u32 count_b) { return a < b + count_b && b < a + count_a; }

// D may be C, or no operand at all.
bool overlaps(const Inst& inst) {
    for (u32 i = 0; i < inst.source_count; ++i) {
        const Source& s = inst.sources[i];
        if (s.kind != Source::Kind::kVector || (i == 2 && s.reg == inst.result)) continue;
        if (meet(inst.result, inst.result_registers, s.reg, s.registers)) return true;
    }
    return false;
}

void multiply_matrices(Wave& wave, const Inst& inst) {
    if (wave.exec() != ~0u)
        stop_unsupported(wave, "unsupported matrix instruction with lanes that EXEC switches off");
    else if (overlaps(inst))
        stop_unsupported(wave, "unsupported overlap of a matrix result with an operand");
    else if (inst.row->matrix.result == Element::kI32)
        multiply_integers(wave, inst);
    else
        multiply_floats(wave, inst);
}

constexpr std::string_view kSingleNote =
    "C and the exact products are added in binary64 and rounded once to nearest even, subnormals kept, NaN the default "
    "one; the ISA leaves open order and roundings (at most one of 2^-23 an addition) and whether subnormals are "
    "flushed";
constexpr std::string_view kHalfNote =
    "C and the exact products are added in binary64 and rounded once to nearest even, subnormals kept, NaN the default "
    "one; the ISA leaves open order and roundings: a chip may round the sum to the result's type up to 8 times, and "
    "cut "
    "bf16 off";

constexpr Row matrix(std::string_view name, Element result, Element a, Element b, std::uint8_t k, bool sparse) {
    Row r;
    r.name = name;
    r.unit = Unit::kMatrix;
    r.handler = multiply_matrices;
    r.matrix = {result, a, b, k, sparse};
    if (result == Element::kI32) return r;
    return approximate(r, result == Element::kF32 ? kSingleNote : kHalfNote);
}

#define HKC_WMMA(shape, suffix, result, a, b, k)                                                                       \
    matrix("V_WMMA_" shape "_" suffix, Element::result, Element::a, Element::b, k, false)
#define HKC_SWMMAC(shape, suffix, result, a, b, k)                                                                     \
    matrix("V_SWMMAC_" shape "_" suffix, Element::result, Element::a, Element::b, k, true)

constexpr Row kRows[] = {
    HKC_WMMA("F32_16X16X16", "F16", kF32, kF16, kF16, 16),
    HKC_WMMA("F32_16X16X16", "BF16", kF32, kBf16, kBf16, 16),
    HKC_WMMA("F16_16X16X16", "F16", kF16, kF16, kF16, 16),
    HKC_WMMA("BF16_16X16X16", "BF16", kBf16, kBf16, kBf16, 16),
    HKC_WMMA("I32_16X16X16", "IU8", kI32, kIu8, kIu8, 16),
    HKC_WMMA("I32_16X16X16", "IU4", kI32, kIu4, kIu4, 16),
    HKC_WMMA("I32_16X16X32", "IU4", kI32, kIu4, kIu4, 32),
    HKC_WMMA("F32_16X16X16", "FP8_FP8", kF32, kFp8, kFp8, 16),
    HKC_WMMA("F32_16X16X16", "FP8_BF8", kF32, kFp8, kBf8, 16),
    HKC_WMMA("F32_16X16X16", "BF8_FP8", kF32, kBf8, kFp8, 16),
    HKC_WMMA("F32_16X16X16", "BF8_BF8", kF32, kBf8, kBf8, 16),
    HKC_SWMMAC("F32_16X16X32", "F16", kF32, kF16, kF16, 32),
    HKC_SWMMAC("F32_16X16X32", "BF16", kF32, kBf16, kBf16, 32),
    HKC_SWMMAC("F16_16X16X32", "F16", kF16, kF16, kF16, 32),
    HKC_SWMMAC("BF16_16X16X32", "BF16", kBf16, kBf16, kBf16, 32),
    HKC_SWMMAC("I32_16X16X32", "IU8", kI32, kIu8, kIu8, 32),
    HKC_SWMMAC("I32_16X16X32", "IU4", kI32, kIu4, kIu4, 32),
    HKC_SWMMAC("I32_16X16X64", "IU4", kI32, kIu4, kIu4, 64),
    HKC_SWMMAC("F32_16X16X32", "FP8_FP8", kF32, kFp8, kFp8, 32),
    HKC_SWMMAC("F32_16X16X32", "FP8_BF8", kF32, kFp8, kBf8, 32),
    HKC_SWMMAC("F32_16X16X32", "BF8_FP8", kF32, kBf8, kFp8, 32),
    HKC_SWMMAC("F32_16X16X32", "BF8_BF8", kF32, kBf8, kBf8, 32),
};
#undef HKC_WMMA
#undef HKC_SWMMAC

} // namespace

std::span<const Row> matrix_rows() { return kRows; }

} // namespace pm::emu
