// Every global, flat and buffer atomic: memory and the returned value, against what atomic_cases.h says.
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/atomic_cases.h"
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum : unsigned { kGen10 = 1, kGen11 = 2, kGen12 = 4, kGen10And11 = 3, kGen11And12 = 6, kAllGens = 7 };

/// One atomic by its row, less GLOBAL_, FLAT_ or BUFFER_.
struct Case {
    const char* row;
    const char* assembly; // as gfx10 writes it; later chips take it, too
    unsigned generations;
    Atomic op;
    unsigned bytes = 4;
    const char* flat_row = nullptr; // where it differs
    bool global_only = false;
};

constexpr Case kCases[] = {
    {"ATOMIC_SWAP", "atomic_swap", kAllGens, Atomic::kSwap},
    {"ATOMIC_CMPSWAP", "atomic_cmpswap", kAllGens, Atomic::kCompareSwap},
    {"ATOMIC_ADD", "atomic_add", kAllGens, Atomic::kAdd},
    {"ATOMIC_SUB", "atomic_sub", kAllGens, Atomic::kSub},
    {"ATOMIC_SMIN", "atomic_smin", kAllGens, Atomic::kMinSigned},
    {"ATOMIC_UMIN", "atomic_umin", kAllGens, Atomic::kMinUnsigned},
    {"ATOMIC_SMAX", "atomic_smax", kAllGens, Atomic::kMaxSigned},
    {"ATOMIC_UMAX", "atomic_umax", kAllGens, Atomic::kMaxUnsigned},
    {"ATOMIC_AND", "atomic_and", kAllGens, Atomic::kAnd},
    {"ATOMIC_OR", "atomic_or", kAllGens, Atomic::kOr},
    {"ATOMIC_XOR", "atomic_xor", kAllGens, Atomic::kXor},
    {"ATOMIC_INC", "atomic_inc", kAllGens, Atomic::kIncrement},
    {"ATOMIC_DEC", "atomic_dec", kAllGens, Atomic::kDecrement},
    {"ATOMIC_FCMPSWAP", "atomic_fcmpswap", kGen10, Atomic::kFloatCompareSwap},
    {"ATOMIC_FCMPSWAP", "atomic_cmpswap_f32", kGen11, Atomic::kFloatCompareSwap},
    {"ATOMIC_FMIN", "atomic_fmin", kGen10, Atomic::kFloatMin},
    {"ATOMIC_FMIN", "atomic_min_f32", kGen11And12, Atomic::kFloatMin},
    {"ATOMIC_FMAX", "atomic_fmax", kGen10, Atomic::kFloatMax},
    {"ATOMIC_FMAX", "atomic_max_f32", kGen11And12, Atomic::kFloatMax},
    {"ATOMIC_SWAP_X2", "atomic_swap_x2", kAllGens, Atomic::kSwap, 8},
    {"ATOMIC_CMPSWAP_X2", "atomic_cmpswap_x2", kAllGens, Atomic::kCompareSwap, 8},
    {"ATOMIC_ADD_X2", "atomic_add_x2", kAllGens, Atomic::kAdd, 8},
    {"ATOMIC_SUB_X2", "atomic_sub_x2", kAllGens, Atomic::kSub, 8},
    {"ATOMIC_SMIN_X2", "atomic_smin_x2", kAllGens, Atomic::kMinSigned, 8},
    {"ATOMIC_UMIN_X2", "atomic_umin_x2", kAllGens, Atomic::kMinUnsigned, 8},
    {"ATOMIC_SMAX_X2", "atomic_smax_x2", kAllGens, Atomic::kMaxSigned, 8},
    {"ATOMIC_UMAX_X2", "atomic_umax_x2", kAllGens, Atomic::kMaxUnsigned, 8},
    {"ATOMIC_AND_X2", "atomic_and_x2", kAllGens, Atomic::kAnd, 8},
    {"ATOMIC_OR_X2", "atomic_or_x2", kAllGens, Atomic::kOr, 8},
    {"ATOMIC_XOR_X2", "atomic_xor_x2", kAllGens, Atomic::kXor, 8},
    {"ATOMIC_INC_X2", "atomic_inc_x2", kAllGens, Atomic::kIncrement, 8},
    {"ATOMIC_DEC_X2", "atomic_dec_x2", kAllGens, Atomic::kDecrement, 8},
    {"ATOMIC_FCMPSWAP_X2", "atomic_fcmpswap_x2", kGen10, Atomic::kFloatCompareSwap, 8},
    {"ATOMIC_FMIN_X2", "atomic_fmin_x2", kGen10, Atomic::kFloatMin, 8},
    {"ATOMIC_FMAX_X2", "atomic_fmax_x2", kGen10, Atomic::kFloatMax, 8},
    {"ATOMIC_CSUB", "atomic_csub", kGen10And11, Atomic::kSubClamp, 4, nullptr, true},
    {"ATOMIC_CSUB", "atomic_sub_clamp_u32", kGen12, Atomic::kSubClamp, 4, "ATOMIC_CSUB_U32"},
    {"ATOMIC_COND_SUB_U32", "atomic_cond_sub_u32", kGen12, Atomic::kSubIf},
    {"ATOMIC_ADD_F32", "atomic_add_f32", kGen11And12, Atomic::kFloatAdd},
    {"ATOMIC_PK_ADD_F16", "atomic_pk_add_f16", kGen12, Atomic::kAddHalves},
    {"ATOMIC_PK_ADD_BF16", "atomic_pk_add_bf16", kGen12, Atomic::kAddBfloats},
};

