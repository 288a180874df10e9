#include "contract/report/outcome.h"

#include "peacemaker/emu/report.h"

#include <algorithm>
#include <array>

namespace hkc {
namespace {

constexpr std::array kGateKinds{
    kind::kWrongChip,
    kind::kUnreadableObject,
    kind::kSymbolMissing,
    kind::kBadDescriptor,
    kind::kArgumentMismatch,
    kind::kBlockSize,
    kind::kLdsLimit,
    kind::kKernargLimit,
    kind::kNotCertified,
    kind::kHipError,
    kind::kGuardOverwritten,
    kind::kInputChanged,
    kind::kGlobalChanged,
    kind::kOutputNotWritten,
    kind::kNotRepeatable,
    kind::kOutsideOracle,
    kind::kDiffersFromReplaced,
    kind::kNanLost,
    kind::kStreamDiffers,
    kind::kGraphDiffers,
    kind::kRecordDiffers,
    kind::kLoadedDiffers,
    kind::kOverChipLimit,
    kind::kUsesScratch,
    kind::kStaleKnownFinding,
    kind::kCrash,
    kind::kTimeOut,
};

} // namespace

std::string_view status_name(Status status) {
    switch (status) {
    case Status::kPass:
        return "pass";
    case Status::kFail:
        return "fail";
    case Status::kKnownFinding:
        return "known finding";
    case Status::kUnchecked:
        return "unchecked";
    }
    return "unchecked";
}

const std::vector<std::string>& finding_kinds() {
    static const std::vector<std::string> kinds = [] {
        std::vector<std::string> all(kGateKinds.begin(), kGateKinds.end());
        for (std::string& name : pm::emu::finding_kind_names()) {
            if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
        }
        return all;
    }();
    return kinds;
}

} // namespace hkc
