#include "peacemaker/emu/launch.h"

#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>
#include <random>

namespace pm::testing {
namespace {

using emu::FindingKind;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Dim3 = std::array<u32, 3>;

class OnChip : public ::testing::TestWithParam<unsigned> {
protected:
    const Chip& chip() const { return chips()[GetParam()]; }
};

KernelText kernel(const char* name, std::string body, u32 pointers = 2) {
    KernelText k;
    k.name = name;
    k.body = std::move(body);
    k.pointers = pointers;
    return k;
}

// Each work-item stores its number plus one; `in` is not used.
const char* const kNumberItems = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_mov_b32_e32 v2, BLOCK
  v_mul_lo_u32 v2, v2, s10
  v_add_nc_u32_e32 v2, v2, v0
  v_lshlrev_b32_e32 v1, 2, v2
  v_add_nc_u32_e32 v2, 1, v2
  global_store_dword v1, v2, s[6:7]
)";

// Blocks that are no multiple of 32: lanes beyond the block do nothing, so nothing is written past the end.
TEST_P(OnChip, RunsExactlyTheWorkItemsOfTheBlock) {
    std::vector<KernelText> kernels;
    const std::vector<u32> blocks = {1, 31, 32, 33, 40, 64, 1000, 1024};
    for (const u32 block : blocks)
        kernels.push_back(
            kernel(fmt::format("k{}", block).c_str(), fmt::format(".set BLOCK, {}\n", block) + kNumberItems));
    Rig rig(chip(), kernels);
    ASSERT_TRUE(rig.ok());
    for (const u32 block : blocks) {
        SCOPED_TRACE(block);
        emu::Allocation* const out = rig.fresh(4 * 3 * block);
        const emu::Report report = rig.launch(fmt::format("k{}", block), Rig::pack(out, out), {3, 1, 1}, {block, 1, 1});
        EXPECT_EQ(text_of(report), "");
        std::vector<u32> want(3 * block);
        std::iota(want.begin(), want.end(), 1u);
        EXPECT_EQ(words_of<u32>(out), want);
        EXPECT_EQ(emu::Memory::first_undefined(*out, out->address, out->size), 0u);
        // Five vector instructions and a store, each counted for the active lanes.
        EXPECT_EQ(report.lane_operations, 6u * 3u * block);
    }
}

TEST_P(OnChip, GivesEachWorkItemItsIdsInThreeDimensions) {
    const Dim3 grid = {2, 3, 2}, block = {4, 3, 5};
    KernelText k = kernel("ids", chip().generation >= 11 ? R"(
  v_bfe_u32 v2, v0, 20, 10
  v_bfe_u32 v1, v0, 10, 10
  v_and_b32_e32 v0, 0x3ff, v0
)"
                                                         : "");
    k.ids = 2;
    k.body += R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  ; ((wz * 3 + wy) * 2 + wx) * 60 + (z * 3 + y) * 4 + x
  s_mul_i32 s20, s12, 3
  s_add_u32 s20, s20, s11
  s_mul_i32 s20, s20, 2
  s_add_u32 s20, s20, s10
  s_mul_i32 s20, s20, 60
  v_mul_u32_u24_e32 v4, 3, v2
  v_add_nc_u32_e32 v4, v4, v1
  v_lshl_add_u32 v4, v4, 2, v0
  v_add_nc_u32_e32 v4, s20, v4
  v_mul_u32_u24_e32 v4, 24, v4
  v_mov_b32_e32 v10, s10
  v_mov_b32_e32 v11, s11
  v_mov_b32_e32 v12, s12
  global_store_dwordx3 v4, v[10:12], s[6:7]
  global_store_dwordx3 v4, v[0:2], s[6:7] offset:12
)";
    Rig rig(chip(), {k});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(u64{720} * 24);
    ASSERT_EQ(text_of(rig.launch("ids", Rig::pack(out, out), grid, block)), "");
    const auto got = words_of<u32>(out);
    std::size_t at = 0;
    for (u32 wz = 0; wz < grid[2]; ++wz)
        for (u32 wy = 0; wy < grid[1]; ++wy)
            for (u32 wx = 0; wx < grid[0]; ++wx)
                for (u32 z = 0; z < block[2]; ++z)
                    for (u32 y = 0; y < block[1]; ++y)
                        for (u32 x = 0; x < block[0]; ++x) {
                            const std::vector<u32> want = {wx, wy, wz, x, y, z};
                            ASSERT_EQ(std::vector<u32>(got.begin() + static_cast<std::ptrdiff_t>(at),
                                                       got.begin() + static_cast<std::ptrdiff_t>(at) + 6),
                                      want);
                            at += 6;
                        }
}

