// Matrix instructions against exact products: the elements are put where AMD's Matrix Instruction Calculator says
// (wave32, with its numbering along k), and every result's bits follow from the exact sum.
#include "peacemaker/emu/row.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using i64 = std::int64_t;
using emu::Element;

constexpr std::uint64_t kSeed = 20261130;
constexpr u32 kSide = 16;
constexpr Format kE4m3{4, 3}, kE5m2{5, 2};

struct Case {
    const char* row;
    unsigned first_generation, last_generation;
    Element result, a, b;
    u32 k;
    bool sparse = false;
    std::string modifiers{};
    bool negative_a = false, negative_b = false, negative_c = false, absolute_c = false; // floats: both halves
    bool signed_a = false, signed_b = false, clamp = false;
    bool high = false;   // gfx11: the upper halves of C and D
    u32 key = 0;         // sparse: the second set of indices
    const char* c = "";  // a constant
    double constant = 0; // its value
    bool odd_a = false;  // only the upper halves of A's registers are negated
};

std::vector<Case> all_cases() {
    constexpr auto f32 = Element::kF32, f16 = Element::kF16, bf16 = Element::kBf16, fp8 = Element::kFp8,
                   bf8 = Element::kBf8, i32 = Element::kI32, iu8 = Element::kIu8, iu4 = Element::kIu4;
    std::vector<Case> all;
    struct Float {
        const char *wmma, *swmmac;
        Element result, in;
    };
    // A plain case, or one with a change to it.
    const auto add = [&](const Case& plain, const auto&... change) {
        all.push_back(plain);
        (change(all.back()), ...);
    };
    for (const Float& f : {Float{"V_WMMA_F32_16X16X16_F16", "V_SWMMAC_F32_16X16X32_F16", f32, f16},
                           {"V_WMMA_F32_16X16X16_BF16", "V_SWMMAC_F32_16X16X32_BF16", f32, bf16},
                           {"V_WMMA_F16_16X16X16_F16", "V_SWMMAC_F16_16X16X32_F16", f16, f16},
                           {"V_WMMA_BF16_16X16X16_BF16", "V_SWMMAC_BF16_16X16X32_BF16", bf16, bf16}}) {
        const Case dense{f.wmma, 11, 12, f.result, f.in, f.in, 16};
        const Case sparse{f.swmmac, 12, 12, f.result, f.in, f.in, 32, true};
        add(dense);
        add(dense, [](Case& c) {
            c.modifiers = "neg_lo:[1,0,1] neg_hi:[1,0,1]";
            c.negative_a = c.negative_c = c.absolute_c = true;
        });
        add(dense, [](Case& c) {
            c.modifiers = "neg_lo:[0,1,0] neg_hi:[0,1,0]";
            c.negative_b = true;
        });
        add(dense, [](Case& c) {
            c.modifiers = "neg_hi:[1,0,0]";
            c.odd_a = true;
        });
        add(dense, [](Case& c) { c.c = "0"; });
        add(dense, [](Case& c) {
            if (c.result == f32) {
                c.c = "-0.5";
                c.constant = -0.5;
            } else {
                c.last_generation = 11;
                c.modifiers = "op_sel:[0,0,1]";
                c.high = true;
            }
        });
        add(sparse);
        add(sparse, [](Case& c) {
            c.modifiers = "index_key:1 neg_lo:[1,1,0] neg_hi:[1,1,0]";
            c.negative_a = c.negative_b = true;
            c.key = 1;
        });
    }
    struct Bytes {
        const char *wmma, *swmmac;
        Element a, b;
    };
    for (const Bytes& f : {Bytes{"V_WMMA_F32_16X16X16_FP8_FP8", "V_SWMMAC_F32_16X16X32_FP8_FP8", fp8, fp8},
                           {"V_WMMA_F32_16X16X16_FP8_BF8", "V_SWMMAC_F32_16X16X32_FP8_BF8", fp8, bf8},
                           {"V_WMMA_F32_16X16X16_BF8_FP8", "V_SWMMAC_F32_16X16X32_BF8_FP8", bf8, fp8},
                           {"V_WMMA_F32_16X16X16_BF8_BF8", "V_SWMMAC_F32_16X16X32_BF8_BF8", bf8, bf8}}) {
        const Case dense{f.wmma, 12, 12, f32, f.a, f.b, 16}, sparse{f.swmmac, 12, 12, f32, f.a, f.b, 32, true};
        add(dense);
        add(dense, [](Case& c) {
            c.modifiers = "neg_lo:[0,0,1]";
            c.negative_c = true;
        });
        add(sparse);
        add(sparse, [](Case& c) {
            c.modifiers = "index_key:1";
            c.key = 1;
        });
    }
    struct Integers {
        const char* row;
        unsigned first;
        Element in;
        u32 k;
        bool sparse;
    };
    for (const Integers& n : {Integers{"V_WMMA_I32_16X16X16_IU8", 11, iu8, 16, false},
                              {"V_WMMA_I32_16X16X16_IU4", 11, iu4, 16, false},
                              {"V_WMMA_I32_16X16X32_IU4", 12, iu4, 32, false},
                              {"V_SWMMAC_I32_16X16X32_IU8", 12, iu8, 32, true},
                              {"V_SWMMAC_I32_16X16X32_IU4", 12, iu4, 32, true},
                              {"V_SWMMAC_I32_16X16X64_IU4", 12, iu4, 64, true}})
        for (u32 variant = 0; variant < 8; ++variant) {
            Case c{n.row, n.first, 12, i32, n.in, n.in, n.k, n.sparse};
            c.signed_a = (variant & 1) != 0;
            c.signed_b = (variant & 2) != 0;
            c.clamp = (variant & 4) != 0;
            c.key = n.sparse && n.k == 32 && variant % 3 == 1 ? 1 : 0;
            if (c.key != 0) c.modifiers = "index_key:1 ";
            c.modifiers +=
                fmt::format("neg_lo:[{},{},0]{}", c.signed_a ? 1 : 0, c.signed_b ? 1 : 0, c.clamp ? " clamp" : "");
            if (variant == 3 && !n.sparse) {
                c.c = "-7";
                c.constant = -7;
            }
            all.push_back(c);
        }
    return all;
}

