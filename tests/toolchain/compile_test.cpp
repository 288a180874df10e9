// With the real compilers: the pinned clang and hipcc, behind scripts that count their runs, and with scripts that are
// broken compilers.
#include "contract/toolchain/compile.h"

#include "peacemaker/object/code_object.h"
#include "peacemaker/object/source_line.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(#include "part.h"
extern "C" __attribute__((global)) void store(int* out) { out[0] = VALUE + PART; }
)";

/// A root with one source and its header, a cache, and the pinned compiler behind a script that counts.
class Compile : public testing::Test {
protected:
    void SetUp() override {
        const auto specs = hkc::load_toolchains(HKC_SOURCE_DIR);
        ASSERT_TRUE(specs) << specs.error().text;
        const auto pinned = hkc::find_installed(*hkc::pinned_toolchain(*specs), {});
        ASSERT_TRUE(pinned) << hkc::missing_text(*hkc::pinned_toolchain(*specs));
        real_ = *pinned;
        toolchain_ = behind("echo >> " + runs_file().string() + "\nexec " + real_.compiler.string() + " \"$@\"\n");
        folder_.write("kernels/k.hip", kSource);
        folder_.write("kernels/part.h", "#define PART 5\n");
        folder_.write("include/other.h", "#define PART 9\n");
        request_.toolchain = &toolchain_;
        request_.chip = *pm::find_chip("gfx1151");
        request_.root = folder_.path();
        request_.source = "kernels/k.hip";
        request_.flags = {"-O1", "-DVALUE=7"};
    }

    [[nodiscard]] fs::path runs_file() const { return folder_.path() / "runs"; }
    [[nodiscard]] fs::path cache() const { return folder_.path() / "cache"; }
    [[nodiscard]] std::size_t runs() const { return text_of_file(runs_file()).size(); }

    /// The pinned toolchain, whose compiler is that script.
    hkc::Toolchain behind(const std::string& script) const {
        hkc::Toolchain made = real_;
        made.compiler = folder_.write_script("bin/clang", script);
        made.identity = script;
        return made;
    }

    hkc::CompiledObject compiled() {
        pm::Result<hkc::CompiledObject> object = hkc::compile(request_, cache());
        if (!object) {
            ADD_FAILURE() << object.error().text;
            return {};
        }
        return std::move(*object);
    }

    std::string error() {
        const pm::Result<hkc::CompiledObject> object = hkc::compile(request_, cache());
        if (object) {
            ADD_FAILURE() << "it compiled";
            return {};
        }
        return object.error().text;
    }

    void expect_error(const std::vector<std::string>& parts) {
        const std::string text = error();
        for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
        // Nothing is kept of a failure.
        for (const char* kept : {"objects", "work"})
            EXPECT_TRUE(!fs::exists(cache() / kept) || fs::is_empty(cache() / kept)) << kept;
    }

    std::vector<fs::path> files_in(const std::string& folder, const std::string& extension) const {
        std::vector<fs::path> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(cache() / folder))
            if (entry.path().extension() == extension) files.push_back(entry.path());
        return files;
    }

    ScratchFolder folder_;
    hkc::Toolchain real_;
    hkc::Toolchain toolchain_;
    hkc::CompileRequest request_;
};

TEST_F(Compile, GivesTheObjectForTheChipWithItsFingerprint) {
    const hkc::CompiledObject object = compiled();
    EXPECT_FALSE(object.from_cache);
    EXPECT_TRUE(text_of_file(object.object) == object.bytes);
    const auto parsed = pm::parse_code_object(object.bytes, "object");
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->chip->name, "gfx1151");
    EXPECT_NE(parsed->find_kernel("store"), nullptr);
    ASSERT_EQ(object.fingerprint.idents.size(), 1U);
    EXPECT_NE(object.fingerprint.idents[0].find("clang version 22.1.8"), std::string::npos);
    ASSERT_EQ(object.fingerprint.linkers.size(), 1U);
    EXPECT_EQ(object.fingerprint.flags,
              (std::vector<std::string>{"-x hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-O1", "-DVALUE=7"}));
}

