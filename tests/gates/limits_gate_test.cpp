#include "contract/gates/limits.h"

#include "contract/gates/gate.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

// A device that tells the truth of this kernel; the numbers are those of the test, not of any compiler.
const pm::Resources kCompiled = [] {
    pm::Resources r;
    r.vgpr = 44;
    r.lds = 1024;
    r.scratch = 16;
    r.max_block = 256;
    return r;
}();

std::vector<LoadedAttribute> truth() {
    return {{"numRegs", "vgpr", &pm::Resources::vgpr, 44},
            {"sharedSizeBytes", "lds", &pm::Resources::lds, 1024},
            {"localSizeBytes", "scratch", &pm::Resources::scratch, 16},
            {"maxThreadsPerBlock", "max_block", &pm::Resources::max_block, 256}};
}

GateResult judged(const std::vector<LoadedAttribute>& loaded, const pm::Resources* record) {
    GateResult result;
    compare_loaded(loaded, kCompiled, record, "gfx1151 tile", result);
    finish(result);
    return result;
}

TEST(LimitsGate, AnObjectThatIsLoadedAsItIsPasses) {
    const GateResult result = judged(truth(), &kCompiled);
    EXPECT_EQ(result.status, Status::kPass);
    EXPECT_EQ(result.checks, 4U);
    EXPECT_TRUE(result.findings.empty());
}

TEST(LimitsGate, EachLyingValueIsAFindingThatNamesFieldAndValues) {
    const char* expected[] = {
        "gfx1151 tile vgpr: numRegs of the loaded kernel 45, the object's metadata 44, record 44",
        "gfx1151 tile lds: sharedSizeBytes of the loaded kernel 1025, the object's metadata 1024, record 1024",
        "gfx1151 tile scratch: localSizeBytes of the loaded kernel 17, the object's metadata 16, record 16",
        "gfx1151 tile max_block: maxThreadsPerBlock of the loaded kernel 257, the object's metadata 256, record 256",
    };
    for (std::size_t i = 0; i < truth().size(); ++i) {
        auto loaded = truth();
        std::get<int>(loaded[i].answer) += 1;
        const GateResult result = judged(loaded, &kCompiled);
        EXPECT_EQ(result.status, Status::kFail) << expected[i];
        ASSERT_EQ(result.findings.size(), 1U) << expected[i];
        EXPECT_EQ(result.findings[0].kind, "differs from the loaded object");
        EXPECT_EQ(result.findings[0].text, expected[i]);
    }
}

TEST(LimitsGate, ANegativeAnswerIsNoLargeNumber) {
    auto loaded = truth();
    loaded[0].answer = -1;
    const GateResult result = judged(loaded, nullptr);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_EQ(
        result.findings[0].text,
        "gfx1151 tile vgpr: numRegs of the loaded kernel -1, the object's metadata 44, no record to compare with");
}

TEST(LimitsGate, ARecordThatTheDeviceAgreesWithDoesNotExcuseTheObject) {
    pm::Resources record = kCompiled;
    record.vgpr = 45;
    auto loaded = truth();
    loaded[0].answer = 45;
    const GateResult result = judged(loaded, &record);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_EQ(result.findings[0].text,
              "gfx1151 tile vgpr: numRegs of the loaded kernel 45, the object's metadata 44, record 45");
}

TEST(LimitsGate, AnAnswerThatIsNotGivenIsUncheckedNeverAPass) {
    auto loaded = truth();
    loaded[2].answer = "hipFuncGetAttribute of localSizeBytes: hipErrorNotSupported (operation not supported)";
    const GateResult result = judged(loaded, &kCompiled);
    EXPECT_EQ(result.status, Status::kUnchecked);
    EXPECT_EQ(result.checks, 3U);
    ASSERT_EQ(result.unchecked.size(), 1U);
    EXPECT_EQ(result.unchecked[0],
              "gfx1151 tile scratch: the device does not say what it loaded: hipFuncGetAttribute of localSizeBytes: "
              "hipErrorNotSupported (operation not supported)");
}

} // namespace
} // namespace hkc
