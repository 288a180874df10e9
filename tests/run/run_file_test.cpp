#include "peacemaker/run/run_file.h"

#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

namespace {

using Texts = std::vector<std::string>;

constexpr const char* kSource = R"(#define KERNEL extern "C" __attribute__((global)) void
struct Pair { int first; short second; };
static inline __attribute__((device)) int item() { return __builtin_amdgcn_workitem_id_x(); }
KERNEL mixed(short a, const int *v, unsigned char b, int *out, long long d) { out[item()] = a + v[item()] + b + (int)d; }
KERNEL pair(Pair p, int *out) { out[item()] = p.first + p.second; }
KERNEL outside(int *out) {
    const int i = item();
    out[i + 1] = i;
}
KERNEL nothing(int *out) {}
__attribute__((global)) void counted(int *out) { out[item()] = 7; }
)";

class RunFile : public testing::Test {
protected:
    /// The source as an object for gfx1151, compiled in its own folder.
    std::string object(const std::string& flags = "") const {
        EXPECT_TRUE(pm::write_file_atomically(folder.path("kernels/k.hip"), kSource));
        const auto ran = pm::testing::run_program(
            "sh", {"-c", "cd '" + folder.path() +
                             "' && clang++-22 -x hip --offload-arch=gfx1151 --cuda-device-only "
                             "--no-gpu-bundle-output -nogpulib -nogpuinc -O2 " +
                             flags + " -c kernels/k.hip -o k.co"});
        EXPECT_TRUE(ran) << (ran ? "" : ran.error().text);
        return folder.path("k.co");
    }
    static pm::RunRequest request(const std::string& file, const std::string& kernel, const Texts& arguments) {
        pm::RunRequest request;
        request.file = file;
        request.kernel = kernel;
        request.block = {4, 1, 1};
        for (const std::string& text : arguments) {
            auto argument = pm::parse_run_argument(text);
            EXPECT_TRUE(argument) << (argument ? "" : argument.error().text);
            if (argument) request.arguments.push_back(*argument);
        }
        return request;
    }
    static std::vector<int> ints(const std::vector<std::byte>& bytes) {
        std::vector<int> out(bytes.size() / sizeof(int));
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }

    pm::testing::Folder folder;
};

TEST_F(RunFile, ArgumentsLieWhereTheMetadataHasThem) {
    const auto result =
        pm::run_file(request(object(), "mixed", {"u16:1000", "buf:16:iota", "u8:200", "buf:16:uninit", "i64:7"}));
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_TRUE(result->report.findings.empty()) << pm::report_text(*result);
    EXPECT_EQ(ints(result->buffers[3]), (std::vector<int>{1207, 1208, 1209, 1210}));
}

TEST_F(RunFile, AStructureIsGivenAsItsBytes) {
    const auto result = pm::run_file(request(object(), "pair", {"hex:0a000000 feff 0000", "buf:16"}));
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_EQ(ints(result->buffers[1]), (std::vector<int>{8, 8, 8, 8}));
    for (const char* text : {"hex:", "hex:0", "hex:0g"}) {
        const auto argument = pm::parse_run_argument(text);
        ASSERT_FALSE(argument) << text;
        EXPECT_NE(argument.error().text.find("--arg hex"), std::string::npos) << argument.error().text;
    }
}

TEST_F(RunFile, ArgumentsThatAreNotTheMetadatasAreAnError) {
    struct Case {
        Texts arguments;
        const char* said;
    };
    const std::string file = object();
    for (const Case& c : {
             Case{{"u16:1", "buf:16", "u8:2", "buf:16"}, "4 given, the metadata has 5"},
             Case{{"u16:1", "buf:16", "u8:2", "buf:16", "i64:1", "u32:0"}, "6 given, the metadata has 5"},
             Case{{}, "0 given, the metadata has 5"},
             Case{{"u32:1", "buf:16", "u8:2", "buf:16", "i64:1"},
                  "argument 0 is a value of 4 bytes, the metadata has by_value, 2 bytes"},
             Case{{"u16:1", "u64:0", "u8:2", "buf:16", "i64:1"},
                  "argument 1 is a value of 8 bytes, the metadata has a buffer"},
             Case{{"u16:1", "buf:16", "u8:2", "buf:16", "buf:8"},
                  "argument 4 is a buffer, the metadata has by_value, 8 bytes"},
         }) {
        const auto result = pm::run_file(request(file, "mixed", c.arguments));
        ASSERT_FALSE(result) << c.said;
        const std::string& said = result.error().text;
        EXPECT_NE(said.find(file + ": arguments of kernel mixed: " + c.said), std::string::npos) << said;
        EXPECT_NE(said.find("\n  0  by_value, 2 bytes\n  1  a buffer\n  2  by_value, 1 bytes\n  3  a buffer\n  4  "
                            "by_value, 8 bytes"),
                  std::string::npos)
            << said;
    }
    const auto unknown = pm::run_file(request(file, "mixt", {"u16:1"}));
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().text.find("no kernel mixt"), std::string::npos) << unknown.error().text;
}

