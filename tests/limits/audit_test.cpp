// The audit with the pinned compiler, over a root of its own.
#include "contract/limits/audit.h"

#include "contract/records/apply.h"
#include "contract/records/check.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using hkc::limits::RecordLines;

constexpr const char* kSource = R"(#define KERNEL extern "C" __attribute__((global))
KERNEL void one(int* out) { out[0] = 7; }
KERNEL void two(int* out, int n) { out[n] = n; }
)";
// An array that is indexed by an argument lies in scratch.
constexpr const char* kScratch = R"(#define KERNEL extern "C" __attribute__((global))
KERNEL void one(int* out) { out[0] = 7; }
KERNEL void two(int* out, int n) {
    volatile int a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    out[n] = a[n & 7];
}
)";
constexpr const char* kToolchains = R"(
[[toolchain]]
name = "clang-22.1.8"
kind = "clang"
version = "22.1.8"
pinned = true
compilers = ["clang++-22"]
[[toolchain]]
name = "absent"
kind = "clang"
version = "3.2.1"
compilers = ["hkc-no-such-compiler"]
[[toolchain]]
name = "copy"
kind = "clang"
version = "22.1.8"
compilers = ["clang++-22"]
chips = ["gfx1151"]
)";

class Audit : public testing::Test {
protected:
    void SetUp() override {
        root_.write("k.hip", kSource);
        registry_.root = root_.path();
        for (const char* name : {"one", "two"}) {
            hkc::Kernel kernel;
            kernel.name = std::string("the ") + name;
            kernel.family = "fam";
            kernel.source = "k.hip";
            kernel.flags = {"-O2"};
            kernel.chips = {"gfx1030", "gfx1151"};
            hkc::Launch launch;
            launch.symbol = name;
            kernel.launches.push_back(launch);
            registry_.kernels.push_back(kernel);
        }
        const auto specs = hkc::parse_toolchains(kToolchains, "t.toml");
        ASSERT_TRUE(specs) << specs.error().text;
        specs_ = *specs;
        options_.cache_dir = root_.path() / "cache";
        options_.jobs = 2;
    }

    hkc::limits::AuditReport audit() const {
        auto report = hkc::limits::audit(registry_, specs_, options_);
        if (!report) {
            ADD_FAILURE() << report.error().text;
            return {};
        }
        return std::move(*report);
    }

    std::string text(RecordLines lines = RecordLines::kNone) const { return hkc::limits::to_text(audit(), lines); }

    int status() const { return hkc::limits::exit_status(audit(), false); }

    /// Records what the selected toolchain's objects cost, from the audit's own lines.
    void record() const {
        const auto log = hkc::records::parse_log(text(RecordLines::kAll), "log");
        ASSERT_TRUE(log) << log.error().text;
        const auto changes = hkc::records::plan(root_.path(), registry_, specs_, *log, "log");
        ASSERT_TRUE(changes) << changes.error().text;
        ASSERT_TRUE(hkc::records::write(*changes));
    }

    /// Changes one figure of the recorded "two" on gfx1151.
    void falsify(std::uint32_t pm::Resources::*field, std::uint32_t value) const {
        auto file = hkc::records::load(root_.path(), "clang-22.1.8", "fam");
        ASSERT_TRUE(file && *file);
        (*file)->chips["gfx1151"].kernels["two"].*field = value;
        root_.write("records/clang-22.1.8/fam.json", hkc::records::to_json(**file));
    }

    void know(const std::string& finding, const std::string& chip = "gfx1151") {
        registry_.kernels[1].known_findings.push_back({5, chip, finding, "by design", {}});
    }

    ScratchFolder root_;
    hkc::Registry registry_;
    std::vector<hkc::ToolchainSpec> specs_;
    hkc::limits::AuditOptions options_;
};

