// Every LDS row: registers and the whole of LDS afterwards, against bytes of the host.
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/atomic_cases.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kSeed = 20260711;
constexpr unsigned kBytes = 4096;

enum : unsigned { kGen10 = 1, kGen11 = 2, kGen10And11 = 3, kGen12 = 4, kGen11And12 = 6, kAllGens = 7 };

/// Lane l has v1 = 16 * l, v[20:23] the bytes of LDS's first contents from 2048 + 16 * l, v[24:27] those from 3072 + 16
/// * l, and takes results in v[16:19], that hold 0xb0b1b2b3 before.
struct Lane {
    unsigned at; // v1
    std::array<u32, 4> data, second;
    std::array<u32, 4> result;
};
using Lds = std::vector<u8>;

struct Case {
    std::string row;
    unsigned generations;
    std::string assembly;
    std::function<void(Lds&, Lane&)> lane;              // one lane at a time; or
    std::function<void(Lds&, std::vector<Lane>&)> wave; // all at once
};

u64 read(const Lds& lds, unsigned at, unsigned bytes) {
    u64 v = 0;
    for (unsigned i = bytes; i-- > 0;) v = v * 256 + lds[at + i];
    return v;
}
void write(Lds& lds, unsigned at, unsigned bytes, u64 v) {
    for (unsigned i = 0; i < bytes; ++i) lds[at + i] = static_cast<u8>(v >> 8 * i);
}
u64 wide(const std::array<u32, 4>& words, unsigned bytes, unsigned first = 0) {
    return bytes == 8 ? words[first] | u64{words[first + 1]} << 32 : words[first];
}
std::string registers(unsigned first, unsigned bytes) {
    return bytes <= 4 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + bytes / 4 - 1);
}
void add_plain(std::vector<Case>& all) {
    struct Narrow {
        const char* row;
        unsigned bytes;
        bool is_signed;
        int half;
    };
    for (const Narrow n : {Narrow{"DS_READ_U8", 1, false, -1},
                           {"DS_READ_I8", 1, true, -1},
                           {"DS_READ_U16", 2, false, -1},
                           {"DS_READ_I16", 2, true, -1},
                           {"DS_READ_U8_D16", 1, false, 0},
                           {"DS_READ_U8_D16_HI", 1, false, 1},
                           {"DS_READ_I8_D16", 1, true, 0},
                           {"DS_READ_I8_D16_HI", 1, true, 1},
                           {"DS_READ_U16_D16", 2, false, 0},
                           {"DS_READ_U16_D16_HI", 2, false, 1}})
        all.push_back({n.row, kAllGens, lower(n.row) + " v16, v1 offset:6",
                       [n](Lds& lds, Lane& l) {
                           u64 v = read(lds, l.at + 6, n.bytes);
                           if (n.is_signed && lds[l.at + 6 + n.bytes - 1] >= 0x80) v += ~u64{0} << 8 * n.bytes;
                           const auto w = static_cast<u32>(v);
                           l.result[0] = n.half < 0    ? w
                                         : n.half == 0 ? (l.result[0] & 0xffff0000) | (w & 0xffff)
                                                       : (l.result[0] & 0xffff) | w << 16;
                       },
                       nullptr});
    for (const unsigned bytes : {4u, 8u, 12u, 16u}) {
        all.push_back({fmt::format("DS_READ_B{}", 8 * bytes), kAllGens,
                       fmt::format("ds_read_b{} {}, v1", 8 * bytes, registers(16, bytes)),
                       [bytes](Lds& lds, Lane& l) {
                           for (unsigned i = 0; i < bytes / 4; ++i)
                               l.result[i] = static_cast<u32>(read(lds, l.at + 4 * i, 4));
                       },
                       nullptr});
        all.push_back({fmt::format("DS_WRITE_B{}", 8 * bytes), kAllGens,
                       fmt::format("ds_write_b{} v1, {} offset:32", 8 * bytes, registers(20, bytes)),
                       [bytes](Lds& lds, Lane& l) {
                           for (unsigned i = 0; i < bytes / 4; ++i) write(lds, l.at + 32 + 4 * i, 4, l.data[i]);
                       },
                       nullptr});
    }
    struct Store {
        const char* row;
        unsigned bytes, shift;
    };
    for (const Store s : {Store{"DS_WRITE_B8", 1, 0},
                          {"DS_WRITE_B16", 2, 0},
                          {"DS_WRITE_B8_D16_HI", 1, 16},
                          {"DS_WRITE_B16_D16_HI", 2, 16}})
        all.push_back({s.row, kAllGens, lower(s.row) + " v1, v20 offset:2",
                       [s](Lds& lds, Lane& l) { write(lds, l.at + 2, s.bytes, l.data[0] >> s.shift); }, nullptr});
    for (const unsigned bytes : {4u, 8u})
        for (const bool stride : {false, true}) {
            const unsigned unit = bytes * (stride ? 64 : 1), first = stride ? 1 : 0, second = stride ? 3 : 1;
            const std::string name = fmt::format("2{}_B{}", stride ? "ST64" : "", 8 * bytes);
            const std::string offsets = fmt::format(" offset0:{} offset1:{}", first, second);
            all.push_back({"DS_READ" + name, kAllGens,
                           lower("DS_READ" + name) + " " + registers(16, 2 * bytes) + ", v1" + offsets,
                           [=](Lds& lds, Lane& l) {
                               for (unsigned i = 0; i < bytes / 4; ++i) {
                                   l.result[i] = static_cast<u32>(read(lds, l.at + first * unit + 4 * i, 4));
                                   l.result[bytes / 4 + i] =
                                       static_cast<u32>(read(lds, l.at + second * unit + 4 * i, 4));
                               }
                           },
                           nullptr});
            all.push_back(
                {"DS_WRITE" + name, kAllGens,
                 lower("DS_WRITE" + name) + " v1, " + registers(20, bytes) + ", " + registers(24, bytes) + offsets,
                 [=](Lds& lds, Lane& l) {
                     write(lds, l.at + first * unit, bytes, wide(l.data, bytes));
                     write(lds, l.at + second * unit, bytes, wide(l.second, bytes));
                 },
                 nullptr});
        }
}