// The apertures as the hidden arguments tell them are those of the registers.
TEST_P(OnChip, TellsTheAperturesInHiddenArguments) {
    KernelText k = kernel("apertures", R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b64 s[20:21], src_private_base
  s_mov_b64 s[22:23], src_shared_base
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, s6
  v_mov_b32_e32 v3, s7
  v_mov_b32_e32 v4, s21
  v_mov_b32_e32 v5, s23
  v_mov_b32_e32 v6, s20
  v_mov_b32_e32 v7, s22
  global_store_dwordx4 v1, v[2:5], s[4:5]
  global_store_dwordx2 v1, v[6:7], s[4:5] offset:16
)",
                          1);
    k.kernarg = 16;
    k.more_arguments = "      - .offset: 8\n        .size: 4\n        .value_kind: hidden_private_base\n"
                       "      - .offset: 12\n        .size: 4\n        .value_kind: hidden_shared_base\n";
    Rig rig(chip(), {k});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(24);
    ASSERT_EQ(text_of(rig.launch("apertures", Rig::pack(out))), "");
    const auto got = words_of<u32>(out);
    EXPECT_EQ(got[0], got[2]);
    EXPECT_EQ(got[1], got[3]);
    EXPECT_NE(got[0], got[1]);
    EXPECT_EQ(got[4], 0u);
    EXPECT_EQ(got[5], 0u);
}

// What the device does not have is no fault of the kernel that uses it.
TEST_P(OnChip, StopsAtWhatHiddenPointersStandFor) {
    std::vector<KernelText> kernels;
    const std::vector<std::pair<const char*, const char*>> pointers = {
        {"hidden_queue_ptr", "the queue"},
        {"hidden_heap_v1", "the device heap"},
        {"hidden_printf_buffer", "the printf buffer"},
        {"hidden_default_queue", "the default queue"},
        {"hidden_completion_action", "the completion action"},
        {"hidden_multigrid_sync_arg", "the multi-grid synchronisation"}};
    for (const auto& [kind, what] : pointers)
        for (const char* const access :
             {"global_load_dword v2, v1, s[4:5] offset:16", "global_store_dword v1, v1, s[4:5]",
              "global_atomic_add v1, v1, s[4:5]", "s_load_dword s4, s[4:5], 0x8"}) {
            KernelText k = kernel("",
                                  fmt::format("  s_load_dwordx2 s[4:5], s[8:9], 0x8\n  wait_scalar\n"
                                              "  v_mov_b32_e32 v1, 0\n  {}\n  wait_all\n",
                                              access),
                                  1);
            k.name = fmt::format("k{}", kernels.size());
            k.kernarg = 16;
            k.more_arguments = fmt::format("      - .offset: 8\n        .size: 8\n        .value_kind: {}\n", kind);
            kernels.push_back(std::move(k));
        }
    Rig rig(chip(), kernels);
    ASSERT_TRUE(rig.ok());
    for (std::size_t n = 0; n < kernels.size(); ++n) {
        const emu::Report report = rig.launch(kernels[n].name, Rig::pack(u64{0}));
        EXPECT_TRUE(report.findings.empty()) << text_of(report);
        EXPECT_NE(text_of(report).find(std::string("unsupported access to ") + pointers[n / 4].second),
                  std::string::npos)
            << text_of(report);
    }
}

// Addresses in the image are those of where it lies.
TEST(Relocation, OfThisObjectAndOfWhatItLacks) {
    const Chip& chip = chips()[1];
    const std::string text = assembly_of(chip, {kernel("k", "")});
    const auto load = [&](const std::string& data, emu::Memory& memory) -> Result<std::shared_ptr<emu::Module>> {
        const auto object = assemble(chip.name, text + data);
        if (!object) return object.error();
        const auto linked = link(*object);
        if (!linked) return linked.error();
        auto parsed = parse_code_object(*linked, "the test's object");
        if (!parsed) return parsed.error();
        return emu::load_module(std::move(*parsed), memory);
    };
    emu::Memory memory;
    const char* const head = "\n.data\n.p2align 3\n.globl table\n.type table,@object\n.size table, 16\ntable:\n";
    const auto right = load(std::string(head) + "  .quad k\n  .quad table+4\n", memory);
    ASSERT_TRUE(right) << right.error().text;
    const auto table = emu::find_global(**right, "table"), k = emu::find_global(**right, "k");
    ASSERT_TRUE(table && k);
    u64 words[2];
    std::memcpy(words, reinterpret_cast<const void*>(table->first), sizeof words);
    EXPECT_EQ(words[0], k->first);
    EXPECT_EQ(words[1], table->first + 4);
    const auto lacking = load(std::string(head) + "  .quad elsewhere\n  .quad 0\n", memory);
    ASSERT_FALSE(lacking);
    EXPECT_NE(lacking.error().text.find("elsewhere"), std::string::npos) << lacking.error().text;
}