TEST_F(Compile, TakesTheObjectFromTheCacheWithoutRunningTheCompiler) {
    const hkc::CompiledObject first = compiled();
    ASSERT_EQ(runs(), 1U);
    const hkc::CompiledObject second = compiled();
    EXPECT_EQ(runs(), 1U);
    EXPECT_TRUE(second.from_cache);
    EXPECT_TRUE(second.bytes == first.bytes);
    EXPECT_EQ(second.object, first.object);
    EXPECT_EQ(second.fingerprint, first.fingerprint);
    EXPECT_EQ(second.fingerprint.linkers, first.fingerprint.linkers);
}

TEST_F(Compile, BuildsAgainWhatChanged) {
    const hkc::CompiledObject first = compiled();
    struct Change {
        const char* what;
        std::function<void()> make;
        bool other_bytes;
    };
    const std::vector<Change> changes = {
        {"an included file", [&] { folder_.write("kernels/part.h", "#define PART 6\n"); }, true},
        {"the source", [&] { folder_.write("kernels/k.hip", std::string(kSource) + "// more\n"); }, false},
        {"a flag", [&] { request_.flags.emplace_back("-DVALUE=8"); }, true},
        {"a planted define", [&] { request_.defines = {"PLANTED=1"}; }, false},
        {"the chip", [&] { request_.chip = *pm::find_chip("gfx1201"); }, true},
        {"the compiler's identity", [&] { toolchain_.identity += "x"; }, false},
        {"the compiler's file",
         [&] { folder_.write_script("bin/clang", text_of_file(toolchain_.compiler).substr(10) + "#\n"); }, false},
    };
    std::string last = first.bytes;
    std::size_t expected = 1;
    for (const Change& change : changes) {
        change.make();
        const hkc::CompiledObject next = compiled();
        EXPECT_EQ(runs(), ++expected) << change.what;
        EXPECT_FALSE(next.from_cache) << change.what;
        if (change.other_bytes) {
            EXPECT_TRUE(next.bytes != last) << change.what;
        }
        last = next.bytes;
        EXPECT_TRUE(compiled().from_cache) << change.what;
        EXPECT_EQ(runs(), expected) << change.what;
    }
}

// A file that was not there when an object was built leaves no hash that could change.
TEST_F(Compile, BuildsAgainWhereAFileComesThatWasAskedForInVain) {
    request_.flags = {"-O1", "-DVALUE=7", "-Ifirst", "-Iinclude"};
    folder_.write("kernels/k.hip",
                  std::string("#include <other.h>\n") +
                      "#if __has_include(\"late.h\")\n#define WHICH 3\n#else\n#define WHICH 4\n#endif\n"
                      "extern \"C\" __attribute__((global)) void store(int* out) { out[0] = PART + WHICH; }\n");
    std::string last = compiled().bytes;
    EXPECT_TRUE(compiled().from_cache);
    for (const char* file : {"kernels/late.h", "first/other.h"}) {
        folder_.write(file, "#define PART 2\n");
        const hkc::CompiledObject next = compiled();
        EXPECT_FALSE(next.from_cache) << file;
        EXPECT_TRUE(next.bytes != last) << file;
        EXPECT_TRUE(compiled().from_cache) << file;
        last = next.bytes;
    }
}

TEST_F(Compile, KeepsNoObjectWhereAMacroNamesAFile) {
    folder_.write("kernels/k.hip",
                  std::string("#define LATE \"late.h\"\n#if __has_include(LATE)\n#define MORE 1\n#else\n"
                              "#define MORE 0\n#endif\n") +
                      "extern \"C\" __attribute__((global)) void store(int* out) { out[0] = MORE; }\n");
    const hkc::CompiledObject first = compiled();
    folder_.write("kernels/late.h", "");
    EXPECT_TRUE(compiled().bytes != first.bytes);
}