void add_atomics(std::vector<Case>& all) {
    struct Named {
        const char* name;
        const char* type; // U, I, B, F: with the width behind it
        unsigned generations;
        Atomic op;
        unsigned sizes = 12;         // 4: 32 bits, 8: 64 bits
        bool compares_first = false; // the operands the other way round
        int returning = 0;           // 1: with return alone
    };
    static constexpr Named kAtomics[] = {
        {"ADD", "U", kAllGens, Atomic::kAdd},
        {"SUB", "U", kAllGens, Atomic::kSub},
        {"RSUB", "U", kAllGens, Atomic::kReverseSub},
        {"MIN", "U", kAllGens, Atomic::kMinUnsigned},
        {"MAX", "U", kAllGens, Atomic::kMaxUnsigned},
        {"MIN", "I", kAllGens, Atomic::kMinSigned},
        {"MAX", "I", kAllGens, Atomic::kMaxSigned},
        {"AND", "B", kAllGens, Atomic::kAnd},
        {"OR", "B", kAllGens, Atomic::kOr},
        {"XOR", "B", kAllGens, Atomic::kXor},
        {"INC", "U", kAllGens, Atomic::kIncrement},
        {"DEC", "U", kAllGens, Atomic::kDecrement},
        {"MSKOR", "B", kAllGens, Atomic::kMaskedOr},
        {"WRXCHG", "B", kAllGens, Atomic::kSwap, 12, false, 1},
        // gfx10 compares with the first operand and stores the second; from gfx11 on it is the other way round.
        {"CMPST", "B", kGen10, Atomic::kCompareSwap, 12, true},
        {"CMPSTORE", "B", kGen11And12, Atomic::kCompareSwap},
        {"CMPST", "F", kGen10, Atomic::kFloatCompareSwap, 12, true},
        {"CMPSTORE", "F", kGen11, Atomic::kFloatCompareSwap},
        {"MIN", "F", kAllGens, Atomic::kFloatMin},
        {"MAX", "F", kAllGens, Atomic::kFloatMax},
        {"ADD", "F", kAllGens, Atomic::kFloatAdd, 4},
        {"SUB_CLAMP", "U", kGen12, Atomic::kSubClamp, 4},
        {"COND_SUB", "U", kGen12, Atomic::kSubIf, 4},
        {"WRAP", "B", kGen10And11, Atomic::kWrap, 4, false, 1},
    };
    const auto apply = [](unsigned bytes, bool returns, Atomic op, bool swapped) {
        return [=](Lds& lds, Lane& l) {
            const u64 before = read(lds, l.at, bytes), data = wide(l.data, bytes), second = wide(l.second, bytes);
            write(lds, l.at, bytes,
                  swapped ? after_atomic(op, bytes, before, second, data)
                          : after_atomic(op, bytes, before, data, second));
            if (!returns) return;
            l.result[0] = static_cast<u32>(before);
            if (bytes == 8) l.result[1] = static_cast<u32>(before >> 32);
        };
    };
    const auto takes_two = [](Atomic op) {
        return op == Atomic::kCompareSwap || op == Atomic::kFloatCompareSwap || op == Atomic::kMaskedOr ||
               op == Atomic::kWrap;
    };
    const auto add = [&](const std::string& row, unsigned generations, unsigned bytes, bool returns, Atomic op,
                         bool swapped) {
        std::string text =
            lower(row) + " " + (returns ? registers(16, bytes) + ", " : "") + "v1, " + registers(20, bytes);
        if (takes_two(op)) text += ", " + registers(24, bytes);
        all.push_back({row, generations, std::move(text), apply(bytes, returns, op, swapped), nullptr});
    };
    for (const bool returns : {false, true}) {
        const char* const rtn = returns ? "_RTN" : "";
        for (const unsigned bytes : {4u, 8u})
            for (const Named& a : kAtomics)
                if ((a.sizes & bytes) != 0 && (returns || a.returning == 0))
                    add(fmt::format("DS_{}{}_{}{}", a.name, rtn, a.type, 8 * bytes), a.generations, bytes, returns,
                        a.op, a.compares_first);
        add(fmt::format("DS_PK_ADD{}_F16", rtn), kGen12, 4, returns, Atomic::kAddHalves, false);
        add(fmt::format("DS_PK_ADD{}_BF16", rtn), kGen12, 4, returns, Atomic::kAddBfloats, false);
    }
    // Each word whose top bit is set is written without it. Bit 2 of the address does not count.
    all.push_back({"DS_CONDXCHG32_RTN_B64", kAllGens, "ds_condxchg32_rtn_b64 v[16:17], v1, v[20:21] offset:12",
                   [](Lds& lds, Lane& l) {
                       for (unsigned k = 0; k < 2; ++k) {
                           const unsigned at = l.at + 8 + 4 * k;
                           l.result[k] = static_cast<u32>(read(lds, at, 4));
                           if (l.data[k] >= 0x80000000u) write(lds, at, 4, l.data[k] - 0x80000000u);
                       }
                   },
                   nullptr});
    for (const unsigned bytes : {4u, 8u})
        for (const bool stride : {false, true}) {
            // Odd elements apart, so that no lane meets another one's.
            const unsigned unit = bytes * (stride ? 64 : 1), first = 0, second = stride ? 4 : 1;
            const std::string row = fmt::format("DS_WRXCHG2{}_RTN_B{}", stride ? "ST64" : "", 8 * bytes);
            all.push_back({row, kAllGens,
                           fmt::format("{} {}, v1, {}, {} offset0:{} offset1:{}", lower(row), registers(16, 2 * bytes),
                                       registers(20, bytes), registers(24, bytes), first, second),
                           [=](Lds& lds, Lane& l) {
                               for (unsigned half = 0; half < 2; ++half) {
                                   const unsigned at = l.at + (half == 0 ? first : second) * unit;
                                   for (unsigned k = 0; k < bytes / 4; ++k)
                                       l.result[half * bytes / 4 + k] = static_cast<u32>(read(lds, at + 4 * k, 4));
                                   write(lds, at, bytes, wide(half == 0 ? l.data : l.second, bytes));
                               }
                           },
                           nullptr});
        }
}

