// The receipt that docs/receipt/ shows is a real one, and still true of its commit.
#include "contract/project/project.h"
#include "contract/receipt/verify.h"
#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

TEST(ShownReceipt, IsTrueOfItsCommit) {
    const std::filesystem::path folder = std::filesystem::path(HKC_SOURCE_DIR) / "docs/receipt";
    const auto json = pm::read_file(folder / "receipt.json"), markdown = pm::read_file(folder / "receipt.md");
    ASSERT_TRUE(json && markdown);
    const auto receipt = hkc::receipt::read_json(*json);
    ASSERT_TRUE(receipt) << receipt.error().text;
    const auto revision = hkc::find_revision(HKC_SOURCE_DIR, receipt->head.commit);
    if (!revision) GTEST_SKIP() << "the history of this tree is not there: " << revision.error().text;
    const auto worktree = hkc::Worktree::create(*revision);
    ASSERT_TRUE(worktree) << worktree.error().text;
    const auto registry = hkc::load_contracts(worktree->path() / revision->root);
    ASSERT_TRUE(registry) << registry.error().text;
    const auto verdict = hkc::receipt::verify(*json, *markdown, *registry, {}, [](const auto&...) {});
    for (const std::string& fault : verdict.faults) ADD_FAILURE() << fault;
    EXPECT_FALSE(verdict.did.empty());
}

} // namespace