TEST_F(Compile, KeepsAnObjectWhoseFilesWereOnlyTouched) {
    (void)compiled();
    const timespec now[2] = {{5000, 0}, {5000, 0}};
    for (const char* file : {"kernels/part.h", "kernels/k.hip"})
        ASSERT_EQ(::utimensat(AT_FDCWD, (folder_.path() / file).c_str(), now, 0), 0);
    EXPECT_TRUE(compiled().from_cache);
}

TEST_F(Compile, SharesObjectsBetweenTwoRootsOfTheSameContent) {
    (void)compiled();
    const ScratchFolder other;
    other.write("kernels/k.hip", kSource);
    other.write("kernels/part.h", "#define PART 5\n");
    request_.root = other.path();
    EXPECT_TRUE(compiled().from_cache);
    other.write("kernels/part.h", "#define PART 50\n");
    EXPECT_FALSE(compiled().from_cache);
}

TEST_F(Compile, BuildsAgainWhereTheCacheIsDamaged) {
    const hkc::CompiledObject first = compiled();
    const std::vector<std::pair<std::string, std::string>> parts = {{"objects", ".co"}, {"compile", ".json"}};
    std::size_t expected = 1;
    for (const auto& [folder, extension] : parts) {
        const std::vector<fs::path> files = files_in(folder, extension);
        ASSERT_EQ(files.size(), 1U) << folder;
        const std::string whole = text_of_file(files[0]);
        std::string flipped = whole;
        flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 4);
        for (const std::string& damaged : {flipped, whole.substr(0, whole.size() / 2), std::string()}) {
            folder_.write(fs::path(files[0]).lexically_relative(folder_.path()).string(), damaged);
            const hkc::CompiledObject again = compiled();
            EXPECT_FALSE(again.from_cache) << folder;
            EXPECT_TRUE(again.bytes == first.bytes);
            EXPECT_EQ(runs(), ++expected);
            EXPECT_TRUE(compiled().from_cache) << folder;
        }
        fs::remove(files[0]);
        EXPECT_FALSE(compiled().from_cache) << folder;
        EXPECT_EQ(runs(), ++expected);
    }
}

TEST_F(Compile, MakesEditsAndLeavesTheFingerprint) {
    const hkc::CompiledObject plain = compiled();
    request_.edits = {{"out[0]", "out[1]"}, {"VALUE + PART", "VALUE - PART"}};
    request_.defines = {"PLANTED"};
    const hkc::CompiledObject edited = compiled();
    EXPECT_TRUE(edited.bytes != plain.bytes);
    EXPECT_EQ(edited.fingerprint, plain.fingerprint);
    EXPECT_TRUE(compiled().from_cache);
    EXPECT_EQ(text_of_file(folder_.path() / "kernels/k.hip"), kSource);

    // The edited copy stands elsewhere, and still includes what its source includes.
    folder_.write("kernels/part.h", "#define PART 500\n");
    EXPECT_FALSE(compiled().from_cache);
}

TEST_F(Compile, GivesTheSameObjectWhereverTheSourceStands) {
    const hkc::CompiledObject first = compiled();
    const ScratchFolder other;
    other.write("kernels/k.hip", kSource);
    other.write("kernels/part.h", "#define PART 5\n");
    request_.root = other.path();
    const pm::Result<hkc::CompiledObject> second = hkc::compile(request_, other.path() / "cache");
    ASSERT_TRUE(second) << second.error().text;
    EXPECT_FALSE(second->from_cache);
    EXPECT_TRUE(second->bytes == first.bytes);
}

TEST_F(Compile, ObjectsNameLinesOfTheSourceAndNoFolder) {
    for (const bool edited : {false, true}) {
        if (edited) request_.edits = {{"out[0]", "out[1]"}};
        const hkc::CompiledObject object = compiled();
        const auto parsed = pm::parse_code_object(object.bytes, "object");
        ASSERT_TRUE(parsed) << parsed.error().text;
        const std::uint64_t entry = parsed->find_kernel("store")->entry_address;
        const std::vector<std::string> lines = pm::source_lines(*parsed, std::span(&entry, 1));
        ASSERT_EQ(lines.size(), 1U);
        EXPECT_TRUE(lines[0].starts_with("kernels/k.hip:")) << lines[0];
        EXPECT_EQ(object.bytes.find(folder_.path().string()), std::string::npos) << "edited: " << edited;
    }
}

