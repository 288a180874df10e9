// Two races and their right forms, as assembly and as HIP (tests/data/races): what the embedded device finds, and what
// the audit does.
#include "peacemaker/audit/audit.h"

#include "peacemaker/support/file.h"
#include "tests/certify/certify_rig.h"
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

namespace pm::testing {
namespace {

using emu::FindingKind;
using u32 = std::uint32_t;

constexpr u32 kItems = 64; // two waves

std::string data(const std::string& name) {
    const auto bytes = read_file(std::string(HKC_SOURCE_DIR "/tests/data/races/") + name);
    EXPECT_TRUE(bytes) << bytes.error().text;
    return bytes ? *bytes : "";
}

/// One of the races, for one chip, from one kind of source.
struct Race {
    const char* chip;
    const char* kernel;
    bool hip = false;
    bool fixed = false;
};

Result<CodeObject> object_of_race(const Race& race) {
    if (race.hip) {
        const auto& bytes =
            compiled_hip("clang++-22", race.chip, HKC_SOURCE_DIR "/tests/data/races/races.hip",
                         {"-O3", "-mno-wavefrontsize64", fmt::format("-DFIXED={}", race.fixed ? 1 : 0)});
        if (!bytes) return bytes.error();
        return parse_code_object(*bytes, "races.hip");
    }
    KernelText kernel;
    kernel.name = race.kernel;
    kernel.body = fmt::format(".set FIXED, {}\n", race.fixed ? 1 : 0) + data(std::string(race.kernel) + ".s");
    kernel.pointers = 1;
    kernel.max_block = kItems;
    kernel.lds = 256;
    return object_of(**find_chip(race.chip), kernel);
}

class Races : public ::testing::TestWithParam<Race> {};

TEST_P(Races, TheEmbeddedDeviceFindsTheRaceAndNothingInTheRightForm) {
    const auto object = object_of_race(GetParam());
    ASSERT_TRUE(object) << object.error().text;
    Rig rig(object->bytes);
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const out = rig.fresh(4 * kItems);
    const emu::Report report = rig.launch(GetParam().kernel, Rig::pack(out), {1, 1, 1}, {kItems, 1, 1});
    EXPECT_TRUE(report.unsupported.empty());
    if (!GetParam().fixed) {
        ASSERT_FALSE(report.findings.empty());
        for (const FindingKind kind : kinds_of(report)) EXPECT_EQ(kind, FindingKind::kLdsRace) << text_of(report);
        return;
    }
    EXPECT_EQ(text_of(report), "");
    std::vector<u32> want;
    for (u32 id = 0; id < kItems; ++id)
        want.push_back(std::string_view(GetParam().kernel) == "undrained" ? id ^ 32U : 4 + 3 + 2 + 1);
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST_P(Races, TheAuditFindsBothAndCertifiesTheRightForms) {
    const auto object = object_of_race(GetParam());
    ASSERT_TRUE(object) << object.error().text;
    const auto certificate = certify::certify(*object, GetParam().kernel);
    ASSERT_TRUE(certificate) << certificate.error().text;
    const audit::Report report = audit::audit(*object, *certificate, "race.co");
    EXPECT_TRUE(report.unchecked.empty());
    std::vector<std::string_view> faults;
    for (const audit::Obligation& one : report.open)
        if (one.open.fault) faults.push_back(one.open.kind);
    if (GetParam().fixed) {
        EXPECT_TRUE(report.open.empty()) << audit::report_text(report);
    } else if (std::string_view(GetParam().kernel) == "undrained") {
        EXPECT_NE(std::find(faults.begin(), faults.end(), certify::kind::kUndrainedLds), faults.end())
            << audit::report_text(report);
    } else {
        EXPECT_NE(std::find(faults.begin(), faults.end(), certify::kind::kLdsRace), faults.end())
            << audit::report_text(report);
    }
}

std::vector<Race> all_races() {
    std::vector<Race> races;
    for (const char* chip : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"})
        for (const char* kernel : {"undrained", "mailbox"})
            for (const bool hip : {false, true})
                for (const bool fixed : {false, true}) races.push_back({chip, kernel, hip, fixed});
    return races;
}

INSTANTIATE_TEST_SUITE_P(OnEveryChip, Races, ::testing::ValuesIn(all_races()), [](const auto& info) {
    return fmt::format("{}_{}_{}_{}", info.param.chip, info.param.kernel, info.param.hip ? "hip" : "assembly",
                       info.param.fixed ? "fixed" : "racy");
});

} // namespace
} // namespace pm::testing
