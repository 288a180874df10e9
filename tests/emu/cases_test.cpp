// The shared cases: faulty and clean objects with the verdict that an execution must give.
#include "tests/emu/kernel_rig.h"
#include "tests/isa/llvm_tools.h"

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace pm::testing