TEST_F(Compile, EditsEqualToAnotherSourceGiveItsCode) {
    request_.edits = {{"out[0]", "out[1]"}};
    const hkc::CompiledObject edited = compiled();
    request_.edits = {};
    folder_.write(
        "kernels/k.hip",
        "#include \"part.h\"\nextern \"C\" __attribute__((global)) void store(int* out) { out[1] = VALUE + PART; }\n");
    const hkc::CompiledObject written = compiled();
    const auto text = [](const hkc::CompiledObject& object) {
        const auto parsed = pm::parse_code_object(object.bytes, "object");
        EXPECT_TRUE(parsed);
        const pm::Kernel* kernel = parsed->find_kernel("store");
        return std::string(parsed->at(kernel->entry_address, kernel->code_size));
    };
    EXPECT_TRUE(text(edited) == text(written));
}

TEST_F(Compile, RefusesAnEditThatDoesNotOccurExactlyOnce) {
    request_.edits = {{"PART + VALUE", "0"}};
    expect_error({"PART + VALUE", "kernels/k.hip"});
    request_.edits = {{"out", "in"}};
    expect_error({"'out'", "more than once", "kernels/k.hip"});
    EXPECT_EQ(runs(), 0U);
}

TEST_F(Compile, ShowsWhatTheCompilerSaysWithTheSourceAndTheCommand) {
    folder_.write("kernels/k.hip", "#include \"part.h\"\nthis is no C++;\n");
    expect_error({"kernels/k.hip for gfx1151", "clang-22.1.8 failed: exit status 1",
                  "kernels/k.hip:2:", "this is no C++", "--offload-arch=gfx1151", "-DVALUE=7"});
    EXPECT_EQ(error().find("-cc1"), std::string::npos) << "what -v prints is no message";
}

TEST_F(Compile, NamesTheAuthorsFileAndLineInAnEditedSource) {
    request_.edits = {{"out[0]", "nothing"}};
    expect_error({"kernels/k.hip:2:", "'nothing'"});
}

TEST_F(Compile, SaysThatTheSourceIsMissing) {
    request_.source = "kernels/none.hip";
    expect_error({(folder_.path() / "kernels/none.hip").string(), "No such file"});
}

TEST_F(Compile, SaysThatTheToolchainDoesNotBuildTheChip) {
    toolchain_.spec.chips = {"gfx1030"};
    expect_error({"clang-22.1.8 does not build gfx1151", "gfx1030"});
}

struct Broken {
    const char* what;
    const char* script;
    std::vector<std::string> expected;
};

TEST_F(Compile, TellsBrokenCompilersApart) {
    // Each gets the output's name behind -o.
    const std::string find_output = "while [ \"$1\" != -o ]; do shift; done; out=$2\n";
    const std::vector<Broken> cases = {
        {"fails", "echo 'fatal: licence' >&2; exit 4\n", {"failed: exit status 4", "fatal: licence"}},
        {"fails in silence", "exit 1\n", {"failed: exit status 1", "it printed nothing"}},
        {"dies", "kill -11 $$\n", {"failed: killed by signal 11"}},
        {"writes nothing", "echo done\n", {"wrote no object", "done"}},
        {"writes nonsense", "echo nonsense > $out\n", {"9 bytes that are no code object for gfx1151"}},
        {"writes an empty file", ": > $out\n", {"0 bytes that are no code object"}},
        {"writes a host program", "cat /bin/sh > $out\n", {"that are no code object for gfx1151"}},
    };
    for (const Broken& one : cases) {
        toolchain_ = behind(find_output + one.script);
        std::vector<std::string> expected = one.expected;
        expected.emplace_back("kernels/k.hip for gfx1151");
        SCOPED_TRACE(one.what);
        expect_error(expected);
    }
}

