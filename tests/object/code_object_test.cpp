#include "peacemaker/object/code_object.h"

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;

/// A folder for this program's compiled inputs, gone at its end.
const fs::path& scratch() {
    struct Folder {
        Folder() {
            std::string pattern = (fs::temp_directory_path() / "pm_object_test_XXXXXX").string();
            path = ::mkdtemp(pattern.data());
        }
        ~Folder() { fs::remove_all(path); }
        fs::path path;
    };
    static const Folder folder;
    return folder.path;
}

std::string run(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string out;
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
    EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << out;
    return out;
}

void write(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string read(const fs::path& path) {
    auto bytes = pm::read_file(path);
    EXPECT_TRUE(bytes) << path;
    return bytes ? *bytes : std::string();
}

fs::path compile_hip(const std::string& source, const std::string& chip, const std::string& flags = "") {
    const fs::path out = scratch() / (fs::path(source).stem().string() + "_" + chip + ".co");
    if (flags.empty() && fs::exists(out)) return out;
    run("clang++-22 -x hip --offload-arch=" + chip +
        " --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -std=c++20 -O3 -ffp-contract=off " + flags +
        " " + source + " -o " + out.string());
    return out;
}

fs::path affine(const std::string& chip) {
    return compile_hip("'-DKERNELS=TILES(4)' " HKC_SOURCE_DIR "/kernels/affine_stream.hip", chip);
}

/// A small object with two kernels, for the tests that damage it.
const std::string& small_object() {
    static const std::string bytes = [] {
        const fs::path source = scratch() / "small.hip";
        write(source, "extern \"C\" __attribute__((global)) void scale(float* x, int n) { if (n) x[0] *= 2.0f; }\n"
                      "extern \"C\" __attribute__((global)) void other(const int* a, int* b) { *b = *a; }\n");
        return read(compile_hip(source.string(), "gfx1151"));
    }();
    return bytes;
}

pm::CodeObject parse(const std::string& bytes) {
    auto object = pm::parse_code_object(bytes, "t.co");
    EXPECT_TRUE(object) << object.error().text;
    return object ? *object : pm::CodeObject();
}

void expect_error(const std::string& bytes, const std::vector<std::string>& said, const pm::Chip* want = nullptr) {
    const auto object = pm::parse_code_object(bytes, "t.co", want);
    ASSERT_FALSE(object);
    for (const std::string& part : said)
        EXPECT_NE(object.error().text.find(part), std::string::npos) << object.error().text << "\nhas no " << part;
    EXPECT_EQ(object.error().text.rfind("t.co: ", 0), 0U) << object.error().text;
}

/// What llvm-readelf prints of a kernel: scalars by key, and the same for each argument.
struct Printed {
    std::map<std::string, std::string> fields;
    std::vector<std::map<std::string, std::string>> arguments;
};

std::vector<Printed> printed_metadata(const fs::path& object) {
    std::vector<Printed> kernels;
    std::istringstream lines(run("llvm-readelf-22 --notes " + object.string()));
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("amdhsa.kernels:")) inside = true;
        if (line.starts_with("amdhsa.target:")) inside = false;
        if (!inside) continue;
        std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string::npos) continue;
        const bool item = line.compare(indent, 2, "- ") == 0;
        if (item && indent == 2) kernels.emplace_back();
        if (item && indent == 6) kernels.back().arguments.emplace_back();
        if (item) indent += 2;
        const std::size_t colon = line.find(':', indent);
        if (kernels.empty() || colon == std::string::npos) continue;
        const std::string key = line.substr(indent, colon - indent);
        const std::size_t value = line.find_first_not_of(' ', colon + 1);
        if (value == std::string::npos) continue;
        std::string text = line.substr(value);
        std::erase(text, '\'');
        auto& into = indent == 8 ? kernels.back().arguments.back() : kernels.back().fields;
        into[key] = text;
    }
    return kernels;
}

class EveryChip : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryChip, MetadataIsWhatReadelfPrints) {
    const fs::path path = affine(GetParam());
    const pm::CodeObject object = parse(read(path));
    ASSERT_NE(object.chip, nullptr);
    EXPECT_EQ(object.chip->name, GetParam());

