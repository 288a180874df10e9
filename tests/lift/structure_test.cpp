// Graphs, registers, memory operations and barriers of small programs, as the ISA documents say them.
#include "peacemaker/lift/structure.h"

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

namespace {

using namespace pm::lift;

/// One function of `body` alone, lifted; `bytes` holds the file.
struct Lifted {
    std::string bytes;
    File file;
    const Function* function = nullptr;
    std::vector<Instruction> listing;
};

Lifted lifted(const std::string& chip, const std::string& body) {
    Lifted out;
    const auto object = pm::testing::assemble(chip, ".text\n.globl f\n.p2align 8\n.type f,@function\nf:\n" + body +
                                                        ".Lend: .size f, .Lend-f\n");
    EXPECT_TRUE(object) << object.error().text;
    if (!object) return out;
    out.bytes = *object;
    auto file = lift(out.bytes);
    EXPECT_TRUE(file) << file.error().text;
    if (!file) return out;
    out.file = std::move(*file);
    for (const auto& one : out.file.unchecked) ADD_FAILURE() << one.part << ": " << one.reason;
    for (const Part& part : out.file.parts)
        if (const auto* function = std::get_if<Function>(&part.content)) out.function = function;
    EXPECT_NE(out.function, nullptr);
    if (out.function != nullptr) out.listing = listing_of(out.file, *out.function);
    return out;
}

TEST(Structure, BlocksEndAtBranchesAndBeginAtTargets) {
    for (const pm::Chip& chip : pm::chips()) {
        const Lifted f = lifted(chip.name, "s_mov_b32 s0, 0\n"             // 0
                                           "head:\n"                       //
                                           "s_add_i32 s0, s0, 1\n"         // 1
                                           "s_cmp_lt_i32 s0, 8\n"          //
                                           "s_cbranch_scc1 head\n"         // back
                                           "s_cbranch_vccz done\n"         // 2
                                           "s_branch away\n"               // 3
                                           "done:\ns_setpc_b64 s[30:31]\n" // 4
                                           "away:\ns_endpgm\n");           // 5
        ASSERT_NE(f.function, nullptr);
        const std::vector<Block> blocks = blocks_of(f.file, *f.function, f.listing);
        ASSERT_EQ(blocks.size(), 6u) << chip.name;
        const std::vector<std::pair<std::size_t, std::size_t>> places = {{0, 1}, {1, 3}, {4, 1},
                                                                         {5, 1}, {6, 1}, {7, 1}};
        using Edges = std::vector<std::pair<EdgeKind, std::size_t>>;
        const std::vector<Edges> edges = {{{EdgeKind::kNext, 1}},
                                          {{EdgeKind::kBranch, 1}, {EdgeKind::kNext, 2}},
                                          {{EdgeKind::kBranch, 4}, {EdgeKind::kNext, 3}},
                                          {{EdgeKind::kBranch, 5}},
                                          {},
                                          {}};
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            EXPECT_EQ(std::pair(blocks[i].first, blocks[i].count), places[i]) << chip.name << " block " << i;
            Edges found;
            for (const Edge& edge : blocks[i].edges) {
                found.emplace_back(edge.kind, edge.block);
                EXPECT_EQ(edge.target, static_cast<std::int64_t>(f.listing[blocks[edge.block].first].at));
            }
            EXPECT_EQ(found, edges[i]) << chip.name << " block " << i;
            EXPECT_EQ(blocks[i].indirect, i == 4) << chip.name << " block " << i;
        }
    }
}

TEST(Structure, EdgesThatLeaveAreSaidTo) {
    for (const pm::Chip& chip : pm::chips()) {
        // Into the middle of an instruction, before the function, and over its end.
        const Lifted f =
            lifted(chip.name, "s_cbranch_scc0 1\ns_mov_b32 s0, 0x12345678\ns_cbranch_scc0 -100\ns_nop 0\n");
        ASSERT_NE(f.function, nullptr);
        const std::vector<Block> blocks = blocks_of(f.file, *f.function, f.listing);
        ASSERT_EQ(blocks.size(), 3u);
        ASSERT_EQ(blocks[0].edges.size(), 2u);
        EXPECT_EQ(blocks[0].edges[0].kind, EdgeKind::kLeaves);
        EXPECT_EQ(blocks[0].edges[0].target, 8);
        EXPECT_EQ(blocks[1].edges[0].kind, EdgeKind::kLeaves);
        EXPECT_EQ(blocks[1].edges[0].target, 16 - 400);
        ASSERT_EQ(blocks[2].edges.size(), 1u);
        EXPECT_EQ(blocks[2].edges[0].kind, EdgeKind::kLeaves);
        EXPECT_EQ(blocks[2].edges[0].target, 20);
    }
    const File file;
    EXPECT_TRUE(blocks_of(file, {}, {}).empty());
}

