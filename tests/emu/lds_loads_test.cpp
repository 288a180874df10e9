// Loads from memory to LDS, which gfx1030 has: where each lane's dword goes, and what happens to those who look there
// too early.
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using K = emu::FindingKind;

const Chip& gfx1030() { return chips()[0]; }

// s[4:5] = 8 bytes a lane, s[6:7] = a dword a lane, s[20:23] the former as a buffer of bytes and s[24:27] as one of 32
// records; v1 = 8 * lane, v2 = 4 * lane, v3 = 4, v[14:15] the lane's address, s13 = 4; scratch holds the lane's 8
// bytes. LDS has 256 bytes.
KernelText kernel(const std::string& name, const std::string& body, u32 scratch = 0) {
    KernelText k;
    k.name = name;
    k.lds = 256;
    k.scratch = scratch;
    k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 s13, 4
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_movk_i32 s22, 0x100
  s_mov_b32 s23, 0x31004000
  s_mov_b32 s24, s4
  s_or_b32 s25, s5, 0x80000
  s_mov_b32 s26, 32
  s_mov_b32 s27, 0x01004000
  v_lshlrev_b32_e32 v1, 3, v0
  v_lshlrev_b32_e32 v2, 2, v0
  v_mov_b32_e32 v3, 4
  v_mov_b32_e32 v12, v0
  v_mov_b32_e32 v13, 4
  v_add_co_u32 v14, vcc_lo, s4, v1
  v_add_co_ci_u32_e64 v15, s15, s5, 0, vcc_lo
)" + body + "\n";
    return k;
}

/// One load; each reaches bytes 4.. of its lane, with an offset field of `offset`.
struct Load {
    const char* row;
    const char* text; // {T} is the type
    u32 offset;
};

constexpr Load kLoads[] = {
    {"BUFFER_LOAD_{T}_LDS", "buffer_load_{T} v1, s[20:23], 0 offen offset:4 lds", 4},
    {"BUFFER_LOAD_{T}_LDS", "buffer_load_{T} v1, s[20:23], s13 offen lds", 0},
    {"BUFFER_LOAD_{T}_LDS", "buffer_load_{T} v0, s[24:27], 0 idxen offset:4 lds", 4},
    {"BUFFER_LOAD_{T}_LDS", "buffer_load_{T} v[12:13], s[24:27], 0 idxen offen lds", 0},
    {"GLOBAL_LOAD_LDS_{T}", "global_load_{T} v1, s[4:5] offset:4 lds", 4},
    {"GLOBAL_LOAD_LDS_{T}", "global_load_{T} v[14:15], off offset:4 lds", 4},
    {"SCRATCH_LOAD_LDS_{T}", "scratch_load_{T} off, off offset:4 lds", 4},
    {"SCRATCH_LOAD_LDS_{T}", "scratch_load_{T} off, s13 lds", 0},
    {"SCRATCH_LOAD_LDS_{T}", "scratch_load_{T} v3, off lds", 0},
};

struct Type {
    const char* name;
    unsigned bytes;
    bool is_signed;
};
constexpr Type kTypes[] = {
    {"UBYTE", 1, false}, {"SBYTE", 1, true}, {"USHORT", 2, false}, {"SSHORT", 2, true}, {"DWORD", 4, false}};

std::string with_type(std::string text, const char* type) {
    text.replace(text.find("{T}"), 3, type);
    return text;
}

