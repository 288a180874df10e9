// Every memory row: loads against bytes of the host, stores against what they must leave.
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

enum class Kind { kLoad, kStore };

/// One access by its name after the space: GLOBAL, SCRATCH or BUFFER.
struct Access {
    const char* row; // LOAD_UBYTE
    Kind kind;
    unsigned bytes;
    bool is_signed = false;
    int half = -1; // 0: the low half of the register, 1: the high one
};

constexpr Access kAccesses[] = {
    {"LOAD_UBYTE", Kind::kLoad, 1},
    {"LOAD_SBYTE", Kind::kLoad, 1, true},
    {"LOAD_USHORT", Kind::kLoad, 2},
    {"LOAD_SSHORT", Kind::kLoad, 2, true},
    {"LOAD_DWORD", Kind::kLoad, 4},
    {"LOAD_DWORDX2", Kind::kLoad, 8},
    {"LOAD_DWORDX3", Kind::kLoad, 12},
    {"LOAD_DWORDX4", Kind::kLoad, 16},
    {"LOAD_UBYTE_D16", Kind::kLoad, 1, false, 0},
    {"LOAD_UBYTE_D16_HI", Kind::kLoad, 1, false, 1},
    {"LOAD_SBYTE_D16", Kind::kLoad, 1, true, 0},
    {"LOAD_SBYTE_D16_HI", Kind::kLoad, 1, true, 1},
    {"LOAD_SHORT_D16", Kind::kLoad, 2, false, 0},
    {"LOAD_SHORT_D16_HI", Kind::kLoad, 2, false, 1},
    {"STORE_BYTE", Kind::kStore, 1},
    {"STORE_BYTE_D16_HI", Kind::kStore, 1, false, 1},
    {"STORE_SHORT", Kind::kStore, 2},
    {"STORE_SHORT_D16_HI", Kind::kStore, 2, false, 1},
    {"STORE_DWORD", Kind::kStore, 4},
    {"STORE_DWORDX2", Kind::kStore, 8},
    {"STORE_DWORDX3", Kind::kStore, 12},
    {"STORE_DWORDX4", Kind::kStore, 16},
};

/// The memory that an access reaches.
enum class Where { kGlobal, kScratch, kLds };

/// How the address is formed; {R} stands for the registers that are loaded or stored. Each reaches the lane's 32 bytes,
/// byte 8 onwards.
struct Form {
    const char* space;
    Where where;
    unsigned generations; // 1: gfx10, 2: gfx11, 4: gfx12
    const char* load;
    const char* store;
};

constexpr Form kForms[] = {
    // v1 = 32 * lane; s[4:5] the buffer, v[14:15] the lane's own address there, v[16:17] that of its scratch, v[18:19]
    // of its 32 bytes of LDS; s13 = 4, v2 = 8, v3 = 3.
    {"GLOBAL", Where::kGlobal, 7, "{R}, v1, s[4:5] offset:8", "v1, {R}, s[4:5] offset:8"},
    {"GLOBAL", Where::kGlobal, 7, "{R}, v[14:15], off offset:8", "v[14:15], {R}, off offset:8"},
    {"FLAT", Where::kGlobal, 7, "{R}, v[14:15] offset:8", "v[14:15], {R} offset:8"},
    {"FLAT", Where::kScratch, 7, "{R}, v[16:17] offset:8", "v[16:17], {R} offset:8"},
    {"FLAT", Where::kLds, 7, "{R}, v[18:19] offset:8", "v[18:19], {R} offset:8"},
    {"SCRATCH", Where::kScratch, 7, "{R}, off, off offset:8", "off, {R}, off offset:8"},
    {"SCRATCH", Where::kScratch, 7, "{R}, off, s13 offset:4", "off, {R}, s13 offset:4"},
    {"SCRATCH", Where::kScratch, 7, "{R}, v2, off", "v2, {R}, off"},
    {"SCRATCH", Where::kScratch, 6, "{R}, v3, s13 offset:1", "v3, {R}, s13 offset:1"},
    // s[20:23]: all of the buffer, by bytes; s[24:27]: 32 records of 32 bytes. v[12:13] = the lane's number and 3.
    {"BUFFER", Where::kGlobal, 7, "{R}, v1, s[20:23], s13 offen offset:4", "{R}, v1, s[20:23], s13 offen offset:4"},
    {"BUFFER", Where::kGlobal, 3, "{R}, v1, s[20:23], 8 offen", "{R}, v1, s[20:23], 8 offen"},
    {"BUFFER", Where::kGlobal, 4, "{R}, v1, s[20:23], null offen offset:8", "{R}, v1, s[20:23], null offen offset:8"},
    {"BUFFER", Where::kGlobal, 7, "{R}, v0, s[24:27], s13 idxen offset:4", "{R}, v0, s[24:27], s13 idxen offset:4"},
    {"BUFFER", Where::kGlobal, 7, "{R}, v[12:13], s[24:27], s13 idxen offen offset:1",
     "{R}, v[12:13], s[24:27], s13 idxen offen offset:1"},
    {"BUFFER", Where::kScratch, 1, "{R}, off, s[0:3], 0 offset:8", "{R}, off, s[0:3], 0 offset:8"},
    {"BUFFER", Where::kScratch, 1, "{R}, off, s[0:3], s14 offset:4", "{R}, off, s[0:3], s14 offset:4"},
    {"BUFFER", Where::kScratch, 1, "{R}, v3, s[0:3], 0 offen offset:5", "{R}, v3, s[0:3], 0 offen offset:5"},
};