// --- where elements are ---------------------------------------------------------------------------------------------

struct Place {
    u32 reg, lane, bit;
};
bool split(const Chip& chip) { return chip.generation >= 12; }

// A[i][k], or B[k][i] of a dense product.
Place dense_place(const Chip& chip, u32 bits, u32 count, u32 i, u32 k) {
    if (!split(chip)) return {k * bits / 32, i, k * bits % 32};
    if (bits == 16) return {2 * (k / 8) + k / 2 % 2, 16 * (k / 4 % 2) + i, 16 * (k % 2)};
    if (bits == 8) return {k / 4 % 2, 16 * (k / 8) + i, 8 * (k % 4)};
    if (count == 16) return {0, 16 * (k / 8) + i, 4 * (k % 8)};
    return {k / 8 % 2, 16 * (k / 16) + i, 4 * (k % 8)};
}
// B[k][j] beside a sparse A.
Place beside_sparse(u32 bits, u32 count, u32 j, u32 k) {
    if (bits == 16) return {4 * (k / 16) + k / 2 % 4, 16 * (k / 8 % 2) + j, 16 * (k % 2)};
    if (bits == 8) return {k / 4 % 4, 16 * (k / 16) + j, 8 * (k % 4)};
    if (count == 32) return {k / 8 % 2, 16 * (k / 16) + j, 4 * (k % 8)};
    return {k / 8 % 4, 16 * (k / 32) + j, 4 * (k % 8)};
}
// The first of the two elements that a sparse A keeps of A[i][k .. k + 3]; the second follows it.
Place sparse_pair(u32 bits, u32 count, u32 i, u32 k) {
    if (bits == 16) return {2 * (k / 16) + k / 4 % 2, 16 * (k / 8 % 2) + i, 0};
    if (bits == 8) return {k / 8 % 2, 16 * (k / 16) + i, 16 * (k / 4 % 2)};
    if (count == 32) return {0, 16 * (k / 16) + i, 8 * (k / 4 % 4)};
    return {k / 16 % 2, 16 * (k / 32) + i, 8 * (k / 4 % 4)};
}
Place index_place(u32 bits, u32 count, u32 i, u32 k) {
    if (bits == 16) return {0, 16 * (k / 8 % 2) + i, 8 * (k / 16) + 4 * (k / 4 % 2)};
    if (count == 32) return {0, 16 * (k / 16) + i, 4 * (k / 4 % 4)};
    return {0, 16 * (k / 32) + i, 4 * (k / 4 % 8)};
}
Place result_place(const Chip& chip, u32 bits, bool high, u32 i, u32 j) {
    if (!split(chip)) return {i / 2, j + 16 * (i % 2), high ? 16u : 0u};
    if (bits == 32) return {i % 8, 16 * (i / 8) + j, 0};
    return {i / 2 % 4, 16 * (i / 8) + j, 16 * (i % 2)};
}

