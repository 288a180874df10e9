// `hip-kernel-contract new` as a user runs it: on a kernel of the examples and one of this tree, until each passes its
// gates, and on what it must refuse.

#include "contract/toolchain/subprocess.h"
#include "contract/toolchain/toolchain.h"
#include "tests/toolchain/scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr const char* kBlank = "\"FILL_IN\"";

constexpr const char* kToolchains = R"toml([[toolchain]]
name = "clang-22.1.8"
kind = "clang"
version = "22.1.8"
pinned = true
compilers = ["clang++-22"]
)toml";

/// C++ kernels, whose symbols are mangled.
constexpr const char* kNames = R"hip(
typedef unsigned short u16;
struct Pair { float a, b; };
namespace sums {
__attribute__((global)) void plain(const float* x, double* const y, u16* z, long long wide, unsigned int few, float by, Pair both,
                                   void* any, const _Float16* half, int) {
    y[0] = x[0] * by + both.a + (float)wide + (float)few + (float)half[0];
    z[0] = ((u16*)any)[0];
}
}
template <typename T> __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(64, 64))) fill(T* to, int count) {
    const int i = __builtin_amdgcn_workitem_id_x();
    if (i < count) to[i] = 0;
}
template __attribute__((global)) void fill<float>(float*, int);
template __attribute__((global)) void fill<double>(double*, int);
)hip";

class New : public testing::Test {
protected:
    [[nodiscard]] hkc::Finished run(const std::string& script, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> environment = hkc::compiler_environment();
        environment.push_back("HKC_CACHE_DIR=" + (root() / "cache").string());
        environment.emplace_back("CONTRACT=" HKC_BINARY_DIR "/bin/hip-kernel-contract");
        environment.emplace_back("ROW_SUM=" ROW_SUM_ORACLES);
        environment.insert(environment.end(), more.begin(), more.end());
        auto done = hkc::run({{"/bin/sh", "-c", "exec 2>&1; " + script}, root(), environment});
        if (!done) {
            ADD_FAILURE() << done.error().text;
            return {};
        }
        return std::move(*done);
    }
    static void expect(const hkc::Finished& done, int status, const std::vector<std::string>& parts = {}) {
        EXPECT_EQ(done.signal, 0) << done.out;
        EXPECT_EQ(done.exit_status, status) << done.out;
        for (const std::string& part : parts)
            EXPECT_NE(done.out.find(part), std::string::npos) << part << " in: " << done.out;
    }
    /// In place of the first `from` of a file.
    void fill(const std::string& file, const std::string& from, const std::string& to) const {
        std::string text = text_of_file(root() / file);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from << " in: " << text;
        folder_.write(file, text.replace(at, from.size(), to));
    }
    /// The lines of a file that hold a blank, as FILE:LINE, but for the comment at the top.
    [[nodiscard]] std::set<std::string> blanks(const std::string& file) const {
        std::set<std::string> places;
        std::istringstream lines(text_of_file(root() / file));
        int number = 0;
        for (std::string line; std::getline(lines, line);) {
            ++number;
            if (!line.starts_with("#") && line.find(kBlank) != line.npos)
                places.insert(fmt::format("{}:{}", file, number));
        }
        return places;
    }
    /// The places that an output tells of a file.
    static std::set<std::string> told(const std::string& output, const std::string& file) {
        std::set<std::string> places;
        const std::regex place(file + ":\\d+");
        for (std::sregex_iterator it(output.begin(), output.end(), place), end; it != end; ++it)
            places.insert(it->str());
        return places;
    }
    void copy(const fs::path& from, const std::string& to) const {
        folder_.write(to, text_of_file(HKC_SOURCE_DIR / from));
    }

    [[nodiscard]] const fs::path& root() const { return folder_.path(); }

    ScratchFolder folder_;
};