TEST(LdsLoads, EachLaneFillsItsDwordFromM0On) {
    std::vector<KernelText> kernels;
    for (const Load& load : kLoads)
        for (const Type& type : kTypes) {
            const bool scratch = std::string_view(load.row).starts_with("SCRATCH");
            std::string body = "  s_mov_b32 m0, 0x50\n";
            if (scratch)
                body += "  global_load_dwordx2 v[16:17], v1, s[4:5]\n  wait_vm 0\n"
                        "  scratch_store_dwordx2 off, v[16:17], off\n";
            body += "  " + with_type(load.text, lower(type.name).c_str()) + "\n  wait_vm 0\n" +
                    fmt::format("  ds_read_b32 v20, v2 offset:{}\n  wait_lgkm 0\n  global_store_dword v2, v20, s[6:7]",
                                0x50 + load.offset);
            kernels.push_back(kernel(fmt::format("k{}", kernels.size()), body, scratch ? 8 : 0));
        }
    Rig rig(gfx1030(), kernels);
    ASSERT_TRUE(rig.ok());
    std::vector<u8> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(i * 37 + 11);
    std::size_t n = 0;
    for (const Load& load : kLoads)
        for (const Type& type : kTypes) {
            SCOPED_TRACE(with_type(load.text, type.name));
            emu::Allocation* const out = rig.fresh(128);
            EXPECT_EQ(text_of(rig.launch(kernels[n++].name, Rig::pack(rig.buffer(bytes), out))), "");
            std::vector<u32> want;
            for (u32 lane = 0; lane < 32; ++lane) {
                u32 value = 0;
                for (unsigned i = 0; i < 4; ++i) {
                    const u8 beyond = type.is_signed && bytes[8 * lane + 4 + type.bytes - 1] >= 0x80 ? 0xff : 0;
                    value |= u32{i < type.bytes ? bytes[8 * lane + 4 + i] : beyond} << (8 * i);
                }
                want.push_back(value);
            }
            EXPECT_EQ(words_of<u32>(out), want);
        }
}

TEST(LdsLoads, AFormatIsConverted) {
    // 8_UNORM: 51 is 0.2.
    const std::string body = "  s_mov_b32 s23, 0x30001fac\n  s_mov_b32 m0, 0\n"
                             "  buffer_load_format_x v1, s[20:23], 0 offen lds\n  wait_vm 0\n"
                             "  ds_read_b32 v20, v2\n  wait_lgkm 0\n  global_store_dword v2, v20, s[6:7]";
    Rig rig(gfx1030(), {kernel("format", body)});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(128);
    EXPECT_EQ(text_of(rig.launch("format", Rig::pack(rig.buffer(std::vector<u8>(256, 51)), out))), "");
    EXPECT_EQ(words_of<u32>(out), std::vector<u32>(32, 0x3e4ccccd));
}

TEST(LdsLoads, LanesWithoutExecAndPastTheBufferFillNothingAndZero) {
    // 16 lanes; of them 8 are in the buffer's range.
    const std::string body = "  v_mov_b32_e32 v20, 0x77\n  ds_write_b32 v2, v20\n  wait_lgkm 0\n  s_mov_b32 m0, 0\n"
                             "  s_movk_i32 s22, 64\n  s_mov_b32 exec_lo, 0xffff\n"
                             "  buffer_load_dword v1, s[20:23], 0 offen lds\n  wait_vm 0\n  s_mov_b32 exec_lo, -1\n"
                             "  ds_read_b32 v20, v2\n  wait_lgkm 0\n  global_store_dword v2, v20, s[6:7]";
    Rig rig(gfx1030(), {kernel("some", body)});
    ASSERT_TRUE(rig.ok());
    std::vector<u32> in(64), want(32, 0x77);
    for (u32 i = 0; i < 64; ++i) in[i] = 500 + i;
    for (u32 lane = 0; lane < 16; ++lane) want[lane] = lane < 8 ? in[2 * lane] : 0;
    emu::Allocation* const out = rig.fresh(128);
    EXPECT_EQ(text_of(rig.launch("some", Rig::pack(rig.buffer(in), out))), "");
    EXPECT_EQ(words_of<u32>(out), want);
}

/// A faulty body and its silent twin.
struct Pair {
    const char* name;
    std::string faulty, right;
    std::vector<K> kinds;
    std::string detail;
};

