#include "contract/records/lines.h"

#include "tests/records/small_registry.h"

#include <gtest/gtest.h>

namespace {

constexpr const char* kFingerprintLine =
    R"(FINGERPRINT clang-9.8.7 gfx1151 fam {"idents":["clang version 9.8.7"],"flags":["-O3"],"linkers":["Linker: LLD 9"]})";
constexpr const char* kRecordLine = "RECORD clang-9.8.7 gfx1151 one vgpr=11 sgpr=20 lds=30 scratch=0 vgpr_spill=0 "
                                    "sgpr_spill=0 wave=32 max_block=128 kernarg=52";

std::string log(const std::string& record) { return std::string(kFingerprintLine) + "\n" + record + "\n"; }

TEST(RecordLines, AreTheDocumentedText) {
    EXPECT_EQ(hkc::records::record_text("clang-9.8.7", "gfx1151", "one", small_resources(11)), kRecordLine);
    const auto read = hkc::records::parse_log(
        hkc::records::fingerprint_text("clang-9.8.7", "gfx1151", "fam", small_fingerprint("9.8.7")) + "\n", "log");
    const auto expected = hkc::records::parse_log(std::string(kFingerprintLine) + "\n", "log");
    ASSERT_TRUE(read && expected);
    ASSERT_EQ(read->fingerprints.size(), 1U);
    EXPECT_EQ(read->fingerprints[0].fingerprint, expected->fingerprints[0].fingerprint);
    EXPECT_EQ(read->fingerprints[0].fingerprint.linkers, expected->fingerprints[0].fingerprint.linkers);
}

TEST(RecordLines, AreReadAmongOtherLines) {
    const auto read =
        hkc::records::parse_log("toolchain clang-9.8.7: /usr/bin/clang\r\n" + std::string(kFingerprintLine) +
                                    "\r\n RECORD indented is no record\nRECORDS are none\n" + kRecordLine +
                                    "\r\nLIMITS the end, without a line end",
                                "log");
    ASSERT_TRUE(read) << read.error().text;
    ASSERT_EQ(read->records.size(), 1U);
    const hkc::records::RecordLine& line = read->records[0];
    EXPECT_EQ(line.line, 5U);
    EXPECT_EQ(line.toolchain, "clang-9.8.7");
    EXPECT_EQ(line.chip, "gfx1151");
    EXPECT_EQ(line.family, "fam");
    EXPECT_EQ(line.kernel, "one");
    EXPECT_EQ(line.resources, small_resources(11));
    EXPECT_EQ(line.fingerprint, small_fingerprint("9.8.7"));
}

TEST(RecordLines, BelongToTheLastFingerprintOfTheirToolchainAndChip) {
    std::string other = kFingerprintLine;
    other.replace(other.find("fam"), 3, "other");
    std::string chip = kFingerprintLine;
    chip.replace(chip.find("gfx1151"), 7, "gfx1030");
    const auto read = hkc::records::parse_log(
        std::string(kFingerprintLine) + "\n" + other + "\n" + chip + "\n" + kRecordLine + "\n", "log");
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(read->records.at(0).family, "other");
}

TEST(RecordLines, SayWhatIsWrongAndWhere) {
    struct Case {
        const char* what;
        std::string text;
        const char* expected;
    };
    const std::string whole = kRecordLine;
    const auto changed = [&whole](const std::string& from, const std::string& to) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        return log(text);
    };
    const std::vector<Case> cases = {
        {"no fingerprint", whole + "\n", "log:1: no FINGERPRINT line for clang-9.8.7 gfx1151 before it"},
        {"missing field", changed(" kernarg=52", ""),
         "log:2: 12 words; expected RECORD <toolchain> <chip> <kernel> vgpr=.."},
        {"another order", changed("vgpr=11 sgpr=20", "sgpr=20 vgpr=11"), "log:2: \"sgpr=20\"; expected vgpr=.."},
        {"unknown field", changed("lds=30", "ldz=30"), "log:2: \"ldz=30\"; expected lds=.."},
        {"a blank too many", changed("RECORD ", "RECORD  "), "log:2: 14 words"},
        {"no number", changed("vgpr=11", "vgpr="), "log:2: \"vgpr=\"; expected vgpr= and an integer"},
        {"hexadecimal", changed("vgpr=11", "vgpr=0x1"), "log:2: \"vgpr=0x1\""},
        {"negative", changed("vgpr=11", "vgpr=-1"), "log:2: \"vgpr=-1\""},
        {"a sign", changed("vgpr=11", "vgpr=+1"), "log:2: \"vgpr=+1\""},
        {"too large", changed("vgpr=11", "vgpr=4294967296"), "log:2: \"vgpr=4294967296\""},
        {"cut", log(whole).substr(0, log(whole).size() - 2), "log:2: the log ends inside this line"},
        {"no line end", log(whole).substr(0, log(whole).size() - 1), "log:2: the log ends inside this line"},
        {"fingerprint without text", "FINGERPRINT clang-9.8.7 gfx1151 fam\n",
         "log:1: expected FINGERPRINT <toolchain>"},
        {"fingerprint without family", "FINGERPRINT clang-9.8.7 gfx1151 {}\n",
         "log:1: expected FINGERPRINT <toolchain>"},
        {"fingerprint cut", "FINGERPRINT a b c {\"idents\":[\n", "log:1: \"{\"idents\":[\"; expected {\"idents\":[..]"},
        {"fingerprint key", "FINGERPRINT a b c {\"idents\":[],\"flags\":[],\"x\":[]}\n", "log:1: "},
        {"fingerprint type", "FINGERPRINT a b c {\"idents\":[1],\"flags\":[],\"linkers\":[]}\n", "log:1: "},
    };
    for (const Case& one : cases) {
        const auto read = hkc::records::parse_log(one.text, "log");
        ASSERT_FALSE(read) << one.what;
        EXPECT_NE(read.error().text.find(one.expected), std::string::npos) << one.what << ": " << read.error().text;
    }
}

TEST(RecordLines, ListEveryWrongLine) {
    const auto read = hkc::records::parse_log("RECORD a\nfine\nRECORD b\n", "log");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().text.find("log:1: "), std::string::npos);
    EXPECT_NE(read.error().text.find("\nlog:3: "), std::string::npos);
}

} // namespace
