// What static analysis (peacemaker/certify) proves of the kernels that a registration launches: the part of gate 1 that
// needs no device.
//
//   const auto wanted = launched_kernels(kernel);                 // of one registration, or of several
//   const Certificates analysed = certify_object(object, wanted); // once an object
//   auto certificates = certificates_of(analysed, wanted);        // once a registration
//   check_certificates(subject, result);                          // gate 1, where `certify = true`
#pragma once

#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "peacemaker/certify/certify.h"
#include "peacemaker/support/result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hkc {

struct Subject;

/// The verdict on one kernel of an object, and why it is not certified.
struct Certificate {
    /// An obligation left open, with its instruction, or what could not be followed.
    struct Reason {
        std::string text;
        std::string source = {}; // FILE:LINE of the instruction, where the object tells; else empty

        bool operator==(const Reason&) const = default;
    };

    std::string kernel; // its symbol
    pm::certify::Verdict verdict = pm::certify::Verdict::kUnchecked;
    std::vector<Reason> reasons; // none where it is certified

    bool operator==(const Certificate&) const = default;
};

/// A kernel as a launch calls it: all that its verdict depends on, beside its bytes.
struct LaunchedKernel {
    std::string symbol;
    std::array<std::uint32_t, 3> workgroup{1, 1, 1}; // work-items
    std::uint32_t dynamic_lds = 0;                   // bytes

    auto operator<=>(const LaunchedKernel&) const = default;
};
/// What the declared shapes of a registration launch, each once, in the order of the launches. A launch whose geometry
/// cannot be evaluated is left out, as gate 1 says of it.
std::vector<LaunchedKernel> launched_kernels(const Kernel& kernel);

/// By kernel and launch; or why there is none.
using Certificates = pm::Result<std::map<LaunchedKernel, Certificate>>;
/// Of those that are in the object.
Certificates certify_object(const pm::Result<pm::CodeObject>& object, const std::vector<LaunchedKernel>& wanted);

/// A symbol each, in the order of `launched`: the worst verdict on its launches. One that was not analysed is
/// unchecked.
std::vector<Certificate> certificates_of(const Certificates& analysed, const std::vector<LaunchedKernel>& launched);

/// The verdict on all of them: open, else unchecked, else certified; of none, unchecked.
pm::certify::Verdict worst_verdict(const std::vector<Certificate>& certificates);

/// Adds a check for each of the subject's certificates, and a finding "not certified" for each reason of one that is
/// not.
void check_certificates(const Subject& subject, GateResult& result);

} // namespace hkc
