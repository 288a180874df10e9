// `peacemaker audit` and the SARIF of `peacemaker certify` as programs: output and exit status.
#include "tests/certify/certify_rig.h"
#include "tests/sarif/sarif_check.h"
#include "tests/tools/peacemaker_tool.h"

#include <gtest/gtest.h>

#include <fstream>

namespace pm::testing {
namespace {

class AuditTool : public PeacemakerTool {
protected:
    std::string object(const std::string& name, const std::string& body) const {
        KernelText kernel;
        kernel.name = name;
        kernel.body = body;
        kernel.max_block = 64;
        return file(name + ".co", object_of(**find_chip("gfx1201"), kernel).bytes);
    }
};

constexpr const char* kClean = "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n";
constexpr const char* kEarly = "gload v2, v1\nv_mov_b32 v3, v2\nwait_load 0\n";

TEST_F(AuditTool, ExitStatusTellsFindingsFromWhatIsUnchecked) {
    const std::string clean = object("clean", kClean), early = object("early", kEarly);
    const std::string jump = object("jump", "s_setpc_b64 s[4:5]\n");
    EXPECT_EQ(peacemaker("audit " + clean).status, 0);
    const Ran found = peacemaker("audit " + clean + " " + early + " " + jump);
    EXPECT_EQ(found.status, 1);
    EXPECT_NE(found.out.find("fault " + early + " gfx1201 early+0x"), std::string::npos) << found.out;
    EXPECT_NE(found.out.find("AUDIT 3 files, 0 skipped; 3 objects, 0 duplicates; 3 kernels: 1 clean, 1 with findings, "
                             "1 unchecked; 1 findings\n"),
              std::string::npos)
        << found.out;
    EXPECT_EQ(peacemaker("audit " + clean + " " + jump).status, 3);
    EXPECT_EQ(peacemaker("audit --lds-barrier " + early).status, 0);
    EXPECT_EQ(peacemaker("audit " + clean + " " + file("notes.txt", "text")).status, 3);
}

TEST_F(AuditTool, NothingLookedAtIsNoPass) {
    const Folder empty;
    EXPECT_EQ(peacemaker("audit " + empty.path()).status, 3);
}

TEST_F(AuditTool, BadUsageEndsWithTwo) {
    const std::string clean = object("clean", kClean);
    EXPECT_EQ(peacemaker("audit").status, 2);
    EXPECT_EQ(peacemaker("audit " + folder_.path("none")).status, 2);
    EXPECT_EQ(peacemaker("audit --all --lds-barrier " + clean).status, 2);
    EXPECT_EQ(peacemaker("audit --jobs 0 " + clean).status, 2);
    EXPECT_EQ(peacemaker("audit --sarif /proc/none/x.sarif " + clean).status, 2);
}

TEST_F(AuditTool, WritesJsonAndSarif) {
    const std::string early = object("early", kEarly), log = folder_.path("log.sarif");
    const Ran json = peacemaker("audit --json --sarif " + log + " --root " + folder_.path() + " " + early);
    EXPECT_EQ(json.status, 1);
    EXPECT_EQ(nlohmann::json::parse(json.out)["kernels"]["with_findings"], 1);
    EXPECT_EQ(sarif_faults(*read_file(log)), std::vector<std::string>{});
    EXPECT_EQ(sarif_results(*read_file(log))[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              "early.co");
    const Ran certify = peacemaker("certify --sarif " + log + " " + early);
    EXPECT_EQ(certify.status, 1);
    EXPECT_EQ(sarif_faults(*read_file(log)), std::vector<std::string>{});
    EXPECT_EQ(sarif_results(*read_file(log)).size(), 1U);
    EXPECT_EQ(nlohmann::json::parse(*read_file(log))["runs"][0]["tool"]["driver"]["name"], "peacemaker certify");
}

// A real line table: the compiler's, of a file in the root.
TEST_F(AuditTool, SourceLinesAreThoseOfTheLineTable) {
    const std::string source = file("k.hip", "extern \"C\" __attribute__((global)) void k(int* p) {\n"
                                             "    p[0] =\n"
                                             "        p[1] + 7;\n"
                                             "}\n");
    const auto bytes = compile_hip("clang++-22", "gfx1100", source, {"-O3", "-gline-tables-only"});
    ASSERT_TRUE(bytes) << bytes.error().text;
    // The first wait for a scalar load becomes s_nop: what reads its result is then early.
    std::string broken = *bytes;
    const std::string wait("\x07\xfc\x89\xbf", 4); // gfx11: s_waitcnt lgkmcnt(0)
    const std::size_t at = broken.find(wait);
    ASSERT_NE(at, std::string::npos);
    broken.replace(at, 4, std::string("\0\0\x80\xbf", 4));
    const std::string log = folder_.path("log.sarif");
    EXPECT_EQ(peacemaker("audit --sarif " + log + " --root " + folder_.path() + " " + file("k.co", broken)).status, 1);
    const auto results = sarif_results(*read_file(log));
    ASSERT_FALSE(results.empty());
    const auto& physical = results[0]["locations"][0]["physicalLocation"];
    EXPECT_EQ(physical["artifactLocation"]["uri"], "k.hip");
    EXPECT_GE(physical["region"]["startLine"], 2);
    EXPECT_LE(physical["region"]["startLine"], 3);
}

} // namespace
} // namespace pm::testing
