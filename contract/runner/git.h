// The git checkout that a root lies in: which commit it is, whether it is that commit's, and other commits' files.
#pragma once

#include "contract/toolchain/subprocess.h"
#include "peacemaker/support/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkc {

/// git in `folder`, with a clean environment: GIT_DIR of a hook that runs us means another repository's business.
/// Objects are themselves, not what `git replace` puts in their place.
/// Error: it could not be started.
pm::Result<Finished> git(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

/// What a checkout holds.
struct Checkout {
    std::string commit;             // the hash of HEAD; empty where there is no git checkout, or no commit
    std::vector<std::string> dirty; // paths from the checkout's top that differ from that commit
};

/// The checkout of `root`. Changed files of it count wherever they are, submodules included; untracked ones, ignored or
/// not, where they are among `inputs` (from `root`), or a link on the way to one is, or leads out of the checkout;
/// files that git is told to take as unchanged (assume-unchanged, skip-worktree) whether they are or not. What is in
/// the build cache of `root`, .cache/, does not count unless it is among `inputs`. Where there is no git, the commit is
/// empty.
Checkout checkout_of(const std::filesystem::path& root, const std::vector<std::string>& inputs);

/// A commit of the repository that a root lies in.
struct Revision {
    std::string name;           // as the user gave it
    std::string commit;         // its hash
    std::filesystem::path top;  // of the checkout
    std::filesystem::path root; // of the contracts, from `top`; empty where they are the same
};

/// Error: `root` lies in no git checkout, or has no such commit; for a shallow clone, how to get it.
pm::Result<Revision> find_revision(const std::filesystem::path& root, const std::string& name);

/// The files of a revision in a temporary folder, as a detached git worktree. It goes with this object, and also where
/// this process is killed: another process waits for its end and removes it. This process must have no other threads.
class Worktree {
public:
    /// Error: what git said.
    static pm::Result<Worktree> create(const Revision& revision);

    Worktree(Worktree&& other) noexcept;
    Worktree& operator=(Worktree&&) = delete;
    Worktree(const Worktree&) = delete;
    Worktree& operator=(const Worktree&) = delete;
    ~Worktree();

    const std::filesystem::path& path() const { return path_; }

private:
    Worktree(std::filesystem::path path, int life, int keeper) : path_(std::move(path)), life_(life), keeper_(keeper) {}

    std::filesystem::path path_;
    int life_ = -1;   // closed, in whichever way, it tells the keeper to remove the folder
    int keeper_ = -1; // process
};

} // namespace hkc