TEST_F(New, AKernelOfTheExamplesPassesItsGatesOnceTheBlanksAreFilledIn) {
    copy("examples/row-sum/kernels/row_sum.hip", "kernels/row_sum.hip");
    const auto made = run("$CONTRACT new kernels/row_sum.hip row_sum");
    expect(made, 0,
           {"row_sum: 3 arguments, workgroups of at most 256 work-items", "wrote registry/row_sum.toml",
            "wrote oracles/row_sum.cpp", "wrote toolchains.toml", "wrote CMakeLists.txt"});
    const std::string file = "registry/row_sum.toml";
    const auto places = blanks(file);
    EXPECT_EQ(places.size(), 7U) << text_of_file(root() / file); // x, out, grid, two shapes, name and edit of a control
    EXPECT_EQ(told(made.out, file), places);
    // Nothing runs on a file with a blank, and each is named.
    const auto refused = run("$CONTRACT --device embedded --oracles $ROW_SUM");
    expect(refused, 2);
    EXPECT_EQ(told(refused.out, file), places);

    fill(file, "dims = [\"FILL_IN\"] }, # const float* x", "dims = [\"rows\", \"n\"] }, # const float* x");
    fill(file, "dims = [\"FILL_IN\"] }, # float* out", "dims = [\"rows\"] }, # float* out");
    fill(file, "grid = [\"FILL_IN\"]", "grid = [\"rows\"]");
    fill(file, "{ n = \"FILL_IN\", served", "{ rows = 2, n = 2048, served");
    fill(file, "{ n = [\"FILL_IN\"], ragged", "{ rows = [1, 3], n = [1, 257], ragged");
    EXPECT_EQ(told(run("$CONTRACT --device embedded --oracles $ROW_SUM").out, file), blanks(file));
    fill(file, "name = \"FILL_IN\"", "name = \"row_sum leaves out the last column\"");
    fill(file, "from = \"FILL_IN\", to = \"FILL_IN\"", "from = \"i < n;\", to = \"i < n - 1;\"");
    expect(run("$CONTRACT --device embedded --chip gfx1030,gfx1201 --gates 1-4 --oracles $ROW_SUM"), 0,
           {"SUMMARY gfx1030 1 kernels: 1 pass gates 1-4, 0 fail",
            "SUMMARY gfx1201 1 kernels: 1 pass gates 1-4, 0 fail", "1 controls: 1 red as planted, 0 missed"});
}

TEST_F(New, AKernelOfThisTreePassesItsGatesOnceTheBlanksAreFilledIn) {
    copy("kernels/affine_stream.hip", "kernels/affine_stream.hip");
    copy("toolchains.toml", "toolchains.toml");
    const std::string file = "registry/mine.toml";
    expect(run("$CONTRACT new kernels/affine_stream.hip relu2 --root . --chip gfx1151 --out " + file), 0,
           {"wrote registry/mine.toml"});
    EXPECT_FALSE(fs::exists(root() / "oracles"));
    EXPECT_FALSE(fs::exists(root() / "CMakeLists.txt"));
    fill(file, "oracle = \"FILL_IN\"", "oracle = \"relu2\"\nmatch = \"bound\"");
    for (int i = 0; i < 2; ++i)
        fill(file, "type = \"u16\", dims = [\"FILL_IN\"]", "type = \"activation\", dims = [\"count\"]");
    fill(file, "grid = [\"FILL_IN\"]", "grid = [\"ceildiv(count, 2048)\"]");
    fill(file, "count = \"FILL_IN\"", "count = 4096");
    fill(file, "count = [\"FILL_IN\"]", "count = [1, 7, 2053]");
    fill(file, "name = \"FILL_IN\"", "name = \"relu2 stops early\"");
    fill(file, "from = \"FILL_IN\", to = \"FILL_IN\"",
         "from = \"i < count; ++i) out[i]\", to = \"i < count - 1; ++i) out[i]\"");
    fill(file, "red_at = 3", "red_at = 2");
    fill(file, "finding = [\"outside the oracle\"]", "finding = [\"output not written\"]");
    expect(run("$CONTRACT --device embedded --gates 1-4"), 0,
           {"SUMMARY gfx1151 1 kernels: 1 pass gates 1-4, 0 fail", "1 controls: 1 red as planted, 0 missed"});
}

