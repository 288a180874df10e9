#include "contract/toolchain/toolchain.h"

#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace {

using hkc::CompilerKind;

/// Sets a variable of the environment, and gives it its old value back.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (old_)
            ::setenv(name_, old_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

constexpr const char* kGood = R"([[toolchain]]
name = "clang-9.8.7"
kind = "clang"
version = "9.8.7"
pinned = true
compilers = ["hkc-clang"]

[[toolchain]]
name = "hip"
kind = "hipcc"
version = "5.2"
compilers = ["hipcc", "/opt/x/hipcc"]
chips = ["gfx1030", "gfx1151"]
)";

TEST(Toolchains, AreRead) {
    const auto specs = hkc::parse_toolchains(kGood, "t.toml");
    ASSERT_TRUE(specs) << specs.error().text;
    ASSERT_EQ(specs->size(), 2U);
    EXPECT_EQ((*specs)[0].name, "clang-9.8.7");
    EXPECT_EQ((*specs)[0].kind, CompilerKind::kClang);
    EXPECT_EQ((*specs)[0].line, 1U);
    EXPECT_TRUE((*specs)[0].builds("gfx1201"));
    EXPECT_EQ((*specs)[1].kind, CompilerKind::kHipcc);
    EXPECT_EQ((*specs)[1].compilers, (std::vector<std::string>{"hipcc", "/opt/x/hipcc"}));
    EXPECT_TRUE((*specs)[1].builds("gfx1030"));
    EXPECT_FALSE((*specs)[1].builds("gfx1201"));
    EXPECT_EQ(hkc::pinned_toolchain(*specs), specs->data());
}

TEST(Toolchains, OfTheTreeAreThoseThatIsRecordedWith) {
    const auto specs = hkc::load_toolchains(HKC_SOURCE_DIR);
    ASSERT_TRUE(specs) << specs.error().text;
    EXPECT_EQ(hkc::pinned_toolchain(*specs)->name, "clang-22.1.8");
    EXPECT_TRUE(hkc::find_toolchain(*specs, "clang-19.1.7"));
    EXPECT_TRUE(hkc::find_toolchain(*specs, "hipcc-5.2"));
    const auto wrong = hkc::find_toolchain(*specs, "clang-22.1.9");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().text.find("did you mean \"clang-22.1.8\""), std::string::npos) << wrong.error().text;
}

struct Malformed {
    const char* what;
    std::string from, to; // in kGood
    const char* expected; // part of the message
};

TEST(Toolchains, SayWhatIsWrongAndWhere) {
    const std::vector<Malformed> cases = {
        {"no TOML", "[[toolchain]]", "[[toolchain", "t.toml:1: "},
        {"unknown top key", "[[toolchain]]", "x = 1\n[[toolchain]]", "t.toml:1: unknown key \"x\""},
        {"unknown key", "version = \"9", "versoin = \"9",
         "t.toml:4: unknown key \"versoin\" in [[toolchain]] (did you mean \"version\"?)"},
        {"missing key", "compilers = [\"hkc-clang\"]", "", "t.toml:1: [[toolchain]] has no \"compilers\""},
        {"kind", "\"clang\"\n", "\"gcc\"\n", "t.toml:3: kind = 'gcc'; expected \"clang\", \"clang-hip\" or \"hipcc\""},
        {"type of the name", "name = \"hip\"", "name = 5", "t.toml:9: name = 5; expected a text"},
        {"a name that leaves the folder", "name = \"hip\"", "name = \"../hip\"",
         "t.toml:9: name = '../hip'; expected a name without '/'"},
        {"no version", "\"9.8.7\"\n", "\"latest\"\n", "t.toml:4: version = 'latest'; expected a version"},
        {"pinned type", "true", "1", "t.toml:5: pinned = 1; expected true or false"},
        {"nothing pinned", "pinned = true", "", "no toolchain is pinned"},
        {"two pinned", "kind = \"hipcc\"", "kind = \"hipcc\"\npinned = true",
         "\"hip\" is pinned, and so is \"clang-9.8.7\""},
        {"no compilers", "[\"hkc-clang\"]", "[]", "t.toml:6: compilers = []; expected a list of texts, at least one"},
        {"relative compiler", "\"hkc-clang\"", "\"bin/hkc-clang\"",
         "t.toml:6: compiler \"bin/hkc-clang\"; expected a program's name or an absolute path"},
        {"unknown chip", "\"gfx1151\"", "\"gfx1152\"", "t.toml:13: unknown chip \"gfx1152\" (did you mean"},
        {"a name twice", "\"hip\"", "\"clang-9.8.7\"", "t.toml:8: toolchain \"clang-9.8.7\" is there twice"},
    };
    for (const Malformed& one : cases) {
        std::string text = kGood;
        const std::size_t at = text.find(one.from);
        ASSERT_NE(at, std::string::npos) << one.what;
        text.replace(at, one.from.size(), one.to);
        const auto specs = hkc::parse_toolchains(text, "t.toml");
        ASSERT_FALSE(specs) << one.what;
        EXPECT_NE(specs.error().text.find(one.expected), std::string::npos) << one.what << ": " << specs.error().text;
    }
    EXPECT_FALSE(hkc::parse_toolchains("", "t.toml"));
    EXPECT_FALSE(hkc::parse_toolchains("toolchain = 3", "t.toml"));
    EXPECT_FALSE(hkc::load_toolchains("/nowhere"));
}