    const std::vector<Printed> printed = printed_metadata(path);
    ASSERT_EQ(object.kernels.size(), printed.size());
    ASSERT_GE(printed.size(), 17U);
    for (std::size_t i = 0; i < printed.size(); ++i) {
        const pm::Kernel& kernel = object.kernels[i];
        const auto field = [&](const char* key) { return printed[i].fields.at(key); };
        EXPECT_EQ(kernel.name, field(".name"));
        const pm::Resources& use = kernel.resources;
        EXPECT_EQ(std::to_string(use.vgpr), field(".vgpr_count"));
        EXPECT_EQ(std::to_string(use.sgpr), field(".sgpr_count"));
        EXPECT_EQ(std::to_string(use.lds), field(".group_segment_fixed_size"));
        EXPECT_EQ(std::to_string(use.scratch), field(".private_segment_fixed_size"));
        EXPECT_EQ(std::to_string(use.vgpr_spill), field(".vgpr_spill_count"));
        EXPECT_EQ(std::to_string(use.sgpr_spill), field(".sgpr_spill_count"));
        EXPECT_EQ(std::to_string(use.wave), field(".wavefront_size"));
        EXPECT_EQ(std::to_string(use.max_block), field(".max_flat_workgroup_size"));
        EXPECT_EQ(std::to_string(use.kernarg), field(".kernarg_segment_size"));
        EXPECT_EQ(std::to_string(kernel.kernarg_align), field(".kernarg_segment_align"));
        ASSERT_EQ(kernel.arguments.size(), printed[i].arguments.size());
        for (std::size_t a = 0; a < kernel.arguments.size(); ++a) {
            auto argument = printed[i].arguments[a];
            EXPECT_EQ(std::to_string(kernel.arguments[a].offset), argument[".offset"]);
            EXPECT_EQ(std::to_string(kernel.arguments[a].size), argument[".size"]);
            EXPECT_EQ(kernel.arguments[a].value_kind, argument[".value_kind"]);
            EXPECT_EQ(kernel.arguments[a].address_space, argument[".address_space"]);
        }
    }
}

TEST_P(EveryChip, AddressesAndSizesAreThoseOfTheSymbolTable) {
    const fs::path path = affine(GetParam());
    const pm::CodeObject object = parse(read(path));
    const auto document =
        nlohmann::json::parse(run("llvm-readelf-22 --elf-output-style=JSON --symbols " + path.string()));
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> symbols;
    for (const auto& entry : document[0]["Symbols"]) {
        const auto& symbol = entry["Symbol"];
        symbols[symbol["Name"]["Name"]] = {symbol["Value"], symbol["Size"]};
    }
    for (const pm::Kernel& kernel : object.kernels) {
        EXPECT_EQ(kernel.entry_address, symbols.at(kernel.name).first);
        EXPECT_EQ(kernel.code_size, symbols.at(kernel.name).second);
        EXPECT_EQ(kernel.descriptor_address, symbols.at(kernel.name + ".kd").first);
        EXPECT_EQ(object.at(kernel.entry_address, kernel.code_size).size(), kernel.code_size);
        EXPECT_EQ(object.find_kernel(kernel.name), &kernel);
        ASSERT_NE(object.find_symbol(kernel.name), nullptr);
        EXPECT_TRUE(object.find_symbol(kernel.name)->function);
    }
    EXPECT_EQ(object.find_kernel("no_such_kernel"), nullptr);
    EXPECT_EQ(object.find_symbol("no_such_symbol"), nullptr);
}

TEST_P(EveryChip, IdentsAreThoseOfTheComment) {
    const fs::path path = affine(GetParam());
    const pm::CodeObject object = parse(read(path));
    std::istringstream lines(run("llvm-readelf-22 -p .comment " + path.string()));
    std::set<std::string> idents;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("[")) idents.insert(line.substr(line.find(']') + 2));
    EXPECT_EQ(object.idents, std::vector<std::string>(idents.begin(), idents.end()));
    EXPECT_FALSE(object.idents.empty());
}

INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, ::testing::Values("gfx1030", "gfx1100", "gfx1151", "gfx1201"));