// --- numbers --------------------------------------------------------------------------------------------------------

Format format_of(Element e) {
    return e == Element::kF32    ? kF32
           : e == Element::kF16  ? kF16
           : e == Element::kBf16 ? kBf16
           : e == Element::kFp8  ? kE4m3
                                 : kE5m2;
}
bool is_float(Element e) { return e != Element::kI32 && e != Element::kIu8 && e != Element::kIu4; }

// Bits of like magnitude, so that the sums of exact products fit into 53 bits.
u32 some_element(Element e, std::mt19937_64& random) {
    const auto r = static_cast<u32>(random());
    switch (e) {
    case Element::kF32:
        return (r & 0x807fffffu) | (120 + r % 8) << 23;
    case Element::kF16:
        return (r & 0x83ffu) | (10 + (r >> 16) % 9) << 10;
    case Element::kBf16:
        return (r & 0x807fu) | (122 + (r >> 16) % 9) << 7;
    case Element::kFp8:
        return (r & 0x87u) | (r >> 16) % 15 << 3;
    case Element::kBf8:
        return (r & 0x83u) | (10 + (r >> 16) % 11) << 2;
    case Element::kI32: // near the ends too, so that sums leave the range
        return r % 4 == 0 ? 0x7fffffffu - (r >> 24) : r % 4 == 1 ? 0x80000000u + (r >> 24) : r;
    default:
        return r & ((1u << emu::element_bits(e)) - 1u);
    }
}
mpq_class value_of_element(Element e, u32 bits, bool is_signed) {
    if (is_float(e)) return value_of(format_of(e), bits);
    const u32 width = emu::element_bits(e);
    if (width == 32) return mpq_class(static_cast<std::int32_t>(bits));
    const int v = static_cast<int>(bits);
    return mpq_class(is_signed && v >= 1 << (width - 1) ? v - (1 << width) : v);
}
u32 rounded_result(const Case& c, const mpq_class& exact) {
    if (is_float(c.result)) return static_cast<u32>(rounded(format_of(c.result), exact, Rounding::kNearestEven));
    i64 v = exact.get_num().get_si();
    if (c.clamp) v = std::clamp(v, i64{INT32_MIN}, i64{INT32_MAX});
    return static_cast<u32>(v);
}

// --- the kernel -----------------------------------------------------------------------------------------------------

// Registers as the kernel has them: A in v[8:15], B in v[16:23], C in v[24:31], the index in v32; D is v[40:47] or, of
// sparse instructions, C.
constexpr u32 kA = 0, kB = 8, kC = 16, kIndex = 24, kRegisters = 25;
using Words = std::array<std::array<u32, 32>, kRegisters>;