std::string instruction(const Form& form, const Access& access) {
    const unsigned last = 20 + (access.bytes + 3) / 4 - 1;
    const std::string registers = last == 20 ? "v20" : fmt::format("v[20:{}]", last);
    std::string operands = access.kind == Kind::kLoad ? form.load : form.store;
    operands.replace(operands.find("{R}"), 3, registers);
    return lower(std::string(form.space) + "_" + access.row) + " " + operands;
}

// `in` holds 32 bytes a lane, `out` takes 32: for a load the four registers v[20:23], that were 0xb0b1b2b3 before; for
// a store the lane's memory, that held `in` before, after 0xf0e1d2c3 + n from v[20:23] was stored. Scratch and LDS are
// filled from and emptied through registers.
std::string body_of(const Form& form, const Access& access) {
    std::string text = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 5, v0
  v_mov_b32_e32 v2, 8
  v_mov_b32_e32 v3, 3
  s_mov_b32 s13, 4
  s_mov_b32 s14, 128
  v_add_co_u32 v14, vcc_lo, s4, v1
  v_add_co_ci_u32_e64 v15, s15, s5, 0, vcc_lo
  s_mov_b64 s[16:17], src_private_base
  s_mov_b64 s[18:19], src_shared_base
  v_mov_b32_e32 v16, 0
  v_mov_b32_e32 v17, s17
  v_mov_b32_e32 v18, v1
  v_mov_b32_e32 v19, s19
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_movk_i32 s22, 0x400
  s_mov_b32 s23, 0x31004000
  s_mov_b32 s24, s4
  s_or_b32 s25, s5, 0x200000
  s_mov_b32 s26, 32
  s_mov_b32 s27, 0x01004000
  v_mov_b32_e32 v12, v0
  v_mov_b32_e32 v13, 3
  global_load_dwordx4 v[4:7], v1, s[4:5]
  global_load_dwordx4 v[8:11], v1, s[4:5] offset:16
  wait_vm 0
)";
    if (form.where == Where::kScratch)
        text += "  scratch_store_dwordx4 off, v[4:7], off\n  scratch_store_dwordx4 off, v[8:11], off offset:16\n";
    if (form.where == Where::kLds) text += "  ds_write_b128 v1, v[4:7]\n  ds_write_b128 v1, v[8:11] offset:16\n";
    for (unsigned i = 0; i < 4; ++i)
        text += access.kind == Kind::kLoad ? fmt::format("  v_mov_b32_e32 v{}, 0xb0b1b2b3\n", 20 + i)
                                           : fmt::format("  v_mov_b32_e32 v{}, 0x{:x}\n", 20 + i, 0xf0e1d2c3u + i);
    text += "  " + instruction(form, access) + "\n  wait_all\n";
    if (access.kind == Kind::kLoad) return text + "  global_store_dwordx4 v1, v[20:23], s[6:7]\n";
    switch (form.where) {
    case Where::kGlobal:
        text += "  global_load_dwordx4 v[4:7], v1, s[4:5]\n  global_load_dwordx4 v[8:11], v1, s[4:5] offset:16\n";
        break;
    case Where::kScratch:
        text += "  scratch_load_dwordx4 v[4:7], off, off\n  scratch_load_dwordx4 v[8:11], off, off offset:16\n";
        break;
    case Where::kLds:
        text += "  ds_read_b128 v[4:7], v1\n  ds_read_b128 v[8:11], v1 offset:16\n";
        break;
    }
    return text + "  wait_all\n  global_store_dwordx4 v1, v[4:7], s[6:7]\n  global_store_dwordx4 v1, v[8:11], s[6:7] "
                  "offset:16\n";
}

