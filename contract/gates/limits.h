// Gate 5's question to the device: what it says that a loaded function costs, against the object it was given. Plain
// data in and out.
//
//   LoadedFunction loaded = ask_attributes(api, function);
//   compare_loaded(loaded, compiled.resources, record, "gfx1151 NAME", result);
//
// Not asked: the binary version, which runtimes number differently, and the SGPRs, which HIP does not tell.
#pragma once

#include "contract/device/hip_library.h"
#include "contract/report/outcome.h"
#include "peacemaker/object/code_object.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hkc {

/// One attribute of a loaded function, by HIP's name and by that of the field that it must equal.
struct LoadedAttribute {
    std::string_view name;  // numRegs
    std::string_view field; // vgpr
    std::uint32_t pm::Resources::*value = nullptr;
    std::variant<int, std::string> answer; // the device's, or why it gave none
};

/// Asks the device for numRegs, sharedSizeBytes, localSizeBytes and maxThreadsPerBlock of `function`.
std::vector<LoadedAttribute> ask_attributes(const HipApi& api, hipFunction_t function);

/// Adds to `result` what the device's answers say: each must equal the object's metadata (`compiled`), and so the
/// `record` (null where there is none to compare with); that metadata and record agree is not judged here. One that
/// differs is a finding "differs from the loaded object" that names field and values behind `where`; one that the
/// device did not give is unchecked, with its reason.
void compare_loaded(const std::vector<LoadedAttribute>& loaded, const pm::Resources& compiled,
                    const pm::Resources* record, const std::string& where, GateResult& result);

} // namespace hkc
