// Buffer instructions: data formats of the resource and of the instruction, swizzled buffers, lanes added to the index.
// memory_ops_test.cpp has the plain loads and stores and the ends of buffers, atomic_ops_test.cpp the atomics.
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

/// A format by its number on gfx10 and on later chips.
struct Number {
    u32 gfx10, later;
    u32 on(const Chip& chip) const { return chip.generation == 10 ? gfx10 : later; }
};
constexpr Number k8Unorm{1, 1}, k32Uint{20, 20}, k16x2Sint{28, 28}, k10x11x11Float{36, 30}, k2x10x10x10Uint{54, 40},
    k8x4Unorm{56, 42}, k8x4Snorm{57, 43}, k16x4Float{71, 57}, k32x3Float{74, 60}, k32x4Float{77, 63};

/// One access to four dwords of memory: for a load what v[20:23] hold then, that were 0xb0b1b2b3 each; for a store what
/// memory holds, that was 0x11111111 each.
struct Case {
    const char* row; // after the _ of BUFFER_ or TBUFFER_
    Number format;
    std::vector<u32> in; // memory, or registers from v20 on
    std::vector<u32> want;
    u32 select = 0xfac; // DST_SEL, X Y Z W (untyped alone)
    unsigned space = 3; // 1: untyped, 2: typed
    unsigned generations = 7;
    const char* text = ""; // of the report
};

constexpr u32 kOld = 0xb0b1b2b3, kFilled = 0x11111111, kOne = 0x3f800000;