// The 32 bytes that a lane's part of `out` must hold.
std::vector<u8> expected(const Access& access, const std::vector<u8>& memory) {
    std::vector<u8> result(32, 0);
    if (access.kind == Kind::kStore) {
        result = memory;
        for (unsigned i = 0; i < access.bytes; ++i) {
            const std::uint64_t word = 0xf0e1d2c3u + i / 4;
            result[8 + i] = static_cast<u8>(word >> (8 * (i % 4) + (access.half == 1 ? 16 : 0)));
        }
        return result;
    }
    for (unsigned i = 0; i < 16; ++i) result[i] = static_cast<u8>(0xb3 - i % 4);
    const unsigned width = access.half >= 0 ? 2 : std::max(access.bytes, 4u), start = access.half == 1 ? 2 : 0;
    for (unsigned i = 0; i < width; ++i) {
        const u8 beyond = access.is_signed && memory[8 + access.bytes - 1] >= 0x80 ? 0xff : 0;
        result[start + i] = i < access.bytes ? memory[8 + i] : beyond;
    }
    return result;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryAccessMovesItsBytes) {
    const Chip& chip = chips()[GetParam()];
    struct One {
        const Form* form;
        const Access* access;
    };
    std::vector<One> all;
    std::vector<KernelText> kernels;
    for (const Form& form : kForms)
        for (const Access& access : kAccesses) {
            if ((form.generations >> (chip.generation - 10) & 1u) == 0) continue;
            KernelText k;
            k.name = fmt::format("k{}", all.size());
            k.body = body_of(form, access);
            k.scratch = 32;
            k.lds = 1024;
            kernels.push_back(std::move(k));
            all.push_back({&form, &access});
        }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    std::mt19937 random(20260707);
    std::vector<u8> bytes(1024);
    for (u8& b : bytes) b = static_cast<u8>(random());
    for (std::size_t n = 0; n < all.size(); ++n) {
        SCOPED_TRACE(chip.name + ": " + instruction(*all[n].form, *all[n].access));
        const std::string row = std::string(all[n].form->space) + "_" + all[n].access->row;
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(), [&](const emu::Inst& i) {
            return i.row != nullptr && i.row->name == row;
        })) << row;
        emu::Allocation* const in = rig.buffer(bytes);
        emu::Allocation* const out = rig.buffer(std::vector<u8>(1024));
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out))), "");
        const auto got = words_of<u8>(out);
        for (std::ptrdiff_t lane = 0; lane < 32; ++lane) {
            const std::vector<u8> memory(bytes.begin() + 32 * lane, bytes.begin() + 32 * lane + 32);
            ASSERT_EQ(std::vector<u8>(got.begin() + 32 * lane, got.begin() + 32 * lane + 32),
                      expected(*all[n].access, memory))
                << "lane " << lane;
        }
        rig.memory.free(in->address);
        rig.memory.free(out->address);
    }
}

// v[4:5] = the start of scratch as a flat address.
constexpr const char* kFlat =
    "s_mov_b64 s[14:15], src_private_base\n  v_mov_b32_e32 v4, 0\n  v_mov_b32_e32 v5, s15\n  ";

// gfx10: without FLAT_SCRATCH the address of scratch is undefined; with another value nothing is known.
TEST(Scratch, NeedsItsSetUpOnGfx10) {
    const Chip& chip = **find_chip("gfx1030");
    std::vector<KernelText> kernels;
    const std::string set = "s_mov_b64 s[20:21], 0\n  s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20\n  s_setreg_b32 "
                            "hwreg(HW_REG_FLAT_SCR_HI), s21\n  ";
    for (const char* const access : {"scratch_load_dword v2, off, off", "flat_load_dword v2, v[4:5]"})
        for (const bool other : {false, true}) {
            KernelText k;
            k.name = fmt::format("k{}", kernels.size());
            k.scratch = 32;
            k.flat_scratch = false;
            k.body = std::string("  ") + kFlat + (other ? set : "") + access + "\n  wait_all\n";
            kernels.push_back(std::move(k));
        }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    const auto kernarg = Rig::pack(std::uint64_t{0}, std::uint64_t{0});
    for (const char* const name : {"k0", "k2"}) {
        const emu::Report report = rig.launch(name, kernarg);
        EXPECT_EQ(kinds_of(report), std::vector{emu::FindingKind::kUndefinedDecides}) << text_of(report);
    }
    for (const char* const name : {"k1", "k3"})
        EXPECT_NE(text_of(rig.launch(name, kernarg)).find("unsupported FLAT_SCRATCH"), std::string::npos) << name;
}

