#include "contract/limits/limits.h"

#include "tests/records/small_registry.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using hkc::Status;

const pm::Chip& chip() { return **pm::find_chip("gfx1151"); }

pm::Kernel compiled(const pm::Resources& resources) {
    pm::Kernel kernel;
    kernel.name = "one";
    kernel.resources = resources;
    return kernel;
}

hkc::GateResult compare(const pm::Kernel& kernel, const hkc::records::RecordFile& file = small_records(),
                        const hkc::Fingerprint& fingerprint = small_fingerprint("9.8.7")) {
    return hkc::limits::compare(kernel, "one", chip(), {file.toolchain, file.family, &file}, &fingerprint);
}

std::vector<std::string> kinds(const hkc::GateResult& result) {
    std::vector<std::string> out;
    for (const hkc::Finding& finding : result.findings) out.push_back(finding.kind);
    return out;
}

TEST(Limits, PassWhereEveryFieldIsAsRecorded) {
    const hkc::GateResult result = compare(compiled(small_resources(11)));
    EXPECT_EQ(result.status, Status::kPass);
    EXPECT_EQ(result.gate, 5U);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_TRUE(result.unchecked.empty());
    EXPECT_GE(result.checks, 9U);
}

TEST(Limits, FailWhereAnyFieldIsAnotherThanRecorded) {
    for (const hkc::records::Field& field : hkc::records::fields()) {
        pm::Resources resources = small_resources(11);
        // 32 lanes become 64, so that the value is still one that a chip has.
        const std::uint32_t other = field.name == "wave" ? 64 : resources.*field.value + 1;
        const std::uint32_t recorded = resources.*field.value;
        resources.*field.value = other;
        const hkc::GateResult result = compare(compiled(resources));
        EXPECT_EQ(result.status, Status::kFail) << field.name;
        ASSERT_FALSE(result.findings.empty()) << field.name;
        EXPECT_EQ(result.findings[0].kind, "differs from the record");
        EXPECT_EQ(result.findings[0].text, "gfx1151 one " + std::string(field.name) + ": record " +
                                               std::to_string(recorded) + ", compiled " + std::to_string(other));
        EXPECT_EQ(result.findings.size(), field.name == "scratch" ? 2U : 1U) << field.name;
    }
}

TEST(Limits, FailOverTheChipsLimit) {
    struct Case {
        std::uint32_t pm::Resources::*field;
        std::uint32_t most;
        const char* name;
    };
    // From chips.toml; the compiler counts VCC's two SGPRs besides the 106.
    const std::vector<Case> cases = {{&pm::Resources::vgpr, 256, "vgpr"},
                                     {&pm::Resources::sgpr, 108, "sgpr"},
                                     {&pm::Resources::lds, 65536, "lds"},
                                     {&pm::Resources::max_block, 1024, "max_block"}};
    for (const Case& one : cases) {
        for (const std::uint32_t over : {0U, 1U}) {
            pm::Resources resources = small_resources(11);
            resources.*one.field = one.most + over;
            hkc::records::RecordFile file = small_records();
            file.chips["gfx1151"].kernels["one"] = resources;
            const hkc::GateResult result = compare(compiled(resources), file);
            EXPECT_EQ(result.status, over == 0 ? Status::kPass : Status::kFail) << one.name;
            if (over == 0) continue;
            EXPECT_EQ(kinds(result), (std::vector<std::string>{"over the chip's limit"}));
            EXPECT_EQ(result.findings[0].text, std::string("gfx1151 one ") + one.name + ": limit of the chip " +
                                                   std::to_string(one.most) + ", compiled " +
                                                   std::to_string(one.most + 1));
        }
    }
}

TEST(Limits, CountTheArgumentsOfTheSourceAgainstTheKernargLimit) {
    pm::Kernel kernel = compiled(small_resources(11));
    kernel.arguments = {{"big", "by_value", "", 0, 4096}, {"", "hidden_block_count_x", "", 4096, 4}};
    EXPECT_EQ(compare(kernel).status, Status::kPass);
    kernel.arguments.push_back({"last", "by_value", "", 4100, 4});
    EXPECT_EQ(kinds(compare(kernel)), (std::vector<std::string>{"over the chip's limit"}));
}

TEST(Limits, RefuseAWaveThatNoChipHas) {
    pm::Resources resources = small_resources(11);
    resources.wave = 48;
    hkc::records::RecordFile file = small_records();
    file.chips["gfx1151"].kernels["one"] = resources;
    EXPECT_EQ(kinds(compare(compiled(resources), file)), (std::vector<std::string>{"over the chip's limit"}));
}