std::string operand(u32 first, u32 registers) {
    return registers == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + registers - 1);
}

u32 registers_of(const Chip& chip, const Case& c, char which) {
    const u32 halves = split(chip) ? 2 : 1;
    if (which == 'd') return split(chip) && emu::element_bits(c.result) == 16 ? 4 : 8;
    return c.k * emu::element_bits(which == 'a' ? c.a : c.b) / 32 / halves / (which == 'a' && c.sparse ? 2 : 1);
}

std::string instruction(const Chip& chip, const Case& c, bool in_place) {
    const u32 d = registers_of(chip, c, 'd');
    const std::string third = c.sparse ? "v32" : c.c[0] != 0 ? std::string(c.c) : operand(24, d);
    return fmt::format("{} {}, {}, {}, {} {}", lower(c.row), operand(c.sparse || in_place ? 24 : 40, d),
                       operand(8, registers_of(chip, c, 'a')), operand(16, registers_of(chip, c, 'b')), third,
                       c.modifiers);
}

// `before` runs with everything loaded; `loads` may leave lanes out.
KernelText kernel_of(const std::string& name, const std::string& instruction, u32 d, const std::string& before = "",
                     const std::string& first_load_exec = "") {
    KernelText k;
    k.name = name;
    k.vgprs = 48;
    k.body = "  s_load_dwordx4 s[4:7], s[8:9], 0x0\n  wait_all\n  v_lshlrev_b32_e32 v1, 2, v0\n";
    if (!first_load_exec.empty()) k.body += "  s_mov_b32 exec_lo, " + first_load_exec + "\n";
    for (u32 r = 0; r < kRegisters; ++r) {
        k.body += fmt::format("  global_load_dword v{}, v1, s[4:5] offset:{}\n", 8 + r, 128 * r);
        if (r == 0 && !first_load_exec.empty()) k.body += "  s_mov_b32 exec_lo, -1\n";
    }
    for (u32 r = 0; r < 8; ++r) k.body += fmt::format("  v_mov_b32_e32 v{}, 0x5a5a5a5a\n", 40 + r);
    k.body += "  wait_all\n  " + before + "\n  " + instruction + "\n  s_mov_b32 exec_lo, -1\n";
    for (u32 r = 0; r < 8; ++r)
        k.body += fmt::format("  global_store_dword v1, v{}, s[6:7] offset:{}\n", d + r, 128 * r);
    return k;
}

void put(Words& words, u32 first, const Place& at, u32 bits, u32 value) {
    const u32 mask = bits == 32 ? ~0u : (1u << bits) - 1u;
    u32& word = words[first + at.reg][at.lane];
    word = (word & ~(mask << at.bit)) | (value & mask) << at.bit;
}

struct Problem {
    Words words{};
    std::array<std::array<u32, kSide>, kSide> want{}; // D's bits
};

