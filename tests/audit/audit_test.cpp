// Many files at once: what counts, what is skipped, what is unchecked, in every order the same.
#include "peacemaker/audit/audit.h"

#include "peacemaker/support/file.h"
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"
#include "tests/sarif/sarif_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pm::testing {
namespace {

namespace fs = std::filesystem;
namespace kind = certify::kind;
using audit::Scope;

const Chip& chip() { return **find_chip("gfx1100"); }

std::string object_bytes(const std::string& name, const std::string& body) {
    KernelText kernel;
    kernel.name = name;
    kernel.body = body;
    kernel.max_block = 64;
    kernel.lds = 1024;
    return object_of(chip(), kernel).bytes;
}

constexpr const char* kClean = "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n";
constexpr const char* kEarly = "gload v2, v1\nv_mov_b32 v3, v2\nwait_load 0\n";
constexpr const char* kUndrained = "dsstore v1, v0\nbarrier\nwait_ds 0\n";
constexpr const char* kLds = "dsstore v1, v0\nwait_ds 0\nbarrier\n";
constexpr const char* kJump = "s_setpc_b64 s[4:5]\n";

class Audit : public ::testing::Test {
protected:
    std::string add(const std::string& name, const std::string& bytes) const {
        const std::string path = folder_.path(name);
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    static audit::Report run(const std::vector<std::string>& paths, Scope scope = Scope::kUsual, unsigned jobs = 3) {
        const auto report = audit::audit(paths, {scope, jobs});
        EXPECT_TRUE(report) << report.error().text;
        return report ? *report : audit::Report{};
    }
    static std::string last_line(const audit::Report& report) {
        const std::string text = audit::report_text(report);
        return text.substr(text.rfind("AUDIT"));
    }
    Folder folder_;
};

TEST_F(Audit, WalksFoldersAndSkipsWhatIsNoCodeObject) {
    const std::string clean = object_bytes("clean", kClean);
    add("cache/a/one.bin", clean);
    add("cache/b/early.hsaco", object_bytes("early", kEarly));
    add("cache/b/again", clean);
    add("cache/b/meta.json", "{}");
    add("cache/empty", "");
    add("cache/host", std::string("\x7f"
                                  "ELF\2\1\1") +
                          std::string(60, '\0'));
    const audit::Report report = run({folder_.path("cache")});
    EXPECT_EQ(last_line(report), "AUDIT 6 files, 3 skipped; 2 objects, 1 duplicates; 2 kernels: 1 clean, 1 with "
                                 "findings, 0 unchecked; 1 findings\n");
    ASSERT_EQ(report.open.size(), 1U);
    EXPECT_EQ(report.open[0].open.kind, kind::kReadBeforeWait);
    EXPECT_EQ(report.objects[report.open[0].object].file, folder_.path("cache/b/early.hsaco"));
    EXPECT_TRUE(report.unchecked.empty());
}

TEST_F(Audit, SaysTheSameWithAnyNumberOfThreads) {
    for (int i = 0; i < 6; ++i) {
        add("cache/early" + std::to_string(i), object_bytes("early" + std::to_string(i % 3), kEarly));
        add("cache/jump" + std::to_string(i), object_bytes("jump" + std::to_string(i), kJump));
    }
    const std::string one = audit::report_json(run({folder_.path("cache")}, Scope::kUsual, 1));
    EXPECT_EQ(audit::report_json(run({folder_.path("cache")}, Scope::kUsual, 8)), one);
    EXPECT_NE(one.find("\"duplicates\": 3"), std::string::npos) << one;
}

TEST_F(Audit, WhatWasNamedAndCannotBeReadIsUnchecked) {
    const std::string whole = object_bytes("clean", kClean);
    const std::string text = add("notes.txt", "text"), cut = add("cut.co", whole.substr(0, whole.size() / 2));
    const audit::Report report = run({text, cut});
    EXPECT_EQ(report.unchecked.size(), 2U);
    EXPECT_EQ(report.skipped, 0U);
    // Damage is no reason to skip, in a folder neither.
    const audit::Report walked = run({folder_.path()});
    EXPECT_EQ(walked.skipped, 1U);
    ASSERT_EQ(walked.unchecked.size(), 1U);
    EXPECT_EQ(walked.unchecked[0].file, cut);
    const auto missing = audit::audit({folder_.path("none")}, {});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text.find("no such file"), std::string::npos);
}

TEST_F(Audit, AKernelThatCannotBeFollowedIsUncheckedInEveryScope) {
    const std::string path = add("jump.co", object_bytes("jump", kJump));
    for (const Scope scope : {Scope::kUsual, Scope::kLdsBarrier, Scope::kAll}) {
        const audit::Report report = run({path}, scope);
        EXPECT_EQ(report.kernels_unchecked, 1U);
        EXPECT_EQ(report.clean(), 0U);
        EXPECT_EQ(report.findings(), 0U);
    }
}

TEST_F(Audit, AScopeChoosesTheObligationsThatCount) {
    const std::string early = add("early.co", object_bytes("early", kEarly));
    const std::string undrained = add("undrained.co", object_bytes("undrained", kUndrained));
    const std::string lds = add("lds.co", object_bytes("lds", kLds));
    EXPECT_EQ(run({early, undrained}).findings(), 2U);
    const audit::Report barrier = run({early, undrained}, Scope::kLdsBarrier);
    EXPECT_EQ(barrier.findings(), 1U);
    for (const audit::Obligation& one : barrier.open)
        EXPECT_TRUE(!one.open.fault || one.open.kind == kind::kUndrainedLds) << one.open.kind;
    EXPECT_EQ(run({lds}).findings(), 0U);
    // A clean kernel with more left open is told from one with nothing.
    const auto open = certify::certify(*parse_code_object(*read_file(lds), lds));
    ASSERT_TRUE(open);
    EXPECT_EQ(last_line(run({lds})).find("left open beyond") != std::string::npos, !open->kernels[0].open.empty());
    EXPECT_EQ(last_line(run({add("clean.co", object_bytes("clean", kClean))})).find("beyond"), std::string::npos);
    // What was not shown is no finding, and no pass where it is asked for.
    const audit::Report all = run({lds}, Scope::kAll);
    EXPECT_EQ(all.findings(), 0U);
    const auto certificate = certify::certify(*parse_code_object(*read_file(lds), lds));
    ASSERT_TRUE(certificate);
    EXPECT_EQ(all.kernels_unchecked, certificate->kernels[0].open.empty() ? 0U : 1U);
    EXPECT_EQ(all.open.size(), certificate->kernels[0].open.size());
}

TEST_F(Audit, ReadsTheObjectsOfBundlesAndTellsTheirEntries) {
    const std::string early = add("early.co", object_bytes("early", kEarly)), host = add("host.o", "");
    const std::string bundle = folder_.path("bundle");
    const auto bundled =
        run_program("clang-offload-bundler-22",
                    {"-type=o", "-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1100",
                     "-input=" + host, "-input=" + early, "-output=" + bundle});
    ASSERT_TRUE(bundled) << bundled.error().text;
    const audit::Report report = run({bundle, early});
    EXPECT_EQ(report.duplicates, 1U);
    ASSERT_EQ(report.open.size(), 1U);
    EXPECT_NE(report.objects[report.open[0].object].where.find("hipv4-amdgcn-amd-amdhsa--gfx1100"), std::string::npos);
}

TEST_F(Audit, SarifNamesTheSourceLineWhereTheObjectHasOneAndElseTheObject) {
    const std::string early = add("early.co", object_bytes("early", kEarly));
    const audit::Report report = run({early, add("jump.co", object_bytes("jump", kJump)), add("notes.txt", "text")});
    const std::string text = audit::report_sarif(report, "peacemaker audit", folder_.path());
    EXPECT_EQ(sarif_faults(text), std::vector<std::string>{}) << text;
    const auto results = sarif_results(text);
    ASSERT_EQ(results.size(), 3U);
    const auto& physical = results[0]["locations"][0]["physicalLocation"];
    EXPECT_EQ(results[0]["ruleId"], "register-read-before-its-wait");
    EXPECT_EQ(results[0]["level"], "error");
    EXPECT_EQ(physical["artifactLocation"]["uri"], "early.co");
    // The address is the instruction's place in the file: v_mov_b32 v3, v2 is 0x7e060302, little-endian.
    const auto at = physical["address"]["relativeAddress"].get<std::size_t>();
    EXPECT_EQ(read_file(early)->substr(at, 4), std::string("\x02\x03\x06\x7e", 4));
    EXPECT_EQ(results[1]["ruleId"], "unchecked");
    EXPECT_EQ(results[1]["level"], "warning");

    audit::Report with_line = report;
    with_line.open[0].open.source = folder_.path("src/k.hip:12");
    const auto lined = sarif_results(audit::report_sarif(with_line, "peacemaker audit", folder_.path()));
    EXPECT_EQ(lined[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/k.hip");
    EXPECT_EQ(lined[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
}

} // namespace
} // namespace pm::testing