TEST(Structure, RegistersAreThoseNamedAndImplied) {
    for (const pm::Chip& chip : pm::chips()) {
        const Lifted f = lifted(chip.name, "v_add_f32_e32 v7, s3, v5\n"
                                           "v_cmp_lt_i32_e32 vcc_lo, v1, v2\n"
                                           "s_load_dwordx4 s[8:11], s[4:5], 0x0\n"
                                           "global_load_dwordx2 v[10:11], v[2:3], off\n"
                                           "s_cbranch_vccz 0\n");
        ASSERT_NE(f.function, nullptr);
        const RegisterUse use = registers_of(f.file, *f.function);
        EXPECT_EQ(use.vgprs(), 12u);
        EXPECT_EQ(use.sgprs(), 12u);
        const auto listed = [](const std::bitset<pm::isa::kRegisterCount>& set, std::size_t from, std::size_t to) {
            std::vector<std::size_t> found;
            for (std::size_t i = from; i < to; ++i)
                if (set[i]) found.push_back(i - from);
            return found;
        };
        using List = std::vector<std::size_t>;
        EXPECT_EQ(listed(use.read, 0, 256), (List{1, 2, 3, 5})) << chip.name;
        EXPECT_EQ(listed(use.written, 0, 256), (List{7, 10, 11})) << chip.name;
        EXPECT_EQ(listed(use.read, pm::isa::kScalar, pm::isa::kVccLo), (List{3, 4, 5})) << chip.name;
        EXPECT_EQ(listed(use.written, pm::isa::kScalar, pm::isa::kVccLo), (List{8, 9, 10, 11})) << chip.name;
        EXPECT_TRUE(use.read[pm::isa::kVccLo] && use.written[pm::isa::kVccLo] && use.read[pm::isa::kExecLo]);
        EXPECT_FALSE(use.read[pm::isa::kVccLo + 1] || use.written[pm::isa::kVccLo + 1] ||
                     use.written[pm::isa::kExecLo]);
    }
}

TEST(Structure, MemoryOperationsRaiseTheirCounters) {
    using Counters = std::vector<std::string_view>;
    struct Case {
        const char* text;
        AddressSpace space;
        Access access;
        Counters before12, from12;
    };
    const Case cases[] = {
        {"global_load_dword v1, v[2:3], off", AddressSpace::kGlobal, Access::kLoad, {"vmcnt"}, {"loadcnt"}},
        {"global_store_dword v[2:3], v1, off", AddressSpace::kGlobal, Access::kStore, {"vscnt"}, {"storecnt"}},
        {"global_atomic_add v[2:3], v1, off", AddressSpace::kGlobal, Access::kAtomic, {"vscnt"}, {"storecnt"}},
        {"global_atomic_add v4, v[2:3], v1, off RETURN",
         AddressSpace::kGlobal,
         Access::kAtomic,
         {"vmcnt"},
         {"loadcnt"}},
        {"flat_load_dword v1, v[2:3]", AddressSpace::kFlat, Access::kLoad, {"vmcnt", "lgkmcnt"}, {"loadcnt", "dscnt"}},
        {"flat_store_dword v[2:3], v1",
         AddressSpace::kFlat,
         Access::kStore,
         {"vscnt", "lgkmcnt"},
         {"storecnt", "dscnt"}},
        {"scratch_load_dword v1, v2, off", AddressSpace::kScratch, Access::kLoad, {"vmcnt"}, {"loadcnt"}},
        {"scratch_store_dword v2, v1, off", AddressSpace::kScratch, Access::kStore, {"vscnt"}, {"storecnt"}},
        {"buffer_load_dword v1, off, s[0:3], s4", AddressSpace::kBuffer, Access::kLoad, {"vmcnt"}, {"loadcnt"}},
        {"ds_read_b32 v1, v2", AddressSpace::kLds, Access::kLoad, {"lgkmcnt"}, {"dscnt"}},
        {"ds_write_b32 v2, v1", AddressSpace::kLds, Access::kStore, {"lgkmcnt"}, {"dscnt"}},
        {"ds_add_u32 v2, v1", AddressSpace::kLds, Access::kAtomic, {"lgkmcnt"}, {"dscnt"}},
        {"ds_bpermute_b32 v1, v2, v3", AddressSpace::kLds, Access::kOther, {"lgkmcnt"}, {"dscnt"}},
        {"s_load_dword s1, s[2:3], 0x0", AddressSpace::kConstant, Access::kLoad, {"lgkmcnt"}, {"kmcnt"}},
    };
    for (const pm::Chip& chip : pm::chips())
        for (const Case& c : cases) {
            std::string text = c.text;
            // gfx12 names what returns by its temporal hint.
            if (const std::size_t at = text.find("RETURN"); at != std::string::npos)
                text.replace(at, 6, chip.generation >= 12 ? "th:TH_ATOMIC_RETURN" : "glc");
            if (const std::size_t at = text.find("s[0:3], s4"); at != std::string::npos && chip.generation >= 12)
                text.replace(at, 10, "s[4:7], s4");
            const Lifted f = lifted(chip.name, text + "\nv_mov_b32 v0, 0\n");
            ASSERT_NE(f.function, nullptr) << text;
            const auto operations = memory_operations_of(f.file, *f.function);
            ASSERT_EQ(operations.size(), 1u) << chip.name << ": " << text;
            EXPECT_EQ(operations[0].index, 0u);
            EXPECT_EQ(operations[0].space, c.space) << chip.name << ": " << text;
            EXPECT_EQ(operations[0].access, c.access) << chip.name << ": " << text;
            EXPECT_EQ(operations[0].counters, chip.generation >= 12 ? c.from12 : c.before12)
                << chip.name << ": " << text;
        }
}

TEST(Structure, BarriersAreFound) {
    const Lifted old = lifted("gfx1151", "s_nop 0\ns_barrier\n"),
                 split = lifted("gfx1201", "s_barrier_signal -1\ns_barrier_wait -1\n");
    EXPECT_EQ(barriers_of(old.file, *old.function), (std::vector<std::size_t>{1}));
    EXPECT_EQ(barriers_of(split.file, *split.function), (std::vector<std::size_t>{0, 1}));
}

} // namespace
