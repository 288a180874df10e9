#include "contract/toolchain/cache.h"

#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

namespace {

TEST(Cache, ReadsBackWhatItWrote) {
    const ScratchFolder folder;
    const nlohmann::json json = {{"a", {1, 2, 3}}, {"b", "text"}};
    ASSERT_TRUE(hkc::write_sealed(folder.path() / "x" / "y.json", json));
    const auto read = hkc::read_sealed(folder.path() / "x" / "y.json");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, json);
}

TEST(Cache, HasNothingForAMissingFile) {
    const ScratchFolder folder;
    EXPECT_FALSE(hkc::read_sealed(folder.path() / "none.json"));
}

TEST(Cache, SeesEveryChangedByteAndEveryCut) {
    const ScratchFolder folder;
    const auto file = folder.path() / "y.json";
    ASSERT_TRUE(hkc::write_sealed(file, {{"number", 12}, {"text", "abc"}}));
    const std::string whole = text_of_file(file);
    ASSERT_GT(whole.size(), 65U);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        folder.write("changed.json", changed);
        EXPECT_FALSE(hkc::read_sealed(folder.path() / "changed.json")) << "byte " << i;
        folder.write("cut.json", whole.substr(0, i));
        EXPECT_FALSE(hkc::read_sealed(folder.path() / "cut.json")) << "cut at " << i;
    }
}

TEST(Cache, StampsTellOneStateOfAFileFromAnother) {
    const ScratchFolder folder;
    const auto file = folder.write("f", "one");
    const auto first = hkc::stamp_of(file);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->size, 3U);
    EXPECT_EQ(hkc::stamp_from(hkc::to_json(*first)), first);

    // Setting the time of the content back does not set the stamp back.
    timespec old[2] = {{1, 5}, {1, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), old, 0), 0);
    EXPECT_GE(hkc::stamp_of(file)->changed_ns, first->changed_ns);
    folder.write("f", "other");
    EXPECT_NE(hkc::stamp_of(file), first);
    EXPECT_FALSE(hkc::stamp_of(folder.path() / "none"));
    EXPECT_FALSE(hkc::stamp_of(folder.path())) << "a folder is no file";
    EXPECT_FALSE(hkc::stamp_from({{"path", 1}}));
}

TEST(Cache, SaysHowToUseAnotherFolder) {
    const ScratchFolder folder;
    folder.write("file", "");
    const auto made = hkc::make_cache_folder(folder.path() / "file" / "below");
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text.find((folder.path() / "file" / "below").string()), std::string::npos)
        << made.error().text;
    EXPECT_NE(made.error().text.find("HKC_CACHE_DIR"), std::string::npos) << made.error().text;
}

} // namespace
