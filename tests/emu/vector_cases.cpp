#include "tests/emu/vector_cases.h"

#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <random>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kSeed = 20260704;
constexpr std::size_t kCases = 1536; // lanes of one row

constexpr u32 kIntegerEdges[] = {0,          1,          2,          31,         32,         33,
                                 0x7f,       0xff,       0x7fff,     0x8000,     0xffff,     0x10000,
                                 0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7fffffff, 0x80000000,
                                 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x0c080400};
constexpr u32 kFloatEdges[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                               0x00800000, 0x80800000, 0x33000000, // .., 2^-25
                               0x33000001, 0x337fffff, 0x33800000, 0x387fe000, 0x38800000,
                               0x387fffff, 0x3f7fffff, 0x3f800000, // .., 2^-14, 1
                               0x3f800001, 0xbf800000, 0x3f000000, 0x3fc00000, 0x477fe000,
                               0x477fefff, 0x477ff000, 0x47800000, // 65504, 65520, 65536
                               0x4b000000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
                               0x4f7fffff, 0x4f800000, 0x7f7fffff, // 2^31, 2^32, largest
                               0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc12345,
                               0xffc00001, 0x7f800001, 0xffbfffff, 0x3fffffff, 0x40490fdb};
constexpr u32 kHalfEdges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3bff, 0x3c00, 0x3c01, 0xbc00,
                              0x4000, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe01, 0x7fff, 0x3555, 0x0a00};
constexpr u32 kBrainEdges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f7f, 0x3f80, 0x3f81, 0xbf80,
                               0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1, 0x4049, 0x1f80, 0x5f80};

template <std::size_t N>
u32 one_of(const u32 (&values)[N], std::mt19937_64& random) {
    return values[random() % N];
}

constexpr u64 kDoubleEdges[] = {0,
                                0x8000000000000000,
                                1,
                                0x8000000000000001,
                                0x000fffffffffffff,
                                0x0010000000000000,
                                0x3ff0000000000000, // 1
                                0xbff0000000000000,
                                0x3fe0000000000000,
                                0x3ff8000000000000,
                                0x3fefffffffffffff,
                                0x4000000000000000,
                                0x41dfffffffc00000, // 2^31 - 1
                                0x41e0000000000000,
                                0xc1e0000000000000,
                                0xc1e0000000200000,
                                0x41efffffffe00000, // 2^32 - 1
                                0x41f0000000000000,
                                0x4330000000000001,
                                0x47efffffe0000000, // the largest f32
                                0x47effffff0000000,
                                0x36a0000000000000, // the least f32, and half of it
                                0x3690000000000000,
                                0x380fffffe0000000,
                                0x7fefffffffffffff,
                                0xffefffffffffffff,
                                0x7ff0000000000000,
                                0xfff0000000000000,
                                0x7ff8000000000000,
                                0x7ff8000000012345,
                                0xfff0000000000001,
                                0x7ff4000000000000};

u64 double_word(std::mt19937_64& random) {
    if (random() % 2 == 0) return kDoubleEdges[random() % std::size(kDoubleEdges)];
    if (random() % 4 == 0) return random();
    return (random() & 0x800fffffffffffff) | (0x3fc0000000000000 + (random() % 8) * 0x10000000000000);
}

u32 word(Values kind, std::mt19937_64& random) {
    const bool edge = random() % 2 == 0;
    switch (kind) {
    case Values::kIntegers:
        return edge ? one_of(kIntegerEdges, random) : static_cast<u32>(random()) >> (random() % 32);
    case Values::kFloats:
        // Random ones mostly of like magnitude, so that sums cancel.
        if (edge) return one_of(kFloatEdges, random);
        if (random() % 4 == 0) return static_cast<u32>(random());
        return static_cast<u32>((random() & 0x807fffff) | (0x3f000000 + (random() % 8) * 0x800000));
    case Values::kHalves:
        if (edge) return one_of(kHalfEdges, random) | one_of(kHalfEdges, random) << 16;
        if (random() % 4 == 0) return one_of(kFloatEdges, random);
        return static_cast<u32>((random() & 0x83ff83ff) | (0x3000 + (random() % 6) * 0x400) |
                                (0x30000000 + (random() % 6) * 0x4000000));
    case Values::kDoubles:
        break; // two words at once
    case Values::kBrainHalves:
        if (edge) return one_of(kBrainEdges, random) | one_of(kBrainEdges, random) << 16;
        return static_cast<u32>((random() & 0x807f807f) | (0x3e00 + (random() % 6) * 0x80) |
                                (0x3e000000 + (random() % 6) * 0x800000));
    }
    return 0;
}