// M0 gives the address: 8 here, and 8 more by the offset.
void add_addressed_by_m0(std::vector<Case>& all) {
    const auto counted = [](int step) {
        return [step](Lds& lds, std::vector<Lane>& lanes) {
            const auto before = static_cast<u32>(read(lds, 16, 4));
            for (Lane& l : lanes) l.result[0] = before;
            write(lds, 16, 4, before + static_cast<u32>(step));
        };
    };
    const std::string m0 = "s_mov_b32 m0, 8\n  ";
    all.push_back({"DS_APPEND", kAllGens, m0 + "ds_append v16 offset:8", nullptr, counted(32)});
    all.push_back({"DS_CONSUME", kAllGens, m0 + "ds_consume v16 offset:8", nullptr, counted(-32)});
    all.push_back({"DS_READ_ADDTID_B32", kAllGens, m0 + "ds_read_addtid_b32 v16 offset:8", nullptr,
                   [](Lds& lds, std::vector<Lane>& lanes) {
                       for (unsigned i = 0; i < 32; ++i)
                           lanes[i].result[0] = static_cast<u32>(read(lds, 16 + 4 * i, 4));
                   }});
    all.push_back({"DS_WRITE_ADDTID_B32", kAllGens, m0 + "ds_write_addtid_b32 v20 offset:8", nullptr,
                   [](Lds& lds, std::vector<Lane>& lanes) {
                       for (unsigned i = 0; i < 32; ++i) write(lds, 16 + 4 * i, 4, lanes[i].data[0]);
                   }});
}