TEST_F(Compile, RefusesAnObjectForAnotherChipOrWithoutADependencyList) {
    request_.chip = *pm::find_chip("gfx1100");
    const hkc::CompiledObject other = compiled();
    fs::copy(other.object, folder_.path() / "other.co");
    fs::remove_all(cache());
    request_.chip = *pm::find_chip("gfx1151");
    const std::string copy =
        "while [ \"$1\" != -o ]; do shift; done; cp " + (folder_.path() / "other.co").string() + " $2\n";
    toolchain_ = behind(copy);
    expect_error({"no code object for gfx1151", "gfx1100"});
    request_.chip = *pm::find_chip("gfx1100");
    expect_error({"wrote no dependency list"});
}

TEST_F(Compile, SaysThatTheCompilerIsGone) {
    fs::remove(toolchain_.compiler);
    expect_error({toolchain_.compiler.string(), "No such file", "kernels/k.hip for gfx1151"});
}

TEST_F(Compile, DoesNotKeepWhatWasBuiltFromAFileThatChangedMeanwhile) {
    const std::string run = "exec " + real_.compiler.string() + " \"$@\"\n";
    toolchain_ = behind("echo '#define PART 6' > kernels/part.h\n" + run);
    EXPECT_FALSE(compiled().from_cache);
    toolchain_.identity = "another";
    EXPECT_FALSE(compiled().from_cache);
    EXPECT_FALSE(compiled().from_cache);

    toolchain_ = behind("echo '// more' >> kernels/k.hip\n" + run);
    EXPECT_NE(error().find("changed while it was being compiled"), std::string::npos);
}

TEST_F(Compile, SaysThatTheCacheCannotBeWritten) {
    folder_.write("cache", "a file");
    const std::string text = error();
    EXPECT_NE(text.find(cache().string()), std::string::npos) << text;
    EXPECT_NE(text.find("HKC_CACHE_DIR"), std::string::npos) << text;
}

TEST_F(Compile, CompilesOnceForThreadsThatAskTogether) {
    const std::vector<hkc::CompileRequest> requests(8, request_);
    std::size_t last = 0;
    const auto objects = hkc::compile_all(requests, cache(), 8, [&last](std::size_t done) { EXPECT_EQ(done, ++last); });
    ASSERT_EQ(objects.size(), 8U);
    EXPECT_EQ(last, 8U);
    for (const auto& object : objects) {
        ASSERT_TRUE(object) << object.error().text;
        EXPECT_TRUE(object->bytes == objects[0]->bytes);
    }
    EXPECT_EQ(runs(), 1U);
}

TEST_F(Compile, CompilesOnceForProcessesThatAskTogether) {
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) ::_exit(hkc::compile(request_, cache()) ? 0 : 1);
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(runs(), 1U);
    EXPECT_TRUE(compiled().from_cache);
}

TEST_F(Compile, KeepsTheOrderOfRequestsAndTheirErrors) {
    std::vector<hkc::CompileRequest> requests(3, request_);
    requests[1].source = "kernels/none.hip";
    requests[2].chip = *pm::find_chip("gfx1201");
    const auto objects = hkc::compile_all(requests, cache(), 2);
    ASSERT_EQ(objects.size(), 3U);
    EXPECT_TRUE(objects[0]);
    EXPECT_FALSE(objects[1]);
    ASSERT_TRUE(objects[2]);
    EXPECT_EQ(pm::parse_code_object(objects[2]->bytes, "object")->chip->name, "gfx1201");
    EXPECT_TRUE(hkc::compile_all({}, cache(), 2).empty());
}

