#include "contract/runner/mutants.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

pm::mutate::Patch patch(std::uint64_t offset, std::string before, std::string after) {
    return {offset, std::move(before), std::move(after), "the patch"};
}

TEST(UniqueEdit, IsWidenedUntilItsBytesOccurOnce) {
    const std::string bytes = "nopA" + std::string(64, '.') + "nopB" + std::string(64, '.') + "nopC";
    for (const std::uint64_t offset : {0U, 68U, 136U}) {
        const auto edit = unique_edit(bytes, patch(offset, "nop", "xyz"));
        ASSERT_TRUE(edit) << edit.error().text;
        // What the registry's own mutation makes of it.
        const auto made = pm::mutate::make_patch(bytes, *edit);
        ASSERT_TRUE(made) << made.error().text;
        std::string want = bytes;
        want.replace(offset, 3, "xyz");
        EXPECT_EQ(pm::mutate::patched(bytes, *made), want);
    }
}

TEST(UniqueEdit, OtherBytesThanThePatchsAreAnError) {
    EXPECT_FALSE(unique_edit("abcdef", patch(1, "xx", "yy")));
    EXPECT_FALSE(unique_edit("abcdef", patch(9, "a", "y")));
    EXPECT_TRUE(unique_edit("abcdef", patch(1, "bc", "yy")));
}

} // namespace
} // namespace hkc