TEST_F(Audit, WithoutRecordsIsUncheckedAndSaysHowToRecord) {
    const std::string said = text();
    EXPECT_NE(said.find("2 not comparable: family fam has no records of clang-22.1.8; record with: "
                        "hip-kernel-contract-limits --toolchain "
                        "clang-22.1.8 --records all | hip-kernel-contract-records apply\n"),
              std::string::npos)
        << said;
    EXPECT_NE(
        said.find(
            "LIMITS clang-22.1.8 gfx1151 2 kernels: 0 as recorded, 0 limit problems, 0 known findings, 2 unchecked\n"),
        std::string::npos)
        << said;
    EXPECT_EQ(status(), 1);
    EXPECT_EQ(hkc::limits::exit_status(audit(), true), 0);
    // In a cross comparison it is the other toolchain's records that are missing.
    options_.toolchain = "clang-22.1.8";
    options_.against = "copy";
    const std::string cross = text();
    EXPECT_NE(cross.find("2 not comparable: family fam has no records of copy; record with: "
                         "hip-kernel-contract-limits --toolchain copy --records all | "),
              std::string::npos)
        << cross;
}

TEST_F(Audit, OnlyTheFamilyThatLacksRecordsIsSaidToLackThem) {
    record();
    hkc::Kernel other = registry_.kernels[0];
    other.name = "the third";
    other.family = "later";
    registry_.kernels.push_back(other);
    const std::string said = text();
    EXPECT_NE(said.find("1 not comparable: family later has no records of clang-22.1.8; record with: "),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("gfx1151 3 kernels: 2 as recorded, 0 limit problems, 0 known findings, 1 unchecked"),
              std::string::npos)
        << said;
}

TEST_F(Audit, PassesWhatItRecorded) {
    record();
    const std::string said = text(RecordLines::kProblems);
    for (const char* chip : {"gfx1030", "gfx1151"})
        EXPECT_NE(said.find(std::string("LIMITS clang-22.1.8 ") + chip +
                            " 2 kernels: 2 as recorded, 0 limit problems, 0 known findings, 0 unchecked\n"),
                  std::string::npos)
            << said;
    EXPECT_EQ(said.find("RECORD"), std::string::npos) << said;
    EXPECT_EQ(status(), 0);
    const auto checked = hkc::records::check(root_.path(), registry_, specs_);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_TRUE(checked->problems.empty()) << checked->problems[0];
}

TEST_F(Audit, FindsADifferenceAndPrintsTheRecordThatMendsIt) {
    record();
    falsify(&pm::Resources::vgpr, 200);
    const std::string said = text(RecordLines::kProblems);
    EXPECT_NE(said.find("limit problem: gfx1151 two vgpr: record 200, compiled "), std::string::npos) << said;
    EXPECT_NE(said.find("LIMITS clang-22.1.8 gfx1151 2 kernels: 1 as recorded, 1 limit problems"), std::string::npos)
        << said;
    EXPECT_EQ(said.find("RECORD clang-22.1.8 gfx1151 one"), std::string::npos) << said;
    EXPECT_NE(said.find("RECORD clang-22.1.8 gfx1151 two"), std::string::npos) << said;
    EXPECT_EQ(status(), 1);
    const auto log = hkc::records::parse_log(said, "log");
    ASSERT_TRUE(log) << log.error().text;
    const auto changes = hkc::records::plan(root_.path(), registry_, specs_, *log, "log");
    ASSERT_TRUE(changes) << changes.error().text;
    ASSERT_TRUE(hkc::records::write(*changes));
    EXPECT_EQ(status(), 0);
}

TEST_F(Audit, SaysHowToRecordWhatDiffers) {
    const std::string hint = "if what differs is meant, record it with: hip-kernel-contract-limits --toolchain "
                             "clang-22.1.8 --records all | hip-kernel-contract-records apply\n";
    record();
    EXPECT_EQ(text().find("if what differs"), std::string::npos) << text();
    falsify(&pm::Resources::vgpr, 200);
    const std::string said = text();
    ASSERT_GE(said.size(), hint.size());
    EXPECT_EQ(said.substr(said.size() - hint.size()), hint);
    EXPECT_EQ(said.find(hint), said.size() - hint.size()) << "once";
}

