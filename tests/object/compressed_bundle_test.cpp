// Bundles packed by clang-offload-bundler, and by zlib and zstd with a header written out by hand.
#include "peacemaker/object/compressed_bundle.h"

#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

constexpr std::uint16_t kVersions[] = {1, 2, 3}, kMethods[] = {0, 1}; // zlib, zstd

/// Two entries' worth of bytes that compress, and some that do not.
std::string payload() {
    std::string out;
    for (unsigned i = 0; i < 70000; ++i) out += static_cast<char>(i * i >> 7);
    return out + std::string(200000, '\0');
}

struct Bundles {
    std::string plain, v2, v3;
};

/// What clang-offload-bundler makes of the payload.
const Bundles& bundler() {
    static const Bundles bundles = [] {
        const pm::testing::Folder folder;
        std::ofstream(folder.path("in"), std::ios::binary) << payload();
        const auto run = [&](const char* name, const char* version, std::vector<std::string> more) {
            ::setenv("COMPRESSED_BUNDLE_FORMAT_VERSION", version, 1);
            std::vector<std::string> arguments = {
                "--type=o", "--targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1151",
                "--input=/dev/null", "--input=" + folder.path("in"), "--output=" + folder.path(name)};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const auto ran = pm::testing::run_program("clang-offload-bundler-22", arguments);
            EXPECT_TRUE(ran) << ran.error().text;
            ::unsetenv("COMPRESSED_BUNDLE_FORMAT_VERSION");
            auto bytes = pm::read_file(folder.path(name));
            EXPECT_TRUE(bytes) << bytes.error().text;
            return bytes ? *bytes : std::string();
        };
        return Bundles{run("plain", "3", {}), run("v2", "2", {"--compress"}), run("v3", "3", {"--compress"})};
    }();
    return bundles;
}

std::string number(std::uint64_t value, std::size_t bytes) {
    std::string out(bytes, '\0');
    std::memcpy(out.data(), &value, bytes);
    return out;
}

/// The hash that the bundler wrote for the same bytes.
std::string hash() { return bundler().v2.substr(16, 8); }

std::string packed(std::uint16_t method) {
    const std::string& plain = bundler().plain;
    std::string out(std::max<std::size_t>(compressBound(plain.size()), ZSTD_compressBound(plain.size())), '\0');
    if (method == 1) {
        out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
        return out;
    }
    uLongf size = out.size();
    EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                        plain.size(), 6),
              Z_OK);
    out.resize(size);
    return out;
}

std::string made(std::uint16_t version, std::uint16_t method) {
    const std::string stream = packed(method);
    const std::size_t field = version == 3 ? 8 : 4;
    const std::size_t head = 8 + field * (version == 1 ? 1 : 2) + 8;
    return "CCOB" + number(version, 2) + number(method, 2) + (version == 1 ? "" : number(head + stream.size(), field)) +
           number(bundler().plain.size(), field) + hash() + stream;
}

void expect_error(const std::string& bytes, const std::vector<std::string>& said) {
    const auto unpacked = pm::unpack_bundle(bytes);
    ASSERT_FALSE(unpacked);
    for (const std::string& part : said)
        EXPECT_NE(unpacked.error().text.find(part), std::string::npos) << unpacked.error().text << "\nhas no " << part;
}

TEST(CompressedBundle, WhatTheBundlerPackedIsUnpacked) {
    for (const std::string& bytes : {bundler().v2, bundler().v3}) {
        ASSERT_TRUE(pm::is_compressed_bundle(bytes));
        const auto unpacked = pm::unpack_bundle(bytes);
        ASSERT_TRUE(unpacked) << unpacked.error().text;
        EXPECT_EQ(unpacked->bytes, bundler().plain);
        EXPECT_EQ(unpacked->size, bytes.size());
        EXPECT_TRUE(bytes.starts_with(pm::header_bytes(unpacked->header)));
    }
    EXPECT_EQ(pm::unpack_bundle(bundler().v2)->header.version, 2);
    EXPECT_EQ(pm::unpack_bundle(bundler().v3)->header.version, 3);
}

TEST(CompressedBundle, EveryVersionByEveryMethodAndWhatFollows) {
    for (const std::uint16_t version : kVersions)
        for (const std::uint16_t method : kMethods) {
            const std::string bytes = made(version, method);
            const auto unpacked = pm::unpack_bundle(bytes + "CCOB and more");
            ASSERT_TRUE(unpacked) << version << ' ' << method << ": " << unpacked.error().text;
            EXPECT_EQ(unpacked->bytes, bundler().plain);
            EXPECT_EQ(unpacked->size, bytes.size());
            EXPECT_TRUE(bytes.starts_with(pm::header_bytes(unpacked->header))) << version;
            EXPECT_EQ(pm::header_bytes(unpacked->header).size(), version == 1 ? 20U : version == 2 ? 24U : 32U);
        }
}

TEST(CompressedBundle, CutOffAnywhereIsAnError) {
    for (const std::uint16_t version : kVersions)
        for (const std::uint16_t method : kMethods) {
            const std::string bytes = made(version, method);
            for (std::size_t size = 4; size < bytes.size(); size += size < 64 ? 1 : 997)
                expect_error(bytes.substr(0, size), {"offset 0x", "damaged compressed offload bundle"});
            expect_error(bytes.substr(0, bytes.size() - 1), {version == 1 ? "cut off" : "are here"});
        }
}

TEST(CompressedBundle, OtherMagicIsAnError) {
    std::string bytes = made(2, 1);
    bytes[1] = '_';
    expect_error(bytes, {"offset 0x0", "does not begin with CCOB"});
}

TEST(CompressedBundle, WhatContradictsItselfIsAnError) {
    for (const std::uint16_t method : kMethods) {
        const std::string good = made(2, method);
        std::string bad = good;
        bad[4] = 4;
        expect_error(bad, {"offset 0x4", "version 4"});
        bad = good;
        bad[6] = 2;
        expect_error(bad, {"offset 0x6", "method 2"});
        bad = good;
        bad[16] = static_cast<char>(bad[16] ^ 1);
        expect_error(bad, {"offset 0x10", "the hash"});
        bad = good;
        bad[12] = static_cast<char>(bad[12] + 1); // the unpacked size
        expect_error(bad, {"it unpacks to 0x", "expected 0x"});
        bad[12] = static_cast<char>(good[12] - 1);
        expect_error(bad, {"it unpacks to more than"});
        bad = good;
        bad[8] = static_cast<char>(bad[8] + 1); // the packed size
        expect_error(bad, {"offset 0x8", "are here"});
        expect_error(bad + "x", {"its stream ends here"});
        bad = good;
        bad[8] = 1, bad[9] = bad[10] = bad[11] = 0;
        expect_error(bad, {"offset 0x8"});
        bad = good;
        bad[15] = '\x7f'; // 2 GB from some thousand bytes
        expect_error(bad, {"it is said to unpack from"});
        bad = good;
        bad[24 + 1] = '\x55';
        bad[24] = '\x55';
        expect_error(bad, {"stream is damaged"});
    }
    std::string huge = made(3, 1);
    std::fill_n(huge.begin() + 16, 8, '\xff');
    expect_error(huge, {"it is said to unpack from"});
}

} // namespace
