// The hostcall protocol by hand: one packet, filled in and made ready as the device libraries do.
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Printed = std::vector<std::pair<std::string, bool>>;

class OnChip : public ::testing::TestWithParam<unsigned> {
protected:
    const Chip& chip() const { return chips()[GetParam()]; }
};

constexpr u64 kBegins = 1, kEnds = 2;
constexpr u64 first_word(u64 flags, u64 count) { return flags | count << 5; }

u64 text_word(const char* text) {
    u64 word = 0;
    std::memcpy(&word, text, std::strlen(text));
    return word;
}

// Stores a word to `offset` from the address in v[register:..].
std::string store(u64 word, const char* to, u64 offset) {
    return fmt::format("  v_mov_b32_e32 v12, 0x{:x}\n  v_mov_b32_e32 v13, 0x{:x}\n"
                       "  global_store_dwordx2 {}, v[12:13], off offset:{}\n",
                       word & 0xffffffffu, word >> 32, to, offset);
}

// One lane does it for lanes 0 and 1; `slots` are the first words of each. p0 takes the control word and the first
// answer.
KernelText kernel(const std::string& name, u32 service, const std::vector<std::vector<u64>>& slots) {
    KernelText k;
    k.name = name;
    k.pointers = 1;
    k.kernarg = 16;
    k.more_arguments = "      - .offset: 8\n        .size: 8\n        .value_kind: hidden_hostcall_buffer\n";
    k.body = R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  s_mov_b32 exec_lo, 1
  v_mov_b32_e32 v1, 0
  global_load_dwordx4 v[4:7], v1, s[6:7]
  global_load_dwordx2 v[10:11], v1, s[6:7] offset:16
  global_load_dwordx2 v[8:9], v1, s[6:7] offset:24
  wait_vm 0
)";
    for (std::size_t lane = 0; lane < slots.size(); ++lane)
        for (std::size_t i = 0; i < slots[lane].size(); ++i)
            k.body += store(slots[lane][i], "v[6:7]", 64 * lane + 8 * i);
    k.body += store((u64{1} << slots.size()) - 1, "v[4:5]", 8) + store(service | u64{1} << 32, "v[4:5]", 16) + R"(
  global_store_dwordx2 v1, v[8:9], s[6:7] offset:32
  v_mov_b32_e32 v12, 1
  v_mov_b32_e32 v13, 0
  global_atomic_add_x2 v[10:11], v[12:13], off offset:8
  global_load_dword v14, v[4:5], off offset:20
  global_load_dword v15, v[6:7], off
  wait_all
  global_store_dwordx2 v1, v[14:15], s[4:5]
)";
    return k;
}

struct Ran {
    emu::Report report;
    Printed printed;
    std::vector<u32> out;
};

Ran run(const Chip& chip, const KernelText& k) {
    Ran ran;
    Rig rig(chip, {k});
    if (!rig.ok()) return ran;
    emu::Allocation* const out = rig.fresh(8);
    const std::vector<std::byte> kernarg = Rig::pack(out);
    emu::LaunchRequest request{.kernel = k.name, .block = {32, 1, 1}, .kernarg = kernarg, .threads = 1};
    request.print = [&](std::string_view text, bool to_stderr) { ran.printed.emplace_back(text, to_stderr); };
    const std::uint64_t before = rig.memory.allocated_bytes();
    auto report = rig.launch(request);
    EXPECT_TRUE(report);
    if (report) ran.report = *report;
    EXPECT_EQ(rig.memory.allocated_bytes(), before);
    ran.out = words_of<u32>(out);
    return ran;
}

TEST_P(OnChip, PrintsALanesMessageAndAnswersWithItsLength) {
    const Ran ran = run(chip(), kernel("print", 2,
                                       {{first_word(kBegins | kEnds, 3), 0, text_word("a%d\n"), 42},
                                        {first_word(kBegins | kEnds, 2), 1, text_word("b\n")}}));
    EXPECT_EQ(text_of(ran.report), "");
    EXPECT_EQ(ran.printed, (Printed{{"a42\n", false}, {"b\n", true}}));
    EXPECT_EQ(ran.out, (std::vector<u32>{0, 4}));
}

TEST_P(OnChip, GivesAMessageThatDoesNotEndANumber) {
    const Ran ran = run(chip(), kernel("begin", 2, {{first_word(kBegins, 1), 0}, {first_word(kBegins, 1), 0}}));
    EXPECT_EQ(text_of(ran.report), "");
    EXPECT_EQ(ran.printed, Printed{});
    EXPECT_EQ(ran.out, (std::vector<u32>{0, 1u << 8 | 1u << 5}));
}

TEST_P(OnChip, FindsWhatPrintfIsGivenAndWasNeverWritten) {
    // Three words count, of which the kernel wrote two.
    const Ran ran = run(chip(), kernel("undefined", 2, {{first_word(kBegins | kEnds, 3), 0, text_word("%d")}}));
    EXPECT_EQ(kinds_of(ran.report), std::vector{emu::FindingKind::kUndefinedOutput}) << text_of(ran.report);
    EXPECT_NE(text_of(ran.report).find("word 3 of what printf is given"), std::string::npos) << text_of(ran.report);
}

TEST_P(OnChip, StopsAtAServiceThatItDoesNotHave) {
    const Ran ran = run(chip(), kernel("memory", 3, {{0}}));
    ASSERT_EQ(ran.report.unsupported.size(), 1u);
    EXPECT_NE(ran.report.unsupported[0].find("unsupported host service 3"), std::string::npos);
    EXPECT_EQ(ran.printed, Printed{});
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

} // namespace
} // namespace pm::testing