// A kernel that cannot tell the depth of its calls has HIP's default stack, or its own where that is more.
TEST_P(OnChip, DynamicStackHasItsBounds) {
    const Chip& chip = chips()[GetParam()];
    const auto store = [](const char* name, unsigned fixed, unsigned offset) {
        KernelText k;
        k.name = name;
        k.scratch = fixed;
        k.dynamic_stack = true;
        k.body = fmt::format("  v_mov_b32_e32 v1, 0\n  scratch_store_byte off, v1, off offset:{}\n", offset);
        return k;
    };
    Rig rig(chip, {store("last", 32, 1023), store("past", 32, 1024), store("own_last", 1040, 1039),
                   store("own_past", 1040, 1040)});
    ASSERT_TRUE(rig.ok());
    const auto kernarg = Rig::pack(std::uint64_t{0}, std::uint64_t{0});
    for (const char* const name : {"last", "own_last"}) EXPECT_EQ(text_of(rig.launch(name, kernarg)), "");
    for (const char* const name : {"past", "own_past"})
        EXPECT_EQ(kinds_of(rig.launch(name, kernarg)), std::vector{emu::FindingKind::kWriteOutOfBounds});
}

// Scratch ends where the descriptor says, to the byte.
TEST_P(OnChip, ScratchHasItsBounds) {
    const Chip& chip = chips()[GetParam()];
    const auto scratch = [&](const char* name, const std::string& body) {
        KernelText k;
        k.name = name;
        k.scratch = 32;
        k.body = "  v_mov_b32_e32 v1, 0\n  " + body + "\n  wait_vm 0\n";
        return k;
    };
    Rig rig(chip, {scratch("last", "scratch_store_byte off, v1, off offset:31"),
                   scratch("past", "scratch_store_byte off, v1, off offset:32"),
                   scratch("wide", "scratch_load_dwordx2 v[2:3], off, off offset:28"),
                   scratch("before", "s_mov_b32 s13, -1\n scratch_load_ubyte v2, off, s13"),
                   scratch("flat_last", std::string(kFlat) + "flat_store_byte v[4:5], v1 offset:31"),
                   scratch("flat_past", std::string(kFlat) + "flat_store_byte v[4:5], v1 offset:32"),
                   scratch("flat_wide", std::string(kFlat) + "flat_load_dwordx2 v[2:3], v[4:5] offset:28")});
    ASSERT_TRUE(rig.ok());
    const auto kernarg = Rig::pack(std::uint64_t{0}, std::uint64_t{0});
    EXPECT_EQ(text_of(rig.launch("last", kernarg)), "");
    EXPECT_EQ(kinds_of(rig.launch("past", kernarg)), std::vector{emu::FindingKind::kWriteOutOfBounds});
    EXPECT_EQ(kinds_of(rig.launch("wide", kernarg)), std::vector{emu::FindingKind::kReadOutOfBounds});
    EXPECT_EQ(kinds_of(rig.launch("before", kernarg)), std::vector{emu::FindingKind::kReadOutOfBounds});
    EXPECT_EQ(text_of(rig.launch("flat_last", kernarg)), "");
    EXPECT_EQ(kinds_of(rig.launch("flat_past", kernarg)), std::vector{emu::FindingKind::kWriteOutOfBounds});
    EXPECT_EQ(kinds_of(rig.launch("flat_wide", kernarg)), std::vector{emu::FindingKind::kReadOutOfBounds});
}

struct ScalarLoad {
    const char* row;
    unsigned generations;
    const char* assembly; // loads from byte 8 into s[16:..]
    unsigned dwords;
    unsigned bits = 32; // less than a word
    bool is_signed = false;
};

