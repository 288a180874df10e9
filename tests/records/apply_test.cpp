#include "contract/records/apply.h"

#include "tests/records/small_registry.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using hkc::records::RecordFile;

/// An audit's lines, put together by hand.
class LogText {
public:
    LogText& fingerprint(const std::string& version, const std::string& chip = "gfx1151",
                         const std::string& family = "fam", const std::string& toolchain = "clang-9.8.7") {
        text_ += hkc::records::fingerprint_text(toolchain, chip, family, small_fingerprint(version)) + "\n";
        return *this;
    }
    LogText& record(const std::string& kernel, std::uint32_t vgpr, const std::string& chip = "gfx1151",
                    const std::string& toolchain = "clang-9.8.7") {
        text_ += hkc::records::record_text(toolchain, chip, kernel, small_resources(vgpr)) + "\n";
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

class Apply : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path file() const { return root_.path() / "records/clang-9.8.7/fam.json"; }

    void have(const RecordFile& records) const {
        root_.write("records/clang-9.8.7/fam.json", hkc::records::to_json(records));
    }

    pm::Result<std::vector<hkc::records::Change>> plan(const LogText& log) const {
        const auto lines = hkc::records::parse_log(log.text(), "log");
        if (!lines) return lines.error();
        return hkc::records::plan(root_.path(), registry_, toolchains_, *lines, "log");
    }

    /// Applies the log and gives the differences that were told.
    std::vector<std::string> apply(const LogText& log) const {
        const auto changes = plan(log);
        if (!changes) {
            ADD_FAILURE() << changes.error().text;
            return {};
        }
        const auto written = hkc::records::write(*changes);
        EXPECT_TRUE(written) << written.error().text;
        std::vector<std::string> told;
        for (const hkc::records::Change& change : *changes)
            told.insert(told.end(), change.difference.begin(), change.difference.end());
        return told;
    }

    [[nodiscard]] RecordFile records() const {
        const auto loaded = hkc::records::load(root_.path(), "clang-9.8.7", "fam");
        if (!loaded || !*loaded) {
            ADD_FAILURE() << "no records";
            return {};
        }
        return **loaded;
    }

    void expect_refused(const LogText& log, const std::string& expected) const {
        const std::string before = text_of_file(file());
        const auto changes = plan(log);
        ASSERT_FALSE(changes) << expected;
        EXPECT_NE(changes.error().text.find(expected), std::string::npos) << changes.error().text;
        EXPECT_EQ(text_of_file(file()), before);
    }

    ScratchFolder root_;
    hkc::Registry registry_ = small_registry();
    std::vector<hkc::ToolchainSpec> toolchains_ = small_toolchains();
};

TEST_F(Apply, WritesNewRecords) {
    const auto told = apply(LogText()
                                .fingerprint("9.8.7")
                                .record("one", 11)
                                .record("two", 12)
                                .fingerprint("9.8.7", "gfx1030")
                                .record("one", 11, "gfx1030")
                                .record("two", 12, "gfx1030"));
    EXPECT_EQ(records(), small_records());
    ASSERT_EQ(told.size(), 6U);
    EXPECT_EQ(told[0], "gfx1030: new: clang version 9.8.7 with -O3");
    EXPECT_EQ(told[1], "gfx1030 one: new: vgpr 11, sgpr 20, lds 30, scratch 0, vgpr_spill 0, sgpr_spill 0, wave 32, "
                       "max_block 128, kernarg 52");
}

TEST_F(Apply, ChangesOnlyTheKernelsThatAreNamed) {
    have(small_records());
    const auto told = apply(LogText().fingerprint("9.8.7").record("two", 40));
    RecordFile expected = small_records();
    expected.chips["gfx1151"].kernels["two"].vgpr = 40;
    EXPECT_EQ(records(), expected);
    EXPECT_EQ(told, (std::vector<std::string>{"gfx1151 two: vgpr 12 -> 40"}));
}

TEST_F(Apply, LeavesAFileThatIsAsItShouldBe) {
    have(small_records());
    const auto before = std::filesystem::last_write_time(file());
    EXPECT_TRUE(apply(LogText().fingerprint("9.8.7").record("one", 11).record("two", 12)).empty());
    EXPECT_EQ(std::filesystem::last_write_time(file()), before);
}

TEST_F(Apply, ReplacesAChipsRecordsWhereTheFingerprintIsAnother) {
    RecordFile old = small_records();
    old.chips["gfx1151"].fingerprint = small_fingerprint("1.2.3");
    have(old);
    const auto told = apply(LogText().fingerprint("9.8.7").record("one", 1).record("two", 2));
    const RecordFile now = records();
    EXPECT_EQ(now.chips.at("gfx1151").fingerprint, small_fingerprint("9.8.7"));
    EXPECT_EQ(now.chips.at("gfx1151").kernels.at("one").vgpr, 1U);
    EXPECT_EQ(now.chips.at("gfx1030"), old.chips["gfx1030"]);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0], "gfx1151: fingerprint: clang version 1.2.3 with -O3 -> clang version 9.8.7 with -O3");
}