void add_permutes(std::vector<Case>& all) {
    all.push_back({"DS_BPERMUTE_B32", kAllGens, "ds_bpermute_b32 v16, v20, v24 offset:8", nullptr,
                   [](Lds&, std::vector<Lane>& lanes) {
                       for (Lane& l : lanes) l.result[0] = lanes[(l.data[0] + 8) / 4 % 32].second[0];
                   }});
    // Lanes beyond EXEC are read as well.
    all.push_back({"DS_BPERMUTE_FI_B32", kGen12,
                   "s_mov_b32 exec_lo, 0x0f0f3131\n  ds_bpermute_fi_b32 v16, v20, v24 offset:8\n  s_wait_dscnt 0x0\n  "
                   "s_mov_b32 exec_lo, -1",
                   nullptr, [](Lds&, std::vector<Lane>& lanes) {
                       for (std::size_t i = 0; i < 32; ++i)
                           if ((0x0f0f3131u >> i) % 2 == 1)
                               lanes[i].result[0] = lanes[(lanes[i].data[0] + 8) / 4 % 32].second[0];
                   }});
    all.push_back(
        {"DS_PERMUTE_B32", kAllGens, "ds_permute_b32 v16, v20, v24", nullptr, [](Lds&, std::vector<Lane>& lanes) {
             for (Lane& l : lanes) l.result[0] = 0;
             for (const Lane& l : lanes) lanes[l.data[0] / 4 % 32].result[0] = l.second[0];
         }});
    all.push_back(
        {"DS_SWIZZLE_B32", kAllGens, "ds_swizzle_b32 v16, v24 offset:swizzle(QUAD_PERM, 3, 1, 0, 0)", nullptr,
         [](Lds&, std::vector<Lane>& lanes) {
             for (std::size_t i = 0; i < 32; ++i)
                 lanes[i].result[0] = lanes[i / 4 * 4 + std::array<std::size_t, 4>{3, 1, 0, 0}[i % 4]].second[0];
         }});
    // The mask string from bit 4 to bit 0: p keeps, i inverts.
    all.push_back({"DS_SWIZZLE_B32", kAllGens, "ds_swizzle_b32 v16, v24 offset:swizzle(BITMASK_PERM, \"pi01i\")",
                   nullptr, [](Lds&, std::vector<Lane>& lanes) {
                       for (std::size_t i = 0; i < 32; ++i)
                           lanes[i].result[0] = lanes[(i & 16) | (~i & 8) | 2 | (~i & 1)].second[0];
                   }});
}

std::vector<Case> all_cases() {
    std::vector<Case> all;
    add_plain(all);
    add_atomics(all);
    add_addressed_by_m0(all);
    add_permutes(all);
    return all;
}

