// Verdicts and reports, and the static verdicts of the shared cases.
#include "tests/certify/certify_rig.h"
#include "tests/isa/llvm_tools.h"

#include "peacemaker/support/file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace pm::testing {
namespace {

using certify::Verdict;

const Chip& chip() { return **find_chip("gfx1100"); }

TEST(Certify, AKernelWithNothingLeftOpenIsCertified) {
    const auto certificate = certified(chip(), "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n");
    EXPECT_EQ(certificate.verdict, Verdict::kCertified);
    EXPECT_TRUE(certificate.open.empty());
    EXPECT_EQ(certificate.operations, 1U);
    EXPECT_GE(certificate.instructions, 4U);
}

TEST(Certify, WhatCannotBeFollowedIsUncheckedNeverCertified) {
    for (const char* body :
         {"s_setpc_b64 s[4:5]\n", "s_swappc_b64 s[6:7], s[4:5]\n", ".long 0xffffffff\n", "s_branch 0x100\n",
          "1:\ns_branch 1b\n", "exp mrt0 v0, v0, v0, v0 done\n", "v_movrels_b32 v7, v2\n", "v_movreld_b32 v2, v0\n",
          "s_movrels_b32 s8, s9\n", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\nv_mov_b32 v1, v0\n"}) {
        const auto certificate = certified(chip(), body);
        EXPECT_EQ(certificate.verdict, Verdict::kUnchecked) << body;
        EXPECT_FALSE(certificate.unchecked.empty()) << body;
    }
}

TEST(Certify, WhatOtherChipsHaveIsUncheckedToo) {
    struct One {
        const char *chip, *body;
    };
    for (const One& one :
         {One{"gfx1030", "s_mov_b32 m0, 0\nbuffer_load_dword off, s[4:7], 0 lds\ns_waitcnt vmcnt(0)\n"},
          {"gfx1030", "s_mov_b32 m0, 0\nglobal_load_dword v1, s[4:5] lds\ns_waitcnt vmcnt(0)\n"},
          {"gfx1030", "s_trap 2\n"},
          {"gfx1201", "s_mov_b32 m0, 1\nglobal_load_block v[2:33], v1, s[4:5]\ns_wait_loadcnt 0\n"},
          {"gfx1201", "s_mov_b32 m0, 1\nglobal_store_block v1, v[2:33], s[4:5]\n"},
          {"gfx1201", "s_barrier_signal_isfirst -1\ns_barrier_wait -1\n"},
          {"gfx1201", "s_barrier_init 1\n"},
          {"gfx1201", "s_alloc_vgpr 64\n"}}) {
        KernelText kernel;
        kernel.vgprs = 48;
        kernel.body = one.body;
        const auto certificate = certified(**find_chip(one.chip), kernel);
        EXPECT_EQ(certificate.verdict, Verdict::kUnchecked) << one.body;
        EXPECT_FALSE(certificate.unchecked.empty()) << one.body;
    }
}

// The counters of buffer instructions and of scalar answers.
TEST(Certify, ResultsOfBuffersAndMessagesAreLate) {
    struct One {
        const char *issue, *use, *wait;
    };
    for (const One& one :
         {One{"buffer_atomic_add_u32 v2, v1, s[4:7], 0 offen glc\n", "v_mov_b32 v3, v2\n", "s_waitcnt vmcnt(0)\n"},
          {"buffer_load_format_xy v[2:3], v1, s[4:7], 0 offen\n", "v_mov_b32 v4, v3\n", "s_waitcnt vmcnt(0)\n"},
          {"tbuffer_load_format_x v2, v1, s[4:7], 0 format:20 offen\n", "v_mov_b32 v3, v2\n", "s_waitcnt vmcnt(0)\n"},
          {"global_load_addtid_b32 v2, s[4:5]\n", "v_mov_b32 v3, v2\n", "s_waitcnt vmcnt(0)\n"},
          {"s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)\n", "s_mov_b32 s6, s5\n",
           "s_waitcnt lgkmcnt(0)\n"}}) {
        EXPECT_EQ(faults_of(certified(chip(), std::string(one.issue) + one.use + one.wait)).size(), 1U) << one.issue;
        EXPECT_EQ(faults_of(certified(chip(), std::string(one.issue) + one.wait + one.use)).size(), 0U) << one.issue;
    }
    EXPECT_EQ(faults_of(certified(chip(), "buffer_atomic_add_u32 v2, v1, s[4:7], 0 offen\nv_mov_b32 v2, v1\n")).size(),
              0U);
}

TEST(Certify, RegistersMayBeGivenBackBeforeTheEnd) {
    EXPECT_EQ(certified(chip(), "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n").verdict, Verdict::kCertified);
}

TEST(Certify, FormatsOfSeveralHalvesFillWholeRegisters) {
    const std::string load = "buffer_load_d16_format_xy v2, off, s[4:7], 0\n";
    EXPECT_EQ(faults_of(certified(chip(), load + "v_lshrrev_b32 v5, 16, v2\ns_waitcnt vmcnt(0)\n")).size(), 1U);
}

TEST(Certify, AFaultIsToldThoughTheRestCannotBeFollowed) {
    const auto certificate = certified(chip(), "gload v2, v1\nv_mov_b32 v3, v2\nwait_load 0\ns_setpc_b64 s[6:7]\n");
    EXPECT_EQ(certificate.verdict, Verdict::kOpen);
    EXPECT_FALSE(certificate.unchecked.empty());
    EXPECT_EQ(faults_of(certificate).size(), 1U);
}

TEST(Certify, MovesBetweenLanesGoTheLdsWayAndTouchNone) {
    EXPECT_EQ(certified(chip(), "ds_bpermute_b32 v2, v1, v0\nwait_ds 0\n").verdict, Verdict::kCertified);
}

TEST(Certify, RegistersAreWithinTheAllocation) {
    KernelText kernel;
    kernel.vgprs = 8;
    kernel.body = "v_mov_b32 v7, 0\n";
    EXPECT_EQ(certified(chip(), kernel).verdict, Verdict::kCertified);
    kernel.body = "v_mov_b32 v8, 0\n";
    EXPECT_EQ(faults_of(certified(chip(), kernel)),
              std::vector<std::string>{"register outside the allocation: v_mov_b32_e32 v8, 0"});
    kernel.body = "s_mov_b32 s10, 0\nglobal_load_b64 v[7:8], v0, s[4:5]\ns_waitcnt vmcnt(0)\n";
    EXPECT_EQ(faults_of(certified(chip(), kernel)).size(), 1U) << "the second of a pair";
}

TEST(Certify, ScratchMustBeEnabled) {
    KernelText kernel;
    kernel.body = "scratch_load_b32 v2, off, off\ns_waitcnt vmcnt(0)\n";
    EXPECT_EQ(faults_of(certified(chip(), kernel)).size(), 1U);
    kernel.scratch = 16;
    EXPECT_EQ(faults_of(certified(chip(), kernel)).size(), 0U);
}

TEST(Certify, ReportsInTextAndJson) {
    KernelText kernel;
    kernel.name = "k";
    kernel.body = "gload v2, v1\nv_mov_b32 v3, v2\nwait_load 0\n";
    const CodeObject object = object_of(chip(), kernel);
    ASSERT_NE(object.chip, nullptr);
    const auto certificate = certify::certify(object);
    ASSERT_TRUE(certificate);
    const std::string text = certify::report_text(*certificate, "k.co");
    EXPECT_NE(text.find("fault gfx1100 k+0x"), std::string::npos) << text;
    EXPECT_NE(text.find(": register read before its wait: v_mov_b32_e32 v3, v2: v2 is read while it is in flight\n"
                        "    by way of +0x"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("CERTIFY k.co gfx1100 1 kernels: 0 certified, 1 open, 0 unchecked; 1 faults\n"),
              std::string::npos)
        << text;
    const auto json = nlohmann::json::parse(certify::report_json(*certificate, "k.co"));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["kernels"][0]["name"], "k");
    EXPECT_EQ(json["kernels"][0]["verdict"], "open");
    EXPECT_EQ(json["kernels"][0]["open"][0]["kind"], "register read before its wait");
    EXPECT_EQ(json["kernels"][0]["open"][0]["fault"], true);
}

TEST(Certify, NamesTheNearestKernelWhereNoneMatches) {
    KernelText kernel;
    kernel.name = "kernel_one";
    const CodeObject object = object_of(chip(), kernel);
    ASSERT_NE(object.chip, nullptr);
    EXPECT_TRUE(certify::certify(object, "kernel_*"));
    const auto none = certify::certify(object, "kernel_on");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text.find("did you mean \"kernel_one\"?"), std::string::npos) << none.error().text;
}

struct SharedVerdict {
    const char* name;
    const char* file;
    std::vector<std::string_view> faults; // kinds, each at least once
};

class SharedCase : public ::testing::TestWithParam<SharedVerdict> {};

// What a static analysis must say of each; "clean" there means certified here.
TEST_P(SharedCase, HasItsStaticVerdict) {
    const std::string source = std::string(HKC_SOURCE_DIR) + "/../shared/cases/" + GetParam().name;
    if (!std::filesystem::exists(source)) GTEST_SKIP() << "no shared cases here";
    const Folder folder;
    const auto built = run_program("sh", {source + "/build.sh", folder.path()});
    ASSERT_TRUE(built) << built.error().text;
    const auto object = read_code_object(folder.path(GetParam().file));
    ASSERT_TRUE(object) << object.error().text;
    const auto certificate = certify::certify(*object);
    ASSERT_TRUE(certificate) << certificate.error().text;
    std::vector<std::string_view> kinds;
    for (const auto& open : certificate->kernels.at(0).open)
        if (open.fault && std::find(kinds.begin(), kinds.end(), open.kind) == kinds.end()) kinds.push_back(open.kind);
    EXPECT_EQ(kinds, GetParam().faults) << certify::report_text(*certificate, GetParam().file);
    EXPECT_EQ(certificate->kernels[0].verdict, GetParam().faults.empty() ? Verdict::kCertified : Verdict::kOpen)
        << certify::report_text(*certificate, GetParam().file);
    EXPECT_TRUE(certificate->kernels[0].unchecked.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Static, SharedCase,
    ::testing::Values(SharedVerdict{"late-load-over-valu", "case.co", {certify::kind::kOverwriteBeforeWait}},
                      SharedVerdict{"late-load-over-valu", "clean.co", {}},
                      SharedVerdict{"same-wave-lds-order", "case.co", {certify::kind::kReadBeforeWait}},
                      SharedVerdict{"same-wave-lds-order", "clean.co", {}},
                      SharedVerdict{"split-barrier-undrained", "case.co", {certify::kind::kUndrainedLds}},
                      SharedVerdict{"split-barrier-undrained", "case-late.co", {certify::kind::kUndrainedLds}},
                      SharedVerdict{"split-barrier-undrained", "clean.co", {}},
                      SharedVerdict{"vgprs-under-declared", "case.co", {certify::kind::kRegisterOutside}},
                      SharedVerdict{"vgprs-under-declared", "clean.co", {}},
                      SharedVerdict{"one-store-same-address", "case.co", {certify::kind::kLdsRace}},
                      SharedVerdict{"one-store-same-address", "clean.co", {}},
                      SharedVerdict{"loop-tail-barrier", "case.co", {certify::kind::kLdsRace}},
                      SharedVerdict{"loop-tail-barrier", "clean.co", {}},
                      SharedVerdict{"lds-tail-read", "case.co", {certify::kind::kLdsOutside}},
                      SharedVerdict{"lds-tail-read", "clean.co", {}}, SharedVerdict{"spills-appear", "case.co", {}},
                      SharedVerdict{"spills-appear", "clean.co", {}}, SharedVerdict{"stale-call-site", "case.co", {}}));

} // namespace
} // namespace pm::testing
