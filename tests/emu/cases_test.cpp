// The shared cases: faulty and clean objects with the verdict that an execution must give.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace pm::testing {
namespace {

using emu::FindingKind;
using u32 = std::uint32_t;

/// The objects that a case's build.sh makes.
class Case {
public:
    explicit Case(const std::string& name) : source_(std::string(HKC_SOURCE_DIR) + "/../shared/cases/" + name) {
        if (!std::filesystem::exists(source_)) return;
        there_ = true;
        const auto built = run_program("sh", {source_ + "/build.sh", folder_.path()});
        if (!built) ADD_FAILURE() << built.error().text;
    }
    bool there() const { return there_; }
    std::string object(const std::string& file) const {
        const auto bytes = read_file(folder_.path(file));
        if (bytes) return *bytes;
        ADD_FAILURE() << bytes.error().text;
        return {};
    }

private:
    std::string source_;
    Folder folder_;
    bool there_ = false;
};

std::vector<u32> iota(u32 n) {
    std::vector<u32> words(n);
    std::iota(words.begin(), words.end(), 0u);
    return words;
}

TEST(SharedCase, LateLoadOverValu) {
    const Case c("late-load-over-valu");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig faulty(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(faulty.ok() && clean.ok());
    const emu::Report report = faulty.launch("late_load", Rig::pack(faulty.buffer(iota(32)), faulty.fresh(128)));
    EXPECT_EQ(kinds_of(report), (std::vector{FindingKind::kOverwrittenBeforeWait, FindingKind::kOverwrittenBeforeWait}))
        << text_of(report);
    emu::Allocation* const out = clean.fresh(128);
    EXPECT_EQ(text_of(clean.launch("late_load_ok", Rig::pack(clean.buffer(iota(32)), out))), "");
    EXPECT_EQ(words_of<u32>(out), std::vector<u32>(32, 16));
}

TEST(SharedCase, SameWaveLdsOrder) {
    const Case c("same-wave-lds-order");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig faulty(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(faulty.ok() && clean.ok());
    const emu::Report report = faulty.launch("order_use_early", Rig::pack(faulty.fresh(128)));
    EXPECT_EQ(kinds_of(report), std::vector{FindingKind::kUsedBeforeWait}) << text_of(report);
    emu::Allocation* const out = clean.fresh(128);
    EXPECT_EQ(text_of(clean.launch("order_ok", Rig::pack(out))), "");
    std::vector<u32> want;
    for (u32 i = 0; i < 32; ++i) want.push_back(((i ^ 1) + 5) * 2);
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST(SharedCase, VgprsUnderDeclared) {
    const Case c("vgprs-under-declared");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig faulty(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(faulty.ok() && clean.ok());
    const emu::Report report = faulty.launch("few_declared", Rig::pack(faulty.buffer(iota(32)), faulty.fresh(128)));
    EXPECT_FALSE(report.findings.empty());
    for (const FindingKind kind : kinds_of(report))
        EXPECT_EQ(kind, FindingKind::kRegisterOutsideAllocation) << text_of(report);
    EXPECT_NE(text_of(report).find("v40"), std::string::npos);
    EXPECT_NE(text_of(report).find("v41"), std::string::npos);
    emu::Allocation* const out = clean.fresh(128);
    EXPECT_EQ(text_of(clean.launch("all_declared", Rig::pack(clean.buffer(iota(32)), out))), "");
    std::vector<u32> want;
    for (u32 i = 0; i < 32; ++i) want.push_back(2 * i);
    EXPECT_EQ(words_of<u32>(out), want);
}

TEST(SharedCase, StaleCallSite) {
    const Case c("stale-call-site");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig rig(c.object("case.co"));
    ASSERT_TRUE(rig.ok());
    emu::Allocation* const w = rig.buffer(std::vector<std::int8_t>(4096, 2));
    emu::Allocation* const x = rig.buffer(std::vector<float>(64, 1.5f));
    emu::Allocation* const y = rig.fresh(256);
    emu::Allocation* const residual = rig.buffer(std::vector<float>(64, 0.25f));
    const auto stale = Rig::pack(w, x, y, 64, 64, 64, 0.5f, 0);
    ASSERT_EQ(stale.size(), 44u);
    const emu::Report report = rig.launch("matvec_plus", stale, {1, 1, 1}, {64, 1, 1});
    ASSERT_FALSE(report.findings.empty());
    bool found = false;
    for (const emu::Finding& f : report.findings)
        found |= f.kind == FindingKind::kKernargNotSupplied && f.detail.find("offset 48") != std::string::npos;
    EXPECT_TRUE(found) << text_of(report);
    const auto whole = Rig::pack(w, x, y, 64, 64, 64, 0.5f, 0, residual);
    ASSERT_EQ(whole.size(), 56u);
    EXPECT_EQ(text_of(rig.launch("matvec_plus", whole, {1, 1, 1}, {64, 1, 1})), "");
    EXPECT_EQ(words_of<float>(y), std::vector<float>(64, 64 * 3.0f * 0.5f + 0.25f));
}

TEST(SharedCase, SpillsAppear) {
    const Case c("spills-appear");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig spilling(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(spilling.ok() && clean.ok());
    EXPECT_GT(spilling.object().find_kernel("wide_state")->resources.scratch, 0u);
    std::vector<float> in(7680);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 251) / 256.0f - 0.5f;
    std::vector<u32> results[2];
    for (Rig* const rig : {&spilling, &clean}) {
        emu::Allocation* const out = rig->fresh(30720);
        EXPECT_EQ(text_of(rig->launch("wide_state", Rig::pack(out, rig->buffer(in), 1), {1, 1, 1}, {64, 1, 1})), "");
        EXPECT_EQ(emu::Memory::first_undefined(*out, out->address, out->size), 0u);
        results[rig == &clean] = words_of<u32>(out);
    }
    EXPECT_EQ(results[0], results[1]);
}

bool only(const emu::Report& report, FindingKind kind) {
    const auto kinds = kinds_of(report);
    return report.unsupported.empty() && !kinds.empty() &&
           std::all_of(kinds.begin(), kinds.end(), [kind](FindingKind k) { return k == kind; });
}

TEST(SharedCase, LdsTailRead) {
    const Case c("lds-tail-read");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig faulty(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(faulty.ok() && clean.ok());
    const std::vector<float> ones(256, 1.0f);
    const emu::Report report =
        faulty.launch("sum_block_wide", Rig::pack(faulty.fresh(4), faulty.buffer(ones)), {1, 1, 1}, {256, 1, 1});
    EXPECT_TRUE(only(report, FindingKind::kLdsOutOfBounds)) << text_of(report);
    if (!report.findings.empty()) {
        EXPECT_EQ(report.findings[0].lane, 8u);
        EXPECT_EQ(report.findings[0].address, 32u);
    }
    emu::Allocation* const out = clean.fresh(4);
    EXPECT_EQ(text_of(clean.launch("sum_block", Rig::pack(out, clean.buffer(ones)), {1, 1, 1}, {256, 1, 1})), "");
    EXPECT_EQ(words_of<float>(out), std::vector<float>{256});
}

TEST(SharedCase, LoopTailBarrier) {
    const Case c("loop-tail-barrier");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    for (const bool right : {false, true}) {
        Rig rig(c.object(right ? "clean.co" : "case.co"));
        ASSERT_TRUE(rig.ok());
        const auto kernarg = Rig::pack(rig.fresh(4096), rig.buffer(std::vector<float>(128, 0.5f)),
                                       rig.buffer(std::vector<float>(128, 0.25f)), 8);
        const emu::Report report =
            rig.launch(right ? "scan_steps" : "scan_steps_racy", kernarg, {1, 1, 1}, {128, 1, 1});
        if (right)
            EXPECT_EQ(text_of(report), "");
        else
            EXPECT_TRUE(only(report, FindingKind::kLdsRace)) << text_of(report);
    }
}

TEST(SharedCase, OneStoreSameAddress) {
    const Case c("one-store-same-address");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig faulty(c.object("case.co")), clean(c.object("clean.co"));
    ASSERT_TRUE(faulty.ok() && clean.ok());
    const emu::Report report = faulty.launch("two_waves_one_slot", Rig::pack(faulty.fresh(256)), {1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(only(report, FindingKind::kLdsRace)) << text_of(report);
    EXPECT_EQ(text_of(clean.launch("one_wave_one_slot", Rig::pack(clean.fresh(256)))), "");
}

TEST(SharedCase, SplitBarrierUndrained) {
    const Case c("split-barrier-undrained");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    for (const auto& [file, kernel] :
         {std::pair{"case.co", "no_drain"}, {"case-late.co", "late_drain"}, {"clean.co", "drained"}}) {
        Rig rig(c.object(file));
        ASSERT_TRUE(rig.ok());
        const emu::Report report =
            rig.launch(kernel, Rig::pack(rig.buffer(iota(64)), rig.fresh(256)), {1, 1, 1}, {64, 1, 1});
        if (std::string(kernel) == "drained")
            EXPECT_EQ(text_of(report), "");
        else
            EXPECT_TRUE(only(report, FindingKind::kLdsRace)) << kernel << ": " << text_of(report);
    }
}

TEST(SharedCase, DynamicLdsTooLarge) {
    const Case c("dynamic-lds-too-large");
    if (!c.there()) GTEST_SKIP() << "no shared cases here";
    Rig rig(c.object("case.co"));
    ASSERT_TRUE(rig.ok());
    std::vector<float> in(16384);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    emu::Allocation* const source = rig.buffer(in);
    const auto run = [&](u32 dynamic, int n, emu::Allocation* out) {
        const auto kernarg = Rig::pack(out, source, n);
        return rig.launch(
            {.kernel = "top_rows", .block = {128, 1, 1}, .dynamic_lds = dynamic, .kernarg = kernarg, .threads = 1});
    };
    constexpr int kMost = 12032;
    emu::Allocation* const out = rig.fresh(4 * kMost);
    const auto fits = run(48128, kMost, out);
    ASSERT_TRUE(fits) << fits.error().text;
    EXPECT_EQ(text_of(*fits), "");
    std::vector<float> want;
    for (std::size_t i = 0; i < kMost; ++i) want.push_back(in[4352 + kMost - 1 - i] + in[i % 4352]);
    EXPECT_EQ(words_of<float>(out), want);
    const auto large = run(49152, kMost, out);
    ASSERT_FALSE(large);
    EXPECT_NE(large.error().text.find("66560 bytes (17408 fixed + 49152 dynamic), limit 65536"), std::string::npos)
        << large.error().text;
    const auto little = run(4096, 1025, out);
    ASSERT_TRUE(little);
    EXPECT_EQ(little->findings.empty() ? FindingKind::kMisaligned : little->findings[0].kind,
              FindingKind::kLdsOutOfBounds)
        << text_of(*little);
}

} // namespace
} // namespace pm::testing