TEST_F(New, TellsNamesAndTypesOfMangledKernels) {
    folder_.write("names.hip", kNames);
    folder_.write("toolchains.toml", kToolchains);
    expect(run("$CONTRACT new names.hip plain --root . --chip gfx1151"), 0, {"_ZN4sums5plain", "10 arguments"});
    const std::string text = text_of_file(root() / "registry/plain.toml");
    // Sizes and offsets by the layout rule of C: each argument at a multiple of its alignment.
    for (
        const std::string line :
        {R"({ name = "x", dir = "in", type = "f32", dims = ["FILL_IN"] }, # const float* x (8 bytes at 0, global_buffer in global memory))",
         R"({ name = "y", dir = "out", type = "f64", dims = ["FILL_IN"] }, # double* y (8 bytes at 8, global_buffer in global memory))",
         R"({ name = "z", dir = "out", type = "u16", dims = ["FILL_IN"] }, # u16* z (8 bytes at 16, )",
         R"({ name = "wide", type = "i64" }, # long long wide (8 bytes at 24, by_value))",
         R"({ name = "few", type = "u32" }, # unsigned int few (4 bytes at 32, by_value))",
         R"({ name = "by", type = "f32", value = "FILL_IN" }, # float by (4 bytes at 36, by_value))",
         R"({ name = "both", type = "FILL_IN", value = "FILL_IN" }, # Pair both (8 bytes at 40, by_value))",
         R"({ name = "any", dir = "out", type = "FILL_IN", dims = ["FILL_IN"] }, # void* any (8 bytes at 48, )",
         R"({ name = "half", dir = "in", type = "fp16", dims = ["FILL_IN"] }, # const _Float16* half (8 bytes at 56, )",
         R"({ name = "arg9", type = "i32" }, # int arg9 (4 bytes at 64, by_value))", R"(symbol = "_ZN4sums5plain)",
         R"(block = ["FILL_IN"])"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\nin:\n" << text;
}

TEST_F(New, SaysWhichKernelsThereAreWhereItIsNone) {
    folder_.write("names.hip", kNames);
    folder_.write("toolchains.toml", kToolchains);
    expect(run("$CONTRACT new names.hip plane --root ."), 2,
           {"no kernel plane", "did you mean \"plain\"?", "sums::plain(float const*", "_Z4fillIfEvPT_i"});
    expect(run("$CONTRACT new names.hip fill --root ."), 2,
           {"2 kernels are called fill", "_Z4fillIfEvPT_i", "_Z4fillIdEvPT_i"});
    EXPECT_FALSE(fs::exists(root() / "registry"));
    expect(run("$CONTRACT new names.hip _Z4fillIdEvPT_i --root . --chip gfx1151"), 0);
    const std::string text = text_of_file(root() / "registry/_Z4fillIdEvPT_i.toml");
    EXPECT_NE(text.find("block = [64]"), std::string::npos) << text;
    EXPECT_NE(text.find(R"(name = "to", dir = "out", type = "f64")"), std::string::npos) << text;
}

TEST_F(New, OverwritesNothing) {
    folder_.write("names.hip", kNames);
    folder_.write("toolchains.toml", kToolchains);
    folder_.write("CMakeLists.txt", "mine");
    for (const std::string file : {"registry/plain.toml", "oracles/plain.cpp"}) {
        folder_.write(file, "mine");
        expect(run("$CONTRACT new names.hip plain --root . --chip gfx1151"), 2,
               {file + " is there already; nothing was written"});
        EXPECT_EQ(text_of_file(root() / file), "mine");
        fs::remove(root() / file);
        EXPECT_TRUE(fs::is_empty(root() / fs::path(file).parent_path()));
    }
    expect(run("$CONTRACT new names.hip plain --root . --chip gfx1151 --out names.hip"), 2,
           {"names.hip is there already"});
    EXPECT_EQ(text_of_file(root() / "names.hip"), kNames);
    expect(run("$CONTRACT new names.hip plain --root . --chip gfx1151"), 0,
           {"CMakeLists.txt is there already; its new tests are\nadd_library(plain_oracle MODULE oracles/plain.cpp)"});
    EXPECT_EQ(text_of_file(root() / "CMakeLists.txt"), "mine");
    EXPECT_EQ(text_of_file(root() / "toolchains.toml"), kToolchains);
}

TEST_F(New, WithoutACompilerIsExitStatus3) {
    folder_.write("names.hip", kNames);
    expect(run("PATH=/nowhere; ROCM_PATH=/nowhere; $CONTRACT new names.hip plain --root ."), 3, {"is not installed"});
    folder_.write("toolchains.toml", "[[toolchain]]\nname = \"absent\"\nkind = \"clang\"\nversion = \"3.2.1\"\n"
                                     "pinned = true\ncompilers = [\"hkc-no-such-compiler\"]\n");
    expect(run("$CONTRACT new names.hip plain --root ."), 3, {"toolchain absent is not installed"});
    EXPECT_FALSE(fs::exists(root() / "registry"));
}

TEST_F(New, RefusesWhatIsNoSourceOfTheProject) {
    folder_.write("names.hip", kNames);
    folder_.write("toolchains.toml", kToolchains);
    fs::create_directories(root() / "inner");
    expect(run("$CONTRACT new no.hip plain --root ."), 2, {"no.hip: no such file"});
    expect(run("$CONTRACT new names.hip plain --root inner"), 2, {"names.hip is not below inner"});
    expect(run("$CONTRACT new names.hip plain --root . --chip gfx1152x"), 2, {"--chip", "gfx1152x"});
    folder_.write("broken.hip", "no kernel at all");
    expect(run("$CONTRACT new broken.hip plain --root . --chip gfx1151"), 2, {"broken.hip for gfx1151", "error:"});
    EXPECT_FALSE(fs::exists(root() / "registry"));
}

} // namespace