// The descriptor's fields, as llvm-objdump turns them back into directives.
TEST(Descriptor, IsWhatObjdumpPrints) {
    const fs::path path = scratch() / "small_for_objdump.co";
    write(path, small_object());
    const pm::CodeObject object = parse(small_object());
    const std::string text = run("llvm-objdump-22 -D --disassemble-symbols=scale.kd " + path.string());
    const pm::Kernel* kernel = object.find_kernel("scale");
    ASSERT_NE(kernel, nullptr);
    const auto directive = [&](const std::string& name) {
        const std::size_t at = text.find("." + name + " ");
        EXPECT_NE(at, std::string::npos) << name << "\n" << text;
        return std::stoul(text.substr(at + name.size() + 2));
    };
    const pm::KernelDescriptor& d = kernel->descriptor;
    EXPECT_EQ(d.kernarg_size, directive("amdhsa_kernarg_size"));
    EXPECT_EQ(d.group_segment_fixed_size, directive("amdhsa_group_segment_fixed_size"));
    EXPECT_EQ(d.private_segment_fixed_size, directive("amdhsa_private_segment_fixed_size"));
    EXPECT_EQ((d.kernel_code_properties >> 10) & 1U, directive("amdhsa_wavefront_size32"));
    EXPECT_EQ((d.kernel_code_properties >> 3) & 1U, directive("amdhsa_user_sgpr_kernarg_segment_ptr"));
    EXPECT_EQ((d.compute_pgm_rsrc1 >> 12) & 3U, directive("amdhsa_float_round_mode_32"));
    EXPECT_EQ((d.compute_pgm_rsrc1 >> 18) & 3U, directive("amdhsa_float_denorm_mode_16_64"));
    EXPECT_EQ((d.compute_pgm_rsrc2 >> 7) & 1U, directive("amdhsa_system_sgpr_workgroup_id_x"));
    EXPECT_EQ((d.compute_pgm_rsrc2 >> 11) & 3U, directive("amdhsa_system_vgpr_workitem_id"));
}

TEST(Versions, FourFiveAndSix) {
    const fs::path source = scratch() / "version.hip";
    write(source,
          "extern \"C\" __attribute__((global)) void k(int* p) { *p = __builtin_amdgcn_workgroup_size_x(); }\n");
    for (const std::uint32_t version : {4U, 5U, 6U}) {
        const fs::path path =
            compile_hip(source.string(), "gfx1030", "-mcode-object-version=" + std::to_string(version));
        const pm::CodeObject object = parse(read(path));
        EXPECT_EQ(object.version, version);
        ASSERT_EQ(object.kernels.size(), 1U);
        ASSERT_FALSE(object.kernels[0].arguments.empty());
        EXPECT_FALSE(object.kernels[0].arguments.front().hidden());
        EXPECT_EQ(object.kernels[0].arguments.back().hidden(), version >= 5) << version;
    }
}

const char* const kAssembly = R"(
    .amdgcn_target "amdgcn-amd-amdhsa--gfx1151"
    .amdhsa_code_object_version 5
    .text
    .globl  k
    .p2align 8
    .type k,@function
k:  s_endpgm
.Lend:
    .size k, .Lend-k
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel k
        .amdhsa_group_segment_fixed_size 4
        .amdhsa_kernarg_size 12
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_wavefront_size32 1
        .amdhsa_next_free_vgpr 6
        .amdhsa_next_free_sgpr 8
    .end_amdhsa_kernel
    .data
    .globl knob
    .type knob,@object
knob: .long 7
    .size knob, 4
    .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1151
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 12
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 6
    .max_flat_workgroup_size: 32
    .reqd_workgroup_size: [ 8, 2, 1 ]
    .uses_dynamic_stack: true
    .args:
      - { .name: n, .offset: 8, .size: 4, .value_kind: by_value }
      - { .name: dst, .address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer }
...
    .end_amdgpu_metadata
)";

std::string assemble(std::string text, const std::string& from = "", const std::string& to = "") {
    if (!from.empty()) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    }
    const fs::path source = scratch() / "case.s";
    const fs::path relocatable = scratch() / "case.o";
    const fs::path linked = scratch() / "case.co";
    write(source, text);
    run("llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx1151 -filetype=obj " + source.string() + " -o " +
        relocatable.string());
    run("ld.lld-22 -shared " + relocatable.string() + " -o " + linked.string());
    return read(linked);
}

TEST(HandWritten, OptionalKeysAreRead) {
    const pm::CodeObject object = parse(assemble(kAssembly));
    ASSERT_EQ(object.kernels.size(), 1U);
    const pm::Kernel& kernel = object.kernels[0];
    EXPECT_EQ(kernel.reqd_block[0], 8U);
    EXPECT_EQ(kernel.reqd_block[1], 2U);
    EXPECT_EQ(kernel.reqd_block[2], 1U);
    EXPECT_TRUE(kernel.uses_dynamic_stack);
    EXPECT_EQ(kernel.resources.vgpr_spill, 0U);
    ASSERT_EQ(kernel.arguments.size(), 2U);
    EXPECT_EQ(kernel.arguments[0].name, "dst");
    EXPECT_EQ(kernel.arguments[1].name, "n");
    const pm::Symbol* knob = object.find_symbol("knob");
    ASSERT_NE(knob, nullptr);
    EXPECT_EQ(knob->size, 4U);
    EXPECT_FALSE(knob->function);
    EXPECT_EQ(object.at(knob->address, 4), std::string_view("\7\0\0\0", 4));
}