std::vector<Case> all_cases() {
    constexpr u32 kIdentity = 0xfac;
    constexpr u32 kWzyx = 7 | 6 << 3 | 5 << 6 | 4 << 9, kX01W = 4 | 0 << 3 | 1 << 6 | 7 << 9;
    // 51/255 = 0.2, 128/255, 1, 0.
    const std::vector<u32> bytes = {0xff803300};
    const std::vector<u32> fifths = {0, 0x3e4ccccd, 0x3f008081, kOne};
    // In fp16: 0.2 = 0x3266, 128/255 = 0x3804.
    std::vector<Case> all = {
        {"LOAD_FORMAT_X", k8x4Unorm, bytes, {fifths[0], kOld, kOld, kOld}},
        {"LOAD_FORMAT_XY", k8x4Unorm, bytes, {fifths[0], fifths[1], kOld, kOld}},
        {"LOAD_FORMAT_XYZ", k8x4Unorm, bytes, {fifths[0], fifths[1], fifths[2], kOld}},
        {"LOAD_FORMAT_XYZW", k8x4Unorm, bytes, fifths},
        {"LOAD_FORMAT_D16_X", k8x4Unorm, {0x80}, {0xb0b13804, kOld, kOld, kOld}},
        {"LOAD_FORMAT_D16_XY", k8x4Unorm, bytes, {0x32660000, kOld, kOld, kOld}},
        {"LOAD_FORMAT_D16_XYZ", k8x4Unorm, bytes, {0x32660000, 0xb0b13804, kOld, kOld}},
        {"LOAD_FORMAT_D16_XYZW", k8x4Unorm, bytes, {0x32660000, 0x3c003804, kOld, kOld}},
        {"LOAD_FORMAT_D16_HI_X", k8x4Unorm, {0x80}, {0x3804b2b3, kOld, kOld, kOld}, kIdentity, 1},
        // Components that the format does not have are zero.
        {"LOAD_FORMAT_XYZW", k16x2Sint, {0x8001fffe}, {0xfffffffe, 0xffff8001, 0, 0}, kIdentity},
        {"LOAD_FORMAT_D16_XYZW", k16x2Sint, {0x8001fffe}, {0x8001fffe, 0, kOld, kOld}},
        {"LOAD_FORMAT_XYZW", k2x10x10x10Uint, {0xbff003ff}, {0x3ff, 0, 0x3ff, 2}},
        {"LOAD_FORMAT_XYZW", k10x11x11Float, {0x1f0u << 22 | 0x3e0 << 11 | 0x3c0}, {kOne, 0x3fc00000, 0x3fc00000, 0}},
        {"LOAD_FORMAT_XYZW", k16x4Float, {0xc0003c00, 0x7c000001}, {kOne, 0xc0000000, 0x33800000, 0x7f800000}},
        {"LOAD_FORMAT_XYZ", k32x3Float, {1, 0x7f812345, 3}, {1, 0x7f812345, 3, kOld}},
        {"LOAD_FORMAT_XYZW", k32x4Float, {1, 2, 3, 4}, {1, 2, 3, 4}},
        // fp16 from f32 is cut off.
        {"LOAD_FORMAT_D16_XY", k32x4Float, {0x3f80ffff, 0xc0000000, 3, 4}, {0xc0003c07, kOld, kOld, kOld}},
        {"LOAD_FORMAT_D16_X", k32Uint, {1}, {}, kIdentity, 3, 7, "unsupported conversion of a 32-bit integer"},
        // The resource chooses.
        {"LOAD_FORMAT_XYZW", k8x4Unorm, bytes, {fifths[3], fifths[2], fifths[1], fifths[0]}, kWzyx, 1},
        {"LOAD_FORMAT_XYZW", k8x4Unorm, bytes, {fifths[0], 0, kOne, fifths[3]}, kX01W, 1},
        {"LOAD_FORMAT_XYZW", k2x10x10x10Uint, {0xbff003ff}, {0x3ff, 0, 1, 2}, kX01W, 1},
        {"LOAD_FORMAT_D16_XYZW", k8x4Unorm, bytes, {0, 0x3c003c00, kOld, kOld}, kX01W, 1},
        {"LOAD_FORMAT_XYZW", k8x4Unorm, bytes, fifths, kWzyx, 2}, // the instruction's own order
        // No format: nothing is bound.
        {"LOAD_FORMAT_XY", {0, 0}, bytes, {0, 0, kOld, kOld}},
        {"STORE_FORMAT_X", {0, 0}, {5}, {kFilled, kFilled, kFilled, kFilled}},
        {"LOAD_FORMAT_X", {127, 63}, bytes, {}, kIdentity, 2, 1, "unsupported buffer format 127"},
        {"LOAD_FORMAT_X", {127, 127}, bytes, {}, kIdentity, 2, 6, "unsupported buffer format 127"},
        // 0.2 and 0.5 in 8 bits: 51 and 127.5, to even.
        {"STORE_FORMAT_X", k8Unorm, {0x3e4ccccd}, {0x11111133, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_XY", k16x2Sint, {0xffff8000, 0x7fff}, {0x7fff8000, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_XYZ", k32x3Float, {1, 2, 3}, {1, 2, 3, kFilled}},
        {"STORE_FORMAT_XYZW",
         k8x4Unorm,
         {0, 0x3e4ccccd, 0x3f000000, 0x40000000},
         {0xff803300, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_XYZW", k8x4Snorm, {0, 0xbf800000, kOne, 0x7fc00000}, {0x007f8100, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_XYZW", k32x4Float, {1, 2, 3, 4}, {1, 2, 3, 4}},
        {"STORE_FORMAT_XYZW", k8Unorm, {0x3e4ccccd, 1, 2, 3}, {0x11111133, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_D16_X", k8Unorm, {0xffff3c00}, {0x111111ff, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_D16_HI_X", k8Unorm, {0x3c00ffff}, {0x111111ff, kFilled, kFilled, kFilled}, kIdentity, 1},
        {"STORE_FORMAT_D16_XY", k16x2Sint, {0x1234ffff}, {0x1234ffff, kFilled, kFilled, kFilled}},
        {"STORE_FORMAT_D16_XYZ", k32x3Float, {0xc0003c00, 0x00004200}, {kOne, 0xc0000000, 0x40400000, kFilled}},
        {"STORE_FORMAT_D16_XYZW", k16x4Float, {0xc0003c00, 0x7c004200}, {0xc0003c00, 0x7c004200, kFilled, kFilled}},
        // Fewer components than memory has: the first one again, on gfx12 in its typed instructions.
        {"STORE_FORMAT_X", k16x2Sint, {7}, {0x00070007, kFilled, kFilled, kFilled}, kIdentity, 2, 4},
        {"STORE_FORMAT_X", k16x2Sint, {7}, {}, kIdentity, 3, 3, "unsupported store of fewer components"},
        {"STORE_FORMAT_X", k16x2Sint, {7}, {}, kIdentity, 1, 4, "unsupported store of fewer components"},
        {"STORE_FORMAT_XYZW", k8x4Unorm, {0, 0, 0, 0}, {}, kWzyx, 1, 7, "unsupported store with components in another"},
        {"STORE_FORMAT_XY",
         k16x2Sint,
         {0x8000, 0},
         {},
         kIdentity,
         3,
         7,
         "unsupported store of a number that 16_16_SINT"},
    };
    return all;
}

std::string instruction(const Chip& chip, const Case& c, bool typed) {
    const bool halves = std::string_view(c.row).find("D16") != std::string_view::npos;
    const std::size_t components = std::string_view(c.row).substr(std::string_view(c.row).rfind('_') + 1).size();
    const std::size_t last = 20 + (halves ? (components + 1) / 2 : components) - 1;
    return fmt::format("{}{} {}, v1, s[20:23], {} {} offen", typed ? "tbuffer_" : "buffer_", lower(c.row),
                       last == 20 ? "v20" : fmt::format("v[20:{}]", last), chip.generation >= 12 ? "null" : "0",
                       typed ? fmt::format("format:{}", c.format.on(chip)) : "");
}

bool loads(const Case& c) { return std::string_view(c.row).starts_with("LOAD"); }

// One lane; v1 = 0, s[4:5] the memory of 16 bytes, s[6:7] what takes v[20:23].
std::string body_of(const Chip& chip, const Case& c, bool typed) {
    const u32 format = typed ? k8Unorm.on(chip) : c.format.on(chip);
    std::string text = fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 exec_lo, 1
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_mov_b32 s22, 16
  s_mov_b32 s23, 0x{:x}
  v_mov_b32_e32 v1, 0
)",
                                   0x30000000u | format << 12 | c.select);
    for (std::size_t i = 0; i < 4; ++i)
        text += fmt::format("  v_mov_b32_e32 v{}, 0x{:x}\n", 20 + i, !loads(c) && i < c.in.size() ? c.in[i] : kOld);
    return text + "  " + instruction(chip, c, typed) + "\n  wait_all\n  global_store_dwordx4 v1, v[20:23], s[6:7]\n";
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, FormatsConvert) {
    const Chip& chip = chips()[GetParam()];
    struct One {
        const Case* c;
        bool typed;
    };
    std::vector<One> all;
    std::vector<KernelText> kernels;
    const std::vector<Case> cases = all_cases();
    for (const Case& c : cases)
        for (const bool typed : {false, true}) {
            if ((c.generations >> (chip.generation - 10) & 1u) == 0 || (c.space & (typed ? 2u : 1u)) == 0) continue;
            KernelText k;
            k.name = fmt::format("k{}", kernels.size());
            k.body = body_of(chip, c, typed);
            kernels.push_back(std::move(k));
            all.push_back({&c, typed});
        }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const Case& c = *all[n].c;
        SCOPED_TRACE(
            fmt::format("{}: {}, format {}", chip.name, instruction(chip, c, all[n].typed), c.format.on(chip)));
        const std::string row = std::string(all[n].typed ? "TBUFFER_" : "BUFFER_") + c.row;
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        EXPECT_TRUE(std::any_of((*program)->insts.begin(), (*program)->insts.end(), [&](const emu::Inst& i) {
            return i.row != nullptr && i.row->name == row;
        })) << row;
        std::vector<u32> memory(4, kFilled);
        if (loads(c)) std::copy(c.in.begin(), c.in.end(), memory.begin());
        emu::Allocation* const in = rig.buffer(memory);
        emu::Allocation* const out = rig.fresh(16);
        const std::string text = text_of(rig.launch(kernels[n].name, Rig::pack(in, out)));
        if (*c.text != '\0') {
            EXPECT_NE(text.find(c.text), std::string::npos) << text;
            continue;
        }
        EXPECT_EQ(text, "");
        EXPECT_EQ(words_of<u32>(loads(c) ? out : in), c.want);
    }
}