// `in` (4096 bytes) becomes LDS; `out` takes v[16:19] of each lane, then LDS.
std::string body_of(const Case& c) {
    std::string text = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 4, v0
  v_lshlrev_b32_e32 v2, 7, v0
  v_add_nc_u32_e32 v3, 0x800, v1
  global_load_dwordx4 v[20:23], v3, s[4:5]
  v_add_nc_u32_e32 v4, 0xc00, v1
  global_load_dwordx4 v[24:27], v4, s[4:5]
)";
    for (unsigned i = 0; i < 8; ++i)
        text += fmt::format("  global_load_dwordx4 v[8:11], v2, s[4:5] offset:{0}\n  wait_vm 0\n  ds_write_b128 v2, "
                            "v[8:11] offset:{0}\n",
                            16 * i);
    for (unsigned i = 16; i < 20; ++i) text += fmt::format("  v_mov_b32_e32 v{}, 0xb0b1b2b3\n", i);
    text += "  " + c.assembly + "\n  wait_lgkm 0\n  global_store_dwordx4 v1, v[16:19], s[6:7]\n";
    for (unsigned i = 0; i < 8; ++i)
        text += fmt::format("  ds_read_b128 v[8:11], v2 offset:{0}\n  wait_lgkm 0\n  global_store_dwordx4 v2, v[8:11], "
                            "s[6:7] offset:{1}\n",
                            16 * i, 512 + 16 * i);
    return text;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryLdsInstructionMovesItsBytes) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Case> cases;
    std::vector<KernelText> kernels;
    for (Case& c : all_cases()) {
        if ((c.generations >> (chip.generation - 10) & 1u) == 0) continue;
        KernelText k;
        k.name = fmt::format("case{}", cases.size());
        k.body = body_of(c);
        k.lds = kBytes;
        kernels.push_back(std::move(k));
        cases.push_back(std::move(c));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    std::mt19937_64 random(kSeed);
    Lds start(kBytes);
    for (u8& b : start) b = static_cast<u8>(random());
    for (unsigned lane = 0; lane < 32; ++lane) {
        // Some lanes meet an equal operand, zero, or one.
        if (lane % 4 == 0) std::copy_n(start.begin() + 16 * lane, 16, start.begin() + 2048 + 16 * lane);
        if (lane % 4 == 1) std::copy_n(start.begin() + 16 * lane, 16, start.begin() + 3072 + 16 * lane);
        if (lane % 8 == 2) std::fill_n(start.begin() + 16 * lane, 16, u8{0});
        if (lane % 8 == 3) std::fill_n(start.begin() + 16 * lane, 16, u8{0xff});
    }
    emu::Allocation* const in = rig.buffer(start);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}, seed {}", chip.name, cases[n].assembly, kSeed));
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(),
                                [&](const emu::Inst& i) { return i.row != nullptr && i.row->name == cases[n].row; }));
        emu::Allocation* const out = rig.fresh(512 + kBytes);
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out))), "");

        Lds lds = start;
        std::vector<Lane> lanes(32);
        for (unsigned i = 0; i < 32; ++i) {
            lanes[i].at = 16 * i;
            lanes[i].result.fill(0xb0b1b2b3);
            for (unsigned k = 0; k < 4; ++k) {
                lanes[i].data[k] = static_cast<u32>(read(start, 2048 + 16 * i + 4 * k, 4));
                lanes[i].second[k] = static_cast<u32>(read(start, 3072 + 16 * i + 4 * k, 4));
            }
        }
        if (cases[n].wave)
            cases[n].wave(lds, lanes);
        else
            for (Lane& l : lanes) cases[n].lane(lds, l);
        const auto got = words_of<u8>(out);
        for (unsigned i = 0; i < 32; ++i)
            for (unsigned k = 0; k < 4; ++k)
                ASSERT_EQ(read(got, 16 * i + 4 * k, 4), lanes[i].result[k]) << "lane " << i << ", register " << k;
        EXPECT_TRUE(std::equal(lds.begin(), lds.end(), got.begin() + 512));
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(LdsRows, EachHasATest) { expect_rows_covered(emu::lds_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