TEST(Limits, FindScratchEvenWhereItIsRecorded) {
    pm::Resources resources = small_resources(11);
    resources.scratch = 16;
    hkc::records::RecordFile file = small_records();
    file.chips["gfx1151"].kernels["one"] = resources;
    const hkc::GateResult result = compare(compiled(resources), file);
    EXPECT_EQ(kinds(result), (std::vector<std::string>{"uses scratch"}));
    EXPECT_EQ(result.findings[0].text, "gfx1151 one scratch: 16 bytes a work-item");
}

struct NotComparable {
    const char* what;
    hkc::GateResult result;
    std::vector<std::string> expected; // parts of the reason
};

TEST(Limits, DoNotCompareWithTheRecordsOfAnotherFingerprint) {
    pm::Resources other = small_resources(99); // it differs, and yet that is no problem
    other.kernarg = 1;
    const pm::Kernel kernel = compiled(other);
    const hkc::records::RecordFile file = small_records();
    hkc::records::RecordFile without_chip = file;
    without_chip.chips.erase("gfx1151");
    hkc::records::RecordFile without_kernel = file;
    without_kernel.chips["gfx1151"].kernels.erase("one");
    hkc::Fingerprint flags = small_fingerprint("9.8.7");
    flags.flags = {"-O2"};
    const hkc::Fingerprint good = small_fingerprint("9.8.7");
    const std::vector<NotComparable> cases = {
        {"another compiler",
         compare(kernel, file, small_fingerprint("9.9")),
         {"not comparable: the records hold clang version 9.8.7 with -O3, the object was built by clang version 9.9 "
          "with -O3",
          "hip-kernel-contract-limits --toolchain NAME --records all | hip-kernel-contract-records apply"}},
        {"other flags",
         compare(kernel, file, flags),
         {"the object was built by clang version 9.8.7 with -O2", "--toolchain clang-9.8.7 --records all"}},
        {"no records",
         hkc::limits::compare(kernel, "one", chip(), {"clang-9.8.7", "small", nullptr}, &good),
         {"not comparable: family small has no records of clang-9.8.7; record with: hip-kernel-contract-limits "
          "--toolchain clang-9.8.7 --records all | hip-kernel-contract-records apply"}},
        {"a prebuilt object",
         hkc::limits::compare(kernel, "one", chip(), {file.toolchain, file.family, &file}, nullptr),
         {"not comparable: nobody knows the flags"}},
        {"no records of the chip",
         compare(kernel, without_chip),
         {"hold nothing for gfx1151", "--toolchain clang-9.8.7 --records all"}},
        {"no record of the kernel",
         compare(kernel, without_kernel),
         {"no record of one for gfx1151", "--toolchain clang-9.8.7"}},
    };
    for (const NotComparable& one : cases) {
        EXPECT_EQ(one.result.status, Status::kUnchecked) << one.what;
        EXPECT_TRUE(one.result.findings.empty()) << one.what;
        ASSERT_EQ(one.result.unchecked.size(), 1U) << one.what;
        for (const std::string& part : one.expected)
            EXPECT_NE(one.result.unchecked[0].find(part), std::string::npos)
                << one.what << ": " << one.result.unchecked[0];
    }
}

TEST(Limits, JudgeTheChipsLimitsWithoutRecords) {
    pm::Resources resources = small_resources(257);
    resources.scratch = 4;
    const hkc::GateResult result = hkc::limits::compare(compiled(resources), "one", chip(), {}, nullptr);
    EXPECT_EQ(result.status, Status::kFail);
    EXPECT_EQ(kinds(result), (std::vector<std::string>{"over the chip's limit", "uses scratch"}));
    EXPECT_EQ(result.unchecked.size(), 1U);
}

TEST(Limits, CompareAControlsObjectWithTheRecordOfTheKernelItStandsInFor) {
    pm::Kernel kernel = compiled(small_resources(12)); // as "two" is recorded
    kernel.name = "planted";
    EXPECT_EQ(kinds(compare(kernel)), (std::vector<std::string>{"differs from the record"}));
    const hkc::records::RecordFile file = small_records();
    const hkc::Fingerprint fingerprint = small_fingerprint("9.8.7");
    EXPECT_EQ(hkc::limits::compare(kernel, "two", chip(), {file.toolchain, file.family, &file}, &fingerprint).status,
              Status::kPass);
}

} // namespace