// Where elements of 4 or 16 bytes of index_stride records lie side by side.
u32 swizzled(u32 index, u32 offset, u32 stride, u32 index_stride, u32 element) {
    const u32 block = index / index_stride, in_block = index % index_stride;
    return block * stride * index_stride + offset / element * element * index_stride + in_block * element +
           offset % element;
}

TEST_P(OnChip, SwizzledBuffersInterleaveTheirRecords) {
    const Chip& chip = chips()[GetParam()];
    const bool gfx10 = chip.generation == 10;
    struct One {
        u32 element, index_stride; // 8, 16, 32, 64
        const char* access;
        u32 bytes;
        u32 lane_offset; // v3
        const char* text = "";
    };
    std::vector<One> all = {
        {4, 8, "buffer_load_dword v20, v[2:3], s[20:23], {Z} idxen offen", 4, 8},
        {4, 16, "buffer_load_dword v20, v[2:3], s[20:23], {Z} idxen offen offset:4", 4, 8},
        {4, 32, "buffer_load_ushort v20, v[2:3], s[20:23], {Z} idxen offen", 2, 6},
        {4, 64, "buffer_load_ubyte v20, v[2:3], s[20:23], {Z} idxen offen", 1, 15},
        {4, 8, "buffer_load_dwordx2 v[20:21], v[2:3], s[20:23], {Z} idxen offen", 8, 0, "across its elements"},
        {4, 8, "buffer_load_dword v20, v[2:3], s[20:23], {Z} idxen offen", 4, 2, "across its elements"},
    };
    if (!gfx10) {
        all.push_back({16, 8, "buffer_load_dwordx4 v[20:23], v[2:3], s[20:23], {Z} idxen offen", 16, 0});
        all.push_back({16, 16, "buffer_load_dword v20, v[2:3], s[20:23], {Z} idxen offen", 4, 8});
        all.push_back(
            {16, 8, "buffer_load_dwordx4 v[20:23], v[2:3], s[20:23], {Z} idxen offen", 16, 4, "across its elements"});
    }
    constexpr u32 kStride = 16;
    std::vector<KernelText> kernels;
    for (const One& one : all) {
        std::string access = one.access;
        access.replace(access.find("{Z}"), 3, chip.generation >= 12 ? "null" : "0");
        u32 selector = 0;
        while (8u << selector != one.index_stride) ++selector;
        const u32 swizzle = gfx10 ? 1u << 31 : (one.element == 4 ? 1u : 3u) << 30;
        KernelText k;
        k.name = fmt::format("k{}", kernels.size());
        k.body = fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 s20, s4
  s_or_b32 s21, s5, 0x{:x}
  s_mov_b32 s22, 64
  s_mov_b32 s23, 0x{:x}
  v_mov_b32_e32 v2, v0
  v_mov_b32_e32 v3, {}
  v_lshlrev_b32_e32 v1, 4, v0
  v_mov_b32_e32 v20, 0
  v_mov_b32_e32 v21, 0
  v_mov_b32_e32 v22, 0
  v_mov_b32_e32 v23, 0
  {}
  wait_all
  global_store_dwordx4 v1, v[20:23], s[6:7]
)",
                             swizzle | kStride << 16, 0x00004000u | selector << 21, one.lane_offset, access);
        kernels.push_back(std::move(k));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    std::vector<std::uint8_t> bytes(64 * kStride);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    for (std::size_t n = 0; n < all.size(); ++n) {
        SCOPED_TRACE(fmt::format("{}: {}, element {}, index stride {}", chip.name, all[n].access, all[n].element,
                                 all[n].index_stride));
        emu::Allocation* const out = rig.fresh(32 * 16);
        const std::string text = text_of(rig.launch(kernels[n].name, Rig::pack(rig.buffer(bytes), out)));
        if (*all[n].text != '\0') {
            EXPECT_NE(text.find(all[n].text), std::string::npos) << text;
            continue;
        }
        ASSERT_EQ(text, "");
        const auto got = words_of<std::uint8_t>(out);
        const u32 more = std::string_view(all[n].access).ends_with("offset:4") ? 4 : 0;
        for (u32 lane = 0; lane < 32; ++lane)
            for (u32 i = 0; i < 16; ++i) {
                const u32 at =
                    swizzled(lane, all[n].lane_offset + more, kStride, all[n].index_stride, all[n].element) + i;
                ASSERT_EQ(got[16 * lane + i], i < all[n].bytes ? bytes[at] : 0) << "lane " << lane << " byte " << i;
            }
    }
}

