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
        return root ? root->string() : "error: " + root.error().text;
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
    EXPECT_EQ(found(folder("elsewhere"), other / "build/bin/tool"), other.string());
    EXPECT_EQ(found(fs::path("/"), other / "build/bin/tool"), other.string());
}

TEST_F(FindRoot, ElseTheInstalledData) {
    const fs::path data = tree("prefix/share/hip-kernel-contract");
    EXPECT_EQ(found(folder("elsewhere"), scratch.path() / "prefix/bin/tool"), data.string());
    const fs::path other = tree("prefix");
    EXPECT_EQ(found(folder("elsewhere"), scratch.path() / "prefix/bin/tool"), other.string());
}

TEST_F(FindRoot, HalfATreeIsNone) {
    const fs::path other = tree("other");
    const fs::path only_registry = folder("half/registry").parent_path();
    EXPECT_EQ(found(only_registry, other / "build/bin/tool"), other.string());
    fs::remove(only_registry / "registry");
    scratch.write("half/toolchains.toml", "");
    EXPECT_EQ(found(only_registry, other / "build/bin/tool"), other.string());
    scratch.write("half/registry", "a file");
    EXPECT_EQ(found(only_registry, other / "build/bin/tool"), other.string());
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
}

TEST(LoadProject, WhatCannotBeReadIsAnError) {
    const ScratchFolder scratch;
    EXPECT_FALSE(hkc::load_project({scratch.path(), {}}));
    const auto no_library = hkc::load_project({HKC_SOURCE_DIR, {scratch.path() / "liboracles.so"}});
    ASSERT_FALSE(no_library);
    EXPECT_NE(no_library.error().text.find("liboracles.so"), std::string::npos) << no_library.error().text;
}

} // namespace
