// What a folder of mutants holds after each way that it can look before.
#include "peacemaker/mutate/folder.h"

#include "peacemaker/support/file.h"
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace pm::testing {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

class MutantFolder : public ::testing::Test {
protected:
    MutantFolder() {
        KernelText kernel;
        kernel.name = std::string("k");
        kernel.body = "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n";
        object_ = object_of(**find_chip("gfx1100"), kernel);
        auto found = mutate::mutants_of(object_);
        EXPECT_TRUE(found && found->size() == 2);
        if (found) mutants_ = std::move(*found);
    }
    Result<void> write(std::size_t count) const {
        return mutate::write_folder(out(), "k.co", object_,
                                    {mutants_.begin(), mutants_.begin() + std::ptrdiff_t(count)});
    }
    fs::path out() const { return folder_.path("out"); }
    void put(const std::string& name, const std::string& text) const {
        fs::create_directories(out());
        std::ofstream(out() / name) << text;
    }
    Names names() const {
        Names found;
        for (const auto& entry : fs::directory_iterator(out())) found.insert(entry.path().filename().string());
        return found;
    }
    void refused(const std::string& stranger) const {
        const Names before = names();
        const auto written = write(1);
        ASSERT_FALSE(written);
        EXPECT_NE(written.error().text.find(out().string() + ": holds " + stranger + ","), std::string::npos)
            << written.error().text;
        EXPECT_EQ(names(), before);
    }

    Folder folder_;
    CodeObject object_;
    std::vector<mutate::Mutant> mutants_;
};

TEST_F(MutantFolder, NewAndEmptyFoldersTakeMutants) {
    ASSERT_TRUE(write(2));
    EXPECT_EQ(names(), (Names{"00000.co", "00001.co", "index.json"}));
    fs::remove_all(out());
    fs::create_directories(out());
    ASSERT_TRUE(write(1));
    EXPECT_EQ(names(), (Names{"00000.co", "index.json"}));
}

TEST_F(MutantFolder, EarlierMutantsGo) {
    ASSERT_TRUE(write(2));
    const auto second = write(1);
    ASSERT_TRUE(second) << second.error().text;
    EXPECT_EQ(names(), (Names{"00000.co", "index.json"}));
    ASSERT_TRUE(write(0));
    EXPECT_EQ(names(), (Names{"index.json"}));
    ASSERT_TRUE(write(2));
    fs::remove(out() / "00001.co");
    EXPECT_TRUE(write(1)) << "an index may name what is gone";
}

TEST_F(MutantFolder, WhatIsNotOursIsRefusedAndKept) {
    put("00000.co", "mine");
    refused("00000.co");
    fs::remove_all(out());
    ASSERT_TRUE(write(2));
    put("notes.txt", "mine");
    refused("notes.txt");
    fs::remove_all(out());
    fs::create_directories(out() / "00000.co");
    put("index.json", R"({"tool": "peacemaker mutate", "mutants": [{"file": "00000.co"}]})");
    refused("00000.co");
}

TEST_F(MutantFolder, AnotherProgramsIndexIsNoneOfOurs) {
    for (const char* text : {"", "[]", "7", R"({"tool": "another", "mutants": []})", R"({"mutants": []})"}) {
        put("index.json", text);
        refused("index.json");
    }
}

TEST_F(MutantFolder, AnIndexRemovesNothingOutsideItsFolder) {
    std::ofstream(folder_.path("precious")) << "mine";
    put("index.json",
        R"({"tool": "peacemaker mutate", "mutants": [{"file": "../precious"}, {"file": 7}, {}, 7, {"file": "."}]})");
    ASSERT_TRUE(write(1));
    EXPECT_TRUE(fs::exists(folder_.path("precious")));
    EXPECT_EQ(names(), (Names{"00000.co", "index.json"}));
}

} // namespace
} // namespace pm::testing