TEST_F(Compile, DrivesTheRealHipcc) {
    const auto specs = hkc::load_toolchains(HKC_SOURCE_DIR);
    const auto spec = hkc::find_toolchain(*specs, "hipcc-5.2");
    ASSERT_TRUE(spec);
    const auto hipcc = hkc::find_installed(**spec, cache());
    ASSERT_TRUE(hipcc) << hkc::missing_text(**spec);
    request_.toolchain = &*hipcc;
    request_.chip = *pm::find_chip("gfx1030");
    const hkc::CompiledObject object = compiled();
    EXPECT_TRUE(object.bytes.starts_with("__CLANG_OFFLOAD_BUNDLE__"));
    const auto parsed = pm::parse_code_object(object.bytes, "object", request_.chip);
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_NE(parsed->find_kernel("store"), nullptr);
    EXPECT_FALSE(object.fingerprint.idents.empty());
    EXPECT_TRUE(compiled().from_cache);

    folder_.write("kernels/k.hip", "#error no\n");
    EXPECT_NE(error().find("kernels/k.hip:1:2: error: no"), std::string::npos) << error();
}

// HIP's own headers and device libraries, for a chip that those of Debian 12 know and for one that is later.
TEST_F(Compile, BuildsWhatIncludesHipsHeadersWithTheDeviceLibraries) {
    folder_.write("kernels/k.hip", R"(#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(64) store(float* out, __half* halves) {
    __shared__ float part[64];
    part[threadIdx.x] = tanhf(static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    out[threadIdx.x] = __shfl_xor(part[63 - threadIdx.x], 1);
    halves[threadIdx.x] = hrcp(__float2half(part[threadIdx.x])) + __low2half(h2rcp(__float2half2_rn(out[0])));
}
)");
    toolchain_.spec.kind = hkc::CompilerKind::kClangHip;
    for (const char* chip : {"gfx1030", "gfx1151"}) {
        request_.chip = *pm::find_chip(chip);
        const hkc::CompiledObject object = compiled();
        const auto parsed = pm::parse_code_object(object.bytes, "object", request_.chip);
        ASSERT_TRUE(parsed) << parsed.error().text;
        EXPECT_NE(parsed->find_kernel("store"), nullptr);
        EXPECT_EQ(object.fingerprint.flags,
                  (std::vector<std::string>{"-x hip", "--cuda-device-only", "-nogpulib", "-nogpuinc",
                                            "-D__AMDGCN_WAVEFRONT_SIZE=32", "-O1", "-DVALUE=7"}));
        EXPECT_GE(object.fingerprint.idents.size(), 2U) << "the device libraries' own is not there";
        EXPECT_TRUE(compiled().from_cache) << chip;
    }
}

TEST_F(Compile, SaysWhichKindBuildsWhatIncludesHipsHeaders) {
    folder_.write("kernels/k.hip", "#include <hip/hip_runtime.h>\n");
    toolchain_.spec.line = 7;
    EXPECT_NE(error().find("needs a toolchain of the kind \"clang-hip\" or \"hipcc\"; toolchains.toml:7 is \"clang\""),
              std::string::npos)
        << error();
}

TEST(CacheDir, IsTheVariablesOrTheRoots) {
    ::unsetenv("HKC_CACHE_DIR");
    const ScratchFolder root;
    EXPECT_EQ(hkc::default_cache_dir(root.path()), root.path() / ".cache");
    EXPECT_EQ(text_of_file(root.path() / ".cache/.gitignore"), "*\n");
    root.write(".cache/.gitignore", "objects\n");
    EXPECT_EQ(hkc::default_cache_dir(root.path()), root.path() / ".cache");
    EXPECT_EQ(text_of_file(root.path() / ".cache/.gitignore"), "objects\n") << "the user's";
    ::setenv("HKC_CACHE_DIR", "/elsewhere", 1);
    EXPECT_EQ(hkc::default_cache_dir(root.path()), "/elsewhere");
    ::unsetenv("HKC_CACHE_DIR");
}

// Nobody can write below a file that is no folder, the superuser included.
TEST(CacheDir, OfARootThatCannotBeWrittenIsTheUsers) {
    ::unsetenv("HKC_CACHE_DIR");
    ::setenv("HOME", "/somebody", 1);
    ::setenv("XDG_CACHE_HOME", "/caches", 1);
    EXPECT_EQ(hkc::default_cache_dir("/dev/null/root"), "/caches/hip-kernel-contract");
    ::unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(hkc::default_cache_dir("/dev/null/root"), "/somebody/.cache/hip-kernel-contract");
}

} // namespace
