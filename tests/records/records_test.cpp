#include "contract/records/records.h"

#include "tests/records/small_registry.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using hkc::records::RecordFile;

pm::Result<RecordFile> read(const std::string& text) {
    return hkc::records::parse(text, "r.json", "clang-9.8.7", "fam");
}

TEST(Records, ReadBackWhatTheyWrite) {
    const RecordFile file = small_records();
    const auto again = read(hkc::records::to_json(file));
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, file);
    EXPECT_EQ(again->chips.at("gfx1030").fingerprint.linkers, file.chips.at("gfx1030").fingerprint.linkers);
    const auto empty = read(hkc::records::to_json({"clang-9.8.7", "fam", {}}));
    ASSERT_TRUE(empty) << empty.error().text;
    EXPECT_TRUE(empty->chips.empty());
}

TEST(Records, AreTheDocumentedJson) {
    RecordFile file = small_records();
    file.chips.erase("gfx1030");
    file.chips["gfx1151"].kernels.erase("two");
    // Written by hand from docs/records.md.
    const nlohmann::json expected = nlohmann::json::parse(R"({
        "format": 1, "toolchain": "clang-9.8.7", "family": "fam",
        "chips": {"gfx1151": {
            "fingerprint": {"idents": ["clang version 9.8.7"], "flags": ["-O3"], "linkers": ["Linker: LLD 9"]},
            "kernels": {"one": {"vgpr": 11, "sgpr": 20, "lds": 30, "scratch": 0, "vgpr_spill": 0, "sgpr_spill": 0,
                                "wave": 32, "max_block": 128, "kernarg": 52}}}}})");
    EXPECT_EQ(nlohmann::json::parse(hkc::records::to_json(file)), expected);
}

struct Malformed {
    const char* what;
    std::string from, to; // the first occurrence in the text of small_records()
    const char* expected; // part of the message
};

TEST(Records, SayWhatIsWrongAndWhere) {
    const std::vector<Malformed> cases = {
        {"another format", "\"format\": 1", "\"format\": 2", "at /format: 2; expected 1"},
        {"another toolchain", "\"clang-9.8.7\"", "\"clang-9\"", "at /toolchain: \"clang-9\"; expected \"clang-9.8.7\""},
        {"another family", "\"fam\"", "\"maf\"", "at /family: \"maf\"; expected \"fam\""},
        {"unknown key", "\"format\": 1", "\"format\": 1, \"date\": 1", "at /: unknown key \"date\""},
        {"missing key", "\"family\": \"fam\",", "", "at /: no \"family\""},
        {"unknown chip", "\"gfx1151\"", "\"gfx1152\"", "at /chips/gfx1152: unknown chip \"gfx1152\""},
        {"chips is a list", "\"chips\": {", "\"chips\": [], \"x\": {", "at /: unknown key \"x\""},
        {"unknown field", "\"vgpr\": 11", "\"vgprs\": 11",
         "at /chips/gfx1030/kernels/one: unknown key \"vgprs\" (did you mean \"vgpr\"?)"},
        {"missing field", "\"vgpr\": 11, ", "", "at /chips/gfx1030/kernels/one: no \"vgpr\""},
        {"negative", "\"vgpr\": 11", "\"vgpr\": -1",
         "at /chips/gfx1030/kernels/one/vgpr: -1; expected an integer from 0"},
        {"too large", "\"vgpr\": 11", "\"vgpr\": 4294967296",
         "one/vgpr: 4294967296; expected an integer from 0 to 4294967295"},
        {"no integer", "\"vgpr\": 11", "\"vgpr\": 1.5", "one/vgpr: 1.5; expected"},
        {"a text", "\"vgpr\": 11", "\"vgpr\": \"11\"", "one/vgpr: \"11\"; expected"},
        {"kernel is no object",
         "{\"vgpr\": 11, \"sgpr\": 20, \"lds\": 30, \"scratch\": 0, \"vgpr_spill\": 0, \"sgpr_spill\": 0, \"wave\": "
         "32, \"max_block\": 128, \"kernarg\": 52}",
         "7", "at /chips/gfx1030/kernels/one: 7; expected an object"},
        {"ident is no text", "[\"clang version 9.8.7\"]", "[9]",
         "at /chips/gfx1030/fingerprint/idents: 9; expected a text"},
        {"flags is no list", "[\"-O3\"]", "\"-O3\"",
         "at /chips/gfx1030/fingerprint/flags: \"-O3\"; expected a list of texts"},
        {"a kernel twice", "\"two\": {", "\"one\": {", "the key \"one\" is there twice"},
        {"a field twice", "\"vgpr\": 11", "\"vgpr\": 11, \"vgpr\": 12", "the key \"vgpr\" is there twice"},
        {"two values", "{", "{}{", "parse error at line 1, column 3"},
    };
    const std::string good = hkc::records::to_json(small_records());
    for (const Malformed& one : cases) {
        std::string text = good;
        const std::size_t at = text.find(one.from);
        ASSERT_NE(at, std::string::npos) << one.what;
        text.replace(at, one.from.size(), one.to);
        const auto file = read(text);
        ASSERT_FALSE(file) << one.what;
        EXPECT_TRUE(file.error().text.starts_with("r.json: ")) << file.error().text;
        EXPECT_NE(file.error().text.find(one.expected), std::string::npos) << one.what << ": " << file.error().text;
    }
    for (const char* text : {"", "[]", "7", "null", "\xff\xfe"}) EXPECT_FALSE(read(text)) << text;
}

TEST(Records, SeeEveryTruncation) {
    const std::string good = hkc::records::to_json(small_records());
    // The last byte is a line end, which says nothing.
    for (std::size_t size = 0; size + 1 < good.size(); ++size) EXPECT_FALSE(read(good.substr(0, size))) << size;
    EXPECT_TRUE(read(good.substr(0, good.size() - 1)));
}

TEST(Records, AreLoadedByToolchainAndFamily) {
    const ScratchFolder root;
    const auto none = hkc::records::load(root.path(), "clang-9.8.7", "fam");
    ASSERT_TRUE(none) << none.error().text;
    EXPECT_FALSE(*none);

    root.write("records/clang-9.8.7/fam.json", hkc::records::to_json(small_records()));
    const auto there = hkc::records::load(root.path(), "clang-9.8.7", "fam");
    ASSERT_TRUE(there) << there.error().text;
    ASSERT_TRUE(*there);
    EXPECT_EQ(**there, small_records());

    root.write("records/clang-9.8.7/fam.json", "{");
    const auto cut = hkc::records::load(root.path(), "clang-9.8.7", "fam");
    ASSERT_FALSE(cut);
    EXPECT_NE(cut.error().text.find((root.path() / "records/clang-9.8.7/fam.json").string()), std::string::npos)
        << cut.error().text;
}

} // namespace