// The lane's number is added to the index; gfx12 scales the stride.
TEST_P(OnChip, LanesAddedToTheIndexAndScaledStrides) {
    const Chip& chip = chips()[GetParam()];
    const u32 scale = chip.generation >= 12 ? 8 : 1; // field 115:114 = 2
    KernelText k;
    k.name = "lanes";
    k.body = fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 s20, s4
  s_or_b32 s21, s5, 0x{:x}
  s_mov_b32 s22, 40
  s_mov_b32 s23, 0x{:x}
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 10
  buffer_load_dword v20, v2, s[20:23], {} idxen
  wait_all
  global_store_dword v1, v20, s[6:7]
)",
                         8u / scale * (1u << 16), 1u << 23 | 0x00004000u | (scale == 8 ? 2u << 18 : 0),
                         chip.generation >= 12 ? "null" : "0");
    Rig rig(chip, {k});
    ASSERT_TRUE(rig.ok());
    std::vector<u32> words(80), want(32);
    for (u32 i = 0; i < words.size(); ++i) words[i] = 1000 + i;
    for (u32 lane = 0; lane < 30; ++lane) want[lane] = words[2 * (10 + lane)]; // 40 records
    emu::Allocation* const out = rig.fresh(128);
    ASSERT_EQ(text_of(rig.launch("lanes", Rig::pack(rig.buffer(words), out))), "");
    EXPECT_EQ(words_of<u32>(out), want);
}

