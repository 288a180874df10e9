// Every LDS row: registers and the whole of LDS afterwards, against bytes of the host.
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <random>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kSeed = 20260711;
constexpr unsigned kBytes = 4096;

enum : unsigned { kGen10 = 1, kGen11And12 = 6, kAllGens = 7 };

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
    std::function<void(Lds&, Lane&)> lane;        // one lane at a time; or
    std::function<void(std::vector<Lane>&)> wave; // all at once
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
std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
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

__int128 number(u64 v, unsigned bytes, bool is_signed) {
    if (!is_signed) return v;
    return bytes == 8 ? static_cast<std::int64_t>(v) : static_cast<std::int32_t>(static_cast<u32>(v));
}

void add_atomics(std::vector<Case>& all) {
    using Op = std::function<u64(u64 memory, u64 data, unsigned bytes)>;
    struct Atomic {
        const char* name;
        char type;
        Op op;
    };
    const std::vector<Atomic> atomics = {
        {"ADD", 'U', [](u64 m, u64 d, unsigned) { return m + d; }},
        {"SUB", 'U', [](u64 m, u64 d, unsigned) { return m - d; }},
        {"MIN", 'U', [](u64 m, u64 d, unsigned b) { return number(m, b, false) < number(d, b, false) ? m : d; }},
        {"MAX", 'U', [](u64 m, u64 d, unsigned b) { return number(m, b, false) > number(d, b, false) ? m : d; }},
        {"MIN", 'I', [](u64 m, u64 d, unsigned b) { return number(m, b, true) < number(d, b, true) ? m : d; }},
        {"MAX", 'I', [](u64 m, u64 d, unsigned b) { return number(m, b, true) > number(d, b, true) ? m : d; }},
        {"AND", 'B', [](u64 m, u64 d, unsigned) { return ~(~m | ~d); }},
        {"OR", 'B', [](u64 m, u64 d, unsigned) { return ~(~m & ~d); }},
        {"XOR", 'B', [](u64 m, u64 d, unsigned) { return (m | d) - (m & d); }},
        {"INC", 'U', [](u64 m, u64 d, unsigned) { return m >= d ? 0 : m + 1; }},
        {"DEC", 'U', [](u64 m, u64 d, unsigned) { return m == 0 || m > d ? d : m - 1; }},
    };
    const auto apply = [](unsigned bytes, bool returns, const std::function<u64(u64, const Lane&)>& op) {
        return [=](Lds& lds, Lane& l) {
            const u64 before = read(lds, l.at, bytes);
            write(lds, l.at, bytes, op(before, l));
            if (!returns) return;
            l.result[0] = static_cast<u32>(before);
            if (bytes == 8) l.result[1] = static_cast<u32>(before >> 32);
        };
    };
    for (const unsigned bytes : {4u, 8u})
        for (const bool returns : {false, true}) {
            const std::string result = returns ? registers(16, bytes) + ", " : "", rtn = returns ? "_RTN" : "";
            for (const Atomic& a : atomics) {
                const std::string row = fmt::format("DS_{}{}_{}{}", a.name, rtn, a.type, 8 * bytes);
                all.push_back(
                    {row, kAllGens, lower(row) + " " + result + "v1, " + registers(20, bytes),
                     apply(bytes, returns,
                           [=, op = a.op](u64 m, const Lane& l) { return op(m, wide(l.data, bytes), bytes); }),
                     nullptr});
            }
            // gfx10 compares with the first operand and stores the second; from gfx11 on it is the other way round.
            const std::string operands = " " + result + "v1, " + registers(20, bytes) + ", " + registers(24, bytes);
            const std::string old_row = fmt::format("DS_CMPST{}_B{}", rtn, 8 * bytes),
                              new_row = fmt::format("DS_CMPSTORE{}_B{}", rtn, 8 * bytes);
            all.push_back(
                {old_row, kGen10, lower(old_row) + operands,
                 apply(bytes, returns,
                       [=](u64 m, const Lane& l) { return m == wide(l.data, bytes) ? wide(l.second, bytes) : m; }),
                 nullptr});
            all.push_back(
                {new_row, kGen11And12, lower(new_row) + operands,
                 apply(bytes, returns,
                       [=](u64 m, const Lane& l) { return m == wide(l.second, bytes) ? wide(l.data, bytes) : m; }),
                 nullptr});
            if (!returns) continue;
            const std::string exchange = fmt::format("DS_WRXCHG_RTN_B{}", 8 * bytes);
            all.push_back({exchange, kAllGens, lower(exchange) + " " + result + "v1, " + registers(20, bytes),
                           apply(bytes, returns, [=](u64, const Lane& l) { return wide(l.data, bytes); }), nullptr});
        }
}

void add_permutes(std::vector<Case>& all) {
    all.push_back(
        {"DS_BPERMUTE_B32", kAllGens, "ds_bpermute_b32 v16, v20, v24 offset:8", nullptr, [](std::vector<Lane>& lanes) {
             for (Lane& l : lanes) l.result[0] = lanes[(l.data[0] + 8) / 4 % 32].second[0];
         }});
    all.push_back({"DS_PERMUTE_B32", kAllGens, "ds_permute_b32 v16, v20, v24", nullptr, [](std::vector<Lane>& lanes) {
                       for (Lane& l : lanes) l.result[0] = 0;
                       for (const Lane& l : lanes) lanes[l.data[0] / 4 % 32].result[0] = l.second[0];
                   }});
    all.push_back(
        {"DS_SWIZZLE_B32", kAllGens, "ds_swizzle_b32 v16, v24 offset:swizzle(QUAD_PERM, 3, 1, 0, 0)", nullptr,
         [](std::vector<Lane>& lanes) {
             for (std::size_t i = 0; i < 32; ++i)
                 lanes[i].result[0] = lanes[i / 4 * 4 + std::array<std::size_t, 4>{3, 1, 0, 0}[i % 4]].second[0];
         }});
    // The mask string from bit 4 to bit 0: p keeps, i inverts.
    all.push_back({"DS_SWIZZLE_B32", kAllGens, "ds_swizzle_b32 v16, v24 offset:swizzle(BITMASK_PERM, \"pi01i\")",
                   nullptr, [](std::vector<Lane>& lanes) {
                       for (std::size_t i = 0; i < 32; ++i)
                           lanes[i].result[0] = lanes[(i & 16) | (~i & 8) | 2 | (~i & 1)].second[0];
                   }});
}

std::vector<Case> all_cases() {
    std::vector<Case> all;
    add_plain(all);
    add_atomics(all);
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
            cases[n].wave(lanes);
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