constexpr ScalarLoad kScalarLoads[] = {
    {"S_LOAD_DWORD", 1, "s_load_dword s16, s[4:5], 0x8", 1},
    {"S_LOAD_DWORDX2", 1, "s_load_dwordx2 s[16:17], s[4:5], s14", 2},
    {"S_LOAD_DWORDX4", 1, "s_load_dwordx4 s[16:19], s[4:5], s13 offset:0x4", 4},
    {"S_LOAD_DWORDX8", 1, "s_load_dwordx8 s[16:23], s[4:5], 0x8", 8},
    {"S_LOAD_DWORDX16", 1, "s_load_dwordx16 s[16:31], s[4:5], 0x8", 16},
    {"S_LOAD_B32", 6, "s_load_b32 s16, s[4:5], 0x8", 1},
    {"S_LOAD_B32", 6, "s_load_b32 s16, s[6:7], -0x18", 1},
    {"S_LOAD_B64", 6, "s_load_b64 s[16:17], s[4:5], s14 offset:0x0", 2},
    {"S_LOAD_B96", 4, "s_load_b96 s[16:18], s[4:5], 0x8", 3},
    {"S_LOAD_B128", 6, "s_load_b128 s[16:19], s[4:5], s13 offset:0x4", 4},
    {"S_LOAD_B256", 6, "s_load_b256 s[16:23], s[4:5], 0x8", 8},
    {"S_LOAD_B512", 6, "s_load_b512 s[16:31], s[4:5], 0x8", 16},
    {"S_LOAD_U8", 4, "s_load_u8 s16, s[4:5], 0x8", 1, 8},
    {"S_LOAD_I8", 4, "s_load_i8 s16, s[4:5], 0x8", 1, 8, true},
    {"S_LOAD_U16", 4, "s_load_u16 s16, s[4:5], s13 offset:0x4", 1, 16},
    {"S_LOAD_I16", 4, "s_load_i16 s16, s[4:5], 0x8", 1, 16, true},
    // s[36:39]: the whole buffer by bytes.
    {"S_BUFFER_LOAD_DWORD", 1, "s_buffer_load_dword s16, s[36:39], 0x8", 1},
    {"S_BUFFER_LOAD_DWORDX2", 1, "s_buffer_load_dwordx2 s[16:17], s[36:39], s14", 2},
    {"S_BUFFER_LOAD_DWORDX4", 1, "s_buffer_load_dwordx4 s[16:19], s[36:39], s13 offset:0x4", 4},
    {"S_BUFFER_LOAD_DWORDX8", 1, "s_buffer_load_dwordx8 s[16:23], s[36:39], 0x8", 8},
    {"S_BUFFER_LOAD_DWORDX16", 1, "s_buffer_load_dwordx16 s[16:31], s[36:39], 0x8", 16},
    {"S_BUFFER_LOAD_B32", 6, "s_buffer_load_b32 s16, s[36:39], 0x8", 1},
    {"S_BUFFER_LOAD_B64", 6, "s_buffer_load_b64 s[16:17], s[36:39], s14 offset:0x0", 2},
    {"S_BUFFER_LOAD_B96", 4, "s_buffer_load_b96 s[16:18], s[36:39], 0x8", 3},
    {"S_BUFFER_LOAD_B128", 6, "s_buffer_load_b128 s[16:19], s[36:39], s13 offset:0x4", 4},
    {"S_BUFFER_LOAD_B256", 6, "s_buffer_load_b256 s[16:23], s[36:39], 0x8", 8},
    {"S_BUFFER_LOAD_B512", 6, "s_buffer_load_b512 s[16:31], s[36:39], 0x8", 16},
    {"S_BUFFER_LOAD_U8", 4, "s_buffer_load_u8 s16, s[36:39], 0x8", 1, 8},
    {"S_BUFFER_LOAD_I8", 4, "s_buffer_load_i8 s16, s[36:39], 0x8", 1, 8, true},
    {"S_BUFFER_LOAD_U16", 4, "s_buffer_load_u16 s16, s[36:39], 0x8", 1, 16},
    {"S_BUFFER_LOAD_I16", 4, "s_buffer_load_i16 s16, s[36:39], 0x8", 1, 16, true},
};

TEST_P(OnChip, EveryScalarLoadFillsItsRegisters) {
    const Chip& chip = chips()[GetParam()];
    std::vector<const ScalarLoad*> all;
    std::vector<KernelText> kernels;
    for (const ScalarLoad& load : kScalarLoads) {
        if ((load.generations >> (chip.generation - 10) & 1u) == 0) continue;
        KernelText k;
        k.name = fmt::format("k{}", all.size());
        k.body = "  s_load_dwordx2 s[4:5], s[8:9], 0x0\n  s_load_dwordx2 s[34:35], s[8:9], 0x8\n  wait_scalar\n  "
                 "s_add_u32 s6, s4, 32\n"
                 "  s_addc_u32 s7, s5, 0\n  s_mov_b32 s13, 4\n  s_mov_b32 s14, 8\n";
        k.body += "  s_mov_b64 s[36:37], s[4:5]\n  s_movk_i32 s38, 0x48\n  s_mov_b32 s39, 0x31004000\n";
        for (unsigned i = 0; i < 16; ++i) k.body += fmt::format("  s_mov_b32 s{}, 0x77\n", 16 + i);
        k.body += fmt::format("  {}\n  wait_scalar\n  v_mov_b32_e32 v1, 0\n  s_mov_b32 exec_lo, 1\n", load.assembly);
        for (unsigned i = 0; i < 16; ++i)
            k.body += fmt::format("  v_mov_b32_e32 v2, s{}\n  global_store_dword v1, v2, s[34:35] offset:{}\n", 16 + i,
                                  4 * i);
        kernels.push_back(std::move(k));
        all.push_back(&load);
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    std::vector<u32> words(18);
    for (u32 i = 0; i < words.size(); ++i) words[i] = 0x91a2b3c4 + 0x01020304 * i;
    emu::Allocation* const in = rig.buffer(words);
    for (std::size_t n = 0; n < all.size(); ++n) {
        SCOPED_TRACE(chip.name + ": " + all[n]->assembly);
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(),
                                [&](const emu::Inst& i) { return i.row != nullptr && i.row->name == all[n]->row; }));
        emu::Allocation* const out = rig.fresh(64);
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out))), "");
        std::vector<u32> want(16, 0x77);
        for (unsigned i = 0; i < all[n]->dwords; ++i) want[i] = words[2 + i];
        if (all[n]->bits < 32) {
            want[0] %= 1u << all[n]->bits;
            if (all[n]->is_signed) want[0] -= 1u << all[n]->bits; // all of them have their top bit
        }
        EXPECT_EQ(words_of<u32>(out), want);
    }
}

