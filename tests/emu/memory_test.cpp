#include "peacemaker/emu/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using pm::emu::Allocation;
using pm::emu::Memory;

TEST(Allocate, GivesExactlyTheSizeAlignedAndUndefined) {
    Memory memory;
    for (const std::uint64_t size : {1U, 255U, 256U, 257U, 4096U, 1000003U}) {
        const Allocation* a = memory.allocate(size);
        ASSERT_NE(a, nullptr);
        EXPECT_EQ(a->size, size);
        EXPECT_EQ(a->address % 256, 0U);
        EXPECT_EQ(a->address, reinterpret_cast<std::uint64_t>(a->data));
        ASSERT_EQ(a->undefined.size(), size);
        EXPECT_TRUE(std::all_of(a->undefined.begin(), a->undefined.end(), [](auto mask) { return mask == 0xFF; }));
        EXPECT_EQ(Memory::first_undefined(*a, a->address, size), a->address);
        EXPECT_FALSE(a->whole());
        EXPECT_TRUE(std::none_of(a->data, a->data + size, [](std::byte b) { return b == std::byte{0}; }));
    }
}

TEST(Allocate, KeepsEveryPairApart) {
    const std::uint64_t seed = 20260703;
    std::mt19937_64 random(seed);
    Memory memory;
    std::vector<const Allocation*> live;
    for (int i = 0; i < 2000; ++i) {
        if (!live.empty() && random() % 3 == 0) {
            const std::size_t at = random() % live.size();
            ASSERT_TRUE(memory.free(live[at]->address));
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            live.push_back(memory.allocate(random() % 2000));
            ASSERT_NE(live.back(), nullptr);
        }
    }
    std::sort(live.begin(), live.end(), [](auto* a, auto* b) { return a->address < b->address; });
    for (std::size_t i = 1; i < live.size(); ++i)
        EXPECT_GE(live[i]->address - (live[i - 1]->address + live[i - 1]->size), 256U) << "seed " << seed;
}

TEST(Allocate, StopsAtTheCapacity) {
    Memory memory(1000);
    Allocation* most = memory.allocate(900);
    ASSERT_NE(most, nullptr);
    EXPECT_EQ(memory.allocate(101), nullptr);
    EXPECT_EQ(memory.allocate(~std::uint64_t{0}), nullptr);
    EXPECT_NE(memory.allocate(100), nullptr);
    EXPECT_EQ(memory.allocated_bytes(), 1000U);
    ASSERT_TRUE(memory.free(most->address));
    EXPECT_EQ(memory.allocated_bytes(), 100U);
    EXPECT_NE(memory.allocate(900), nullptr);
}

TEST(Free, TakesStartsOfAllocationsOnly) {
    Memory memory;
    const std::uint64_t address = memory.allocate(64)->address;
    EXPECT_FALSE(memory.free(address + 1));
    EXPECT_FALSE(memory.free(0));
    EXPECT_TRUE(memory.free(address));
    EXPECT_FALSE(memory.free(address));
    EXPECT_EQ(memory.find(address), nullptr);
}

TEST(Find, EndsWithTheLastByte) {
    Memory memory;
    EXPECT_EQ(memory.find(0), nullptr);
    Allocation* a = memory.allocate(10);
    EXPECT_EQ(memory.find(a->address), a);
    EXPECT_EQ(memory.find(a->address + 9), a);
    EXPECT_EQ(memory.find(a->address + 10), nullptr);
    EXPECT_EQ(memory.find(a->address - 1), nullptr);
    EXPECT_TRUE(a->contains(a->address, 10));
    EXPECT_TRUE(a->contains(a->address + 10, 0));
    EXPECT_FALSE(a->contains(a->address + 9, 2));
    EXPECT_FALSE(a->contains(a->address, ~std::uint64_t{0}));
}

TEST(Find, NothingFitsInAnEmptyAllocation) {
    Memory memory;
    const Allocation* a = memory.allocate(0);
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(memory.find(a->address), nullptr);
    EXPECT_FALSE(a->contains(a->address, 1));
    EXPECT_TRUE(memory.free(a->address));
}