TEST(HandWritten, ContradictionsAreErrors) {
    struct Case {
        const char* from;
        const char* to;
        std::vector<std::string> said;
    };
    const Case cases[] = {
        {".symbol: k.kd", ".symbol: l.kd", {"kernel k", "no descriptor symbol l.kd"}},
        {".symbol: k.kd", ".symbol: knob", {"knob has 4 bytes", "64"}},
        {".kernarg_segment_size: 12", ".kernarg_segment_size: 16", {"metadata says 16 kernarg bytes", "12"}},
        {".group_segment_fixed_size: 4\n    .priv", ".group_segment_fixed_size: 8\n    .priv", {"8 static LDS bytes"}},
        {".wavefront_size: 32", ".wavefront_size: 64", {"64 lanes a wave"}},
        {".wavefront_size: 32", ".wavefront_size: 16", {".wavefront_size is 16"}},
        {".name: n, .offset: 8, .size: 4",
         ".name: n, .offset: 8, .size: 8",
         {"argument 0 of kernel k", "[8, +8)", "12"}},
        {".name: n, .offset: 8", ".name: n, .offset: 4", {"two arguments at kernarg byte 4"}},
        {".offset: 8", ".offset: -8", {".offset is no integer"}},
        {"k:  s_endpgm", "    s_nop 0\nk:  s_endpgm", {"not aligned to 256"}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.to);
        expect_error(assemble(kAssembly, c.from, c.to), c.said);
    }
}

TEST(Foreign, IsSaidToBe) {
    expect_error("", {"empty"});
    expect_error("RECORD", {"offset 0x0", "neither an ELF file nor"});
    expect_error("\177ELF", {"offset 0x4", "cut off"});
    expect_error(read("/proc/self/exe"), {"offset 0x12", "machine 62", "AMDGPU"});
    expect_error("CCOB" + std::string(28, '\0'), {"offset 0x4", "damaged compressed offload bundle", "version 0"});
    assemble(kAssembly);
    expect_error(read(scratch() / "case.o"), {"offset 0x10", "linked code object"});
}

std::string patched(std::string bytes, std::size_t at, unsigned char value) {
    bytes.at(at) = static_cast<char>(value);
    return bytes;
}

TEST(Header, EachFieldIsChecked) {
    const std::string& good = small_object();
    expect_error(patched(good, 4, 1), {"offset 0x4", "64-bit"});
    expect_error(patched(good, 7, 65), {"offset 0x7", "OS ABI 65"});
    expect_error(patched(good, 8, 1), {"offset 0x8", "ABI version 1"});
    expect_error(patched(good, 48, 0x20), {"offset 0x30", "unknown chip number 0x20", "gfx1201"});
    expect_error(good, {"offset 0x30", "made for gfx1151", "expected gfx1100"}, *pm::find_chip("gfx1100"));
    expect_error(patched(good, 48, 0x4e), {"amdhsa.target", "gfx1151", "gfx1201"});
}

TEST(Random, BytesAreErrors) {
    const std::uint64_t seed = 20260701;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes(random() % 4096, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        // Half of them get past the first look.
        if (i % 2 == 0 && bytes.size() > 64) std::memcpy(bytes.data(), small_object().data(), 64);
        EXPECT_FALSE(pm::parse_code_object(bytes, "t.co")) << "seed " << seed << ", input " << i;
    }
}

TEST(Truncated, NeverCrashesAndNeverPasses) {
    const std::string& good = small_object();
    for (std::size_t length = 0; length < good.size(); length += length < 1024 ? 1 : 7)
        EXPECT_FALSE(pm::parse_code_object(std::string_view(good).substr(0, length), "t.co")) << length;
}

TEST(BitFlips, ReturnAnObjectOrAnError) {
    const std::uint64_t seed = 20260702;
    std::mt19937_64 random(seed);
    std::size_t errors = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string bytes = small_object();
        // Most flips where structure is: headers and notes at the front, section headers at the back.
        const std::size_t flips = 1 + random() % 4;
        for (std::size_t f = 0; f < flips; ++f) {
            std::size_t at = random() % bytes.size();
            if (random() % 4 != 0) at = random() % 2 != 0 ? random() % 1024 : bytes.size() - 1 - random() % 1024;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        }
        const auto object = pm::parse_code_object(bytes, "t.co");
        if (!object) {
            ++errors;
            EXPECT_EQ(object.error().text.rfind("t.co: ", 0), 0U) << "seed " << seed << ", flip " << i;
            continue;
        }
        for (const pm::Kernel& kernel : object->kernels)
            EXPECT_EQ(object->at(kernel.entry_address, kernel.code_size).size(), kernel.code_size)
                << "seed " << seed << ", flip " << i;
    }
    EXPECT_GT(errors, 1000U);
}