TEST_F(RunFile, AKernelIsNamedAsItsSourceNamesIt) {
    for (const char* name : {"counted", "counted(int*)", "_Z7countedPi"}) {
        const auto result = pm::run_file(request(object(), name, {"buf:16"}));
        ASSERT_TRUE(result) << result.error().text;
        EXPECT_EQ(ints(result->buffers[0]), (std::vector<int>{7, 7, 7, 7}));
    }
    pm::RunRequest asked = request(object(), "counted", {"buf:20:uninit"});
    asked.read_back = {0};
    const auto undefined = pm::run_file(asked);
    ASSERT_TRUE(undefined) << undefined.error().text;
    ASSERT_EQ(undefined->report.findings.size(), 1U);
    EXPECT_EQ(undefined->report.findings[0].kernel, "_Z7countedPi");
    const auto unknown = pm::run_file(request(object(), "count", {"buf:16"}));
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().text.find("no kernel count in the code object"), std::string::npos);
    EXPECT_NE(unknown.error().text.find("_Z7countedPi (counted(int*))"), std::string::npos) << unknown.error().text;
}

TEST_F(RunFile, AnyArgumentsShowWhatAStaleCallSiteDoes) {
    pm::RunRequest stale = request(object(), "mixed", {"u16:1", "buf:16:iota", "u8:2", "buf:16"});
    stale.any_arguments = true;
    const auto result = pm::run_file(stale);
    ASSERT_TRUE(result) << result.error().text;
    ASSERT_FALSE(result->report.findings.empty());
    EXPECT_EQ(result->report.findings[0].kind, pm::emu::FindingKind::kKernargNotSupplied);

    pm::RunRequest null = request(object(), "outside", {"u64:0"});
    null.any_arguments = true;
    const auto at_null = pm::run_file(null);
    ASSERT_TRUE(at_null) << at_null.error().text;
    ASSERT_EQ(at_null->report.findings.size(), 1U);
    EXPECT_EQ(at_null->report.findings[0].detail, "4 bytes at 0x4: byte 4 from a null pointer");
}

TEST_F(RunFile, UndefinedBytesOfADumpNameNoInstruction) {
    pm::RunRequest asked = request(object(), "nothing", {"buf:8:uninit"});
    asked.read_back = {0};
    const auto result = pm::run_file(asked);
    ASSERT_TRUE(result) << result.error().text;
    const std::string text = pm::report_text(*result);
    EXPECT_EQ(text.find("note: "), std::string::npos) << "it is a finding";
    EXPECT_TRUE(text.starts_with("finding: undefined output: nothing\n"
                                 "  argument 0: byte 0 of 8 is undefined when the host reads it\n  address 0x"))
        << text;
    EXPECT_EQ(text.find("lane 0"), std::string::npos) << text;
    EXPECT_EQ(text.find("+0x"), std::string::npos) << text;
    const auto json = nlohmann::json::parse(pm::emu::to_json(result->report)).at("findings").at(0);
    EXPECT_FALSE(json.contains("instruction"));
    EXPECT_FALSE(json.contains("lane"));
}

// 41 ints hold what lanes 0 to 39 write.
TEST_F(RunFile, AWave64NamesItsLanes) {
    pm::RunRequest wide = request(object("-mwavefrontsize64"), "outside", {"buf:164"});
    wide.block = {64, 1, 1};
    const auto result = pm::run_file(wide);
    ASSERT_TRUE(result) << result.error().text;
    ASSERT_EQ(result->report.findings.size(), 1U) << pm::report_text(*result);
    EXPECT_EQ(result->report.findings[0].count, 24U);
    const std::string text = pm::report_text(*result);
    EXPECT_NE(text.find("workgroup 0,0,0 wave 0 lane 40 "), std::string::npos) << text;
}

TEST_F(RunFile, UndefinedBytesThatNobodyReadsAreANoteAndNoFinding) {
    const std::string file = object();
    const auto text = [](const pm::RunRequest& asked) {
        const auto result = pm::run_file(asked);
        EXPECT_TRUE(result) << result.error().text;
        EXPECT_TRUE(result && result->report.findings.empty());
        return result ? pm::report_text(*result) : "";
    };
    EXPECT_TRUE(
        text(request(file, "nothing", {"buf:8:uninit"}))
            .starts_with("note: argument 0: 8 of 8 bytes are undefined, and no --dump reads them\ngfx1151: 0 "));
    EXPECT_TRUE(
        text(request(file, "counted", {"buf:20:uninit"}))
            .starts_with("note: argument 0: 4 of 20 bytes are undefined, and no --dump reads them\ngfx1151: 0 "));
    EXPECT_TRUE(text(request(file, "counted", {"buf:16:uninit"})).starts_with("gfx1151: 0 ")) << "it is whole";
    EXPECT_TRUE(text(request(file, "nothing", {"buf:8:zero"})).starts_with("gfx1151: 0 "));
}

TEST_F(RunFile, AFindingNamesItsSourceLineWhereTheObjectHasOne) {
    for (const auto& [flags, source] : {std::pair<const char*, std::string>{"", ""},
                                        {"-g", "kernels/k.hip:8"},
                                        {"-gline-tables-only", "kernels/k.hip:8"},
                                        {"-g -gdwarf-4", "kernels/k.hip:8"}}) {
        const auto result = pm::run_file(request(object(flags), "outside", {"buf:16"}));
        ASSERT_TRUE(result) << result.error().text;
        ASSERT_EQ(result->report.findings.size(), 1U) << pm::report_text(*result);
        EXPECT_EQ(result->report.findings[0].source, source) << flags;
        const std::string text = pm::report_text(*result);
        EXPECT_EQ(text.find("(kernels/k.hip:8)\n") != std::string::npos, !source.empty()) << text;
        EXPECT_EQ(nlohmann::json::parse(pm::emu::to_json(result->report)).at("findings").at(0).at("source"), source);
    }
}

} // namespace
