// The f32 flush mode: operands and results below the smallest normal count as zeros of their sign; halves are kept.
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;

constexpr std::uint64_t kSeed = 20260710;

u32 flushed(u32 v) { return (v & 0x7f800000) == 0 ? v & 0x80000000 : v; }

struct Case {
    const char* assembly; // v2 from v5, v6, v7
    std::function<u32(u32, u32, u32)> expected;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"v_add_f32_e32 v2, v5, v6", [](u32 a, u32 b, u32) { return flushed(add_f32(flushed(a), flushed(b))); }},
        {"v_mul_f32_e32 v2, v5, v6", [](u32 a, u32 b, u32) { return flushed(mul_f32(flushed(a), flushed(b))); }},
        {"v_fma_f32 v2, v5, v6, v7",
         [](u32 a, u32 b, u32 c) { return flushed(fma_f32(flushed(a), flushed(b), flushed(c))); }},
        // An integer among floats is none of them, however small.
        {"v_cvt_f32_i32_e32 v2, v5",
         [](u32 a, u32, u32) { return std::bit_cast<u32>(static_cast<float>(static_cast<std::int32_t>(a))); }},
        {"v_cvt_f32_u32_e32 v2, v5", [](u32 a, u32, u32) { return std::bit_cast<u32>(static_cast<float>(a)); }},
        {"v_and_b32_e32 v6, 7, v6\n v_ldexp_f32 v2, v5, v6",
         [](u32 a, u32 b, u32) {
             return flushed(std::bit_cast<u32>(std::ldexp(std::bit_cast<float>(flushed(a)), static_cast<int>(b & 7))));
         }},
        {"v_trunc_f32_e32 v2, v5",
         [](u32 a, u32, u32) { return std::bit_cast<u32>(std::trunc(std::bit_cast<float>(a))); }},
        // Integers and moves have no float mode.
        {"v_mov_b32_e32 v2, v5", [](u32 a, u32, u32) { return a; }},
        {"v_xor_b32_e32 v2, v5, v6", [](u32 a, u32 b, u32) { return a ^ b; }},
    };
    return all;
}

TEST(FlushMode, CountsSubnormalsAsZeros) {
    std::mt19937_64 random(kSeed);
    std::vector<u32> words;
    for (int i = 0; i < 3 * 1024; ++i) {
        // Around the smallest normal number, where it matters, and factors near one.
        const u32 exponents[] = {0, 0, 1, 2, 3, 12, 24, 63, 64, 126, 127};
        words.push_back(static_cast<u32>((random() & 0x807fffff) | exponents[random() % std::size(exponents)] << 23));
    }
    for (const Chip& chip : chips()) {
        std::vector<KernelText> kernels;
        for (const Case& c : cases()) {
            KernelText k;
            k.name = fmt::format("case{}", kernels.size());
            k.flush = true;
            k.body = fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_scalar
  v_lshl_add_u32 v1, s10, 5, v0
  v_mul_u32_u24_e32 v4, 12, v1
  v_lshlrev_b32_e32 v1, 2, v1
  global_load_dwordx3 v[5:7], v4, s[4:5]
  wait_vm 0
  {}
  global_store_dword v1, v2, s[6:7]
)",
                                 c.assembly);
            kernels.push_back(std::move(k));
        }
        Rig rig(chip, kernels);
        ASSERT_TRUE(rig.ok());
        for (std::size_t n = 0; n < cases().size(); ++n) {
            SCOPED_TRACE(fmt::format("{}: {}, seed {}", chip.name, cases()[n].assembly, kSeed));
            emu::Allocation* const out = rig.fresh(4096);
            ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(rig.buffer(words), out), {32, 1, 1})), "");
            std::vector<u32> want;
            for (std::size_t i = 0; i < 1024; ++i)
                want.push_back(cases()[n].expected(words[3 * i], words[3 * i + 1], words[3 * i + 2]));
            EXPECT_EQ(words_of<u32>(out), want);
        }
    }
}

} // namespace
} // namespace pm::testing