TEST_P(OnChip, FillsInTheHiddenArguments) {
    KernelText k = kernel("hidden", R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  s_load_dwordx4 s[16:19], s[8:9], 0x8
  s_load_dwordx4 s[20:23], s[8:9], 0x18
  wait_scalar
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v4, s16
  v_mov_b32_e32 v5, s17
  v_mov_b32_e32 v6, s18
  v_mov_b32_e32 v7, s19
  v_mov_b32_e32 v8, s20
  v_mov_b32_e32 v9, s21
  v_mov_b32_e32 v10, s22
  v_mov_b32_e32 v11, s23
  global_store_dwordx4 v1, v[4:7], s[4:5]
  global_store_dwordx4 v1, v[8:11], s[4:5] offset:16
)",
                          1);
    k.kernarg = 40;
    k.ids = 2;
    const auto add = [&](const char* kind, u32 offset, u32 size) {
        k.more_arguments +=
            fmt::format("      - .offset: {}\n        .size: {}\n        .value_kind: {}\n", offset, size, kind);
    };
    add("hidden_block_count_x", 8, 4);
    add("hidden_block_count_y", 12, 4);
    add("hidden_block_count_z", 16, 4);
    add("hidden_group_size_x", 20, 2);
    add("hidden_group_size_y", 22, 2);
    add("hidden_group_size_z", 24, 2);
    add("hidden_remainder_x", 26, 2);
    add("hidden_grid_dims", 28, 2);
    add("hidden_remainder_y", 30, 2);
    add("hidden_dynamic_lds_size", 32, 4);
    add("hidden_global_offset_x", 36, 4);
    Rig rig(chip(), {k});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(32);
    const auto kernarg = Rig::pack(out);
    emu::LaunchRequest request{.kernel = "hidden",
                               .grid = {5, 6, 7},
                               .block = {8, 4, 2},
                               .dynamic_lds = 512,
                               .kernarg = kernarg,
                               .threads = 1};
    const auto report = rig.launch(request);
    ASSERT_TRUE(report) << report.error().text;
    EXPECT_EQ(text_of(*report), "");
    EXPECT_EQ(words_of<u32>(out), (std::vector<u32>{5, 6, 7, 8 | 4u << 16, 2, 3, 512, 0}));
    request.grid = {5, 1, 1};
    request.block = {64, 1, 1};
    ASSERT_TRUE(rig.launch(request));
    EXPECT_EQ(words_of<u32>(out)[5], 1u);
    request.grid = {5, 2, 1};
    ASSERT_TRUE(rig.launch(request));
    EXPECT_EQ(words_of<u32>(out)[5], 2u);
}

