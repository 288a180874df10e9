#include "peacemaker/support/file.h"
#include "tests/sarif/sarif_check.h"
#include "tests/tools/tool_root.h"

#include <gtest/gtest.h>

#include <set>

namespace {

TEST(LimitsTool, AuditsTheTreeAgainstItsRecords) {
    const ToolRoot cache;
    const hkc::Finished done = cache.run_in(HKC_SOURCE_DIR, "$LIMITS --jobs 2");
    EXPECT_EQ(done.exit_status, 0) << done.out << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(done.out.find("limit problem:"), std::string::npos) << done.out;
    const auto line_of = [&done](const std::string& head) {
        const std::size_t at = done.out.find(head);
        return at == std::string::npos ? std::string() : done.out.substr(at, done.out.find('\n', at) - at);
    };
    for (const char* toolchain : {"clang-22.1.8", "clang-19.1.7", "hipcc-5.2"})
        for (const char* chip : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"}) {
            const std::string line = line_of(std::string("LIMITS ") + toolchain + " " + chip + " ");
            const bool builds = std::string(toolchain) != "hipcc-5.2" || std::string(chip) == "gfx1030";
            EXPECT_EQ(!line.empty(), builds) << toolchain << " " << chip;
            if (builds) {
                EXPECT_NE(line.find(" as recorded, 0 limit problems, 0 known findings, 0 unchecked"), std::string::npos)
                    << line;
            }
        }
    // Again, from the cache: the same answer.
    EXPECT_EQ(cache.run_in(HKC_SOURCE_DIR, "$LIMITS").out, done.out);

    const hkc::Finished cross = cache.run_in(HKC_SOURCE_DIR, "$LIMITS --toolchain clang-19.1.7 --against clang-22.1.8");
    expect(cross, 0, " not comparable: the records hold Debian clang version 22.1.8");
    EXPECT_EQ(cross.out.find("limit problem:"), std::string::npos) << cross.out;
    EXPECT_NE(cross.out.find("across: gfx1151 affine_stream_"), std::string::npos) << cross.out;
}

TEST(LimitsTool, RecordsInOneCommandAndThenPasses) {
    const ToolRoot root;
    expect(root.run("$LIMITS"), 1,
           "1 not comparable: family small has no records of clang-22.1.8; record with: hip-kernel-contract-limits "
           "--toolchain clang-22.1.8 --records all | hip-kernel-contract-records apply\n");
    expect(root.run("$LIMITS --toolchain clang-22.1.8 --records all | $RECORDS apply"), 0,
           "records/clang-22.1.8/small.json: gfx1151 small: new: vgpr ");
    expect(root.run("$LIMITS"), 0, "LIMITS clang-22.1.8 gfx1151 1 kernels: 1 as recorded");
    expect(root.run("$LIMITS --records all"), 0, "RECORD clang-22.1.8 gfx1151 small vgpr=");
    EXPECT_EQ(root.run("$LIMITS").out.find("RECORD"), std::string::npos);

    // One more register in the record, told and mended.
    const hkc::Finished changed =
        root.run(R"(sed -i '/gfx1151/,$s/"sgpr": [0-9]*/"sgpr": 77/' records/clang-22.1.8/small.json && $LIMITS)");
    expect(changed, 1, "limit problem: gfx1151 small sgpr: record 77, compiled ");
    expect(root.run("$LIMITS --sarif log.sarif"), 1, "limit problem");
    const auto log = pm::read_file(root.folder().path() / "log.sarif");
    ASSERT_TRUE(log) << log.error().text;
    EXPECT_EQ(pm::testing::sarif_faults(*log), std::vector<std::string>{}) << *log;
    std::set<std::string> told;
    for (const auto& result : pm::testing::sarif_results(*log))
        told.insert(result["ruleId"].get<std::string>() + " " +
                    result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>());
    EXPECT_TRUE(told.contains("differs-from-the-record small.hip")) << *log;
    EXPECT_EQ(root.run("$LIMITS --records none").out.find("RECORD"), std::string::npos);
    expect(root.run("$LIMITS --chip gfx1030"), 0, "gfx1030 1 kernels");
    expect(root.run("$LIMITS | $RECORDS apply"), 0, "gfx1151 small: sgpr 77 -> ");
    expect(root.run("$LIMITS"), 0, "gfx1151 1 kernels: 1 as recorded");
    expect(root.run("$RECORDS check"), 0, "2 records: 0 problems");
}

TEST(LimitsTool, LetsScratchPassWhereTheRegistryKnowsIt) {
    const ToolRoot root;
    root.folder().write("small.hip",
                        R"(extern "C" __attribute__((global)) void small(const short* v, short* out, int count) {
    volatile short a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    out[0] = a[count & 7] + v[0];
}
)");
    expect(root.run("$LIMITS --records all | $RECORDS apply"), 0, "scratch ");
    expect(root.run("$LIMITS"), 1, "limit problem: gfx1151 small scratch: ");
    expect(root.run("$RECORDS check"), 1, "no known finding of gate 5 \"uses scratch\" names it");
    expect(root.run(R"(for c in gfx1030 gfx1151; do
        echo '[[kernel.known]]'; echo 'gate = 5'; echo "chip = \"$c\""; echo 'finding = "uses scratch"'; echo 'reason = "by design"'
        done >> registry/small.toml; $LIMITS)"),
           0, "known finding: gfx1151 small scratch: ");
    expect(root.run("$RECORDS check"), 0, "2 records: 0 problems");
}