// What a buffer resource leaves out reads as 0 and is not written, without a finding; what it lets through must lie in
// the allocation all the same; where chips differ the launch stops.
TEST_P(OnChip, BuffersEndWhereTheirResourceSays) {
    const Chip& chip = chips()[GetParam()];
    const bool gfx12 = chip.generation >= 12;
    const std::string zero = gfx12 ? "null" : "0";
    struct Want {
        const char* text; // of the report
        u32 value = 0;    // v2 of the first lane
    };
    struct One {
        std::string access;
        unsigned records, stride, check; // OOB_SELECT
        Want want;
        u32 change = 0; // bits of the fourth word that are the other way round
        std::optional<Want> from_gfx11 = {}, gfx12 = {};
    };
    const char* const kNothing = "";
    const char* const kCut = "unsupported access at a buffer's end";
    const char* const kOpen = "unsupported range check of a buffer";
    const std::string raw = "buffer_load_dword v2, v4, s[20:23], ";
    const std::string record = "buffer_load_dword v2, v5, s[20:23], ";
    const std::string pair = "buffer_load_dwordx2 v[2:3], v4, s[20:23], ";
    const std::string take_second = "\n  wait_vm 0\n  v_mov_b32_e32 v2, v3";
    const std::vector<One> all = {
        {raw + zero + " offen offset:60", 64, 0, 3, {kNothing, 115}},
        {raw + zero + " offen offset:64", 64, 0, 3, {kNothing}},
        // From gfx11 on the bytes count that are accessed.
        {raw + zero + " offen offset:62", 64, 0, 3, {kCut}, 0, Want{kNothing}},
        {raw + zero + " offen offset:64", 128, 0, 3, {"out-of-bounds read"}},
        // gfx12 counts the scalar offset.
        {raw + "s13 offen offset:60", 64, 0, 3, {kOpen}, 0, {}, Want{kNothing}},
        {raw + "s13 offen offset:56", 64, 0, 3, {kNothing, 115}},
        {"buffer_store_dword v4, v4, s[20:23], " + zero + " offen offset:64", 64, 0, 3, {kNothing, 7}},
        {"buffer_store_dword v4, v4, s[20:23], " + zero + " offen offset:64", 128, 0, 3, {"out-of-bounds write", 7}},
        // Dwords are checked one by one.
        {pair + zero + " offen offset:60", 64, 0, 3, {kNothing, 115}},
        {pair + zero + " offen offset:60" + take_second, 64, 0, 3, {kNothing}},
        {pair + zero + " offen offset:56" + take_second, 64, 0, 3, {kNothing, 115}},
        {pair + zero + " offen offset:60", 66, 0, 3, {kCut}, 0, Want{kNothing, 115}},
        {"buffer_store_dwordx2 v[4:5], v4, s[20:23], " + zero + " offen offset:64", 64, 0, 3, {kNothing, 7}},
        // An atomic is in range with all of its bytes or none.
        {"buffer_atomic_add_x2 v[4:5], v4, s[20:23], " + zero + " offen offset:64", 64, 0, 3, {kNothing, 7}},
        {"buffer_atomic_add_x2 v[4:5], v4, s[20:23], " + zero + " offen offset:56",
         60,
         0,
         3,
         {kCut, 7},
         0,
         Want{kNothing, 7}},
        {"buffer_atomic_add v4, v4, s[20:23], " + zero + " offen offset:64", 128, 0, 3, {"out-of-bounds write", 7}},
        // Records of 16 bytes.
        {record + zero + " idxen offset:12", 4, 16, 0, {kNothing, 115}},
        {record + zero + " idxen offset:16", 4, 16, 0, {kNothing}},
        {record + zero + " idxen", 3, 16, 0, {kNothing}},
        {record + zero + " idxen", 3, 16, 1, {kNothing}},
        {record + zero + " idxen offset:16", 4, 16, 1, {"out-of-bounds read"}},
        {record + zero + " idxen", 0, 16, 2, {kNothing}},
        {record + zero + " idxen offset:12", 1, 16, 2, {kNothing, 115}},
        {record + zero + " idxen", 4, 0, 0, {kOpen}}, // a check against no stride
        // The lane is added to the index: lane 0 here.
        {raw + zero + " offen", 64, 0, 3, {kNothing, 100}, 1u << 23},
        {raw + zero + " offen", 64, 0, 3, {"unsupported buffer resource"}, 1u << 31},
        {raw + zero + " offen", 64, 1u << 15, 3, {kOpen}, 0, Want{"unsupported buffer resource"}}, // swizzled
        // No format: no buffer is bound.
        {raw + zero + " offen", 64, 0, 3, {kNothing}, 0x4000},
        {"buffer_store_dword v4, v4, s[20:23], " + zero + " offen", 64, 0, 3, {kNothing, 7}, 0x4000},
        {"s_buffer_load_dword s16, s[20:23], 0x3c\n  wait_scalar\n  v_mov_b32_e32 v2, s16", 64, 0, 3, {kNothing, 115}},
        {"s_buffer_load_dword s16, s[20:23], 0x40\n  wait_scalar\n  v_mov_b32_e32 v2, s16", 64, 0, 3, {kNothing}},
        {"s_buffer_load_dword s16, s[20:23], 0x40\n  wait_scalar\n  v_mov_b32_e32 v2, s16",
         68,
         0,
         3,
         {"out-of-bounds read"}},
        {"s_buffer_load_dwordx2 s[16:17], s[20:23], 0x3c\n  wait_scalar\n  v_mov_b32_e32 v2, s17",
         64,
         0,
         3,
         {"unsupported load across a buffer's end"}},
    };
    std::vector<KernelText> kernels;
    for (const One& one : all) {
        KernelText k;
        k.name = fmt::format("k{}", kernels.size());
        k.body = fmt::format("  s_load_dwordx4 s[4:7], s[8:9], 0x0\n  wait_scalar\n  s_mov_b32 exec_lo, 1\n"
                             "  s_mov_b32 s20, s4\n  s_or_b32 s21, s5, 0x{:x}\n  s_mov_b32 s22, 0x{:x}\n"
                             "  s_mov_b32 s23, 0x{:x}\n  v_mov_b32_e32 v4, 0\n  v_mov_b32_e32 v5, 3\n"
                             "  v_mov_b32_e32 v2, 7\n  s_mov_b32 s13, 4\n  {}\n  wait_vm 0\n"
                             "  global_store_dword v4, v2, s[6:7]\n",
                             one.stride << 16, one.records, (one.check << 28 | 0x01004000u) ^ one.change, one.access);
        kernels.push_back(std::move(k));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    std::vector<u32> words(16);
    for (u32 i = 0; i < 16; ++i) words[i] = 100 + i;
    for (std::size_t n = 0; n < all.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}, records {}, stride {}, check {}", chip.name, all[n].access, all[n].records,
                                 all[n].stride, all[n].check));
        emu::Allocation* const in = rig.buffer(words);
        emu::Allocation* const out = rig.fresh(4);
        const std::string text = text_of(rig.launch(kernels[n].name, Rig::pack(in, out)));
        Want want = all[n].want;
        if (chip.generation >= 11 && all[n].from_gfx11) want = *all[n].from_gfx11;
        if (gfx12 && all[n].gfx12) want = *all[n].gfx12;
        if (*want.text == '\0') {
            EXPECT_EQ(text, "");
            EXPECT_EQ(words_of<u32>(out)[0], want.value);
        } else {
            EXPECT_NE(text.find(want.text), std::string::npos) << text;
        }
        EXPECT_EQ(words_of<u32>(in), words);
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