std::vector<Pair> pairs() {
    const std::string load = "global_load_dword v1, s[4:5] lds\n ", wait = "wait_vm 0\n ";
    const std::string low = "s_mov_b32 m0, 0\n " + load, high = "s_movk_i32 m0, 0x80\n " + load;
    const std::string read = "ds_read_b32 v20, v2\n wait_lgkm 0\n ", read_high = "ds_read_b32 v20, v2 offset:128\n ",
                      read_next = "ds_read_b32 v20, v2 offset:4\n wait_lgkm 0\n ";
    const std::string decides =
        "v_readfirstlane_b32 s20, v20\n s_cmp_eq_u32 s20, 7\n s_cbranch_scc1 1f\n s_nop 0\n1:\n ";
    return {
        {"read_early", low + read + wait, low + wait + read, {K::kLdsRace}, "with no wait between"},
        {"written_early",
         low + "ds_write_b32 v2, v0\n wait_all",
         low + wait + "ds_write_b32 v2, v0\n wait_all",
         {K::kLdsRace},
         "with no wait between"},
        {"the_other_counter", low + "wait_lgkm 0\n " + read + wait, low + wait + read, {K::kLdsRace}, "no wait"},
        {"the_later_of_two",
         low + high + "wait_vm 1\n " + read_high + "wait_all",
         low + high + "wait_vm 1\n " + read + "wait_all",
         {K::kLdsRace},
         "no wait"},
        // In order, so the second one to a place may go without a wait.
        {"twice", low + low + "wait_vm 1\n " + read + wait, low + low + wait + read, {K::kLdsRace}, "no wait"},
        {"past_the_end",
         "s_movk_i32 m0, 0x84\n " + load + wait,
         "s_movk_i32 m0, 0x80\n " + load + wait,
         {K::kLdsOutOfBounds},
         "4 bytes at LDS byte 256 of 256"},
        {"base_never_set", "s_mov_b32 m0, s60\n " + load + wait, low + wait, {K::kUndefinedDecides}, "undefined"},
        {"past_memory",
         "s_mov_b32 m0, 0\n global_load_dword v1, s[4:5] offset:8 lds\n " + wait,
         "s_mov_b32 m0, 0\n global_load_dword v1, s[4:5] offset:4 lds\n " + wait,
         {K::kReadOutOfBounds},
         "byte 256 of an allocation of 256"},
        {"undefined_memory",
         "global_store_dword v1, v0, s[6:7]\n s_mov_b32 m0, 0\n global_load_dword v1, s[6:7] offset:4 lds\n " + wait +
             read_next + decides,
         "global_store_dword v1, v0, s[6:7] offset:4\n s_mov_b32 m0, 0\n global_load_dword v1, s[6:7] offset:4 lds\n " +
             wait + read_next + decides,
         {K::kUndefinedDecides},
         "undefined"},
    };
}

TEST(LdsLoads, FaultIsFoundAndItsTwinIsSilent) {
    std::vector<KernelText> kernels;
    for (const Pair& p : pairs()) {
        kernels.push_back(kernel(std::string(p.name) + "_faulty", p.faulty));
        kernels.push_back(kernel(std::string(p.name) + "_right", p.right));
    }
    Rig rig(gfx1030(), kernels);
    ASSERT_TRUE(rig.ok());
    for (const Pair& p : pairs()) {
        SCOPED_TRACE(p.name);
        emu::Allocation* const in = rig.buffer(std::vector<u32>(64, 5));
        const emu::Report report = rig.launch(std::string(p.name) + "_faulty", Rig::pack(in, rig.fresh(256)));
        EXPECT_EQ(kinds_of(report), p.kinds) << text_of(report);
        EXPECT_NE(text_of(report).find(p.detail), std::string::npos) << text_of(report);
        EXPECT_TRUE(report.unsupported.empty()) << text_of(report);
        EXPECT_EQ(text_of(rig.launch(std::string(p.name) + "_right", Rig::pack(in, rig.fresh(256)))), "");
    }
}

// What no document settles.
TEST(LdsLoads, ABaseOfMoreThan16BitsStops) {
    Rig rig(gfx1030(), {kernel("base", "  s_mov_b32 m0, 0x10000\n  global_load_dword v1, s[4:5] lds\n  wait_vm 0")});
    ASSERT_TRUE(rig.ok());
    const emu::Report report = rig.launch("base", Rig::pack(rig.buffer(std::vector<u32>(64)), rig.fresh(4)));
    EXPECT_NE(text_of(report).find("unsupported LDS base in M0"), std::string::npos) << text_of(report);
}