// Findings: undefined bits travel by components, a misaligned format, memory behind the resource's range.
TEST_P(OnChip, FindingsOfFormats) {
    const Chip& chip = chips()[GetParam()];
    const char* const zero = chip.generation >= 12 ? "null" : "0";
    const auto kernel = [&](const char* name, const Number& format, u32 records, const std::string& body) {
        KernelText k;
        k.name = name;
        k.body = fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 exec_lo, 1
  s_mov_b32 s20, s4
  s_mov_b32 s21, s5
  s_mov_b32 s22, {}
  s_mov_b32 s23, 0x{:x}
  v_mov_b32_e32 v1, 0
{})",
                             records, 0x30000facu | format.on(chip) << 12, body);
        return k;
    };
    const std::string load = fmt::format("  buffer_load_format_xyzw v[20:23], v1, s[20:23], {} offen", zero);
    const std::string store = "\n  wait_all\n  global_store_dwordx4 v1, v[20:23], s[6:7]\n";
    // The first byte of memory was never written.
    const std::string fill =
        "  v_mov_b32_e32 v2, 5\n  global_store_byte v1, v2, s[4:5] offset:1\n  global_store_short v1, "
        "v2, s[4:5] offset:2\n";
    Rig rig(chip, {kernel("undefined", k8x4Unorm, 4, fill + load + store),
                   kernel("misaligned", k8x4Unorm, 8, load + " offset:2" + store),
                   kernel("behind", k8x4Unorm, 8, load + " offset:4" + store),
                   kernel("early", k8x4Unorm, 8, load + "\n  global_store_dwordx4 v1, v[20:23], s[6:7]\n"),
                   kernel("stored", k8x4Unorm, 4,
                          fmt::format("  v_mov_b32_e32 v21, 0\n  v_mov_b32_e32 v22, 0\n  v_mov_b32_e32 v23, 0\n  "
                                      "buffer_store_format_xyzw v[20:23], v1, s[20:23], {} offen\n",
                                      zero))});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(16);
    EXPECT_EQ(text_of(rig.launch("undefined", Rig::pack(rig.fresh(4), out))), "");
    for (u32 i = 0; i < 4; ++i)
        EXPECT_EQ(emu::Memory::first_undefined(*out, out->address + 4 * i, 4) != 0, i == 0) << "component " << i;
    const std::vector<u32> one = {1};
    EXPECT_EQ(kinds_of(rig.launch("misaligned", Rig::pack(rig.buffer(one), out))),
              std::vector{emu::FindingKind::kMisaligned});
    EXPECT_EQ(kinds_of(rig.launch("behind", Rig::pack(rig.buffer(one), out))),
              std::vector{emu::FindingKind::kReadOutOfBounds});
    EXPECT_EQ(kinds_of(rig.launch("early", Rig::pack(rig.buffer(one), out))),
              std::vector{emu::FindingKind::kUsedBeforeWait});
    emu::Allocation* const stored = rig.buffer(one);
    EXPECT_EQ(text_of(rig.launch("stored", Rig::pack(stored, out))), "");
    for (u32 i = 0; i < 4; ++i)
        EXPECT_EQ(emu::Memory::first_undefined(*stored, stored->address + i, 1) != 0, i == 0) << "byte " << i;
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(BufferRows, EachFormatHasATest) {
    std::set<std::string> tested;
    for (const Case& c : all_cases()) {
        if ((c.space & 1u) != 0) tested.insert(std::string("BUFFER_") + c.row);
        if ((c.space & 2u) != 0) tested.insert(std::string("TBUFFER_") + c.row);
    }
    for (const emu::Row& row : emu::buffer_rows())
        EXPECT_TRUE(row.components == 0 || row.to_lds || tested.contains(std::string(row.name))) << row.name;
}

} // namespace
} // namespace pm::testing