TEST(Nearest, IsTheOneWithTheShorterGap) {
    Memory memory;
    EXPECT_EQ(memory.nearest(5), nullptr);
    std::vector<Allocation*> sorted = {memory.allocate(16), memory.allocate(16), memory.allocate(16)};
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->address < b->address; });
    EXPECT_EQ(memory.nearest(0), sorted[0]);
    EXPECT_EQ(memory.nearest(~std::uint64_t{0}), sorted[2]);
    EXPECT_EQ(memory.nearest(sorted[1]->address + 3), sorted[1]);
    EXPECT_EQ(memory.nearest(sorted[0]->address + 16), sorted[0]);
    EXPECT_EQ(memory.nearest(sorted[1]->address - 1), sorted[1]);
}

TEST(Shadow, FollowsWhatIsMarked) {
    Memory memory;
    Allocation* a = memory.allocate(32);
    Memory::set_defined(*a, a->address, 8);
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 8), 0U);
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 9), a->address + 8);
    Memory::set_defined(*a, a->address + 10, 22);
    EXPECT_EQ(Memory::first_undefined(*a, a->address + 10, 22), 0U);
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 32), a->address + 8);
    Memory::settle(*a);
    EXPECT_FALSE(a->whole());
    Memory::set_defined(*a, a->address + 8, 2);
    Memory::settle(*a);
    EXPECT_TRUE(a->whole());
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 32), 0U);
    Memory::set_undefined(*a, a->address + 31, 1);
    EXPECT_FALSE(a->whole());
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 32), a->address + 31);
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 31), 0U);
}

TEST(Shadow, OneUndefinedBitIsAnUndefinedByte) {
    Memory memory;
    Allocation* a = memory.allocate(4);
    Memory::set_defined(*a, a->address, 4);
    a->undefined[2] = 0x10;
    EXPECT_EQ(Memory::first_undefined(*a, a->address, 4), a->address + 2);
}

TEST(Map, MakesTheHostsBytesAnAllocation) {
    Memory memory;
    std::vector<std::byte> bytes(100, std::byte{7});
    const auto address = reinterpret_cast<std::uint64_t>(bytes.data());
    const Allocation* a = memory.map(bytes.data(), bytes.size());
    ASSERT_NE(a, nullptr);
    EXPECT_TRUE(a->whole());
    EXPECT_TRUE(a->mapped);
    EXPECT_EQ(memory.allocated_bytes(), 0U);
    EXPECT_EQ(memory.find(address + 99), a);
    EXPECT_EQ(memory.find(address + 100), nullptr);
    EXPECT_TRUE(memory.free(address));
    EXPECT_EQ(memory.find(address), nullptr);
    EXPECT_EQ(bytes[99], std::byte{7});
    EXPECT_FALSE(memory.free(address));
}

TEST(Map, RefusesWhatOverlapsAndWhatIsNothing) {
    Memory memory;
    std::vector<std::byte> bytes(100);
    ASSERT_NE(memory.map(bytes.data() + 20, 20), nullptr);
    EXPECT_EQ(memory.map(bytes.data(), 100), nullptr) << "around it";
    EXPECT_EQ(memory.map(bytes.data(), 21), nullptr) << "into it";
    EXPECT_EQ(memory.map(bytes.data() + 39, 5), nullptr) << "out of it";
    EXPECT_EQ(memory.map(bytes.data() + 25, 5), nullptr) << "within it";
    EXPECT_NE(memory.map(bytes.data(), 20), nullptr) << "below it";
    EXPECT_NE(memory.map(bytes.data() + 40, 60), nullptr) << "above it";
    EXPECT_EQ(memory.map(bytes.data(), 0), nullptr);
    Allocation* own = memory.allocate(64);
    EXPECT_EQ(memory.map(own->data + 8, 8), nullptr);
    EXPECT_EQ(memory.map(bytes.data() + 99, UINT64_MAX), nullptr) << "past the end of addresses";
}

} // namespace