/// Where the atomic goes, and how its address is written; {D} is the data.
struct Form {
    const char* space;
    bool lds;
    const char* operands;
    bool buffer = false; // the result takes the registers of the data
};
constexpr Form kForms[] = {
    {"GLOBAL", false, "v1, {D}, s[4:5] offset:8"},
    {"GLOBAL", false, "v[14:15], {D}, off offset:8"},
    {"FLAT", false, "v[14:15], {D} offset:8"},
    {"FLAT", true, "v[18:19], {D} offset:8"},
    // s[20:23]: all of the buffer by bytes; s[24:27]: 32 records of 32 bytes. v[12:13] = the lane's number and 4.
    {"BUFFER", false, "{D}, v1, s[20:23], s13 offen offset:4", true},
    {"BUFFER", false, "{D}, v0, s[24:27], s13 idxen offset:4", true},
    {"BUFFER", false, "{D}, v[12:13], s[24:27], s13 idxen offen", true},
};

std::string registers(unsigned first, unsigned dwords) {
    return dwords == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + dwords - 1);
}

bool compares(Atomic op) { return op == Atomic::kCompareSwap || op == Atomic::kFloatCompareSwap; }

std::string instruction(const Chip& chip, const Form& form, const Case& c, bool returns) {
    const unsigned dwords = c.bytes / 4;
    std::string operands = form.operands;
    operands.replace(operands.find("{D}"), 3, registers(20, compares(c.op) ? 2 * dwords : dwords));
    std::string text = std::string(form.space) + "_" + c.assembly + " ";
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char ch) { return std::tolower(ch); });
    if (returns && !form.buffer) text += registers(8, dwords) + ", ";
    text += operands;
    if (returns) text += chip.generation >= 12 ? " th:TH_ATOMIC_RETURN" : " glc";
    return text;
}