TEST_P(OnChip, ReportsArgumentsThatTheCallerLeftOut) {
    Rig rig(chip(), {kernel("args", R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 2, v0
  global_store_dword v1, v0, s[4:5]
)")});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(128);
    EXPECT_EQ(text_of(rig.launch("args", Rig::pack(out, out))), "");
    const emu::Report report = rig.launch("args", Rig::pack(out));
    ASSERT_EQ(kinds_of(report), std::vector{FindingKind::kKernargNotSupplied}) << text_of(report);
    EXPECT_EQ(report.findings[0].detail, "argument bytes from offset 8 are read, the caller supplied 8 bytes");
    // An argument that is not read is not missed.
    Rig unread(chip(), {kernel("one", R"(
  s_load_dwordx2 s[4:5], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 2, v0
  global_store_dword v1, v0, s[4:5]
)")});
    ASSERT_TRUE(unread.ok());
    EXPECT_EQ(text_of(unread.launch("one", Rig::pack(unread.fresh(128)))), "");
}

TEST_P(OnChip, StopsAtAnInstructionThatItDoesNotKnow) {
    Rig rig(chip(), {kernel("unknown", R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshlrev_b32_e32 v1, 2, v0
  global_store_dword v1, v0, s[6:7]
  s_sendmsghalt 1
  global_store_dword v1, v2, s[4:5]
)"),
                     kernel("never_reached", "  s_branch .Lover\n  s_sendmsghalt 1\n.Lover:\n"),
                     kernel("no_code", "  s_branch .Lnone\n  .long 0xffffffff\n.Lnone:\n  .long 0xffffffff\n")});
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.buffer(std::vector<u32>(32, 7));
    const emu::Report report = rig.launch("unknown", Rig::pack(out, rig.fresh(128)), {3, 1, 1});
    ASSERT_EQ(report.unsupported.size(), 1u);
    // The place: the store and s_endpgm behind it, and the instruction itself.
    const u64 size = rig.object().find_kernel("unknown")->code_size;
    EXPECT_TRUE(report.unsupported[0].starts_with("unsupported instruction s_sendmsghalt ")) << report.unsupported[0];
    const std::string place = fmt::format(" at unknown+0x{:x}", size - 4 - (chip().generation >= 12 ? 12 : 8) - 4);
    EXPECT_NE(report.unsupported[0].find(place), std::string::npos) << report.unsupported[0] << place;
    EXPECT_TRUE(report.findings.empty());
    EXPECT_EQ(words_of<u32>(out), std::vector<u32>(32, 7));
    EXPECT_EQ(text_of(rig.launch("never_reached", Rig::pack(out, out))), "");
    const emu::Report none = rig.launch("no_code", Rig::pack(out, out));
    ASSERT_EQ(none.unsupported.size(), 1u);
    EXPECT_NE(none.unsupported[0].find("0xffffffff"), std::string::npos) << none.unsupported[0];
}

TEST_P(OnChip, StopsWhatNeverEnds) {
    Rig rig(chip(), {kernel("loop", ".Lloop:\n  s_branch .Lloop\n"), kernel("short", "")});
    ASSERT_TRUE(rig.ok());
    const auto kernarg = Rig::pack(u64{0}, u64{0});
    emu::LaunchRequest request{.kernel = "loop", .kernarg = kernarg, .threads = 1, .max_instructions = 10000};
    auto report = rig.launch(request);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->unsupported.size(), 1u);
    EXPECT_NE(report->unsupported[0].find("more than 10000 instructions"), std::string::npos) << report->unsupported[0];
    EXPECT_NE(report->unsupported[0].find("loop+0x"), std::string::npos) << report->unsupported[0];
    request.kernel = "short";
    report = rig.launch(request);
    ASSERT_TRUE(report);
    EXPECT_EQ(text_of(*report), "");
}

TEST_P(OnChip, RefusesWhatTheChipOrTheKernelCannotTake) {
    KernelText small = kernel("small", "");
    small.max_block = 64;
    KernelText lds = kernel("lds", "");
    lds.lds = 1024;
    KernelText scratch = kernel("scratch", "");
    scratch.scratch = 2u << 20;
    KernelText kernarg_size = kernel("kernarg_size", "");
    kernarg_size.kernarg = 4096 + 256 + 16;
    Rig rig(chip(), {small, lds, scratch, kernarg_size});
    ASSERT_TRUE(rig.ok());
    const auto kernarg = Rig::pack(u64{0}, u64{0});
    const auto refused = [&](const char* name, Dim3 grid, Dim3 block, u32 dynamic_lds) {
        const auto report = rig.launch({.kernel = name,
                                        .grid = grid,
                                        .block = block,
                                        .dynamic_lds = dynamic_lds,
                                        .kernarg = kernarg,
                                        .threads = 1});
        return report ? std::string() : report.error().text;
    };
    EXPECT_EQ(refused("small", {1, 1, 1}, {64, 1, 1}, 0), "");
    EXPECT_NE(refused("small", {1, 1, 1}, {65, 1, 1}, 0).find("compiled for at most 64"), std::string::npos);
    EXPECT_NE(refused("small", {1, 1, 1}, {8, 8, 2}, 0).find("128 work-items"), std::string::npos);
    EXPECT_NE(refused("small", {1, 1, 1}, {0, 1, 1}, 0).find("0 work-items"), std::string::npos);
    EXPECT_NE(refused("lds", {1, 1, 1}, {1025, 1, 1}, 0).find("1025 work-items"), std::string::npos);
    EXPECT_NE(refused("lds", {1, 0, 1}, {32, 1, 1}, 0).find("grid dimension 1 is 0"), std::string::npos);
    EXPECT_EQ(refused("lds", {1, 1, 1}, {32, 1, 1}, chip().lds_bytes - 1024), "");
    EXPECT_NE(refused("lds", {1, 1, 1}, {32, 1, 1}, chip().lds_bytes - 1023).find("LDS over the limit"),
              std::string::npos);
    // 18 bits of 64 dwords a wave on gfx12; 15 on gfx11, 13 bits of 256 dwords on gfx10.
    const char* const most = chip().generation >= 12   ? "limit 2097144"
                             : chip().generation == 11 ? "limit 262136"
                                                       : "limit 262112";
    EXPECT_NE(refused("scratch", {1, 1, 1}, {32, 1, 1}, 0).find(most), std::string::npos);
    EXPECT_NE(refused("kernarg_size", {1, 1, 1}, {32, 1, 1}, 0).find("limit 4360"), std::string::npos);
    EXPECT_NE(refused("smal", {1, 1, 1}, {32, 1, 1}, 0).find("small"), std::string::npos);
}

// Work is taken by workgroup, so every split gives the same bytes, findings and counts.
TEST_P(OnChip, ThreadsChangeNothing) {
    KernelText k = kernel("threads", R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshl_add_u32 v1, s10, 6, v0
  v_lshlrev_b32_e32 v1, 2, v1
  global_load_dword v2, v1, s[4:5]
  v_and_b32_e32 v5, 0xff00, v20
  s_lshr_b32 s20, s10, 2
  s_cmp_eq_u32 s20, 5
  s_cbranch_scc0 .Lquiet
  v_add_nc_u32_e32 v3, 1, v2
.Lquiet:
  wait_vm 0
  v_cmp_lt_u32_e32 vcc_lo, 0x40000000, v2
  v_mul_lo_u32 v2, v2, v2
  v_cndmask_b32_e32 v2, v2, v5, vcc_lo
  v_add_nc_u32_e32 v4, 0x100, v1
  global_store_dword v4, v2, s[6:7]
)");
    Rig rig(chip(), {k});
    ASSERT_TRUE(rig.ok());
    constexpr u32 kGroups = 97;
    std::mt19937 random(20260706);
    std::vector<u32> words(64 * kGroups);
    for (u32& w : words) w = static_cast<u32>(random());
    emu::Allocation* const in = rig.buffer(words);
    std::vector<u32> bytes[3];
    std::vector<std::uint8_t> shadows[3];
    std::string texts[3];
    for (const u32 threads : {1u, 2u, 3u}) {
        emu::Allocation* const out = rig.fresh(u64{4} * 64 * kGroups);
        const emu::Report report = rig.launch("threads", Rig::pack(in, out), {kGroups, 1, 1}, {64, 1, 1}, threads);
        bytes[threads - 1] = words_of<u32>(out);
        shadows[threads - 1] = out->undefined;
        std::string& text = texts[threads - 1];
        for (const emu::Finding& f : report.findings)
            text += fmt::format("{} {} {} {} {} {} {} {}\n", emu::finding_kind_name(f.kind), f.offset, f.workgroup[0],
                                f.wave, f.lane, f.count,
                                f.kind == FindingKind::kWriteOutOfBounds ? f.address - out->address : 0, f.instruction);
        text += fmt::format("{} {} {}", report.instructions, report.lane_operations, report.exact);
        EXPECT_EQ(report.findings.size(), 2u) << text_of(report);
    }
    for (const std::size_t i : {1u, 2u}) {
        EXPECT_EQ(bytes[i], bytes[0]);
        EXPECT_EQ(shadows[i], shadows[0]);
        EXPECT_EQ(texts[i], texts[0]);
    }
}

// Conversions to f16 and 8-bit floats would saturate.
TEST_P(OnChip, AKernelThatAsksForSaturatingOverflowIsNotLaunched) {
    KernelText k = kernel("k", "  s_nop 0\n", 1);
    k.directives = "  .amdhsa_fp16_overflow 1\n";
    Rig rig(chip(), {k});
    ASSERT_TRUE(rig.ok());
    EXPECT_EQ(text_of(rig.launch("k", Rig::pack(rig.fresh(4)))),
              "unsupported: unsupported FP16_OVFL mode of kernel k\n");
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

} // namespace
} // namespace pm::testing
