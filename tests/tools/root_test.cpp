// --root and --oracles mean the same to every tool.
#include "tests/tools/tool_root.h"

#include <gtest/gtest.h>

#include <array>

namespace {

constexpr std::array kTools = {"$CONTRACT --list", "$LIMITS --toolchain clang-22.1.8 --allow-unchecked",
                               "$RECORDS check", "$RECEIPT verify none.json"};

TEST(RootOption, WithoutItEveryToolTakesTheTreeAroundTheCurrentFolder) {
    const ToolRoot root;
    const std::array expected = {"kernel small (small): gfx1030 gfx1151", "LIMITS clang-22.1.8 gfx1151 1 kernels",
                                 "0 records", "none.json"};
    for (std::size_t i = 0; i < kTools.size(); ++i) {
        const hkc::Finished here = root.run(kTools[i]);
        EXPECT_NE((here.out + here.err).find(expected[i]), std::string::npos) << kTools[i] << here.out << here.err;
        const hkc::Finished below = root.run_in(root.folder().path() / "registry", kTools[i]);
        EXPECT_EQ(below.exit_status, here.exit_status) << kTools[i] << below.out << below.err;
        EXPECT_EQ(below.out, here.out) << kTools[i];
    }
}

TEST(RootOption, NowhereATreeIsBadUsageOfEveryTool) {
    const ToolRoot root;
    std::filesystem::remove(root.folder().path() / "toolchains.toml");
    std::filesystem::remove_all(root.folder().path() / "registry");
    // A copy of the tool that lies in no tree.
    for (const std::string tool : kTools) {
        const std::string name = tool.substr(1, tool.find(' ') - 1);
        const hkc::Finished done = root.run("cp \"$" + name + "\" tool && " + name + "=./tool && " + tool);
        expect(done, 2, "--root names the folder");
        expect(done, 2, root.folder().path().string());
        expect(done, 2, (root.folder().path() / "tool").string());
    }
}

TEST(RootOption, HalfATreeIsBadUsageOfEveryTool) {
    const ToolRoot root;
    std::filesystem::remove(root.folder().path() / "toolchains.toml");
    for (const std::string tool : kTools)
        expect(root.run(tool), 2, root.folder().path().string() + " has registry/ but no toolchains.toml");
}

TEST(RootOption, EveryToolSaysWhereItWorksOnTheProgramsOwnTree) {
    const ToolRoot root;
    const ScratchFolder elsewhere;
    const std::string own = std::filesystem::canonical(HKC_SOURCE_DIR).string();
    for (const std::string tool :
         {"$CONTRACT --list", "$LIMITS --chip gfx9", "$RECORDS check", "$RECEIPT verify none.json"}) {
        const hkc::Finished done = root.run_in(elsewhere.path(), tool);
        EXPECT_NE(done.err.find("note: the current folder is in no tree of registry/ and toolchains.toml; working on "
                                "that of the program, " +
                                own + "; --root names another\n"),
                  std::string::npos)
            << tool << ": " << done.err;
        EXPECT_EQ(root.run(tool).err.find("note: "), std::string::npos) << tool;
    }
}

TEST(RootOption, HintsRepeatWhatWasGiven) {
    const ToolRoot root;
    const std::string given = "--root '" + root.folder().path().string() + "'";
    const std::string limits = "$LIMITS " + given + " --toolchain clang-22.1.8 --records none";
    const hkc::Finished done = root.run_in("/", limits);
    expect(done, 1,
           "record with: hip-kernel-contract-limits " + given +
               " --toolchain clang-22.1.8 --records all | "
               "hip-kernel-contract-records " +
               given + " apply");
    expect(root.run_in("/", "$RECORDS check " + given), 1, "hip-kernel-contract-records " + given + " apply");
}

TEST(OraclesOption, IsThatOfEveryTool) {
    const ToolRoot root;
    for (const std::string tool : kTools)
        expect(root.run(tool + " --oracles ./none.so"), 2, "./none.so: cannot be loaded as an oracle library");
}

} // namespace