std::string u64(std::uint64_t value) {
    std::string out(8, '\0');
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(out.data(), &value, 8);
    return out;
}

/// A bundle by the layout of clang-offload-bundler's documentation.
std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string table = "__CLANG_OFFLOAD_BUNDLE__" + u64(entries.size());
    std::size_t at = table.size();
    for (const auto& [id, bytes] : entries) at += 24 + id.size();
    std::string content;
    for (const auto& [id, bytes] : entries) {
        table += u64(at + content.size()) + u64(bytes.size()) + u64(id.size()) + id;
        content += bytes;
    }
    return table + content;
}

TEST(Bundle, GivesTheWantedEntry) {
    const std::string gfx1030 = read(affine("gfx1030"));
    const std::string both = bundle({{"host-x86_64-unknown-linux-gnu", ""},
                                     {"hipv4-amdgcn-amd-amdhsa--gfx1151", small_object()},
                                     {"hipv4-amdgcn-amd-amdhsa--gfx1030", gfx1030}});
    const auto small = pm::parse_code_object(both, "t.co", *pm::find_chip("gfx1151"));
    ASSERT_TRUE(small) << small.error().text;
    EXPECT_EQ(small->bytes, small_object());
    const auto other = pm::parse_code_object(both, "t.co", *pm::find_chip("gfx1030"));
    ASSERT_TRUE(other) << other.error().text;
    EXPECT_EQ(other->bytes, gfx1030);
    expect_error(both, {"2 device entries", "gfx1151", "gfx1030"});
    expect_error(both, {"no entry for gfx1201", "gfx1151"}, *pm::find_chip("gfx1201"));
}

TEST(Bundle, OfOneEntryNeedsNoChip) {
    const std::string one =
        bundle({{"host-x86_64-unknown-linux-gnu", ""}, {"hipv4-amdgcn-amd-amdhsa-unknown-gfx1151", small_object()}});
    EXPECT_EQ(parse(one).bytes, small_object());
}

TEST(Bundle, ErrorsInAnEntryNameIt) {
    const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx1151";
    expect_error(bundle({{id, small_object().substr(0, 900)}}), {"entry " + id + " at 0x"});
    expect_error(bundle({{id, read(affine("gfx1030"))}}), {"made for gfx1030", "expected gfx1151"},
                 *pm::find_chip("gfx1151"));
    expect_error(bundle({{"host-x86_64-unknown-linux-gnu", "x"}}), {"0 device entries"});
    expect_error(bundle({{id, bundle({{id, small_object()}})}}), {"inside an offload bundle"});
}

TEST(Bundle, DamagedTablesAreErrors) {
    const std::string good = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1151", small_object()}});
    for (std::size_t length = 0; length < 100; ++length)
        EXPECT_FALSE(pm::parse_code_object(std::string_view(good).substr(0, length), "t.co")) << length;
    expect_error(patched(good, 31, 0xff), {"damaged offload bundle"});
    expect_error(patched(good, 39, 0xff), {"offset 0x20", "damaged offload bundle", "entry 0"});
    expect_error(patched(good, 47, 0xff), {"offset 0x20", "damaged offload bundle", "entry 0"});
    expect_error(patched(good, 55, 0xff), {"damaged offload bundle"});
}

TEST(Bundle, OfTheRealHipcc) {
    const fs::path source = scratch() / "hipcc.hip";
    write(source, "extern \"C\" __attribute__((global)) void k(int* p) { *p = 1; }\n");
    const fs::path out = scratch() / "hipcc.hipfb";
    run("hipcc --genco --offload-arch=gfx1030 -nogpuinc -nogpulib -O3 " + source.string() + " -o " + out.string());
    const auto object = pm::parse_code_object(read(out), "t.co", *pm::find_chip("gfx1030"));
    ASSERT_TRUE(object) << object.error().text;
    EXPECT_EQ(object->chip->name, "gfx1030");
    EXPECT_NE(object->find_kernel("k"), nullptr);
}

TEST(At, StaysInsideOneSegment) {
    const pm::CodeObject object = parse(small_object());
    const pm::Segment& segment = object.segments.front();
    EXPECT_EQ(object.at(segment.address, segment.file_size).size(), segment.file_size);
    EXPECT_TRUE(object.at(segment.address, segment.file_size + 1).empty());
    EXPECT_TRUE(object.at(segment.address + segment.file_size, 1).empty());
    EXPECT_TRUE(object.at(~std::uint64_t{0}, 2).empty());
    EXPECT_TRUE(object.at(segment.address, ~std::uint64_t{0}).empty());
}

} // namespace
