#include "contract/project/project.h"

#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

class FindRoot : public testing::Test {
protected:
    /// A folder with both parts of a tree.
    fs::path tree(const std::string& name) const {
        fs::create_directories(scratch.path() / name / "registry");
        scratch.write(name + "/toolchains.toml", "");
        return scratch.path() / name;
    }
    fs::path folder(const std::string& name) const {
        fs::create_directories(scratch.path() / name);
        return scratch.path() / name;
    }
    static std::string found(const fs::path& current, const fs::path& program) {
        const auto root = hkc::find_root(current, program);
        return !root ? "error: " + root.error().text : (root->fallback ? "the program's " : "") + root->path.string();
    }

    ScratchFolder scratch;
};

TEST_F(FindRoot, TheCurrentFolderComesFirst) {
    const fs::path other = tree("other");
    EXPECT_EQ(found(tree("here"), other / "build/bin/tool"), ".");
    EXPECT_EQ(found(folder("here/docs"), other / "build/bin/tool"), "..");
    EXPECT_EQ(found(folder("here/a/b/c"), other / "build/bin/tool"), "../../..");
    // The nearest one, where trees lie in each other.
    tree("here/a");
    EXPECT_EQ(found(folder("here/a/b/c"), other / "build/bin/tool"), "../..");
}

TEST_F(FindRoot, ElseTheTreeBesideTheProgram) {
    const fs::path other = tree("other");
    EXPECT_EQ(found(folder("elsewhere"), other / "build/bin/tool"), "the program's " + other.string());
    EXPECT_EQ(found(fs::path("/"), other / "build/bin/tool"), "the program's " + other.string());
}

TEST_F(FindRoot, ElseTheInstalledData) {
    const fs::path data = tree("prefix/share/hip-kernel-contract");
    EXPECT_EQ(found(folder("elsewhere"), scratch.path() / "prefix/bin/tool"), "the program's " + data.string());
    const fs::path other = tree("prefix");
    EXPECT_EQ(found(folder("elsewhere"), scratch.path() / "prefix/bin/tool"), "the program's " + other.string());
}

// The program's own tree would be green for somebody else's kernels.
TEST_F(FindRoot, HalfATreeIsAnErrorThatSaysWhatItLacks) {
    const fs::path other = tree("other"), program = other / "build/bin/tool";
    const fs::path half = folder("half/registry").parent_path();
    const std::string said = found(half, program);
    EXPECT_TRUE(said.starts_with("error: " + half.string() + " has registry/ but no toolchains.toml")) << said;
    EXPECT_NE(said.find("copy " + (other / "toolchains.toml").string()), std::string::npos) << said;
    EXPECT_NE(said.find("--root"), std::string::npos) << said;
    // Farther up, a folder of that name need not have to do with contracts.
    EXPECT_EQ(found(folder("half/a"), program), "the program's " + other.string());
    const std::string alone = found(half, folder("programs") / "tool");
    EXPECT_TRUE(alone.starts_with("error: " + half.string() + " has registry/ but no toolchains.toml")) << alone;
    EXPECT_NE(alone.find("write it"), std::string::npos) << alone;

    fs::remove(half / "registry");
    scratch.write("half/toolchains.toml", "");
    EXPECT_TRUE(found(half, program).starts_with("error: " + half.string() + " has toolchains.toml but no folder"));
    scratch.write("half/registry", "a file");
    EXPECT_TRUE(found(half, program).starts_with("error: " + half.string() + " has toolchains.toml but no folder"));
}

TEST_F(FindRoot, AWholeTreeAboveHalfOfOneIsTaken) {
    EXPECT_EQ(found(folder("here/sources/registry").parent_path(), tree("here") / "bin/tool"), "..");
}

TEST_F(FindRoot, NowhereNamesBothPlacesAndTheOption) {
    const fs::path current = folder("nothing"), program = folder("programs") / "tool";
    const std::string said = found(current, program);
    for (const std::string& part : {std::string("error: "), current.string(), program.string(), std::string("--root")})
        EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
}

TEST(LoadProject, ARootThatIsGivenIsTaken) {
    const auto project = hkc::load_project({HKC_SOURCE_DIR, {}});
    ASSERT_TRUE(project) << project.error().text;
    EXPECT_EQ(project->root, HKC_SOURCE_DIR);
    EXPECT_EQ(project->registry.root, HKC_SOURCE_DIR);
    EXPECT_FALSE(project->registry.kernels.empty());
    EXPECT_FALSE(project->toolchains.empty());
    EXPECT_EQ(project->note, "");
}

TEST(WithOptions, CommandsThatRecordGetWhatWasGiven) {
    const std::string text = "no record; record with: hip-kernel-contract-limits --toolchain a --records all | "
                             "hip-kernel-contract-records apply\nhip-kernel-contract-limits: b";
    EXPECT_EQ(hkc::with_options(text, {}), text);
    EXPECT_EQ(
        hkc::with_options(text + "\n" + text, {"my tree", {"./a.so", "b.so"}}),
        [](const std::string& one) {
            return one + "\n" + one;
        }("no record; record with: hip-kernel-contract-limits --root 'my tree' --oracles './a.so' --oracles 'b.so' "
          "--toolchain a --records all | hip-kernel-contract-records --root 'my tree' --oracles './a.so' "
          "--oracles 'b.so' apply\nhip-kernel-contract-limits: b"));
}

TEST(LoadProject, WhatCannotBeReadIsAnError) {
    const ScratchFolder scratch;
    EXPECT_FALSE(hkc::load_project({scratch.path(), {}}));
    const auto no_library = hkc::load_project({HKC_SOURCE_DIR, {scratch.path() / "liboracles.so"}});
    ASSERT_FALSE(no_library);
    EXPECT_NE(no_library.error().text.find("liboracles.so"), std::string::npos) << no_library.error().text;
}

} // namespace