// `in` holds 32 bytes a lane: the operands (16 bytes), the old contents (8), nothing. Lanes change 8 bytes from byte 8
// of their 32 in `memory`, which holds `in` + 8 bytes; `out` takes the value returned and, from LDS, the 16 bytes
// there.
std::string body_of(const Chip& chip, const Form& form, const Case& c, bool returns) {
    std::string text = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 5, v0
  global_load_dwordx4 v[20:23], v1, s[4:5] offset:16
  v_add_co_u32 v14, vcc_lo, s4, v1
  v_add_co_ci_u32_e64 v15, s15, s5, 0, vcc_lo
  s_mov_b64 s[18:19], src_shared_base
  v_mov_b32_e32 v18, v1
  v_mov_b32_e32 v19, s19
  global_load_dwordx4 v[4:7], v1, s[4:5]
  s_mov_b32 s13, 4
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_movk_i32 s22, 0x400
  s_mov_b32 s23, 0x31004000
  s_mov_b32 s24, s4
  s_or_b32 s25, s5, 0x200000
  s_mov_b32 s26, 32
  s_mov_b32 s27, 0x01004000
  v_mov_b32_e32 v12, v0
  v_mov_b32_e32 v13, 4
  v_mov_b32_e32 v8, 0x77
  v_mov_b32_e32 v9, 0x77
  wait_vm 0
)";
    if (form.lds) text += "  ds_write_b128 v1, v[4:7]\n";
    text += "  " + instruction(chip, form, c, returns) + "\n  wait_all\n";
    if (form.buffer && returns) text += "  v_mov_b32_e32 v8, v20\n";
    if (form.buffer && returns && c.bytes == 8) text += "  v_mov_b32_e32 v9, v21\n";
    text += form.lds ? "  ds_read_b128 v[4:7], v1\n" : "  global_load_dwordx4 v[4:7], v1, s[4:5]\n";
    return text + "  wait_all\n  global_store_dwordx4 v1, v[4:7], s[6:7]\n  global_store_dwordx2 v1, v[8:9], s[6:7] "
                  "offset:16\n";
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryAtomicLeavesAndReturnsWhatItSays) {
    const Chip& chip = chips()[GetParam()];
    struct One {
        const Form* form;
        const Case* c;
        bool returns;
        std::string row;
    };
    std::vector<One> all;
    std::vector<KernelText> kernels;
    for (const Form& form : kForms)
        for (const Case& c : kCases)
            for (const bool returns : {false, true}) {
                const bool flat = std::string_view(form.space) == "FLAT";
                if ((c.generations >> (chip.generation - 10) & 1u) == 0 || (flat && c.global_only)) continue;
                // gfx10 and gfx11 have the clamped subtraction with return alone.
                if (c.op == Atomic::kSubClamp && !returns && chip.generation < 12) continue;
                KernelText k;
                k.name = fmt::format("k{}", all.size());
                k.body = body_of(chip, form, c, returns);
                k.lds = 1024;
                kernels.push_back(std::move(k));
                const char* const name = flat && c.flat_row != nullptr ? c.flat_row : c.row;
                all.push_back({&form, &c, returns, std::string(form.space) + "_" + name});
            }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const Case& c = *all[n].c;
        SCOPED_TRACE(chip.name + ": " + instruction(chip, *all[n].form, c, all[n].returns));
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(), [&](const emu::Inst& i) {
            return i.row != nullptr && i.row->name == all[n].row;
        })) << all[n].row;
        const std::vector<u64>& values = atomic_values(c.bytes);
        // Every pair of values meets; a launch has 32 of them.
        for (std::size_t first = 0; first < values.size() * values.size(); first += 32) {
            std::vector<u32> in(256);
            std::vector<std::array<u64, 3>> lanes(32);
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const std::size_t pair = (first + lane) % (values.size() * values.size());
                const u64 memory = values[pair / values.size()], data = values[pair % values.size()];
                // What is compared with is the old contents in half of the lanes.
                const u64 second = lane % 2 == 0 ? memory : values[(pair + 3) % values.size()];
                lanes[lane] = {memory, data, second};
                u32* const words = in.data() + 8 * lane;
                words[0] = 0x11111111, words[1] = 0x22222222, words[3] = 0x33333333;
                for (unsigned k = 0; k < c.bytes / 4; ++k) {
                    words[2 + k] = static_cast<u32>(memory >> 32 * k);
                    words[4 + k] = static_cast<u32>(data >> 32 * k);
                    words[4 + c.bytes / 4 + k] = static_cast<u32>(second >> 32 * k);
                }
            }
            emu::Allocation* const memory = rig.buffer(in);
            emu::Allocation* const out = rig.buffer(std::vector<u32>(256));
            ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(memory, out))), "");
            const auto got = words_of<u32>(out);
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const auto [old, data, second] = lanes[lane];
                const u64 after = after_atomic(c.op, c.bytes, old, data, second);
                SCOPED_TRACE(fmt::format("lane {}: {:#x} with {:#x}, {:#x}", lane, old, data, second));
                const u32* const words = got.data() + 8 * lane;
                ASSERT_EQ(words[0], 0x11111111u);
                ASSERT_EQ(words[1], 0x22222222u);
                ASSERT_EQ(words[2], static_cast<u32>(after));
                ASSERT_EQ(words[3], c.bytes == 8 ? static_cast<u32>(after >> 32) : 0x33333333u);
                ASSERT_EQ(words[4], all[n].returns ? static_cast<u32>(old) : 0x77u);
                ASSERT_EQ(words[5], all[n].returns && c.bytes == 8 ? static_cast<u32>(old >> 32) : 0x77u);
            }
            rig.memory.free(memory->address);
            rig.memory.free(out->address);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(AtomicRows, EachHasATest) {
    std::set<std::string> tested;
    for (const Case& c : kCases) {
        tested.insert(std::string("GLOBAL_") + c.row);
        tested.insert(std::string("BUFFER_") + c.row);
        if (!c.global_only) tested.insert(std::string("FLAT_") + (c.flat_row != nullptr ? c.flat_row : c.row));
    }
    for (const auto rows : {emu::memory_rows(), emu::buffer_rows()})
        for (const emu::Row& row : rows)
            EXPECT_TRUE(row.atomic == nullptr || tested.contains(std::string(row.name))) << row.name;
}

// Lanes of one instruction, waves and workgroups on several host threads: no addition is lost, and every one is told
// another old value.
TEST(Atomics, AreWholeAcrossHostThreads) {
    for (const Chip& chip : chips()) {
        SCOPED_TRACE(chip.name);
        KernelText k;
        k.name = "count";
        k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
)" +
                 std::string(chip.generation >= 12
                                 ? "  global_atomic_add_u32 v3, v1, v2, s[4:5] th:TH_ATOMIC_RETURN scope:SCOPE_DEV\n"
                                 : "  global_atomic_add v3, v1, v2, s[4:5] glc\n") +
                 R"(
  wait_vm 0
  v_lshlrev_b32_e32 v3, 2, v3
  global_store_dword v3, v2, s[6:7]
)";
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        constexpr u32 kItems = 400 * 64;
        emu::Allocation* const counter = rig.buffer(std::vector<u32>(1));
        emu::Allocation* const seen = rig.buffer(std::vector<u32>(kItems));
        ASSERT_EQ(text_of(rig.launch("count", Rig::pack(counter, seen), {400, 1, 1}, {64, 1, 1}, 4)), "");
        EXPECT_EQ(words_of<u32>(counter), std::vector<u32>{kItems});
        EXPECT_EQ(words_of<u32>(seen), std::vector<u32>(kItems, 1));
    }
}

} // namespace
} // namespace pm::testing