TEST_F(Apply, RefusesPartOfAChipsRecordsOfAnotherFingerprint) {
    RecordFile old = small_records();
    old.chips["gfx1151"].fingerprint = small_fingerprint("1.2.3");
    have(old);
    expect_refused(LogText().fingerprint("9.8.7").record("one", 1),
                   "log:1: no RECORD of 1 of 2 kernels of fam on gfx1151: two");
    old.chips.erase("gfx1151");
    have(old);
    expect_refused(LogText().fingerprint("9.8.7").record("one", 1), "--records all");
}

TEST_F(Apply, TakesOutWhatTheRegistryNoLongerDeclares) {
    RecordFile old = small_records();
    old.chips["gfx1151"].kernels["gone"] = small_resources(9);
    old.chips["gfx1201"] = {small_fingerprint("9.8.7"), {{"one", small_resources(9)}}};
    have(old);
    const auto told = apply(LogText().fingerprint("9.8.7").record("one", 11));
    EXPECT_EQ(records(), small_records());
    EXPECT_EQ(told, (std::vector<std::string>{"gfx1151 gone: gone", "gfx1201: gone", "gfx1201 one: gone"}));
}

TEST_F(Apply, KeepsFamiliesAndToolchainsApart) {
    have(small_records());
    const auto changes = plan(LogText()
                                  .fingerprint("9.8.7", "gfx1151", "other")
                                  .record("three", 3)
                                  .fingerprint("7", "gfx1030", "fam", "hip")
                                  .record("one", 1, "gfx1030", "hip")
                                  .record("two", 2, "gfx1030", "hip"));
    ASSERT_TRUE(changes) << changes.error().text;
    ASSERT_EQ(changes->size(), 2U);
    EXPECT_EQ((*changes)[0].path, root_.path() / "records/clang-9.8.7/other.json");
    EXPECT_EQ((*changes)[1].path, root_.path() / "records/hip/fam.json");
}

TEST_F(Apply, RefusesWhatItDoesNotKnow) {
    have(small_records());
    expect_refused(LogText().fingerprint("9.8.7", "gfx1151", "fam", "clang-9.8.6"),
                   "log:1: unknown toolchain \"clang-9.8.6\" (did you mean \"clang-9.8.7\"?)");
    expect_refused(LogText().fingerprint("9.8.7", "gfx1152"), "log:1: unknown chip \"gfx1152\"");
    expect_refused(LogText().fingerprint("9.8.7", "gfx1151", "famm"),
                   "log:1: unknown family \"famm\" (did you mean \"fam\"?)");
    expect_refused(LogText().fingerprint("9.8.7").record("twoo", 1),
                   "log:2: unknown kernel \"twoo\" (did you mean \"two\"?)");
    expect_refused(LogText().fingerprint("9.8.7").record("three", 1), "log:2: unknown kernel \"three\"");
    expect_refused(LogText().fingerprint("9.8.7", "gfx1201").record("one", 1, "gfx1201"),
                   "log:2: unknown kernel \"one\"");
    expect_refused(LogText().fingerprint("7", "gfx1151", "fam", "hip"), "log:1: toolchain hip does not build gfx1151");
}

TEST_F(Apply, RefusesRecordsOfACompilerThatIsNotTheToolchains) {
    have(small_records());
    expect_refused(LogText().fingerprint("9.8.70").record("one", 1).record("two", 2),
                   "log:1: built by clang version 9.8.70");
}

TEST_F(Apply, RefusesLinesThatContradict) {
    have(small_records());
    expect_refused(LogText().fingerprint("9.8.7").record("one", 1).record("two", 2).record("one", 3),
                   "log:4: record of clang-9.8.7 gfx1151 one contradicts line 2");
    LogText two;
    const std::string flags =
        "FINGERPRINT clang-9.8.7 gfx1151 fam {\"idents\":[\"clang version 9.8.7\"],\"flags\":[],\"linkers\":[]}\n";
    const auto lines = hkc::records::parse_log(two.fingerprint("9.8.7").text() + flags, "log");
    ASSERT_TRUE(lines);
    const auto changes = hkc::records::plan(root_.path(), registry_, toolchains_, *lines, "log");
    ASSERT_FALSE(changes);
    EXPECT_NE(changes.error().text.find("log:2: fingerprint"), std::string::npos) << changes.error().text;

    // The same line again says nothing new.
    EXPECT_TRUE(apply(LogText().fingerprint("9.8.7").record("one", 11).fingerprint("9.8.7").record("one", 11)).empty());
}

TEST_F(Apply, ListsEveryFault) {
    const auto changes = plan(LogText().fingerprint("9.8.7").record("x", 1).record("y", 1));
    ASSERT_FALSE(changes);
    EXPECT_NE(changes.error().text.find("log:2: "), std::string::npos);
    EXPECT_NE(changes.error().text.find("\nlog:3: "), std::string::npos);
}

TEST_F(Apply, DoesNotWriteOverAFileItCannotRead) {
    root_.write("records/clang-9.8.7/fam.json", "{ half");
    expect_refused(LogText().fingerprint("9.8.7").record("one", 1).record("two", 1), "fam.json: parse error");
}

} // namespace
