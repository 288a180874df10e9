#include "contract/records/check.h"

#include "contract/records/apply.h"
#include "contract/report/outcome.h"
#include "tests/records/small_registry.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

namespace {

using hkc::records::RecordFile;

class Check : public testing::Test {
protected:
    void SetUp() override {
        have(small_records());
        RecordFile other{"clang-9.8.7", "other", {}};
        other.chips["gfx1151"] = {small_fingerprint("9.8.7"), {{"three", small_resources(13)}}};
        root_.write("records/clang-9.8.7/other.json", hkc::records::to_json(other));
    }

    void have(const RecordFile& records) const {
        root_.write("records/" + records.toolchain + "/" + records.family + ".json", hkc::records::to_json(records));
    }

    [[nodiscard]] hkc::records::CheckReport check() const {
        auto report = hkc::records::check(root_.path(), registry_, small_toolchains());
        if (!report) {
            ADD_FAILURE() << report.error().text;
            return {};
        }
        return std::move(*report);
    }

    void expect_problem(const std::string& part) const {
        const hkc::records::CheckReport report = check();
        ASSERT_EQ(report.problems.size(), 1U) << part;
        EXPECT_NE(report.problems[0].find(part), std::string::npos) << report.problems[0];
    }

    ScratchFolder root_;
    hkc::Registry registry_ = small_registry();
};

TEST_F(Check, PassesRecordsThatAreAllThere) {
    const hkc::records::CheckReport report = check();
    EXPECT_TRUE(report.problems.empty()) << report.problems[0];
    EXPECT_EQ(report.records, 5U);
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_NE(report.notes[0].find("toolchain hip has no records"), std::string::npos);
}

TEST_F(Check, MissesAKernel) {
    RecordFile file = small_records();
    file.chips["gfx1151"].kernels.erase("two");
    have(file);
    expect_problem("records/clang-9.8.7/fam.json: gfx1151 two: no record; record with: hip-kernel-contract-limits "
                   "--toolchain clang-9.8.7");
}

TEST_F(Check, MissesAFile) {
    std::filesystem::remove(root_.path() / "records/clang-9.8.7/other.json");
    expect_problem("records/clang-9.8.7/other.json: not there");
}

TEST_F(Check, MissesThePinnedToolchain) {
    std::filesystem::remove_all(root_.path() / "records/clang-9.8.7");
    expect_problem("toolchain clang-9.8.7 has no records");
}

TEST_F(Check, SeesAKernelTheRegistryDoesNotLaunch) {
    RecordFile file = small_records();
    file.chips["gfx1151"].kernels["old"] = small_resources(1);
    have(file);
    expect_problem("gfx1151 old: the registry launches no such kernel there");
}

TEST_F(Check, SeesAChipTheToolchainDoesNotBuild) {
    RecordFile file = small_records();
    file.toolchain = "hip";
    file.chips["gfx1151"].kernels.erase("two");
    have(file);
    expect_problem("records/hip/fam.json: gfx1151 one: the registry launches no such kernel there");
}

TEST_F(Check, SeesStrays) {
    root_.write("records/clang-9.8.7/nothing.json", "{}");
    expect_problem("records/clang-9.8.7/nothing.json: no record file of a family");
    std::filesystem::remove(root_.path() / "records/clang-9.8.7/nothing.json");
    root_.write("records/clang-1/fam.json", "{}");
    expect_problem("records/clang-1: toolchains.toml names no toolchain \"clang-1\"");
}

TEST_F(Check, WantsAKnownFindingForScratch) {
    RecordFile file = small_records();
    file.chips["gfx1151"].kernels["one"].scratch = 16;
    have(file);
    expect_problem("gfx1151 one: scratch=16, and no known finding of gate 5 \"uses scratch\" names it");

    hkc::KnownFinding known{4, "gfx1151", std::string(hkc::kind::kUsesScratch), "spills by design", {}};
    registry_.kernels[0].known_findings = {known};
    expect_problem("scratch=16");
    known.gate = 5;
    known.chip = "gfx1030";
    registry_.kernels[0].known_findings = {known};
    expect_problem("scratch=16");
    known.chip = "gfx1151";
    known.finding = "differs from the record";
    registry_.kernels[0].known_findings = {known};
    expect_problem("scratch=16");
    known.finding = hkc::kind::kUsesScratch;
    registry_.kernels[0].known_findings = {known};
    EXPECT_TRUE(check().problems.empty());
}

TEST_F(Check, SaysWhichFileItCannotRead) {
    root_.write("records/clang-9.8.7/fam.json", "[");
    const auto report = hkc::records::check(root_.path(), registry_, small_toolchains());
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().text.find("records/clang-9.8.7/fam.json"), std::string::npos) << report.error().text;
}

TEST_F(Check, OfATreeWithoutRecordsMissesThePinnedToolchain) {
    std::filesystem::remove_all(root_.path() / "records");
    expect_problem("toolchain clang-9.8.7 has no records");
}

} // namespace