// Four times the lane's number is added, and there is no address register.
TEST_P(OnChip, AddressesThatCountLanes) {
    const Chip& chip = chips()[GetParam()];
    KernelText k;
    k.name = "addtid";
    k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 exec_lo, 0xfffffff5
  v_mov_b32_e32 v2, 7
  global_load_dword_addtid v2, s[4:5] offset:8
  wait_vm 0
  global_store_dword_addtid v2, s[6:7] offset:4
)";
    Rig rig(chip, {k});
    ASSERT_TRUE(rig.ok());
    std::vector<u32> words(34), want(33, 55);
    for (u32 i = 0; i < words.size(); ++i) words[i] = 100 + i;
    for (u32 lane = 0; lane < 32; ++lane)
        if ((0xfffffff5u >> lane) % 2 == 1) want[1 + lane] = 102 + lane;
    emu::Allocation* const out = rig.buffer(std::vector<u32>(33, 55));
    EXPECT_EQ(text_of(rig.launch("addtid", Rig::pack(rig.buffer(words), out))), "");
    EXPECT_EQ(words_of<u32>(out), want);
    words.pop_back();
    EXPECT_EQ(kinds_of(rig.launch("addtid", Rig::pack(rig.buffer(words), out))),
              std::vector{emu::FindingKind::kReadOutOfBounds});
}