// Random elements at their places, and the exact answer.
Problem problem_of(const Chip& chip, const Case& c, std::mt19937_64& random) {
    Problem p;
    for (auto& lanes : p.words)
        for (u32& w : lanes) w = static_cast<u32>(random()); // what nothing uses
    const u32 bits_a = emu::element_bits(c.a), bits_b = emu::element_bits(c.b), bits_d = emu::element_bits(c.result);
    std::vector<std::array<mpq_class, kSide>> a(c.k), b(c.k); // a[k][i], b[k][j]
    for (u32 i = 0; i < kSide; ++i)
        for (u32 k = 0; k < c.k; ++k) {
            const u32 bits = some_element(c.b, random);
            b[k][i] = value_of_element(c.b, bits, c.signed_b) * (c.negative_b ? -1 : 1);
            const Place at = c.sparse ? beside_sparse(bits_b, c.k, i, k) : dense_place(chip, bits_b, c.k, i, k);
            put(p.words, kB, at, bits_b, bits);
            if (!split(chip)) put(p.words, kB, {at.reg, at.lane + 16, at.bit}, bits_b, bits);
        }
    const auto put_a = [&](u32 i, u32 k, const Place& at) {
        const u32 bits = some_element(c.a, random);
        const bool negative = c.negative_a || (c.odd_a && at.bit == 16);
        a[k][i] = value_of_element(c.a, bits, c.signed_a) * (negative ? -1 : 1);
        put(p.words, kA, at, bits_a, bits);
        if (!split(chip)) put(p.words, kA, {at.reg, at.lane + 16, at.bit}, bits_a, bits);
    };
    for (u32 i = 0; i < kSide; ++i) {
        if (!c.sparse)
            for (u32 k = 0; k < c.k; ++k) put_a(i, k, dense_place(chip, bits_a, c.k, i, k));
        for (u32 k = 0; c.sparse && k < c.k; k += 4) {
            constexpr u32 kPairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
            const auto& pair = kPairs[random() % 6];
            const Place first = sparse_pair(bits_a, c.k, i, k), index = index_place(bits_a, c.k, i, k);
            put_a(i, k + pair[0], first);
            put_a(i, k + pair[1], {first.reg, first.lane, first.bit + bits_a});
            put(p.words, kIndex, {0, index.lane, index.bit + 16 * c.key}, 4, pair[0] | pair[1] << 2);
        }
    }
    for (u32 i = 0; i < kSide; ++i)
        for (u32 j = 0; j < kSide; ++j) {
            const u32 bits = some_element(c.result, random);
            put(p.words, kC, result_place(chip, bits_d, c.high, i, j), bits_d, bits);
            mpq_class sum = c.c[0] != 0 ? mpq_class(c.constant) : value_of_element(c.result, bits, true);
            if (c.absolute_c) sum = abs(sum);
            if (c.negative_c) sum = -sum;
            for (u32 k = 0; k < c.k; ++k) sum += a[k][i] * b[k][j];
            p.want[i][j] = rounded_result(c, sum);
        }
    return p;
}

std::vector<u32> flat(const Words& words) {
    std::vector<u32> all;
    for (const auto& lanes : words) all.insert(all.end(), lanes.begin(), lanes.end());
    return all;
}

u32 element_of(const std::vector<u32>& d, const Place& at, u32 bits) {
    const u32 word = d[32 * at.reg + at.lane];
    return bits == 32 ? word : (word >> at.bit) & 0xffffu;
}

bool has(const Chip& chip, const Case& c) {
    return chip.generation >= c.first_generation && chip.generation <= c.last_generation;
}

class OnChip : public ::testing::TestWithParam<unsigned> {
protected:
    const Chip& chip() const { return chips()[GetParam()]; }
    void SetUp() override {
        if (chip().generation < 11) GTEST_SKIP() << "no matrix instructions";
    }
};