TEST(Toolchains, NameVersionsAsWholeWords) {
    EXPECT_TRUE(hkc::names_version("Debian clang version 22.1.8 (1~deb12u1)", "22.1.8"));
    EXPECT_TRUE(hkc::names_version("HIP version: 5.2.21153-0", "5.2.21153"));
    EXPECT_TRUE(hkc::names_version("version 22.1.8.", "22.1.8"));
    EXPECT_TRUE(hkc::names_version("22.1.80 or 22.1.8", "22.1.8"));
    EXPECT_FALSE(hkc::names_version("22.1.80", "22.1.8"));
    EXPECT_FALSE(hkc::names_version("122.1.8", "22.1.8"));
    EXPECT_FALSE(hkc::names_version("3.22.1.8", "22.1.8"));
    EXPECT_FALSE(hkc::names_version("22.1.8.1", "22.1.8"));
    EXPECT_FALSE(hkc::names_version("", "22.1.8"));
}

/// The first toolchain of kGood; nothing but `rocm`/bin and `path` holds programs.
hkc::ToolchainSpec spec() { return hkc::parse_toolchains(kGood, "t.toml")->front(); }

std::string says(const std::string& version) { return "echo 'hkc clang version " + version + " (x)'\n"; }

TEST(Toolchains, AreLookedForInRocmPathBeforePath) {
    const ScratchFolder folder;
    const Variable rocm("ROCM_PATH", (folder.path() / "rocm").string());
    const Variable path("PATH", (folder.path() / "none").string() + ":" + (folder.path() / "bin").string());
    EXPECT_FALSE(hkc::find_installed(spec(), folder.path() / "cache"));
    EXPECT_NE(
        hkc::missing_text(spec()).find("toolchain clang-9.8.7 is not installed: looked for hkc-clang of version 9.8.7"),
        std::string::npos);

    const auto on_path = folder.write_script("bin/hkc-clang", says("9.8.7"));
    auto found = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->compiler, on_path);
    EXPECT_TRUE(found->exact);
    EXPECT_EQ(found->warning, "");

    const auto in_rocm = folder.write_script("rocm/llvm/bin/hkc-clang", says("9.8.7"));
    found = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->compiler, in_rocm);
}

TEST(Toolchains, OfTheDeclaredVersionArePreferredAndAnotherOneIsToldToBeNotThePinnedOne) {
    const ScratchFolder folder;
    const Variable rocm("ROCM_PATH", (folder.path() / "rocm").string());
    const Variable path("PATH", (folder.path() / "bin").string());
    folder.write_script("rocm/bin/hkc-clang", says("9.9.0"));
    auto found = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->exact);
    EXPECT_NE(found->warning.find("not the pinned one"), std::string::npos) << found->warning;
    EXPECT_NE(found->warning.find("9.9.0"), std::string::npos) << found->warning;
    EXPECT_NE(found->warning.find("9.8.7"), std::string::npos) << found->warning;

    const auto exact = folder.write_script("bin/hkc-clang", says("9.8.7"));
    found = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->compiler, exact);
}

TEST(Toolchains, OfAnotherReleaseOrBrokenAreMissing) {
    const ScratchFolder folder;
    const Variable rocm("ROCM_PATH", (folder.path() / "rocm").string());
    const Variable path("PATH", (folder.path() / "bin").string());
    for (const std::string& script :
         {says("14.0.6"), std::string("exit 1\n"), std::string("echo 'prints nonsense'\n")}) {
        folder.write_script("bin/hkc-clang", script);
        EXPECT_FALSE(hkc::find_installed(spec(), folder.path() / "cache")) << script;
        EXPECT_NE(hkc::missing_text(spec()).find((folder.path() / "bin/hkc-clang").string()), std::string::npos)
            << hkc::missing_text(spec());
    }
    folder.write("bin/hkc-clang", "no program");
    std::filesystem::permissions(folder.path() / "bin/hkc-clang", std::filesystem::perms::owner_read);
    EXPECT_FALSE(hkc::find_installed(spec(), folder.path() / "cache"));
}

TEST(Toolchains, AreAskedForTheirVersionOnceAState) {
    const ScratchFolder folder;
    const Variable rocm("ROCM_PATH", (folder.path() / "rocm").string());
    const Variable path("PATH", (folder.path() / "bin").string());
    const std::string count = "echo >> " + (folder.path() / "asked").string() + "\n";
    folder.write_script("bin/hkc-clang", count + says("9.8.7"));
    const auto first = hkc::find_installed(spec(), folder.path() / "cache");
    const auto second = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(first && second);
    EXPECT_EQ(text_of_file(folder.path() / "asked"), "\n");
    EXPECT_EQ(first->identity, second->identity);

    folder.write_script("bin/hkc-clang", count + says("9.8.7") + "# changed\n");
    const auto third = hkc::find_installed(spec(), folder.path() / "cache");
    ASSERT_TRUE(third);
    EXPECT_EQ(text_of_file(folder.path() / "asked"), "\n\n");
    EXPECT_NE(first->identity, third->identity);
}

TEST(Toolchains, RunWithoutVariablesThatAddFlags) {
    const Variable extra("HIPCC_COMPILE_FLAGS_APPEND", "-O0");
    const Variable rocm("ROCM_PATH", "/some/rocm");
    bool kept = false;
    for (const std::string& variable : hkc::compiler_environment()) {
        EXPECT_FALSE(variable.starts_with("HIPCC_COMPILE_FLAGS_APPEND"));
        kept = kept || variable == "ROCM_PATH=/some/rocm";
    }
    EXPECT_TRUE(kept);
}

} // namespace