TEST(LimitsTool, RunsFromAnywhere) {
    const ToolRoot root;
    const std::string there = " --root " + root.folder().path().string();
    expect(root.run_in("/", "$LIMITS --records all" + there + " | $RECORDS apply" + there), 0,
           "1 of 1 files rewritten");
    expect(root.run_in("/", "$LIMITS" + there), 0, "1 as recorded");
    EXPECT_EQ(root.run_in("/", "$RECORDS" + there + " check").exit_status, 0);
}

TEST(LimitsTool, EndsWithTwoOnBadUsageRegistryRecordsAndSource) {
    const ToolRoot root;
    expect(root.run("$LIMITS --no-such-option"), 2, "--no-such-option");
    expect(root.run("$LIMITS --chip gfx1152"), 2, "unknown chip \"gfx1152\"");
    expect(root.run("$LIMITS --chip ''"), 0 + 1, "LIMITS");
    expect(root.run("$LIMITS --toolchain clang-22"), 2, "unknown toolchain \"clang-22\"");
    expect(root.run("$LIMITS --records some"), 2, "some");
    expect(root.run("$LIMITS --jobs 0"), 2, "--jobs");
    expect(root.run("$LIMITS --filter 'x*'"), 2, "--filter x* matches none");
    expect(root.run("$LIMITS --root /nowhere"), 2, "/nowhere");
    expect(root.run("$LIMITS --help"), 0, "Exit status:");
    root.folder().write("records/clang-22.1.8/small.json", "{");
    expect(root.run("$LIMITS"), 2, "records/clang-22.1.8/small.json: parse error");
    std::filesystem::remove_all(root.folder().path() / "records");
    root.folder().write("small.hip", "nonsense;");
    expect(root.run("$LIMITS --allow-unchecked"), 2, "small.hip:1:");
    std::filesystem::remove(root.folder().path() / "small.hip");
    expect(root.run("$LIMITS"), 2, "small.hip");
    root.folder().write("registry/small.toml", "[famili]\n");
    expect(root.run("$LIMITS"), 2, "registry/small.toml:1");
    root.folder().write("toolchains.toml", "[[toolchian]]\n");
    expect(root.run("$LIMITS"), 2, "toml:1");
}

TEST(LimitsTool, EndsWithThreeWithoutAToolchain) {
    const ToolRoot root;
    const hkc::Finished done = root.run("$LIMITS --toolchain absent");
    expect(done, 3, "toolchain absent is not installed: looked for hkc-no-such-compiler of version 3.2.1");
    expect(root.run("sed -i 's/clang++-22/hkc-no-such-compiler/' toolchains.toml; $LIMITS"), 3,
           "toolchain clang-22.1.8 is not installed");
}

TEST(LimitsTool, LeavesTheRecordsOfAMissingToolchainAlone) {
    const ToolRoot root;
    root.folder().write("records/absent/small.json", "anything");
    expect(root.run("$LIMITS --records all | $RECORDS apply"), 0, "toolchain absent is not installed");
    expect(root.run("$LIMITS"), 0, "its records are left alone");
    EXPECT_EQ(text_of_file(root.folder().path() / "records/absent/small.json"), "anything");
}

TEST(LimitsTool, SaysThatItsOutputWasLost) {
    const ToolRoot root;
    expect(root.run("$LIMITS --records all > /dev/full"), 2, "cannot write the report");
}

} // namespace