std::vector<LaneIn> inputs_for(Values kind) {
    std::mt19937_64 random(kSeed + static_cast<u64>(kind));
    const auto wide = [&] {
        return kind == Values::kDoubles ? double_word(random) : word(kind, random) | u64{word(kind, random)} << 32;
    };
    std::vector<LaneIn> all(kCases);
    for (LaneIn& in : all) {
        in = {wide(), wide(), wide(), wide(), false};
        in.mask = (in.c & 1) != 0;
        // Equal operands are rare otherwise.
        if (random() % 8 == 0) in.b = in.a;
        if (random() % 8 == 0) in.b = (in.b & 0xffffffff) | (in.a >> 32 << 32);
    }
    return all;
}

// Loads a lane's operands (vector_cases.h), executes, stores v[10:11], the lane's bit of the mask and of EXEC.
std::string body_of(const VectorCase& c) {
    return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_all
  v_lshl_add_u32 v1, s10, 5, v0
  v_lshlrev_b32_e32 v2, 5, v1
  v_lshlrev_b32_e32 v3, 4, v1
  global_load_dwordx4 v[4:7], v2, s[4:5]
  global_load_dwordx4 v[8:11], v2, s[4:5] offset:16
  wait_all
  v_and_b32_e32 v12, 1, v8
  v_cmp_ne_u32_e32 vcc_lo, 0, v12
  {}
  s_mov_b32 s21, exec_lo
  s_mov_b32 exec_lo, -1
  v_cndmask_b32_e64 v12, 0, 1, {}
  v_cndmask_b32_e64 v13, 0, 1, s21
  global_store_dwordx4 v3, v[10:13], s[6:7]
)",
                       c.assembly, c.mask_register);
}

unsigned generation_bit(const Chip& chip) {
    return chip.generation == 10 ? kGen10 : chip.generation == 11 ? kGen11 : kGen12;
}

} // namespace

void add_half_case(std::vector<VectorCase>& all, const VectorCase& c) {
    const auto spelled = [&](bool named, unsigned generations) {
        VectorCase one = c;
        one.generations &= generations;
        one.assembly.clear();
        for (std::size_t i = 0; i < c.assembly.size(); ++i) {
            const char mark = c.assembly[i];
            if (mark != '%' && mark != '^') {
                one.assembly += mark;
                continue;
            }
            one.assembly += 'v';
            while (i + 1 < c.assembly.size() && std::isdigit(static_cast<unsigned char>(c.assembly[i + 1])) != 0)
                one.assembly += c.assembly[++i];
            if (named) one.assembly += mark == '%' ? ".l" : ".h";
        }
        if (one.generations != 0) all.push_back(std::move(one));
    };
    spelled(true, kGen11);
    if (c.assembly.find('^') == std::string::npos) spelled(false, kGen10 | kGen12);
}

void expect_vector_cases(const Chip& chip, const std::vector<VectorCase>& all) {
    std::vector<VectorCase> cases;
    std::vector<KernelText> kernels;
    for (const VectorCase& c : all) {
        if ((c.generations & generation_bit(chip)) == 0) continue;
        KernelText k;
        k.name = fmt::format("case{}", cases.size());
        k.body = body_of(c);
        kernels.push_back(std::move(k));
        cases.push_back(c);
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);

    std::vector<std::vector<LaneIn>> inputs;
    std::vector<emu::Allocation*> in;
    for (const Values kind :
         {Values::kIntegers, Values::kFloats, Values::kHalves, Values::kBrainHalves, Values::kDoubles}) {
        inputs.push_back(inputs_for(kind));
        std::vector<u64> words;
        for (const LaneIn& l : inputs.back()) words.insert(words.end(), {l.a, l.b, l.c, l.d});
        in.push_back(rig.buffer(words));
    }
    emu::Allocation* const out = rig.buffer(std::vector<u32>(4 * kCases));
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const VectorCase& c = cases[n];
        SCOPED_TRACE(chip.name + ": " + c.row + ": " + c.assembly);
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(),
                                [&](const emu::Inst& i) { return i.row != nullptr && i.row->name == c.row; }));
        const auto kind = static_cast<std::size_t>(c.values);
        const emu::Report report = rig.launch(kernels[n].name, Rig::pack(in[kind], out), {kCases / 32, 1, 1});
        ASSERT_EQ(text_of(report), "");
        const auto got = words_of<u32>(out);
        int shown = 0;
        for (std::size_t i = 0; i < kCases && shown < 3; ++i) {
            const LaneIn& lane = inputs[kind][i];
            const LaneOut want = c.expected ? c.expected(lane) : LaneOut{};
            const u64 d = got[4 * i] | u64{got[4 * i + 1]} << 32;
            const bool mask = (c.writes_exec ? got[4 * i + 3] : got[4 * i + 2]) != 0;
            if (c.accepts ? c.accepts(lane, d) : d == want.d && mask == want.mask) continue;
            ++shown;
            ADD_FAILURE() << fmt::format(
                "a={:016x} b={:016x} c={:016x} d={:016x} mask={}: {:016x} mask={}, expected {:016x} mask={}; seed {}",
                lane.a, lane.b, lane.c, lane.d, lane.mask, d, mask, want.d, want.mask, kSeed);
        }
    }
}

} // namespace pm::testing