TEST_P(OnChip, EveryMatrixInstructionGivesTheRoundedExactSum) {
    std::vector<Case> cases;
    std::vector<bool> elsewhere; // whether D is a run of registers of its own
    std::vector<KernelText> kernels;
    for (const Case& c : all_cases())
        for (const bool in_place : {false, true}) {
            if (!has(chip(), c) || (in_place && (c.sparse || c.c[0] != 0))) continue;
            kernels.push_back(kernel_of(fmt::format("case{}", cases.size()), instruction(chip(), c, in_place),
                                        c.sparse || in_place ? 24 : 40));
            cases.push_back(c);
            elsewhere.push_back(!c.sparse && !in_place);
        }
    Rig rig(chip(), kernels);
    ASSERT_TRUE(rig.ok());
    std::mt19937_64 random(kSeed);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const Case& c = cases[n];
        SCOPED_TRACE(fmt::format("{}: {}, seed {}", chip().name, instruction(chip(), c, !elsewhere[n]), kSeed));
        for (int round = 0; round < 3; ++round) {
            const Problem p = problem_of(chip(), c, random);
            emu::Allocation* const out = rig.fresh(4 * 32 * 8);
            const emu::Report report = rig.launch(kernels[n].name, Rig::pack(rig.buffer(flat(p.words)), out));
            ASSERT_EQ(text_of(report), "");
            EXPECT_EQ(report.approximate, is_float(c.result) ? 1u : 0u);
            const auto got = words_of<u32>(out);
            const u32 bits = emu::element_bits(c.result);
            int shown = 0;
            for (u32 i = 0; i < kSide; ++i)
                for (u32 j = 0; j < kSide; ++j) {
                    const u32 d = element_of(got, result_place(chip(), bits, c.high, i, j), bits);
                    if (d == p.want[i][j] || ++shown > 3) continue;
                    ADD_FAILURE() << fmt::format("D[{}][{}] = {:08x}, expected {:08x}", i, j, d, p.want[i][j]);
                }
            // The half of gfx11's registers that is not written keeps what it had.
            if (!split(chip()) && bits == 16 && elsewhere[n]) {
                for (const u32 w : got) EXPECT_EQ((c.high ? w : w >> 16) & 0xffffu, 0x5a5au);
            }
        }
    }
}

// Infinities and NaN, row by row of A: what the rest of the row adds does not matter.
TEST_P(OnChip, SpecialNumbersGiveSpecialSums) {
    const Case c{"V_WMMA_F32_16X16X16_F16", 11, 12, Element::kF32, Element::kF16, Element::kF16, 16};
    Rig rig(chip(), {kernel_of("k", instruction(chip(), c, false), 40)});
    ASSERT_TRUE(rig.ok());
    Words words{};
    const auto put_both = [&](u32 first, u32 i, u32 k, u32 bits) {
        const Place at = dense_place(chip(), 16, 16, i, k);
        put(words, first, at, 16, bits);
        if (!split(chip())) put(words, first, {at.reg, at.lane + 16, at.bit}, 16, bits);
    };
    for (u32 j = 0; j < kSide; ++j) put_both(kB, j, 5, j == 0 ? 0x0000u : 0x3c00u); // B[5][j] = 1, but 0 in column 0
    put_both(kA, 1, 5, 0x7c00);                                                     // infinity
    put_both(kA, 2, 5, 0xfc00);
    put_both(kA, 3, 5, 0x7c01); // NaN
    put_both(kA, 4, 5, 0x7bff); // 65504
    for (u32 j = 0; j < kSide; ++j) {
        put(words, kC, result_place(chip(), 32, false, 4, j), 32, 0x7f7fffff); // the largest f32: stays
        put(words, kC, result_place(chip(), 32, false, 5, j), 32, 0xffc12345); // NaN
        put(words, kC, result_place(chip(), 32, false, 2, j), 32, j == 1 ? 0x7f800000u : 0u);
    }
    emu::Allocation* const out = rig.fresh(4 * 32 * 8);
    ASSERT_EQ(text_of(rig.launch("k", Rig::pack(rig.buffer(flat(words)), out))), "");
    const auto got = words_of<u32>(out);
    const auto d = [&](u32 i, u32 j) { return element_of(got, result_place(chip(), 32, false, i, j), 32); };
    constexpr u32 kNan = 0x7fc00000;
    for (u32 j = 0; j < kSide; ++j) {
        EXPECT_EQ(d(0, j), 0u);
        EXPECT_EQ(d(1, j), j == 0 ? kNan : 0x7f800000u); // infinity times 0
        EXPECT_EQ(d(2, j), j < 2 ? kNan : 0xff800000u);  // .., -infinity + infinity
        EXPECT_EQ(d(3, j), kNan);
        EXPECT_EQ(d(4, j), 0x7f7fffffu);
        EXPECT_EQ(d(5, j), kNan);
    }
}