TEST_F(Audit, HonoursAKnownFinding) {
    record();
    falsify(&pm::Resources::vgpr, 200);
    EXPECT_NE(text().find("if what differs"), std::string::npos);
    know("differs from the record");
    EXPECT_EQ(status(), 0);
    const std::string said = text();
    EXPECT_NE(said.find("known finding: gfx1151 two vgpr: record 200, compiled "), std::string::npos) << said;
    EXPECT_NE(
        said.find(
            "LIMITS clang-22.1.8 gfx1151 2 kernels: 1 as recorded, 0 limit problems, 1 known findings, 0 unchecked"),
        std::string::npos)
        << said;
}

TEST_F(Audit, FailsOnAKnownFindingThatNoLongerOccurs) {
    record();
    know("differs from the record");
    EXPECT_EQ(status(), 1);
    const std::string said = text();
    EXPECT_NE(
        said.find(
            "limit problem: gfx1151 the two: the known finding \"differs from the record\" of gate 5 no longer occurs"),
        std::string::npos)
        << said;
}

TEST_F(Audit, IgnoresKnownFindingsOfOtherGatesChipsAndKinds) {
    record();
    falsify(&pm::Resources::vgpr, 200);
    know("differs from the record");
    registry_.kernels[1].known_findings[0].gate = 4;
    EXPECT_EQ(status(), 1);
    registry_.kernels[1].known_findings[0] = {5, "gfx1030", "differs from the record", "", {}};
    EXPECT_EQ(status(), 1);
    registry_.kernels[1].known_findings[0] = {5, "gfx1151", "uses scratch", "", {}};
    EXPECT_EQ(status(), 1);
}

TEST_F(Audit, LetsScratchPassOnlyWhereItIsKnown) {
    root_.write("k.hip", kScratch);
    record();
    const std::string said = text();
    EXPECT_NE(said.find("limit problem: gfx1151 two scratch: "), std::string::npos) << said;
    EXPECT_NE(said.find("limit problem: gfx1030 two scratch: "), std::string::npos) << said;
    EXPECT_EQ(status(), 1);
    know("uses scratch", "gfx1151");
    know("uses scratch", "gfx1030");
    EXPECT_EQ(status(), 0);
    root_.write("k.hip", kSource);
    record();
    EXPECT_EQ(status(), 1) << "now both are stale";
}

TEST_F(Audit, TellsAKernelThatIsNotInTheObject) {
    registry_.kernels[1].launches[0].symbol = "tow";
    const std::string said = text();
    EXPECT_NE(said.find("limit problem: gfx1151 tow: k.hip holds no such kernel"), std::string::npos) << said;
    EXPECT_EQ(status(), 1);
}

TEST_F(Audit, TellsHowAnothersRecordsDifferAndJudgesNothingByThem) {
    record();
    options_.toolchain = "copy";
    record();
    registry_.kernels[0].flags = registry_.kernels[1].flags = {"-O1"};
    options_.against = "clang-22.1.8";
    const std::string said = text();
    EXPECT_NE(said.find("2 not comparable: the records hold Debian clang version 22.1.8"), std::string::npos) << said;
    EXPECT_EQ(said.find("limit problem:"), std::string::npos) << said;
    EXPECT_EQ(status(), 0) << "the user asked for it";
    EXPECT_EQ(said.find("across:"), std::string::npos) << "no figure differs: " << said;
    falsify(&pm::Resources::lds, 4711);
    const std::string differs = text();
    EXPECT_NE(differs.find("across: gfx1151 two lds: record 4711, compiled 0\n"), std::string::npos) << differs;
    EXPECT_EQ(differs.find("across: gfx1151 one"), std::string::npos) << differs;
    EXPECT_EQ(status(), 0);
    options_.against = "";
    EXPECT_EQ(status(), 1) << "nobody asked for it";
}