// gfx12: of 32 registers those that M0 names; one operation for all of them.
TEST(Blocks, MoveTheRegistersThatM0Names) {
    for (const Chip& chip : chips()) {
        if (chip.generation < 12) continue;
        SCOPED_TRACE(chip.name);
        const auto kernel = [](const char* name, const std::string& load, const std::string& between,
                               const std::string& store) {
            KernelText k;
            k.name = name;
            k.vgprs = 96;
            k.scratch = 160;
            k.body = "  s_load_b128 s[4:7], s[8:9], 0x0\n  wait_scalar\n  v_lshlrev_b32_e32 v1, 8, v0\n";
            for (unsigned i = 0; i < 32; ++i) k.body += fmt::format("  v_mov_b32_e32 v{}, {}\n", 8 + i, 900 + i);
            // Through scratch: bytes 128 on are what it holds from the start.
            k.body += "  s_mov_b32 m0, 0x80000015\n  " + load + "\n" + between + "  s_mov_b32 m0, 0xc0000017\n  " +
                      store + "\n";
            return k;
        };
        const std::string wait = "  wait_vm 0\n";
        const std::string global = "global_load_block v[8:39], v1, s[4:5] offset:4",
                          store = "global_store_block v1, v[8:39], s[6:7] offset:8";
        const std::string through = "  s_mov_b32 m0, -1\n  scratch_store_block off, v[8:39], off offset:16\n";
        const std::string back = "scratch_load_block v[48:79], off, off offset:16\n  s_wait_loadcnt 0x0";
        Rig rig(chip, {kernel("global", global, wait, store),
                       kernel("scratch", global, wait + through + "  " + back + "\n",
                              "global_store_block v1, v[48:79], s[6:7] offset:8"),
                       kernel("early", global, "", store),
                       // A register that M0 leaves out is free at once.
                       kernel("free", global, "  v_mov_b32_e32 v9, 5\n" + wait, store),
                       kernel("taken", global, "  v_mov_b32_e32 v10, 5\n" + wait, store),
                       kernel("one_wait", "global_load_b32 v50, v1, s[4:5]\n  " + global,
                              "  s_wait_loadcnt 0x1\n  v_mov_b32_e32 v51, v50\n" + wait, store)});
        ASSERT_TRUE(rig.ok());
        std::vector<u32> in(32 * 64), want(32 * 64, 55);
        for (u32 i = 0; i < in.size(); ++i) in[i] = 10000 + i;
        for (u32 lane = 0; lane < 32; ++lane)
            for (u32 n = 0; n < 32; ++n) {
                const bool loaded = ((0x80000015u >> n) & 1u) != 0, stored = ((0xc0000017u >> n) & 1u) != 0;
                if (stored) want[64 * lane + 2 + n] = loaded ? 10000 + 64 * lane + 1 + n : 900 + n;
            }
        for (const char* const name : {"global", "scratch", "one_wait"}) {
            SCOPED_TRACE(name);
            emu::Allocation* const out = rig.buffer(std::vector<u32>(32 * 64, 55));
            EXPECT_EQ(text_of(rig.launch(name, Rig::pack(rig.buffer(in), out))), "");
            EXPECT_EQ(words_of<u32>(out), want);
        }
        const auto args = Rig::pack(rig.buffer(in), rig.buffer(std::vector<u32>(32 * 64)));
        EXPECT_EQ(kinds_of(rig.launch("early", args)), std::vector{emu::FindingKind::kUsedBeforeWait});
        EXPECT_EQ(text_of(rig.launch("free", args)), "");
        EXPECT_EQ(kinds_of(rig.launch("taken", args)), std::vector{emu::FindingKind::kOverwrittenBeforeWait});
    }
}

TEST(MemoryRows, EachHasATest) {
    std::set<std::string> tested = {"GLOBAL_LOAD_DWORD_ADDTID", "GLOBAL_STORE_DWORD_ADDTID", "GLOBAL_LOAD_BLOCK",
                                    "GLOBAL_STORE_BLOCK",       "SCRATCH_LOAD_BLOCK",        "SCRATCH_STORE_BLOCK"};
    for (const Form& form : kForms)
        for (const Access& access : kAccesses) tested.insert(std::string(form.space) + "_" + access.row);
    // atomic_ops_test.cpp has the atomics, buffer_ops_test.cpp the data formats, lds_loads_test.cpp what goes to LDS.
    for (const auto rows : {emu::memory_rows(), emu::buffer_rows()})
        for (const emu::Row& row : rows)
            EXPECT_TRUE(row.atomic != nullptr || row.components != 0 || row.to_lds ||
                        tested.contains(std::string(row.name)))
                << row.name;
}

TEST(ScalarMemoryRows, EachHasATest) {
    std::set<std::string> tested;
    for (const ScalarLoad& load : kScalarLoads) tested.insert(load.row);
    for (const emu::Row& row : emu::scalar_memory_rows())
        EXPECT_TRUE(tested.contains(std::string(row.name))) << row.name;
}

} // namespace
} // namespace pm::testing
