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

TEST_F(GitCheckout, OutsideOfGitThereIsNoCommit) {
    const ScratchFolder elsewhere;
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).commit, "");
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).dirty, Paths{});
    git_in(elsewhere.path(), {"init", "-q"});
    EXPECT_EQ(checkout_of(elsewhere.path(), {"a"}).commit, "") << "no commit yet";
}

} // namespace
} // namespace hkc
