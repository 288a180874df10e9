// What static analysis (peacemaker/certify) proves of the kernels that a registration launches: the part of gate 1 that
// needs no device.
//
//   const Certificates analysed = certify_object(object);               // once an object
//   auto certificates = certificates_of(analysed, kernel.launches);     // once a registration
//   check_certificates(subject, result);                                // gate 1, where `certify = true`
#pragma once

#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "peacemaker/certify/certify.h"
#include "peacemaker/support/result.h"

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

/// Of every kernel of an object; or why there is none.
using Certificates = pm::Result<std::vector<Certificate>>;
Certificates certify_object(const pm::Result<pm::CodeObject>& object);

/// Those of the launched symbols, each once, in the order of the launches. A symbol that was not analysed is unchecked.
std::vector<Certificate> certificates_of(const Certificates& analysed, const std::vector<Launch>& launches);

/// The verdict on all of them: open, else unchecked, else certified; of none, unchecked.
pm::certify::Verdict worst_verdict(const std::vector<Certificate>& certificates);

/// Adds a check for each of the subject's certificates, and a finding "not certified" for each reason of one that is
/// not.
void check_certificates(const Subject& subject, GateResult& result);

} // namespace hkc