// s28 = the wave's number; wave 0 fills LDS, wave 1 reads it behind the barrier.
TEST(LdsLoads, AreCompleteAtABarrierOnlyIfWaitedFor) {
    const auto body = [](const char* wait) {
        return fmt::format("  v_readfirstlane_b32 s28, v0\n  s_lshr_b32 s28, s28, 5\n  v_and_b32_e32 v1, 0xf8, v1\n"
                           "  v_and_b32_e32 v2, 0x7c, v2\n  s_mov_b32 m0, 0\n  s_cmp_eq_u32 s28, 0\n"
                           "  s_cbranch_scc0 1f\n  global_load_dword v1, s[4:5] lds\n  {}\n1:\n  s_barrier\n"
                           "  s_cmp_eq_u32 s28, 0\n  s_cbranch_scc1 2f\n  ds_read_b32 v20, v2\n2:\n  wait_all\n",
                           wait);
    };
    Rig rig(gfx1030(), {kernel("late", body("s_nop 0")), kernel("waited", body("wait_vm 0"))});
    ASSERT_TRUE(rig.ok());
    const auto arguments = Rig::pack(rig.buffer(std::vector<u32>(64)), rig.fresh(4));
    const emu::Report late = rig.launch("late", arguments, {1, 1, 1}, {64, 1, 1});
    EXPECT_EQ(kinds_of(late), std::vector{K::kLdsRace});
    EXPECT_NE(text_of(late).find("with no barrier between"), std::string::npos) << text_of(late);
    EXPECT_EQ(text_of(rig.launch("waited", arguments, {1, 1, 1}, {64, 1, 1})), "");
}

// One instruction twice: what it wrote the first time is complete, though its second time is outstanding at a barrier.
TEST(LdsLoads, AnInstructionOutstandingAgainSaysNothingOfItsEarlierTime) {
    const auto body = [](const std::string& write, const char* wait) {
        return fmt::format(
            "  v_readfirstlane_b32 s28, v0\n  s_lshr_b32 s28, s28, 5\n  v_and_b32_e32 v1, 0xf8, v1\n"
            "  v_and_b32_e32 v2, 0x7c, v2\n  v_mov_b32_e32 v4, v2\n  s_mov_b32 m0, 0\n  s_mov_b32 s29, 2\n"
            "3:\n  s_cmp_eq_u32 s28, 0\n  s_cbranch_scc0 1f\n  s_cmp_eq_u32 s29, 1\n  {0}\n"
            "  s_cbranch_scc1 1f\n  {1}\n1:\n  s_barrier\n  s_movk_i32 m0, 0x80\n"
            "  v_add_nc_u32_e32 v4, 0x80, v2\n  s_sub_i32 s29, s29, 1\n  s_cmp_lg_u32 s29, 0\n"
            "  s_cbranch_scc1 3b\n"
            "  s_cmp_eq_u32 s28, 0\n  s_cbranch_scc1 2f\n  ds_read_b32 v20, v2\n2:\n  wait_all\n",
            write, wait);
    };
    Rig rig(gfx1030(), {kernel("loads", body("global_load_dword v1, s[4:5] lds", "wait_vm 0")),
                        kernel("stores", body("ds_write_b32 v4, v0", "wait_lgkm 0"))});
    ASSERT_TRUE(rig.ok());
    const auto arguments = Rig::pack(rig.buffer(std::vector<u32>(64)), rig.fresh(4));
    for (const char* const name : {"loads", "stores"})
        EXPECT_EQ(text_of(rig.launch(name, arguments, {1, 1, 1}, {64, 1, 1})), "") << name;
}

TEST(LdsLoads, OfACompilerReachTheOtherWave) {
    for (const char* const level : {"-O0", "-O3"}) {
        SCOPED_TRACE(level);
        const Result<std::string> object =
            compile_hip("clang++-22", "gfx1030", std::string(HKC_SOURCE_DIR) + "/tests/emu/compiled/lds_loads.hip",
                        {"-std=c++20", level});
        ASSERT_TRUE(object) << object.error().text;
        Rig rig(*object);
        ASSERT_TRUE(rig.ok());
        std::vector<u32> in(64), want(64);
        for (u32 i = 0; i < 64; ++i) want[63 - i] = in[i] = 3 * i + 1;
        for (const char* const name : {"through_buffer", "through_global"}) {
            emu::Allocation* const out = rig.fresh(256);
            EXPECT_EQ(text_of(rig.launch(name, Rig::pack(rig.buffer(in), out), {1, 1, 1}, {64, 1, 1})), "") << name;
            EXPECT_EQ(words_of<u32>(out), want) << name;
        }
    }
}

TEST(LdsLoads, EachRowHasATest) {
    std::set<std::string> tested = {"BUFFER_LOAD_FORMAT_X_LDS"};
    for (const Load& load : kLoads)
        for (const Type& type : kTypes) tested.insert(with_type(load.row, type.name));
    for (const auto rows : {emu::memory_rows(), emu::buffer_rows()})
        for (const emu::Row& row : rows) EXPECT_TRUE(!row.to_lds || tested.contains(std::string(row.name))) << row.name;
}

} // namespace
} // namespace pm::testing