TEST_F(Audit, AuditsEveryToolchainThatHasRecordsAndTheChipsItBuilds) {
    record();
    options_.toolchain = "copy";
    record();
    options_.toolchain = "";
    root_.write("records/absent/fam.json", "unread");
    const hkc::limits::AuditReport report = audit();
    ASSERT_EQ(report.toolchains.size(), 3U);
    const std::string said = hkc::limits::to_text(report, RecordLines::kNone);
    EXPECT_NE(said.find("LIMITS copy gfx1151 2 kernels: 2 as recorded"), std::string::npos) << said;
    EXPECT_EQ(said.find("LIMITS copy gfx1030"), std::string::npos) << said;
    const std::string messages = hkc::limits::messages_text(report);
    EXPECT_NE(messages.find("toolchain absent is not installed"), std::string::npos) << messages;
    EXPECT_NE(messages.find("its records are left alone"), std::string::npos) << messages;
    EXPECT_EQ(hkc::limits::exit_status(report, false), 0);
    EXPECT_EQ(text_of_file(root_.path() / "records/absent/fam.json"), "unread");
}

TEST_F(Audit, EndsWithThreeWhereNoToolchainIsThere) {
    options_.toolchain = "absent";
    EXPECT_EQ(status(), 3);
    specs_[0].compilers = {"hkc-no-such-compiler"};
    options_.toolchain = "";
    EXPECT_EQ(status(), 3);
}

TEST_F(Audit, IsUncheckedWhereOnlyThePinnedToolchainIsMissing) {
    options_.toolchain = "copy";
    record();
    options_.toolchain = "";
    specs_[0].compilers = {"hkc-no-such-compiler"};
    EXPECT_EQ(status(), 1);
    EXPECT_EQ(hkc::limits::exit_status(audit(), true), 0);
}

TEST_F(Audit, TellsABuildThatFails) {
    record();
    root_.write("k.hip", "nonsense");
    const hkc::limits::AuditReport report = audit();
    EXPECT_EQ(hkc::limits::exit_status(report, true), 2);
    const std::string messages = hkc::limits::messages_text(report);
    EXPECT_NE(messages.find("error: k.hip for gfx1030: clang-22.1.8 failed"), std::string::npos) << messages;
    EXPECT_NE(messages.find("error: k.hip for gfx1151: clang-22.1.8 failed"), std::string::npos) << messages;
}

TEST_F(Audit, RefusesASelectionOfNothing) {
    const auto error = [this] {
        const auto report = hkc::limits::audit(registry_, specs_, options_);
        return report ? std::string("it ran") : report.error().text;
    };
    options_.filter = "no*";
    EXPECT_NE(error().find("--filter no* matches none of 2 registrations"), std::string::npos) << error();
    options_.filter = "*";
    options_.chips = {"gfx1201"};
    EXPECT_NE(error().find("nothing to audit"), std::string::npos) << error();
    options_.chips = {"gfx1152"};
    EXPECT_NE(error().find("unknown chip \"gfx1152\""), std::string::npos) << error();
    options_.chips = {};
    options_.toolchain = "cpoy";
    EXPECT_NE(error().find("did you mean \"copy\""), std::string::npos) << error();
    options_.toolchain = "";
    options_.against = "cpoy";
    EXPECT_NE(error().find("did you mean \"copy\""), std::string::npos) << error();
}

TEST_F(Audit, TellsRecordsItCannotRead) {
    root_.write("records/clang-22.1.8/fam.json", "{\"format\"");
    const auto report = hkc::limits::audit(registry_, specs_, options_);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().text.find("records/clang-22.1.8/fam.json"), std::string::npos) << report.error().text;
}

TEST_F(Audit, SelectsByFilterAndChip) {
    options_.filter = "*two";
    options_.chips = {"gfx1151"};
    const hkc::limits::AuditReport report = audit();
    ASSERT_EQ(report.toolchains.size(), 1U);
    ASSERT_EQ(report.toolchains[0].kernels.size(), 1U);
    EXPECT_EQ(report.toolchains[0].kernels[0].name, "the two");
    EXPECT_EQ(report.toolchains[0].kernels[0].chip, "gfx1151");
}

TEST_F(Audit, CompilesASourceOnceForAChipAndFlagSet) {
    std::size_t all = 0;
    options_.progress = [&all](std::size_t, std::size_t count) { all = count; };
    (void)audit();
    EXPECT_EQ(all, 2U) << "two chips";
    registry_.kernels[1].flags = {"-O1"};
    (void)audit();
    EXPECT_EQ(all, 4U) << "two chips, two flag sets";
}

} // namespace
