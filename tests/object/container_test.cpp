// What clang, lld and clang-offload-bundler write: bundles, and host objects with one or more of them.
#include "peacemaker/object/container.h"

#include "peacemaker/object/bundle.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

namespace {

using namespace std::string_literals;
using pm::testing::run_program;

const std::string kFirst = "hipv4-amdgcn-amd-amdhsa--gfx1030", kSecond = "hipv4-amdgcn-amd-amdhsa--gfx1151";

std::string number(std::uint64_t value) {
    std::string out(8, '\0');
    std::memcpy(out.data(), &value, 8);
    return out;
}

/// A bundle of those entries, each at a multiple of 64.
std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::size_t table = 32;
    for (const auto& [id, bytes] : entries) table += 24 + id.size();
    std::string head = "__CLANG_OFFLOAD_BUNDLE__" + number(entries.size()), body;
    const std::size_t start = (table + 63) / 64 * 64;
    for (const auto& [id, bytes] : entries) {
        body.resize((body.size() + 63) / 64 * 64);
        head += number(start + body.size()) + number(bytes.size()) + number(id.size()) + id;
        body += bytes;
    }
    head.resize(start);
    return head + body;
}

/// A host object that clang makes of one kernel, for gfx1030 and gfx1151.
std::string host_object(const std::string& kernel, const std::vector<std::string>& flags) {
    const pm::testing::Folder folder;
    std::ofstream(folder.path("k.hip"))
        << "struct dim3 { unsigned x, y, z; };\n"
           "extern \"C\" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);\n"
           "extern \"C\" __attribute__((global)) void " +
               kernel + "(int *p) { *p = 7; }\n";
    std::vector<std::string> arguments = {"-x",
                                          "hip",
                                          "--offload-arch=gfx1030",
                                          "--offload-arch=gfx1151",
                                          "-nogpulib",
                                          "-nogpuinc",
                                          "-fhip-new-launch-api",
                                          "-c",
                                          folder.path("k.hip"),
                                          "-o",
                                          folder.path("k.o")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto ran = run_program("clang++-22", arguments);
    EXPECT_TRUE(ran) << ran.error().text;
    auto bytes = pm::read_file(folder.path("k.o"));
    EXPECT_TRUE(bytes) << bytes.error().text;
    return bytes ? *bytes : std::string();
}

/// The objects linked into one, so that their sections stand one behind the other.
std::string linked(const std::vector<std::string>& objects) {
    const pm::testing::Folder folder;
    std::vector<std::string> arguments = {"-r", "-o", folder.path("all.o")};
    for (std::size_t i = 0; i < objects.size(); ++i) {
        arguments.push_back(folder.path(std::to_string(i) + ".o"));
        std::ofstream(arguments.back(), std::ios::binary) << objects[i];
    }
    const auto ran = run_program("ld.lld-22", arguments);
    EXPECT_TRUE(ran) << ran.error().text;
    auto bytes = pm::read_file(folder.path("all.o"));
    EXPECT_TRUE(bytes) << bytes.error().text;
    return bytes ? *bytes : std::string();
}

TEST(Container, HostObjectsHoldOneBundleATranslationUnit) {
    const std::string plain = host_object("first", {"--no-offload-compress"}),
                      compressed = host_object("second", {"--offload-compress"}),
                      third = host_object("third", {"--no-offload-compress"});
    for (const auto& [bytes, kernels] :
         {std::pair(plain, std::vector<std::string>{"first"}),
          std::pair(compressed, std::vector<std::string>{"second"}),
          std::pair(linked({plain, compressed, third}), std::vector<std::string>{"first", "second", "third"})}) {
        ASSERT_TRUE(pm::is_container(bytes));
        const pm::Container container = pm::read_container(bytes, "a.out");
        for (const auto& loss : container.losses) ADD_FAILURE() << loss.where << ": " << loss.reason;
        ASSERT_EQ(container.objects.size(), 2 * kernels.size());
        for (std::size_t i = 0; i < container.objects.size(); ++i) {
            const pm::DeviceObject& one = container.objects[i];
            EXPECT_TRUE(one.where.starts_with("a.out: .hip_fatbin+0x")) << one.where;
            const auto object = pm::parse_code_object(one.bytes, one.where);
            ASSERT_TRUE(object) << object.error().text;
            EXPECT_EQ(object->chip->name, pm::chip_of_entry(one.id));
            ASSERT_EQ(object->kernels.size(), 1u);
            EXPECT_EQ(object->kernels[0].name, kernels[i / 2]);
        }
    }
    const auto chosen = pm::parse_code_object(compressed, "a.out", *pm::find_chip("gfx1151"));
    ASSERT_TRUE(chosen) << chosen.error().text;
    EXPECT_EQ(chosen->kernels.at(0).name, "second");
    const auto two = pm::parse_code_object(linked({plain, compressed}), "a.out", *pm::find_chip("gfx1151"));
    ASSERT_FALSE(two);
    EXPECT_NE(two.error().text.find("more than one entry for gfx1151"), std::string::npos) << two.error().text;
}

TEST(Container, OneObjectIsItself) {
    EXPECT_FALSE(pm::is_container("anything"));
    const pm::Container container = pm::read_container("anything", "f");
    ASSERT_EQ(container.objects.size(), 1u);
    EXPECT_EQ(container.objects[0].bytes, "anything");
    EXPECT_TRUE(container.losses.empty());
    const auto self = pm::read_file("/proc/self/exe");
    ASSERT_TRUE(self);
    EXPECT_FALSE(pm::is_container(*self)) << "a host program without .hip_fatbin";
}

struct Damage {
    const char* what;
    std::string bytes;
    std::size_t objects;
    std::vector<std::string> said; // of one loss; none: there is none
};

TEST(Container, DamageIsALossWithItsOffset) {
    const std::string good = bundle({{"host-x86_64-unknown-linux-gnu", "host"}, {kFirst, "one"}, {kSecond, "two"}});
    std::string stray = good;
    stray[good.find("one") + 3] = 'x';
    std::string overlap = bundle({{kFirst, "one"}, {kSecond, "two"}});
    overlap[32 + 8] = 64 + 3; // the first entry's size
    std::string leaves = bundle({{kFirst, "one"}});
    leaves[32 + 8] = 100;
    std::string huge = bundle({{kFirst, "one"}});
    std::fill_n(huge.begin() + 24, 8, '\xff');
    for (const Damage& c : {
             Damage{"good", good, 2, {}},
             Damage{"zeros behind", good + std::string(5000, '\0'), 2, {}},
             Damage{"two", good + std::string(60, '\0') + good, 4, {}},
             Damage{"text behind", good + "and more", 2, {"offset 0x", "neither an offload bundle nor zeros"}},
             Damage{"between", stray, 2, {"offset 0x", "bytes other than zero before entry " + kSecond}},
             Damage{"overlap", overlap, 2, {"lies in what is before it"}},
             Damage{"leaves", leaves, 0, {"offset 0x20", "damaged offload bundle", "entry 0 is ["}},
             Damage{"huge count", huge, 0, {"damaged offload bundle"}},
             Damage{"no chip", bundle({{"hip-spirv64-amd-amdhsa", "x"}}), 0, {"is for no chip"}},
             Damage{"nested", bundle({{kFirst, good}}), 0, {"inside an offload bundle"}},
         }) {
        const pm::Container container = pm::read_container(c.bytes, "f");
        EXPECT_EQ(container.objects.size(), c.objects) << c.what;
        ASSERT_EQ(container.losses.size(), c.said.empty() ? 0u : 1u) << c.what;
        for (const std::string& part : c.said)
            EXPECT_NE(container.losses[0].reason.find(part), std::string::npos)
                << c.what << ": " << container.losses[0].reason;
    }
    for (std::size_t size = 24; size < good.find("two") + 3; ++size)
        EXPECT_FALSE(pm::read_container(good.substr(0, size), "f").losses.empty()) << "cut off at " << size;
}

// Any damage: what is given lies inside the bytes, and nothing else happens.
TEST(Container, DamagedBundlesAreRead) {
    const std::string good = bundle({{"host-x86_64-unknown-linux-gnu", ""}, {kFirst, "one"}, {kSecond, "two"}});
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = good;
        for (std::uint32_t i = 0; i <= round % 3U; ++i) bytes[24 + random() % 150] = static_cast<char>(random());
        const pm::Container container = pm::read_container(bytes, "f");
        for (const pm::DeviceObject& one : container.objects) {
            ASSERT_GE(one.bytes.data(), bytes.data()) << "round " << round;
            ASSERT_LE(one.bytes.data() + one.bytes.size(), bytes.data() + bytes.size()) << "round " << round;
        }
    }
}

} // namespace
