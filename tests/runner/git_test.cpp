#include "contract/runner/git.h"

#include "contract/toolchain/toolchain.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using Paths = std::vector<std::string>;

class GitCheckout : public testing::Test {
protected:
    void SetUp() override {
        folder.write("tree/contracts/registry/a.toml", "a");
        folder.write("tree/other.txt", "b");
        make_repository(tree());
    }

    std::filesystem::path tree() const { return folder.path() / "tree"; }
    std::filesystem::path root() const { return tree() / "contracts"; }

    std::string git_in(const std::filesystem::path& where, std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(),
                         {"-c", "user.name=tester", "-c", "user.email=tester", "-c", "protocol.file.allow=always"});
        const auto done = git(where, arguments);
        if (!done || !done->succeeded()) ADD_FAILURE() << (done ? done->err : done.error().text);
        return done ? done->out.substr(0, done->out.find('\n')) : "";
    }
    void make_repository(const std::filesystem::path& where) const {
        git_in(where, {"init", "-q", "-b", "trunk"});
        git_in(where, {"add", "-A"});
        git_in(where, {"commit", "-q", "-m", "first"});
    }
    Paths dirt() const { return checkout_of(root(), {"registry/a.toml", "registry/b.toml"}).dirty; }

    ScratchFolder folder;
};

TEST_F(GitCheckout, IsCleanAsCommittedAlsoWithADetachedHead) {
    EXPECT_EQ(dirt(), Paths{});
    const std::string commit = git_in(tree(), {"rev-parse", "HEAD"});
    EXPECT_EQ(checkout_of(root(), {}).commit, commit);
    git_in(tree(), {"checkout", "-q", "--detach"});
    EXPECT_EQ(checkout_of(root(), {}).commit, commit);
    EXPECT_EQ(dirt(), Paths{});
}

TEST_F(GitCheckout, AChangedFileIsDirtWhereverItIs) {
    folder.write("tree/other.txt", "changed");
    EXPECT_EQ(dirt(), Paths{"other.txt"});
    git_in(tree(), {"add", "other.txt"});
    EXPECT_EQ(dirt(), Paths{"other.txt"}) << "staged is not committed";
    std::filesystem::remove(root() / "registry/a.toml");
    EXPECT_EQ(dirt(), (Paths{"contracts/registry/a.toml", "other.txt"}));
}

TEST_F(GitCheckout, AnUntrackedFileIsDirtWhereItIsAnInput) {
    folder.write("tree/notes.txt", "x");
    folder.write("tree/contracts/report.json", "x");
    EXPECT_EQ(dirt(), Paths{});
    folder.write("tree/contracts/registry/b.toml", "x");
    EXPECT_EQ(dirt(), Paths{"contracts/registry/b.toml"});
    folder.write("tree/.gitignore", "b.toml\n");
    EXPECT_EQ(dirt(), Paths{"contracts/registry/b.toml"}) << "what is ignored is read all the same";
}

TEST_F(GitCheckout, TheBuildCacheIsNoDirtUnlessAnInputLiesInIt) {
    folder.write("tree/contracts/.cache/objects/a b", "x");
    folder.write("tree/contracts/.cache/objects/c", "x");
    folder.write("tree/contracts/.cache/k.hip", "x");
    folder.write("tree/.cache/objects/a", "x");
    git_in(tree(), {"add", "-A"});
    git_in(tree(), {"commit", "-q", "-m", "with the cache"});
    folder.write("tree/contracts/.cache/objects/a b", "changed");
    git_in(tree(), {"update-index", "--assume-unchanged", "contracts/.cache/objects/c"});
    EXPECT_EQ(dirt(), Paths{});
    folder.write("tree/contracts/.cache/k.hip", "changed");
    EXPECT_EQ(dirt(), Paths{});
    EXPECT_EQ(checkout_of(root(), {".cache/k.hip"}).dirty, Paths{"contracts/.cache/k.hip"});
    folder.write("tree/.cache/objects/a", "changed");
    EXPECT_EQ(dirt(), Paths{".cache/objects/a"}) << "another folder of that name";
}

TEST_F(GitCheckout, AChangedSubmoduleIsDirt) {
    folder.write("library/file", "x");
    make_repository(folder.path() / "library");
    git_in(tree(), {"submodule", "--quiet", "add", (folder.path() / "library").string(), "library"});
    git_in(tree(), {"commit", "-q", "-m", "second"});
    EXPECT_EQ(dirt(), Paths{});
    folder.write("tree/library/file", "changed");
    EXPECT_EQ(dirt(), Paths{"library"});
}

