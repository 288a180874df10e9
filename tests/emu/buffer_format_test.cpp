// Data formats of buffers: their numbers against LLVM's names, their conversions against exact fractions.
#include "peacemaker/emu/buffer_format.h"
#include "peacemaker/emu/program.h"
#include "peacemaker/isa/disassembler.h"
#include "tests/emu/exact_float.h"
#include "tests/emu/kernel_rig.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>

namespace pm::testing {
namespace {

using emu::BufferFormat;
using emu::Numbers;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kSeed = 20260930;

// Floats of 11 and 10 bits have no sign; their exponent is fp16's.
Format small_float(unsigned width) { return width == 32 ? kF32 : width == 16 ? kF16 : Format{5, width - 5}; }

std::vector<u32> samples(unsigned width, std::mt19937_64& random) {
    std::vector<u32> all;
    if (width <= 11) {
        for (u32 v = 0; v < 1u << width; ++v) all.push_back(v);
        return all;
    }
    const u64 size = u64{1} << width;
    for (const u64 v : {u64{0}, u64{1}, u64{2}, size - 1, size - 2, size / 2, size / 2 - 1, size / 2 + 1})
        all.push_back(static_cast<u32>(v));
    for (int i = 0; i < 500; ++i) all.push_back(static_cast<u32>(random() % size));
    return all;
}

bool with_sign(Numbers n) { return n == Numbers::kSnorm || n == Numbers::kSscaled || n == Numbers::kSint; }

std::int64_t number(const BufferFormat& f, unsigned width, u32 bits) {
    const std::int64_t size = std::int64_t{1} << width, v = bits;
    return with_sign(f.numbers) && v >= size / 2 ? v - size : v;
}

// The fraction that the bits of a number, no integer and no float, stand for.
mpq_class fraction(const BufferFormat& f, unsigned width, u32 bits) {
    const auto n = static_cast<long>(number(f, width, bits));
    if (f.numbers == Numbers::kUscaled || f.numbers == Numbers::kSscaled) return n;
    const long one = (1l << (width - (f.numbers == Numbers::kSnorm ? 1 : 0))) - 1;
    mpq_class value(n, one);
    value.canonicalize();
    return std::max(value, mpq_class(-1));
}

u32 expected_load(const BufferFormat& f, unsigned width, u32 bits, bool halves) {
    const Format to = halves ? kF16 : kF32;
    if (f.integer()) return static_cast<u32>(number(f, width, bits)) & (halves ? 0xffff : 0xffffffff);
    if (f.numbers != Numbers::kFloat)
        return static_cast<u32>(rounded(to, fraction(f, width, bits), Rounding::kNearestEven));
    if (width == 32 && !halves) return bits;
    // Between formats that differ in length alone, all bits stay, a NaN's too.
    if (width <= 16 && halves) return bits << (width == 16 ? 0 : 15 - width);
    return static_cast<u32>(converted(small_float(width), to, bits, Rounding::kTowardsZero));
}

TEST(BufferFormats, HaveTheNumbersOfEachGeneration) {
    for (const Chip& chip : chips()) {
        SCOPED_TRACE(chip.name);
        KernelText k;
        k.name = "formats";
        for (int n = 1; n < 128; ++n)
            k.body += fmt::format("  tbuffer_load_format_x v1, off, s[12:15], {} format:{}\n",
                                  chip.generation >= 12 ? "null" : "0", n);
        Rig rig(chip, {k});
        ASSERT_TRUE(rig.ok());
        auto disassembler = isa::Disassembler::create(chip);
        ASSERT_TRUE(disassembler);
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel("formats"), **disassembler);
        ASSERT_TRUE(program);
        u32 n = 0;
        for (const std::string& text : (*program)->texts) {
            if (!text.starts_with("tbuffer")) continue;
            ++n;
            // 1 is not printed; reserved ones are printed as numbers.
            const std::size_t at = text.find("BUF_FMT_");
            const std::string name = n == 1                    ? "8_UNORM"
                                     : at == std::string::npos ? ""
                                                               : text.substr(at + 8, text.find(']', at) - at - 8);
            const BufferFormat* const format = emu::buffer_format(chip, n);
            EXPECT_EQ(format == nullptr ? "" : format->name, name) << text;
        }
        EXPECT_EQ(n, 127u);
        EXPECT_EQ(emu::buffer_format(chip, 0), nullptr);
    }
}

// A name lists the widths from the highest bits down.
TEST(BufferFormats, HaveTheBitsOfTheirNames) {
    for (const BufferFormat& f : emu::buffer_formats()) {
        SCOPED_TRACE(f.name);
        std::string name(f.name.substr(0, f.name.rfind('_')));
        std::vector<int> widths;
        for (std::size_t at = 0; at < name.size(); at = std::min(name.size(), name.find('_', at)) + 1)
            widths.push_back(std::stoi(name.substr(at)));
        std::reverse(widths.begin(), widths.end());
        std::vector<int> got;
        for (u32 i = 0; i < f.components(); ++i) got.push_back(f.bits[i]);
        EXPECT_EQ(got, widths);
        EXPECT_EQ(f.bytes() * 8, static_cast<u32>(std::accumulate(widths.begin(), widths.end(), 0)));
        u32 bit = 0;
        for (u32 i = 0; i < f.components(); ++i) {
            const emu::ComponentPlace at = emu::place_of_component(f, i);
            EXPECT_EQ(at.word * 32 + at.shift, bit);
            EXPECT_EQ(std::popcount(at.mask), f.bits[i]);
            bit += f.bits[i];
        }
    }
}

TEST(BufferFormats, LoadTheNearestNumber) {
    std::mt19937_64 random(kSeed);
    for (const BufferFormat& f : emu::buffer_formats())
        for (u32 i = 0; i < f.components(); ++i)
            for (const bool halves : {false, true})
                for (const u32 bits : samples(f.bits[i], random)) {
                    const auto got = from_component(f, i, bits, halves);
                    SCOPED_TRACE(
                        fmt::format("{} component {} bits {:#x} halves {} seed {}", f.name, i, bits, halves, kSeed));
                    if (f.integer() && halves && f.bits[i] == 32) {
                        ASSERT_FALSE(got);
                        continue;
                    }
                    ASSERT_TRUE(got);
                    ASSERT_EQ(*got, expected_load(f, f.bits[i], bits, halves));
                }
}

// What a load of a component's bits gives, a store makes those bits again; -1 in snorm has two spellings.
TEST(BufferFormats, StoreWhatTheyLoad) {
    std::mt19937_64 random(kSeed);
    for (const BufferFormat& f : emu::buffer_formats())
        for (u32 i = 0; i < f.components(); ++i)
            for (const bool halves : {false, true})
                for (const u32 bits : samples(f.bits[i], random)) {
                    const u32 width = f.bits[i];
                    // 16 bits do not hold all of 11 bits and more, a NaN changes, and f32 has fp16's alone exactly.
                    if (halves && width > 10) continue;
                    if (f.numbers == Numbers::kFloat && small_float(width).is_nan(bits)) continue;
                    SCOPED_TRACE(fmt::format("{} component {} bits {:#x} halves {}", f.name, i, bits, halves));
                    const auto value = from_component(f, i, bits, halves);
                    ASSERT_TRUE(value);
                    const auto back = to_component(f, i, *value, halves);
                    ASSERT_TRUE(back);
                    const bool least = f.numbers == Numbers::kSnorm && bits == 1u << (width - 1);
                    ASSERT_EQ(*back, least ? bits + 1 : bits);
                }
}

const BufferFormat& named(std::string_view name) {
    for (const BufferFormat& f : emu::buffer_formats())
        if (f.name == name) return f;
    ADD_FAILURE() << name;
    return emu::buffer_formats()[0];
}

// By hand: clamping, rounding, and what no document says.
TEST(BufferFormats, StoreOtherNumbersClampedOrNotAtAll) {
    struct One {
        const char* format;
        u32 component, value;
        bool halves;
        std::optional<u32> bits;
    };
    constexpr u32 kNaN = 0x7fc00000, kInfinity = 0x7f800000;
    const auto f = [](float v) { return std::bit_cast<u32>(v); };
    for (const One& one : std::vector<One>{
             {"8_UNORM", 0, f(1.5f), false, 255},
             {"8_UNORM", 0, f(-0.5f), false, 0},
             {"8_UNORM", 0, f(0.5f), false, 128}, // 127.5, to even
             {"8_UNORM", 0, f(0.25f), false, 64}, // 63.75
             {"8_UNORM", 0, kNaN, false, 0},
             {"8_UNORM", 0, kInfinity, false, 255},
             {"8_SNORM", 0, f(-2.0f), false, 0x81},
             {"8_SNORM", 0, f(-0.5f), false, 0xc0}, // -63.5, to even
             {"16_UNORM", 0, 0x3800, true, 0x8000}, // a half of 65535, to even
             {"2_10_10_10_UNORM", 3, f(0.5f), false, 2},
             {"8_USCALED", 0, f(200.0f), false, 200},
             {"8_USCALED", 0, f(200.5f), false, std::nullopt},
             {"8_USCALED", 0, f(256.0f), false, std::nullopt},
             {"8_SSCALED", 0, f(-128.0f), false, 0x80},
             {"8_SSCALED", 0, f(-129.0f), false, std::nullopt},
             {"8_USCALED", 0, kNaN, false, std::nullopt},
             {"8_UINT", 0, 255, false, 255},
             {"8_UINT", 0, 256, false, std::nullopt},
             {"8_SINT", 0, 0xffffff80, false, 0x80},
             {"8_SINT", 0, 0xffffff7f, false, std::nullopt},
             {"16_SINT", 0, 0xabcd8000, true, 0x8000}, // the low half alone
             {"32_UINT", 0, 0xfffffffe, false, 0xfffffffe},
             {"32_SINT", 0, 0xfffe, true, 0xfffffffe},
             {"16_FLOAT", 0, f(1.00097f), false, 0x3c00}, // towards zero
             {"16_FLOAT", 0, f(70000.0f), false, 0x7bff},
             {"16_FLOAT", 0, kInfinity, false, 0x7c00},
             {"32_FLOAT", 0, 0x7f812345, false, 0x7f812345},
             {"32_FLOAT", 0, 0xc000, true, f(-2.0f)},
             {"10_11_11_FLOAT", 0, f(1.5f), false, 0x3e0},
             {"10_11_11_FLOAT", 2, f(1.5f), false, 0x1f0},
             {"10_11_11_FLOAT", 0, f(-1.5f), false, std::nullopt},
             {"10_11_11_FLOAT", 0, f(1.001f), false, std::nullopt},
         }) {
        SCOPED_TRACE(fmt::format("{} component {} of {:#x}", one.format, one.component, one.value));
        EXPECT_EQ(to_component(named(one.format), one.component, one.value, one.halves), one.bits);
    }
}

} // namespace
} // namespace pm::testing