TEST_P(OnChip, WhatAFactorLeavesUndefinedIsItsRowsResult) {
    const Case c{"V_WMMA_F32_16X16X16_F16", 11, 12, Element::kF32, Element::kF16, Element::kF16, 16};
    // Lane 3 of A's first register, and so a part of row 3, is never loaded.
    Rig rig(chip(), {kernel_of("k", instruction(chip(), c, false), 40, "", "0xfffffff7")});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(4 * 32 * 8);
    ASSERT_EQ(text_of(rig.launch("k", Rig::pack(rig.buffer(std::vector<u32>(32 * kRegisters)), out))), "");
    ASSERT_FALSE(out->whole());
    for (u32 i = 0; i < kSide; ++i)
        for (u32 j = 0; j < kSide; ++j) {
            const Place at = result_place(chip(), 32, false, i, j);
            EXPECT_EQ(out->undefined[4 * (32 * at.reg + at.lane)] != 0, i == 3) << i << " " << j;
        }
}

TEST_P(OnChip, WhatTheIsaForbidsIsNotExecuted) {
    const Case c{"V_WMMA_F32_16X16X16_F16", 11, 12, Element::kF32, Element::kF16, Element::kF16, 16};
    const std::string plain = instruction(chip(), c, false);
    const std::string a = operand(8, registers_of(chip(), c, 'a')), b = operand(16, registers_of(chip(), c, 'b'));
    struct Broken {
        std::string name, instruction, before, says;
    };
    std::vector<Broken> all = {
        {"exec", plain, "s_mov_b32 exec_lo, 0x7fffffff", "EXEC switches off"},
        {"over_a", fmt::format("v_wmma_f32_16x16x16_f16 v[8:15], {}, {}, v[24:31]", a, b), "", "unsupported overlap"},
        {"over_b", fmt::format("v_wmma_f32_16x16x16_f16 v[12:19], v[32:{}], {}, v[24:31]", split(chip()) ? 35 : 39, b),
         "", "unsupported overlap"},
        {"over_c", fmt::format("v_wmma_f32_16x16x16_f16 v[28:35], {}, {}, v[24:31]", a, b), "", "unsupported overlap"},
    };
    if (split(chip())) {
        all.push_back({"index", "v_swmmac_f32_16x16x32_f16 v[24:31], v[8:11], v[16:23], v32",
                       "v_mov_b32_e32 v32, 0x44444440", "an index pair does not increase"});
        all.push_back({"neg", "v_swmmac_f32_16x16x32_f16 v[24:31], v[8:11], v[16:23], v32 neg_lo:[0,1,0]",
                       "v_mov_b32_e32 v32, 0x44444444", "unsupported instruction"});
        all.push_back(
            {"constant", "v_wmma_f16_16x16x16_f16 v[40:43], v[8:11], v[16:19], 1.0", "", "unsupported instruction"});
    } else {
        all.push_back({"halves", plain, "s_mov_b32 exec_lo, 0x80000\n v_mov_b32_e32 v9, 1\n s_mov_b32 exec_lo, -1",
                       "differ from lanes 0 to 15"});
        all.push_back(
            {"constant", "v_wmma_f16_16x16x16_f16 v[40:47], v[8:15], v[16:23], 1.0", "", "unsupported instruction"});
    }
    std::vector<KernelText> kernels;
    for (const Broken& one : all) kernels.push_back(kernel_of(one.name, one.instruction, 40, one.before));
    Rig rig(chip(), kernels);
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const in = rig.buffer(std::vector<u32>(32 * kRegisters));
    emu::Allocation* const out = rig.fresh(4 * 32 * 8);
    for (const Broken& one : all) {
        const std::string said = text_of(rig.launch(one.name, Rig::pack(in, out)));
        EXPECT_NE(said.find(one.says), std::string::npos) << one.name << ": " << said;
        EXPECT_NE(said.find("unsupported"), std::string::npos) << one.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(MatrixRows, EachHasATest) { expect_rows_covered(emu::matrix_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