TEST_F(GitCheckout, AnUntrackedFileOfASubmoduleIsDirtWhereItIsAnInput) {
    folder.write("library/a.toml", "x");
    make_repository(folder.path() / "library");
    git_in(tree(), {"submodule", "--quiet", "add", (folder.path() / "library").string(), "contracts/library"});
    git_in(tree(), {"commit", "-q", "-m", "second"});
    const Paths inputs = {"library/a.toml", "library/b.toml"};
    EXPECT_EQ(checkout_of(root(), inputs).dirty, Paths{});
    folder.write("tree/contracts/library/b.toml", "x");
    EXPECT_EQ(checkout_of(root(), inputs).dirty, Paths{"contracts/library/b.toml"});
}

// A tracked link says nothing of what it leads to.
TEST_F(GitCheckout, WhatALinkLeadsToIsDirtWhereItIsNotTracked) {
    namespace fs = std::filesystem;
    folder.write("tree/contracts/real/c.toml", "x");
    folder.write("tree/.gitignore", "hidden\n");
    folder.write("tree/hidden/d.toml", "x");
    folder.write("elsewhere/e.toml", "x");
    fs::create_symlink("../real/c.toml", root() / "registry/c.toml");
    fs::create_symlink("../../hidden/d.toml", root() / "registry/d.toml");
    fs::create_symlink("../../../elsewhere/e.toml", root() / "registry/e.toml");
    fs::create_symlink(root() / "real/c.toml", root() / "registry/f.toml");
    fs::create_symlink("../hidden", root() / "folder");
    git_in(tree(), {"add", "-A"});
    git_in(tree(), {"commit", "-q", "-m", "second"});
    const auto dirt_of = [&](const std::string& input) { return checkout_of(root(), {input}).dirty; };
    EXPECT_EQ(dirt_of("registry/c.toml"), Paths{});
    EXPECT_EQ(dirt_of("registry/d.toml"), Paths{"hidden/d.toml"});
    EXPECT_EQ(dirt_of("folder/d.toml"), Paths{"hidden/d.toml"});
    EXPECT_EQ(dirt_of("registry/e.toml"), Paths{"contracts/registry/e.toml (a link out of the checkout)"});
    EXPECT_EQ(dirt_of("registry/f.toml"), Paths{"contracts/registry/f.toml (a link out of the checkout)"})
        << "in a worktree of another commit it leads here";
    fs::create_symlink("a.toml", root() / "registry/g.toml");
    EXPECT_EQ(dirt_of("registry/g.toml"), Paths{"contracts/registry/g.toml"});
}

TEST_F(GitCheckout, NoReplacedCommitStandsForAnother) {
    folder.write("tree/other.txt", "changed");
    const std::string first = git_in(tree(), {"rev-parse", "HEAD"});
    git_in(tree(), {"add", "-A"});
    const std::string changed = git_in(tree(), {"commit-tree", "-m", "x", git_in(tree(), {"write-tree"})});
    git_in(tree(), {"replace", first, changed});
    EXPECT_EQ(dirt(), Paths{"other.txt"});
}

TEST_F(GitCheckout, NoSettingHidesAChange) {
    const std::filesystem::path monitor = folder.write_script("monitor", "#!/bin/sh\nprintf 'token\\0'\n");
    git_in(tree(), {"config", "core.fsmonitor", monitor.string()});
    for (const char* command : {"update-index --fsmonitor", "status"})
        ASSERT_EQ(std::system(("git -C " + tree().string() + " " + command + " > /dev/null").c_str()), 0);
    folder.write("tree/other.txt", "changed");
    EXPECT_EQ(dirt(), Paths{"other.txt"});
    std::filesystem::copy(tree(), folder.path() / "clean", std::filesystem::copy_options::recursive);
    git_in(tree(), {"config", "core.worktree", (folder.path() / "clean").string()});
    folder.write("clean/other.txt", "b");
    EXPECT_EQ(dirt(), Paths{"(git's working tree is another folder)"});
}

TEST_F(GitCheckout, OutsideOfGitThereIsNoCommit) {
    const ScratchFolder elsewhere;
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).commit, "");
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).dirty, Paths{});
    git_in(elsewhere.path(), {"init", "-q"});
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).commit, "") << "no commit yet";
}

} // namespace
} // namespace hkc
